#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_list_test {

using Kind = InitInfo::Kind;
const Owner kTag = Owner::feature(Name("tag"), 1);

struct InitList : ::testing::Test {
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();
    std::shared_ptr<int> witness = std::make_shared<int>(1);
    std::vector<InitStateHandle> handles;

    void register_one_of_each() {
        const OwnerScope as(kTag);
        ListenOptions weak;
        weak.weak_owner = std::weak_ptr<const void>(witness);
        handles.push_back(manager.when_actor_ready(*body, kReady, [held = witness](Actor&) {}));
        handles.push_back(manager.register_and_call_for_class_init_state(
            Name("Body"), Name("Hero"), kReady, [held = witness](auto&) {}, weak));
        EXPECT_TRUE(manager
                        .declare_init_need(*body, Name("Hero"), kAvailable,
                                           Need::holds(Name("fed"), [held = witness](const Actor&) { return false; }))
                        .is_ok());
        handles.push_back(
            manager.register_and_call_for_actor_init_state(*body, Name("Hero"), {}, [held = witness](auto&) {}));
    }
};

TEST_F(InitList, has_what_one_owner_registered_oldest_first) {
    // F-72, F-73, W-33
    auto others = manager.when_actor_ready(*body, kReady, [](Actor&) {});
    register_one_of_each();
    const auto listed = manager.init_entries_of(kTag);
    ASSERT_EQ(listed.size(), 4u);
    EXPECT_EQ(listed[0].kind, Kind::ReadyListener);
    EXPECT_EQ(listed[0].text, fmt::format("waits until all are at GameplayReady of {}", body->id()));
    EXPECT_EQ(listed[1].kind, Kind::ClassListener);
    EXPECT_EQ(listed[1].text, "listener to Hero at GameplayReady of every Body");
    EXPECT_EQ(listed[1].world, nullptr);
    EXPECT_EQ(listed[2].kind, Kind::Need);
    EXPECT_EQ(listed[2].text, fmt::format("need of Hero at DataAvailable of {}: fed", body->id()));
    EXPECT_EQ(listed[3].kind, Kind::ActorListener);
    EXPECT_EQ(listed[3].text, fmt::format("listener to Hero of {}", body->id()));
    EXPECT_EQ(listed[3].world, &game.world());
    EXPECT_EQ(listed[3].actor, body->id());
    for (const InitInfo& one : listed) EXPECT_NE(one.place.find("init_list_test.cpp:"), std::string::npos) << one.text;
    const auto theirs = manager.init_entries_of(Owner::process());
    ASSERT_EQ(theirs.size(), 1u);
    EXPECT_EQ(theirs[0].place, "") << "places are kept for features";
}

TEST_F(InitList, what_is_removed_leaves_nothing_though_the_handles_stay) {
    // F-74
    const InitCounts before = manager.init_counts();
    register_one_of_each();
    const auto listed = manager.init_entries_of(kTag);
    for (auto one = listed.rbegin(); one != listed.rend(); ++one) {
        EXPECT_TRUE(manager.remove_init_entry(one->registered)) << one->text;
        EXPECT_FALSE(manager.remove_init_entry(one->registered)) << one->text;
    }
    EXPECT_EQ(witness.use_count(), 1);
    EXPECT_EQ(manager.init_counts(), before);
    EXPECT_TRUE(manager.init_entries_of(kTag).empty());
    for (const InitStateHandle& handle : handles) EXPECT_EQ(handle.status().code(), StatusCode::Cancelled);
    std::weak_ptr<int> last = witness;
    witness.reset();
    for (const InitStateHandle& handle : handles)
        EXPECT_EQ(handle.status().code(), StatusCode::Cancelled) << "nothing is held of a weak owner either";
    EXPECT_FALSE(manager.remove_init_entry(0));
}

TEST_F(InitList, a_feature_whose_need_is_removed_moves) {
    // F-74
    Part part("Hero", body);
    ASSERT_TRUE(part.register_init_state_feature().is_ok());
    manager.change_feature_init_state(*body, Name("Hero"), &part, kSpawned);
    register_one_of_each();
    const Need never = Need::holds(Name("never"), [](const Actor&) { return false; });
    ASSERT_TRUE(manager.declare_init_need(*body, Name("Hero"), kInitialized, never).is_ok());
    EXPECT_EQ(part.init_state(), kSpawned);
    for (const InitInfo& one : manager.init_entries_of(kTag))
        if (one.kind == Kind::Need) {
            EXPECT_TRUE(manager.remove_init_entry(one.registered));
        }
    EXPECT_EQ(part.init_state(), kAvailable);
}

TEST_F(InitList, a_listener_that_removes_itself_goes_when_its_call_is_over) {
    // F-70, F-74
    int calls = 0;
    const OwnerScope as(kTag);
    auto handle = manager.register_and_call_for_actor_init_state(
        *body, Name("Hero"), {}, [this, &calls, held = witness](const InitStateChange&) {
            ++calls;
            EXPECT_TRUE(manager.remove_init_entry(manager.init_entries_of(kTag).front().registered));
            EXPECT_TRUE(manager.init_entries_of(kTag).empty());
            EXPECT_EQ(*held, 1);
        });
    game.set(*body, "Hero", kSpawned);
    game.set(*body, "Hero", kAvailable);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(witness.use_count(), 1);
    EXPECT_EQ(handle.status().code(), StatusCode::Cancelled);
}

TEST_F(InitList, a_need_that_removes_itself_is_judged_to_the_end) {
    // F-70, F-74
    const OwnerScope as(kTag);
    game.set(*body, "Hero", kSpawned);
    ASSERT_TRUE(manager
                    .declare_init_need(*body, Name("Hero"), kAvailable,
                                       Need::holds(Name("odd"),
                                                   [this, held = witness](const Actor&) {
                                                       for (const InitInfo& one : manager.init_entries_of(kTag))
                                                           manager.remove_init_entry(one.registered);
                                                       return *held == 1;
                                                   }))
                    .is_ok());
    EXPECT_TRUE(manager.init_entries_of(kTag).empty());
    EXPECT_EQ(witness.use_count(), 1);
}

TEST_F(InitList, listeners_of_an_actor_that_has_gone_hold_nothing) {
    // F-74
    register_one_of_each();
    game.world().destroy(body->id());
    EXPECT_EQ(witness.use_count(), 2) << "the class's listener";
    ASSERT_EQ(manager.init_entries_of(kTag).size(), 1u);
    EXPECT_EQ(handles[0].status().code(), StatusCode::NotFound);
}

}  // namespace init_list_test
}  // namespace lyre::framework
