#include "lyre/core/value_type.h"

#include <gtest/gtest.h>

#include "lyre/core/handle.h"
#include "lyre/core/type_builder.h"

namespace lyre {
namespace value_type_test {

enum class Team : std::uint8_t { Red, Blue = 7 };
inline void describe(EnumBuilder<Team>& e) {
    e.value("red", Team::Red).value("blue", Team::Blue);
}
struct Stats {
    int kills = 0;
    float speed = 1.5f;
    static void describe(TypeBuilder<Stats>& t) {
        t.property("kills", &Stats::kills);
        t.property("speed", &Stats::speed).quantised(0.5);
    }
};
struct Thing {};

template <class T> std::uint64_t hash_of(const T& value) {
    Hasher hasher;
    value_type<T>().hash(&value, hasher);
    return hasher.finish();
}
template <class T> std::string printed(const T& value) {
    return value_type<T>().print(&value);
}

// Printed and parsed again it is the same; assigned it is equal; equal things have equal hashes.
template <class T> void expect_round_trip(const T& value, const T& other, std::string_view text) {
    const ValueType& type = value_type<T>();
    EXPECT_EQ(printed(value), text);
    T parsed{};
    EXPECT_TRUE(type.parse(text, &parsed)) << text;
    EXPECT_TRUE(type.equal(&parsed, &value));
    EXPECT_EQ(hash_of(parsed), hash_of(value));
    EXPECT_FALSE(type.equal(&value, &other));
    EXPECT_NE(hash_of(value), hash_of(other));
    type.assign(&parsed, &other);
    EXPECT_TRUE(type.equal(&parsed, &other));
    EXPECT_EQ(type.size, sizeof(T));
}

TEST(ValueType, single_values_print_parse_compare_hash_and_assign) {
    // W-08
    expect_round_trip<bool>(true, false, "true");
    expect_round_trip<std::int8_t>(-5, 5, "-5");
    expect_round_trip<std::uint64_t>(~0ull, 1, "18446744073709551615");
    expect_round_trip<char>('A', 'B', "65");
    expect_round_trip<float>(0.1f, 0.2f, "0.1");
    expect_round_trip<double>(-2.5e-7, 1, "-2.5e-07");
    expect_round_trip<std::string>("some text", "other", "some text");
    expect_round_trip<Name>(Name("crate"), Name("door"), "crate");
    expect_round_trip<Vec3>({1, -2.5f, 3}, {1, -2.5f, 4}, "[1, -2.5, 3]");
    expect_round_trip<Team>(Team::Blue, Team::Red, "blue");
    expect_round_trip<Handle<Thing>>({4, 2}, {4, 3}, "#4.2");
    EXPECT_EQ(hash_of(0.0f), hash_of(-0.0f)) << "equal values have equal hashes";
}

TEST(ValueType, what_cannot_be_parsed_changes_nothing) {
    // W-08
    const auto refuses = [](auto value, std::string_view text) {
        auto before = value;
        const ValueType& type = value_type<decltype(value)>();
        const bool refused = !type.parse(text, &value);
        return refused && type.equal(&value, &before);
    };
    EXPECT_TRUE(refuses(true, "maybe"));
    EXPECT_TRUE(refuses(std::int8_t{3}, "300"));
    EXPECT_TRUE(refuses(1.5f, "1e60"));
    EXPECT_TRUE(refuses(Team::Blue, "green"));
    EXPECT_TRUE(refuses(Handle<Thing>{1, 1}, "4.2"));
    for (const char* wrong : {"", "[]", "[1]", "1, 2", "[1, 2, 3, 4]", "[1, , 3]", "[a, b]"})
        EXPECT_TRUE(refuses(Vec3{1, 2, 3}, wrong)) << wrong;
    EXPECT_TRUE(refuses(Name("x"), std::string(Name::kMaxLength + 1, 'a')));
    EXPECT_TRUE(refuses(std::vector<int>{1}, "[2]"));
    EXPECT_TRUE(refuses(Stats{}, "{}"));
    Vec3 flat;
    EXPECT_TRUE(value_type<Vec3>().parse("[ 1 , 2 ]", &flat));
    EXPECT_EQ(flat, (Vec3{1, 2, 0}));
    Team team = Team::Red;
    EXPECT_NE(value_type<Team>().parse("green", &team).text().find("red, blue"), std::string::npos);
}

TEST(ValueType, lists_and_structs_are_walked_without_knowing_the_type) {
    // W-08
    const ValueType& type = value_type<std::vector<Stats>>();
    EXPECT_EQ(type.name, "list<Stats>");
    EXPECT_EQ(type.element->kind, ValueKind::Record);
    std::vector<Stats> list, other;
    type.resize(&list, 2);
    static_cast<Stats*>(type.at(&list, 1))->kills = 3;
    EXPECT_EQ(type.count(&list), 2u);
    EXPECT_EQ(type.print(&list), "[{kills = 0, speed = 1.5}, {kills = 3, speed = 1.5}]");
    EXPECT_FALSE(type.equal(&list, &other));
    type.assign(&other, &list);
    EXPECT_TRUE(type.equal(&list, &other));
    other[1].kills = 4;
    EXPECT_FALSE(type.equal(&list, &other));
    EXPECT_NE(hash_of(list), hash_of(other));
    EXPECT_EQ(type.element->record().properties.size(), 2u);
}

TEST(ValueType, quantised_values_hash_as_they_travel) {
    // W-08
    const auto with = [](float speed) {
        Stats stats;
        stats.speed = speed;
        return hash_of(stats);
    };
    EXPECT_EQ(with(1.5f), with(1.6f));
    EXPECT_EQ(with(0.1f), with(-0.1f));
    EXPECT_NE(with(1.5f), with(1.8f));
}

TEST(ValueType, names_of_types_are_stable_and_without_namespaces) {
    // W-09
    struct Local {};
    EXPECT_EQ(type_name<Team>().text(), "Team");
    EXPECT_EQ(type_name<Local>().text(), "Local");
    EXPECT_EQ(type_name<Vec3>().text(), "Vec3");
    EXPECT_EQ(unqualified_type_name("lyre::Name lyre::type_name() [with T = a::{anonymous}::B; other = c::D]"), "B");
    EXPECT_EQ(unqualified_type_name("Name lyre::type_name() [T = (anonymous namespace)::B]"), "B");
    EXPECT_EQ(value_type<std::uint16_t>().name, "uint16");
    EXPECT_EQ(value_type<std::vector<double>>().name, "list<float64>");
}

}  // namespace value_type_test
}  // namespace lyre
