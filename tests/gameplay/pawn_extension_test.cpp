#include "lyre/gameplay/pawn_extension.h"

#include "lyre/gameplay/bots.h"

#include "tests/gameplay/parcel.h"

namespace lyre::gameplay {
namespace pawn_extension_test {

// Moves by hooks alone, as framework.md shows, and hears of nothing by itself.
struct Body : PawnComponent, framework::InitStateFeature<Body> {
    using Described = Body;
    static void describe(TypeBuilder<Body>& t) { t.parent<PawnComponent>(); }
    Name feature_name() const override { return Name("Body"); }
    framework::Verdict can_change_init_state(Name, Name to) const override {
        const auto* extension = actor().find<PawnExtensionComponent>();
        if (to == kDataAvailable && extension->pawn_data_id().is_none()) return framework::Verdict::no("no data");
        return framework::Verdict::yes();
    }
    Status handle_change_init_state(Name, Name to) override {
        told().push_back(fmt::format("body:{}", to));
        return Status::ok();
    }
    void handle_exit_init_state(Name, Name) override {
        if (at_exit) std::exchange(at_exit, {})(*this);
    }
    void check_default_initialization() override { continue_init_state_chain(); }
    void registered() { register_init_state_feature().ignore(); }
    void begin_play() {
        try_to_change_init_state(kSpawned);
        check_default_initialization();
    }
    static inline std::function<void(Body&)> at_exit;
};
// Waits for another part that nobody tells it of.
struct Hat : PawnComponent, framework::InitStateFeature<Hat> {
    using Described = Hat;
    static void describe(TypeBuilder<Hat>& t) { t.parent<PawnComponent>(); }
    Name feature_name() const override { return Name("Hat"); }
    framework::Verdict can_change_init_state(Name, Name to) const override {
        const auto* body = actor().find<Body>();
        if (to == kDataAvailable && (body == nullptr || !body->has_reached_init_state(kDataAvailable)))
            return framework::Verdict::waits(Name("Body"), kDataAvailable);
        return framework::Verdict::yes();
    }
    void check_default_initialization() override { continue_init_state_chain(); }
    void registered() { register_init_state_feature().ignore(); }
    void begin_play() { try_to_change_init_state(kSpawned); }
};
struct Dressed : Pawn {
    using Described = Dressed;
    static void describe(TypeBuilder<Dressed>& t) {
        t.parent<Pawn>();
        t.component<Hat>("hat");
        t.component<Body>("body");
        t.component<LoudExtension>("extension");
        t.component<LoudHero>("hero");
        t.component<InputComponent>("input");
    }
};
struct Plain : Pawn {  // nothing moves but at its own hooks
    using Described = Plain;
    static void describe(TypeBuilder<Plain>& t) {
        t.parent<Pawn>();
        t.component<LoudExtension>("extension");
        t.component<Body>("body");
    }
};
struct Naked : Pawn {  // a feature brings its extension
    using Described = Naked;
    static void describe(TypeBuilder<Naked>& t) { t.parent<Pawn>(); }
};

// Has its data when a test says so, and hears of nothing by itself.
struct Slow : PawnComponent, framework::InitStateFeature<Slow> {
    using Described = Slow;
    static void describe(TypeBuilder<Slow>& t) { t.parent<PawnComponent>(); }
    Name feature_name() const override { return Name("Slow"); }
    framework::Verdict can_change_init_state(Name, Name to) const override {
        if (to == kDataAvailable && !has_data) return framework::Verdict::no("no data");
        return framework::Verdict::yes();
    }
    Status handle_change_init_state(Name, Name to) override {
        told().push_back(fmt::format("slow:{}", to));
        return Status::ok();
    }
    void check_default_initialization() override { continue_init_state_chain(); }
    void registered() { register_init_state_feature().ignore(); }
    void begin_play() { try_to_change_init_state(kSpawned); }
    static inline bool has_data = false;
};
struct Heavy : Pawn {
    using Described = Heavy;
    static void describe(TypeBuilder<Heavy>& t) {
        t.parent<Pawn>();
        t.component<LoudExtension>("extension");
        t.component<LoudHero>("hero");
        t.component<Slow>("slow");
    }
};

struct Parts : Parcel {
    Parts() {
        Slow::has_data = false;
        const Status known = house.runtime().types().add_all<Body, Hat, Dressed, Plain, Naked, Slow, Heavy>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        Body::at_exit = {};
        house.write("dressed.pawn_data.toml", "class = \"Dressed\"\ncamera = \"near\"\n");
        house.write("undressed.pawn_data.toml", "class = \"Dressed\"\ncamera = \"far\"\n");
        house.write("naked.pawn_data.toml", "class = \"Naked\"\n");
        house.experience("dress", "pawn = \"dressed\"\n");
        house.experience("undress", "pawn = \"undressed\"\n");
    }
};

TEST(PawnExtension, asks_parts_that_only_have_hooks_to_check_also_after_a_switch) {
    // I-38, I-43, X-05
    Parts match;
    match.load("dress");
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    Pawn& pawn = *anna.pawn();
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
    EXPECT_EQ(anna.camera_mode(), Name("near"));
    story();
    std::vector<std::string> heard;
    const auto hears = match.manager().add_extension_handler(framework::Selector("PlayerState"),
                                                             [&](Actor&, Name event, const framework::EventPayload&) {
                                                                 if (event == framework::events::kAbilitiesReady)
                                                                     heard.push_back(story());
                                                             });
    heard.clear();
    match.load("undress");
    ASSERT_EQ(anna.pawn(), &pawn);
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
    EXPECT_EQ(anna.camera_mode(), Name("far"));
    EXPECT_EQ(heard, std::vector<std::string>{""}) << "sent again, before the pawn is led back";
    const std::string steps = story();
    for (const char* part : {"hero", "extension", "body"})
        for (Name state : {kDataAvailable, kDataInitialized, kGameplayReady}) {
            const std::string step = fmt::format("{}:{}", part, state);
            EXPECT_NE(steps.find(step), std::string::npos) << step << " in " << steps;
            EXPECT_EQ(steps.find(step), steps.rfind(step)) << step << " in " << steps;
        }
}

TEST(PawnExtension, asks_a_part_that_nothing_else_would_ask) {
    // I-38, X-05
    Parts match;
    World& world = match.world();
    auto& pawn = Parcel::make<Plain>(world);
    EXPECT_EQ(pawn.find<Body>()->init_state(), kSpawned) << "it waits for data";
    ASSERT_TRUE(Parcel::make<AIController>(world).possess(pawn).is_ok());
    auto& extension = *pawn.find<PawnExtensionComponent>();
    ASSERT_TRUE(extension.set_pawn_data({Name("pawn_data"), Name("walker")}).is_ok());
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
    match.load("dress");
    extension.change_pawn_data({Name("pawn_data"), Name("dressed")});
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
}

TEST(PawnExtension, asks_the_others_first_and_then_climbs_itself) {
    // I-38
    Parts match;
    auto& pawn = Parcel::make<Heavy>(match.world());
    auto& bot = Parcel::make<AIController>(match.world());
    bot.set_player_state(Parcel::make<PlayerState>(match.world()).id());
    ASSERT_TRUE(bot.possess(pawn).is_ok());
    auto& extension = *pawn.find<PawnExtensionComponent>();
    ASSERT_TRUE(extension.set_pawn_data({Name("pawn_data"), Name("walker")}).is_ok());
    EXPECT_EQ(extension.init_state(), kDataAvailable);
    story();
    Slow::has_data = true;
    extension.check_default_initialization();
    const std::string steps = story();
    EXPECT_LT(steps.find("slow:DataAvailable"), steps.find("extension:DataInitialized")) << steps;
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
}

TEST(PawnExtension, a_hero_whose_player_goes_while_others_wait_for_their_data_does_no_step_without_it) {
    // I-40
    Parts match;
    auto& pawn = Parcel::make<Heavy>(match.world());
    auto& bot = Parcel::make<AIController>(match.world());
    const ActorId player = Parcel::make<PlayerState>(match.world()).id();
    bot.set_player_state(player);
    ASSERT_TRUE(bot.possess(pawn).is_ok());
    auto& extension = *pawn.find<PawnExtensionComponent>();
    ASSERT_TRUE(extension.set_pawn_data({Name("pawn_data"), Name("walker")}).is_ok());
    ASSERT_EQ(pawn.find<HeroComponent>()->init_state(), kDataAvailable);
    match.world().destroy(player);
    match.frames(2);
    Slow::has_data = true;
    extension.check_default_initialization();
    EXPECT_FALSE(pawn.find<HeroComponent>()->has_reached_init_state(kDataInitialized))
        << match.manager().explain_actor_init(pawn);
    EXPECT_NE(match.manager().explain_actor_init(pawn).find("PlayerState"), std::string::npos);
    bot.set_player_state(Parcel::make<PlayerState>(match.world()).id());
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
}

TEST(PawnExtension, and_hero_are_known_from_registration_on_and_move_when_play_begins) {
    // I-43
    Parts match;
    auto deferred = match.world().spawn_deferred<Loud>({});
    ASSERT_TRUE(deferred.is_ok());
    const ActorId id = deferred->actor().id();
    const Connection between = match.world().actor_initialized.add([&](Actor& actor) {
        if (actor.id() != id) return;
        for (Name part : {kHero, kPawnExtension}) {
            EXPECT_NE(match.manager().implementer(actor, part), nullptr) << part.text();
            EXPECT_EQ(match.manager().init_state(actor, part), Name()) << part.text();
        }
    });
    ASSERT_TRUE(deferred->finish().is_ok());
    for (Name part : {kHero, kPawnExtension})
        EXPECT_EQ(match.manager().init_state(*match.world().find(id), part), kSpawned) << part.text();
}

TEST(PawnExtension, and_hero_pass_a_state_that_a_game_has_put_between_theirs) {
    // I-51
    Parcel match;
    const Name fitted("Fitted");
    ASSERT_EQ(match.manager().register_init_state(fitted, framework::InitOrder::After, kDataAvailable),
              framework::InitResult::Done);
    story();
    PlayerController& anna = match.login("anna");
    match.frames(3);
    EXPECT_TRUE(match.is_ready(*anna.pawn())) << match.manager().explain_actor_init(*anna.pawn());
    const std::string steps = story();
    EXPECT_LT(steps.find("hero:DataAvailable"), steps.find("hero:Fitted")) << steps;
    EXPECT_LT(steps.find("hero:Fitted"), steps.find("hero:DataInitialized")) << steps;
}

TEST(PawnExtension, does_its_step_exactly_when_all_others_have_their_data) {
    // I-37
    Parcel match;
    World& world = match.world();
    auto& pawn = Parcel::make<Loud>(world);
    auto& bot = Parcel::make<AIController>(world);
    ASSERT_TRUE(bot.possess(pawn).is_ok());
    auto& extension = *pawn.find<PawnExtensionComponent>();
    ASSERT_TRUE(extension.set_pawn_data({Name("pawn_data"), Name("walker")}).is_ok());
    EXPECT_EQ(match.manager().init_state(pawn, kHero), kSpawned) << "it has no PlayerState";
    EXPECT_EQ(extension.init_state(), kDataAvailable);
    bot.set_player_state(Parcel::make<PlayerState>(world).id());
    EXPECT_EQ(extension.init_state(), kGameplayReady);
}

TEST(PawnExtension, a_part_that_goes_as_another_is_led_back_is_not_asked_any_more) {
    //
    Parts match;
    match.load("dress");
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    Pawn& pawn = *anna.pawn();
    Body::at_exit = [](Body& body) {
        body.world().remove_component(*body.actor().find<HeroComponent>()).ignore();
        body.world().remove_component(*body.actor().find<Hat>()).ignore();
    };
    match.load("undress");
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
    EXPECT_EQ(match.manager().init_state(pawn, kHero), Name());
}

TEST(PawnExtension, has_its_data_once_the_experience_of_its_world_is_loaded_and_waits_only_for_what_is_missing) {
    // E-75, I-37
    Parcel match;  // its first world has loaded the data already
    const auto waits = [&](World& world) {
        auto& pawn =
            Parcel::make<Shell>(world, world.net_mode() == NetMode::Client ? Role::SimulatedProxy : Role::Authority);
        if (world.net_mode() != NetMode::Client) {
            EXPECT_TRUE(Parcel::make<AIController>(world).possess(pawn).is_ok());
        }
        Parcel::arrives(*pawn.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:walker");
        return pawn.id();
    };
    World& server = *match.open(NetMode::DedicatedServer).world();
    World& client = *match.open(NetMode::Client).world();
    ASSERT_TRUE(client.spawn<GameState>({.role = Role::SimulatedProxy}).is_ok());
    for (World* world : {&server, &client}) {
        const ActorId early = waits(*world);
        const auto state = [&](ActorId pawn) {
            return world->find(pawn)->find<PawnExtensionComponent>()->init_state();
        };
        match.frames(5);
        EXPECT_EQ(state(early), kSpawned) << to_string(world->net_mode());
        experience::Host& host = Match::state(*world)->host();
        if (world == &server) {
            ASSERT_TRUE(host.set_experience("tag").is_ok());
        } else {
            ASSERT_TRUE(host.receive(Match::state(server)->host().published()).is_ok());
        }
        match.frames(40);
        ASSERT_TRUE(host.is_experience_loaded());
        EXPECT_EQ(state(early), kGameplayReady) << to_string(world->net_mode());
        EXPECT_EQ(state(waits(*world)), kGameplayReady) << to_string(world->net_mode());
    }
}

TEST(PawnExtension, pawns_that_name_nothing_do_not_wait_at_the_host) {
    // E-75
    Parcel match;
    for (std::size_t i = 0; i < experience::kMaxRegistrations + 10; ++i) Parcel::make<Shell>(match.world());
    EXPECT_EQ(match.reports("gameplay.not_waiting"), 0u);
    EXPECT_NE(match.login("anna").pawn(), nullptr);
    const experience::CallbackHandle still = match.host().call_or_register_on_experience_loaded(
        experience::Priority::Normal, match.state(), [](const auto&) {}, experience::Repeat::EachLoad);
    EXPECT_TRUE(still.status().is_ok()) << still.status().text();
}

TEST(PawnExtension, of_a_client_loads_and_keeps_data_that_no_experience_brings) {
    // E-26, I-39
    Parcel match;
    World& client = match.open_loaded(NetMode::Client);
    auto& pawn = Parcel::make<Shell>(client, Role::SimulatedProxy);
    Parcel::arrives(*pawn.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:stroller");
    match.frames(5);
    EXPECT_EQ(pawn.find<PawnExtensionComponent>()->init_state(), kGameplayReady);
    match.frames(5);
    ASSERT_NE(pawn.find<PawnExtensionComponent>()->pawn_data(), nullptr);
    Parcel::arrives(*pawn.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:nowhere");
    match.frames(5);
    EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 1u);
    EXPECT_EQ(pawn.find<PawnExtensionComponent>()->init_state(), kSpawned);
}

// A feature brings the PawnData that the experience names.
struct Hats : Parcel {
    Hats() {
        house.inner.files.write("features/hats/content/hatter.pawn_data.toml",
                                "class = \"Walker\"\ncamera = \"low\"\nactions = [\"Jump\"]\n");
        house.feature("hats");
        house.experience("party", "features = [\"hats\"]\npawn = \"hatter\"\n[unload]\npolicy = \"unload_now\"\n");
    }
    void clear() {
        EXPECT_TRUE(host().clear_experience("").is_ok());
        frames(10);
    }
    bool is_in_memory(const char* name) {
        return house.assets().state({Name("pawn_data"), Name(name)}) != assets::AssetState::Absent;
    }
};

TEST(PawnExtension, of_a_client_waits_for_a_game_state_that_comes_later_and_for_what_its_experience_brings) {
    // E-75, I-44, I-56
    Hats match;
    match.load("party");
    const experience::Choice party = match.host().published();
    match.load("tag");
    match.frames(10);
    EXPECT_FALSE(match.is_in_memory("hatter"));
    World& client = *match.open(NetMode::Client).world();
    auto& in_memory = Parcel::make<Shell>(client, Role::SimulatedProxy);
    auto& elsewhere = Parcel::make<Shell>(client, Role::SimulatedProxy);
    Parcel::arrives(*in_memory.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:walker");
    Parcel::arrives(*elsewhere.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:hatter");
    const auto expect_states = [&](Name state) {
        match.frames(10);
        EXPECT_EQ(in_memory.find<PawnExtensionComponent>()->init_state(), state);
        EXPECT_EQ(elsewhere.find<PawnExtensionComponent>()->init_state(), state);
        EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 0u);
    };
    expect_states(kSpawned);
    ASSERT_TRUE(client.spawn<GameState>({.role = Role::SimulatedProxy}).is_ok());
    expect_states(kSpawned);
    ASSERT_TRUE(Match::state(client)->host().receive(party).is_ok());
    expect_states(kGameplayReady);
}

TEST(PawnExtension, holds_the_data_that_it_names_now_and_no_other) {
    // X-05, I-47
    Parcel match;
    const auto is_there = [&](const char* name) {
        match.frames(3);
        return match.house.assets().state({Name("pawn_data"), Name(name)}) == assets::AssetState::There;
    };
    const auto made = match.world().spawn<Shell>({}, [](Shell& shell) {
        auto& its = *shell.find<PawnExtensionComponent>();
        EXPECT_TRUE(its.set_pawn_data({Name("pawn_data"), Name("stroller")}).is_ok());
    });
    auto& pawn = *match.world().find<Shell>(*made);
    auto& extension = *pawn.find<PawnExtensionComponent>();
    EXPECT_TRUE(is_there("stroller"));
    ASSERT_TRUE(Parcel::make<AIController>(match.world()).possess(pawn).is_ok());
    const assets::PrimaryAssetId runner{Name("pawn_data"), Name("runner")};
    {
        const assets::LoadHandle in_memory = match.house.assets().load_assets({&runner, 1});
        ASSERT_TRUE(is_there("runner"));
        extension.change_pawn_data(runner);
        EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
    }
    EXPECT_TRUE(is_there("runner"));
    EXPECT_FALSE(is_there("stroller"));
    EXPECT_NE(extension.pawn_data(), nullptr);
    match.world().destroy(pawn.id());
    EXPECT_FALSE(is_there("runner"));
}

TEST(PawnExtension, of_a_second_pawn_holds_what_the_first_one_has_loaded) {
    // X-05, I-39
    Parcel match;
    World& client = match.open_loaded(NetMode::Client);
    auto& first = Parcel::make<Shell>(client, Role::SimulatedProxy);
    Parcel::arrives(*first.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:stroller");
    match.frames(5);
    auto& second = Parcel::make<Shell>(client, Role::SimulatedProxy);
    auto& extension = *second.find<PawnExtensionComponent>();
    Parcel::arrives(extension, "pawn_data", "pawn_data:stroller");
    EXPECT_EQ(extension.init_state(), kGameplayReady);
    client.destroy(first.id());
    match.frames(5);
    EXPECT_NE(extension.pawn_data(), nullptr);
}

TEST(PawnExtension, asks_once_for_the_data_that_it_has_begun_with) {
    // I-39: a network tells each value once more after begin_play
    Parcel match;
    World& client = match.open_loaded(NetMode::Client);
    const auto begins_with = [&](const char* data) -> Shell& {
        auto late = client.spawn_deferred<Shell>({.role = Role::SimulatedProxy});
        auto& extension = *late->actor().find<PawnExtensionComponent>();
        Parcel::writes(extension, "pawn_data", data);
        EXPECT_TRUE(late->finish().is_ok());
        auto& pawn = static_cast<Shell&>(extension.actor());
        Parcel::first_notices(extension);
        return pawn;
    };
    begins_with("pawn_data:nobody");
    match.frames(5);
    EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 1u);
    Shell& pawn = begins_with("pawn_data:stroller");
    match.frames(5);
    EXPECT_TRUE(framework::ComponentManager::of(client)->is_actor_ready(pawn, kGameplayReady));
    EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 1u);
}

TEST(PawnExtension, tries_data_that_has_failed_again_when_it_is_named_again) {
    // I-39
    Parcel match;
    match.house.write("late.pawn_data.toml", "class = 3\n");
    World& client = match.open_loaded(NetMode::Client);
    auto& pawn = Parcel::make<Shell>(client, Role::SimulatedProxy);
    auto& extension = *pawn.find<PawnExtensionComponent>();
    Parcel::arrives(extension, "pawn_data", "pawn_data:late");
    match.frames(5);
    EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 1u);
    match.house.write("late.pawn_data.toml", "class = \"Shell\"\n");
    Parcel::arrives(extension, "pawn_data", "pawn_data:late");
    match.frames(5);
    EXPECT_EQ(extension.init_state(), kGameplayReady);
    EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 1u);
}

TEST(PawnExtension, gives_back_what_the_experience_has_brought_when_that_is_left_and_its_hero_waits_for_it) {
    // E-82, F-26, I-40
    Hats match;
    World& world = match.world();
    const auto player = [&](LocalPlayer& person) -> PlayerController& {
        auto& made = Parcel::make<PlayerController>(world);
        made.set_player_state(Parcel::make<PlayerState>(world, Role::AutonomousProxy).id());  // it holds nothing
        EXPECT_TRUE(made.receive_player(&person).is_ok());
        return made;
    };
    ASSERT_TRUE(match.host().clear_experience("").is_ok());
    match.frames(10);
    auto& early = Parcel::make<Loud>(world);
    ASSERT_TRUE(early.add<InputComponent>().is_ok());
    Parcel::arrives(*early.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:hatter");
    LocalPlayer first(Name("anna")), second(Name("bert"));
    PlayerController& anna = player(first);
    PlayerController& bert = player(second);
    ASSERT_TRUE(anna.possess(early).is_ok());
    match.load("party");
    ASSERT_TRUE(match.is_ready(early)) << match.manager().explain_actor_init(early);
    EXPECT_EQ(anna.camera_mode(), Name("low"));
    auto& late = Parcel::make<Shell>(world, Role::SimulatedProxy);
    Parcel::arrives(*late.find<PawnExtensionComponent>(), "pawn_data", "pawn_data:hatter");
    match.clear();
    EXPECT_FALSE(match.is_in_memory("hatter"));
    EXPECT_EQ(match.reports("feature.asset_held"), 0u);
    ASSERT_TRUE(bert.possess(early).is_ok());
    match.frames(3);
    EXPECT_FALSE(early.find<HeroComponent>()->has_reached_init_state(kDataInitialized)) << "its data has gone";
    EXPECT_NE(match.manager().explain_actor_init(early).find("PawnData"), std::string::npos);
    match.load("party");
    EXPECT_TRUE(match.is_ready(early)) << match.manager().explain_actor_init(early);
    EXPECT_TRUE(match.is_ready(late)) << match.manager().explain_actor_init(late);
    EXPECT_TRUE(early.find<HeroComponent>()->is_ready_to_bind_inputs());
    EXPECT_EQ(bert.camera_mode(), Name("low"));
    EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 0u);
}

TEST(PawnExtension, that_a_feature_brings_has_its_data_like_one_of_the_class) {
    // E-28, G-14
    Parts match;
    match.house.experience("bare",
                           "pawn = \"naked\"\n[[action]]\nkind = \"add_components\"\nto = \"Naked\"\n"
                           "component = \"PawnExtensionComponent\"\n");
    match.load("bare");
    Pawn& pawn = *match.login("anna").pawn();
    const auto* extension = pawn.find<PawnExtensionComponent>();
    ASSERT_NE(extension, nullptr);
    EXPECT_EQ(extension->pawn_data_id().to_string(), "pawn_data:naked");
    EXPECT_TRUE(match.is_ready(pawn)) << match.manager().explain_actor_init(pawn);
}

TEST(PawnExtension, and_who_plays_take_data_from_the_server_alone_and_mark_themselves_urgent) {
    // I-47, E-68
    Parcel match;
    World& client = *match.open(NetMode::Client).world();
    const assets::PrimaryAssetId walker{Name("pawn_data"), Name("walker")};
    auto& theirs = Parcel::make<Shell>(client, Role::AutonomousProxy);
    EXPECT_FALSE(theirs.find<PawnExtensionComponent>()->set_pawn_data(walker).is_ok());
    EXPECT_FALSE(Parcel::make<PlayerState>(client, Role::AutonomousProxy).set_pawn_data(walker).is_ok());
    EXPECT_EQ(match.reports("gameplay.pawn_data_refused"), 2u);
    auto& ours = Parcel::make<Shell>(match.world());
    match.world().drain_urgent();
    ASSERT_TRUE(ours.find<PawnExtensionComponent>()->set_pawn_data(walker).is_ok());
    const auto is_urgent = [&](ActorId id) {
        const auto urgent = match.world().drain_urgent();
        return std::find(urgent.begin(), urgent.end(), id) != urgent.end();
    };
    EXPECT_TRUE(is_urgent(ours.id()));
    // Features hear of it first: what they grant goes with the same packet.
    auto& player = Parcel::make<PlayerState>(match.world());
    match.world().drain_urgent();
    int heard = 0;
    const auto hears = match.manager().add_extension_handler(
        framework::Selector("PlayerState"), [&](Actor& actor, Name event, const framework::EventPayload&) {
            if (event != framework::events::kAbilitiesReady || actor.id() != player.id()) return;
            ++heard;
            EXPECT_FALSE(is_urgent(player.id()));
        });
    heard = 0;  // what it has granted already is told to who comes later
    ASSERT_TRUE(player.set_pawn_data({Name("pawn_data"), Name("stroller")}).is_ok());
    EXPECT_EQ(heard, 1);
    EXPECT_TRUE(is_urgent(player.id()));
}

TEST(PawnExtension, players_of_a_client_take_no_data_by_themselves) {
    // E-67
    Parcel match;
    World& client = *match.open(NetMode::Client).world();
    ASSERT_TRUE(client.spawn<GameState>({.role = Role::SimulatedProxy}).is_ok());
    ASSERT_TRUE(Match::state(client)->host().receive(match.host().published()).is_ok());
    auto& early = Parcel::make<PlayerState>(client, Role::AutonomousProxy);
    match.frames(40);
    ASSERT_TRUE(Match::state(client)->host().is_experience_loaded());
    auto& late = Parcel::make<PlayerState>(client, Role::SimulatedProxy);
    match.frames(3);
    EXPECT_TRUE(early.pawn_data().is_none());
    EXPECT_TRUE(late.pawn_data().is_none());
    EXPECT_EQ(match.reports("gameplay.pawn_data_refused"), 0u);
}

}  // namespace pawn_extension_test
}  // namespace lyre::gameplay
