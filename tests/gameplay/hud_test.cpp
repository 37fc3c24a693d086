#include "lyre/gameplay/hud.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace hud_test {

struct Gauges : HUD {
    using Described = Gauges;
    static void describe(TypeBuilder<Gauges>& t) { t.parent<HUD>(); }
    void begin_play() {
        HUD::begin_play();
        told().push_back(fmt::format("gauges({})", controller() != nullptr));
        if (at_begin) at_begin(*this);
    }
    void end_play(EndReason reason) {
        told().push_back("gone");
        HUD::end_play(reason);
    }
    static inline std::function<void(HUD&)> at_begin;
};
struct Plain : Gauges {
    using Described = Plain;
    static void describe(TypeBuilder<Plain>& t) { t.parent<Gauges>(); }
};
struct Badge : Component {
    using Described = Badge;
    static void describe(TypeBuilder<Badge>& t) { t.parent<Component>(); }
};

struct Seats : SmallMatch {
    explicit Seats(NetMode mode = NetMode::Standalone) {
        const Status known = house.runtime().types().add_all<Gauges, Plain, Badge>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        open(mode);
        Gauges::at_begin = {};
    }
    ~Seats() { Gauges::at_begin = {}; }
    PlayerController& controller(Name hud = Name("Gauges"), Role role = Role::Authority) {
        const auto id = world().spawn<PlayerController>({.role = role});
        auto& made = *world().find<PlayerController>(*id);
        made.set_hud_class(hud);
        return made;
    }
    std::size_t huds() {
        std::size_t count = 0;
        for (ActorId id : world().actors())
            if (const Actor* actor = world().find(id); actor != nullptr && actor->is_a<HUD>()) ++count;
        return count;
    }
};

TEST(Hud, is_there_for_each_person_at_this_machine_and_goes_with_the_person_or_the_controller) {
    // G-52
    Seats match;
    auto anna = std::make_unique<LocalPlayer>(Name("anna"));
    LocalPlayer bert(Name("bert"));
    PlayerController& first = match.controller();
    PlayerController& second = match.controller();
    PlayerController& elsewhere = match.controller();
    EXPECT_EQ(match.huds(), 0u);
    ASSERT_TRUE(first.receive_player(anna.get()).is_ok());
    ASSERT_TRUE(second.receive_player(&bert).is_ok());
    ASSERT_TRUE(elsewhere.receive_player(nullptr).is_ok());
    EXPECT_EQ(match.huds(), 2u);
    ASSERT_NE(first.hud(), nullptr);
    EXPECT_EQ(first.hud()->controller(), &first);
    EXPECT_EQ(elsewhere.hud(), nullptr);
    EXPECT_EQ(story(), "gauges(true) gauges(true)");
    anna.reset();
    EXPECT_EQ(first.hud(), nullptr);
    match.world().destroy(second.id());
    EXPECT_EQ(match.huds(), 0u);
    EXPECT_EQ(story(), "gone gone");
    EXPECT_EQ(bert.controller(), nullptr);
}

TEST(Hud, of_a_client_is_the_class_its_controller_says_and_another_one_replaces_it) {
    // G-52: there is no GameMode on a client
    Seats match(NetMode::Client);
    LocalPlayer anna(Name("anna"));
    PlayerController& controller = match.controller(Name("HUD"), Role::AutonomousProxy);
    ASSERT_TRUE(controller.receive_player(&anna).is_ok());
    ASSERT_NE(controller.hud(), nullptr);
    EXPECT_EQ(controller.hud()->type().name, Name("HUD"));
    controller.set_hud_class(Name("Gauges"));
    EXPECT_EQ(controller.hud()->type().name, Name("Gauges"));
    EXPECT_EQ(match.huds(), 1u);
    controller.set_hud_class({});
    EXPECT_EQ(match.huds(), 0u);
    const PropertyInfo* property = controller.type().find_property(Name("hud"));
    ASSERT_NE(property, nullptr);
    EXPECT_EQ(property->condition, Condition::OwnerOnly);
}

