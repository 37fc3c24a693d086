#include "lyre/gameplay/components.h"

#include "lyre/gameplay/teams.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace components_test {

using Deed = std::function<void(Component&)>;

// What each part says, and the one deed that a test gives one of them to do.
struct Acts {
    static inline std::map<std::string, Deed> deeds;
    static void tell(Component& part, const char* hook) {
        told().push_back(fmt::format("{}.{}", part.name(), hook));
        const auto at = deeds.find(std::string(part.name().text()));
        if (at == deeds.end()) return;
        const Deed deed = at->second;
        deeds.erase(at);
        deed(part);
    }
};

struct OfController : ControllerComponent {
    using Described = OfController;
    static void describe(TypeBuilder<OfController>& t) { t.parent<ControllerComponent>(); }
    void received_player() override { Acts::tell(*this, "received_player"); }
    void player_tick(float) override { Acts::tell(*this, "player_tick"); }
    void pawn_changed(Pawn*, Pawn*) override { Acts::tell(*this, "pawn_changed"); }
};
struct OfGameState : GameStateComponent {
    using Described = OfGameState;
    static void describe(TypeBuilder<OfGameState>& t) { t.parent<GameStateComponent>(); }
    void match_started() override { Acts::tell(*this, "match_started"); }
};
struct OfPlayerState : PlayerStateComponent {
    using Described = OfPlayerState;
    static void describe(TypeBuilder<OfPlayerState>& t) { t.parent<PlayerStateComponent>(); }
    void reset() override { Acts::tell(*this, "reset"); }
    void copy_properties(PlayerState& to) override {
        EXPECT_NE(&to, &player_state());
        Acts::tell(*this, "copy_properties");
    }
};
struct OfPawn : PawnComponent {
    using Described = OfPawn;
    static void describe(TypeBuilder<OfPawn>& t) { t.parent<PawnComponent>(); }
    void possessed(Controller&) override { Acts::tell(*this, "possessed"); }
    void unpossessed(Controller&) override { Acts::tell(*this, "unpossessed"); }
};

struct Parts : SmallMatch {
    Parts() {
        const Status known = house.runtime().types().add_all<OfController, OfGameState, OfPlayerState, OfPawn>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        open();
        Acts::deeds.clear();
        controller = world().find<PlayerController>(*world().spawn<PlayerController>());
        player = world().find<PlayerState>(*world().spawn<PlayerState>());
        other = world().find<PlayerState>(*world().spawn<PlayerState>());
        pawn = world().find<Pawn>(*world().spawn<Pawn>());
        for (const char* name : {"a", "b", "c"}) {
            EXPECT_TRUE(controller->add<OfController>(Name(name)).is_ok());
            EXPECT_TRUE(player->add<OfPlayerState>(Name(name)).is_ok());
            EXPECT_TRUE(state().add<OfGameState>(Name(name)).is_ok());
            EXPECT_TRUE(pawn->add<OfPawn>(Name(name)).is_ok());
        }
    }
    ~Parts() { Acts::deeds.clear(); }
    LocalPlayer person{Name("anna")};
    PlayerController* controller = nullptr;
    PlayerState *player = nullptr, *other = nullptr;
    Pawn* pawn = nullptr;
};

struct Hook {
    const char* name;
    std::function<void(Parts&)> call;
};
const std::vector<Hook>& hooks() {
    static const std::vector<Hook> all{
        {"received_player", [](Parts& match) { match.controller->receive_player(&match.person).ignore(); }},
        {"player_tick",
         [](Parts& match) {
             const auto deeds = std::exchange(Acts::deeds, {});
             match.controller->receive_player(&match.person).ignore();
             story();
             Acts::deeds = deeds;
             match.world().tick();
         }},
        {"match_started", [](Parts& match) { match.state().start_match(); }},
        {"reset", [](Parts& match) { match.player->reset(); }},
        {"copy_properties", [](Parts& match) { match.player->copy_properties(*match.other); }},
        {"possessed", [](Parts& match) { match.controller->possess(*match.pawn).ignore(); }},
    };
    return all;
}
std::string lines(const char* hook, std::initializer_list<const char*> parts) {
    std::string text;
    for (const char* part : parts) text += fmt::format("{}{}.{}", text.empty() ? "" : " ", part, hook);
    return text;
}
// Of the hook only: a possession also tells the controller's parts.
std::string heard(const char* hook) {
    std::string text;
    for (const std::string& line : std::exchange(told(), {}))
        if (line.ends_with(std::string(".") + hook)) text += (text.empty() ? "" : " ") + line;
    return text;
}

TEST(Components, hear_what_their_owner_has_to_tell_in_the_order_of_components) {
    // G-51
    for (const Hook& hook : hooks()) {
        Parts match;
        hook.call(match);
        EXPECT_EQ(heard(hook.name), lines(hook.name, {"a", "b", "c"}));
    }
    Parts match;
    match.state().start_match();
    match.state().start_match();  // once
    EXPECT_EQ(heard("match_started"), lines("match_started", {"a", "b", "c"}));
}

