#include "lyre/framework/extensions.h"

#include "tests/framework/small_game.h"

namespace lyre::framework {
namespace handlers_test {

HandlerOptions ordered(int order, std::string_view name = {}, std::vector<Name> before = {},
                       std::vector<Name> after = {}) {
    HandlerOptions options;
    options.ordering = {order, Name(name), std::move(before), std::move(after)};
    return options;
}

TEST(Handlers, without_class_or_callback_or_for_actor_are_refused) {
    // G-32
    ExtendedGame game;
    EXPECT_NE(game.listen("a", Selector()).status().text().find("class"), std::string::npos);
    EXPECT_NE(game.listen("a", Selector("Actor")).status().text().find("Actor"), std::string::npos);
    auto empty = game.manager().add_extension_handler(Selector("Pawn"), {});
    EXPECT_NE(empty.status().text().find("callback"), std::string::npos);
}

TEST(Handlers, each_is_one_of_its_own) {
    // G-33
    ExtendedGame game;
    auto first = game.listen("a", Selector("Pawn"));
    auto second = game.listen("a", Selector("Pawn"));
    game.spawn<Pawn>();
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Pawn) a:ReceiverAdded(Pawn)");
}

TEST(Handlers, a_new_one_hears_of_each_receiver_and_then_its_sticky_events) {
    // G-34, G-35
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    game.spawn<Plain>();
    Hero* hero = game.spawn<Hero>();
    ComponentManager& manager = game.manager();
    manager.send_extension_event(*pawn, Name("B"), {}, Sticky::Yes);
    manager.send_extension_event(*hero, Name("C"), {}, Sticky::Yes);
    manager.send_extension_event(*pawn, Name("A"), {}, Sticky::Yes);
    manager.send_extension_event(*pawn, Name("B"), {}, Sticky::Yes);
    auto handler = game.listen("a", Selector("Pawn"));
    EXPECT_EQ(handler_log(), "a:ExtensionAdded(Pawn) a:B(Pawn) a:A(Pawn) a:ExtensionAdded(Hero) a:C(Hero)");
    game.spawn<Pawn>();
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Pawn)");
    EXPECT_TRUE(events::is_added_event(events::kReceiverAdded) && events::is_added_event(events::kExtensionAdded));
    EXPECT_FALSE(events::is_added_event(events::kReceiverRemoved));
}

TEST(Handlers, one_that_is_dropped_hears_of_each_receiver_newest_first) {
    // G-36, G-55
    ExtendedGame game;
    game.spawn<Pawn>();
    game.spawn<Plain>();
    game.spawn<Hero>();
    auto handler = game.listen("a", Selector("Pawn"));
    handler_log();
    handler.reset();
    EXPECT_EQ(handler_log(), "a:ExtensionRemoved(Hero) a:ExtensionRemoved(Pawn)");
    game.spawn<Pawn>();
    EXPECT_EQ(handler_log(), "");
}

TEST(Handlers, one_dropped_inside_its_own_callback_is_told_at_once_and_never_again) {
    // G-36, G-55
    ExtendedGame game;
    game.spawn<Pawn>();
    Hero* hero = game.spawn<Hero>();
    ExtensionHandlerHandle handle;
    auto captured = std::make_shared<int>(7);
    const std::weak_ptr<int> watch = captured;
    handle = game.manager().add_extension_handler(
        Selector("Pawn"), [&, captured = std::move(captured)](Actor& actor, Name event, const EventPayload&) {
            report(fmt::format("a:{}({})", event, actor.type().name), &actor);
            if (event == Name("Go")) {
                handle.reset();
                report("a:dropped", nullptr);
            }
            EXPECT_EQ(*captured, 7);  // the callback outlives the handle it is called through
        });
    handler_log();
    game.manager().send_extension_event(*hero, Name("Go"));
    EXPECT_EQ(handler_log(), "a:Go(Hero) a:ExtensionRemoved(Hero) a:ExtensionRemoved(Pawn) a:dropped");
    EXPECT_TRUE(watch.expired());
}

