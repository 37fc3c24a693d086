#include "lyre/features/symmetry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lyre/features/builtin_actions.h"

#include "tests/features/small_features.h"

namespace lyre::features {
namespace symmetry_test {

using framework::components_of;
using framework::Hero;

// A game in which every built-in action has something to do.
struct Yard : FeatureGame {
    explicit Yard(NetMode mode = NetMode::Standalone) : FeatureGame(mode) {
        for (const char* text : {"Team.Red", "Team.Blue", "Fast"}) tag(text);
        EXPECT_TRUE(runtime.variables().add<double>({.name = "game.gravity", .default_value = 9.8}).is_ok());
        EXPECT_TRUE(runtime.variables().add<bool>({.name = "fog", .default_value = false}).is_ok());
        LevelDef level;
        level.name = Name("yard");
        level.bounds = {{-10, -10, 0}, {10, 10, 0}};
        level.points = {{Name("flag"), {3, 4, 0}, 90}};
        EXPECT_TRUE(world().levels().add(level).is_ok());
        EXPECT_TRUE(code.add_handler(
                            Name("watch"),
                            [](Actor& actor, Name event, const framework::EventPayload&) {
                                report("watch:" + std::string(event.text()), &actor);
                            },
                            "here")
                        .is_ok());
        EXPECT_TRUE(code.add_function(
                            Name("timer"),
                            [](ActivatingContext& context, const Node&) {
                                struct Cancel {
                                    WorldRef world;
                                    TimerId id;
                                    Cancel(World& in, TimerId timer) : world(in), id(timer) {}
                                    Cancel(Cancel&&) = default;
                                    ~Cancel() {
                                        if (World* in = world.find()) in->timers().cancel(id);
                                    }
                                };
                                context.keep(Cancel(context.world(), context.world().timers().every(1, [] {})));
                                return Status::ok();
                            },
                            "here")
                        .is_ok());
        world().begin_play();
    }
    static constexpr const char* kAll[] = {
        R"({ kind = "add_components", to = "Pawn", component = "Health" })",
        R"({ kind = "add_components", to = "Hero", component = "Team", side = "server" })",
        R"({ kind = "add_components", to = { tags = "Fast" }, component = "Backpack", flags = ["use_auto_generated_name"] })",
        R"({ kind = "add_extension_handler", to = "Pawn", handler = "watch" })",
        R"({ kind = "add_tags", to = "Pawn", tags = ["Team.Red", "Fast"] })",
        R"({ kind = "add_tags", to = { class = "Hero", has = ["Health"] }, tags = ["Team.Blue"], side = "client" })",
        R"({ kind = "add_assets", assets = ["icon:flag"], preload = true })",
        R"({ kind = "set_variables", variables = { fog = true, "game.gravity" = 2 } })",
        R"({ kind = "set_variables", variables = { game.gravity = 3 }, side = "server" })",
        R"({ kind = "spawn_actors", class = "Hero", point = "flag" })",
        R"({ kind = "spawn_actors", class = "Plain", at = [1, 2, 3] })",
        R"({ kind = "run", function = "timer" })",
    };
    void tick() {
        if (world().net_mode() == NetMode::Client)
            world().tick(0.02f);
        else
            world().tick();
    }
};

std::vector<const GameFeatureAction*> actions_of(const WrittenActions& written) {
    std::vector<const GameFeatureAction*> actions;
    for (const ActionPart& part : written.parts()) actions.push_back(part.get());
    return actions;
}

TEST(Symmetry, holds_for_each_built_in_action) {
    // X-112, A-03
    for (NetMode mode : {NetMode::Standalone, NetMode::DedicatedServer, NetMode::ListenServer, NetMode::Client})
        for (const char* one : Yard::kAll) {
            SCOPED_TRACE(fmt::format("{} {}", to_string(mode), one));
            Yard game(mode);
            game.spawn<Hero>();
            game.spawn<framework::Crate>();
            game.spawn<framework::Careless>();
            game.spawn<framework::Plain>();
            WrittenActions written(game, fmt::format("action = [{}]", one));
            ASSERT_EQ(written.said(), "");
            EXPECT_EQ(check_symmetry(game.services, game.world(), actions_of(written), [&](World&) { game.tick(); })
                          .to_string(),
                      "ok");
        }
}

TEST(Symmetry, sees_what_an_action_leaves_with_the_process) {
    // X-112, F-72
    const std::pair<const char*, const char*> kKinds[] = {
        {"subscription", "subscription Delegate"}, {"command", "console command symmetry.left"}, {"asset", "asset "}};
    for (const auto& [what, words] : kKinds) {
        Yard game(NetMode::Standalone);
        std::vector<Connection> connections;
        std::vector<CommandHold> commands;
        std::vector<assets::LoadHandle> loads;
        Probe leaves("leaves");
        leaves.at = [&, what = std::string(what)](const std::string& hook, ActionContext& context) {
            if (hook != "leaves.activating" && hook != "activating") return Status::ok();
            const assets::PrimaryAssetId flag{Name("icon"), Name("flag")};
            if (what == "subscription") connections.push_back(game.runtime.types().added.add([](const Type&) {}));
            if (what == "asset") loads.push_back(context.assets().load_assets({&flag, 1}));
            if (what == "command")
                if (auto made = game.runtime.console().add_command({.name = "symmetry.left"},
                                                                   [](CommandArguments) { return CommandResult{}; }))
                    commands.push_back(*std::move(made));
            return Status::ok();
        };
        const Status status = check_symmetry(game.services, game.world(), {&leaves});
        EXPECT_NE(status.text().find(words), std::string::npos) << what << ": " << status.to_string();
    }
}

RC_GTEST_PROP(Symmetry, holds_for_any_mixture_of_actions_in_any_world, ()) {
    // X-112
    Yard game(*rc::gen::element(NetMode::Standalone, NetMode::DedicatedServer, NetMode::ListenServer, NetMode::Client));
    const char* classes[] = {"Pawn", "Hero", "Crate", "Plain", "Careless"};
    const auto spawned = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5));
    for (int which : spawned) {
        const bool is_proxy = *rc::gen::arbitrary<bool>();
        const auto id = game.world().spawn(classes[which], {.role = is_proxy ? Role::SimulatedProxy : Role::Authority});
        RC_ASSERT(id.is_ok());
        if (*rc::gen::arbitrary<bool>()) game.world().tags().add(*id, game.tag("Fast")).ignore();
        if (*rc::gen::arbitrary<bool>()) game.world().find(*id)->add_component(Name("Armour")).status().ignore();
    }
    std::string text = "action = [";
    const auto chosen = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 12));
    for (std::size_t which : chosen) text += std::string(Yard::kAll[which]) + ",";
    WrittenActions written(game, text + "]");
    RC_ASSERT(written.said() == "");
    const int ticks = *rc::gen::inRange(0, 3);
    const auto sent = *rc::gen::inRange<std::size_t>(0, 3);
    const Status status = check_symmetry(game.services, game.world(), actions_of(written), [&](World& world) {
        for (int i = 0; i < ticks; ++i) game.tick();
        const auto all = world.actors();
        for (std::size_t i = 0; i < std::min(sent, all.size()); ++i)
            game.manager().send_extension_event(*world.find(all[i]), Name("Touched"));
    });
    RC_ASSERT(status.to_string() == "ok");
}

