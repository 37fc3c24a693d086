#include "lyre/gameplay/hero.h"

#include <algorithm>
#include <optional>

#include "tests/effort.h"
#include "tests/gameplay/parcel.h"

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
    EXPECT_FALSE(person.release(Name("Escape"))) << "it was not pressed";
    EXPECT_TRUE(person.press(Name("Escape")));
    EXPECT_TRUE(person.release(Name("Escape")));
    EXPECT_FALSE(person.press(Name("Enter")));  // nobody maps it
    EXPECT_EQ(story(), "Jump+ Jump+ Jump-");
    ASSERT_TRUE(person.remove_context(Name("walking")));
    EXPECT_FALSE(person.press(Name("Space")));  // Choose, which nobody has bound
}

TEST(Hero, a_controller_that_ends_takes_its_input_along) {
    // X-309, I-42
    Heroes match;
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    match.frames(3);
    Pawn& pawn = *anna.pawn();
    const auto keeper = match.world().spawn<AIController>();
    EXPECT_FALSE(person.contexts().empty());
    EXPECT_EQ(anna.player_state()->pawn(), &pawn);
    const ActorId player = anna.player_state()->id();
    const Connection keeps =
        match.state().player_removed.add([&](PlayerState& gone) { EXPECT_EQ(gone.pawn(), nullptr); });
    match.world().destroy(anna.id());
    EXPECT_TRUE(person.contexts().empty());
    EXPECT_EQ(person.controller(), nullptr);
    EXPECT_EQ(match.world().find(player), nullptr);
    match.world().destroy(*keeper);
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

constexpr NetMode kModes[] = {NetMode::Standalone, NetMode::DedicatedServer, NetMode::ListenServer, NetMode::Client};

TEST(PawnExtension, has_its_data_exactly_when_the_table_says_so) {
    // I-37
    struct Row {
        Role role;
        const char *data, *controller;
        bool is_available;
    };
    const Role kAuthority = Role::Authority, kOwned = Role::AutonomousProxy, kSeen = Role::SimulatedProxy;
    const Row rows[] = {
        {kAuthority, "", "", false},
        {kAuthority, "", "AIController", false},
        {kAuthority, "pawn_data:walker", "", false},
        {kAuthority, "pawn_data:walker", "AIController", true},
        {kAuthority, "pawn_data:walker", "PlayerController", true},
        {kAuthority, "pawn_data:runner", "AIController", false},  // not loaded
        {kOwned, "", "PlayerController", false},
        {kOwned, "pawn_data:walker", "", false},
        {kOwned, "pawn_data:walker", "PlayerController", true},
        {kOwned, "pawn_data:runner", "PlayerController", false},
        {kSeen, "", "", false},
        {kSeen, "pawn_data:walker", "", true},
        {kSeen, "pawn_data:runner", "", false},
    };
    Parcel match;
    for (NetMode mode : kModes)
        for (const Row& row : rows) {
            if ((row.role == kAuthority) == (mode == NetMode::Client)) continue;
            World& world = match.open_loaded(mode);
            auto& pawn = Parcel::make<Shell>(world, row.role);
            auto& extension = *pawn.find<PawnExtensionComponent>();
            if (*row.data != '\0') Parcel::arrives(extension, "pawn_data", row.data);
            if (*row.controller != '\0') {
                const auto by = world.spawn(row.controller, {.role = row.role});
                Parcel::arrives(*world.find(*by), "pawn", text_of(pawn.id()));
                Parcel::arrives(pawn, "controller", text_of(*by));
            }
            const std::string what =
                fmt::format("{} {} '{}' '{}'", to_string(mode), to_string(row.role), row.data, row.controller);
            EXPECT_EQ(extension.has_reached_init_state(kDataAvailable), row.is_available) << what;
            EXPECT_EQ(story(), row.is_available ? "extension:Spawned extension:DataAvailable extension:DataInitialized "
                                                  "extension:GameplayReady"
                                                : "extension:Spawned")
                << what;
            match.close_last();
        }
}

TEST(Hero, has_its_data_exactly_when_the_table_says_so) {
    // I-40
    enum Who : std::uint8_t { Nobody, Bot, Person, PersonWithoutPlayer, PersonHere };
    struct Row {
        Role role;
        Who who;
        const char* player;  // of the pawn: none, its controller's ("same"), another's
        bool has_input;
        bool is_available;
    };
    const Role kAuthority = Role::Authority, kOwned = Role::AutonomousProxy, kSeen = Role::SimulatedProxy;
    const Row rows[] = {
        {kAuthority, Nobody, "", true, false},
        {kAuthority, Nobody, "same", true, false},
        {kAuthority, Bot, "", true, false},
        {kAuthority, Bot, "other", true, false},
        {kAuthority, Bot, "same", false, true},  // nobody sits anywhere: no input is needed
        {kAuthority, Person, "", true, false},
        {kAuthority, Person, "other", true, false},
        {kAuthority, Person, "same", false, true},  // sits elsewhere
        {kAuthority, PersonWithoutPlayer, "same", true, false},
        {kAuthority, PersonHere, "same", false, false},
        {kAuthority, PersonHere, "other", true, false},
        {kAuthority, PersonHere, "same", true, true},
        {kOwned, Nobody, "same", true, false},
        {kOwned, PersonWithoutPlayer, "same", true, false},
        {kOwned, PersonHere, "", true, false},
        {kOwned, PersonHere, "other", true, false},
        {kOwned, PersonHere, "same", false, false},
        {kOwned, PersonHere, "same", true, true},
        {kSeen, Nobody, "", false, false},
        {kSeen, Nobody, "same", false, true},
    };
    Parcel match;
    for (NetMode mode : kModes)
        for (const Row& row : rows) {
            if ((row.role == kAuthority) == (mode == NetMode::Client)) continue;
            World& world = match.open_loaded(mode);
            LocalPlayer person(Name("anna"));
            auto& pawn = Parcel::make<Loud>(world, row.role);
            Parcel::arrives(*pawn.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:walker");
            const ActorId same = Parcel::make<PlayerState>(world, row.role).id();
            const ActorId other = Parcel::make<PlayerState>(world, row.role).id();
            if (row.has_input) {
                ASSERT_TRUE(pawn.add<InputComponent>().is_ok());
            }
            if (*row.player != '\0')
                Parcel::arrives(pawn, "player_state", text_of(row.player == std::string("same") ? same : other));
            if (row.who != Nobody) {
                Controller& by = row.who == Bot ? static_cast<Controller&>(Parcel::make<AIController>(world, row.role))
                                                : Parcel::make<PlayerController>(world, row.role);
                Parcel::arrives(by, "player_state", text_of(same));
                Parcel::arrives(by, "pawn", text_of(pawn.id()));
                Parcel::arrives(pawn, "controller", text_of(by.id()));
                if (row.who == Person || row.who == PersonHere) {
                    EXPECT_TRUE(by.as<PlayerController>()->receive_player(row.who == Person ? nullptr : &person));
                }
            }
            const std::string what = fmt::format("{} {} {} '{}' {}", to_string(mode), to_string(row.role),
                                                 static_cast<int>(row.who), row.player, row.has_input);
            EXPECT_EQ(pawn.find<HeroComponent>()->has_reached_init_state(kDataAvailable), row.is_available) << what;
            auto& manager = *framework::ComponentManager::of(world);
            EXPECT_EQ(manager.is_actor_ready(pawn, kGameplayReady), row.is_available)
                << what << manager.explain_actor_init(pawn);
            match.close_last();
        }
}

TEST(PawnExtension, of_a_client_waits_for_its_data_to_be_loaded_and_climbs_again_with_other_data) {
    // I-37, X-06
    Parcel match;
    match.house.experience("run", "pawn = \"runner\"\nassets = [\"pawn_data:walker\"]\n");
    // In one world for simplicity: what counts is that the pawn is not the server's, and names data before it is there.
    World& world = match.world();
    auto& pawn = Parcel::make<Shell>(world, Role::SimulatedProxy);
    auto& extension = *pawn.find<PawnExtensionComponent>();
    Parcel::arrives(extension, "pawn_data", "pawn_data:runner");
    EXPECT_EQ(story(), "extension:Spawned");
    match.load("run");
    EXPECT_EQ(story(), "extension:DataAvailable extension:DataInitialized extension:GameplayReady");
    Parcel::arrives(extension, "pawn_data", "pawn_data:runner");  // the same again
    match.load("tag");
    EXPECT_EQ(story(), "");
    match.load("run");
    Parcel::arrives(extension, "pawn_data", "pawn_data:walker");
    EXPECT_EQ(story(), "extension:DataAvailable extension:DataInitialized extension:GameplayReady");
    EXPECT_TRUE(match.is_ready(pawn));
}

// Attempts of a part that is stuck before its data: each is refused and traced.
std::size_t rechecks(SmallMatch& match, const char* part) {
    std::size_t count = 0;
    for (const TraceLine& line : match.house.runtime().trace().lines())
        if (line.kind == Name("init.refusal") && line.to_string().find(part) != std::string::npos &&
            line.to_string().find("DataAvailable refused") != std::string::npos)
            ++count;
    return count;
}

TEST(PawnExtension, looks_again_once_for_each_thing_that_comes_or_goes) {
    // I-39: of a pawn whose other parts do not move, which would be a reason of its own (I-38)
    Parcel match;
    World& world = match.world();
    const auto once = [&](const char* what, const std::function<void()>& trigger) {
        const std::size_t before = rechecks(match, "PawnExtension");
        trigger();
        EXPECT_EQ(rechecks(match, "PawnExtension") - before, 1u) << what;
    };
    Pawn* pawn = nullptr;
    once("begin_play", [&] { pawn = &Parcel::make<Shell>(world); });
    auto& bot = Parcel::make<AIController>(world);
    auto& player = Parcel::make<PlayerState>(world);
    once("controller gained", [&] { EXPECT_TRUE(bot.possess(*pawn).is_ok()); });
    once("PlayerState set", [&] { bot.set_player_state(player.id()); });
    once("input set up", [&] { EXPECT_TRUE(pawn->add<InputComponent>().is_ok()); });
    bot.set_player_state({});
    once("controller lost", [&] { bot.unpossess(); });
    once("PawnData set", [&] {  // data that is not loaded: it looks, and still has none
        EXPECT_TRUE(pawn->find<PawnExtensionComponent>()->set_pawn_data({Name("pawn_data"), Name("runner")}).is_ok());
    });

    World& client = *match.open(NetMode::Client).world();
    once("begin_play on a client", [&] { pawn = &Parcel::make<Shell>(client, Role::AutonomousProxy); });
    auto& extension = *pawn->find<PawnExtensionComponent>();
    once("PawnData replicated", [&] { Parcel::arrives(extension, "pawn_data", "pawn_data:runner"); });
    auto player_state = client.spawn_deferred<PlayerState>({.role = Role::AutonomousProxy});
    auto controller = client.spawn_deferred<PlayerController>({.role = Role::AutonomousProxy});
    const ActorId by = controller->actor().id();
    once("PlayerState replicated",
         [&] { Parcel::arrives(*pawn, "player_state", text_of(player_state->actor().id())); });
    once("controller replicated", [&] { Parcel::arrives(*pawn, "controller", text_of(by)); });
    once("PlayerState here", [&] { EXPECT_TRUE(player_state->finish().is_ok()); });
    once("controller here", [&] { EXPECT_TRUE(controller->finish().is_ok()); });
    once("the controller's pawn replicated", [&] { Parcel::arrives(*client.find(by), "pawn", text_of(pawn->id())); });
}

struct Bare : Pawn {
    using Described = Bare;
    static void describe(TypeBuilder<Bare>& t) {
        t.parent<Pawn>();
        t.component<LoudHero>("hero");
    }
};

TEST(Hero, looks_again_once_for_each_thing_that_it_waits_for) {
    // I-39, I-40: of a pawn without an extension, which would ask it once more (I-38)
    Parcel match;
    ASSERT_TRUE(match.house.runtime().types().add<Bare>().is_ok());
    World& world = match.world();
    const auto looks = [&](const char* what, std::size_t times, const std::function<void()>& trigger) {
        const std::size_t before = rechecks(match, "Hero");
        trigger();
        EXPECT_EQ(rechecks(match, "Hero") - before, times) << what;
    };
    Pawn* pawn = nullptr;
    looks("begin_play", 1, [&] { pawn = &Parcel::make<Bare>(world); });
    auto& bot = Parcel::make<AIController>(world);
    looks("controller gained", 1, [&] { EXPECT_TRUE(bot.possess(*pawn).is_ok()); });
    looks("input set up", 1, [&] { EXPECT_TRUE(pawn->add<InputComponent>().is_ok()); });
    looks("controller lost", 1, [&] { bot.unpossess(); });

    World& client = *match.open(NetMode::Client).world();
    looks("begin_play on a client", 1, [&] { pawn = &Parcel::make<Bare>(client, Role::AutonomousProxy); });
    auto player_state = client.spawn_deferred<PlayerState>({.role = Role::AutonomousProxy});
    auto controller = client.spawn_deferred<PlayerController>({.role = Role::AutonomousProxy});
    const ActorId by = controller->actor().id();
    looks("PlayerState replicated", 1,
          [&] { Parcel::arrives(*pawn, "player_state", text_of(player_state->actor().id())); });
    looks("controller replicated", 1, [&] { Parcel::arrives(*pawn, "controller", text_of(by)); });
    looks("PlayerState here", 1, [&] { EXPECT_TRUE(player_state->finish().is_ok()); });
    looks("controller here", 1, [&] { EXPECT_TRUE(controller->finish().is_ok()); });
    looks("the controller's pawn replicated", 1,
          [&] { Parcel::arrives(*client.find(by), "pawn", text_of(pawn->id())); });
}

// Everything a pawn of a player waits for, in every order, on every side. On a client values come one by one, and each
// component begins play when its own have come. What comes for an actor that is not there is among its first values.
struct Arrival {
    Arrival(Parcel& match, NetMode mode, Role role) : match(match), world(*match.open(mode).world()) {
        const Role theirs = mode == NetMode::Client ? Role::AutonomousProxy : Role::Authority;
        late_player.emplace(*world.spawn_deferred<PlayerState>({.role = theirs}));
        late_controller.emplace(*world.spawn_deferred<PlayerController>({.role = theirs}));
        late_pawn.emplace(*world.spawn_deferred<Loud>({.role = role}));
        player = late_player->actor().id();
        controller = late_controller->actor().id();
        pawn = late_pawn->actor().id();
        if (mode == NetMode::Client)
            for (Component* part = late_pawn->actor().first_component(); part != nullptr; part = part->next())
                world.hold_begin_play(*part).ignore();
    }
    Actor& actor_of(World::DeferredSpawn& late, ActorId id) {
        Actor* there = world.find(id);
        return there != nullptr ? *there : late.actor();
    }
    // The value alone; the notice is for the caller.
    std::function<void()> writes(const std::string& what) {
        Actor& steered = actor_of(*late_pawn, pawn);
        Actor& by = actor_of(*late_controller, controller);
        if (what == "data") {
            auto& extension = *steered.find<PawnExtensionComponent>();
            return noticed(extension, Parcel::writes(extension, "pawn_data", "pawn_data:walker"));
        }
        if (what == "controller") return noticed(steered, Parcel::writes(steered, "controller", text_of(controller)));
        if (what == "player") return noticed(steered, Parcel::writes(steered, "player_state", text_of(player)));
        if (what == "link") return noticed(by, Parcel::writes(by, "player_state", text_of(player)));
        if (what == "its pawn") return noticed(by, Parcel::writes(by, "pawn", text_of(pawn)));
        return {};
    }
    // Nobody hears of a value before begin_play; then of each once (N-182, N-183).
    template <class T> static std::function<void()> noticed(const T& of, std::function<void()> notice) {
        return of.has_begun_play() ? std::move(notice) : [] {};
    }
    template <class T> static void begins(T& object) {
        if (object.has_begun_play()) Parcel::first_notices(object);
    }
    void actor_begins(ActorId id) {
        Actor& actor = *world.find(id);
        if (actor.has_authority()) return;
        begins(actor);
        for (Component* part = actor.first_component(); part != nullptr; part = part->next()) begins(*part);
    }
    void come(const std::string& what) {
        if (const auto notice = writes(what)) {
            notice();
        } else if (what == "person") {
            writes("its pawn")();
            EXPECT_TRUE(world.find<PlayerController>(controller)->receive_player(&person).is_ok());
        } else if (what == "input") {
            EXPECT_TRUE(world.find(pawn)->add<InputComponent>().is_ok());
        } else if (what == "pawn") {
            EXPECT_TRUE(late_pawn->finish().is_ok());
            actor_begins(pawn);
        } else if (what == "the player") {
            EXPECT_TRUE(late_player->finish().is_ok());
            actor_begins(player);
        } else if (what == "the controller") {
            EXPECT_TRUE(late_controller->finish().is_ok());
            actor_begins(controller);
        } else if (what == "game state") {
            Parcel::make<GameState>(world, Role::SimulatedProxy);
            if (is_load_early) match.load_in(world);
        } else if (what == "loaded") {
            is_load_early = Match::state(world) == nullptr;  // it comes with the GameState then
            if (!is_load_early) match.load_in(world);
        } else {
            Component& part = *actor_of(*late_pawn, pawn).find_component(Name(what));
            world.release_begin_play(part).ignore();
            begins(part);
        }
    }
    Parcel& match;
    World& world;
    LocalPlayer person{Name("anna")};
    std::optional<World::DeferredSpawn> late_player, late_controller, late_pawn;
    ActorId player, controller, pawn;
    bool is_load_early = false;
};

void expect_ready_and_each_step_once(Arrival& arrival, Role role, const std::string& order) {
    auto& manager = *framework::ComponentManager::of(arrival.world);
    manager.settle();
    const Actor& pawn = *arrival.world.find(arrival.pawn);
    ASSERT_TRUE(manager.is_actor_ready(pawn, kGameplayReady)) << order << manager.explain_actor_init(pawn);
    const std::string steps = story();
    for (const char* part : {"hero", "extension"})
        for (Name state : {kSpawned, kDataAvailable, kDataInitialized, kGameplayReady}) {
            const std::string step = fmt::format("{}:{}", part, state);
            ASSERT_NE(steps.find(step), std::string::npos) << order << steps;
            ASSERT_EQ(steps.find(step), steps.rfind(step)) << order << steps;
        }
    const bool is_steered_here = role != Role::SimulatedProxy;
    ASSERT_EQ(pawn.find<InputComponent>()->count(), is_steered_here ? 1u : 0u) << order;
    ASSERT_EQ(arrival.person.contexts().size(), is_steered_here ? 2u : 0u) << order;
}

// `first`: what is there before the orders begin; `last`: what can only come at the end.
void climb_in_all_orders(NetMode mode, Role role, std::vector<std::string> events,
                         const std::vector<std::string>& first, const std::vector<std::string>& last = {}) {
    Parcel match;
    std::sort(events.begin(), events.end());
    std::size_t orders = 0;
    do {
        story();
        std::optional<Arrival> arrival(std::in_place, match, mode, role);
        std::string order;
        for (const auto* list : {&first, static_cast<const std::vector<std::string>*>(&events), &last})
            for (const std::string& event : *list) {
                arrival->come(event);
                order += event + " ";
                const Actor* pawn = arrival->world.find(arrival->pawn);
                const experience::Host* host = Gameplay::of(arrival->world)->host(arrival->world);
                if (host != nullptr && host->is_experience_loaded()) continue;
                ASSERT_EQ(pawn != nullptr && pawn->find<HeroComponent>()->has_reached_init_state(kDataInitialized),
                          false)
                    << "before it is Loaded: " << order;
            }
        expect_ready_and_each_step_once(*arrival, role, order);
        ASSERT_EQ(match.reports("gameplay.no_pawn_data"), 0u) << order;
        arrival.reset();  // with a player, who may never have come
        match.close_last();
        ++orders;
    } while (!testing::Test::HasFatalFailure() && next_order(events));
    EXPECT_GT(orders, 1u);
}

TEST(Hero, becomes_ready_whatever_comes_when_and_every_step_is_done_once) {
    // I-37, I-40, I-44, I-56
    climb_in_all_orders(NetMode::Standalone, Role::Authority,
                        {"controller", "data", "input", "link", "person", "player"},
                        {"loaded", "pawn", "the player", "the controller"});
    climb_in_all_orders(NetMode::Client, Role::AutonomousProxy,
                        {"controller", "data", "link", "person", "player", "extension", "hero"},
                        {"game state", "loaded", "pawn", "the player", "the controller", "input"});
    climb_in_all_orders(NetMode::Client, Role::AutonomousProxy,
                        {"controller", "data", "input", "link", "person", "player"},
                        {"game state", "loaded", "pawn", "the player", "the controller", "extension", "hero"});
}

TEST(Hero, becomes_ready_also_when_the_pawn_or_the_experience_come_last) {
    // I-56, I-44, E-75
    climb_in_all_orders(NetMode::Standalone, Role::Authority,
                        {"controller", "data", "loaded", "pawn", "person", "player"},
                        {"the player", "the controller", "link"}, {"input"});
    climb_in_all_orders(NetMode::Client, Role::AutonomousProxy,
                        {"controller", "data", "game state", "loaded", "pawn", "person"},
                        {"the player", "the controller", "link", "player", "extension", "hero"}, {"input"});
    climb_in_all_orders(NetMode::Client, Role::AutonomousProxy,
                        {"data", "extension", "game state", "hero", "loaded", "pawn"},
                        {"the player", "the controller", "link", "player", "controller", "person"}, {"input"});
    climb_in_all_orders(NetMode::Client, Role::SimulatedProxy,
                        {"data", "game state", "loaded", "pawn", "player", "the player"}, {"extension", "hero"},
                        {"input"});
}

TEST(Hero, becomes_ready_also_when_values_name_actors_that_come_later) {
    // I-56, I-39
    climb_in_all_orders(NetMode::Client, Role::AutonomousProxy,
                        {"controller", "data", "link", "player", "the player", "the controller"},
                        {"game state", "loaded", "pawn", "input", "extension", "hero"}, {"person"});
}

TEST(Hero, that_others_merely_watch_becomes_ready_without_a_controller) {
    // I-56, I-40, I-37
    climb_in_all_orders(NetMode::Client, Role::SimulatedProxy,
                        {"data", "input", "player", "the player", "extension", "hero"},
                        {"game state", "loaded", "pawn"});
}

TEST(Hero, becomes_ready_when_all_values_of_a_frame_are_written_before_anybody_hears_of_one) {
    // I-56: as a network brings them
    Parcel match;
    for (Role role : {Role::AutonomousProxy, Role::SimulatedProxy}) {
        std::vector<std::string> values{"data", "player"};
        if (role == Role::AutonomousProxy) values.insert(values.begin(), {"controller", "its pawn", "link"});
        std::sort(values.begin(), values.end());
        do {
            story();
            std::optional<Arrival> arrival(std::in_place, match, NetMode::Client, role);
            for (const char* there : {"game state", "loaded", "extension", "hero", "pawn", "the player", "input"})
                arrival->come(there);
            if (role == Role::AutonomousProxy) {
                arrival->come("the controller");
                ASSERT_TRUE(arrival->world.find<PlayerController>(arrival->controller)
                                ->receive_player(&arrival->person)
                                .is_ok());
            }
            std::string order;
            std::vector<std::function<void()>> notices;
            for (const std::string& value : values) {
                notices.push_back(arrival->writes(value));
                order += value + " ";
            }
            for (const auto& notice : notices) notice();
            expect_ready_and_each_step_once(*arrival, role, order);
            arrival.reset();
            match.close_last();
        } while (!testing::Test::HasFatalFailure() && next_order(values));
    }
}

// How many of the class would be told BindInputsNow if they came to hear of it now.
int remembered(framework::ComponentManager& manager, const char* class_name) {
    int count = 0;
    const auto heard = manager.add_extension_handler(framework::Selector(class_name),
                                                     [&](Actor&, Name event, const framework::EventPayload&) {
                                                         count += event == framework::events::kBindInputsNow ? 1 : 0;
                                                     });
    return count;
}

TEST(Hero, of_the_next_pawn_keeps_what_it_has_taken_when_the_last_one_ends_after_it) {
    // X-309, I-42
    Heroes match;
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    match.frames(2);
    Walker& next = Parcel::make<Walker>(match.world());
    ASSERT_TRUE(next.find<PawnExtensionComponent>()->set_pawn_data({Name("pawn_data"), Name("walker")}).is_ok());
    {
        const World::CallScope phase(match.world());  // what is destroyed ends when it is over
        match.world().destroy(anna.pawn()->id());
        ASSERT_TRUE(anna.possess(next).is_ok());
        EXPECT_TRUE(match.is_ready(next)) << match.manager().explain_actor_init(next);
    }
    EXPECT_EQ(person.contexts(), (std::vector{Name("walking"), Name("menus")}));
    EXPECT_EQ(anna.camera_mode(), Name("above"));
    EXPECT_EQ(remembered(match.manager(), "PlayerController"), 1);
    story();
    EXPECT_TRUE(person.press(Name("Space")));
    EXPECT_EQ(story(), "Jump+");
    anna.unpossess();
    EXPECT_TRUE(person.contexts().empty());
    EXPECT_EQ(anna.camera_mode(), Name());
    EXPECT_EQ(remembered(match.manager(), "PlayerController"), 0);
}

// It is up no more, since its player leaves the pawn or somebody removes it.
void steer_on_when_released(bool is_removed) {
    Heroes match;
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    match.frames(2);
    Walker& next = Parcel::make<Walker>(match.world());
    ASSERT_TRUE(next.find<PawnExtensionComponent>()->set_pawn_data({Name("pawn_data"), Name("walker")}).is_ok());
    const auto goes_on = [&](const InputValue& value) {
        if (value.kind == InputValue::Kind::Released) {
            EXPECT_TRUE(anna.possess(next).is_ok());
        }
    };
    ASSERT_TRUE(anna.pawn()->find<InputComponent>()->bind(Name("Jump"), goes_on).is_ok());
    EXPECT_TRUE(person.press(Name("Space")));
    if (is_removed) {
        EXPECT_TRUE(match.world().remove_component(*anna.pawn()->find<HeroComponent>()).is_ok());
    } else {
        anna.unpossess();
    }
    EXPECT_EQ(anna.pawn(), &next);
    EXPECT_TRUE(match.is_ready(next)) << match.manager().explain_actor_init(next);
    EXPECT_EQ(person.contexts(), (std::vector{Name("walking"), Name("menus")}));
    EXPECT_EQ(anna.camera_mode(), Name("above"));
    EXPECT_EQ(anna.lent_to(), next.id());
    EXPECT_EQ(remembered(match.manager(), "PlayerController"), 1);
    story();
    EXPECT_TRUE(person.press(Name("Space")));
    EXPECT_EQ(story(), "Jump+");
}

TEST(Hero, whose_held_input_is_released_leaves_the_next_pawn_what_it_has_taken_meanwhile) {
    // X-309, I-42, I-57
    steer_on_when_released(false);
    steer_on_when_released(true);
}

// A client whose player has got a controller.
struct Seat {
    explicit Seat(Parcel& match)
        : world(match.open_loaded(NetMode::Client)),
          manager(*framework::ComponentManager::of(world)),
          player(Parcel::make<PlayerState>(world, Role::AutonomousProxy).id()),
          anna(Parcel::make<PlayerController>(world, Role::AutonomousProxy)) {
        Parcel::arrives(anna, "player_state", text_of(player));
        EXPECT_TRUE(anna.receive_player(&person).is_ok());
    }
    Loud& make(Role role) {
        auto& pawn = Parcel::make<Loud>(world, role);
        EXPECT_TRUE(pawn.add<InputComponent>().is_ok());
        return pawn;
    }
    std::function<void()> writes(Pawn& pawn, const std::string& value) {
        if (value == "data")
            return Parcel::writes(*pawn.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:walker");
        if (value == "controller") return Parcel::writes(pawn, "controller", text_of(anna.id()));
        if (value == "no controller") return Parcel::writes(pawn, "controller", text_of({}));
        if (value == "player") return Parcel::writes(pawn, "player_state", text_of(player));
        if (value == "no player") return Parcel::writes(pawn, "player_state", text_of({}));
        return Parcel::writes(anna, "pawn", text_of(pawn.id()));
    }
    // All written before the first is told of, or one by one.
    void take(bool is_one_frame, const std::vector<std::pair<Pawn*, std::string>>& values) {
        std::vector<std::function<void()>> notices;
        for (const auto& [pawn, value] : values) {
            notices.push_back(writes(*pawn, value));
            if (!is_one_frame) std::exchange(notices.back(), [] {})();
        }
        for (const auto& notice : notices) notice();
    }
    void expect_steers(Pawn& pawn, const std::string& what) {
        ASSERT_TRUE(manager.is_actor_ready(pawn, kGameplayReady)) << what << manager.explain_actor_init(pawn);
        EXPECT_TRUE(pawn.find<HeroComponent>()->is_ready_to_bind_inputs()) << what;
        EXPECT_EQ(pawn.find<InputComponent>()->count(), 1u) << what;
        EXPECT_EQ(person.contexts().size(), 2u) << what;
        EXPECT_EQ(anna.camera_mode(), Name("above")) << what;
        EXPECT_EQ(anna.lent_to(), pawn.id()) << what;
        EXPECT_EQ(remembered(manager, "PlayerController"), 1) << what;
        EXPECT_EQ(remembered(manager, "Loud"), 1) << what;
        story();
        EXPECT_TRUE(person.press(Name("Space"))) << what;
        EXPECT_TRUE(person.release(Name("Space"))) << what;
        EXPECT_EQ(story(), "Jump+ Jump-") << what;
    }
    void expect_does_not_steer(Pawn& pawn, bool is_watched, const std::string& what) {
        EXPECT_EQ(manager.is_actor_ready(pawn, kGameplayReady), is_watched) << what << manager.explain_actor_init(pawn);
        EXPECT_FALSE(pawn.find<HeroComponent>()->is_ready_to_bind_inputs()) << what;
        EXPECT_EQ(pawn.find<InputComponent>()->count(), 0u) << what;
    }
    World& world;
    framework::ComponentManager& manager;
    LocalPlayer person{Name("anna")};
    ActorId player;
    PlayerController& anna;
};

// A pawn of a client was steered from here, and the server gives its controller another one, and then that one again.
void change_pawns(Parcel& match, Role left, bool is_one_frame, const std::vector<std::string>& order) {
    std::string what = left == Role::SimulatedProxy ? "seen:" : "owned:";
    if (is_one_frame) what = "in one frame, " + what;
    for (const std::string& event : order) what += " " + event;
    {
        Seat seat(match);
        Loud& a = seat.make(left);
        seat.take(false, {{&a, "pawn"}, {&a, "controller"}, {&a, "player"}, {&a, "data"}});
        ASSERT_TRUE(a.find<HeroComponent>()->is_ready_to_bind_inputs()) << what;
        Loud& b = seat.make(Role::AutonomousProxy);
        std::vector<std::pair<Pawn*, std::string>> values;
        for (const std::string& event : order) values.emplace_back(event.starts_with("no ") ? &a : &b, event);
        seat.take(is_one_frame, values);
        seat.expect_steers(b, what);
        const bool is_watched = left == Role::SimulatedProxy;
        seat.expect_does_not_steer(a, is_watched && a.player_state() != nullptr, what);
        seat.take(is_one_frame, {{&b, "no controller"}, {&a, "pawn"}, {&a, "controller"}, {&a, "player"}});
        seat.expect_steers(a, "back, " + what);
        seat.expect_does_not_steer(b, false, "back, " + what);
        seat.world.destroy(b.id());
        seat.expect_steers(a, "alone, " + what);
    }
    match.close_last();
}

TEST(Hero, of_a_client_takes_over_from_the_last_one_in_whatever_order_the_server_tells_it) {
    // X-309, I-56
    Parcel match;
    for (bool is_one_frame : {false, true}) {
        std::vector<std::string> events{"data", "controller", "player", "pawn", "no controller", "no player"};
        std::sort(events.begin(), events.end());
        do change_pawns(match, Role::AutonomousProxy, is_one_frame, events);
        while (next_order(events) && !testing::Test::HasFailure());
        std::vector<std::string> untold{"controller", "data", "pawn", "player"};  // it is not the owner's any more
        do change_pawns(match, Role::SimulatedProxy, is_one_frame, untold);
        while (next_order(untold) && !testing::Test::HasFailure());
    }
}

TEST(Hero, that_was_watched_binds_input_when_its_pawn_becomes_ones_own) {
    // X-309, I-42, I-56
    Parcel match;
    for (bool is_one_frame : {false, true}) {
        std::vector<std::string> order{"controller", "pawn"};
        do {
            {
                const std::string what =
                    fmt::format("{} first, {}", order[0], is_one_frame ? "in one frame" : "one by one");
                Seat seat(match);
                Loud& pawn = seat.make(Role::SimulatedProxy);
                seat.take(false, {{&pawn, "player"}, {&pawn, "data"}});
                seat.expect_does_not_steer(pawn, true, what);
                seat.take(is_one_frame, {{&pawn, order[0]}, {&pawn, order[1]}});
                seat.expect_steers(pawn, what);
                seat.take(is_one_frame, {{&pawn, "no controller"}});
                seat.expect_does_not_steer(pawn, true, what);
                EXPECT_TRUE(seat.person.contexts().empty()) << what;
                EXPECT_EQ(seat.anna.camera_mode(), Name()) << what;
                EXPECT_EQ(remembered(seat.manager, "ModularActor"), 0) << what;
            }
            match.close_last();
        } while (next_order(order));
    }
}

TEST(Hero, of_a_client_hears_that_its_controller_ends) {
    // X-309, I-39
    Parcel match;
    Seat seat(match);
    Loud& pawn = seat.make(Role::AutonomousProxy);
    seat.take(false, {{&pawn, "pawn"}, {&pawn, "controller"}, {&pawn, "player"}, {&pawn, "data"}});
    seat.expect_steers(pawn, "before");
    seat.world.destroy(seat.anna.id());
    EXPECT_EQ(seat.manager.init_state(pawn, kHero), kSpawned);
    seat.expect_does_not_steer(pawn, false, "after");
    EXPECT_EQ(remembered(seat.manager, "Loud"), 0);
    EXPECT_TRUE(seat.person.contexts().empty());
}

// What is told on the way up, and by when the pawn is another's.
void give_away_on_the_way(bool is_when_ready) {
    Heroes match;
    LocalPlayer first(Name("anna")), second(Name("bert"));
    PlayerController& bert = match.login("bert", &second);
    bool is_told = false;
    const auto give = [&](Actor& pawn) {
        if (pawn.id() == bert.pawn()->id() || std::exchange(is_told, true)) return;
        EXPECT_TRUE(bert.possess(*pawn.as<Pawn>()).is_ok());
    };
    framework::InitStateHandle ready;
    framework::ExtensionHandlerHandle bound;
    if (is_when_ready)
        ready = match.manager().register_and_call_for_class_init_state(
            Name("Walker"), kHero, kGameplayReady,
            [&](const framework::InitStateChange& change) { give(change.actor); });
    else
        bound = match.manager().add_extension_handler(framework::Selector("Walker"),
                                                      [&](Actor& actor, Name event, const framework::EventPayload&) {
                                                          if (event == framework::events::kBindInputsNow) give(actor);
                                                      });
    PlayerController& anna = match.login("anna", &first);
    ASSERT_TRUE(is_told);
    Pawn& pawn = *bert.pawn();
    EXPECT_EQ(anna.pawn(), nullptr);
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
    EXPECT_TRUE(first.contexts().empty());
    EXPECT_EQ(anna.camera_mode(), Name());
    EXPECT_EQ(anna.lent_to(), ActorId());
    EXPECT_EQ(second.contexts(), (std::vector{Name("walking"), Name("menus")}));
    EXPECT_EQ(bert.camera_mode(), Name("above"));
    EXPECT_EQ(bert.lent_to(), pawn.id());
    EXPECT_EQ(pawn.find<InputComponent>()->count(), 1u);
    EXPECT_EQ(remembered(match.manager(), "PlayerController"), 1);
    story();
    EXPECT_FALSE(first.press(Name("Space")));
    EXPECT_TRUE(second.press(Name("Space")));
    EXPECT_EQ(story(), "Jump+");
}

TEST(Hero, whoever_is_told_that_a_pawn_binds_input_or_is_ready_may_give_it_to_another_player) {
    // X-309, I-42
    give_away_on_the_way(false);
    give_away_on_the_way(true);
}

TEST(Hero, players_that_take_a_pawn_from_each_other_without_end_are_stopped) {
    //
    Heroes match;
    LocalPlayer first(Name("anna")), second(Name("bert"));
    PlayerController& anna = match.login("anna", &first);
    PlayerController& bert = match.login("bert", &second);
    Pawn& pawn = *anna.pawn();
    std::size_t taken = 0;
    const auto takes = match.manager().add_extension_handler(
        framework::Selector("Walker"), [&](Actor& actor, Name event, const framework::EventPayload&) {
            if (event != framework::events::kBindInputsNow || &actor != &pawn) return;
            ++taken;
            Controller& other = pawn.controller() == &anna ? bert : anna;
            EXPECT_TRUE(other.possess(pawn).is_ok());
        });
    EXPECT_GT(taken, 1u);
    EXPECT_LT(taken, framework::InitStates::kMaxChanges);
    EXPECT_GE(match.reports("framework.init"), 1u);
}

TEST(Hero, a_second_one_is_refused) {
    // I-48: as of extensions, since both would be the same feature
    Heroes match;
    Pawn& pawn = *match.login("anna").pawn();
    EXPECT_FALSE(pawn.add<LoudHero>(Name("second")).is_ok());
    EXPECT_EQ(match.manager().implementer(pawn, kHero), pawn.find<LoudHero>());
}

TEST(Hero, inputs_that_are_held_when_it_loses_its_player_are_released) {
    // I-42, I-57
    Heroes match;
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    match.frames(2);
    Pawn& pawn = *anna.pawn();
    story();
    EXPECT_TRUE(person.press(Name("Space")));
    EXPECT_TRUE(person.press(Name("Space")));  // a key that repeats
    anna.unpossess();
    EXPECT_EQ(story(), "Jump+ Jump+ Jump-");
    EXPECT_FALSE(person.release(Name("Space")));
    ASSERT_TRUE(anna.possess(pawn).is_ok());
    EXPECT_TRUE(match.is_ready(pawn));
    story();
    EXPECT_TRUE(person.press(Name("Space")));
    ASSERT_TRUE(person.remove_context(Name("walking")));  // Space is Choose from now on
    EXPECT_TRUE(person.release(Name("Space")));
    EXPECT_EQ(story(), "Jump+ Jump-");
    EXPECT_TRUE(person.press(Name("Escape")));
    anna.release_player();
    EXPECT_EQ(story(), "Jump+ Jump-");
}

TEST(Hero, that_has_lost_its_player_is_bound_anew_by_the_same_one_and_forgets_that_it_was) {
    // X-309, I-41, I-42
    Heroes match;
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    match.frames(2);
    Pawn& pawn = *anna.pawn();
    EXPECT_EQ(remembered(match.manager(), "ModularActor"), 2);
    anna.unpossess();
    EXPECT_EQ(remembered(match.manager(), "ModularActor"), 0);
    const auto heard = match.manager().add_extension_handler(
        framework::Selector("Pawn"), [&](Actor& actor, Name event, const framework::EventPayload&) {
            if (event != framework::events::kBindInputsNow) return;
            const bool is_ready = actor.find<HeroComponent>()->is_ready_to_bind_inputs();
            told().push_back(fmt::format("bind(ready {}, camera '{}')", is_ready, anna.camera_mode()));
        });
    story();
    ASSERT_TRUE(anna.possess(pawn).is_ok());
    EXPECT_EQ(story(), "hero:DataAvailable bind(ready true, camera '') hero:DataInitialized hero:GameplayReady");
    EXPECT_EQ(anna.camera_mode(), Name("above"));
}

TEST(Hero, whoever_binds_input_may_give_the_player_another_pawn) {
    // X-309, I-42
    Heroes match;
    Walker& next = Parcel::make<Walker>(match.world());
    ASSERT_TRUE(next.find<PawnExtensionComponent>()->set_pawn_data({Name("pawn_data"), Name("stroller")}).is_ok());
    bool is_first = true;
    const auto heard = match.manager().add_extension_handler(
        framework::Selector("PlayerController"), [&](Actor& actor, Name event, const framework::EventPayload&) {
            if (event == framework::events::kBindInputsNow && std::exchange(is_first, false)) {
                EXPECT_TRUE(actor.as<Controller>()->possess(next).is_ok());
            }
        });
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    match.frames(2);
    EXPECT_EQ(anna.pawn(), &next);
    EXPECT_TRUE(match.is_ready(next)) << match.manager().explain_actor_init(next);
    EXPECT_EQ(anna.camera_mode(), Name("far"));
    EXPECT_EQ(anna.lent_to(), next.id());
}

}  // namespace hero_test
}  // namespace lyre::gameplay