TEST(Handlers, one_removed_during_a_dispatch_is_not_called_any_more_in_it) {
    // G-37
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto a = game.listen("a", Selector("Pawn"));
    auto b = game.listen("b", Selector("Pawn"));
    auto c = game.listen("c", Selector("Pawn"));
    handler_log();
    stage().at = [&](const std::string& point, Object*) {
        if (point == "a:Go(Pawn)") b.reset();
    };
    EXPECT_EQ(game.manager().send_extension_event(*pawn, Name("Go")).called, 2u);
    EXPECT_EQ(handler_log(), "a:Go(Pawn) b:ExtensionRemoved(Pawn) c:Go(Pawn)");
}

TEST(Handlers, one_added_during_a_dispatch_hears_of_it_only_if_it_is_sticky_and_never_twice) {
    // G-38
    for (const Sticky sticky : {Sticky::No, Sticky::Yes}) {
        ExtendedGame game;
        Pawn* pawn = game.spawn<Pawn>();
        auto a = game.listen("a", Selector("Pawn"));
        ExtensionHandlerHandle b;
        handler_log();
        stage().at = [&](const std::string& point, Object*) {
            if (point == "a:Go(Pawn)") b = game.listen("b", Selector("Pawn"));
        };
        game.manager().send_extension_event(*pawn, Name("Go"), {}, sticky);
        EXPECT_EQ(handler_log(), sticky == Sticky::Yes ? "a:Go(Pawn) b:ExtensionAdded(Pawn) b:Go(Pawn)"
                                                       : "a:Go(Pawn) b:ExtensionAdded(Pawn)");
    }
}

TEST(Handlers, an_event_sent_again_during_the_replay_comes_once) {
    // G-38, G-60
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    game.manager().send_extension_event(*pawn, Name("A"), {}, Sticky::Yes);
    game.manager().send_extension_event(*pawn, Name("B"), {}, Sticky::Yes);
    stage().at = [&](const std::string& point, Object*) {
        if (point == "a:A(Pawn)") game.manager().send_extension_event(*pawn, Name("B"), {}, Sticky::Yes);
    };
    auto a = game.listen("a", Selector("Pawn"));
    EXPECT_EQ(handler_log(), "a:ExtensionAdded(Pawn) a:A(Pawn) a:B(Pawn)");
}

TEST(Handlers, stand_by_order_number_and_then_time_whatever_was_removed_before) {
    // G-42
    ExtendedGame game;
    struct Known {
        int order, number;
        ExtensionHandlerHandle handle;
    };
    std::vector<Known> model;
    Random random = RandomSource(5).stream("order");
    Pawn* pawn = game.spawn<Pawn>();
    for (int i = 0; i < 400; ++i) {
        if (!model.empty() && random.next_below(3) == 0) {
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(random.next_below(model.size())));
        } else {
            const int order = static_cast<int>(random.next_below(5)) - 2;
            model.push_back({order, i, game.listen(std::to_string(i), Selector("Pawn"), ordered(order))});
        }
        std::stable_sort(model.begin(), model.end(), [](const Known& a, const Known& b) {
            return a.order != b.order ? a.order < b.order : a.number < b.number;
        });
        stage().log.clear();
        game.manager().send_extension_event(*pawn, Name("Go"));
        std::string expected;
        for (const Known& known : model)
            expected += fmt::format("{}{}:Go(Pawn)", expected.empty() ? "" : " ", known.number);
        ASSERT_EQ(handler_log(), expected);
    }
}

TEST(Handlers, edges_weigh_more_than_order_and_time) {
    //
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto a = game.listen("a", Selector("Pawn"), ordered(0, "a"));
    auto b = game.listen("b", Selector("Pawn"), ordered(0, "b"));
    auto c = game.listen("c", Selector("Pawn"), ordered(9, "c", {Name("b")}));
    auto d = game.listen("d", Selector("Pawn"), ordered(-9, "d", {}, {Name("b"), Name("nobody")}));
    handler_log();
    game.manager().send_extension_event(*pawn, Name("Go"));
    EXPECT_EQ(handler_log(), "a:Go(Pawn) c:Go(Pawn) b:Go(Pawn) d:Go(Pawn)");
    // One that turns the order of those who were there before.
    auto e = game.listen("e", Selector("Pawn"), ordered(0, "e", {Name("a")}, {Name("d")}));
    handler_log();
    game.manager().send_extension_event(*pawn, Name("Go"));
    EXPECT_EQ(handler_log(), "c:Go(Pawn) b:Go(Pawn) d:Go(Pawn) e:Go(Pawn) a:Go(Pawn)");
    EXPECT_NE(game.manager().dump().find("d after nobody"), std::string::npos) << game.manager().dump();
}

