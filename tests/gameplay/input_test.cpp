#include "lyre/gameplay/input.h"

#include <limits>

#include "lyre/core/subscriptions.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace input_test {

struct Bound : SmallMatch {
    Bound() {
        open();
        pawn = world().find<Pawn>(*world().spawn<Pawn>());
        input = *pawn->add<InputComponent>();
    }
    InputCallback say(const char* line) {
        return [line](const InputValue&) { told().push_back(line); };
    }
    Pawn* pawn = nullptr;
    InputComponent* input = nullptr;
};
const Name kJump("Jump");

TEST(Input, a_callback_that_throws_is_reported_each_time_and_the_others_are_called) {
    // I-57
    Bound match;
    ASSERT_TRUE(match.input->bind(kJump, match.say("first")).is_ok());
    ASSERT_TRUE(match.input->bind(kJump, [](const InputValue&) { throw std::runtime_error("stuck"); }).is_ok());
    ASSERT_TRUE(match.input->bind(kJump, [](const InputValue&) { throw 3; }).is_ok());
    ASSERT_TRUE(match.input->bind(kJump, match.say("last")).is_ok());
    EXPECT_TRUE(match.input->act(kJump, {}));
    EXPECT_EQ(story(), "first last");
    EXPECT_EQ(match.reports("gameplay.callback"), 2u);
    EXPECT_TRUE(match.input->act(kJump, {}));
    EXPECT_EQ(match.reports("gameplay.callback"), 4u);
    EXPECT_EQ(match.input->count(), 4u);
}

TEST(Input, that_is_held_is_released_when_a_pawn_without_a_hero_is_steered_no_more) {
    // I-57
    Bound match;
    LocalPlayer person(Name("anna"));
    ASSERT_TRUE(person.add_context({Name("walking"), 0, false, {{Name("Space"), kJump}}}).is_ok());
    auto& anna = *match.world().find<PlayerController>(*match.world().spawn<PlayerController>());
    ASSERT_TRUE(anna.receive_player(&person).is_ok());
    ASSERT_TRUE(anna.possess(*match.pawn).is_ok());
    const auto says = match.input->bind(kJump, [&](const InputValue& value) {
        told().push_back(value.kind == InputValue::Kind::Pressed ? "down" : "up");
    });
    ASSERT_TRUE(says.is_ok());
    EXPECT_TRUE(person.press(Name("Space")));
    anna.unpossess();
    EXPECT_EQ(story(), "down up");
    EXPECT_FALSE(person.release(Name("Space")));
    ASSERT_TRUE(anna.possess(*match.pawn).is_ok());
    EXPECT_TRUE(person.press(Name("Space")));
    auto& next = *match.world().find<Pawn>(*match.world().spawn<Pawn>());
    ASSERT_TRUE(anna.possess(next).is_ok());
    EXPECT_EQ(story(), "down up");
}

TEST(Input, a_callback_may_bind_unbind_itself_and_others_feed_on_and_end_the_pawn) {
    // I-57
    Bound match;
    InputComponent::BindingId self = 0, other = 0;
    self = *match.input->bind(kJump, [&](const InputValue&) {
        told().push_back("one");
        EXPECT_TRUE(match.input->unbind(self));
        EXPECT_TRUE(match.input->unbind(other));
        EXPECT_TRUE(match.input->bind(kJump, match.say("late")).is_ok());
    });
    other = *match.input->bind(kJump, match.say("never"));
    EXPECT_TRUE(match.input->act(kJump, {}));
    EXPECT_EQ(story(), "one");
    int depth = 0;
    ASSERT_TRUE(match.input
                    ->bind(kJump,
                           [&](const InputValue& value) {
                               if (++depth < 3) match.input->act(kJump, value);
                           })
                    .is_ok());
    EXPECT_TRUE(match.input->act(kJump, {}));
    EXPECT_EQ(story(), "late late late");
    ASSERT_TRUE(match.input->bind(kJump, [&](const InputValue&) { match.world().destroy(match.pawn->id()); }).is_ok());
    ASSERT_TRUE(match.input->bind(kJump, match.say("after")).is_ok());
    EXPECT_TRUE(match.input->act(kJump, {}));
    EXPECT_EQ(story(), "late");
}