TEST(Hud, that_cannot_be_made_is_told_and_the_player_plays_without) {
    // G-52
    Seats match;
    std::vector<std::unique_ptr<LocalPlayer>> people;
    for (const char* name : {"Nothing", "Walker", "Match"}) {
        people.push_back(std::make_unique<LocalPlayer>(Name(name)));
        PlayerController& controller = match.controller(Name(name));
        EXPECT_TRUE(controller.receive_player(people.back().get()).is_ok());
        EXPECT_EQ(controller.hud(), nullptr);
    }
    EXPECT_EQ(match.reports("gameplay.no_hud"), 3u);
    Gauges::at_begin = [](HUD&) { throw std::runtime_error("no screen"); };
    LocalPlayer anna(Name("anna"));
    PlayerController& controller = match.controller();
    EXPECT_TRUE(controller.receive_player(&anna).is_ok());
    EXPECT_EQ(controller.hud(), nullptr);
    EXPECT_EQ(match.reports("gameplay.no_hud"), 4u);
    EXPECT_EQ(match.huds(), 0u);
}

TEST(Hud, that_comes_up_may_end_itself_its_player_its_controller_its_world_or_wish_for_another) {
    // G-52
    const std::vector<std::pair<const char*, std::function<void(HUD&)>>> deeds{
        {"itself", [](HUD& hud) { hud.world().destroy(hud.id()); }},
        {"player", [](HUD& hud) { hud.controller()->release_player(); }},
        {"controller", [](HUD& hud) { hud.world().destroy(hud.controller()->id()); }},
        {"none", [](HUD& hud) { hud.controller()->set_hud_class({}); }},
        {"another for ever",
         [](HUD& hud) {
             hud.controller()->set_hud_class(Name(hud.type().name == Name("Plain") ? "Gauges" : "Plain"));
         }},
        {"world", [](HUD& hud) { hud.world().end(); }},
    };
    for (const auto& deed : deeds) {
        Seats match;
        LocalPlayer anna(Name("anna"));
        PlayerController& controller = match.controller();
        Gauges::at_begin = deed.second;
        EXPECT_TRUE(controller.receive_player(&anna).is_ok()) << deed.first;
        EXPECT_EQ(match.huds(), 0u) << deed.first;
        match.frames(2);
    }
    Seats match;
    LocalPlayer anna(Name("anna"));
    PlayerController& controller = match.controller();
    Gauges::at_begin = [](HUD& hud) { hud.controller()->set_hud_class(Name("Plain")); };
    EXPECT_TRUE(controller.receive_player(&anna).is_ok());
    ASSERT_NE(controller.hud(), nullptr);
    EXPECT_EQ(controller.hud()->type().name, Name("Plain"));
    EXPECT_EQ(match.huds(), 1u);
}

TEST(Modular, a_request_for_each_base_class_reaches_it) {
    // G-52, G-03
    Seats match;
    std::map<std::string, int> ready;
    const auto heard = match.manager().add_extension_handler(
        framework::Selector("ModularActor"), [&](Actor& actor, Name event, const framework::EventPayload&) {
            if (event == framework::events::kGameActorReady) ++ready[std::string(actor.type().name.text())];
        });
    ASSERT_TRUE(heard.status().is_ok());
    LocalPlayer anna(Name("anna"));
    PlayerController& controller = match.login("anna", &anna);
    const ActorId pawn = *match.world().spawn<Pawn>();
    const ActorId bot = *match.world().spawn<AIController>();
    const std::vector<std::pair<const char*, ActorId>> all{{"GameMode", match.mode().id()},
                                                           {"GameState", match.state().id()},
                                                           {"PlayerState", controller.player_state()->id()},
                                                           {"PlayerController", controller.id()},
                                                           {"AIController", bot},
                                                           {"Pawn", pawn},
                                                           {"HUD", controller.hud()->id()}};
    for (const auto& one : all) {
        const Actor& actor = *match.world().find(one.second);
        EXPECT_EQ(actor.find<Badge>(), nullptr);
        const auto request = match.manager().add_component_request(framework::Selector(one.first), Name("Badge"));
        for (const auto& other : all)
            EXPECT_EQ(match.world().find(other.second)->find<Badge>() != nullptr, one.second == other.second)
                << one.first << " " << other.first;
    }
    for (const char* name : {"GameMode", "GameState", "PlayerState", "PlayerController", "AIController", "Pawn", "HUD"})
        EXPECT_EQ(ready[name], 1) << name;
}

}  // namespace hud_test
}  // namespace lyre::gameplay
