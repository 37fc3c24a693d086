#include <type_traits>

#include "lyre/framework/extensions.h"

#include "tests/framework/small_game.h"

namespace lyre::framework {
namespace requests_test {

TEST(Requests, without_receiver_class_or_component_or_for_actor_are_refused) {
    // G-11
    ExtendedGame game;
    for (const auto& [to, component, says] : {std::tuple{"", "Health", "class"}, std::tuple{"Pawn", "", "component"},
                                              std::tuple{"Actor", "Health", "Actor"}}) {
        auto handle = game.request(to, component);
        EXPECT_FALSE(handle.is_valid());
        EXPECT_NE(handle.status().text().find(says), std::string::npos) << handle.status().text();
        EXPECT_TRUE(handle.results().empty());
    }
}

TEST(Requests, for_one_class_share_one_component) {
    // G-12
    ExtendedGame game;
    auto base = game.request("Pawn", "Health");
    auto derived = game.request("Hero", "Health");
    Hero* hero = game.spawn<Hero>();
    EXPECT_EQ(components_of(*hero), "Health");
    EXPECT_EQ(results_of(derived), "Created");
    EXPECT_EQ(results_of(base), "Shared");
}

TEST(Requests, a_component_stays_while_any_request_wants_it) {
    // G-20, G-54, G-55
    for (const bool base_first : {true, false}) {
        ExtendedGame game;
        game.world().begin_play();
        auto base = game.request("Pawn", "Health");
        auto derived = game.request("Hero", "Health");
        Hero* hero = game.spawn<Hero>();
        (base_first ? base : derived).reset();
        EXPECT_EQ(components_of(*hero), "Health");
        EXPECT_EQ(times("Health.end_play(Removed)"), 0u);
        (base_first ? derived : base).reset();
        EXPECT_EQ(components_of(*hero), "");
        EXPECT_EQ(times("Health.end_play(Removed)"), 1u);
    }
}

TEST(Requests, never_destroy_what_they_did_not_make) {
    // G-20
    ExtendedGame game;
    Crate* crate = game.spawn<Crate>();
    auto request = game.request("Crate", "Health", AddFlags::AddUnique);
    auto own = game.request("Crate", "Health");
    EXPECT_EQ(components_of(*crate), "native Health");
    own.reset();
    request.reset();
    EXPECT_EQ(components_of(*crate), "native");
}

TEST(Requests, are_judged_by_their_own_flags_and_differing_ones_are_reported_once) {
    // G-13
    for (const bool unique_first : {true, false}) {
        ExtendedGame game;
        const OwnerScope as(Owner::feature(Name("first_feature"), 1));
        auto first = game.request("Crate", "Health", unique_first ? AddFlags::AddUnique : AddFlags::None);
        const OwnerScope as_second(Owner::feature(Name("second_feature"), 2));
        auto second = game.request("Crate", "Health", unique_first ? AddFlags::None : AddFlags::AddUnique);
        game.spawn<Crate>();
        game.spawn<Crate>();
        EXPECT_EQ(results_of(unique_first ? first : second),
                  "AlreadyHas: component native (Health), AlreadyHas: component native (Health)");
        EXPECT_EQ(results_of(unique_first ? second : first), "Created, Created");
        EXPECT_EQ(game.reports("framework.flags"), 1u);
        EXPECT_NE(game.last_report().find("first_feature"), std::string::npos) << game.last_report();
        EXPECT_NE(game.last_report().find("second_feature"), std::string::npos);
    }
}

TEST(Requests, that_come_late_reach_all_receivers_in_order_and_nobody_else) {
    // G-14, G-56
    ExtendedGame game;
    std::vector<ActorId> pawns;
    std::vector<Plain*> plain;
    for (int i = 0; i < 3; ++i) {
        pawns.push_back(game.spawn<Pawn>()->id());
        plain.push_back(game.spawn<Plain>());
    }
    std::vector<ActorId> reached;
    stage().at = [&](const std::string& point, Object* object) {
        if (point == "Health.registered") reached.push_back(static_cast<Component*>(object)->actor().id());
    };
    auto request = game.request("Pawn", "Health");
    auto of_plain = game.request("Plain", "Health");
    EXPECT_EQ(reached, pawns);
    EXPECT_EQ(results_of(request), "Created, Created, Created");
    for (Plain* actor : plain) EXPECT_EQ(components_of(*actor), "");
}

TEST(Requests, reach_a_receiver_that_has_not_begun_play) {
    // G-15
    ExtendedGame game;
    game.world().begin_play();
    ComponentRequestHandle late;
    std::string at_begin;
    stage().at = [&](const std::string& point, Object* object) {
        if (point == "Health.registered") late = game.request("Crate", "Backpack");
        if (point == "begin_play") at_begin = components_of(static_cast<Actor&>(*object));
    };
    game.spawn<Crate>();
    EXPECT_EQ(at_begin, "native Backpack");
}

TEST(Requests, wait_for_a_world) {
    // G-16
    ExtendedGame game;
    game.instance.close_world();
    ASSERT_EQ(game.instance.world(), nullptr);
    auto request = game.request("Pawn", "Health");
    EXPECT_TRUE(request.is_valid());
    game.instance.open_world({});
    EXPECT_EQ(components_of(*game.spawn<Pawn>()), "Health");
}

TEST(Requests, live_exactly_as_long_as_their_handles_which_only_move) {
    // G-18
    static_assert(!std::is_copy_constructible_v<ComponentRequestHandle> &&
                  !std::is_copy_assignable_v<ComponentRequestHandle>);
    static_assert(!std::is_copy_constructible_v<ExtensionHandlerHandle>);
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    ComponentRequestHandle kept;
    {
        auto request = game.request("Pawn", "Health");
        kept = std::move(request);
        EXPECT_FALSE(request.is_valid());
    }
    EXPECT_EQ(components_of(*pawn), "Health");
    kept = game.request("Pawn", "Backpack");  // the old one goes
    EXPECT_EQ(components_of(*pawn), "Backpack");
    ComponentRequestHandle& self = kept;
    kept = std::move(self);
    EXPECT_TRUE(kept.is_valid());
    EXPECT_EQ(components_of(*pawn), "Backpack");
    { const auto gone = std::move(kept); }
    EXPECT_EQ(components_of(*pawn), "");
}

TEST(Requests, a_handle_may_outlive_its_manager) {
    // G-19
    ComponentRequestHandle request;
    ExtensionHandlerHandle handler;
    {
        ExtendedGame game;
        request = game.request("Pawn", "Health");
        handler = game.listen("a", Selector("Pawn"));
        game.spawn<Pawn>();
    }
    EXPECT_EQ(request.status().code(), StatusCode::Unavailable);
    EXPECT_NE(request.status().text().find("ManagerGone"), std::string::npos);
    EXPECT_EQ(handler.status().code(), StatusCode::Unavailable);
    EXPECT_TRUE(request.results().empty());
}

struct Fussy : Component {
    static void describe(TypeBuilder<Fussy>&) {}
    void registered() { throw Malice(); }
};

TEST(Requests, say_per_receiver_what_happened) {
    // G-59
    ExtendedGame game;
    game.know<Fussy>();
    Crate* crate = game.spawn<Crate>();
    auto created = game.request("Crate", "Backpack");
    auto shared = game.request("Crate", "Backpack");
    auto unique = game.request("Crate", "Health", AddFlags::AddUnique);
    auto child = game.request("Crate", "Armour", AddFlags::AddIfNotChild);
    auto unknown = game.request("Crate", "Jetpack");
    auto actor_class = game.request("Crate", "Pawn");
    auto failing = game.request("Crate", "Fussy");
    ASSERT_TRUE(crate->add<Backpack>(Name("Team")));
    auto taken = game.request("Crate", "Team");
    EXPECT_EQ(results_of(created), "Created");
    EXPECT_EQ(results_of(shared), "Shared");
    EXPECT_EQ(results_of(unique), "AlreadyHas: component native (Health)");
    EXPECT_EQ(results_of(child), "IsChildOf: component native (Health)");
    EXPECT_EQ(results_of(unknown), "ClassUnavailable: there is no class Jetpack (yet)");
    EXPECT_EQ(results_of(actor_class), "ClassUnavailable: Pawn is no component class");
    EXPECT_EQ(results_of(taken), "NameTaken: component Team (Backpack)");
    EXPECT_NE(results_of(failing).find("CreateFailed: "), std::string::npos);
    EXPECT_NE(results_of(failing).find("malice"), std::string::npos) << results_of(failing);
    EXPECT_EQ(components_of(*crate), "native Backpack Team");
    game.manager().settle();  // what failed is not tried again
    EXPECT_EQ(game.reports("framework.settle"), 0u);
}

TEST(Requests, that_are_withdrawn_leave_nothing_in_any_table) {
    // G-22
    ExtendedGame game;
    const GameplayTag red = game.tag("Team.Red");
    Pawn* pawn = game.spawn<Pawn>();
    ASSERT_TRUE(game.world().tags().add(pawn->id(), red).is_ok());
    EXPECT_TRUE(game.manager().add_predicate(Name("always"), [](const Actor&) { return true; }).is_ok());
    const auto cycle = [&] {
        auto plain = game.request("Pawn", "Health");
        auto flagged = game.request("Pawn", "Health", AddFlags::AddUnique);
        auto own = game.request("Pawn", "Health", AddFlags::UseAutoGeneratedName);
        auto tagged = game.request(Selector("Pawn").with_tags("Team.Red").where("always"), "Backpack");
        auto handler = game.listen("a", Selector("Hero").with("Health"));
        RequestOptions spread;
        spread.per_frame = 1;
        auto slow = game.manager().add_component_request(Selector("Pawn"), Name("Team"), spread);
        game.manager().settle();
    };
    cycle();
    const std::size_t before = game.manager().table_sizes();
    for (int i = 0; i < 1000; ++i) cycle();
    EXPECT_EQ(game.manager().table_sizes(), before);
    EXPECT_EQ(components_of(*pawn), "");
}

TEST(Requests, for_what_replicates_are_made_where_the_actor_has_authority) {
    // G-23
    ExtendedGame game({.net_mode = NetMode::Client});
    auto plain = game.request("Pawn", "Health");
    auto replicated = game.request("Pawn", "Team");
    Pawn* own = game.spawn<Pawn>();
    Pawn* remote = game.spawn<Pawn>({.role = Role::SimulatedProxy});
    EXPECT_EQ(components_of(*own), "Health Team");
    EXPECT_EQ(components_of(*remote), "Health");
    EXPECT_EQ(results_of(replicated), "Created, DeferredToReplication");
    ASSERT_TRUE(remote->add<Team>());  // as replication does when it arrives
    EXPECT_EQ(results_of(replicated), "Created, DeferredToReplication: component Team has arrived");
    replicated.reset();
    EXPECT_EQ(components_of(*own), "Health");
    EXPECT_EQ(components_of(*remote), "Health Team");
}

TEST(Requests, are_refused_where_their_name_is_taken) {
    // G-24
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    ASSERT_TRUE(pawn->add<Health>(Name("Health")));
    auto same_class = game.request("Pawn", "Health");
    EXPECT_EQ(results_of(same_class), "NameTaken: component Health (Health)");
    ASSERT_TRUE(pawn->add<Health>(Name("Backpack")));
    auto other_class = game.request("Pawn", "Backpack");
    EXPECT_EQ(results_of(other_class), "NameTaken: component Backpack (Health)");
    auto native = game.request("Crate", "Health");
    EXPECT_EQ(components_of(*game.spawn<Crate>()), "native Health Backpack");
}

TEST(Requests, add_unique_looks_at_the_class_and_below) {
    // G-25
    ExtendedGame game;
    const auto refused = [&](const char* there, const char* wanted) {
        Pawn* pawn = game.spawn<Pawn>();
        EXPECT_TRUE(pawn->add_component(Name(there), Name("there")));
        auto request = game.request("Pawn", wanted, AddFlags::AddUnique);
        const std::string result = results_of(request);
        game.world().destroy(pawn->id());
        return result == fmt::format("AlreadyHas: component there ({})", there);
    };
    EXPECT_TRUE(refused("Health", "Health"));
    EXPECT_TRUE(refused("Armour", "Health"));
    EXPECT_FALSE(refused("Health", "Armour"));
    auto first = game.request("Pawn", "Health", AddFlags::AddUnique);
    auto second = game.request("Pawn", "Health", AddFlags::AddUnique);
    game.spawn<Pawn>();
    EXPECT_EQ(results_of(second), "Shared");
}

TEST(Requests, add_if_not_child_looks_at_the_class_and_above) {
    // G-26
    ExtendedGame game;
    const auto refused = [&](const char* there, const char* wanted) {
        Pawn* pawn = game.spawn<Pawn>();
        EXPECT_TRUE(pawn->add_component(Name(there), Name("there")));
        auto request = game.request("Pawn", wanted, AddFlags::AddIfNotChild);
        const std::string result = results_of(request);
        game.world().destroy(pawn->id());
        return result == fmt::format("IsChildOf: component there ({})", there);
    };
    EXPECT_TRUE(refused("Health", "Health"));
    EXPECT_FALSE(refused("Armour", "Health"));
    EXPECT_TRUE(refused("Health", "Armour"));
    EXPECT_FALSE(refused("Backpack", "Health"));
    auto first = game.request("Pawn", "Health", AddFlags::AddIfNotChild);
    auto second = game.request("Pawn", "Health", AddFlags::AddIfNotChild);
    game.spawn<Pawn>();
    EXPECT_EQ(results_of(second), "Shared");
}

TEST(Requests, with_generated_names_never_share_and_count_per_actor) {
    // G-27
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto plain = game.request("Pawn", "Health");
    auto first = game.request("Pawn", "Health", AddFlags::UseAutoGeneratedName);
    auto second = game.request("Pawn", "Health", AddFlags::UseAutoGeneratedName);
    EXPECT_EQ(components_of(*pawn), "Health Health_1 Health_2");
    EXPECT_EQ(components_of(*game.spawn<Pawn>()), "Health Health_1 Health_2");
    EXPECT_EQ(results_of(second), "Created, Created");
    first.reset();
    EXPECT_EQ(components_of(*pawn), "Health Health_2");
}

TEST(Requests, flags_combine_and_are_checked_in_order) {
    // G-28
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    ASSERT_TRUE(pawn->add<Health>(Name("Health")));
    const auto result = [&](AddFlags flags) { return results_of(game.request("Pawn", "Health", flags)).substr(0, 9); };
    EXPECT_EQ(result(AddFlags::AddUnique | AddFlags::AddIfNotChild), "AlreadyHa");
    EXPECT_EQ(result(AddFlags::AddIfNotChild), "IsChildOf");
    EXPECT_EQ(result(AddFlags::None), "NameTaken");
    EXPECT_EQ(result(AddFlags::UseAutoGeneratedName), "Created");
    EXPECT_EQ(result(AddFlags::UseAutoGeneratedName | AddFlags::AddIfNotChild), "IsChildOf");
    EXPECT_EQ(result(AddFlags::UseAutoGeneratedName | AddFlags::AddUnique), "AlreadyHa");
    EXPECT_EQ(to_string(AddFlags::AddUnique | AddFlags::UseAutoGeneratedName), "AddUnique|UseAutoGeneratedName");
}

TEST(Requests, that_were_refused_are_judged_again_when_what_stood_in_the_way_has_gone) {
    // G-57
    ExtendedGame game;
    Crate* crate = game.spawn<Crate>();
    auto request = game.request("Crate", "Health", AddFlags::AddUnique);
    auto waiting = game.request("Crate", "LaterComponent");
    EXPECT_EQ(components_of(*crate), "native");
    ASSERT_TRUE(game.world().remove_component(*crate->find_component(Name("native"))).is_ok());
    game.manager().settle();
    EXPECT_EQ(results_of(request), "Created");
    EXPECT_EQ(components_of(*crate), "Health");
    struct LaterComponent : Component {
        static void describe(TypeBuilder<LaterComponent>&) {}
    };
    EXPECT_EQ(type_name<LaterComponent>(), Name("LaterComponent"));
    EXPECT_TRUE(game.runtime.types().add<LaterComponent>());
    game.manager().settle();
    EXPECT_EQ(results_of(waiting), "Created");
}

TEST(Requests, a_component_is_known_before_it_registers) {
    // G-29
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    std::string explained;
    stage().at = [&](const std::string& point, Object* object) {
        if (point == "Health.registered")
            explained = game.manager().explain_component(static_cast<Component&>(*object));
    };
    auto request = game.request("Pawn", "Health");
    EXPECT_NE(explained.find("features brought it"), std::string::npos) << explained;
    EXPECT_NE(explained.find("Health to Pawn"), std::string::npos);
    EXPECT_EQ(components_of(*pawn), "Health");
}

TEST(Requests, a_component_that_somebody_else_destroyed_is_lost_and_not_made_again) {
    // G-30, G-59
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto first = game.request("Pawn", "Health");
    auto second = game.request("Pawn", "Health");
    ASSERT_TRUE(game.world().remove_component(*pawn->find<Health>()).is_ok());
    EXPECT_EQ(results_of(first), "Lost");
    EXPECT_EQ(results_of(second), "Lost");
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "");
    auto third = game.request("Pawn", "Health");  // a request of its own
    EXPECT_EQ(results_of(third), "Created");
    first.reset();
    second.reset();
    EXPECT_EQ(components_of(*pawn), "Health");
    // Also one that is destroyed as it registers.
    stage().at = [&](const std::string& point, Object* object) {
        if (point == "Backpack.registered") game.world().remove_component(static_cast<Component&>(*object)).ignore();
    };
    auto backpack = game.request("Pawn", "Backpack");
    EXPECT_EQ(results_of(backpack), "Lost");
}

TEST(Requests, keep_their_component_class_registered) {
    // G-31
    ExtendedGame game;
    const OwnerScope as(Owner::feature(Name("feature_a"), 1));
    auto request = game.request("Pawn", "Backpack");
    const Status refused = game.runtime.types().remove(Name("Backpack"));
    EXPECT_EQ(refused.code(), StatusCode::Refused);
    EXPECT_NE(refused.text().find("component request Backpack to Pawn of feature feature_a"), std::string::npos)
        << refused.text();
    request.reset();
    EXPECT_TRUE(game.runtime.types().remove(Name("Backpack")).is_ok());
}

TEST(Requests, of_a_world_end_with_it_and_others_last) {
    // G-47
    ExtendedGame game;
    RequestOptions options;
    options.world = &game.world();
    auto of_world = game.manager().add_component_request(Selector("Pawn"), Name("Health"), options);
    HandlerOptions handler_options;
    handler_options.world = &game.world();
    auto handler_of_world = game.listen("world", Selector("Pawn"), handler_options);
    auto of_game = game.request("Pawn", "Backpack");
    auto handler_of_game = game.listen("game", Selector("Pawn"));
    EXPECT_EQ(components_of(*game.spawn<Pawn>()), "Health Backpack");
    game.instance.travel({.name = Name("second")});
    EXPECT_EQ(handler_log(),
              "world:ReceiverAdded(Pawn) game:ReceiverAdded(Pawn) game:ReceiverRemoved(Pawn) "
              "world:ReceiverRemoved(Pawn)");
    EXPECT_EQ(of_world.status().code(), StatusCode::Cancelled);
    EXPECT_EQ(handler_of_world.status().code(), StatusCode::Cancelled);
    EXPECT_EQ(components_of(*game.spawn<Pawn>()), "Backpack");
    EXPECT_EQ(handler_log(), "game:ReceiverAdded(Pawn)");
    options.world = nullptr;
    World preview(game.runtime, {.kind = WorldKind::Preview});
    options.world = &preview;
    EXPECT_FALSE(game.manager().add_component_request(Selector("Pawn"), Name("Health"), options).is_valid());
}

TEST(Requests, may_be_spread_over_frames) {
    //
    ExtendedGame game;
    std::vector<Pawn*> pawns;
    for (int i = 0; i < 10; ++i) pawns.push_back(game.spawn<Pawn>());
    RequestOptions options;
    options.per_frame = 3;
    auto request = game.manager().add_component_request(Selector("Pawn"), Name("Health"), options);
    EXPECT_EQ(request.receivers_left(), 10u);
    game.manager().settle();
    EXPECT_EQ(request.receivers_left(), 7u);
    EXPECT_EQ(components_of(*game.spawn<Pawn>()), "Health");  // who comes now does not wait
    game.manager().settle();
    EXPECT_EQ(request.receivers_left(), 4u);
    EXPECT_EQ(request.results().size(), 7u);
    request.reset();
    for (Pawn* pawn : pawns) EXPECT_EQ(components_of(*pawn), "");
    game.manager().settle();
    EXPECT_EQ(game.world().component_count(), 0u);
    auto whole = game.manager().add_component_request(Selector("Pawn"), Name("Health"), options);
    for (int i = 0; i < 10; ++i) game.manager().settle();
    EXPECT_EQ(whole.receivers_left(), 0u);
    EXPECT_EQ(whole.results().size(), 11u);
}

TEST(Requests, of_two_features_for_actors_without_a_component_share_the_one_that_is_made) {
    // G-54, G-20, X-203
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto first = game.request(Selector("Pawn").without("Health"), "Health");
    auto second = game.request(Selector("Pawn").without("Health"), "Health");
    const Component* health = pawn->find_component(Name("Health"));
    ASSERT_NE(health, nullptr);
    EXPECT_EQ(results_of(second), "Shared");
    first.reset();
    game.manager().settle();
    EXPECT_EQ(pawn->find_component(Name("Health")), health);
    second.reset();
    EXPECT_EQ(components_of(*pawn), "");
}

TEST(Requests, tell_which_component_they_made_share_or_were_refused_for) {
    // G-59
    ExtendedGame game;
    game.spawn<Pawn>();
    auto made = game.request("Pawn", "Health");
    auto own = game.request("Pawn", "Health", AddFlags::UseAutoGeneratedName);
    auto refused = game.request("Pawn", "Health", AddFlags::AddUnique | AddFlags::UseAutoGeneratedName);
    EXPECT_EQ(made.results()[0].component, Name("Health"));
    EXPECT_EQ(own.results()[0].component, Name("Health_1"));
    EXPECT_EQ(refused.results()[0].outcome, RequestOutcome::AlreadyHas);
    EXPECT_EQ(refused.results()[0].component, Name("Health"));
}

}  // namespace requests_test
}  // namespace lyre::framework
