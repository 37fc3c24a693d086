#include "lyre/framework/component_manager.h"

#include "tests/framework/small_game.h"

namespace lyre::framework {
namespace receivers_test {

TEST(Receivers, a_preview_world_has_no_manager_and_nothing_happens_there) {
    // G-01
    ExtendedGame game;
    auto request = game.request("Pawn", "Health");
    World preview(game.runtime, {.name = Name("preview"), .kind = WorldKind::Preview});
    EXPECT_EQ(ComponentManager::of(preview), nullptr);
    auto id = preview.spawn<Pawn>();
    ASSERT_TRUE(id);
    Pawn& pawn = *preview.find<Pawn>(*id);
    EXPECT_EQ(components_of(pawn), "");
    EXPECT_TRUE(add_receiver(pawn).is_ok());
    EXPECT_EQ(send_extension_event(pawn, Name("Hello")).what, EventResult::What::NotReceiver);
    EXPECT_TRUE(remove_receiver(pawn).is_ok());
    EXPECT_EQ(ComponentManager::of(game.world()), &game.manager());
    EXPECT_EQ(game.runtime.log().entries().size(), 0u);
    EXPECT_EQ(game.manager().add_receiver(pawn).code(), StatusCode::InvalidArgument);
}

TEST(Receivers, an_actor_that_does_not_opt_in_gets_nothing_ever) {
    // G-02
    ExtendedGame game;
    auto early = game.request("Plain", "Health");
    auto early_handler = game.listen("early", Selector("Plain"));
    Plain* plain = game.spawn<Plain>();
    auto late = game.request("Plain", "Backpack");
    auto late_handler = game.listen("late", Selector("Plain"));
    game.manager().send_extension_event(*plain, Name("Hello"));
    game.manager().settle();
    EXPECT_EQ(components_of(*plain), "");
    EXPECT_EQ(handler_log(), "");
    EXPECT_FALSE(game.manager().is_receiver(*plain));
}

TEST(Receivers, classes_are_matched_from_the_most_derived_up_to_but_not_including_actor) {
    // G-04, G-11, G-32
    ExtendedGame game;
    auto base = game.request("Pawn", "Health");
    auto derived = game.request("Hero", "Backpack");
    EXPECT_EQ(components_of(*game.spawn<Hero>()), "Backpack Health");
    EXPECT_EQ(components_of(*game.spawn<Pawn>()), "Health");
    EXPECT_EQ(game.request("Actor", "Health").status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(game.listen("a", Selector("Actor")).status().code(), StatusCode::InvalidArgument);
}

TEST(Receivers, first_all_components_by_level_then_all_handlers_by_level) {
    // G-05
    ExtendedGame game;
    auto base_request = game.request("Pawn", "Health");
    auto base = game.listen("base", Selector("Pawn"));
    auto derived_request = game.request("Hero", "Backpack");
    auto second_request = game.request("Hero", "Team");
    std::string seen;
    auto derived = game.manager().add_extension_handler(Selector("Hero"), [&](Actor& actor, Name event, const auto&) {
        seen = components_of(actor);
        report(fmt::format("derived:{}", event), &actor);
    });
    game.spawn<Hero>();
    EXPECT_EQ(seen, "Backpack Team Health");
    EXPECT_EQ(handler_log(), "derived:ReceiverAdded base:ReceiverAdded(Hero)");
}

struct LaterClass : Pawn {
    static void describe(TypeBuilder<LaterClass>&) {}
};

TEST(Receivers, a_request_or_handler_may_name_a_class_that_does_not_exist_yet) {
    // G-06, G-16
    ExtendedGame game;
    auto request = game.request("LaterClass", "Health");
    auto handler = game.listen("a", Selector("LaterClass"));
    EXPECT_TRUE(request.is_valid() && handler.is_valid());
    game.know<LaterClass>();
    EXPECT_EQ(components_of(*game.spawn<LaterClass>()), "Health");
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(LaterClass)");
}

TEST(Receivers, adding_twice_does_nothing_and_says_so) {
    // G-07
    ExtendedGame game;
    auto request = game.request("Pawn", "Health");
    auto handler = game.listen("a", Selector("Pawn"));
    Pawn* pawn = game.spawn<Pawn>();
    EXPECT_TRUE(game.manager().is_receiver(*pawn));
    EXPECT_EQ(game.manager().add_receiver(*pawn).code(), StatusCode::AlreadyExists);
    EXPECT_EQ(components_of(*pawn), "Health");
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Pawn)");
}

TEST(Receivers, removing_tells_handlers_in_reverse_and_then_destroys_components_newest_first) {
    // G-08
    ExtendedGame game;
    game.world().begin_play();
    auto health = game.request("Pawn", "Health");
    auto backpack = game.request("Pawn", "Backpack");
    auto first = game.listen("first", Selector("Pawn"));
    auto derived = game.listen("derived", Selector("Hero"));
    Hero* hero = game.spawn<Hero>();
    game.manager().send_extension_event(*hero, Name("Kept"), {}, Sticky::Yes);
    std::string seen;
    stage().at = [&](const std::string& point, Object* object) {
        if (point == "first:ReceiverRemoved(Hero)") seen = components_of(static_cast<Actor&>(*object));
    };
    stage().log.clear();
    EXPECT_TRUE(game.manager().remove_receiver(*hero).is_ok());
    EXPECT_EQ(log(),
              "first:ReceiverRemoved(Hero) derived:ReceiverRemoved(Hero) Backpack.end_play(Removed) "
              "Health.end_play(Removed)");
    EXPECT_EQ(seen, "Health Backpack");
    EXPECT_EQ(components_of(*hero), "");
    EXPECT_FALSE(game.manager().is_receiver(*hero));
    EXPECT_TRUE(game.manager().add_receiver(*hero).is_ok());
    EXPECT_EQ(handler_log(), "derived:ReceiverAdded(Hero) first:ReceiverAdded(Hero)");  // and no sticky event
}

TEST(Receivers, removing_what_is_no_receiver_is_reported) {
    // G-09
    ExtendedGame game;
    Plain* plain = game.spawn<Plain>();
    EXPECT_EQ(game.manager().remove_receiver(*plain).code(), StatusCode::NotFound);
    EXPECT_EQ(game.reports("framework.receiver"), 1u);
}

TEST(Receivers, are_listed_in_order_of_addition) {
    // G-10
    ExtendedGame game;
    std::vector<ActorId> model;
    Random random = RandomSource(3).stream("receivers");
    for (int i = 0; i < 300; ++i) {
        if (!model.empty() && random.next_below(3) == 0) {
            const std::size_t gone = random.next_below(model.size());
            game.world().destroy(model[gone]);
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(gone));
        } else {
            model.push_back(game.spawn<Pawn>()->id());
        }
        ASSERT_EQ(game.manager().receivers(game.world()), model);
    }
}

TEST(Receivers, an_actor_that_ends_without_leaving_is_removed_and_reported) {
    // G-48
    ExtendedGame game;
    auto request = game.request("Careless", "Health");
    auto handler = game.listen("a", Selector("Careless"));
    Careless* careless = game.spawn<Careless>();
    game.world().destroy(careless->id());
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Careless) a:ReceiverRemoved(Careless)");
    EXPECT_EQ(game.reports("framework.receiver"), 1u);
    EXPECT_TRUE(game.manager().receivers(game.world()).empty());
    EXPECT_TRUE(request.results().empty());
}

