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

// Has a begin_play of its own.
struct Begins : OfPawn {
    using Described = Begins;
    static void describe(TypeBuilder<Begins>& t) { t.parent<OfPawn>(); }
    void begin_play() {
        told().push_back(fmt::format("{}.begins", name()));
        OfPawn::begin_play();
    }
};

TEST(Components, that_come_late_hear_once_what_they_have_missed) {
    // G-51
    Parts match;
    ASSERT_TRUE(match.house.runtime().types().add<Begins>().is_ok());
    match.house.experience("tag", "");
    match.load("tag");
    ASSERT_TRUE(match.controller->possess(*match.pawn).is_ok());
    ASSERT_TRUE(match.controller->receive_player(&match.person).is_ok());
    match.state().start_match();
    story();
    ASSERT_TRUE(match.pawn->add<Begins>(Name("d")).is_ok());
    ASSERT_TRUE(match.pawn->add<OfPawn>(Name("e")).is_ok());
    ASSERT_TRUE(match.controller->add<OfController>(Name("d")).is_ok());
    ASSERT_TRUE(match.state().add<OfGameState>(Name("d")).is_ok());
    EXPECT_EQ(story(), "d.begins d.possessed e.possessed d.received_player d.pawn_changed d.match_started");
    match.controller->unpossess();
    story();
    ASSERT_TRUE(match.controller->possess(*match.pawn).is_ok());
    EXPECT_EQ(heard("possessed"), lines("possessed", {"a", "b", "c", "d", "e"}));
}

// On a client, where a pawn may be possessed as it comes.
struct Arriving : Pawn {
    using Described = Arriving;
    static void describe(TypeBuilder<Arriving>& t) {
        t.parent<Pawn>();
        t.component<OfPawn>("a");
        t.component<Begins>("b");
    }
};

TEST(Components, of_a_client_hear_of_each_possession_once_however_it_arrives) {
    // G-51, W-19
    for (const std::string first : {"controller", "pawn"})
        for (const bool is_held : {false, true}) {
            SCOPED_TRACE(first);
            Parts match;
            ASSERT_TRUE((match.house.runtime().types().add_all<Begins, Arriving>().is_ok()));
            World& client = *match.open(NetMode::Client).world();
            auto pawn = client.spawn_deferred<Arriving>({.role = Role::AutonomousProxy});
            auto controller = client.spawn_deferred<PlayerController>({.role = Role::AutonomousProxy});
            const ActorId pawn_id = pawn->actor().id(), controller_id = controller->actor().id();
            EXPECT_TRUE(pawn->actor().set(Name("controller"), fmt::format("{}", controller_id)).is_ok());
            EXPECT_TRUE(controller->actor().set(Name("pawn"), fmt::format("{}", pawn_id)).is_ok());
            Component& b = *pawn->actor().find_component(Name("b"));
            if (is_held) {
                EXPECT_TRUE(client.hold_begin_play(b).is_ok());
            }
            if (first == "controller") controller->finish().value();
            pawn->finish().value();
            if (first == "pawn") controller->finish().value();
            if (is_held) {
                EXPECT_TRUE(client.release_begin_play(b).is_ok());
            }
            EXPECT_EQ(heard("possessed"), lines("possessed", {"a", "b"}));
        }
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
