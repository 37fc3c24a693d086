// What is said when an experience is loaded, and when play may start.
#include "lyre/core/subscriptions.h"

#include "tests/allocations.h"
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_loaded_test {

using Said = std::vector<std::string>;

struct HostLoaded : testing::Test {
    HostLoaded() {
        house.experience("tag", "title = \"Tag\"\n" + note("a"));
        house.experience("chess", note("c"));
        stage = &house.stage();
    }
    Host& host() { return stage->host(); }
    void load(std::string_view id = "tag") {
        EXPECT_TRUE(host().set_experience(id).is_ok());
        house.settle(10);
    }
    CallbackHandle on(Priority priority, std::string name, Repeat repeat = Repeat::Once) {
        return host().call_or_register_on_experience_loaded(
            priority, {}, [this, name](const ExperienceDefinition&) { said.push_back(name); }, repeat);
    }
    Playhouse house;
    Stage* stage;
    Said said;
};

TEST_F(HostLoaded, callbacks_come_high_normal_low_and_once_unless_each_load_is_wished) {
    // E-54, E-55, E-58
    std::vector<CallbackHandle> handles;
    for (int i = 0; i < 50; ++i) handles.push_back(on(Priority::Low, fmt::format("low {}", i)));
    handles.push_back(on(Priority::Normal, "normal"));
    handles.push_back(host().call_or_register_on_experience_loaded(
        Priority::High, {},
        [&](const ExperienceDefinition& definition) {
            EXPECT_EQ(host().state(), LoadState::Loaded);
            EXPECT_EQ(definition.title, "Tag");
            ASSERT_TRUE(host().current_experience().is_ok());
            EXPECT_EQ((*host().current_experience())->title, "Tag");
            said.push_back("high");
        },
        Repeat::EachLoad));
    load();
    Said expected{"high", "normal"};
    for (int i = 0; i < 50; ++i) expected.push_back(fmt::format("low {}", i));
    EXPECT_EQ(said, expected);
    said.clear();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.experience("tag", "title = \"Tag\"\n" + note("a"));
    load();
    EXPECT_EQ(said, (Said{"high"}));
}

TEST_F(HostLoaded, the_definition_is_that_of_the_file_as_it_was_when_it_was_loaded) {
    // E-01, E-62
    const assets::PrimaryAssetId tag{Name("experience"), Name("tag")};
    house.experience("tag", "title = \"Tag\"\n" + note("a"));
    load();
    const ExperienceDefinition* definition = *host().current_experience();
    EXPECT_EQ(definition, house.assets().find<ExperienceDefinition>(tag)) << "shared with the assets, no copy";
    EXPECT_EQ(definition->actions[0].type(), nullptr) << "nothing in it is of a type that a feature could bring";
    house.experience("tag", "title = \"Other\"\n" + note("a"));
    house.assets().look_for_changes();
    house.settle();
    EXPECT_EQ(house.assets().find<ExperienceDefinition>(tag)->title, "Other");
    EXPECT_EQ((*host().current_experience())->title, "Tag") << "until it is loaded again";
    EXPECT_TRUE(host().set_experience("tag", {.reload = true}).is_ok());
    house.settle();
    EXPECT_EQ((*host().current_experience())->title, "Other");
}

TEST_F(HostLoaded, who_comes_late_is_called_at_once_also_inside_the_broadcast) {
    // E-56, E-57
    std::vector<CallbackHandle> handles;
    handles.push_back(host().call_or_register_on_experience_loaded(Priority::High, {}, [&](const auto&) {
        said.push_back("high");
        for (Priority level : {Priority::Low, Priority::Normal, Priority::High}) {
            handles.push_back(on(level, fmt::format("nested {}", to_string(level))));
            EXPECT_FALSE(handles.back().is_registered());
        }
    }));
    handles.push_back(on(Priority::High, "second high"));
    handles.push_back(on(Priority::Low, "low"));
    load();
    EXPECT_EQ(said, (Said{"high", "nested Low", "nested Normal", "nested High", "second high", "low"}));
    said.clear();
    handles.push_back(on(Priority::Low, "late"));
    EXPECT_EQ(said, (Said{"late"}));
    EXPECT_FALSE(handles.back().is_registered());
    handles.push_back(on(Priority::Low, "each", Repeat::EachLoad));
    EXPECT_EQ(said, (Said{"late", "each"}));
    EXPECT_TRUE(handles.back().is_registered());
}

TEST_F(HostLoaded, handles_and_owners_end_a_registration) {
    // E-59, X-41
    auto owner = std::make_shared<int>(1);
    const auto spawned = stage->world().spawn<BareState>();
    std::vector<CallbackHandle> handles;
    CallbackHandle dropped = on(Priority::Low, "dropped");
    CallbackHandle dropped_inside = on(Priority::Low, "dropped inside");
    CallbackHandle own;
    own = host().call_or_register_on_experience_loaded(Priority::High, {}, [&](const auto&) {
        said.push_back("high");
        own.reset();
        dropped_inside.reset();
        owner.reset();
        stage->world().destroy(*spawned);
    });
    handles.push_back(host().call_or_register_on_experience_loaded(Priority::Low, std::weak_ptr<int>(owner),
                                                                   [&](const auto&) { said.push_back("object"); }));
    handles.push_back(host().call_or_register_on_experience_loaded(Priority::Low, *stage->world().find(*spawned),
                                                                   [&](const auto&) { said.push_back("actor"); }));
    dropped.reset();
    load();
    EXPECT_EQ(said, (Said{"high"}));
    // The other registrations: a failure, the start of play, a wait, a ticket.
    said.clear();
    owner = std::make_shared<int>(1);
    const auto say = [&](std::string what) { return [this, what](const auto&...) { said.push_back(what); }; };
    EXPECT_TRUE(host().clear_experience("").is_ok());
    handles.push_back(host().call_or_register_on_experience_failed(std::weak_ptr<int>(owner), say("failed")));
    handles.push_back(host().call_when_play_may_start(Priority::High, std::weak_ptr<int>(owner), say("play")));
    CallbackHandle wait = host().wait_for_experience_ready(say("ready"), std::weak_ptr<int>(owner));
    CallbackHandle given_up = host().wait_for_experience_ready(say("given up"));
    CallbackHandle failed = host().call_or_register_on_experience_failed({}, say("failed"));
    CallbackHandle play = host().call_when_play_may_start(Priority::High, {}, say("play"));
    auto ticket = host().set_experience("tag");
    CallbackHandle ended = ticket->on_end(std::weak_ptr<int>(owner), say("ended"));
    CallbackHandle ended_too = ticket->on_end({}, say("ended"));
    owner.reset();
    given_up.reset();
    failed.reset();
    play.reset();
    ended_too.reset();
    EXPECT_FALSE(wait.is_registered());
    house.settle(10);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(said, Said{});
}

TEST_F(HostLoaded, what_a_callback_throws_is_reported_and_the_next_is_called) {
    CallbackHandle throws = host().call_or_register_on_experience_loaded(
        Priority::High, {}, [](const auto&) { throw std::runtime_error("on purpose"); });
    CallbackHandle next = on(Priority::High, "next");
    load();
    EXPECT_EQ(said, (Said{"next"}));
    EXPECT_EQ(house.reports("experience.callback"), 1u);
}

TEST_F(HostLoaded, a_clear_inside_the_broadcast_leaves_the_rest_for_the_next_load) {
    // E-104
    bool clears = true;
    CallbackHandle high = host().call_or_register_on_experience_loaded(
        Priority::High, {},
        [&](const auto&) {
            said.push_back("high");
            const std::uint32_t before = host().generation();
            if (std::exchange(clears, false)) {
                EXPECT_TRUE(host().clear_experience("inside").is_ok());
                EXPECT_EQ(host().generation(), before + 1);  // at once
                EXPECT_FALSE(host().is_experience_loaded());
                EXPECT_EQ(host().state(), LoadState::Loaded);  // until the step returns
            }
        },
        Repeat::EachLoad);
    CallbackHandle normal = on(Priority::Normal, "normal"), low = on(Priority::Low, "low");
    load();
    EXPECT_EQ(said, (Said{"high"}));
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    load();
    EXPECT_EQ(said, (Said{"high", "high", "normal", "low"}));
}

TEST_F(HostLoaded, a_set_inside_a_hook_begins_when_the_hook_returns) {
    // E-104, E-107
    story().at = [&](const std::string& line, features::ActionContext*) {
        if (line == "tag.a.activating(arena)") {
            EXPECT_TRUE(host().set_experience("chess").is_ok());
            EXPECT_EQ(host().state(), LoadState::ExecutingActions);
        }
        return Status::ok();
    };
    load();
    EXPECT_EQ(host().experience_id().to_string(), "experience:chess");
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(house.trace("arena"), "Loading ExecutingActions Loading Deactivating ExecutingActions Loaded");
    EXPECT_EQ(house.log(),
              "tag.a.registering tag.a.loading tag.a.activating(arena) tag.a.deactivating(arena) tag.a.unloading "
              "tag.a.unregistering chess.c.registering chess.c.loading chess.c.activating(arena) "
              "chess.c.activated(arena)");
}

TEST_F(HostLoaded, hosts_that_set_each_other_without_end_are_stopped_for_the_frame) {
    // E-104
    CallbackHandle endless = host().call_or_register_on_experience_loaded(
        Priority::High, {},
        [&](const auto&) {
            const bool is_tag = host().experience_id().name == Name("tag");
            EXPECT_TRUE(host().set_experience(is_tag ? "chess" : "tag").is_ok());
        },
        Repeat::EachLoad);
    const assets::PrimaryAssetId ids[] = {{Name("experience"), Name("tag")}, {Name("experience"), Name("chess")}};
    const assets::LoadHandle keeps = house.assets().load_assets(ids);
    house.frames(5);
    EXPECT_TRUE(host().set_experience("tag").is_ok());
    house.experiences().update();
    EXPECT_EQ(house.reports("experience.restless"), 1u);
    endless.reset();
    house.settle(10);
    EXPECT_TRUE(host().is_experience_loaded());
}

TEST_F(HostLoaded, questions_answer_in_every_state) {
    // E-62, E-63
    std::map<LoadState, int> seen;
    const auto look = [&] {
        ++seen[host().state()];
        const bool is_loaded = host().state() == LoadState::Loaded;
        EXPECT_EQ(host().is_experience_loaded(), is_loaded);
        const auto current = host().current_experience();
        EXPECT_EQ(current.is_ok(), is_loaded);
        if (!is_loaded) {
            EXPECT_NE(current.status().text().find(to_string(host().state())), std::string::npos);
        }
        EXPECT_EQ(host().loading_screen_reason().text.empty(), is_loaded);
        EXPECT_EQ(host().loading_screen_reason().is_final, host().state() == LoadState::Failed);
        EXPECT_EQ(host().progress() == 1.0f, is_loaded);
        EXPECT_FALSE(host().explain_loading().to_text().empty());
    };
    house.thing("slow");
    house.feature("ball", features::note_action("n", "asset = \"slow\""));
    house.experience("all", "features = [\"ball\"]\n" + note("x", "pauses = true"));
    EXPECT_TRUE(house.runtime()
                    .variables()
                    .set("lyre.chaos.ExperienceDelayLoad.MinSecs", "0.2", {VariableSource::CommandLine, "test"})
                    .is_ok());
    house.inner.executor.hold("slow");
    story().at = [&](const std::string& line, features::ActionContext*) {
        if (line == "all.x.activating(arena)") look();
        return Status::ok();
    };
    look();
    EXPECT_TRUE(host().set_experience("all").is_ok());
    for (int i = 0; i < 40; ++i) {
        look();
        house.frame();
        if (i == 10) house.inner.executor.release("slow");
    }
    look();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    look();
    story().tokens.clear();
    house.settle(5);
    house.experience("bad", note("b", "fails = \"activating\""));
    EXPECT_TRUE(host().set_experience("bad").is_ok());
    house.settle(30);
    look();
    EXPECT_NE(host().loading_screen_reason().text.find("ActionFailed"), std::string::npos);
    EXPECT_EQ(seen.size(), kLoadStates);
}

TEST_F(HostLoaded, waiters_are_answered_once_in_each_case) {
    // E-64
    const auto answer = [this](std::string name) {
        return [this, name](const ReadyResult& result) {
            constexpr std::string_view kKinds[] = {"ready", "failed", "ended"};
            said.push_back(fmt::format("{} {}", name, kKinds[static_cast<int>(result.kind)]));
        };
    };
    GameInstance game(house.runtime());
    house.experiences().add_game(game);
    World& early = game.open_world({.name = Name("early")});
    CallbackHandle no_host = house.experiences().wait_for_experience_ready(early, answer("no host"));
    CallbackHandle never = house.experiences().wait_for_experience_ready(early, answer("given up"));
    never.reset();
    CallbackHandle loading = host().wait_for_experience_ready(answer("loading"));
    CallbackHandle normal = on(Priority::Normal, "normal"), low = on(Priority::Low, "low");
    load();
    EXPECT_EQ(said, (Said{"normal", "loading ready", "low"}));
    said.clear();
    CallbackHandle late = host().wait_for_experience_ready(answer("late"));
    EXPECT_TRUE(late.is_registered());
    EXPECT_EQ(said, Said{});
    house.frame();
    EXPECT_EQ(said, (Said{"late ready"}));
    said.clear();
    const auto made = early.spawn<StageState>();
    early.begin_play();
    ASSERT_TRUE(made.is_ok());
    EXPECT_TRUE(early.find(*made)->find<Host>()->set_experience("tag").is_ok());
    house.settle(10);
    EXPECT_EQ(said, (Said{"no host ready"}));
    said.clear();
    house.experience("bad", note("b", "fails = \"activating\""));
    EXPECT_TRUE(host().clear_experience("").is_ok());
    CallbackHandle fails = host().wait_for_experience_ready(answer("bad"));
    load("bad");
    EXPECT_EQ(said, (Said{"bad failed"}));
    said.clear();
    CallbackHandle after = host().wait_for_experience_ready(answer("after"));
    house.frame();
    EXPECT_EQ(said, (Said{"after failed"}));
    said.clear();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    CallbackHandle ends = host().wait_for_experience_ready(answer("world"));
    stage->end();
    EXPECT_EQ(said, (Said{"world ended"}));
    said.clear();
    early.end();
    CallbackHandle gone = house.experiences().wait_for_experience_ready(early, answer("gone"));
    EXPECT_EQ(said, (Said{"gone ended"}));
}

TEST_F(HostLoaded, one_more_than_may_wait_is_refused_and_its_handle_says_so) {
    // E-64
    GameInstance game(house.runtime());
    house.experiences().add_game(game);
    for (World* world : {&game.open_world({.name = Name("early")}), &stage->world()}) {
        std::vector<CallbackHandle> handles;
        int answers = 0;
        const auto wait = [&] {
            return house.experiences().wait_for_experience_ready(*world, [&](const ReadyResult&) { ++answers; });
        };
        for (std::size_t i = 0; i < kMaxRegistrations; ++i) handles.push_back(wait());
        EXPECT_TRUE(handles.back().is_registered());
        const CallbackHandle more = wait();
        EXPECT_EQ(more.status().code(), StatusCode::Capacity);
        EXPECT_FALSE(more.is_registered());
        handles.clear();
        EXPECT_TRUE(wait().is_registered());
        EXPECT_EQ(answers, 0);
    }
}

TEST_F(HostLoaded, a_frame_in_which_the_start_of_play_is_held_asks_for_no_memory) {
    //
    const PlayStartHold hold = *host().hold_play_start("players", 100);
    load();
    EXPECT_FALSE(host().may_play_start());
    const std::size_t before = allocations();
    house.experiences().update();
    EXPECT_EQ(allocations() - before, 0u);
}

TEST_F(HostLoaded, play_may_start_at_once_unless_somebody_holds_it) {
    //
    std::vector<CallbackHandle> handles;
    const auto register_all = [&] {
        handles.clear();
        for (Priority level : {Priority::Low, Priority::High, Priority::Normal}) {
            handles.push_back(on(level, fmt::format("loaded {}", to_string(level))));
            handles.push_back(host().call_when_play_may_start(
                level, {}, [this, level] { said.push_back(fmt::format("play {}", to_string(level))); }));
        }
    };
    register_all();
    load();
    EXPECT_EQ(said, (Said{"loaded High", "play High", "loaded Normal", "play Normal", "loaded Low", "play Low"}));
    EXPECT_TRUE(host().may_play_start());
    EXPECT_FALSE(host().hold_play_start("too late", 1).is_ok());
    said.clear();
    handles.push_back(host().call_when_play_may_start(Priority::Low, {}, [this] { said.push_back("at once"); }));
    EXPECT_EQ(said, (Said{"at once"}));

    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_FALSE(host().may_play_start());
    said.clear();
    register_all();
    auto restore = host().hold_play_start("restore", 0);
    auto slow = host().hold_play_start("slow", 2);
    ASSERT_TRUE(restore.is_ok() && slow.is_ok());
    load();
    EXPECT_EQ(said, (Said{"loaded High", "loaded Normal", "loaded Low"}));
    EXPECT_FALSE(host().may_play_start());
    EXPECT_EQ(host().explain_loading().holds.size(), 2u);
    EXPECT_NE(host().explain_loading().to_text().find("restore"), std::string::npos);
    said.clear();
    restore->release();
    house.frame();
    EXPECT_EQ(said, Said{});
    house.frame(2.1);
    EXPECT_EQ(said, (Said{"play High", "play Normal", "play Low"}));
    EXPECT_NE(house.last_report("experience.play_hold").find("slow"), std::string::npos);
    EXPECT_FALSE(slow->is_held());
}

TEST_F(HostLoaded, spans_of_a_load_nest_and_cover_it) {
    //
    house.feature("ball", features::note_action("n"));
    house.experience("all", "features = [\"ball\"]\n" + note("x") + note("y"));
    CallbackHandle high = on(Priority::High, "high");
    load("all");
    const Timeline& timeline = *host().timeline();
    const auto& spans = timeline.spans();
    ASSERT_FALSE(spans.empty());
    EXPECT_EQ(spans[0].kind, SpanKind::Load);
    std::int64_t end = spans[0].start_us;
    std::size_t stages = 0, hooks = 0, features = 0;
    for (const Span& span : spans) {
        EXPECT_FALSE(span.is_open());
        EXPECT_EQ(span.generation, 1u);
        if (span.parent != Span::kNoParent) {
            const Span& parent = spans[span.parent];
            EXPECT_GE(span.start_us, parent.start_us);
            EXPECT_LE(span.start_us + span.length_us, parent.start_us + parent.length_us);
        }
        hooks += span.kind == SpanKind::ActionHook ? 1 : 0;
        features += span.kind == SpanKind::Feature ? 1 : 0;
        if (span.kind != SpanKind::Stage) continue;
        EXPECT_EQ(span.start_us, end);  // without gaps
        end = span.start_us + span.length_us;
        ++stages;
    }
    EXPECT_EQ(end, spans[0].start_us + spans[0].length_us);
    EXPECT_EQ(stages, 4u);
    EXPECT_EQ(hooks, 2u * 4);  // registering, loading, activating, activated
    EXPECT_EQ(features, 1u);
    EXPECT_NE(timeline.to_json().find("traceEvents"), std::string::npos);
}

TEST_F(HostLoaded, a_hook_that_did_not_run_has_no_span) {
    //
    const std::pair<const char*, const char*> cases[] = {
        {"registering", "registering "},
        {"loading", "registering loading unregistering "},
        {"activating", "registering loading activating unloading unregistering "},
    };
    for (const auto& [hook, spans] : cases) {
        house.experience(hook, note(hook, fmt::format("fails = \"{}\"", hook)));
        ASSERT_TRUE(host().set_experience(hook).is_ok());
        house.settle(8);
        EXPECT_EQ(host().state(), LoadState::Failed);
        std::string timed, ran;
        for (const Span& span : host().timeline()->spans())
            if (const std::string_view id = host().timeline()->id_of(span); span.kind == SpanKind::ActionHook)
                timed += fmt::format("{} ", id.substr(id.rfind(": ") + 2));
        for (const std::string& line : story().lines) {
            const std::string step = line.substr(line.rfind('.') + 1);
            ran += step.substr(0, step.find('(')) + " ";
        }
        EXPECT_EQ(timed, spans);
        EXPECT_EQ(timed, ran);
        story().lines.clear();
    }
}

TEST_F(HostLoaded, every_hook_and_callback_has_a_span_and_every_way_has_an_end) {
    //
    house.experience("all", note("x"));
    house.experience("slow", note("y"));
    house.experience("bad", note("x") + note("z", "fails = \"activating\""));
    CallbackHandle high = on(Priority::High, "high");
    CallbackHandle low = on(Priority::Low, "low");
    const auto ids_of = [&](SpanKind kind) {
        std::string ids;
        for (const Span& span : host().timeline()->spans()) {
            EXPECT_FALSE(span.is_open()) << host().timeline()->id_of(span);
            const std::string_view id = host().timeline()->id_of(span);
            if (span.kind == kind)
                ids += fmt::format("{} ", id.substr(id.rfind(": ") == id.npos ? 0 : id.rfind(": ") + 2));
        }
        return ids;
    };
    load("all");
    EXPECT_EQ(ids_of(SpanKind::ActionHook), "registering loading activating activated ");
    const std::string callbacks = ids_of(SpanKind::Callback);
    EXPECT_NE(callbacks.find("High, once, by "), std::string::npos) << callbacks;
    EXPECT_NE(callbacks.find("Low, once, by "), std::string::npos) << callbacks;
    load("slow");
    EXPECT_EQ(ids_of(SpanKind::ActionHook),
              "deactivating unloading unregistering registering loading activating activated ");
    ASSERT_TRUE(host().set_experience("bad").is_ok());
    house.settle(8);
    EXPECT_EQ(host().state(), LoadState::Failed);
    EXPECT_NE(ids_of(SpanKind::ActionHook).find("unregistering"), std::string::npos);
    EXPECT_EQ(ids_of(SpanKind::Stage), "Loading Deactivating ExecutingActions Deactivating Failed ");
    load("all");
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(ids_of(SpanKind::ActionHook), "deactivating unloading unregistering ");
    EXPECT_EQ(ids_of(SpanKind::Leave).empty(), false);
    load("bad");
    ASSERT_EQ(host().state(), LoadState::Failed);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    ASSERT_EQ(host().state(), LoadState::Unloaded);
    EXPECT_EQ(ids_of(SpanKind::Stage), "Unloaded ");  // there was nothing left to leave
}

TEST_F(HostLoaded, whoever_is_told_has_a_span) {
    //
    house.experience("bad", note("z", "fails = \"activating\""));
    const auto callbacks = [&] {
        std::size_t count = 0;
        for (const Span& span : host().timeline()->spans()) {
            EXPECT_FALSE(span.is_open()) << host().timeline()->id_of(span);
            const bool is_call = host().timeline()->id_of(span).find("by ") != std::string_view::npos;
            count += span.kind == SpanKind::Callback && is_call ? 1 : 0;
        }
        return count;
    };
    auto hold = host().hold_play_start("restore", 0);
    ASSERT_TRUE(hold.is_ok());
    const auto ready = [](const ReadyResult&) {};
    const auto play = [&] { return host().call_when_play_may_start(Priority::Low, {}, [] {}); };
    const auto play_begins = play();
    const auto wait = host().wait_for_experience_ready(ready);
    auto ticket = host().set_experience("tag");
    const auto ended = ticket->on_end({}, [](const SetOutcome&) {});
    house.settle(8);
    ASSERT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(callbacks(), 2u);  // who waits, the ticket
    hold->release();
    house.frame();
    EXPECT_EQ(callbacks(), 3u);  // the start of play
    const auto late = host().wait_for_experience_ready(ready);
    house.frame();
    EXPECT_EQ(callbacks(), 4u);

    EXPECT_TRUE(host().clear_experience("").is_ok());
    const auto failed = host().call_or_register_on_experience_failed({}, [](const Cause&) {});
    const auto fails = host().wait_for_experience_ready(ready);
    load("bad");
    ASSERT_EQ(host().state(), LoadState::Failed);
    EXPECT_EQ(callbacks(), 2u);
}

TEST_F(HostLoaded, who_waits_is_in_the_ledger_of_its_feature_and_goes_with_it) {
    // E-64, X-41
    const Owner tag = Owner::feature(Name("tag_waits"), 3);
    GameInstance game(house.runtime());
    house.experiences().add_game(game);
    World& early = game.open_world({.name = Name("early")});
    int answers = 0;
    const auto wait_in = [&](World& world) {
        const OwnerScope as(tag);
        return house.experiences().wait_for_experience_ready(world, [&](const ReadyResult&) { ++answers; });
    };
    const auto no_host = wait_in(early), with_host = wait_in(stage->world());
    const auto theirs = subscriptions_of(tag);
    EXPECT_EQ(theirs.size(), 2u);
    for (const auto& one : theirs) {
        EXPECT_NE(one.place.find("host_loaded_test.cpp:"), std::string::npos) << one.place;
        EXPECT_TRUE(remove_subscription(one.registered));
    }
    load();
    game.close_world();
    EXPECT_EQ(answers, 0);
    EXPECT_TRUE(subscriptions_of(tag).empty());
}

}  // namespace host_loaded_test
}  // namespace lyre::experience
