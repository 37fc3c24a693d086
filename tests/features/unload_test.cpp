// What a feature registers, and that nothing of it is left when it goes.
#include <array>
#include <nlohmann/json.hpp>

#include "lyre/core/subscriptions.h"

#include "tests/allocations.h"
#include "tests/features/household.h"

namespace lyre::features {
namespace unload_test {

const Name kTag("tag"), kBots("bots");
constexpr const char* kModule = "[module]\nname = \"tag\"\n";

struct Runner : Actor {
    using Described = Runner;
    static void describe(TypeBuilder<Runner>& t) { t.parent<Actor>(); }
};
struct Score : Component {
    float points = 0;
    static void describe(TypeBuilder<Score>& t) { t.property("points", &Score::points); }
};
struct Referee : WorldSubsystem {
    static void describe(TypeBuilder<Referee>&) {}
    void initialize() { ++alive; }
    void deinitialize() { --alive; }
    static inline int alive = 0;
};
struct Rules {
    int rounds = 3;
    static void describe(TypeBuilder<Rules>& t) { t.property("rounds", &Rules::rounds); }
};
struct Quitter : Component {  // does something in its tick
    static void describe(TypeBuilder<Quitter>&) {}
    void tick(float) {
        if (leave) leave();
    }
    static inline std::function<void()> leave;
};
struct Deal : GameFeatureAction {
    static void describe(TypeBuilder<Deal>&) {}
};

ModuleEntry entry(const char* feature, void (*setup)(Registrar&)) {
    return linked_entry(feature, "1.0.0", setup);
}
const ModuleEntry kEverything = entry("tag", [](Registrar& feature) {
    feature.type<Runner>();
    feature.type<Score>();
    feature.type<Quitter>();
    feature.type<Referee>();
    feature.type<Deal>();
    feature.tag("Tag.Hunter");
    feature.variable<double>({.name = "tag.Reach", .default_value = 2});
    feature.command({.name = "tag.end"}, [](CommandArguments) { return CommandResult{}; });
    feature.content_type<Rules>("tag_rules");
    feature.handler("tag.touch", [](Actor&, Name, const framework::EventPayload&) {});
    feature.function("tag.deal", [](ActivatingContext&, const Node&) { return Status::ok(); });
});

std::vector<std::string> kinds(const std::vector<LedgerEntry>& ledger) {
    std::vector<std::string> all;
    for (const LedgerEntry& one : ledger) all.push_back(fmt::format("{} {}", to_string(one.kind), one.id));
    return all;
}
const LedgerEntry* find(const std::vector<LedgerEntry>& ledger, LedgerKind kind) {
    for (const LedgerEntry& one : ledger)
        if (one.kind == kind) return &one;
    return nullptr;
}

struct UnloadTest : testing::Test {
    UnloadTest() { EXPECT_TRUE(house.modules.add(kEverything).is_ok()); }
    void come_up(const std::string& more = "") {
        house.write("tag", more + kModule);
        house.discover();
        house.features().activate(kTag, house.told("up"));
        house.frames(3);
        EXPECT_EQ(house.said(), "up ok") << house.last_error.to_string();
    }
    void unload(std::string_view expected = "down ok") {
        house.features().unload(kTag, KeepRegistered::No, house.told("down"));
        house.frames(3);
        EXPECT_EQ(house.said(), expected) << house.last_error.to_string();
    }
    Household house;
};

TEST_F(UnloadTest, everything_a_module_registers_is_in_the_ledger_and_goes_with_it) {
    // F-25, F-26, F-72, F-52
    const std::size_t types = house.runtime.types().all().size();
    World& world = house.world();
    house.files.write("features/tag/content/short.tag_rules.toml", "rounds = 1\n");
    house.files.write("features/tag/content/runner.archetype.toml", "parent = \"Runner\"\n");
    come_up("tags = [\"Tag.It\"]\n[[variable]]\nname = \"tag.Speed\"\ndefault = 4.5\nflags = [\"cheat\"]\n");
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_EQ(kinds(house.features().ledger(kTag)),
              (std::vector<std::string>{"root folder features/tag/content", "type Runner", "type Score", "type Quitter",
                                        "subsystem Referee", "action kind Deal", "tag Tag.Hunter", "variable tag.Reach",
                                        "console command tag.end", "content type tag_rules", "handler tag.touch",
                                        "function tag.deal", "tag Tag.It", "variable tag.Speed",
                                        "asset archetype:runner", "type runner"}));
    EXPECT_EQ(Referee::alive, 1);
    EXPECT_NE(world.subsystem<Referee>(), nullptr);
    EXPECT_TRUE(house.runtime.tags().find("Tag.Hunter").is_ok());
    EXPECT_NE(house.assets.registry().find({Name("tag_rules"), Name("short")}), nullptr);
    unload();
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_TRUE(house.features().ledger(kTag).empty());
    EXPECT_EQ(Referee::alive, 0);
    EXPECT_EQ(house.runtime.types().all().size(), types);
    EXPECT_FALSE(house.runtime.tags().find("Tag.Hunter").is_ok());
    EXPECT_FALSE(house.runtime.variables().describe("tag.Reach").is_ok());
    EXPECT_EQ(house.assets.registry().find({Name("tag_rules"), Name("short")}), nullptr);
    EXPECT_EQ(house.assets.registry().roots().size(), 0u);
    EXPECT_EQ(house.modules.open_count(), 0u);
    EXPECT_EQ(house.reports("feature.left_behind"), 0u);
}

// Takes an answer about one feature, or about several.
struct Answered {
    std::shared_ptr<int> calls;
    void operator()(const FeatureResult&) const { ++*calls; }
    void operator()(const FeatureResults&) const { ++*calls; }
};

TEST(UnloadAnswers, none_reaches_code_that_has_gone) {
    // F-26, F-72, F-74
    const Name other("other");
    FeatureHold hold;
    const Target up{other, Destination::Active}, down{other, Destination::Registered};
    struct Way {
        const char* name;
        bool goes_up;  // and is loaded slowly; or else down, and waits for an action that asks for time
        std::function<void(Features&, const Answered&)> ask;
    };
    const Way ways[] = {
        {"load", true, [&](Features& f, const Answered& a) { f.load(other, a); }},
        {"activate", true, [&](Features& f, const Answered& a) { f.activate(other, a); }},
        {"start", true, [&](Features& f, const Answered& a) { f.start(a); }},
        {"change_target up", true, [&](Features& f, const Answered& a) { f.change_target(other, up.destination, a); }},
        {"change_targets up", true,
         [&](Features& f, const Answered& a) {
             f.change_targets({&up, 1}, a);
         }},
        {"acquire", true,
         [&](Features& f, const Answered& a) { hold = f.acquire(other, Owner::current(), up.destination, a); }},
        {"reload", false, [&](Features& f, const Answered& a) { f.reload(other, a); }},
        {"deactivate", false, [&](Features& f, const Answered& a) { f.deactivate(other, Dependents::Refuse, a); }},
        {"unload", false, [&](Features& f, const Answered& a) { f.unload(other, KeepRegistered::No, a); }},
        {"release", false, [&](Features& f, const Answered& a) { f.release(other, a); }},
        {"terminate", false, [&](Features& f, const Answered& a) { f.terminate(other, a); }},
        {"change_target", false, [&](Features& f, const Answered& a) { f.change_target(other, down.destination, a); }},
        {"change_targets", false,
         [&](Features& f, const Answered& a) {
             f.change_targets({&down, 1}, a);
         }},
        {"cancel", false,
         [&](Features& f, const Answered& a) {
             f.deactivate(other);
             f.cancel(other, a);
         }},
    };
    for (const Way& way : ways) {
        SCOPED_TRACE(way.name);
        Household house(nullptr, [&](Name id, FeatureState at) {
            const bool is_slow = way.goes_up && id == other && at == FeatureState::Loading;
            return is_slow ? StepFault{StepFault::Effect::Delay, 5, ""} : StepFault{};
        });
        ASSERT_TRUE(house.modules.add(kEverything).is_ok());
        house.write("other", way.goes_up ? "initial_state = \"active\"\n" : note_action("o", "pauses = true"));
        house.write("tag", note_action("a") + kModule);
        house.discover();
        house.world();
        house.features().activate(kTag);
        if (!way.goes_up) house.features().activate(other);
        house.frames(3);
        ASSERT_EQ(house.state("tag"), "Active");
        const Answered answer{std::make_shared<int>(0)};
        {
            const OwnerScope as(house.runtime.types().find<Runner>()->owner);
            way.ask(house.features(), answer);
        }
        house.frames(3);
        EXPECT_EQ(*answer.calls, 0) << "it waits";
        const auto ledger = house.features().ledger(kTag);
        const LedgerEntry* entry = find(ledger, LedgerKind::Subscription);
        ASSERT_NE(entry, nullptr);
        EXPECT_NE(entry->place.find("unload_test.cpp:"), std::string::npos) << entry->place;
        house.features().unload(kTag);
        house.frames(3);
        EXPECT_EQ(house.state("tag"), "Installed");
        EXPECT_EQ(house.modules.open_count(), 0u);
        EXPECT_TRUE(house.features().ledger(kTag).empty());
        EXPECT_EQ(answer.calls.use_count(), 1) << "what it held is destroyed while its code is there";
        EXPECT_GE(house.reports("feature.left_behind"), 1u);
        story().tokens.clear();
        for (int i = 0; i < 8; ++i) house.frame(1);
        EXPECT_FALSE(house.features().state(other) == FeatureState::Loading);
        EXPECT_EQ(*answer.calls, 0);
        hold.release();
    }
}

TEST_F(UnloadTest, an_answer_that_was_given_leaves_nothing_in_the_ledger) {
    // F-72, F-74
    come_up();
    const Answered answer{std::make_shared<int>(0)};
    {
        const OwnerScope as(house.runtime.types().find<Runner>()->owner);
        house.features().activate(kTag, answer);
    }
    house.frames(2);
    EXPECT_EQ(*answer.calls, 1);
    EXPECT_EQ(answer.calls.use_count(), 1);
    EXPECT_EQ(find(house.features().ledger(kTag), LedgerKind::Subscription), nullptr);
    unload();
    EXPECT_EQ(house.reports("feature.left_behind"), 0u);
}

TEST_F(UnloadTest, the_ledger_says_kind_place_world_and_time_also_as_json) {
    // F-72, F-73, F-77
    World& world = house.world("arena");
    house.clock.advance(5'000'000);
    std::vector<Connection> kept;
    story().at = [&](const std::string& line, ActionContext* context) {
        if (line != "tag.a.activating(arena)") return Status::ok();
        context->find_world()->timers().after(10, [&] { kept.push_back(world.actor_initialized.add([](Actor&) {})); });
        kept.push_back(world.ended.add([](World&) {}));
        return Status::ok();
    };
    house.write("tag", note_action("a") +
                           "[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"Score\"\n" +
                           kModule);
    house.discover();
    house.features().activate(kTag, house.told("up"));
    house.frame();
    ASSERT_EQ(house.said(), "up ok") << house.last_error.to_string();
    const auto ledger = house.features().ledger(kTag);
    const LedgerEntry* timer = find(ledger, LedgerKind::Timer);
    ASSERT_NE(timer, nullptr);
    EXPECT_EQ(timer->world, "arena");
    EXPECT_NE(timer->place.find("unload_test.cpp:"), std::string::npos) << timer->place;
    EXPECT_TRUE(timer->place.ends_with(", action 1 (note), activating")) << timer->place;
    EXPECT_EQ(timer->since_us, 5'000'000);
    const LedgerEntry* subscription = find(ledger, LedgerKind::Subscription);
    ASSERT_NE(subscription, nullptr);
    EXPECT_EQ(subscription->world, "arena");
    EXPECT_NE(subscription->place.find("unload_test.cpp"), std::string::npos) << subscription->place;
    const LedgerEntry* request = find(ledger, LedgerKind::ComponentRequest);
    ASSERT_NE(request, nullptr);
    EXPECT_EQ(request->id, "Score to Fighter");
    EXPECT_NE(request->place.find("action 2 (add_components)"), std::string::npos) << request->place;
    const auto json = nlohmann::json::parse(house.features().ledger_json(kTag));
    EXPECT_EQ(json.size(), ledger.size());
    EXPECT_EQ(json[0]["kind"], "type");
    for (int i = 0; i < 700; ++i) world.tick();  // the timer has run: what it subscribed is the feature's, too
    EXPECT_EQ(subscriptions_of(Owner::feature(kTag, 0)).size(), 0u);
    std::size_t subscriptions = 0;
    for (const LedgerEntry& one : house.features().ledger(kTag)) subscriptions += one.kind == LedgerKind::Subscription;
    EXPECT_EQ(subscriptions, 2u);
    kept.clear();
    unload();
}

TEST_F(UnloadTest, what_an_action_forgets_is_taken_away_newest_first_and_reported) {
    // F-74
    World& world = house.world("arena");
    std::vector<Connection> kept;
    std::vector<std::string> dropped;
    struct Tells {
        std::vector<std::string>* to;
        std::string name;
        Tells(std::vector<std::string>& t, std::string n) : to(&t), name(std::move(n)) {}
        Tells(Tells&& other) noexcept : to(std::exchange(other.to, nullptr)), name(std::move(other.name)) {}
        Tells(const Tells& other) : to(nullptr), name(other.name) {}
        ~Tells() {
            if (to != nullptr) to->push_back(name);
        }
    };
    story().at = [&](const std::string& line, ActionContext* context) {
        if (line == "tag.a.activating(arena)") {
            kept.push_back(world.ended.add([t = std::make_shared<Tells>(dropped, "first")](World&) {}));
            context->find_world()->timers().after(10, [t = std::make_shared<Tells>(dropped, "second")] {});
            kept.push_back(world.ended.add([t = std::make_shared<Tells>(dropped, "third")](World&) {}));
        }
        if (line == "tag.a.loading")  // of the process
            kept.push_back(
                house.runtime.types().added.add([t = std::make_shared<Tells>(dropped, "types")](const Type&) {}));
        return Status::ok();
    };
    house.write("tag", note_action("a") + kModule);
    house.discover();
    house.features().activate(kTag);
    house.features().deactivate(kTag, Dependents::Refuse, house.told("down"));
    house.frame();
    EXPECT_EQ(house.said(), "down ok");
    EXPECT_EQ(dropped, (std::vector<std::string>{"third", "second", "first"}));
    EXPECT_EQ(house.reports("feature.left_behind"), 3u);
    EXPECT_EQ(world.timers().count(), 0u);
    unload();
    EXPECT_EQ(dropped.back(), "types");
    EXPECT_EQ(house.reports("feature.left_behind"), 4u);
    EXPECT_TRUE(house.features().ledger(kTag).empty());
    for (const Connection& one : kept) EXPECT_FALSE(one.is_connected());
}

// A component whose timer goes with it, and one whose timer is bound to nothing.
struct Breath : Component {
    static void describe(TypeBuilder<Breath>&) {}
    void begin_play() {
        actor().world().timers().every(
            1, [this] { ++breaths; }, *this);
    }
    int breaths = 0;
};
struct Litter : Component {
    static void describe(TypeBuilder<Litter>&) {}
    void begin_play() {
        actor().world().timers().every(1, [] {});
    }
};

TEST(Unload, timers_of_components_go_with_them_and_one_that_is_bound_to_nothing_is_told_with_its_place) {
    // F-73, F-74, F-76
    for (const bool is_bound : {true, false}) {
        Household house;
        static const ModuleEntry kTimed = entry("tag", [](Registrar& feature) { feature.types<Breath, Litter>(); });
        ASSERT_TRUE(house.modules.add(kTimed).is_ok());
        house.write("tag",
                    fmt::format("[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"{}\"\n{}",
                                is_bound ? "Breath" : "Litter", kModule));
        house.discover();
        World& world = house.world();
        ASSERT_TRUE(world.spawn<Fighter>().is_ok());
        std::vector<std::string> reports;
        FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
        EXPECT_EQ(world.timers().count(), 1u);
        EXPECT_EQ(find(house.features().ledger(kTag), LedgerKind::Timer)->world, "arena");
        hold.release();
        house.frames(4);
        EXPECT_EQ(house.state("tag"), "Installed") << house.features().explain(kTag);
        EXPECT_EQ(world.timers().count(), 0u);
        for (const auto& entry : house.runtime.log().entries())
            if (entry.kind == Name("feature.left_behind")) reports.push_back(entry.text);
        ASSERT_EQ(reports.size(), is_bound ? 0u : 1u);
        if (is_bound) continue;
        for (const char* word : {"unload_test.cpp:", "in world arena", "timers().every(1, ..., *this)"})
            EXPECT_NE(reports[0].find(word), std::string::npos) << reports[0];
    }
}

TEST_F(UnloadTest, a_console_command_that_an_action_has_forgotten_goes_too) {
    // F-74
    static std::optional<CommandHold> kept;
    story().at = [&](const std::string& line, ActionContext* context) {
        if (line == "tag.a.loading") {
            auto made = context->runtime().console().add_command({.name = "tag.forgotten"},
                                                                 [](CommandArguments) { return CommandResult{}; });
            EXPECT_TRUE(made.is_ok());
            kept.emplace(*std::move(made));
        }
        return Status::ok();
    };
    come_up(note_action("a"));
    EXPECT_TRUE(house.runtime.console().execute("tag.forgotten").status.is_ok());
    unload();
    EXPECT_EQ(house.reports("feature.left_behind"), 1u);
    EXPECT_FALSE(house.runtime.console().execute("tag.forgotten").status.is_ok());
    EXPECT_TRUE(house.features().ledger(kTag).empty());
    kept.reset();
}

TEST_F(UnloadTest, what_a_hook_of_a_world_took_of_the_process_goes_when_that_world_is_left) {
    // F-74
    static std::vector<CommandHold> commands;
    static assets::LoadHandle asset;
    house.world("arena");
    story().at = [&](const std::string& line, ActionContext* context) {
        const bool is_of_world = line == "tag.a.activating(arena)";
        if (!is_of_world && line != "tag.a.loading") return Status::ok();
        const std::string name = is_of_world ? "tag.world" : "tag.process";
        auto made =
            context->runtime().console().add_command({.name = name}, [](CommandArguments) { return CommandResult{}; });
        EXPECT_TRUE(made.is_ok());
        commands.push_back(*std::move(made));
        if (is_of_world)
            asset = context->assets().load_assets(std::array{assets::PrimaryAssetId{Name("thing"), Name("one")}});
        return Status::ok();
    };
    come_up(note_action("a"));
    house.features().deactivate(kTag);
    house.frames(2);
    EXPECT_EQ(house.reports("feature.left_behind"), 2u);
    EXPECT_EQ(asset.state(), assets::LoadState::Cancelled);
    EXPECT_FALSE(house.runtime.console().execute("tag.world").status.is_ok());
    EXPECT_TRUE(house.runtime.console().execute("tag.process").status.is_ok()) << "it is not the world's";
    unload();
    EXPECT_EQ(house.reports("feature.left_behind"), 3u);
    EXPECT_FALSE(house.runtime.console().execute("tag.process").status.is_ok());
    asset.reset();
    commands.clear();
}

TEST_F(UnloadTest, a_step_that_fails_takes_back_what_its_actions_forgot) {
    // F-79, F-74
    World& world = house.world("arena");
    std::vector<Connection> kept;
    bool fails = false;
    story().at = [&](const std::string& line, ActionContext* context) {
        if (line == "tag.a.registering" || (fails && line == "tag.a.loading"))
            kept.push_back(house.runtime.types().added.add([](const Type&) {}));
        if (line == "tag.a.activating(arena)") context->find_world()->timers().after(10, [] {});
        return fails && line.find("registering") == std::string::npos ? Status::failed("on purpose") : Status::ok();
    };
    house.write("tag", note_action("a") + kModule);
    house.discover();
    house.features().change_target(kTag, Destination::Registered);
    const auto at_registered = kinds(house.features().ledger(kTag));
    fails = true;
    house.features().load(kTag, house.told("load"));
    EXPECT_EQ(house.said(), "load ActionFailed");
    EXPECT_EQ(kinds(house.features().ledger(kTag)), at_registered);
    EXPECT_EQ(house.reports("feature.left_behind"), 1u);
    fails = false;
    house.features().load(kTag);
    const auto at_loaded = kinds(house.features().ledger(kTag));
    fails = true;
    house.features().activate(kTag, house.told("activate"));
    EXPECT_EQ(house.said(), "activate ActionFailed");
    EXPECT_EQ(kinds(house.features().ledger(kTag)), at_loaded);
    EXPECT_EQ(house.reports("feature.left_behind"), 2u);
    EXPECT_EQ(world.timers().count(), 0u);
    story().at = {};
    unload();
}

TEST_F(UnloadTest, what_is_forgotten_in_a_world_that_is_left_inside_a_callback_goes_in_the_next_update) {
    // F-74, F-79
    World& world = house.world("arena");
    const ActorId fighter = *world.spawn<Fighter>();
    int climbs = 0;
    story().at = [&](const std::string& line, ActionContext* context) {
        if (line == "tag.a.activating(arena)") {
            ++climbs;
            context->find_world()->timers().after(100 * climbs, [] {});
        }
        return Status::ok();
    };
    come_up(note_action("a"));
    world.timers().after(0, [&] {
        world.destroy(fighter);
        house.features().deactivate(kTag);
        house.features().activate(kTag);  // what it registers now stays
    });
    world.tick();
    EXPECT_EQ(world.timers().count(), 2u);
    house.frame();
    EXPECT_EQ(climbs, 2);
    ASSERT_EQ(world.timers().count(), 1u);
    const auto ledger = house.features().ledger(kTag);
    ASSERT_NE(find(ledger, LedgerKind::Timer), nullptr);
    EXPECT_EQ(find(ledger, LedgerKind::Timer)->id, "in 200 s");
    EXPECT_EQ(house.reports("feature.left_behind"), 1u);
    house.features().unload(kTag);
    house.frames(3);
    EXPECT_EQ(world.timers().count(), 0u);
}

struct Spawner : WorldSubsystem {
    static void describe(TypeBuilder<Spawner>&) {}
    void initialize() { EXPECT_TRUE(world().spawn("Runner").is_ok()); }
};
const ModuleEntry kSpawns = entry("tag", [](Registrar& feature) {
    feature.type<Runner>();
    feature.type<Spawner>();
});

TEST(Unload, a_climb_that_fails_takes_objects_of_its_types_along_and_can_be_tried_again) {
    // F-79, F-75, F-57
    for (const bool is_inside : {false, true}) {
        SCOPED_TRACE(is_inside ? "inside a callback of the world" : "between ticks");
        Household house;
        ASSERT_TRUE(house.modules.add(kSpawns).is_ok());
        World& world = house.world();
        house.write("tag", std::string("[[action]]\nkind = \"note\"\nlabl = \"a\"\n") + kModule);
        house.discover();
        const auto activate = [&] { house.features().activate(kTag, house.told("bad")); };
        if (is_inside) {
            world.timers().after(0, activate);
            world.tick();
        } else {
            activate();
        }
        EXPECT_EQ(house.said(), "bad ActionBad");
        house.frame();
        EXPECT_EQ(house.runtime.types().find(Name("Runner")), nullptr);
        EXPECT_EQ(world.actor_count(), 0u);
        EXPECT_EQ(house.modules.open_count(), 0u);
        EXPECT_FALSE(house.features().report(kTag).is_resident);
        house.write("tag", note_action("a") + kModule);
        house.discover();
        house.features().activate(kTag, house.told("good"));
        EXPECT_EQ(house.said(), "good ok") << house.last_error.to_string();
    }
}

struct Leaver : Actor {
    using Described = Leaver;
    static void describe(TypeBuilder<Leaver>& t) { t.parent<Actor>(); }
    void end_play(EndReason) {
        if (const auto asks = std::exchange(ended, {})) asks();
    }
    static inline std::function<void()> ended;
};
struct LeaverMaker : WorldSubsystem {
    static void describe(TypeBuilder<LeaverMaker>&) {}
    void initialize() { EXPECT_TRUE(world().spawn("Leaver").is_ok()); }
};
const ModuleEntry kLeaves = entry("tag", [](Registrar& feature) {
    feature.type<Leaver>();
    feature.type<LeaverMaker>();
});

TEST(Unload, what_goes_after_a_climb_that_failed_may_ask_for_another_or_end_everything) {
    // F-79, F-57
    for (const bool ends_all : {false, true}) {
        SCOPED_TRACE(ends_all ? "ends all" : "asks for another");
        Household house;
        ASSERT_TRUE(house.modules.add(kLeaves).is_ok());
        World& world = house.world();
        house.write("tag", std::string("[[action]]\nkind = \"note\"\nlabl = \"a\"\n") + kModule);
        house.discover();
        world.timers().after(0, [&] { house.features().activate(kTag, house.told("bad")); });
        world.tick();
        EXPECT_EQ(house.said(), "bad ActionBad");
        EXPECT_EQ(world.actor_count(), 1u);
        house.write("tag", note_action("a") + kModule);
        house.discover();
        Leaver::ended = [&] {
            if (ends_all) return house.close();
            house.features().activate(kTag, house.told("its own"));  // which goes with its code
            const OwnerScope as(Owner::process());
            house.features().activate(kTag, house.told("good"));
            EXPECT_EQ(house.modules.open_count(), 1u);
        };
        house.frame();
        EXPECT_EQ(house.modules.open_count(), ends_all ? 0u : 1u);
        if (ends_all) continue;
        EXPECT_EQ(house.said(), "good ok") << house.last_error.to_string();
        EXPECT_EQ(house.reports("feature.failed"), 1u);
    }
}

struct Marathon : Runner {
    using Described = Marathon;
    static void describe(TypeBuilder<Marathon>& t) { t.parent<Runner>(); }
};
const ModuleEntry kRuns = entry("tag", [](Registrar& feature) { feature.type<Runner>(); });

TEST(Unload, what_a_failed_climb_cannot_take_away_is_tried_a_few_times_a_second_and_when_it_is_asked_for) {
    // F-79, F-75
    Household house;
    ASSERT_TRUE(house.modules.add(kRuns).is_ok());
    const Owner user = Owner::project(Name("races"));
    bool is_used = true;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line != "tag.a.registering" || !is_used) return Status::ok();
        const OwnerScope as(user);
        EXPECT_TRUE(house.runtime.types().add<Marathon>().is_ok());
        return Status::failed("on purpose");
    };
    house.write("tag", note_action("a") + kModule);
    house.discover();
    int asked = 0;
    Connection counting =
        house.runtime.types().listing_instances.add([&](const Type&, std::vector<TypeUse>&) { ++asked; });
    house.features().activate(kTag, house.told("first"));
    for (int i = 0; i < 60; ++i) house.frame(1.0 / 60);
    EXPECT_EQ(house.said(), "first ActionFailed");
    house.features().activate(kTag, house.told("second"));
    house.frames(3);
    EXPECT_EQ(house.said(), "second LeftBehind");
    for (int i = 0; i < 60; ++i) house.frame(1.0 / 60);
    asked = 0;
    house.frame(1);
    const int each = asked;
    ASSERT_GT(each, 0);
    asked = 0;
    for (int i = 0; i < 600; ++i) house.frame(1.0 / 60);  // ten seconds
    EXPECT_LE(asked / each, 45);
    EXPECT_GE(asked / each, 35);
    EXPECT_TRUE(house.runtime.types().remove_all(user).is_ok());
    is_used = false;
    house.features().activate(kTag, house.told("third"));
    house.frames(3);  // without waiting
    EXPECT_EQ(house.said(), "third ok") << house.last_error.to_string();
    EXPECT_EQ(house.modules.open_count(), 1u);
}

