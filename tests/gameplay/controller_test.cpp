#include "lyre/gameplay/controller.h"

#include "tests/gameplay/parcel.h"

namespace lyre::gameplay {
namespace controller_test {

struct Saddle : PawnComponent {
    using Described = Saddle;
    static void describe(TypeBuilder<Saddle>& t) { t.parent<PawnComponent>(); }
    void possessed(Controller&) override { told().push_back(fmt::format("possessed({})", pawn().type().name)); }
    void unpossessed(Controller&) override {
        told().push_back(fmt::format("unpossessed({})", pawn().type().name));
        if (at_loss) std::exchange(at_loss, {})(pawn());
    }
    static inline std::function<void(Pawn&)> at_loss;
};
struct Horse : Pawn {
    using Described = Horse;
    static void describe(TypeBuilder<Horse>& t) {
        t.parent<Pawn>();
        t.component<Saddle>("saddle");
    }
};
struct Mule : Horse {
    using Described = Mule;
    static void describe(TypeBuilder<Mule>& t) { t.parent<Horse>(); }
};
struct Reins : ControllerComponent {
    using Described = Reins;
    static void describe(TypeBuilder<Reins>& t) { t.parent<ControllerComponent>(); }
    static std::string name(Pawn* pawn) { return pawn != nullptr ? std::string(pawn->type().name.text()) : "none"; }
    void received_player() override { told().push_back("received_player"); }
    void player_tick(float) override { told().push_back("player_tick"); }
    void pawn_changed(Pawn* old, Pawn* now) override {
        told().push_back(fmt::format("{}->{}", name(old), name(now)));
        if (at_change) std::exchange(at_change, {})(controller());
    }
    static inline std::function<void(Controller&)> at_change;
};
struct Rider : PlayerController {
    using Described = Rider;
    static void describe(TypeBuilder<Rider>& t) {
        t.parent<PlayerController>();
        t.component<Reins>("reins");
    }
};

struct Riding : SmallMatch {
    Riding() {
        const Status known = house.runtime().types().add_all<Saddle, Horse, Mule, Reins, Rider>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        open();
        Reins::at_change = {};
        Saddle::at_loss = {};
    }
    template <class T> T& spawn() { return *world().find<T>(*world().spawn<T>()); }
};

TEST(Controller, possession_is_told_in_order_and_moves_between_controllers) {
    // W-30, G-51
    Riding match;
    Rider& anna = match.spawn<Rider>();
    Rider& bert = match.spawn<Rider>();
    Horse& horse = match.spawn<Horse>();
    Mule& mule = match.spawn<Mule>();
    ASSERT_TRUE(anna.possess(horse).is_ok());
    EXPECT_EQ(story(), "possessed(Horse) none->Horse");
    ASSERT_TRUE(anna.possess(horse).is_ok());
    EXPECT_EQ(story(), "");
    ASSERT_TRUE(anna.possess(mule).is_ok());
    EXPECT_EQ(story(), "unpossessed(Horse) Horse->none possessed(Mule) none->Mule");
    ASSERT_TRUE(bert.possess(mule).is_ok());
    EXPECT_EQ(story(), "unpossessed(Mule) Mule->none possessed(Mule) none->Mule");
    EXPECT_EQ(anna.pawn(), nullptr);
    EXPECT_EQ(mule.controller(), &bert);
    match.world().destroy(mule.id());
    EXPECT_EQ(bert.pawn(), nullptr);
    EXPECT_EQ(story(), "Mule->none");
    ASSERT_TRUE(bert.possess(horse).is_ok());
    story();
    match.world().destroy(bert.id());
    EXPECT_EQ(horse.controller(), nullptr);
    EXPECT_EQ(story(), "unpossessed(Horse)");
}

TEST(Controller, hooks_may_possess_something_else_or_end_everything) {
    // W-30
    Riding match;
    Rider& anna = match.spawn<Rider>();
    Horse& horse = match.spawn<Horse>();
    Mule& mule = match.spawn<Mule>();
    Reins::at_change = [&](Controller& controller) { EXPECT_TRUE(controller.possess(mule).is_ok()); };
    EXPECT_TRUE(anna.possess(horse).is_ok());
    EXPECT_EQ(anna.pawn(), &mule);
    EXPECT_EQ(horse.controller(), nullptr);
    Reins::at_change = [&](Controller& controller) { controller.world().destroy(controller.id()); };
    EXPECT_FALSE(anna.possess(horse).is_ok());
    EXPECT_EQ(horse.controller(), nullptr);
    EXPECT_EQ(mule.controller(), nullptr);
    Rider& bert = match.spawn<Rider>();
    Reins::at_change = [&](Controller& controller) { controller.world().end(); };
    EXPECT_TRUE(bert.possess(horse).is_ok());  // done before it was told, and the world ended
    EXPECT_TRUE(match.world().has_ended());
}

TEST(Controller, a_players_one_is_ready_when_it_has_its_player_and_passes_its_ticks_on) {
    // G-03, G-51, I-57
    Riding match;
    const auto heard = match.manager().add_extension_handler(
        framework::Selector("ModularActor"), [](Actor& actor, Name event, const framework::EventPayload&) {
            if (event == framework::events::kGameActorReady)
                told().push_back(fmt::format("ready({})", actor.type().name));
        });
    ASSERT_TRUE(heard.status().is_ok());
    match.frames();
    story();
    Rider& anna = match.spawn<Rider>();
    match.spawn<Horse>();
    EXPECT_EQ(story(), "ready(Horse)");
    LocalPlayer person(Name("anna"));
    ASSERT_TRUE(anna.receive_player(&person).is_ok());
    EXPECT_EQ(story(), "ready(Rider) received_player ready(HUD)");
    EXPECT_FALSE(anna.receive_player(&person).is_ok());
    Rider& bert = match.spawn<Rider>();
    EXPECT_FALSE(bert.receive_player(&person).is_ok());
    EXPECT_FALSE(bert.has_player());
    match.world().tick();
    EXPECT_EQ(story(), "player_tick");
    match.world().destroy(anna.id());
    EXPECT_EQ(person.controller(), nullptr);
}

// As modular.h says: the base's first.
struct Begins : Pawn {
    using Described = Begins;
    static void describe(TypeBuilder<Begins>& t) { t.parent<Pawn>(); }
    void begin_play() {
        Pawn::begin_play();
        told().push_back("begin_play");
    }
};

TEST(Pawn, is_told_to_be_ready_before_its_own_begin_play_and_so_are_those_who_come_later) {
    // G-03, G-61
    Riding match;
    ASSERT_TRUE(match.house.runtime().types().add<Begins>().is_ok());
    const auto hears = [&] {
        return match.manager().add_extension_handler(
            framework::Selector("Begins"), [](Actor&, Name event, const framework::EventPayload&) {
                if (event == framework::events::kGameActorReady) told().push_back("ready");
            });
    };
    story();
    {
        const auto heard = hears();
        match.spawn<Begins>();
        EXPECT_EQ(story(), "ready begin_play");
    }
    const auto later = hears();
    EXPECT_EQ(story(), "ready");
}

TEST(Controller, a_person_may_go_before_the_controller) {
    // I-57
    Riding match;
    Rider& anna = match.spawn<Rider>();
    auto person = std::make_unique<LocalPlayer>(Name("anna"));
    ASSERT_TRUE(anna.receive_player(person.get()).is_ok());
    person.reset();
    EXPECT_EQ(anna.local_player(), nullptr);
    match.world().tick();
}

TEST(Controller, hooks_that_hear_of_a_loss_find_both_sides_free_and_may_give_them_away) {
    // W-30
    Riding match;
    Rider& anna = match.spawn<Rider>();
    Rider& bert = match.spawn<Rider>();
    Horse& horse = match.spawn<Horse>();
    Mule& mule = match.spawn<Mule>();
    ASSERT_TRUE(anna.possess(horse).is_ok());
    story();
    Saddle::at_loss = [&](Pawn& pawn) {
        EXPECT_EQ(pawn.controller(), nullptr);
        EXPECT_EQ(anna.pawn(), nullptr);
        EXPECT_TRUE(bert.possess(pawn).is_ok());
    };
    anna.unpossess();
    EXPECT_EQ(horse.controller(), &bert);
    EXPECT_EQ(bert.pawn(), &horse);
    EXPECT_EQ(story(), "unpossessed(Horse) possessed(Horse) none->Horse Horse->none");
    Saddle::at_loss = [&](Pawn&) { EXPECT_TRUE(bert.possess(mule).is_ok()); };
    bert.unpossess();
    EXPECT_EQ(bert.pawn(), &mule);
    EXPECT_EQ(story(), "unpossessed(Horse) possessed(Mule) Horse->Mule");
}

TEST(Controller, whoever_hears_that_a_held_input_is_released_may_possess_and_all_is_told_in_order) {
    // W-30, I-57
    Riding match;
    const Name jump("Jump"), run("Run");
    LocalPlayer person(Name("anna"));
    ASSERT_TRUE(person.add_context({Name("riding"), 0, false, {{Name("Space"), jump}, {Name("Shift"), run}}}).is_ok());
    Rider& anna = match.spawn<Rider>();
    Horse& horse = match.spawn<Horse>();
    Mule& mule = match.spawn<Mule>();
    InputComponent& input = **horse.add<InputComponent>();
    const auto at_release = [&](Name action, const std::function<void()>& then) {
        const auto heard = [action, then](const InputValue& value) {
            if (value.kind != InputValue::Kind::Released) return;
            told().push_back(fmt::format("{}-", action));
            then();
        };
        EXPECT_TRUE(input.bind(action, heard).is_ok());
    };
    at_release(jump, [&] { EXPECT_TRUE(anna.possess(mule).is_ok()); });
    at_release(run, [] {});
    ASSERT_TRUE(anna.receive_player(&person).is_ok());
    ASSERT_TRUE(anna.possess(horse).is_ok());
    EXPECT_TRUE(person.press(Name("Space")));
    EXPECT_TRUE(person.press(Name("Shift")));
    story();
    anna.unpossess();
    EXPECT_EQ(anna.pawn(), &mule);
    EXPECT_EQ(story(), "Jump- Run- unpossessed(Horse) possessed(Mule) Horse->Mule");
}

// Says by whom, so that the order of two possessions of one pawn can be told.
struct Groom : PawnComponent {
    using Described = Groom;
    static void describe(TypeBuilder<Groom>& t) { t.parent<PawnComponent>(); }
    void says(const char* what, Controller& by) {
        told().push_back(fmt::format("{}:{}({})", name(), what, by.is_player() ? "anna" : "bert"));
        if (at_loss && *what == 'u') std::exchange(at_loss, {})();
    }
    void possessed(Controller& by) override { says("possessed", by); }
    void unpossessed(Controller& by) override { says("unpossessed", by); }
    static inline std::function<void()> at_loss;
};
struct Watch : ControllerComponent {
    using Described = Watch;
    static void describe(TypeBuilder<Watch>& t) { t.parent<ControllerComponent>(); }
    static std::string name_of(Pawn* pawn) { return pawn != nullptr ? fmt::format("{}", pawn->type().name) : "none"; }
    void pawn_changed(Pawn* old, Pawn* now) override {
        told().push_back(fmt::format("{} watch:{}->{}", name(), name_of(old), name_of(now)));
        if (at_change) std::exchange(at_change, {})();
    }
    static inline std::function<void()> at_change;
};

// A pawn whose two grooms hear what becomes of it, steered by anna, who holds Space.
struct Groomed : Riding {
    Groomed() {
        const Status known = house.runtime().types().add_all<Groom, Watch>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        Groom::at_loss = {};
        Watch::at_change = {};
        house.experience("tag", "pawn = \"walker\"\n");
        load("tag");
        anna = &login("anna", &person);
        walker = anna->pawn();
        bert = &spawn<AIController>();
        for (const char* name : {"first", "second"}) {
            EXPECT_TRUE(walker->add<Groom>(Name(name)).is_ok());
            EXPECT_TRUE(anna->add<Watch>(Name(name)).is_ok());
        }
        anna->unpossess();
        EXPECT_TRUE(anna->possess(*walker).is_ok());
        frames(2);
        EXPECT_TRUE(person.press(Name("Space")));
        story();
    }
    // Of the lines those of one component.
    static std::string of(const std::vector<std::string>& lines, std::string_view who) {
        std::string text;
        for (const std::string& line : lines)
            if (line.starts_with(who)) text += line.substr(line.find(':') + 1) + " ";
        return text;
    }
    LocalPlayer person{Name("anna")};
    PlayerController* anna = nullptr;
    AIController* bert = nullptr;
    Pawn* walker = nullptr;
};

TEST(Controller, each_part_hears_that_it_was_left_before_it_hears_of_the_next_whoever_gives_the_pawn_away) {
    // W-30, G-51
    for (const std::string moment : {"released", "init state", "first part", "afterwards"}) {
        Groomed match;
        const auto gives = [&] { EXPECT_TRUE(match.bert->possess(*match.walker).is_ok()); };
        framework::InitStateHandle listens;
        InputComponent* input = match.walker->find<InputComponent>();
        if (moment == "released") {
            EXPECT_TRUE(match.person.release(Name("Space")));
            EXPECT_TRUE(input
                            ->bind(Name("Jump"),
                                   [&](const InputValue& value) {
                                       if (value.kind == InputValue::Kind::Released) gives();
                                   })
                            .is_ok());
            EXPECT_TRUE(match.person.press(Name("Space")));
        } else if (moment == "init state") {
            listens = match.manager().register_and_call_for_actor_init_state(
                *match.walker, kHero, {}, [&, is_first = true](const framework::InitStateChange&) mutable {
                    if (match.anna->pawn() == nullptr && std::exchange(is_first, false)) gives();
                });
        } else if (moment == "first part") {
            Groom::at_loss = gives;
        }
        told().clear();
        match.anna->unpossess();
        if (moment == "afterwards") gives();
        const auto lines = std::exchange(told(), {});
        EXPECT_EQ(match.bert->pawn(), match.walker) << moment;
        for (const char* part : {"first:", "second:"})
            EXPECT_EQ(Groomed::of(lines, part), "unpossessed(anna) possessed(bert) ") << moment << " " << part;
    }
}

TEST(Controller, each_pawn_changed_of_a_part_begins_where_its_last_one_has_ended) {
    // W-30, G-51
    Groomed match;
    Horse& horse = match.spawn<Horse>();
    told().clear();
    Watch::at_change = [&] { EXPECT_TRUE(match.anna->possess(horse).is_ok()); };
    match.anna->unpossess();
    const auto lines = std::exchange(told(), {});
    EXPECT_EQ(Groomed::of(lines, "first watch:"), "Walker->none none->Horse ");
    EXPECT_EQ(Groomed::of(lines, "second watch:"), "Walker->Horse ");
}

TEST(Controller, that_goes_lets_go_before_another_takes_its_pawn) {
    // W-30, G-51
    Riding match;
    Rider& anna = match.spawn<Rider>();
    Rider& bert = match.spawn<Rider>();
    Horse& horse = match.spawn<Horse>();
    ASSERT_TRUE(anna.possess(horse).is_ok());
    story();
    match.world().timers().next_tick([&] {
        match.world().destroy(anna.id());
        EXPECT_TRUE(bert.possess(horse).is_ok());
    });
    match.frames(2);
    EXPECT_EQ(horse.controller(), &bert);
    EXPECT_EQ(story(), "unpossessed(Horse) possessed(Horse) none->Horse");
}

TEST(Controller, of_a_client_tells_each_possession_once_when_the_last_that_says_so_has_come) {
    // W-30, G-51
    Riding match;
    std::vector<std::string> events{"controller", "its pawn", "pawn", "pawn's controller"};
    std::sort(events.begin(), events.end());
    const auto in_this_order = [&] {
        World& client = *match.open(NetMode::Client).world();
        auto late_pawn = client.spawn_deferred<Horse>({.role = Role::AutonomousProxy});
        auto late_controller = client.spawn_deferred<Rider>({.role = Role::AutonomousProxy});
        const ActorId pawn = late_pawn->actor().id(), controller = late_controller->actor().id();
        const auto arrives = [&](World::DeferredSpawn& late, ActorId id, const char* property, ActorId value) {
            if (Actor* there = client.find(id)) return Parcel::arrives(*there, property, text_of(value));
            EXPECT_TRUE(late.actor().set(Name(property), text_of(value)).is_ok());  // in its first values
        };
        std::string order;
        for (const std::string& event : events) {
            EXPECT_EQ(story(), "") << order;
            order += event + ", ";
            if (event == "controller") late_controller->finish().value();
            if (event == "pawn") late_pawn->finish().value();
            if (event == "its pawn") arrives(*late_controller, controller, "pawn", pawn);
            if (event == "pawn's controller") arrives(*late_pawn, pawn, "controller", controller);
        }
        EXPECT_EQ(story(), "possessed(Horse) none->Horse") << order;
        Parcel::arrives(*client.find(controller), "pawn", text_of({}));
        Parcel::arrives(*client.find(pawn), "controller", text_of({}));
        EXPECT_EQ(story(), "unpossessed(Horse) Horse->none") << order;
    };
    do {
        in_this_order();
        match.games.back()->close_world();
        match.games.pop_back();
    } while (std::next_permutation(events.begin(), events.end()));
}

TEST(Controller, whose_player_state_went_first_leaves_no_pawn_behind) {
    // E-94, W-30
    Riding match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.load("tag");
    PlayerController& anna = match.login("anna");
    const ActorId pawn = anna.pawn()->id();
    match.world().destroy(anna.player_state()->id());
    match.world().destroy(anna.id());
    EXPECT_EQ(match.world().find(pawn), nullptr);
}

}  // namespace controller_test
}  // namespace lyre::gameplay