TEST(Symmetry, holds_whichever_action_fails_and_how) {
    // X-112, A-29
    std::string text = "action = [";
    for (const char* one : Yard::kAll) text += std::string(one) + ",";
    for (std::size_t at = 0; at <= std::size(Yard::kAll); ++at)
        for (const bool throws : {false, true}) {
            SCOPED_TRACE(at);
            Yard game;
            game.spawn<Hero>();
            WrittenActions written(game, text + "]");
            Probe bad("bad");
            bad.at = [throws](const std::string& hook, ActionContext&) {
                if (hook != "activating") return Status::ok();
                return throws ? throw Malice() : Status::failed("no");
            };
            auto actions = actions_of(written);
            actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(at), &bad);
            EXPECT_EQ(check_symmetry(game.services, game.world(), actions).text(),
                      fmt::format("the check of symmetry, action {} (action), activating: {}", at + 1,
                                  throws ? "it threw: malice" : "no"));
        }
}

// What an author may forget, and what is said then.
struct Forgetful : GameFeatureAction {
    explicit Forgetful(std::function<void(World&)> deed) : deed(std::move(deed)) {}
    Status activating(ActivatingContext& context) const override {
        deed(context.world());
        return Status::ok();
    }
    std::function<void(World&)> deed;
};

TEST(Symmetry, says_what_an_action_has_left_behind) {
    // X-112
    const auto check = [](const std::function<void(World&)>& deed) {
        Yard game;
        game.spawn<Hero>();
        Forgetful action(deed);
        const std::string text = check_symmetry(game.services, game.world(), {&action}).text();
        EXPECT_EQ(text.find("with the actors that are there:\n"), 0u) << text;
        return text;
    };
    const auto has = [](const std::string& text, std::string_view line) {
        EXPECT_NE(text.find(line), std::string::npos) << text;
    };
    has(check([](World& world) { world.timers().after(5, [] {}); }), "timers: was \"0\", is \"1\"\n");
    has(check([](World& world) { world.spawn<framework::Plain>().status().ignore(); }),
        "actors: was \"1\", is \"2\"\n");
    has(check([](World& world) { world.find(world.actors()[0])->add<framework::Health>().status().ignore(); }),
        "is \"Hero, components Health (Health), tags\"\n");
    has(check([](World& world) { world.tags().add(world.actors()[0], *world.runtime().tags().find("Fast")).ignore(); }),
        "is \"Hero, components, tags Fast x1\"\n");
    has(check([](World& world) {
            world.find(world.actors()[0])->set_position({9, 9, 9}).ignore();
        }),
        "world hash: was");
    has(check([](World& world) {
            world.runtime().variables().set("fog", "true", {VariableSource::Console, "console"}).ignore();
        }),
        "variable fog: was \"false (code)\", is \"true (console)\"\n");
    has(check([](World& world) { world.runtime().tags().declare("Left").ignore(); }), "tags declared: was");
    has(check([](World& world) {
            static Connection forgotten;
            forgotten = world.actor_ending.add([](Actor&, EndReason) {});
        }),
        "listeners: was");
    has(check([](World& world) {
            static framework::ComponentRequestHandle forgotten;
            forgotten = framework::ComponentManager::of(world)->add_component_request(framework::Selector("Crate"),
                                                                                      Name("Health"));
        }),
        "extensions: was");
}