TEST(Receivers, an_actor_not_brought_up_yet_or_on_its_way_out_cannot_become_one) {
    // G-02, G-48
    ExtendedGame game;
    {
        auto deferred = game.world().spawn_deferred<Plain>();
        ASSERT_TRUE(deferred);
        EXPECT_EQ(game.manager().add_receiver(deferred->actor()).code(), StatusCode::Refused);
    }
    Careless* careless = game.spawn<Careless>();
    auto handler =
        game.manager().add_extension_handler(Selector("Careless"), [&](Actor& actor, Name event, const auto&) {
            if (events::is_removed_event(event)) {
                EXPECT_FALSE(game.manager().remove_receiver(actor).is_ok());
                EXPECT_FALSE(game.manager().add_receiver(actor).is_ok());
            }
        });
    game.world().destroy(careless->id());
    EXPECT_TRUE(game.manager().receivers(game.world()).empty());
}

TEST(Receivers, a_row_is_one_while_it_is_touched_and_rests_with_what_was_injected) {
    // G-58
    ExtendedGame game;
    auto request = game.request("Pawn", "Health");
    LevelDef def;
    def.name = Name("level");
    for (int i = 0; i < 1000; ++i)
        def.placed.push_back({.class_name = Name("Pawn"), .at = {static_cast<float>(i), 0, 0}});
    auto level = game.world().levels().add(def);
    ASSERT_TRUE(level) << level.status().text();
    EXPECT_EQ(game.world().component_count(), 0u);
    const ActorId id = game.world().levels().find(*level)->id_of(7);
    auto actor = game.world().levels().touch(id, Name("test"));
    ASSERT_TRUE(actor);
    EXPECT_TRUE(game.manager().is_receiver(**actor));
    EXPECT_EQ(game.world().component_count(), 1u);
    (*actor)->find<Health>()->points = 50;
    EXPECT_FALSE(game.world().levels().rest(id).is_ok());  // what happened to it would be forgotten
    (*actor)->find<Health>()->points = 100;
    EXPECT_TRUE(game.world().levels().rest(id).is_ok());
    EXPECT_EQ(game.world().component_count(), 0u);
    EXPECT_TRUE(game.manager().receivers(game.world()).empty());
    EXPECT_TRUE(game.world().levels().touch(id, Name("test")));
    EXPECT_EQ(results_of(request), "Created");
}

