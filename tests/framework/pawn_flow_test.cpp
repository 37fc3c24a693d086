// The climb of a pawn, as the timeline of a networked game has it: a part that leads (PawnExtension) and one that needs
// a player (Hero), once written with hooks and pokes, once by declared needs alone. Whatever comes late, and in
// whatever order, both end ready and every step is done once.
#include <algorithm>
#include <map>

#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace pawn_flow_test {

const Name kExt("PawnExtension"), kHero("Hero");
const std::vector<Name> kFacts{Name("pawn_data"), Name("controller"), Name("player_state"), Name("input")};

struct FlowPawn : Actor {
    using Described = FlowPawn;
    static void describe(TypeBuilder<FlowPawn>& t) {
        t.parent<Actor>();
        t.abstract();
    }
    bool has(std::string_view fact) const { return facts.count(Name(fact)) > 0; }
    bool is_local() const { return role() == Role::AutonomousProxy; }
    bool needs_controller() const { return has_authority() || is_local(); }
    std::map<Name, bool> facts;
    ActorId player_state;            // of a pawn that is linked to one
    std::vector<std::string> steps;  // work that was done, in order
};
FlowPawn& pawn_of(const Component& component) {
    return static_cast<FlowPawn&>(component.actor());
}
const FlowPawn& as_pawn(const Actor& actor) {
    return static_cast<const FlowPawn&>(actor);
}

// What both ways share: registration, the first state in begin_play, and a count of the work.
template <class Self> struct FlowPart : Component, InitStateFeature<Self> {
    void registered() {
        EXPECT_TRUE(this->register_init_state_feature().is_ok());
        if (world().net_mode() != NetMode::Client) return;
        EXPECT_TRUE(world().hold_begin_play(*this).is_ok());
    }
    Status handle_change_init_state(Name, Name to) override {
        pawn_of(*this).steps.push_back(fmt::format("{}:{}", this->feature_name(), to));
        return Status::ok();
    }
};

struct HookExt : FlowPart<HookExt> {
    static void describe(TypeBuilder<HookExt>&) {}
    Name feature_name() const override { return kExt; }
    Verdict can_change_init_state(Name, Name to) const override {
        const FlowPawn& pawn = pawn_of(*this);
        if (to == kAvailable && !pawn.has("pawn_data")) return Verdict::no("no pawn_data");
        if (to == kAvailable && pawn.needs_controller() && !pawn.has("controller")) return Verdict::no("no controller");
        ComponentManager& manager = *ComponentManager::of(pawn);
        if (to == kInitialized && !manager.have_all_features_reached_init_state(pawn, kAvailable))
            return Verdict::waits(kHero, kAvailable);
        return Verdict::yes();
    }
    void begin_play() {
        bind_on_actor_init_state_changed();
        EXPECT_TRUE(try_to_change_init_state(kSpawned));
        check_default_initialization();
    }
    void check_default_initialization() override {
        check_default_initialization_for_implementers();
        continue_init_state_chain();
    }
    void on_actor_init_state_changed(const InitStateChange& change) override {
        if (ComponentManager::of(*this)->is_init_state_after_or_equal(change.new_state, kAvailable))
            check_default_initialization();
    }
};
struct HookHero : FlowPart<HookHero> {
    static void describe(TypeBuilder<HookHero>&) {}
    Name feature_name() const override { return kHero; }
    Verdict can_change_init_state(Name, Name to) const override {
        const FlowPawn& pawn = pawn_of(*this);
        if (to == kAvailable) {
            if (!pawn.has("player_state")) return Verdict::no("no player_state");
            if (pawn.role() != Role::SimulatedProxy && !pawn.has("controller")) return Verdict::no("no controller");
            if (pawn.is_local() && !pawn.has("input")) return Verdict::no("no input");
        }
        if (to == kInitialized && !ComponentManager::of(pawn)->has_reached_init_state(pawn, kExt, kInitialized))
            return Verdict::waits(kExt, kInitialized);
        return Verdict::yes();
    }
    void begin_play() {
        bind_on_actor_init_state_changed();
        EXPECT_TRUE(try_to_change_init_state(kSpawned));
        check_default_initialization();
    }
    void check_default_initialization() override { continue_init_state_chain(); }
    void on_actor_init_state_changed(const InitStateChange& change) override {
        if (change.feature == kExt && change.new_state == kInitialized) check_default_initialization();
    }
};
struct HookPawn : FlowPawn {
    static void describe(TypeBuilder<HookPawn>& t) {
        t.component<HookExt>("ext");
        t.component<HookHero>("hero");
    }
    void came(Name) { find<HookExt>()->check_default_initialization(); }
};