TEST(Handlers, a_circle_is_refused_and_printed_whole) {
    //
    ExtendedGame game;
    auto a = game.listen("a", Selector("Pawn"), ordered(0, "a", {Name("b")}));
    auto b = game.listen("b", Selector("Pawn"), ordered(0, "b", {Name("c")}));
    auto other = game.listen("other", Selector("Hero"), ordered(0, "c", {Name("a")}));  // another level
    EXPECT_TRUE(other.is_valid());
    auto c = game.listen("c", Selector("Pawn"), ordered(0, "c", {Name("a")}));
    EXPECT_EQ(c.status().text(), "the order of Pawn has a circle: c before a before b before c");
    Pawn* pawn = game.spawn<Pawn>();
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Pawn) b:ReceiverAdded(Pawn)");
    RequestOptions options;
    options.ordering = {0, Name("self"), {Name("self")}, {}};
    EXPECT_FALSE(game.manager().add_component_request(Selector("Pawn"), Name("Health"), options).is_valid());
    EXPECT_EQ(components_of(*pawn), "");
}

TEST(Handlers, requests_have_an_order_too) {
    // X-205, G-42
    ExtendedGame game;
    RequestOptions late, early;
    late.ordering = {0, Name("late"), {}, {Name("early")}};
    early.ordering.name = Name("early");
    auto first = game.manager().add_component_request(Selector("Pawn"), Name("Health"), late);
    auto second = game.manager().add_component_request(Selector("Pawn"), Name("Backpack"), early);
    EXPECT_EQ(components_of(*game.spawn<Pawn>()), "Backpack Health");
}

TEST(Handlers, may_ask_for_some_events_only_and_once_per_actor) {
    //
    ExtendedGame game;
    HandlerOptions some, once;
    some.events = {Name("A"), Name("B")};
    once.events = some.events;
    once.once_per_actor = true;
    auto a = game.listen("some", Selector("Pawn"), some);
    auto b = game.listen("once", Selector("Pawn"), once);
    Pawn* pawn = game.spawn<Pawn>();
    Hero* hero = game.spawn<Hero>();
    for (const char* event : {"A", "C", "B", "A"}) game.manager().send_extension_event(*pawn, Name(event));
    game.manager().send_extension_event(*hero, Name("B"));
    EXPECT_EQ(handler_log(), "some:A(Pawn) once:A(Pawn) some:B(Pawn) some:A(Pawn) some:B(Hero) once:B(Hero)");
    a.reset();
    b.reset();
    EXPECT_EQ(handler_log(), "");
}

TEST(Handlers, run_under_the_owner_that_added_them_and_what_they_throw_is_reported) {
    // G-39
    ExtendedGame game;
    Owner seen;
    ExtensionHandlerHandle throwing, after;
    {
        const OwnerScope as(Owner::feature(Name("tag"), 7));
        throwing = game.manager().add_extension_handler(Selector("Pawn"), [&](Actor&, Name, const EventPayload&) {
            seen = Owner::current();
            throw Malice();
        });
    }
    after = game.listen("after", Selector("Pawn"));
    game.spawn<Pawn>();
    EXPECT_EQ(seen, Owner::feature(Name("tag"), 7));
    EXPECT_EQ(handler_log(), "after:ReceiverAdded(Pawn)");
    EXPECT_EQ(game.reports("framework.handler"), 1u);
}

TEST(Handlers, hear_all_sticky_events_though_they_clear_some_meanwhile) {
    // G-34
    ExtendedGame game;
    Hero* hero = game.spawn<Hero>();
    for (const char* event : {"a", "b", "c"}) game.manager().send_extension_event(*hero, Name(event), {}, Sticky::Yes);
    std::string heard;
    auto handler =
        game.manager().add_extension_handler(Selector("Pawn"), [&](Actor& actor, Name event, const EventPayload&) {
            heard += fmt::format("{} ", event);
            if (event != Name("b")) return;
            game.manager().clear_sticky_event(actor, Name("a"));
            game.manager().clear_sticky_event(actor, Name("b"));
        });
    EXPECT_EQ(heard, "ExtensionAdded a b c ");
}