TEST_F(UnloadTest, living_instances_keep_a_feature_registered_and_usable_until_they_go) {
    // F-75, X-101, F-79
    World& world = house.world("arena");
    come_up();
    const ActorId runner = *world.spawn("Runner");
    const ActorId target = *world.spawn<Fighter>();
    world.add_component(*world.find(target), *house.runtime.types().find<Score>()).value();
    unload("down InstancesAlive");
    EXPECT_EQ(house.state("tag"), "Registered");
    EXPECT_EQ(house.last_error.holders.size(), 2u);
    EXPECT_NE(house.last_error.text.find(fmt::format("1 Runner in world arena: {}", runner)), std::string::npos)
        << house.last_error.text;
    EXPECT_NE(house.features().explain(kTag).find("Runner"), std::string::npos);
    EXPECT_TRUE(world.spawn("Runner").is_ok());  // usable
    house.features().activate(kTag, house.told("up"));
    EXPECT_EQ(house.said(), "up ok");
    house.features().unload(kTag);
    house.frames(3);
    EXPECT_EQ(house.state("tag"), "Registered");
    EXPECT_EQ(house.modules.open_count(), 1u);
    for (ActorId id : world.actors()) world.destroy(id);
    house.frame();  // tried again by itself
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_EQ(house.modules.open_count(), 0u);
}