// The same by declaration: no pokes, no bindings, no chain.
template <class Self> struct NeedPart : FlowPart<Self> {
    void begin_play() { EXPECT_TRUE(this->try_to_change_init_state(kSpawned)); }
    void need(Name state, Need need) {
        Actor& actor = this->actor();
        EXPECT_TRUE(ComponentManager::of(actor)
                        ->declare_init_need(actor, this->feature_name(), state, std::move(need))
                        .is_ok());
    }
    // `fact` must be there where `where` says so.
    void need_fact(Name state, std::string_view fact, std::function<bool(const FlowPawn&)> where) {
        need(state, Need::holds(Name(fact),
                                [name = std::string(fact), where](const Actor& actor) {
                                    return !where(as_pawn(actor)) || as_pawn(actor).has(name);
                                },
                                {Name(fact)}));
    }
};
bool always(const FlowPawn&) {
    return true;
}
struct NeedExt : NeedPart<NeedExt> {
    static void describe(TypeBuilder<NeedExt>&) {}
    Name feature_name() const override { return kExt; }
    void registered() {
        NeedPart::registered();
        need_fact(kAvailable, "pawn_data", always);
        need_fact(kAvailable, "controller", [](const FlowPawn& pawn) { return pawn.needs_controller(); });
        need(kInitialized, Need::all_reached(kAvailable));
    }
};
struct NeedHero : NeedPart<NeedHero> {
    static void describe(TypeBuilder<NeedHero>&) {}
    Name feature_name() const override { return kHero; }
    void registered() {
        NeedPart::registered();
        need_fact(kAvailable, "player_state", always);
        need_fact(kAvailable, "controller", [](const FlowPawn& pawn) { return pawn.role() != Role::SimulatedProxy; });
        need_fact(kAvailable, "input", [](const FlowPawn& pawn) { return pawn.is_local(); });
        need(kInitialized, Need::reached(kExt, kInitialized));
    }
};
struct NeedPawn : FlowPawn {
    static void describe(TypeBuilder<NeedPawn>& t) {
        t.component<NeedExt>("ext");
        t.component<NeedHero>("hero");
    }
    void came(Name fact) { ComponentManager::of(*this)->signal(*this, fact); }
};

// The player state is an actor of its own, which may come before or after the pawn's reference to it.
struct PlayerState : Actor {
    static void describe(TypeBuilder<PlayerState>&) {}
};
struct LinkedHero : NeedPart<LinkedHero> {
    static void describe(TypeBuilder<LinkedHero>&) {}
    Name feature_name() const override { return kHero; }
    void registered() {
        NeedPart::registered();
        need(kAvailable, Need::reached(Name("PlayerState"), kAvailable,
                                       [](const Actor& actor) { return as_pawn(actor).player_state; }));
        need_fact(kAvailable, "controller", [](const FlowPawn& pawn) { return pawn.role() != Role::SimulatedProxy; });
        need_fact(kAvailable, "input", [](const FlowPawn& pawn) { return pawn.is_local(); });
        need(kInitialized, Need::reached(kExt, kInitialized));
    }
};
struct LinkedPawn : FlowPawn {
    static void describe(TypeBuilder<LinkedPawn>& t) {
        t.component<NeedExt>("ext");
        t.component<LinkedHero>("hero");
    }
    void came(Name fact) { ComponentManager::of(*this)->signal(*this, fact); }
};

// What the choreography asks for, whatever came when: each step once, each feature upwards, the extension initialised
// when both have their data, the hero after it.
void expect_choreography(const std::vector<std::string>& steps) {
    const auto at = [&](Name feature, Name state) {
        const std::string step = fmt::format("{}:{}", feature, state);
        EXPECT_EQ(std::count(steps.begin(), steps.end(), step), 1) << step;
        return std::find(steps.begin(), steps.end(), step);
    };
    EXPECT_EQ(steps.size(), 8u);
    for (Name feature : {kExt, kHero}) {
        EXPECT_LT(at(feature, kSpawned), at(feature, kAvailable));
        EXPECT_LT(at(feature, kAvailable), at(kExt, kInitialized));
        EXPECT_LT(at(feature, kInitialized), at(feature, kReady));
    }
    EXPECT_LT(at(kExt, kInitialized), at(kHero, kInitialized));
}