TEST(Receivers, of_two_games_do_not_meet) {
    // G-46
    ExtendedGame game;
    GameInstance client(game.runtime);
    World& world = client.open_world({.name = Name("client")});
    auto request = game.request("Pawn", "Health");
    auto handler = game.listen("a", Selector("Pawn"));
    auto id = world.spawn<Pawn>();
    ASSERT_TRUE(id);
    EXPECT_EQ(components_of(*world.find(*id)), "");
    EXPECT_TRUE(ComponentManager::of(world)->is_receiver(*world.find(*id)));
    EXPECT_FALSE(game.manager().is_receiver(*world.find(*id)));
    EXPECT_EQ(handler_log(), "");
}

TEST(Receivers, with_the_manager_everything_it_made_goes) {
    // G-19, G-44
    ExtendedGame game;
    auto request = game.request("Pawn", "Health");
    auto handler = game.listen("a", Selector("Pawn"));
    Pawn* pawn = game.spawn<Pawn>();
    EXPECT_TRUE(game.runtime.types().remove(Name("ComponentManager")).is_ok());
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Pawn) a:ReceiverRemoved(Pawn)");
    EXPECT_EQ(components_of(*pawn), "");
    EXPECT_EQ(request.status().code(), StatusCode::Unavailable);
    EXPECT_EQ(handler.status().code(), StatusCode::Unavailable);
    request.reset();
    handler.reset();
    game.world().destroy(pawn->id());
}

TEST(Receivers, adding_one_costs_its_own_requests_and_handlers_only) {
    //
    // Looking at all of them would take some hundred times as long with 10,000 others as with 10.
    const auto seconds_with = [](int others) {
        ExtendedGame game;
        std::vector<ComponentRequestHandle> requests;
        for (int i = 0; i < others; ++i) requests.push_back(game.request(fmt::format("Other{}", i), "Health"));
        auto own = game.request("Pawn", "Health");
        Pawn* pawn = game.spawn<Pawn>();
        EXPECT_EQ(components_of(*pawn), "Health");
        const RealClock clock;
        const std::int64_t begin = clock.now_us();
        for (int i = 0; i < 2000; ++i) {
            remove_receiver(*pawn).ignore();
            add_receiver(*pawn).ignore();
        }
        return static_cast<double>(clock.now_us() - begin) / 1e6;
    };
    const double few = seconds_with(10);
    EXPECT_LT(seconds_with(10'000), 20 * few + 0.01);
}

}  // namespace receivers_test
}  // namespace lyre::framework
