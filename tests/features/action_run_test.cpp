#include "lyre/features/action_run.h"

#include <unordered_set>

#include "tests/features/small_features.h"

namespace lyre::features {
namespace action_run_test {

Probe::At at_hook(std::string hook, std::function<Status(ActionContext&)> deed) {
    return [hook = std::move(hook), deed = std::move(deed)](const std::string& now, ActionContext& context) {
        return now == hook ? deed(context) : Status::ok();
    };
}
Probe::At fail_at(std::string hook) {
    return at_hook(std::move(hook), [](ActionContext&) { return Status::not_found("no paint"); });
}
Probe::At throw_at(std::string hook) {
    return at_hook(std::move(hook), [](ActionContext&) -> Status { throw Malice(); });
}
void keep(ActionContext& context, std::initializer_list<const char*> names) {
    for (const char* name : names) context.keep(Kept(name));
}

TEST(ActionRun, hooks_of_one_life_come_in_order) {
    //
    FeatureGame game;
    Probe a("a"), b("b");
    auto process = game.process_run({&a, &b});
    EXPECT_TRUE(process->registering().is_ok());
    EXPECT_TRUE(process->loading().is_ok());
    {
        auto run = game.run({&a, &b});
        EXPECT_TRUE(run->activate().is_ok());
        EXPECT_TRUE(run->is_active());
        run->activated();
        run->deactivate();
        EXPECT_FALSE(run->is_active());
        run->finish();
    }
    process->unloading();
    process->unregistering();
    EXPECT_EQ(log(),
              "a.registering b.registering a.loading b.loading a.activating b.activating a.activated b.activated "
              "b.deactivating a.deactivating b.unloading a.unloading b.unregistering a.unregistering");
}

TEST(ActionRun, a_feature_that_is_never_active_is_registered_all_the_same) {
    //
    FeatureGame game;
    Probe a("a");
    {
        auto process = game.process_run({&a});
        EXPECT_TRUE(process->registering().is_ok());
        EXPECT_EQ(process->registering().code(), StatusCode::AlreadyExists);
    }
    EXPECT_EQ(log(), "a.registering a.unregistering");  // its end goes the way back
}

TEST(ActionRun, an_error_of_any_hook_on_the_way_up_undoes_those_before_it) {
    //
    struct Case {
        const char* hook;
        const char* log;
    };
    for (const Case& one :
         {Case{"registering", "a.registering b.registering a.unregistering"},
          Case{"loading", "a.registering b.registering c.registering a.loading b.loading a.unloading"},
          Case{"activating", "a.activating b.activating a.deactivating"}}) {
        for (const bool throws : {false, true}) {
            SCOPED_TRACE(one.hook);
            FeatureGame game;
            Probe a("a"), b("b"), c("c");
            b.at = throws ? throw_at(one.hook) : fail_at(one.hook);
            auto process = game.process_run({&a, &b, &c});
            auto run = game.run({&a, &b, &c});
            Status status;
            if (one.hook == std::string("activating")) {
                status = run->activate();
            } else {
                status = process->registering();
                if (status) status = process->loading();
            }
            EXPECT_EQ(status.text(), fmt::format("feature tag, action 2 (probe), {}: {}", one.hook,
                                                 throws ? "it threw: malice" : "no paint"));
            EXPECT_EQ(status.code(), throws ? StatusCode::Failed : StatusCode::NotFound);
            EXPECT_EQ(log(), one.log);
            EXPECT_FALSE(run->is_active());
        }
    }
}

TEST(ActionRun, what_is_kept_goes_newest_first_when_the_world_is_left) {
    //
    FeatureGame game;
    Probe a("a"), b("b");
    a.at = [](const std::string& hook, ActionContext& context) {
        if (hook == "activating") keep(context, {"1", "2", "3"});
        if (hook == "activated") keep(context, {"6"});
        return Status::ok();
    };
    b.at = at_hook("activating", [](ActionContext& context) { return keep(context, {"4", "5"}), Status::ok(); });
    auto run = game.run({&a, &b});
    EXPECT_TRUE(run->activate().is_ok());
    run->activated();
    log();
    run->deactivate();
    EXPECT_EQ(log(), "b.deactivating a.deactivating");
    run->finish();
    EXPECT_EQ(log(), "drop 6 drop 5 drop 4 drop 3 drop 2 drop 1");
    run->finish();
    EXPECT_EQ(log(), "");
}

TEST(ActionRun, what_was_kept_before_a_failure_goes_too) {
    //
    FeatureGame game;
    Probe a("a"), b("b");
    a.at = at_hook("activating", [](ActionContext& context) { return keep(context, {"1", "2"}), Status::ok(); });
    b.at = at_hook("activating", [](ActionContext& context) {
        keep(context, {"3"});
        return Status::failed("no");
    });
    EXPECT_FALSE(game.run({&a, &b})->activate().is_ok());
    EXPECT_EQ(log(), "a.activating b.activating drop 3 a.deactivating drop 2 drop 1");
}

TEST(ActionRun, what_was_kept_in_loading_goes_at_unloading_and_the_rest_at_unregistering) {
    //
    FeatureGame game;
    Probe a("a");
    a.at = [](const std::string& hook, ActionContext& context) {
        if (hook == "registering") keep(context, {"name"});
        if (hook == "loading") keep(context, {"sound"});
        return Status::ok();
    };
    auto process = game.process_run({&a});
    EXPECT_TRUE(process->registering().is_ok());
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(process->loading().is_ok());
        log();
        process->unloading();
        EXPECT_EQ(log(), "a.unloading drop sound");
    }
    process->unregistering();
    EXPECT_EQ(log(), "a.unregistering drop name");
}

TEST(ActionRun, nobody_keeps_more_than_there_is_room_for) {
    //
    FeatureGame game;
    Probe a("a");
    a.at = at_hook("activating", [](ActionContext& context) {
        for (std::size_t i = 0; i <= detail::ActionMemory::kMaxKept; ++i) context.keep(1);
        return Status::ok();
    });
    EXPECT_EQ(game.run({&a})->activate().code(), StatusCode::Capacity);
}

struct Score {
    Score() { ++alive; }
    Score(const Score&) { ++alive; }
    ~Score() {
        --alive;
        report("score gone", nullptr);
    }
    int points = 0;
    static inline int alive = 0;
};

TEST(ActionRun, every_world_has_its_own_state_until_it_is_left) {
    //
    FeatureGame game;
    GameInstance second(game.runtime);
    World& other = second.open_world({.name = Name("other")});
    Probe a("a");
    int last = 0;
    a.at = [&](const std::string& hook, ActionContext& context) {
        if (hook == "activating") context.keep(Kept("k"));
        last = ++context.state<Score>().points;
        return Status::ok();
    };
    auto one = game.run({&a});
    auto two = std::make_unique<ActionRun>(game.services, game.subject(), game.items({&a}), &other);
    EXPECT_TRUE(one->activate().is_ok());
    one->activated();
    EXPECT_EQ(last, 2);
    EXPECT_TRUE(two->activate().is_ok());
    EXPECT_EQ(last, 1);
    EXPECT_EQ(Score::alive, 2);
    log();
    one->deactivate();
    EXPECT_EQ(last, 3);
    EXPECT_EQ(Score::alive, 2);
    one->finish();
    EXPECT_EQ(log(), "a.deactivating drop k score gone");
    EXPECT_EQ(Score::alive, 1);
    EXPECT_TRUE(one->activate().is_ok());
    EXPECT_EQ(last, 1);
    one.reset();
    two.reset();
    EXPECT_EQ(Score::alive, 0);
}

TEST(ActionRun, a_second_activation_is_refused_and_the_first_stays) {
    //
    FeatureGame game;
    Probe a("a");
    a.at = at_hook("activating", [](ActionContext& context) { return keep(context, {"1"}), Status::ok(); });
    auto run = game.run({&a});
    EXPECT_TRUE(run->activate().is_ok());
    const Status again = run->activate();
    EXPECT_EQ(again.to_string(), "already exists: feature tag is already active in world arena (Standalone)");
    EXPECT_TRUE(run->is_active());
    EXPECT_EQ(log(), "a.activating");
    run->deactivate();
    EXPECT_EQ(run->activate().code(), StatusCode::Refused);
    run->finish();
    EXPECT_EQ(log(), "a.deactivating drop 1");
}

TEST(ActionRun, an_optional_action_that_fails_is_reported_and_left_out) {
    //
    FeatureGame game;
    Probe a("a"), b("b"), c("c");
    b.need = ActionNeed::Optional;
    b.at = at_hook("activating", [](ActionContext& context) {
        keep(context, {"1"});
        context.state<Score>();
        return Status::failed("no paint");
    });
    auto run = game.run({&a, &b, &c});
    EXPECT_TRUE(run->activate().is_ok());
    EXPECT_EQ(log(), "a.activating b.activating drop 1 score gone c.activating");
    EXPECT_EQ(game.reports("feature.action"), 1u);
    EXPECT_EQ(game.last_report(),
              "action 2 (probe), activating in world arena (Standalone): no paint; it is optional and left out");
    EXPECT_EQ(run->usable().size(), 2u);
    run->activated();
    run->finish();
    EXPECT_EQ(log(), "a.activated c.activated c.deactivating a.deactivating");
}

TEST(ActionRun, an_optional_action_that_cannot_be_registered_is_not_loaded) {
    //
    FeatureGame game;
    Probe a("a"), b("b");
    a.need = b.need = ActionNeed::Optional;
    a.at = fail_at("registering");
    b.at = fail_at("loading");
    auto process = game.process_run({&a, &b});
    EXPECT_TRUE(process->registering().is_ok());
    EXPECT_TRUE(process->loading().is_ok());
    process->finish();
    EXPECT_EQ(log(), "a.registering b.registering b.loading b.unregistering");
}

TEST(ActionRun, what_hooks_without_an_answer_throw_is_reported_and_the_others_go_on) {
    //
    for (const char* hook : {"activated", "deactivating"}) {
        FeatureGame game;
        Probe a("a"), b("b"), c("c");
        b.at = throw_at(hook);
        auto run = game.run({&a, &b, &c});
        EXPECT_TRUE(run->activate().is_ok());
        run->activated();
        run->deactivate();
        EXPECT_EQ(times(fmt::format("a.{}", hook)) + times(fmt::format("c.{}", hook)), 2u);
        EXPECT_EQ(game.reports("feature.action"), 1u);
        EXPECT_EQ(game.last_report(),
                  fmt::format("action 2 (probe), {} in world arena (Standalone): it threw: malice", hook));
    }
}

TEST(ActionRun, hooks_run_for_their_feature_and_inside_the_world) {
    // A-01, F-31
    FeatureGame game;
    Probe a("a");
    a.at = [&](const std::string& hook, ActionContext& context) {
        EXPECT_EQ(Owner::current(), FeatureGame::owner());
        EXPECT_EQ(context.feature(), Name("tag"));
        EXPECT_EQ(context.who(), "feature tag");
        EXPECT_EQ(context.where(), "feature tag, action 1 (probe)");
        EXPECT_EQ(context.index(), 0u);
        EXPECT_EQ(&context.runtime(), &game.runtime);
        EXPECT_EQ(&context.assets(), &game.assets);
        EXPECT_EQ(&context.code(), &game.code);
        const bool is_of_world = hook.find("activ") != std::string::npos;
        EXPECT_EQ(context.find_world(), is_of_world ? &game.world() : nullptr) << hook;
        EXPECT_EQ(game.world().is_in_callback(), is_of_world);
        return Status::ok();
    };
    auto process = game.process_run({&a});
    EXPECT_TRUE(process->registering().is_ok() && process->loading().is_ok());
    auto run = game.run({&a});
    EXPECT_TRUE(run->activate().is_ok());
    run->activated();
    run.reset();
    process.reset();
    EXPECT_EQ(stage().log.size(), 7u);
    EXPECT_EQ(Owner::current(), Owner::process());
}

TEST(ActionRun, every_application_is_in_the_trace) {
    //
    FeatureGame game({.name = Name("arena"), .net_mode = NetMode::ListenServer});
    game.runtime.trace().set_level(TraceLevel::Events);
    Probe a("a"), b("b");
    b.at = fail_at("activating");
    b.need = ActionNeed::Optional;
    EXPECT_TRUE(game.process_run({&a})->registering().is_ok());
    EXPECT_TRUE(game.run({&a, &b})->activate().is_ok());
    std::vector<std::string> lines;
    for (const TraceLine& line : game.runtime.trace().lines())
        if (line.kind == Name("feature.action"))
            lines.push_back(fmt::format("{}|{}|{}", line.side, line.subject, line.detail));
    EXPECT_EQ(lines,
              (std::vector<std::string>{
                  "process|feature tag|action 1 (probe) registering in the process: ok",
                  "process|feature tag|action 1 (probe) unregistering in the process: ok",
                  "arena|feature tag|action 1 (probe) activating in world arena (ListenServer): ok",
                  "arena|feature tag|action 2 (probe) activating in world arena (ListenServer): not found: no paint",
                  "arena|feature tag|action 1 (probe) deactivating in world arena (ListenServer): ok",
              }));
}

TEST(ActionRun, every_hook_that_ran_has_a_span) {
    // F-72
    FeatureGame game;
    Probe a("a"), b("b");
    b.at = at_hook("activated", [](ActionContext& context) {
        context.find_world()->timers().after(60, [] {});
        return Status::ok();
    });
    auto run = game.run({&a, &b});
    for (int i = 0; i < 2; ++i) {
        game.clock.advance(500);
        EXPECT_TRUE(run->activate().is_ok());
        run->activated();
        run->finish();
        std::vector<std::string> places;
        for (const HookSpan& span : run->spans()) {
            places.push_back(run->place_of(span));
            const auto timer = game.world().timers().list(FeatureGame::owner()).back().registered;
            EXPECT_EQ(span.first <= timer && timer < span.last, places.back() == "action 2 (probe), activated");
            EXPECT_EQ(span.at_us, game.clock.now_us());
        }
        EXPECT_EQ(places,
                  (std::vector<std::string>{"action 1 (probe), activating", "action 2 (probe), activating",
                                            "action 1 (probe), activated", "action 2 (probe), activated",
                                            "action 2 (probe), deactivating", "action 1 (probe), deactivating"}));
    }
}

TEST(ActionRun, every_world_and_the_process_have_a_key) {
    // F-31
    FeatureGame game;
    Probe a("a");
    std::vector<ContextKey> keys;
    a.at = [&](const std::string&, ActionContext& context) { return keys.push_back(context.key()), Status::ok(); };
    EXPECT_TRUE(game.process_run({&a})->registering().is_ok());
    EXPECT_TRUE(game.run({&a})->activate().is_ok());
    game.instance.open_world({.name = Name("arena")});  // may have the same address
    EXPECT_TRUE(game.run({&a})->activate().is_ok());
    ASSERT_EQ(keys.size(), 6u);
    EXPECT_EQ(keys[0], ContextKey());
    EXPECT_EQ(keys[2], keys[3]);
    EXPECT_NE(keys[2], keys[4]);
    EXPECT_EQ((std::unordered_set<ContextKey>(keys.begin(), keys.end()).size()), 3u);
}

// Pausing.

struct Pausing : ::testing::Test {
    Pausing() {
        for (Probe* probe : {&a, &b})
            probe->at_leaving = [this, probe](DeactivatingContext& context) {
                tokens.push_back(context.pause_until_done("fade " + probe->id));
            };
    }
    void leave() {
        EXPECT_TRUE(run->activate().is_ok());
        run->on_resumed([this] { ++resumed; });
        run->deactivate();
    }
    FeatureGame game;
    Probe a{"a"}, b{"b"};
    std::vector<PauseToken> tokens;
    std::unique_ptr<ActionRun> run = game.run({&a, &b});
    int resumed = 0;
};

TEST_F(Pausing, nobody_who_pauses_is_nobody_who_is_waited_for) {
    // E-80, F-30
    a.at_leaving = b.at_leaving = nullptr;
    leave();
    EXPECT_FALSE(run->is_paused());
    run->finish();
    EXPECT_EQ(resumed, 0);
}

TEST_F(Pausing, leaving_goes_on_when_the_last_is_done) {
    // E-80, F-30
    game.clock.advance(300);
    leave();
    EXPECT_TRUE(run->is_paused());
    const auto pausers = run->pausers();
    ASSERT_EQ(pausers.size(), 2u);
    EXPECT_EQ(pausers[0].name, "fade b");
    EXPECT_EQ(pausers[0].place, "action 2 (probe)");
    EXPECT_EQ(pausers[0].since_us, 300);
    tokens[0].done();
    tokens[0].done();
    EXPECT_EQ(resumed, 0);
    tokens.pop_back();  // dropping is being done
    EXPECT_EQ(resumed, 1);
    EXPECT_FALSE(run->is_paused());
    tokens.clear();
    EXPECT_EQ(resumed, 1);
}

TEST_F(Pausing, one_that_is_done_inside_its_hook_does_not_end_the_wait_early) {
    // E-80, F-30
    b.at_leaving = [](DeactivatingContext& context) { context.pause_until_done("short").done(); };
    leave();
    EXPECT_TRUE(run->is_paused());
    EXPECT_EQ(resumed, 0);
    tokens.clear();
    EXPECT_EQ(resumed, 1);
}

TEST_F(Pausing, all_done_inside_their_hooks_is_no_pause) {
    // E-80, F-30
    a.at_leaving = b.at_leaving = [](DeactivatingContext& context) { context.pause_until_done("short").done(); };
    leave();
    EXPECT_FALSE(run->is_paused());
    EXPECT_EQ(resumed, 0);
}

TEST_F(Pausing, finishing_waits_for_nobody) {
    // F-30
    leave();
    run->finish();
    EXPECT_FALSE(run->is_paused());
    tokens.clear();
    EXPECT_EQ(resumed, 0);
    EXPECT_TRUE(run->activate().is_ok());
}

TEST_F(Pausing, tokens_may_outlive_the_run) {
    // E-80
    leave();
    run.reset();
    tokens[0].done();
    tokens.clear();
    EXPECT_EQ(resumed, 0);
}

TEST_F(Pausing, who_is_told_may_destroy_the_run_under_the_owner_that_asked) {
    // E-80, F-30
    EXPECT_TRUE(run->activate().is_ok());
    {
        const OwnerScope as(Owner::feature(Name("asks"), 1));
        run->on_resumed([this] {
            EXPECT_EQ(Owner::current(), Owner::feature(Name("asks"), 1));
            ++resumed;
            run.reset();
        });
    }
    run->deactivate();
    tokens.clear();
    EXPECT_EQ(resumed, 1);
    EXPECT_EQ(run, nullptr);
}

TEST_F(Pausing, a_token_that_another_takes_the_place_of_is_done) {
    // E-80
    leave();
    tokens[0] = std::move(tokens[1]);
    EXPECT_EQ(run->pausers().size(), 1u);
    EXPECT_EQ(run->pausers()[0].name, "fade a");
    tokens[0] = PauseToken();
    EXPECT_EQ(resumed, 1);
}

TEST_F(Pausing, whoever_pauses_while_a_failure_is_undone_is_not_waited_for) {
    // F-30
    b.at = fail_at("activating");
    EXPECT_FALSE(run->activate().is_ok());
    EXPECT_EQ(tokens.size(), 1u);
    EXPECT_TRUE(run->pausers().empty());
    b.at = nullptr;
    EXPECT_TRUE(run->activate().is_ok());
}

TEST_F(Pausing, no_more_are_waited_for_than_there_is_room_for) {
    // F-30
    b.at_leaving = [this](DeactivatingContext& context) {
        for (std::size_t i = 0; i < ActionRun::kMaxPausers + 5; ++i) tokens.push_back(context.pause_until_done("many"));
    };
    leave();
    EXPECT_EQ(run->pausers().size(), ActionRun::kMaxPausers);
    EXPECT_EQ(game.reports("feature.action"), 6u);
    tokens.clear();
    EXPECT_EQ(resumed, 1);
}

// Worlds that go.

TEST(ActionRun, a_world_that_has_ended_is_not_entered) {
    //
    FeatureGame game;
    Probe a("a");
    auto run = game.run({&a});
    game.world().end();
    const Status status = run->activate();
    EXPECT_EQ(status.code(), StatusCode::Cancelled);
    EXPECT_EQ(status.text(), "feature tag, activating: world arena (Standalone) has ended");
    EXPECT_EQ(log(), "");
}

TEST(ActionRun, a_world_may_go_before_the_run_is_finished) {
    // A-03, F-31
    FeatureGame game;
    Probe a("a");
    a.at = at_hook("activating", [](ActionContext& context) { return keep(context, {"1"}), Status::ok(); });
    auto run = game.run({&a});
    EXPECT_TRUE(run->activate().is_ok());
    EXPECT_EQ(run->world(), &game.world());
    game.instance.close_world();
    EXPECT_EQ(run->world(), nullptr);
    run->deactivate();
    run->finish();
    EXPECT_EQ(log(), "a.activating drop 1");
    game.instance.open_world({});  // in the same place
    EXPECT_EQ(run->world(), nullptr);
    EXPECT_EQ(run->activate().code(), StatusCode::Cancelled);
}

// The n-th callback does X, for every n and X: all that came up has gone in the end, and nobody is told twice.

struct Play {
    Play() : a("a"), b("b"), c("c") {
        for (Probe* probe : {&a, &b, &c}) {
            probe->at = [this, probe](const std::string& hook, ActionContext& context) {
                int& is_up = up[probe->id];
                EXPECT_EQ(is_up, hook == "activating" ? 0 : 1) << probe->id << "." << hook;
                context.keep(Kept(probe->id));
                ++kept;
                context.state<Score>();
                if (hook == "deactivating") is_up = 0;
                const Status status = act(hook);
                if (hook == "activating" && status) is_up = 1;
                return status;
            };
            probe->at_leaving = [this](DeactivatingContext& context) {
                tokens.push_back(context.pause_until_done("one"));
            };
        }
        b.need = ActionNeed::Optional;
        game.world().begin_play();
        for (int i = 0; i < 3; ++i) game.spawn<framework::Hero>();
        run = game.run({&a, &b, &c});
        stage().at = [this](const std::string& point, Object*) {
            if (point.rfind("drop", 0) == 0) act(point).ignore();
        };
    }
    Status act(const std::string& point) {
        if (++count != when) return Status::ok();
        return deed(*this, point);
    }
    void play() {
        run->on_resumed([this] { ++resumed; });
        if (run->activate()) {
            run->activated();
            run->deactivate();
        }
        tokens.clear();
        EXPECT_LE(resumed, 1);
        run->finish();
        EXPECT_FALSE(run->is_active());
        EXPECT_FALSE(run->is_paused());
        for (const auto& [id, is_up] : up) EXPECT_EQ(is_up, 0) << id;
        EXPECT_EQ(kept, std::count_if(stage().log.begin(), stage().log.end(),
                                      [](auto& line) { return line.rfind("drop", 0) == 0; }));
        EXPECT_EQ(Score::alive, 0);
        stage().at = nullptr;
    }