TEST(Unload, a_policy_may_destroy_instances_instead) {
    // F-75, F-35
    struct Destroys : FeaturePolicy {
        InstancesPolicy instances(const Manifest&) const override { return InstancesPolicy::Destroy; }
    } destroys;
    Household house(&destroys);
    ASSERT_TRUE(house.modules.add(kEverything).is_ok());
    World& world = house.world();
    house.write("tag", kModule);
    house.discover();
    house.features().load(kTag);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(world.spawn("Runner").is_ok());
    const ActorId target = *world.spawn<Fighter>();
    world.add_component(*world.find(target), *house.runtime.types().find<Score>()).value();
    house.features().unload(kTag, KeepRegistered::No, house.told("down"));
    house.frames(2);
    EXPECT_EQ(house.said(), "down ok");
    EXPECT_EQ(world.actor_count(), 1u);
    EXPECT_EQ(world.component_count(), 0u);
}

TEST_F(UnloadTest, what_another_feature_uses_keeps_it_registered_and_the_refusal_names_the_user) {
    // F-76
    World& world = house.world();
    house.write("tag", kModule);
    // Neither says that it needs tag.
    house.write("asks", "[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"Score\"\n");
    house.write("calls", "[[action]]\nkind = \"run\"\nfunction = \"tag.deal\"\n");
    house.write("deals", "[[action]]\nkind = \"deal\"\n");
    house.discover();
    house.features().load(kTag);
    for (const char* user : {"asks", "calls", "deals"}) {
        FeatureHold hold = house.features().acquire(Name(user), world.owner(), Destination::Active, house.told(user));
        house.frame();
        EXPECT_EQ(house.said(), fmt::format("{} ok", user)) << house.last_error.to_string();
        unload("down HeldBy");
        EXPECT_NE(house.last_error.text.find(fmt::format("feature {}", user)), std::string::npos)
            << house.last_error.text;
        EXPECT_EQ(house.state("tag"), "Registered");
        hold.release();
        house.frames(3);
        EXPECT_EQ(house.state(user), "Installed");
        EXPECT_EQ(house.state("tag"), "Installed");  // what held it has gone
        house.features().load(kTag);
    }
}