template <class Pawn> struct Flow {
    explicit Flow(NetMode mode) : game({.net_mode = mode}) {
        EXPECT_TRUE((game.runtime.types()
                         .add_all<FlowPawn, HookExt, HookHero, NeedExt, NeedHero, LinkedHero, PlayerState, Pawn>()
                         .is_ok()));
        game.world().begin_play();
        nameplates = game.manager().register_and_call_for_class_init_state(
            Name("FlowPawn"), kHero, kReady,
            [this](const InitStateChange& change) { plates.push_back(change.actor.id()); });
    }
    // Facts before the spawn are there when the pawn comes.
    Pawn* spawn(Role role, const std::vector<Name>& before = {}) {
        auto id = game.world().template spawn<Pawn>({.role = role}, [&](Pawn& pawn) {
            for (Name fact : before) pawn.facts[fact] = true;
        });
        EXPECT_TRUE(id) << id.status().to_string();
        return game.world().template find<Pawn>(*id);
    }
    static void come(Pawn& pawn, Name fact) {
        pawn.facts[fact] = true;
        pawn.came(fact);
    }
    void begin(Pawn& pawn, Name part) {
        Component* component = pawn.find_component(part);
        EXPECT_TRUE(game.world().release_begin_play(*component).is_ok());
    }
    void expect_ready(Pawn& pawn) {
        ASSERT_TRUE(game.manager().is_actor_ready(pawn, kReady)) << game.manager().explain_actor_init(pawn);
        for (Name fact : kFacts) come(pawn, fact);  // again: that changes nothing
        ASSERT_NO_FATAL_FAILURE(expect_choreography(pawn.steps));
        ASSERT_FALSE(::testing::Test::HasFailure());
        ASSERT_EQ(std::exchange(plates, {}), std::vector{pawn.id()});
        game.world().destroy(pawn.id());
    }
    InitGame game;
    std::vector<ActorId> plates;  // who has got a nameplate
    InitStateHandle nameplates;
};

template <class Pawn> void climb_in_all_orders_on_a_client(Role role) {
    Flow<Pawn> flow(NetMode::Client);
    std::vector<Name> events = kFacts;
    events.push_back(Name("ext"));
    events.push_back(Name("hero"));
    std::sort(events.begin(), events.end());
    do {
        Pawn* pawn = flow.spawn(role);
        std::string order;
        for (Name event : events) {
            order += fmt::format("{} ", event);
            if (event == Name("ext") || event == Name("hero"))
                flow.begin(*pawn, event);
            else
                flow.come(*pawn, event);
        }
        SCOPED_TRACE(order);
        ASSERT_NO_FATAL_FAILURE(flow.expect_ready(*pawn));
    } while (std::next_permutation(events.begin(), events.end()));
    EXPECT_EQ(flow.game.manager().init_counts().actors, 0u);
}

template <class Pawn> void climb_in_all_orders_on_a_server() {
    Flow<Pawn> flow(NetMode::DedicatedServer);
    std::vector<Name> facts = kFacts;
    std::sort(facts.begin(), facts.end());
    do {
        for (std::size_t spawned_after = 0; spawned_after <= facts.size(); ++spawned_after) {
            const auto middle = facts.begin() + static_cast<std::ptrdiff_t>(spawned_after);
            Pawn* pawn = flow.spawn(Role::Authority, std::vector<Name>(facts.begin(), middle));
            for (auto fact = middle; fact != facts.end(); ++fact) flow.come(*pawn, *fact);
            ASSERT_NO_FATAL_FAILURE(flow.expect_ready(*pawn));
        }
    } while (std::next_permutation(facts.begin(), facts.end()));
}

TEST(PawnFlow, by_hooks_every_order_of_arrival_ends_ready_with_each_step_done_once) {
    // I-30, I-32, I-33, I-34, I-55
    climb_in_all_orders_on_a_server<HookPawn>();
    climb_in_all_orders_on_a_client<HookPawn>(Role::AutonomousProxy);
    climb_in_all_orders_on_a_client<HookPawn>(Role::SimulatedProxy);
}

TEST(PawnFlow, by_declared_needs_every_order_of_arrival_ends_ready_with_each_step_done_once) {
    //
    climb_in_all_orders_on_a_server<NeedPawn>();
    climb_in_all_orders_on_a_client<NeedPawn>(Role::AutonomousProxy);
    climb_in_all_orders_on_a_client<NeedPawn>(Role::SimulatedProxy);
}

