#include "lyre/core/delegate.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace lyre {
namespace delegate_test {

TEST(Delegate, listeners_run_by_priority_and_then_in_order_of_adding) {
    // W-06
    Delegate<int> delegate;
    std::string log;
    auto c = delegate.add([&](int) { log += 'c'; }, 5);
    auto a = delegate.add([&](int) { log += 'a'; });
    auto b = delegate.add([&](int) { log += 'b'; });
    auto first = delegate.add([&](int) { log += '!'; }, -1);
    delegate.broadcast(1);
    EXPECT_EQ(log, "!abc");
    EXPECT_EQ(delegate.count(), 4u);
}

TEST(Delegate, a_listener_added_during_a_broadcast_waits_for_the_next_one) {
    // W-06
    Delegate<> delegate;
    int added_calls = 0;
    std::vector<Connection> kept;
    auto adder = delegate.add([&] {
        kept.push_back(delegate.add([&] { ++added_calls; }));
        kept.push_back(delegate.add([&] { ++added_calls; }, -1));
    });
    delegate.broadcast();
    EXPECT_EQ(added_calls, 0);
    delegate.broadcast();
    EXPECT_EQ(added_calls, 2);
}

TEST(Delegate, a_listener_removed_during_a_broadcast_is_not_called_any_more) {
    // W-06
    Delegate<> delegate;
    int late = 0, self = 0;
    Connection victim, suicide;
    auto killer = delegate.add([&] { victim.disconnect(); });
    victim = delegate.add([&] { ++late; });
    suicide = delegate.add([&, guard = std::make_shared<int>(7)] {
        suicide.disconnect();
        self += *guard;  // what the callable holds lives until the call is over
    });
    delegate.broadcast();
    delegate.broadcast();
    EXPECT_EQ(late, 0);
    EXPECT_EQ(self, 7);
    EXPECT_FALSE(suicide.is_connected());
}

TEST(Delegate, destroying_the_connection_unsubscribes_and_frees_what_the_callable_held) {
    // W-06
    Delegate<> delegate;
    auto held = std::make_shared<int>(1);
    {
        auto connection = delegate.add([held] {});
        EXPECT_EQ(held.use_count(), 2);
        Connection moved = std::move(connection);
        EXPECT_TRUE(moved.is_connected());
    }
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(delegate.count(), 0u);
}

TEST(Delegate, a_broadcast_inside_a_broadcast_reaches_everyone_twice) {
    // W-06
    Delegate<int> delegate;
    std::string log;
    auto a = delegate.add([&](int depth) {
        log += 'a';
        if (depth == 0) delegate.broadcast(1);
    });
    auto b = delegate.add([&](int) { log += 'b'; });
    delegate.broadcast(0);
    EXPECT_EQ(log, "aabb");
}

TEST(Delegate, a_listener_removed_in_an_inner_broadcast_is_gone_from_the_outer_one_too) {
    // W-06
    Delegate<int> delegate;
    int calls = 0;
    Connection b;
    auto a = delegate.add([&](int depth) {
        if (depth == 0) delegate.broadcast(1);
        if (depth == 1) b.disconnect();
    });
    b = delegate.add([&](int) { ++calls; });
    delegate.broadcast(0);
    EXPECT_EQ(calls, 0);
}

TEST(Delegate, the_owner_may_die_inside_a_call) {
    // W-06
    auto delegate = std::make_unique<Delegate<>>();
    int after = 0;
    auto killer = delegate->add([&] { delegate.reset(); });
    auto later = delegate->add([&] { ++after; });
    delegate->broadcast();
    EXPECT_EQ(after, 0);
    EXPECT_FALSE(later.is_connected());
}

TEST(Delegate, connections_may_outlive_their_delegate) {
    // W-06
    Connection left;
    auto held = std::make_shared<int>(1);
    {
        Delegate<> delegate;
        left = delegate.add([held] {});
    }
    EXPECT_FALSE(left.is_connected());
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Delegate, a_callable_that_holds_a_connection_to_the_same_delegate_goes_cleanly) {
    // W-06
    Delegate<> delegate;
    int calls = 0;
    auto inner = std::make_shared<Connection>(delegate.add([&] { ++calls; }));
    Connection outer = delegate.add([inner] {});
    inner.reset();
    delegate.broadcast();
    outer.disconnect();
    delegate.broadcast();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(delegate.count(), 0u);

    // The same while a broadcast runs, where the node is swept later.
    auto held = std::make_shared<Connection>(delegate.add([&] { ++calls; }));
    Connection holder;
    auto remover = delegate.add([&] { holder.disconnect(); }, -1);
    holder = delegate.add([held] {});
    held.reset();
    delegate.broadcast();
    EXPECT_EQ(calls, 2);
    delegate.broadcast();
    EXPECT_EQ(calls, 2);
}

TEST(Delegate, a_throwing_listener_ends_the_broadcast_and_leaves_the_delegate_usable) {
    // W-06
    Delegate<> delegate;
    bool angry = true;
    int calls = 0;
    auto a = delegate.add([&] {
        if (angry) throw 1;
    });
    auto b = delegate.add([&] { ++calls; });
    EXPECT_ANY_THROW(delegate.broadcast());
    angry = false;
    delegate.broadcast();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(Owner::current(), Owner::process());
}

TEST(Delegate, many_connections_are_added_and_removed_in_linear_time) {
    // W-06
    Delegate<> delegate;
    std::vector<Connection> all;
    for (int i = 0; i < 200'000; ++i) all.push_back(delegate.add([] {}));
    for (auto& connection : all) connection.disconnect();
    EXPECT_EQ(delegate.count(), 0u);
}

TEST(Delegate, a_callback_runs_under_the_owner_that_added_it) {
    // W-33
    Delegate<> outer, inner;
    const Owner tag = Owner::feature(Name("tag"), 1);
    std::vector<Connection> kept;
    Connection c;
    {
        OwnerScope as(tag);
        c = outer.add([&] { kept.push_back(inner.add([] {})); });
    }
    EXPECT_EQ(Owner::current(), Owner::process());
    outer.broadcast();
    EXPECT_EQ(Owner::current(), Owner::process());
    ASSERT_EQ(inner.owners().size(), 1u);
    EXPECT_EQ(inner.owners()[0], tag);
    EXPECT_EQ(inner.owners()[0].to_string(), "feature tag");
}

TEST(Latch, who_asks_before_waits_and_who_asks_after_is_called_at_once) {
    // W-07
    Latch<int> loaded;
    std::string log;
    auto low = loaded.call_or_register([&](int v) { log += fmt::format("low{} ", v); }, 1);
    auto high = loaded.call_or_register([&](int v) { log += fmt::format("high{} ", v); }, -1);
    EXPECT_EQ(loaded.waiting(), 2u);
    EXPECT_TRUE(loaded.happen(3));
    EXPECT_FALSE(loaded.happen(4));
    EXPECT_EQ(log, "high3 low3 ");
    EXPECT_FALSE(low.is_connected());

    auto late = loaded.call_or_register([&](int v) { log += fmt::format("late{}", v); });
    EXPECT_FALSE(late.is_connected());
    EXPECT_EQ(log, "high3 low3 late3");
    EXPECT_EQ(loaded.waiting(), 0u);
}

TEST(Latch, a_callback_may_register_another_or_destroy_the_latch) {
    // W-07
    auto latch = std::make_unique<Latch<>>();
    int nested = 0, never = 0;
    auto a = latch->call_or_register([&] { latch->call_or_register([&] { ++nested; }).disconnect(); });
    auto b = latch->call_or_register([&] { latch.reset(); });
    auto c = latch->call_or_register([&] { ++never; });
    latch->happen();
    EXPECT_EQ(nested, 1);
    EXPECT_EQ(never, 1);  // it had asked while the latch lived
}

}  // namespace delegate_test
}  // namespace lyre