TEST_F(UnloadTest, a_refusal_has_the_chain_of_each_holder_up_to_a_root) {
    // X-105, F-63
    World& world = house.world("arena");
    house.write("tag", kModule);
    house.write("rules", needs("tag"));
    house.write("game", needs("rules"));
    house.discover();
    FeatureHold hold = house.features().acquire(Name("game"), world.owner(), Destination::Active, house.told("up"));
    EXPECT_EQ(house.said(), "up ok");
    unload("down HeldBy");
    ASSERT_EQ(house.last_error.holders.size(), 1u);
    EXPECT_EQ(house.last_error.holders[0].what, "feature rules (Active)");
    EXPECT_EQ(house.last_error.holders[0].by,
              (std::vector<std::string>{"feature game (Active)", world.owner().to_string() + " (Active)"}));
    const auto json = nlohmann::json::parse(to_json(house.features().report(kTag)));
    EXPECT_EQ(json["holders"][0]["by"][0], "feature game (Active)");
}

TEST_F(UnloadTest, code_tags_and_content_in_use_have_the_chain_of_their_users_too) {
    // X-105, F-76
    World& world = house.world("arena");
    const std::string root = world.owner().to_string() + " (Active)";
    house.files.write("features/tag/content/short.tag_rules.toml", "rounds = 1\n");
    house.write("tag", kModule);
    house.write("calls", "[[action]]\nkind = \"run\"\nfunction = \"tag.deal\"\n");
    house.write("gives", "[[action]]\nkind = \"add_tags\"\nto = \"Fighter\"\ntags = [\"Tag.Hunter\"]\n");
    house.write("game", needs("calls") + needs("gives"));
    house.discover();
    house.features().load(kTag);
    FeatureHold hold = house.features().acquire(Name("game"), world.owner(), Destination::Active, house.told("game"));
    house.frame();
    ASSERT_EQ(house.said(), "game ok") << house.last_error.to_string();
    const assets::PrimaryAssetId rules{Name("tag_rules"), Name("short")};
    assets::LoadHandle load = [&] {
        const OwnerScope as(world.owner());
        return house.assets.load_assets({&rules, 1});
    }();
    house.frames(2);
    unload("down HeldBy");
    const auto by = [&](std::string_view what) {
        for (const Holder& holder : house.last_error.holders)
            if (holder.what.find(what) != std::string::npos) return holder.by;
        ADD_FAILURE() << what << " holds nothing: " << house.last_error.to_string();
        return std::vector<std::string>();
    };
    EXPECT_EQ(by("function tag.deal"), (std::vector<std::string>{"feature calls", "feature game (Active)", root}));
    EXPECT_EQ(by("tag Tag.Hunter"), (std::vector<std::string>{"feature gives", "feature game (Active)", root}));
    EXPECT_EQ(by("tag_rules:short"), std::vector<std::string>{world.owner().to_string()});
    hold.release();
    load.reset();
    house.frames(4);
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST_F(UnloadTest, a_tag_that_an_action_names_keeps_it_though_the_action_is_not_active) {
    // F-76, A-31
    house.write("tag", kModule);
    house.write("gives", "[[action]]\nkind = \"add_tags\"\nto = \"Fighter\"\ntags = [\"Tag.Hunter\"]\n");
    house.discover();
    house.features().load(kTag);
    house.features().load(Name("gives"), house.told("gives"));
    EXPECT_EQ(house.said(), "gives ok");
    unload("down HeldBy");
    ASSERT_EQ(house.last_error.holders.size(), 1u) << house.last_error.to_string();
    EXPECT_EQ(house.last_error.holders[0].to_string(),
              "tag Tag.Hunter is used by action 1 (add_tags) (feature gives) <- feature gives <- process (Loaded)");
    house.features().unload(Name("gives"));
    house.frames(4);
    EXPECT_EQ(house.state("gives"), "Installed");
    EXPECT_EQ(house.state("tag"), "Installed");  // nothing names it any more
}

TEST_F(UnloadTest, what_is_made_of_its_types_while_it_is_unregistered_goes_with_it) {
    // F-74, F-26, F-75
    World& world = house.world("arena");
    Observer observer("o");
    const ObserverHandle watching = house.features().add_observer(observer);
    for (const char* where : {"tag.a.unregistering", "o:tag.unregistering"}) {
        SCOPED_TRACE(where);
        story().at = [&](const std::string& line, ActionContext*) {
            return line == where ? world.spawn("Runner").status() : Status::ok();
        };
        come_up(note_action("a"));
        const std::uint64_t before = house.reports("feature.left_behind");
        bool is_empty = false;  // when it is answered
        house.features().unload(kTag, KeepRegistered::No, [&](const FeatureResult& result) {
            is_empty = result.is_ok() && house.features().ledger(kTag).empty();
        });
        house.frames(3);
        EXPECT_TRUE(is_empty);
        EXPECT_EQ(house.state("tag"), "Installed");
        EXPECT_EQ(world.actor_count(), 0u);
        EXPECT_EQ(house.modules.open_count(), 0u);
        EXPECT_EQ(house.runtime.types().find(Name("Runner")), nullptr);
        EXPECT_EQ(house.reports("feature.left_behind"), before + 1);
        story().at = {};
    }
}

TEST_F(UnloadTest, of_many_objects_of_a_type_ten_are_listed_and_the_rest_are_told_of) {
    // F-75
    World& world = house.world("arena");
    come_up();
    std::vector<ActorId> runners;
    for (int i = 0; i < 12; ++i) runners.push_back(*world.spawn("Runner"));
    unload("down InstancesAlive");
    ASSERT_EQ(house.last_error.holders.size(), 1u);
    const std::string& what = house.last_error.holders[0].what;
    EXPECT_EQ(what.rfind("12 Runner in world arena: ", 0), 0u) << what;
    EXPECT_TRUE(what.ends_with(" and more")) << what;
    EXPECT_EQ(std::count(what.begin(), what.end(), ','), 9) << what;
    EXPECT_EQ(house.last_error.holders[0].by, std::vector<std::string>{world.owner().to_string()});
    world.destroy(runners[0]);
    world.destroy(runners[1]);
    unload("down InstancesAlive");
    EXPECT_FALSE(house.last_error.holders[0].what.ends_with("more")) << house.last_error.holders[0].what;
}

TEST_F(UnloadTest, more_objects_than_a_refusal_lists_are_counted) {
    // F-75, X-105
    come_up();
    for (std::size_t i = 0; i < FeatureError::kMaxHolders + 5; ++i)
        ASSERT_TRUE(house.world(fmt::format("w{}", i)).spawn("Runner").is_ok());
    unload("down InstancesAlive");
    ASSERT_EQ(house.last_error.holders.size(), FeatureError::kMaxHolders);
    EXPECT_EQ(house.last_error.holders.back().what, "and 6 more");
}

TEST_F(UnloadTest, assets_that_somebody_still_holds_are_listed_with_their_holders) {
    // F-26, F-49, X-105
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    come_up();
    const assets::PrimaryAssetId flag{Name("thing"), Name("flag")};
    assets::LoadHandle hold = house.assets.load_assets({&flag, 1});
    house.frames(2);
    ASSERT_TRUE(hold.is_complete());
    unload();
    EXPECT_EQ(house.reports("feature.asset_held"), 1u);
    EXPECT_NE(house.runtime.log().entries().back().text.find("thing:flag is still loaded, held by process"),
              std::string::npos)
        << house.runtime.log().entries().back().text;
    ASSERT_TRUE(
        house.runtime.variables().set("lyre.features.VerifyUnload", "false", {VariableSource::Console, "console"}));
    house.features().activate(kTag);
    unload();
    EXPECT_EQ(house.reports("feature.asset_held"), 1u);
    for (const char* name : {"lyre.features.VerifyUnload", "lyre.features.VerifyUnloadChains"})
        ASSERT_TRUE(house.runtime.variables().set(name, "true", {VariableSource::Console, "console"}));
    house.features().activate(kTag);
    unload();
    EXPECT_NE(house.runtime.log().entries().back().text.find("held by process; process"), std::string::npos)
        << house.runtime.log().entries().back().text;
}

TEST_F(UnloadTest, observers_and_bundles_are_in_the_ledger) {
    // F-72, F-44
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    Observer observer("o");
    std::vector<ObserverHandle> kept;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.a.loading") kept.push_back(house.features().add_observer(observer));
        return Status::ok();
    };
    come_up(note_action("a", "asset = \"flag\""));
    const auto ledger = house.features().ledger(kTag);
    ASSERT_NE(find(ledger, LedgerKind::Observer), nullptr);
    bool has_bundle = false;
    for (const LedgerEntry& one : ledger)
        has_bundle |= one.kind == LedgerKind::Asset && one.id.find("thing:flag") != std::string::npos;
    EXPECT_TRUE(has_bundle);
    unload();
    EXPECT_FALSE(kept[0].is_watching());
    EXPECT_EQ(house.reports("feature.left_behind"), 1u);
}