TEST(Symmetry, looks_at_actors_that_come_or_go_meanwhile) {
    // X-112
    struct TagsComers : GameFeatureAction {
        Status activating(ActivatingContext& context) const override {
            World& world = context.world();
            context.keep(world.actor_initialized.add([&world](Actor& actor) {
                world.tags().add(actor.id(), *world.runtime().tags().find("Fast")).ignore();
            }));
            return Status::ok();
        }
    } comers;
    struct MarksGoers : GameFeatureAction {
        Status activating(ActivatingContext& context) const override {
            World& world = context.world();
            context.keep(world.actor_ending.add([&world](Actor&, EndReason) { world.timers().after(9, [] {}); }));
            return Status::ok();
        }
    } goers;
    Yard game;
    game.spawn<Hero>();
    EXPECT_EQ(check_symmetry(game.services, game.world(), {&comers}).text(),
              "with actors spawned in between:\none that was spawned is Hero, components, tags Fast x1, not Hero, "
              "components, tags\n");
    EXPECT_EQ(
        check_symmetry(game.services, game.world(), {&goers}).text(),
        "with actors destroyed in between:\nledger: was \"\", is \"timer in 9 s\"\ntimers: was \"0\", is \"1\"\n");
}

TEST(Symmetry, is_not_checked_in_a_world_that_ends) {
    // X-112
    Yard game;
    game.spawn<Hero>();
    Forgetful action([](World& world) { world.end(); });
    EXPECT_EQ(check_symmetry(game.services, game.world(), {&action}).code(), StatusCode::Refused);
    EXPECT_EQ(check_symmetry(game.services, game.world(), {&action}).code(), StatusCode::Refused);
}

