#include "lyre/gameplay/input.h"

#include <algorithm>
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

// A pawn whose hero and whose feature have both heard that Space is down.
struct Holding : SmallMatch {
    Holding() {
        house.experience("tag", "pawn = \"walker\"\n");
        open();
        load("tag");
        anna = &login("anna", &person);
        frames(3);
        pawn = anna->pawn();
        input = pawn->find<InputComponent>();
        binding = *input->bind(kJump, [](const InputValue& value) {
            told().push_back(value.kind == InputValue::Kind::Pressed ? "feature+" : "feature-");
        });
        story();
        EXPECT_TRUE(person.press(Name("Space")));
        EXPECT_EQ(story(), "Jump+ feature+");
    }
    void hears(const std::function<void()>& deed) {  // both inside one callback
        world().timers().next_tick([&] { deed(); });
        frames(2);
        person.release(Name("Space"));
    }
    LocalPlayer person{Name("anna")};
    PlayerController* anna = nullptr;
    Pawn* pawn = nullptr;
    InputComponent* input = nullptr;
    InputComponent::BindingId binding = 0;
};

TEST(Input, that_was_pressed_is_released_once_to_whoever_has_heard_it_whatever_goes) {
    // I-57, I-41
    using Deed = void (*)(Holding&);
    const Deed changes = [](Holding& m) {
        m.pawn->find<PawnExtensionComponent>()->change_pawn_data(
            assets::PrimaryAssetId::parse("pawn_data:stroller").value());
    };
    const Deed controller_goes = [](Holding& m) { m.world().destroy(m.anna->id()); };
    const Deed pawn_goes = [](Holding& m) { m.world().destroy(m.pawn->id()); };
    const Deed input_goes = [](Holding& m) { EXPECT_TRUE(m.world().remove_component(*m.input).is_ok()); };
    const Deed hero_goes = [](Holding& m) {
        EXPECT_TRUE(m.world().remove_component(*m.pawn->find<HeroComponent>()).is_ok());
    };
    const Deed unpossesses = [](Holding& m) { m.anna->unpossess(); };
    const Deed comes_back = [](Holding& m) { EXPECT_TRUE(m.anna->possess(*m.pawn).is_ok()); };
    const Deed logs_out = [](Holding& m) { m.mode().logout(*m.anna); };
    const Deed unbinds = [](Holding& m) { EXPECT_TRUE(m.input->unbind(m.binding)); };
    const std::vector<std::vector<Deed>> all{{},
                                             {controller_goes, changes},
                                             {changes, controller_goes},
                                             {pawn_goes},
                                             {pawn_goes, controller_goes},
                                             {controller_goes, pawn_goes},
                                             {input_goes},
                                             {input_goes, changes},
                                             {hero_goes},
                                             {unpossesses},
                                             {unpossesses, comes_back},
                                             {logs_out},
                                             {unbinds},
                                             {unbinds, controller_goes, changes}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        Holding match;
        match.hears([&] {
            for (Deed deed : all[i]) deed(match);
        });
        const auto lines = std::exchange(told(), {});
        EXPECT_EQ(std::count(lines.begin(), lines.end(), "Jump-"), 1) << i;
        EXPECT_EQ(std::count(lines.begin(), lines.end(), "feature-"), 1) << i;
    }
}

TEST(Input, nobody_hears_the_release_of_what_it_has_not_heard_pressed) {
    // I-57
    Holding match;
    auto& next = *match.world().find<Walker>(*match.world().spawn<Walker>());
    EXPECT_TRUE(match.input->bind(kJump, [](const InputValue&) { told().push_back("late"); }).is_ok());
    ASSERT_TRUE(match.anna->possess(next).is_ok());
    match.frames(2);
    EXPECT_TRUE(next.find<InputComponent>()->bind(kJump, [](const InputValue&) { told().push_back("next"); }).is_ok());
    EXPECT_TRUE(match.person.add_context({Name("extra"), 9, false, {{Name("Space"), kJump}}}).is_ok());
    story();
    EXPECT_FALSE(match.person.release(Name("Space")));
    EXPECT_EQ(story(), "");
    EXPECT_TRUE(match.person.press(Name("Space")));
    EXPECT_TRUE(match.person.press(Name("Space")));  // as a key that repeats
    EXPECT_TRUE(match.person.release(Name("Space")));
    EXPECT_EQ(story(), "next next next");
}

TEST(Input, that_is_held_stays_what_it_was_pressed_as_also_when_a_key_repeats) {
    // I-57
    Holding match;
    const Name choose("Choose");
    EXPECT_TRUE(match.input->bind(choose, [](const InputValue&) { told().push_back("chosen"); }).is_ok());
    EXPECT_TRUE(match.person.add_context({Name("extra"), 9, false, {{Name("Space"), choose}}}).is_ok());
    story();
    EXPECT_FALSE(match.person.press(Name("Space")));
    EXPECT_TRUE(match.person.release(Name("Space")));
    EXPECT_EQ(story(), "Jump- feature-");
    EXPECT_TRUE(match.person.press(Name("Space")));
    EXPECT_EQ(story(), "chosen");
}

TEST(Input, a_press_that_ends_inside_itself_is_heard_and_released_by_those_alone_who_had_their_turn) {
    // I-57, W-30
    Holding match;
    EXPECT_TRUE(match.person.release(Name("Space")));
    InputComponent::BindingId self = 0;
    int unbound = 0;
    self = *match.input->bind(kJump, [&](const InputValue& value) {
        told().push_back(value.kind == InputValue::Kind::Pressed ? "last+" : "last-");
        match.anna->unpossess();
        unbound += match.input->unbind(self) ? 1 : 0;
    });
    EXPECT_TRUE(match.input->bind(kJump, [](const InputValue&) { told().push_back("never"); }).is_ok());
    story();
    EXPECT_TRUE(match.person.press(Name("Space")));
    const std::string heard = story();
    EXPECT_EQ(heard.substr(0, 20), "Jump+ feature+ last+") << heard;
    EXPECT_EQ(heard.find("never"), std::string::npos) << heard;
    EXPECT_NE(heard.find("last-"), std::string::npos) << heard;
    EXPECT_EQ(unbound, 1);
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
