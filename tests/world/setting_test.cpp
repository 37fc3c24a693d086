#include "lyre/world/setting.h"

#include "tests/allocations.h"
#include "tests/world/small_world.h"

namespace lyre {
namespace setting_test {

struct Reacher : Component {
    Setting<double> reach{"tag.Reach"};
    static void describe(TypeBuilder<Reacher>&) {}
};

struct House : Game {
    House() { know<Reacher>(); }
    Variables& variables() { return runtime.variables(); }
    void add(const char* name, VariableValue value) {
        ASSERT_TRUE(variables().add_value({.name = name, .default_value = std::move(value)}));
    }
    Reacher& reacher() { return *make(world()); }
    static Reacher* make(World& world) {
        Actor& actor = *world.find(*world.spawn<Actor>());
        return *actor.add<Reacher>();
    }
    std::vector<std::string> errors() {
        std::vector<std::string> texts;
        for (const LogEntry& entry : runtime.log().entries())
            if (entry.kind == Name("world.setting")) texts.push_back(fmt::format("{}: {}", entry.subject, entry.text));
        return texts;
    }
};
using Texts = std::vector<std::string>;

TEST(Settings, a_component_reads_what_its_own_world_has) {
    // W-11
    House house;
    house.add("tag.Reach", 0.5);
    GameInstance other(house.runtime);
    World& far = other.open_world({.name = Name("far")});
    const Reacher &here = house.reacher(), &there = *House::make(far);
    const Setting<double> shared("tag.Reach");
    EXPECT_EQ(here.reach.get(house.world()), 0.5);
    const VariableHold hold = *far.variables().push("tag.Reach", "2", "feature tag, action 1");
    EXPECT_EQ(here.reach.get(house.world()), 0.5);
    EXPECT_EQ(there.reach.get(far), 2);
    EXPECT_EQ(shared.get(house.world()), 0.5) << "one for several worlds";
    EXPECT_EQ(shared.get(far), 2);
    ASSERT_TRUE(house.variables().set("tag.Reach", "3", {VariableSource::Console, "console"}));
    EXPECT_EQ(here.reach.get(house.world()), 3);
    EXPECT_EQ(there.reach.get(far), 3);
    House next_door;
    next_door.add("tag.Reach", 7.0);
    EXPECT_EQ(shared.get(next_door.world()), 7) << "of another runtime";
    EXPECT_EQ(shared.get(far), 3);
    EXPECT_EQ(house.errors(), Texts());
}

TEST(Settings, one_that_is_not_there_or_of_another_type_is_said_once_for_all_of_a_world) {
    // W-11
    House house;
    house.add("tag.Raech", 0.5);
    house.add("tag.Secs", std::int64_t{3});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(house.reacher().reach.get(house.world()), 0);
    const Setting<double> seconds("tag.Secs");
    const Setting<std::string> text("tag.Secs");
    for (int i = 0; i < 20; ++i) EXPECT_EQ(seconds.get(house.world()), 0);
    EXPECT_EQ(text.get(house.world()), "");
    EXPECT_EQ(Setting<std::int64_t>("tag.Secs").get(house.world()), 3);
    EXPECT_EQ(house.errors(), (Texts{"world: no variable \"tag.Reach\"; did you mean \"tag.Raech\"?",
                                     "world: variable \"tag.Secs\" takes a whole number: ask for it by that type"}));
    World& second = house.instance.open_world({.name = Name("second")});
    EXPECT_EQ(House::make(second)->reach.get(second), 0);
    ASSERT_EQ(house.errors().size(), 3u);
    EXPECT_EQ(house.errors().back(), "second: no variable \"tag.Reach\"; did you mean \"tag.Raech\"?");
}

TEST(Settings, one_whose_variable_goes_and_comes_again_is_as_the_variable) {
    // W-11
    House house;
    house.add("tag.Reach", 0.5);
    const Reacher& reacher = house.reacher();
    EXPECT_EQ(reacher.reach.get(house.world()), 0.5);
    ASSERT_TRUE(house.variables().remove("tag.Reach"));
    EXPECT_EQ(reacher.reach.get(house.world()), 0);
    EXPECT_EQ(house.errors().size(), 1u);
    house.add("tag.Reach", true);
    EXPECT_EQ(reacher.reach.get(house.world()), 0);
    EXPECT_EQ(house.errors().size(), 2u) << "of another type is something else to say";
    ASSERT_TRUE(house.variables().remove("tag.Reach"));
    EXPECT_EQ(reacher.reach.get(house.world()), 0);
    house.add("tag.Reach", 4.0);
    EXPECT_EQ(reacher.reach.get(house.world()), 4);
    EXPECT_EQ(house.errors().size(), 2u);
    house.variables().remove_all(Owner::process());
    EXPECT_EQ(reacher.reach.get(house.world()), 0);
}

TEST(Settings, a_tick_that_asks_allocates_nothing_whether_or_not_the_variable_is_there) {
    // W-11
    House house;
    house.add("tag.Reach", 0.5);
    const Setting<double> reach("tag.Reach"), missing("tag.Nothing");
    const VariableHold hold = *house.world().variables().push("tag.Reach", "2", "feature tag, action 1");
    EXPECT_EQ(missing.get(house.world()) + reach.get(house.world()), 2);
    const std::size_t before = allocations();
    double sum = 0;
    for (int i = 0; i < 100; ++i) sum += reach.get(house.world()) + missing.get(house.world());
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(sum, 200);
}

TEST(World, an_error_that_would_come_again_and_again_is_told_once_and_such_errors_are_bounded) {
    // W-11
    Game game;
    const Name kind("test.again");
    for (int i = 0; i < 3; ++i) game.world().report_once(kind, "the same");
    EXPECT_EQ(game.runtime.log().count(kind), 1u);
    for (std::size_t i = 0; i < 2 * World::kMaxToldOnce; ++i) game.world().report_once(kind, fmt::format("{}", i));
    EXPECT_EQ(game.runtime.log().count(kind), World::kMaxToldOnce);
}

}  // namespace setting_test
}  // namespace lyre