// The n-th callback does X while all built-in actions are put on and taken off: nothing of them stays.
struct Play {
    Play() {
        std::string text = "action = [";
        for (const char* one : Yard::kAll) text += std::string(one) + ",";
        written = std::make_unique<WrittenActions>(game, text + "]");
        EXPECT_EQ(written->said(), "");
        game.spawn<Hero>();
        game.spawn<framework::Crate>();
        run = game.run_parts(written->parts());
        listening = game.world().tags().changed.add([](Actor& actor, GameplayTag tag, bool is_added) {
            report(fmt::format("{}{}", is_added ? "+" : "-", tag), &actor);
        });
    }
    void play() {
        if (run->activate()) {
            run->activated();
            if (!game.world().has_ended()) game.world().spawn<Hero>().status().ignore();
            if (game.instance.subsystems().find<framework::ComponentManager>() != nullptr) game.manager().settle();
            run->deactivate();
        }
        run->finish();
        stage().at = nullptr;
        extra.reset();
        World& world = game.world();
        EXPECT_FALSE(run->is_active());
        for (const char* name : {"fog", "game.gravity"})
            EXPECT_EQ(world.variables().describe(name)->origin.source, VariableSource::Code) << name;
        EXPECT_EQ(world.timers().count(), 0u);
        if (!world.has_ended())
            for (ActorId id : world.actors()) {
                const Actor& actor = *world.find(id);
                EXPECT_EQ(components_of(actor), actor.is_a<framework::Crate>() ? "native" : "");
                EXPECT_EQ(world.tags().all(id).to_string(), "");
                EXPECT_NE(actor.position(), (Vec3{3, 4, 0}));  // one that was put there
                EXPECT_FALSE(actor.is_a<framework::Plain>());
            }
        listening.disconnect();
        game.instance.close_world();
        auto* manager = game.instance.subsystems().find<framework::ComponentManager>();
        if (manager != nullptr) manager->settle();  // has notes of actors that have gone
        EXPECT_EQ(manager == nullptr ? 0 : manager->table_sizes(), 0u);
        EXPECT_TRUE(game.code.list()[0].users.empty() && game.code.list()[1].users.empty());
    }
    Yard game;
    std::unique_ptr<WrittenActions> written;
    std::unique_ptr<ActionRun> run;
    std::unique_ptr<ActionRun> extra;
    Connection listening;
};

const std::vector<std::pair<const char*, std::function<void(Play&, Actor&)>>> kDeeds = {
    {"destroys the actor", [](Play& play, Actor& actor) { play.game.world().destroy(actor.id()); }},
    {"destroys all",
     [](Play& play, Actor&) {
         for (ActorId id : play.game.world().actors()) play.game.world().destroy(id);
     }},
    {"removes the receiver",
     [](Play& play, Actor& actor) {
         if (auto* manager = framework::ComponentManager::of(play.game.world()))
             manager->remove_receiver(actor).ignore();
     }},
    {"removes and adds the receiver",
     [](Play& play, Actor& actor) {
         auto* manager = framework::ComponentManager::of(play.game.world());
         if (manager == nullptr || actor.is_doomed()) return;
         manager->remove_receiver(actor).ignore();
         manager->add_receiver(actor).ignore();
     }},
    {"spawns another", [](Play& play, Actor&) { play.game.world().spawn<Hero>().status().ignore(); }},
    {"ends the world", [](Play& play, Actor&) { play.game.world().end(); }},
    {"deactivates the run", [](Play& play, Actor&) { play.run->deactivate(); }},
    {"finishes the run", [](Play& play, Actor&) { play.run->finish(); }},
    {"activates another run",
     [](Play& play, Actor&) {
         if (play.extra == nullptr && !play.game.world().has_ended()) {
             play.extra = play.game.run_parts(play.written->parts(), "other");
             play.extra->activate().ignore();
         }
     }},
    {"settles",
     [](Play& play, Actor&) {
         if (auto* manager = framework::ComponentManager::of(play.game.world())) manager->settle();
     }},
    {"takes the manager away",
     [](Play& play, Actor&) { play.game.runtime.types().remove(Name("ComponentManager")).ignore(); }},
    {"throws", [](Play&, Actor&) { throw Malice(); }},
};

void sweep(std::size_t first, std::size_t last) {
    for (std::size_t deed = first; deed < last; ++deed) {
        bool reached = true;
        for (int n = 1; reached && !::testing::Test::HasFailure(); ++n) {
            SCOPED_TRACE(fmt::format("callback {} {}", n, kDeeds[deed].first));
            Play play;
            int count = 0;
            stage().at = [&](const std::string&, Object* object) {
                if (object == nullptr || ++count != n) return;
                Actor& actor =
                    object->is_a<Actor>() ? static_cast<Actor&>(*object) : static_cast<Component&>(*object).actor();
                kDeeds[deed].second(play, actor);
            };
            play.play();
            reached = count >= n;
        }
    }
}

TEST(Symmetry, any_callback_may_do_anything_to_actors_while_actions_come_and_go) {
    // X-112, A-08, A-31
    sweep(0, 5);
}

TEST(Symmetry, any_callback_may_do_anything_to_the_world_and_the_run_while_actions_come_and_go) {
    // X-112, A-29
    sweep(5, kDeeds.size());
}

}  // namespace symmetry_test
}  // namespace lyre::features
