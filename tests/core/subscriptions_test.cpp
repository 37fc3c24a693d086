#include "lyre/core/subscriptions.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>

#include "lyre/core/delegate.h"

#include "tests/allocations.h"

namespace lyre {
namespace subscriptions_test {

const Owner kTag = Owner::feature(Name("tag"), 1);
const Owner kOther = Owner::feature(Name("tag"), 2);  // the same feature, loaded again

struct Ball {};
enum class Reason { Lost };
template <class T> struct Box {
    struct Lid {};
};

struct SubscriptionsTest : testing::Test {
    ~SubscriptionsTest() override { EXPECT_EQ(subscriptions_of(kTag).size() + subscriptions_of(kOther).size(), 0u); }

    std::string whats(const Owner& owner = kTag) {
        std::string text;
        for (const SubscriptionInfo& one : subscriptions_of(owner)) text += (text.empty() ? "" : "; ") + one.what;
        return text;
    }
    std::uint64_t newest() { return subscriptions_of(kTag).back().registered; }
};

TEST_F(SubscriptionsTest, of_a_feature_are_listed_oldest_first_with_signature_and_place) {
    // F-72, W-33
    Delegate<Ball&, Reason> lost;
    Delegate<const std::vector<int>&, Ball*, Box<Ball>::Lid> odd;
    Delegate<> plain;
    Latch<int> ready;
    auto nobodys = plain.add([] {});
    std::vector<Connection> theirs;
    {
        const OwnerScope as(kTag);
        theirs.push_back(plain.add([] {}));
        theirs.push_back(lost.add([](Ball&, Reason) {}, 3));
        theirs.push_back(odd.add([](const std::vector<int>&, Ball*, Box<Ball>::Lid) {}));
        theirs.push_back(ready.call_or_register([](int) {}));
        const OwnerScope other(kOther);
        theirs.push_back(plain.add([] {}, -1));
    }
    const auto listed = subscriptions_of(kTag);
    ASSERT_EQ(listed.size(), 4u);
    EXPECT_EQ(listed[0].what, "Delegate<>");
    EXPECT_EQ(listed[1].what, "Delegate<Ball&, Reason>");
    EXPECT_TRUE(listed[2].what.starts_with("Delegate<const vector<int")) << listed[2].what;
    EXPECT_TRUE(listed[2].what.ends_with("&, Ball*, Lid>")) << listed[2].what;
    EXPECT_EQ(listed[3].what, "Delegate<int>");
    for (const SubscriptionInfo& one : listed)
        EXPECT_NE(one.place.find("subscriptions_test.cpp:"), std::string::npos) << one.place;
    EXPECT_NE(listed[0].place, listed[1].place);
    EXPECT_EQ(whats(kOther), "Delegate<>");
    EXPECT_EQ(subscriptions_of(Owner::process()).size(), 0u) << "only features are listed";

    theirs.erase(theirs.begin());
    EXPECT_EQ(subscriptions_of(kTag).size(), 3u);
    ready.happen(1);  // it has been called: nothing of it is left
    EXPECT_EQ(subscriptions_of(kTag).size(), 2u);
    theirs.clear();
    EXPECT_EQ(whats(kOther), "");
}

TEST_F(SubscriptionsTest, that_are_removed_are_not_called_and_their_connection_knows) {
    // F-74
    Delegate<> delegate;
    auto held = std::make_shared<int>(1);
    int calls = 0;
    std::optional<OwnerScope> as(std::in_place, kTag);
    Connection first = delegate.add([&calls, held] { ++calls; });
    Connection second = delegate.add([&calls, held] { calls += 10; });
    as.reset();
    EXPECT_TRUE(remove_subscription(newest()));
    EXPECT_EQ(held.use_count(), 2) << "the callable has gone";
    EXPECT_FALSE(second.is_connected());
    EXPECT_TRUE(first.is_connected());
    delegate.broadcast();
    EXPECT_EQ(calls, 1);
    const std::uint64_t last = newest();
    EXPECT_TRUE(remove_subscription(last));
    EXPECT_FALSE(remove_subscription(last));
    EXPECT_FALSE(remove_subscription(0));
    EXPECT_EQ(delegate.count(), 0u);
    EXPECT_EQ(held.use_count(), 1);
}

TEST_F(SubscriptionsTest, stay_listed_while_a_broadcast_stands_on_them) {
    // F-70, F-74
    Delegate<> delegate;
    auto held = std::make_shared<int>(7);
    int sum = 0;
    std::optional<OwnerScope> as(std::in_place, kTag);
    Connection self = delegate.add([&, held] {
        EXPECT_TRUE(remove_subscription(newest()));
        EXPECT_TRUE(remove_subscription(newest())) << "still there: to be seen, not to be called again";
        EXPECT_EQ(subscriptions_of(kTag).size(), 1u);
        EXPECT_EQ(delegate.count(), 0u);
        sum += *held;
        if (sum < 100) delegate.broadcast();
    });
    as.reset();
    delegate.broadcast();
    EXPECT_EQ(sum, 7);
    EXPECT_EQ(subscriptions_of(kTag).size(), 0u);
    EXPECT_EQ(held.use_count(), 1);
}

TEST_F(SubscriptionsTest, may_hold_what_changes_subscriptions_as_it_goes) {
    // F-74
    struct Guard {
        explicit Guard(std::function<void()> f) : last(std::move(f)) {}
        ~Guard() { last(); }
        std::function<void()> last;
    };
    auto delegate = std::make_unique<Delegate<>>();
    Delegate<> elsewhere;
    Connection own, other, added;
    std::optional<OwnerScope> as(std::in_place, kTag);
    other = elsewhere.add([] {});
    own = delegate->add([guard = std::make_shared<Guard>([&] {
                             added = elsewhere.add([] {});
                             other.disconnect();
                             EXPECT_EQ(subscriptions_of(kTag).size(), 2u) << "the new one, and the one that goes";
                             own.disconnect();
                             delegate.reset();
                         })] {});
    EXPECT_TRUE(remove_subscription(newest()));
    as.reset();
    EXPECT_EQ(delegate, nullptr);
    EXPECT_EQ(whats(), "Delegate<>");
    EXPECT_TRUE(remove_subscription(newest()));
    EXPECT_FALSE(added.is_connected());
}

TEST_F(SubscriptionsTest, go_with_their_delegate_though_the_connection_stays) {
    // F-74
    const OwnerScope as(kTag);
    Connection kept, over_aligned;
    {
        Delegate<> delegate;
        struct alignas(64) Wide {
            char bytes[64] = {};
            void operator()() const {}
        };
        kept = delegate.add([] {});
        over_aligned = delegate.add(Wide());
        EXPECT_EQ(subscriptions_of(kTag).size(), 2u);
    }
    EXPECT_EQ(subscriptions_of(kTag).size(), 0u);
    EXPECT_FALSE(kept.is_connected());
}

TEST_F(SubscriptionsTest, of_others_than_features_cost_nothing) {
    // W-06
    Delegate<> delegate;
    auto first = delegate.add([] {});
    const std::size_t before = allocations();
    auto second = delegate.add([] {});
    EXPECT_EQ(allocations() - before, 1u) << "the node";
    const OwnerScope as(kTag);
    auto third = delegate.add([] {});
    EXPECT_GT(allocations() - before, 2u);
}

}  // namespace subscriptions_test
}  // namespace lyre
