#include "lyre/gameplay/hero.h"

#include <algorithm>

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace hero_test {

struct Heroes : SmallMatch {
    Heroes() {
        house.experience("tag", "pawn = \"walker\"\n");
        open();
        load("tag");
    }
};

TEST(Hero, of_a_person_binds_input_once_and_features_are_told_controller_first) {
    // I-41, I-42, I-43, I-57
    Heroes match;
    const auto heard = match.manager().add_extension_handler(
        framework::Selector("ModularActor"), [](Actor& actor, Name event, const framework::EventPayload&) {
            if (event == framework::events::kBindInputsNow)
                told().push_back(fmt::format("bind({})", actor.type().name));
        });
    ASSERT_TRUE(heard.status().is_ok());
    LocalPlayer person(Name("anna"));
    ASSERT_TRUE(person.add_context({Name("left over"), 9, false, {{Name("Space"), Name("Sleep")}}}).is_ok());
    PlayerController& anna = match.login("anna", &person);
    match.frames(3);
    ASSERT_NE(anna.pawn(), nullptr);
    EXPECT_EQ(story(),
              "hero:Spawned hero:DataAvailable bind(PlayerController) bind(Walker) hero:DataInitialized "
              "hero:GameplayReady");
    EXPECT_EQ(person.contexts(), (std::vector{Name("walking"), Name("menus")}));
    EXPECT_EQ(anna.camera_mode(), Name("above"));
    EXPECT_TRUE(person.press(Name("Space")));  // walking goes before menus
    EXPECT_TRUE(person.release(Name("Escape")));
    EXPECT_FALSE(person.press(Name("Enter")));  // nobody maps it
    EXPECT_EQ(story(), "Jump+ Jump-");
    ASSERT_TRUE(person.remove_context(Name("walking")));
    EXPECT_FALSE(person.press(Name("Space")));  // Choose, which nobody has bound
}

TEST(Hero, that_loses_its_controller_gives_input_back_and_climbs_again_with_the_next) {
    // X-309, I-42
    Heroes match;
    LocalPlayer first(Name("anna")), second(Name("bert"));
    PlayerController& anna = match.login("anna", &first);
    match.frames(3);
    Pawn& pawn = *anna.pawn();
    auto& hero = *pawn.find<LoudHero>();
    EXPECT_TRUE(hero.is_ready_to_bind_inputs());
    story();
    anna.unpossess();
    match.frames(2);
    EXPECT_EQ(match.manager().init_state(pawn, kHero), kSpawned);
    EXPECT_FALSE(hero.is_ready_to_bind_inputs());
    EXPECT_EQ(pawn.find<InputComponent>()->count(), 0u);
    EXPECT_TRUE(first.contexts().empty());
    EXPECT_EQ(anna.camera_mode(), Name());
    PlayerController& bert = match.login("bert", &second);
    match.world().destroy(bert.pawn()->id());
    story();
    ASSERT_TRUE(bert.possess(pawn).is_ok());
    match.frames(2);
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
    EXPECT_EQ(pawn.find<InputComponent>()->count(), 1u);
    EXPECT_FALSE(first.press(Name("Space")));
    story();
    EXPECT_TRUE(second.press(Name("Space")));
    EXPECT_EQ(story(), "Jump+");
}

TEST(PawnExtension, is_one_per_pawn_and_takes_its_data_once_from_the_server) {
    // I-47, I-48
    Heroes match;
    PlayerController& anna = match.login("anna");
    Pawn& pawn = *anna.pawn();
    EXPECT_FALSE(pawn.add<PawnExtensionComponent>(Name("second")).is_ok());
    EXPECT_FALSE(pawn.find<PawnExtensionComponent>()->set_pawn_data({Name("pawn_data"), Name("runner")}).is_ok());
    EXPECT_EQ(match.reports("gameplay.pawn_data_refused"), 1u);
    EXPECT_EQ(match.manager().init_states(),
              (std::vector{kSpawned, kDataAvailable, kDataInitialized, kGameplayReady}));  // I-51
}

TEST(Hero, nameplates_hear_of_every_pawn_that_is_ready_once) {
    // I-49
    Heroes match;
    PlayerController& anna = match.login("anna");
    match.frames(2);
    std::vector<ActorId> plates;
    const auto hears = match.manager().register_and_call_for_class_init_state(
        Name("Pawn"), kPawnExtension, kGameplayReady,
        [&](const framework::InitStateChange& change) { plates.push_back(change.actor.id()); });
    PlayerController& bert = match.login("bert");
    match.frames(2);
    EXPECT_EQ(plates, (std::vector{anna.pawn()->id(), bert.pawn()->id()}));
}

// Everything a pawn of a player waits for, in every order, on every side. On a client values come one by one, and each
// component begins play when its own have come.
struct Arrival {
    Arrival(SmallMatch& match, NetMode mode, Role role) : world(*match.open(mode).world()) {
        const Role theirs = mode == NetMode::Client ? Role::AutonomousProxy : Role::Authority;
        player = *world.spawn<PlayerState>({.role = theirs});
        controller = *world.spawn<PlayerController>({.role = theirs});
        pawn = *world.spawn<Walker>({.role = role}, [&](Walker& walker) {
            if (mode != NetMode::Client) return;
            for (Component* part = walker.first_component(); part != nullptr; part = part->next())
                world.hold_begin_play(*part).ignore();
        });
    }
    void come(const std::string& what) {
        Actor& actor = *world.find(pawn);
        Pawn& walker = *actor.as<Pawn>();
        if (what == "data") {
            actor.find<PawnExtensionComponent>()->set(Name("pawn_data"), "pawn_data:walker").ignore();
            walker.signal(kPawnDataSignal);
        } else if (what == "controller") {
            actor.set(Name("controller"), fmt::format("{}", controller)).ignore();
            walker.signal(kControllerSignal);
        } else if (what == "player") {
            actor.set(Name("player_state"), fmt::format("{}", player)).ignore();
            walker.signal(kPlayerStateSignal);
        } else if (what == "link") {
            world.find(controller)->set(Name("player_state"), fmt::format("{}", player)).ignore();
            walker.signal(kControllerSignal);
        } else if (what == "person") {
            world.find<PlayerController>(controller)->set(Name("pawn"), fmt::format("{}", pawn)).ignore();
            EXPECT_TRUE(world.find<PlayerController>(controller)->receive_player(&person).is_ok());
        } else {
            world.release_begin_play(*actor.find_component(Name(what))).ignore();
        }
    }
    World& world;
    LocalPlayer person{Name("anna")};
    ActorId player, controller, pawn;
};

void climb_in_all_orders(NetMode mode, Role role) {
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    match.load("tag");  // so that the data is in memory
    std::vector<std::string> events{"controller", "data", "link", "person", "player"};
    if (mode == NetMode::Client) events.insert(events.end(), {"extension", "hero"});
    std::sort(events.begin(), events.end());
    do {
        story();
        Arrival arrival(match, mode, role);
        std::string order;
        if (mode == NetMode::Client) arrival.come("input");
        for (const std::string& event : events) {
            arrival.come(event);
            order += event + " ";
        }
        auto& manager = *framework::ComponentManager::of(arrival.world);
        manager.settle();
        const Actor& pawn = *arrival.world.find(arrival.pawn);
        ASSERT_TRUE(manager.is_actor_ready(pawn, kGameplayReady)) << order << manager.explain_actor_init(pawn);
        std::string steps = story();
        for (Name state : {kSpawned, kDataAvailable, kDataInitialized, kGameplayReady}) {
            const std::string step = fmt::format("hero:{}", state);
            ASSERT_NE(steps.find(step), std::string::npos) << order << steps;
            ASSERT_EQ(steps.find(step), steps.rfind(step)) << order << steps;
        }
        if (role != Role::SimulatedProxy) {
            ASSERT_EQ(pawn.find<InputComponent>()->count(), 1u) << order;
        }
        match.games.back()->close_world();
        match.games.pop_back();
    } while (std::next_permutation(events.begin(), events.end()));
}

TEST(Hero, becomes_ready_whatever_comes_when) {
    // I-37, I-39, I-40, I-44, I-56
    climb_in_all_orders(NetMode::Standalone, Role::Authority);
    climb_in_all_orders(NetMode::Client, Role::AutonomousProxy);
}

}  // namespace hero_test
}  // namespace lyre::gameplay
