// What costs nothing where nobody listens: counted in allocations, and the answers stay right.
#include "tests/allocations.h"
#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace cost_test {

using What = EventResult::What;

const Name kGo("Go"), kLeg("Leg"), kHand("Hand");

template <class Act> std::size_t allocations_of(Act act) {
    const std::size_t before = allocations();
    act();
    return allocations() - before;
}

ExtensionHandlerHandle count_events(InitGame& game, std::string_view class_name, int& heard) {
    return game.manager().add_extension_handler(Selector(class_name),
                                                [&heard](Actor&, Name event, const EventPayload&) {
                                                    if (event == kGo) ++heard;
                                                });
}

TEST(Cost, an_event_that_nobody_hears_allocates_nothing) {
    // X-316, G-39
    InitGame game;
    int heard = 0;
    const auto other = count_events(game, "Chest", heard);
    Body* body = game.spawn<Body>();
    Body* no_receiver = game.spawn<Body>();
    EXPECT_TRUE(add_receiver(*body).is_ok());
    EXPECT_EQ(allocations_of([&] {
                  for (int i = 0; i < 100; ++i) {
                      EXPECT_EQ(game.manager().send_extension_event(*body, kGo).what, What::Sent);
                      EXPECT_EQ(game.manager().send_extension_event(*body, kGo, {}).called, 0u);
                      EXPECT_EQ(game.manager().send_extension_event(*no_receiver, kGo).what, What::NotReceiver);
                      EXPECT_EQ(send_extension_event(*body, kGo).what, What::Sent);
                  }
              }),
              0u);
    EXPECT_EQ(heard, 0);
}

TEST(Cost, a_change_that_nobody_hears_allocates_nothing) {
    //
    InitGame game;
    int heard = 0;
    auto other = game.manager().register_and_call_for_class_init_state(Name("Chest"), kLeg, {},
                                                                       [&](const InitStateChange&) { ++heard; });
    Body* body = game.spawn<Body>();
    Part hand("Hand", body);
    EXPECT_TRUE(hand.register_init_state_feature().is_ok());
    game.set(*body, "Leg", kReady);
    EXPECT_EQ(allocations_of([&] {
                  for (int i = 0; i < 100; ++i) {
                      for (Name state : {kSpawned, kReady})
                          EXPECT_EQ(game.manager().change_feature_init_state(*body, kHand, &hand, state),
                                    InitResult::Done);
                      EXPECT_TRUE(hand.try_to_change_init_state(kSpawned));
                      EXPECT_EQ(hand.continue_init_state_chain(), kReady);
                  }
              }),
              0u);
    EXPECT_EQ(heard, 0);
}

TEST(Cost, a_frame_in_which_nothing_happens_allocates_nothing) {
    //
    InitGame game;
    auto request = game.manager().add_component_request(Selector("Body"), Name("Missing"));
    int heard = 0;
    auto handler = count_events(game, "Body", heard);
    for (int i = 0; i < 100; ++i) {
        Body* body = game.spawn<Body>();
        EXPECT_TRUE(add_receiver(*body).is_ok());
        EXPECT_TRUE(game.manager().declare_init_need(*body, kLeg, kReady, Need::reached(kHand, kReady)).is_ok());
        game.set(*body, "Leg", kInitialized);
        if (i > 0) game.set(*body, "Hand", kReady);  // the first is not ready, and waits
    }
    game.manager().settle();
    EXPECT_EQ(game.manager().init_counts().waiting, 1u);
    EXPECT_EQ(allocations_of([&] {
                  for (int frame = 0; frame < 100; ++frame) game.manager().settle();
              }),
              0u);
}

TEST(Cost, a_receiver_that_nobody_heard_is_heard_as_soon_as_somebody_listens) {
    // G-39, G-40, G-36
    InitGame game;
    int heard = 0;
    Body* body = game.spawn<Body>();
    EXPECT_EQ(game.manager().send_extension_event(*body, kGo).what, What::NotReceiver);
    EXPECT_TRUE(add_receiver(*body).is_ok());
    EXPECT_EQ(game.manager().send_extension_event(*body, kGo).called, 0u);
    auto handler = count_events(game, "Body", heard);
    EXPECT_EQ(game.manager().send_extension_event(*body, kGo).called, 1u);
    handler.reset();
    EXPECT_EQ(game.manager().send_extension_event(*body, kGo).called, 0u);
    EXPECT_EQ(heard, 1);
    EXPECT_TRUE(remove_receiver(*body).is_ok());
    EXPECT_EQ(game.manager().send_extension_event(*body, kGo).what, What::NotReceiver);
}

TEST(Cost, an_event_to_a_quiet_receiver_is_refused_or_kept_as_any_other) {
    // G-41, G-60, G-61
    InitGame game;
    Body* body = game.spawn<Body>();
    EXPECT_TRUE(add_receiver(*body).is_ok());
    for (Name own :
         {Name(), events::kReceiverAdded, events::kReceiverRemoved, events::kExtensionAdded, events::kExtensionRemoved})
        EXPECT_EQ(game.manager().send_extension_event(*body, own).what, What::Refused);
    for (Name sticky : {events::kGameActorReady, events::kBindInputsNow, events::kAbilitiesReady}) {
        EXPECT_EQ(game.manager().send_extension_event(*body, sticky).what, What::Sent);
        EXPECT_TRUE(game.manager().clear_sticky_event(*body, sticky));
    }
}

TEST(Cost, a_quiet_receiver_is_not_taken_for_the_actor_of_another_game) {
    // G-40, G-46: both have the same id
    InitGame here, there;
    Body* body = here.spawn<Body>();
    Body* other = there.spawn<Body>();
    ASSERT_EQ(body->id(), other->id());
    EXPECT_TRUE(add_receiver(*body).is_ok());
    EXPECT_EQ(here.manager().send_extension_event(*body, kGo).what, What::Sent);
    EXPECT_EQ(here.manager().send_extension_event(*other, kGo).what, What::NotReceiver);
}

TEST(Cost, a_handler_meets_those_who_are_there_when_it_comes_though_receivers_come_and_go) {
    // G-34, G-49
    InitGame game;
    std::vector<Body*> bodies;
    for (int i = 0; i < 6; ++i) {
        bodies.push_back(game.spawn<Body>());
        EXPECT_TRUE(add_receiver(*bodies.back()).is_ok());
    }
    std::vector<ActorId> met;
    const ActorId first = bodies[0]->id(), third = bodies[2]->id(), sixth = bodies[5]->id();
    Body* late = nullptr;
    auto handler =
        game.manager().add_extension_handler(Selector("Body"), [&](Actor& actor, Name event, const EventPayload&) {
            if (event != events::kExtensionAdded) return;
            met.push_back(actor.id());
            if (actor.id() != first) return;
            for (int i : {0, 1, 3, 4}) EXPECT_TRUE(remove_receiver(*bodies[static_cast<std::size_t>(i)]).is_ok());
            late = game.spawn<Body>();
            EXPECT_TRUE(add_receiver(*late).is_ok());
        });
    EXPECT_EQ(met, (std::vector{first, third, sixth}));
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(game.manager().send_extension_event(*late, kGo).called, 1u);
}

}  // namespace cost_test
}  // namespace lyre::framework
