// Actors with many components: found, refused and listed as those with few are.
#include "lyre/world/component_sheets.h"

#include <set>

#include "lyre/core/random.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace component_sheets_test {

struct Plate : Component {
    static void describe(TypeBuilder<Plate>&) {}
};

Name name_of(std::size_t number) {
    return Name(fmt::format("plate{}", number));
}

std::vector<Name> in_order(const Actor& actor) {
    std::vector<Name> names;
    for (Component* one = actor.first_component(); one != nullptr; one = one->next())
        if (!one->is_doomed()) names.push_back(one->name());
    return names;
}

TEST(ComponentSheets, a_number_is_used_again_and_begins_empty) {
    // W-17
    ComponentSheets sheets;
    const std::uint32_t first = sheets.add(), second = sheets.add();
    EXPECT_NE(first, 0u);
    EXPECT_NE(first, second);
    sheets.at(first).add(Name("a"));
    sheets.at(first).add(Name("b"));
    sheets.at(first).forget(Name("a"));
    sheets.at(first).forget(Name("nobody"));
    EXPECT_FALSE(sheets.at(first).has(Name("a")));
    EXPECT_TRUE(sheets.at(first).has(Name("b")));
    sheets.remove(first);
    EXPECT_EQ(sheets.count(), 1u);
    EXPECT_EQ(sheets.add(), first);
    EXPECT_FALSE(sheets.at(first).has(Name("b")));
}

TEST(ComponentSheets, an_actor_takes_as_many_components_as_it_may_in_order_and_no_name_twice) {
    // W-17
    Game game;
    game.know<Plate, Rock>();
    Actor& rock = *game.spawn<Rock>();
    for (std::size_t i = 0; i < World::kMaxComponents; ++i) ASSERT_TRUE(rock.add<Plate>(name_of(i)));
    EXPECT_EQ(rock.add<Plate>(name_of(3)).status().code(), StatusCode::AlreadyExists);
    EXPECT_EQ(rock.add<Plate>(Name("one_more")).status().code(), StatusCode::Capacity);
    const auto names = in_order(rock);
    ASSERT_EQ(names.size(), World::kMaxComponents);
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], name_of(i));
    EXPECT_TRUE(game.world().destroy(rock.id()));
    EXPECT_TRUE(game.is_bare());
}

TEST(ComponentSheets, one_that_is_on_its_way_out_gives_its_name_free_at_once_and_its_place_at_the_end) {
    // W-17
    Game game;
    game.know<Plate, Rock>();
    Actor& rock = *game.spawn<Rock>();
    for (std::size_t i = 0; i < 20; ++i) ASSERT_TRUE(rock.add<Plate>(name_of(i)));
    {
        const World::CallScope phase(game.world());
        Component* last = rock.find_component(name_of(19));
        ASSERT_TRUE(game.world().remove_component(*last).is_ok());
        EXPECT_EQ(rock.find_component(name_of(19)), nullptr);
        EXPECT_TRUE(game.world().has_doomed());
        ASSERT_TRUE(rock.add<Plate>(name_of(19)));
        EXPECT_NE(rock.find_component(name_of(19)), last);
        EXPECT_EQ(rock.add<Plate>(name_of(19)).status().code(), StatusCode::AlreadyExists);
    }
    EXPECT_FALSE(game.world().has_doomed());
    ASSERT_TRUE(rock.add<Plate>(name_of(20)));
    EXPECT_EQ(in_order(rock).back(), name_of(20));
    EXPECT_EQ(in_order(rock).size(), 21u);
}

TEST(ComponentSheets, adding_and_removing_at_random_is_as_the_plain_list_says) {
    // W-17
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        Game game;
        game.know<Plate, Rock>();
        Random random = RandomSource(seed).stream("plates");
        std::vector<Actor*> rocks{game.spawn<Rock>(), game.spawn<Rock>(), game.spawn<Rock>()};
        std::vector<std::vector<Name>> expected(rocks.size());
        for (int step = 0; step < 600; ++step) {
            const std::size_t at = random.next_below(static_cast<std::uint32_t>(rocks.size()));
            Actor& rock = *rocks[at];
            std::vector<Name>& names = expected[at];
            const bool grows = step / 100 % 2 == 0;
            const World::CallScope phase(game.world());
            for (std::uint32_t n = 0; n <= random.next_below(3); ++n) {
                const Name name = name_of(random.next_below(40));
                const auto known = std::find(names.begin(), names.end(), name);
                EXPECT_EQ(rock.find_component(name) != nullptr, known != names.end());
                if (random.next_below(4) == 0 ? grows : !grows) {
                    if (known == names.end()) continue;
                    EXPECT_TRUE(game.world().remove_component(*rock.find_component(name)).is_ok());
                    names.erase(known);
                } else {
                    EXPECT_EQ(rock.add<Plate>(name).is_ok(), known == names.end());
                    if (known == names.end()) names.push_back(name);
                }
                EXPECT_EQ(in_order(rock), names);
            }
            if (random.next_below(200) != 0) continue;
            game.world().destroy(rock.id());
            rocks[at] = game.spawn<Rock>();
            names.clear();
        }
        for (const Actor* rock : rocks) game.world().destroy(rock->id());
        EXPECT_TRUE(game.is_bare());
    }
}

// Plate has no hooks, so unless somebody listens it takes the short way in. Where it arrives is the same.
TEST(ComponentSheets, one_without_hooks_comes_as_far_as_its_actor_and_is_heard_of_by_who_listens) {
    // W-17
    Game game;
    game.know<Plate, Rock>();
    Actor& rock = *game.spawn<Rock>();
    EXPECT_EQ((*rock.add<Plate>(name_of(0)))->life(), LifeState::Registered);
    game.world().begin_play();
    EXPECT_EQ(rock.find_component(name_of(0))->life(), LifeState::Begun);
    EXPECT_EQ((*rock.add<Plate>(name_of(1)))->life(), LifeState::Begun);
    std::vector<Name> heard;
    const auto listen = [&](Component& one) { heard.push_back(one.name()); };
    {
        const Connection watching = game.world().watched_component_registered.add(listen);
        EXPECT_TRUE(rock.add<Plate>(name_of(2)));  // nobody watches this actor
        game.world().watch(rock);
        EXPECT_EQ((*rock.add<Plate>(name_of(3)))->life(), LifeState::Begun);
    }
    EXPECT_TRUE(rock.add<Plate>(name_of(4)));
    const Connection listening = game.world().component_registered.add(listen);
    EXPECT_EQ((*rock.add<Plate>(name_of(5)))->life(), LifeState::Begun);
    EXPECT_EQ(heard, (std::vector<Name>{name_of(3), name_of(5)}));
}

}  // namespace component_sheets_test
}  // namespace lyre