// Comes with a feature, whenever that may be.
struct Latecomer : PawnComponent {
    using Described = Latecomer;
    static void describe(TypeBuilder<Latecomer>& t) { t.parent<PawnComponent>(); }
    void begin_play() {
        if (Controller* by = pawn().controller()) possessed(*by);
    }
    void possessed(Controller&) override { ++heard_of; }
    int heard_of = 0;
};

TEST(Components, that_come_late_are_told_nothing_again_and_find_it_in_their_begin_play) {
    // G-51
    Parts match;
    ASSERT_TRUE(match.house.runtime().types().add<Latecomer>().is_ok());
    match.world().begin_play();
    ASSERT_TRUE(match.controller->possess(*match.pawn).is_ok());
    story();
    const auto late = match.pawn->add<Latecomer>();
    ASSERT_TRUE(late.is_ok());
    EXPECT_EQ((*late)->heard_of, 1);
    ASSERT_TRUE(match.pawn->add<OfPawn>(Name("d")).is_ok());
    EXPECT_EQ(heard("possessed"), "") << "neither the new one nor the others";
    match.controller->unpossess();
    ASSERT_TRUE(match.controller->possess(*match.pawn).is_ok());
    EXPECT_EQ(heard("possessed"), lines("possessed", {"a", "b", "c", "d"}));
    EXPECT_EQ((*late)->heard_of, 2);
}

TEST(Components, a_hook_may_remove_its_component_or_another_and_the_rest_are_told) {
    // G-51
    for (const Hook& hook : hooks()) {
        Parts match;
        Acts::deeds["a"] = [](Component& part) { EXPECT_TRUE(part.world().remove_component(part).is_ok()); };
        hook.call(match);
        EXPECT_EQ(heard(hook.name), lines(hook.name, {"a", "b", "c"}));
        Parts second;
        Acts::deeds["a"] = [](Component& part) {
            EXPECT_TRUE(part.world().remove_component(*part.actor().find_component(Name("b"))).is_ok());
        };
        hook.call(second);
        EXPECT_EQ(heard(hook.name), lines(hook.name, {"a", "c"}));
    }
}

TEST(Components, a_hook_may_end_its_actor_or_the_world_and_nobody_is_told_after_the_actors_end) {
    // G-51
    for (const Hook& hook : hooks()) {
        Parts match;
        Acts::deeds["b"] = [](Component& part) { part.world().destroy(part.actor().id()); };
        hook.call(match);
        EXPECT_EQ(heard(hook.name), lines(hook.name, {"a", "b"}));
        Parts second;
        Acts::deeds["b"] = [](Component& part) { part.world().end(); };
        hook.call(second);
        EXPECT_TRUE(second.world().has_ended());
    }
}

TEST(Components, a_hook_that_throws_is_reported_and_the_rest_are_told) {
    // G-51
    for (const Hook& hook : hooks()) {
        Parts match;
        Acts::deeds["a"] = [](Component&) { throw std::runtime_error("oh"); };
        Acts::deeds["b"] = [](Component&) { throw 7; };
        hook.call(match);
        EXPECT_EQ(heard(hook.name), lines(hook.name, {"a", "b", "c"}));
        EXPECT_EQ(match.reports("gameplay.callback"), 2u) << hook.name;
    }
    Parts match;  // and what was under way is done
    Acts::deeds["a"] = [](Component&) { throw 7; };
    EXPECT_TRUE(match.controller->possess(*match.pawn).is_ok());
    EXPECT_EQ(match.pawn->controller(), match.controller);
}

TEST(Components, on_another_kind_of_actor_are_refused_by_name_and_end_nothing) {
    // G-51, G-44
    Parts match;
    const auto refused = [](Actor& actor, const char* component) {
        const auto added = actor.add_component(Name(component));
        return added ? "" : std::string(added.status().text());
    };
    EXPECT_EQ(refused(*match.controller, "InputComponent"),
              "InputComponent belongs to actors of class Pawn, and PlayerController is none");
    EXPECT_EQ(refused(match.state(), "HeroComponent"),
              "HeroComponent belongs to actors of class Pawn, and GameState is none");
    EXPECT_EQ(refused(*match.player, "TeamCreation"),
              "TeamCreation belongs to actors of class GameState, and PlayerState is none");
    EXPECT_EQ(refused(*match.pawn, "OfController"),
              "OfController belongs to actors of class Controller, and Pawn is none");
    EXPECT_EQ(match.controller->find_component_of(Name("InputComponent")), nullptr);
    // As an experience asks for it, also through a class above.
    match.house.experience("tag",
                           "[[action]]\nkind = \"add_components\"\nto = \"ModularActor\"\ncomponent = \"OfPawn\"\n");
    match.load("tag");
    const std::string why = match.manager().explain_receiver(*match.controller);
    EXPECT_NE(why.find("OfPawn belongs to actors of class Pawn, and PlayerController is none"), std::string::npos)
        << why;
}

}  // namespace components_test
}  // namespace lyre::gameplay