TEST(Handlers, stand_as_if_those_that_have_gone_had_never_been_there) {
    // G-42, X-205
    ExtendedGame game;
    const auto options = [](int order, const char* name) {
        HandlerOptions made;
        made.ordering.order = order;
        made.ordering.name = Name(name);
        return made;
    };
    auto a = game.listen("a", Selector("Pawn"), options(0, "a"));
    auto b = game.listen("b", Selector("Pawn"), options(5, "b"));
    HandlerOptions between = options(0, "c");
    between.ordering.before = {Name("a")};
    between.ordering.after = {Name("b")};
    auto c = game.listen("c", Selector("Pawn"), between);
    Hero* before = game.spawn<Hero>();
    c.reset();
    auto d = game.listen("d", Selector("Pawn"), options(3, "d"));
    handler_log();
    game.spawn<Hero>();
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Hero) d:ReceiverAdded(Hero) b:ReceiverAdded(Hero)");
    game.manager().send_extension_event(*before, Name("Go"));
    EXPECT_EQ(handler_log(), "a:Go(Hero) d:Go(Hero) b:Go(Hero)");
}

TEST(Handlers, once_per_actor_are_not_called_again_when_the_actor_matches_again) {
    //
    ExtendedGame game;
    const GameplayTag red = game.tag("Team.Red");
    Hero* hero = game.spawn<Hero>();
    game.world().begin_play();
    game.manager().send_extension_event(*hero, events::kGameActorReady);
    HandlerOptions options;
    options.events = {events::kGameActorReady};
    options.once_per_actor = true;
    int called = 0;
    auto handler = game.manager().add_extension_handler(
        Selector("Pawn").with_tags("all(Team.Red)"), [&](Actor&, Name, const EventPayload&) { ++called; }, options);
    const auto match_for_a_frame = [&] {
        game.world().tags().add(hero->id(), red).ignore();
        game.manager().settle();
        game.world().tags().remove(hero->id(), red).ignore();
        game.manager().settle();
    };
    match_for_a_frame();
    const std::size_t after_one = game.manager().table_sizes();
    for (int i = 0; i < 3; ++i) match_for_a_frame();
    EXPECT_EQ(called, 1);
    EXPECT_EQ(game.manager().table_sizes(), after_one);
    handler.reset();
    EXPECT_EQ(game.manager().table_sizes(), after_one - 3);  // the handler, its level, and that it was called
}

TEST(Handlers, whose_sticky_event_was_refused_for_its_depth_leave_nothing_behind) {
    // G-60
    ExtendedGame game;
    Hero* hero = game.spawn<Hero>();
    int sent = 0;
    EventResult::What last = EventResult::What::Sent;
    auto handler =
        game.manager().add_extension_handler(Selector("Pawn"), [&](Actor& actor, Name event, const EventPayload&) {
            if (events::is_own_event(event)) return;
            const Name next(fmt::format("e{}", ++sent));
            if (game.manager().send_extension_event(actor, next, {}, Sticky::Yes).what == EventResult::What::Refused)
                last = EventResult::What::Refused;
        });
    game.manager().send_extension_event(*hero, Name("e0"), {}, Sticky::Yes);
    EXPECT_EQ(last, EventResult::What::Refused);
    EXPECT_FALSE(game.manager().clear_sticky_event(*hero, Name(fmt::format("e{}", sent))));
    EXPECT_TRUE(game.manager().clear_sticky_event(*hero, Name(fmt::format("e{}", sent - 1))));
}

TEST(Handlers, once_per_actor_are_called_for_an_actor_that_takes_the_place_of_another) {
    //
    ExtendedGame game;
    int called = 0;
    HandlerOptions options;
    options.events = {Name("E")};
    options.once_per_actor = true;
    auto handler = game.manager().add_extension_handler(
        Selector("Pawn"), [&](Actor&, Name, const EventPayload&) { ++called; }, options);
    for (int i = 1; i <= 3; ++i) {
        Pawn* pawn = game.spawn<Pawn>();
        game.manager().send_extension_event(*pawn, Name("E"));
        game.manager().send_extension_event(*pawn, Name("E"));
        EXPECT_EQ(called, i);
        game.world().destroy(pawn->id());
    }
}

}  // namespace handlers_test
}  // namespace lyre::framework