TEST_F(UnloadTest, each_kind_of_thing_that_can_be_registered_is_in_the_ledger_once) {
    // F-72, F-74
    World& world = house.world("arena");
    const ActorId fighter = *world.spawn<Fighter>();
    struct Kept {
        framework::ExtensionHandlerHandle handler;
        framework::ComponentRequestHandle request;
        framework::InitStateHandle listener;
        Connection connection;
        ObserverHandle observer;
        CommandHold command;
        assets::LoadHandle load;
        std::shared_ptr<Counter> counter;
    } kept;
    Observer observer("o");
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    const assets::PrimaryAssetId flag{Name("thing"), Name("flag")};
    framework::ComponentManager::of(world)->register_init_state(Name("Started"));
    story().at = [&](const std::string& line, ActionContext*) {
        if (line != "tag.a.activating(arena)") return Status::ok();
        auto& manager = *framework::ComponentManager::of(world);
        Actor& actor = *world.find(fighter);
        kept.handler = manager.add_extension_handler(framework::Selector("Fighter"),
                                                     [](Actor&, Name, const framework::EventPayload&) {});
        kept.request = manager.add_component_request(framework::Selector("Fighter"), Name("Score"));
        EXPECT_TRUE(manager.add_predicate(Name("tag.fast"), [](const Actor&) { return true; }).is_ok());
        manager.send_extension_event(actor, Name("tag.began"), {}, framework::Sticky::Yes);
        kept.listener = manager.register_and_call_for_actor_init_state(actor, {}, {}, [](const auto&...) {});
        const auto need = framework::Need::holds(Name("the bell"), [](const Actor&) { return false; });
        EXPECT_TRUE(manager.declare_init_need(actor, Name("Body"), Name("Started"), need).is_ok());
        kept.connection = world.ended.add([](World&) {});
        kept.observer = house.features().add_observer(observer);
        world.timers().after(10, [] {});
        kept.load = house.assets.load_assets({&flag, 1});
        kept.counter = *house.runtime.metrics().add_counter("tag.deals", "cards dealt");
        EXPECT_TRUE(world.spawn("Runner").is_ok());
        return Status::ok();
    };
    come_up(note_action("a"));
    std::map<LedgerKind, std::size_t> counts;
    for (const LedgerEntry& one : house.features().ledger(kTag)) ++counts[one.kind];
    for (const LedgerKind kind :
         {LedgerKind::ActionKind,  LedgerKind::Subsystem,        LedgerKind::ContentType,      LedgerKind::Root,
          LedgerKind::Tag,         LedgerKind::Variable,         LedgerKind::ConsoleCommand,   LedgerKind::Handler,
          LedgerKind::Function,    LedgerKind::ExtensionHandler, LedgerKind::ComponentRequest, LedgerKind::Predicate,
          LedgerKind::StickyEvent, LedgerKind::InitListener,     LedgerKind::InitNeed,         LedgerKind::Asset,
          LedgerKind::Timer,       LedgerKind::Subscription,     LedgerKind::Metric,           LedgerKind::Observer})
        EXPECT_EQ(counts[kind], 1u) << to_string(kind);
    EXPECT_EQ(counts[LedgerKind::Type], 3u);      // Runner, Score, Quitter
    EXPECT_EQ(counts[LedgerKind::Instance], 2u);  // the runner, the fighter's score
    world.destroy(fighter);
    for (const InstanceInfo& one : world.instances(*house.runtime.types().find(Name("Runner")), 4))
        world.destroy(one.actor);
    unload();
    EXPECT_TRUE(house.features().ledger(kTag).empty());
}