    FeatureGame game;
    Probe a, b, c;
    std::map<std::string, int> up;
    std::vector<PauseToken> tokens;
    std::unique_ptr<ActionRun> run;
    int count = 0, when = 0, resumed = 0, kept = 0;
    std::function<Status(Play&, const std::string&)> deed;
};

const std::vector<std::pair<const char*, std::function<Status(Play&, const std::string&)>>> kDeeds = {
    {"fails", [](Play&, const std::string&) { return Status::failed("no"); }},
    {"throws",
     [](Play&, const std::string& point) {
         return point.rfind("drop", 0) == 0 ? Status::ok() : throw Malice();  // a destructor does not throw
     }},
    {"destroys the actors",
     [](Play& play, const std::string&) {
         for (ActorId id : play.game.world().actors()) play.game.world().destroy(id);
         return Status::ok();
     }},
    {"ends the world", [](Play& play, const std::string&) { return play.game.world().end(), Status::ok(); }},
    {"deactivates", [](Play& play, const std::string&) { return play.run->deactivate(), Status::ok(); }},
    {"finishes", [](Play& play, const std::string&) { return play.run->finish(), Status::ok(); }},
    {"finishes and fails", [](Play& play, const std::string&) { return play.run->finish(), Status::failed("no"); }},
    {"activates again",
     [](Play& play, const std::string&) {
         EXPECT_FALSE(play.run->activate().is_ok());
         return Status::ok();
     }},
    {"says it is activated", [](Play& play, const std::string&) { return play.run->activated(), Status::ok(); }},
    {"drops the tokens",
     [](Play& play, const std::string&) {
         auto gone = std::move(play.tokens);
         play.tokens.clear();
         return Status::ok();
     }},
    {"closes the world", [](Play& play, const std::string&) { return play.game.instance.close_world(), Status::ok(); }},
};

TEST(ActionRun, any_hook_and_anything_that_is_dropped_may_do_anything) {
    // F-30
    for (const auto& [name, deed] : kDeeds) {
        bool reached = true;
        for (int n = 1; reached && !::testing::Test::HasFailure(); ++n) {
            SCOPED_TRACE(fmt::format("callback {} {}", n, name));
            Play play;
            play.when = n;
            play.deed = deed;
            play.play();
            reached = play.count >= n;
        }
    }
}

}  // namespace action_run_test
}  // namespace lyre::features