TEST(Input, a_binding_runs_as_who_made_it_and_goes_with_its_feature) {
    // I-57
    Bound match;
    const Owner tag = Owner::feature(Name("tag"), 77);
    Owner ran;
    InputComponent::BindingId id = 0;
    {
        const OwnerScope as(tag);
        id = *match.input->bind(kJump, [&](const InputValue&) { ran = Owner::current(); });
    }
    EXPECT_TRUE(match.input->act(kJump, {}));
    EXPECT_EQ(ran, tag);
    const auto listed = subscriptions_of(tag);
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_NE(listed[0].place.find("input_test.cpp"), std::string::npos) << listed[0].place;
    EXPECT_TRUE(remove_subscription(listed[0].registered));
    EXPECT_FALSE(match.input->act(kJump, {}));
    EXPECT_EQ(match.input->count(), 0u);
    EXPECT_FALSE(match.input->unbind(id));
    EXPECT_TRUE(subscriptions_of(tag).empty());
    ASSERT_TRUE(match.input->bind(kJump, match.say("mine")).is_ok());
    EXPECT_EQ(match.input->count(), 1u);
}

TEST(Input, bindings_are_bounded_and_no_two_have_one_id) {
    // I-57
    Bound match;
    InputComponent& second = **match.world().find<Pawn>(*match.world().spawn<Pawn>())->add<InputComponent>();
    const auto one = match.input->bind(kJump, match.say("one")), two = second.bind(kJump, match.say("two"));
    EXPECT_FALSE(match.input->unbind(*two));
    EXPECT_TRUE(match.input->unbind(*one));
    for (std::size_t i = 0; i < kMaxInputActions; ++i) {
        ASSERT_TRUE(match.input->bind(kJump, match.say("many")).is_ok());
    }
    EXPECT_FALSE(match.input->bind(kJump, match.say("too many")).is_ok());
    EXPECT_FALSE(second.bind({}, match.say("nothing")).is_ok());
    EXPECT_FALSE(second.bind(kJump, {}).is_ok());
}

TEST(Input, an_axis_that_is_no_number_reaches_nobody) {
    // I-57
    Bound match;
    ASSERT_TRUE(match.input->bind(Name("Move"), match.say("moved")).is_ok());
    const float nan = std::numeric_limits<float>::quiet_NaN(), far = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(match.input->act(Name("Move"), {InputValue::Kind::Axis, {nan, 0, 0}}));
    EXPECT_FALSE(match.input->act(Name("Move"), {InputValue::Kind::Axis, {0, far, 0}}));
    EXPECT_TRUE(match.input->act(Name("Move"), {InputValue::Kind::Axis, {0, 1, 0}}));
    EXPECT_EQ(story(), "moved");
}

TEST(Input, an_axis_goes_where_a_context_maps_it_and_nowhere_without_one) {
    // I-57
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    match.load("tag");
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    match.frames(3);
    Vec3 moved;
    ASSERT_TRUE(anna.pawn()
                    ->find<InputComponent>()
                    ->bind(Name("Move"), [&](const InputValue& value) { moved = value.axis; })
                    .is_ok());
    EXPECT_FALSE(person.axis(Name("Stick"), {1, 0, 0}));
    ASSERT_TRUE(person.add_context({Name("driving"), 5, false, {{Name("Stick"), Name("Move")}}}).is_ok());
    EXPECT_TRUE(person.axis(Name("Stick"), {0.5f, -1, 0}));
    EXPECT_EQ(moved, (Vec3{0.5f, -1, 0}));
    ASSERT_TRUE(person.remove_context(Name("driving")));
    EXPECT_FALSE(person.axis(Name("Stick"), {1, 0, 0}));
    EXPECT_EQ(moved, (Vec3{0.5f, -1, 0}));
}

TEST(Input, a_person_may_log_out_or_go_inside_what_its_input_calls) {
    // I-57, I-42
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    match.load("tag");
    auto person = std::make_unique<LocalPlayer>(Name("anna"));
    PlayerController& anna = match.login("anna", person.get());
    match.frames(3);
    ASSERT_TRUE(anna.pawn()
                    ->find<InputComponent>()
                    ->bind(kJump, [&](const InputValue&) { match.mode().logout(anna); })
                    .is_ok());
    EXPECT_TRUE(person->press(Name("Space")));
    EXPECT_EQ(person->controller(), nullptr);
    EXPECT_TRUE(person->contexts().empty());
    EXPECT_FALSE(person->press(Name("Space")));
    PlayerController& again = match.login("anna", person.get());
    match.frames(3);
    ASSERT_TRUE(again.pawn()->find<InputComponent>()->bind(kJump, [&](const InputValue&) { person.reset(); }).is_ok());
    EXPECT_TRUE(person->press(Name("Space")));
    EXPECT_EQ(again.local_player(), nullptr);
    EXPECT_EQ(again.hud(), nullptr);
    match.frames(3);
}

}  // namespace input_test
}  // namespace lyre::gameplay