TEST_F(UnloadTest, content_of_its_own_type_that_is_held_keeps_it) {
    // F-76, F-52
    house.files.write("features/tag/content/short.tag_rules.toml", "rounds = 1\n");
    come_up();
    const assets::PrimaryAssetId rules{Name("tag_rules"), Name("short")};
    assets::LoadHandle hold = house.assets.load_assets({&rules, 1});
    house.frames(2);
    ASSERT_NE(house.assets.find<Rules>(rules), nullptr);
    unload("down HeldBy");
    EXPECT_NE(house.last_error.text.find("tag_rules:short"), std::string::npos) << house.last_error.text;
    hold.reset();
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST_F(UnloadTest, content_that_a_worker_still_reads_with_its_code_is_waited_for) {
    // F-26, F-69
    house.files.write("features/tag/content/short.tag_rules.toml", "rounds = 1\n");
    come_up();
    const assets::PrimaryAssetId rules{Name("tag_rules"), Name("short")};
    house.executor.hold("short.tag_rules");
    {
        assets::LoadHandle hold = house.assets.load_assets({&rules, 1});
        house.frame();
    }  // given up while a worker is inside
    house.features().unload(kTag, KeepRegistered::No, house.told("down"));
    house.frames(5);
    EXPECT_EQ(house.modules.open_count(), 1u);
    house.executor.release("short.tag_rules");
    house.frames(3);
    EXPECT_EQ(house.modules.open_count(), 0u);
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST_F(UnloadTest, unloading_asked_for_by_its_own_code_is_carried_out_in_the_next_update) {
    // F-70
    static Household* where = nullptr;
    where = &house;
    static bool was_open = false;
    const auto leave = [] {
        where->features().unload(kTag, KeepRegistered::No);
        where->features().update();  // its code is on the stack: nothing is closed
        was_open = where->modules.open_count() == 1;
    };
    World& world = house.world();
    const auto check = [&](std::string_view how) {
        EXPECT_TRUE(was_open) << how;
        house.frames(2);
        EXPECT_EQ(house.modules.open_count(), 0u) << how;
        EXPECT_EQ(house.state("tag"), "Installed") << how;
        was_open = false;
    };
    story().at = [&](const std::string& line, ActionContext* context) {
        if (line == "tag.a.activated(arena)") context->find_world()->timers().after(0.01, leave);
        return Status::ok();
    };
    come_up(note_action("a"));
    for (int i = 0; i < 3; ++i) world.tick();
    check("timer");
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.a.activated(arena)") leave();
        return Status::ok();
    };
    house.features().activate(kTag);
    check("hook");
    story().at = [&](const std::string& line, ActionContext*) {
        static Connection connection;
        if (line == "tag.a.activated(arena)") connection = where->runtime.world_begun.add([=](World&) { leave(); });
        return Status::ok();
    };
    house.features().activate(kTag);
    house.world("other");
    check("subscription");
    story().at = {};
    house.features().activate(kTag);
    const auto actor = world.spawn<Fighter>();
    ASSERT_TRUE(actor.is_ok());
    Quitter::leave = leave;
    ASSERT_TRUE(world.find(*actor)->add<Quitter>().is_ok());
    world.tick();
    EXPECT_TRUE(was_open);
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Registered");  // the component lives
    Quitter::leave = {};
    world.destroy(*actor);
    check("tick");
}

TEST_F(UnloadTest, a_module_that_cannot_be_opened_or_fails_ends_in_an_error_with_nothing_left) {
    // F-66, F-67, F-79
    static const ModuleEntry kThrows = entry("tag", [](Registrar& feature) {
        feature.type<Runner>();
        throw std::runtime_error("no power");
    });
    static const ModuleEntry kRefuses = entry("tag", [](Registrar& feature) {
        feature.type<Runner>();
        feature.type<Runner>();
        feature.tag("not a tag");
    });
    static ModuleEntry abi = entry("tag", [](Registrar&) {});
    abi.abi_hash += 1;
    static ModuleEntry version = entry("tag", [](Registrar&) {});
    version.version = "2.0.0";
    const std::size_t types = house.runtime.types().all().size();
    const struct {
        const ModuleEntry* module;
        std::string code, words;
    } kCases[] = {{&kThrows, "ModuleFailed", "no power"},
                  {&kRefuses, "ModuleFailed", "not a tag"},
                  {&abi, "ModuleAbi", ""},
                  {&version, "ModuleWrongFeature", "2.0.0"}};
    house.write("tag", std::string("tags = [\"Tag.It\"]\n") + kModule);
    house.discover();
    for (const auto& [module, code, words] : kCases) {
        ASSERT_TRUE(house.modules.add(*module).is_ok());
        house.features().activate(kTag, house.told("up"));
        house.frame();
        EXPECT_EQ(house.said(), "up " + code);
        EXPECT_EQ(house.state("tag"), "ErrorRegistering");
        EXPECT_NE(house.last_error.text.find(words), std::string::npos) << house.last_error.text;
        EXPECT_TRUE(house.features().ledger(kTag).empty());
        EXPECT_EQ(house.runtime.types().all().size(), types);
        EXPECT_EQ(house.modules.open_count(), 0u);
        EXPECT_EQ(house.assets.registry().roots().size(), 0u);
    }
    ASSERT_TRUE(house.modules.add(kEverything).is_ok());
    house.features().activate(kTag, house.told("up"));
    EXPECT_EQ(house.said(), "up ok");
}

TEST(Unload, what_registering_declares_can_fail_and_is_undone) {
    // F-25, F-46, F-79, F-81
    const struct {
        std::string manifest, code, words;
    } kCases[] = {
        {"content = \"nowhere\"\n", "MountFailed", "features/tag/nowhere"},
        {"scripts = [\"a.lua\"]\n", "ScriptsUnsupported", "scripts"},
        {"[[variable]]\nname = \"lyre.features.VerifyUnload\"\ndefault = true\n", "RegistrationFailed", "VerifyUnload"},
        {"[[action]]\nkind = \"note\"\n[[action]]\nkind = \"add_componets\"\n", "ActionUnknown", "add_components"},
        {"[[action]]\nkind = \"note\"\nlabl = \"a\"\n", "ActionBad", "labl"},
        {"[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"Helth\"\n", "ActionBad", "Helth"},
    };
    for (const auto& [manifest, code, words] : kCases) {
        Household house;
        house.write("tag", manifest);
        house.write("other");
        house.discover();
        house.features().activate(kTag, house.told("up"));
        house.frame();
        EXPECT_EQ(house.said(), "up " + code) << manifest;
        EXPECT_NE(house.last_error.text.find(words), std::string::npos) << house.last_error.text;
        EXPECT_TRUE(house.features().ledger(kTag).empty());
        house.features().activate(Name("other"), house.told("other"));
        EXPECT_EQ(house.said(), "other ok");
    }
    Household house;  // an empty entry is skipped, and reported
    house.write("tag", "[[action]]\n" + note_action("a"));
    house.discover();
    house.features().load(kTag, house.told("up"));
    EXPECT_EQ(house.said(), "up ok") << house.last_error.to_string();
    EXPECT_EQ(house.reports("feature.empty_action"), 1u);
    EXPECT_EQ(house.log(), "tag.a.registering tag.a.loading");
}

TEST(Unload, a_broken_archetype_fails_registering) {
    // F-25, F-79
    Household house;
    house.files.write("features/tag/content/keg.archetype.toml", "parent = \"Barrl\"\n");
    house.write("tag");
    house.discover();
    house.features().activate(kTag, house.told("up"));
    house.frames(3);
    EXPECT_EQ(house.said(), "up RegistrationFailed");
    EXPECT_EQ(house.assets.registry().roots().size(), 0u);
}

TEST(Unload, warm_features_stay_loaded_by_count_and_time_and_come_back_without_loading) {
    //
    Household house;
    for (const char* id : {"a", "b", "c"}) house.write(id, note_action("x"));
    house.discover();
    World& world = house.world();
    const AcquireOptions warm{UnloadPolicy::keep_warm(2, 30)};
    const auto visit = [&](const char* id) {
        FeatureHold hold = house.features().acquire(Name(id), world.owner(), Destination::Active, {}, warm);
        house.frame();
        hold.release();
        house.frame(1);
    };
    visit("a");
    visit("b");
    EXPECT_EQ(house.state("a"), "Loaded");
    EXPECT_EQ(house.state("b"), "Loaded");
    house.log();
    visit("a");  // again: neither registered nor loaded anew
    EXPECT_EQ(house.log(), "a.x.activating(arena) a.x.activated(arena) a.x.deactivating(arena)");
    visit("c");
    house.frame();
    EXPECT_EQ(house.state("b"), "Installed");  // the least recently left
    EXPECT_EQ(house.state("a"), "Loaded");
    EXPECT_EQ(house.state("c"), "Loaded");
    house.frame(31);
    house.frame();
    EXPECT_EQ(house.state("a"), "Installed");
    EXPECT_EQ(house.state("c"), "Installed");
    visit("a");
    {
        FeatureHold hold = house.features().acquire(Name("b"), world.owner(), Destination::Active);  // the default
        house.frame();
    }
    house.frame();
    EXPECT_EQ(house.state("b"), "Installed");
    EXPECT_EQ(house.state("a"), "Loaded");
    house.features().trim();
    house.frame();
    EXPECT_EQ(house.state("a"), "Installed");
}

TEST(Unload, a_warm_feature_takes_no_memory_in_a_steady_update) {
    //
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    house.features()
        .acquire(kTag, house.world().owner(), Destination::Active, {}, {UnloadPolicy::keep_warm(2, 1000), {}})
        .release();
    house.frames(5);
    EXPECT_EQ(house.state("tag"), "Loaded");
    const std::size_t before = allocations();
    for (int i = 0; i < 10; ++i) house.features().update();
    EXPECT_EQ(allocations() - before, 0u);
}

TEST(Unload, a_thousand_climbs_leave_everything_where_it_was) {
    // F-71
    Household house;
    ASSERT_TRUE(house.modules.add(kEverything).is_ok());
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    house.files.write("features/tag/content/short.tag_rules.toml", "rounds = 1\n");
    house.write("tag", "tags = [\"Tag.It\"]\n" + note_action("a", "asset = \"flag\"") + kModule);
    house.discover();
    World& world = house.world();
    const auto next_index = [&] {
        const ActorId next = *world.spawn<Fighter>();
        world.destroy(next);
        return static_cast<std::size_t>(next.index);
    };
    const auto counts = [&] {
        auto* manager = framework::ComponentManager::of(world);
        return std::vector<std::size_t>{house.runtime.types().all().size(),
                                        house.runtime.tags().count(),
                                        house.runtime.variables().list().size(),
                                        house.runtime.console().commands().size(),
                                        house.assets.types().all().size(),
                                        house.assets.registry().roots().size(),
                                        house.assets.memory().assets,
                                        manager->table_sizes(),
                                        world.timers().count(),
                                        house.modules.open_count(),
                                        world.actor_count(),
                                        next_index()};
    };
    next_index();  // the first receiver that the manager sees
    std::vector<std::size_t> after_first;
    std::size_t memory_after_tenth = 0;  // what grows by doubling has done so by then
    for (int i = 0; i < 1000; ++i) {
        house.features().activate(kTag);
        house.frames(2);
        ASSERT_EQ(house.state("tag"), "Active") << i;
        house.features().unload(kTag);
        house.frames(2);
        ASSERT_EQ(house.state("tag"), "Installed") << i;
        story().lines.clear();
        if (i == 0) after_first = counts();
        if (i == 9) memory_after_tenth = live_allocations();
    }
    EXPECT_EQ(live_allocations(), memory_after_tenth);
    EXPECT_EQ(counts(), after_first);
    EXPECT_EQ(house.runtime.log().counts().reported, 0u);
}

}  // namespace unload_test
}  // namespace lyre::features