// Both halves of the reference to the player state may be late, on every side.
void link_in_all_orders(NetMode mode, Role role) {
    Flow<LinkedPawn> flow(mode);
    World& world = flow.game.world();
    std::vector<Name> events{Name("pawn_data"), Name("controller"), Name("input"), Name("arrival"), Name("reference")};
    if (mode == NetMode::Client) events.insert(events.end(), {Name("ext"), Name("hero")});
    std::sort(events.begin(), events.end());
    do {
        LinkedPawn* pawn = flow.spawn(role);
        const ActorId state = flow.game.spawn<PlayerState>()->id();
        std::string order;
        for (Name event : events) {
            order += fmt::format("{} ", event);
            if (event == Name("arrival"))
                flow.game.set(*world.find(state), "PlayerState", kAvailable);
            else if (event == Name("reference"))
                pawn->player_state = state;
            else if (event == Name("ext") || event == Name("hero"))
                flow.begin(*pawn, event);
            else
                flow.come(*pawn, event);
        }
        SCOPED_TRACE(order);
        flow.game.manager().settle();  // asks again where the player state is
        ASSERT_NO_FATAL_FAILURE(flow.expect_ready(*pawn));
        world.destroy(state);
    } while (std::next_permutation(events.begin(), events.end()));
    EXPECT_EQ(flow.game.manager().init_counts().actors, 0u);
}

TEST(PawnFlow, a_player_state_that_is_an_actor_may_come_before_or_after_the_reference_to_it) {
    //
    link_in_all_orders(NetMode::DedicatedServer, Role::Authority);
    link_in_all_orders(NetMode::Client, Role::AutonomousProxy);
    link_in_all_orders(NetMode::Client, Role::SimulatedProxy);
}

// How far each gets with some of the facts, as the table of the parts says.
std::string expected(Role role, const std::vector<Name>& facts) {
    const auto has = [&](const char* name) { return std::find(facts.begin(), facts.end(), Name(name)) != facts.end(); };
    const bool is_local = role == Role::AutonomousProxy, is_proxy = role == Role::SimulatedProxy;
    const bool ext = has("pawn_data") && (is_proxy || has("controller"));
    const bool hero = has("player_state") && (is_proxy || has("controller")) && (!is_local || has("input"));
    const auto state = [&](bool is_there) { return is_there ? (ext && hero ? kReady : kAvailable) : kSpawned; };
    return fmt::format("{} {}", state(ext), state(hero));
}

template <class Pawn> std::string reached(Role role, const std::vector<Name>& facts) {
    Flow<Pawn> flow(NetMode::DedicatedServer);
    Pawn* pawn = flow.spawn(role, facts);
    ComponentManager& manager = flow.game.manager();
    return fmt::format("{} {}", manager.init_state(*pawn, kExt), manager.init_state(*pawn, kHero));
}

TEST(PawnFlow, both_ways_have_the_same_truth_table) {
    //
    for (Role role : {Role::Authority, Role::AutonomousProxy, Role::SimulatedProxy})
        for (unsigned bits = 0; bits < 16; ++bits) {
            std::vector<Name> facts;
            for (std::size_t i = 0; i < kFacts.size(); ++i)
                if ((bits >> i & 1) != 0) facts.push_back(kFacts[i]);
            SCOPED_TRACE(fmt::format("{} {}", to_string(role), bits));
            EXPECT_EQ(reached<HookPawn>(role, facts), expected(role, facts));
            EXPECT_EQ(reached<NeedPawn>(role, facts), expected(role, facts));
        }
}

// The line below the first feature that is named.
template <class Pawn> std::string first_cause(Name missing) {
    Flow<Pawn> flow(NetMode::DedicatedServer);
    std::vector<Name> facts = kFacts;
    std::erase(facts, missing);
    Pawn* pawn = flow.spawn(Role::AutonomousProxy, facts);
    std::string text = flow.game.manager().explain_actor_init(*pawn);
    for (int line = 0; line < 2; ++line) text = text.substr(text.find('\n') + 1);
    return text.substr(0, text.find('\n'));
}

TEST(PawnFlow, what_is_missing_is_named_first) {
    //
    for (Name missing : kFacts) {
        EXPECT_EQ(first_cause<HookPawn>(missing), fmt::format("    refused DataAvailable: no {}", missing));
        EXPECT_EQ(first_cause<NeedPawn>(missing),
                  fmt::format("    needs {}: it did not hold when it was asked last; signal {} asks it again", missing,
                              missing));
    }
}

}  // namespace pawn_flow_test
}  // namespace lyre::framework
