#include "lyre/core/type_registry.h"

#include <gtest/gtest.h>
#include <set>

#include "lyre/world/class_info.h"
#include "lyre/world/property.h"
#include "lyre/world/runtime.h"

namespace lyre {
namespace type_registry_test {

namespace first {
struct Same {
    static void describe(TypeBuilder<Same>&) {}
};
}  // namespace first
namespace second {
struct Same {
    static void describe(TypeBuilder<Same>&) {}
};
}  // namespace second
struct Plain {
    int a = 0;
    static void describe(TypeBuilder<Plain>& t) { t.property("a", &Plain::a); }
};

TEST(TypeRegistry, a_second_type_of_one_name_is_refused_and_both_places_are_named) {
    // W-09
    TypeRegistry types;
    ASSERT_TRUE(types.add<first::Same>("one.cpp", 11));
    const Status refusal = types.add<second::Same>("two.cpp", 22).status();
    EXPECT_EQ(refusal.code(), StatusCode::AlreadyExists);
    for (const char* part : {"Same", "one.cpp:11", "two.cpp:22"})
        EXPECT_NE(refusal.text().find(part), std::string::npos) << refusal.text();
    EXPECT_EQ(types.all().size(), 1u);
    ASSERT_TRUE(types.add<Plain>());
    EXPECT_NE(types.find<Plain>()->place.find("type_registry_test.cpp:"), std::string::npos);
    EXPECT_NE(types.get("Plan").status().text().find("Plain"), std::string::npos) << "the nearest name";
}

// One class, described in another way each time. The first is the measure for the others.
enum class Way {
    Measure,
    Again,
    // these are in the hash
    PropertyName,
    PropertyType,
    NestedField,
    EnumValues,
    Step,
    RangeOfStep,
    ConditionOf,
    Notify,
    Group,
    PropertyOrder,
    MoreProperties,
    SlotName,
    SlotClass,
    SlotPolicy,
    SlotOrder,
    RemoteName,
    RemoteTargetOf,
    Reliable,
    Quota,
    Parameters,
    Parent,
    // these are not
    Units,
    Help,
    Range,
    Required,
    Tags,
    Radius,
    Tick,
    kCount,
};
Way way = Way::Measure;
bool is(Way one) {
    return way == one;
}

struct Pair {
    int a = 0, b = 0;
    static void describe(TypeBuilder<Pair>& t) {
        t.property("a", &Pair::a);
        t.property("b", &Pair::b);
    }
};
struct Part : Component {
    static void describe(TypeBuilder<Part>&) {}
};
struct OtherPart : Component {
    static void describe(TypeBuilder<OtherPart>&) {}
};
struct Between : Actor {
    static void describe(TypeBuilder<Between>&) {}
};

struct Subject : Between {
    Property<int> x = 1, y = 1;
    Property<Pair> pair;
    int more = 0;
    static void describe(TypeBuilder<Subject>& t) {
        if (!is(Way::Parent)) t.parent<Between>();
        const auto describe_x = [&] {
            auto x = t.property(is(Way::PropertyName) ? "z" : "x", &Subject::x);
            x.replicated(is(Way::ConditionOf) ? Condition::OwnerOnly : Condition::Always);
            x.quantised(is(Way::Step) ? 0.5 : 0.25, 0, is(Way::RangeOfStep) ? 9 : 8);
            if (is(Way::Notify)) x.notify(&Subject::changed);
            if (is(Way::Group)) x.group("body");
            if (is(Way::Units)) x.units("m");
            if (is(Way::Help)) x.help("what it is");
            if (is(Way::Range)) x.range(1, 2);
            if (is(Way::Required)) x.required();
        };
        if (!is(Way::PropertyOrder)) describe_x();
        t.property("y", &Subject::y);
        if (is(Way::PropertyOrder)) describe_x();
        t.property("pair", &Subject::pair);
        if (is(Way::MoreProperties)) t.property("more", &Subject::more);
        if (is(Way::SlotOrder)) t.slot<Part>("second");
        if (is(Way::SlotPolicy)) t.slot<Part>("part");
        if (is(Way::SlotClass)) t.component<OtherPart>("part");
        if (!is(Way::SlotPolicy) && !is(Way::SlotClass)) t.component<Part>(is(Way::SlotName) ? "piece" : "part");
        if (!is(Way::SlotOrder)) t.slot<Part>("second");
        auto call = is(Way::Parameters) ? t.remote<&Subject::call_with>("call")
                                        : t.remote<&Subject::call>(is(Way::RemoteName) ? "shout" : "call");
        if (is(Way::RemoteTargetOf)) call.to_everyone();
        if (is(Way::Reliable)) call.reliable();
        if (is(Way::Quota)) call.quota(3);
        if (is(Way::Tags)) t.tag("Some.Tag");
        if (is(Way::Radius)) t.radius(3);
        if (is(Way::Tick)) t.tick_in(TickGroup::Late, 2);
        if (is(Way::Help)) t.help("all of it");
        PropertyInfo& y = t.type().properties[is(Way::PropertyOrder) ? 3 : 4];
        if (is(Way::PropertyType)) y.type = &value_type<unsigned>();
        static const ValueType changed_record = changed(value_type<Pair>());
        static const ValueType changed_enum = with_values(value_type<int>());
        if (is(Way::NestedField)) t.type().properties[5].type = &changed_record;
        if (is(Way::EnumValues)) y.type = &changed_enum;
    }
    void tick(float) {}
    void changed() {}
    void call(int) {}
    void call_with(float) {}

private:
    struct LongerPair {
        int a = 0, b = 0, c = 0;
        static void describe(TypeBuilder<LongerPair>& t) {
            t.property("a", &LongerPair::a);
            t.property("b", &LongerPair::b);
            t.property("c", &LongerPair::c);
        }
    };
    static ValueType changed(ValueType type) {  // of the same name, with one more field
        type.record = &type_of_record<LongerPair>;
        return type;
    }
    static ValueType with_values(ValueType type) {
        type.values.push_back({Name("one"), 1});
        return type;
    }
};

std::uint64_t hash_of(Way one) {
    Runtime runtime;
    TypeRegistry& types = runtime.types();
    way = Way::Measure;
    EXPECT_TRUE(types.add<Part>() && types.add<OtherPart>());
    EXPECT_TRUE(one == Way::Parent || types.add<Between>());
    way = one;
    auto type = types.add<Subject>();
    way = Way::Measure;
    EXPECT_TRUE(type) << static_cast<int>(one) << type.status().to_string();
    return type ? (*type)->schema_hash : 0;
}

TEST(SchemaHash, changes_with_every_part_of_the_schema_and_with_nothing_else) {
    // W-09, N-021
    std::set<std::uint64_t> seen{hash_of(Way::Measure)};
    EXPECT_EQ(hash_of(Way::Again), *seen.begin());
    for (int one = static_cast<int>(Way::PropertyName); one <= static_cast<int>(Way::Parent); ++one)
        EXPECT_TRUE(seen.insert(hash_of(static_cast<Way>(one))).second) << one;
    for (int one = static_cast<int>(Way::Units); one < static_cast<int>(Way::kCount); ++one)
        EXPECT_EQ(hash_of(static_cast<Way>(one)), hash_of(Way::Measure)) << one;
}

TEST(SchemaHash, of_all_types_does_not_depend_on_the_order_of_registration) {
    // W-09
    TypeRegistry a, b;
    EXPECT_TRUE(a.add<Plain>() && a.add<Pair>());
    EXPECT_TRUE(b.add<Pair>());
    EXPECT_NE(a.schema_hash(), b.schema_hash());
    EXPECT_TRUE(b.add<Plain>());
    EXPECT_EQ(a.schema_hash(), b.schema_hash());
    EXPECT_EQ(a.find<Plain>()->schema_hash, hash64(a.find<Plain>()->canonical_text()));
}

TEST(TypeRegistry, a_type_in_use_stays_and_the_refusal_says_by_whom) {
    // W-10
    TypeRegistry types;
    EXPECT_TRUE(types.add<Plain>());
    EXPECT_EQ(types.remove(Name("Nothing")).code(), StatusCode::NotFound);
    {
        auto c = types.listing_instances.add([](const Type& type, std::vector<TypeUse>& lines) {
            lines.push_back({fmt::format("a {} in a drawer", type.name), Owner::process()});
        });
        EXPECT_NE(types.remove(Name("Plain")).text().find("a Plain in a drawer"), std::string::npos);
        EXPECT_NE(types.find<Plain>(), nullptr);
    }
    EXPECT_TRUE(types.remove(Name("Plain")));
    EXPECT_EQ(types.find<Plain>(), nullptr);
    EXPECT_TRUE(types.all().empty());
}

TEST(TypeRegistry, an_owners_types_go_all_or_none_and_newest_first) {
    // W-10, W-33
    Runtime runtime;
    TypeRegistry& types = runtime.types();
    const Owner feature = Owner::feature(Name("tag"), 1);
    {
        const OwnerScope as(feature);
        EXPECT_TRUE(types.add<Between>() && types.add<Part>() && types.add<OtherPart>() && types.add<Subject>());
    }
    EXPECT_EQ(types.owned_by(feature).size(), 4u);
    EXPECT_NE(types.remove(Name("Between")).text().find("type Subject derives from it"), std::string::npos);
    std::string gone;
    auto c = types.removing.add([&](const Type& type) { gone += fmt::format("{} ", type.name); });
    {
        auto holds = types.listing_instances.add([](const Type& type, std::vector<TypeUse>& lines) {
            if (type.name.text() == "Part") lines.push_back({"one of them", Owner::process()});
        });
        EXPECT_NE(types.remove_all(feature).text().find("Part: one of them"), std::string::npos);
        EXPECT_EQ(types.owned_by(feature).size(), 4u) << "none";
    }
    EXPECT_TRUE(types.remove_all(feature));
    EXPECT_EQ(gone, "Subject OtherPart Part Between ");
    EXPECT_EQ(types.owned_by(feature).size(), 0u);
}

TEST(TypeRegistry, types_may_be_removed_inside_the_news_of_one_that_comes_or_goes) {
    // W-10
    TypeRegistry types;
    Status inner;
    auto going = types.removing.add([&](const Type& type) {
        inner = types.remove(type.name);
        if (type.name.text() == "Plain") types.remove(Name("Pair")).ignore();
    });
    EXPECT_TRUE(types.add<Pair>() && types.add<Plain>());
    EXPECT_TRUE(types.remove_all(Owner::process()));
    EXPECT_EQ(inner.code(), StatusCode::Refused);
    EXPECT_TRUE(types.all().empty());
    auto coming = types.added.add([&](const Type& type) { types.remove(type.name).ignore(); });
    EXPECT_EQ(types.add<Plain>().status().code(), StatusCode::Refused);
    EXPECT_TRUE(types.all().empty());
}

TEST(TypeRegistry, listeners_that_throw_are_reported_and_what_they_heard_of_stands) {
    // W-09, W-10
    VirtualClock clock;
    Runtime runtime(clock);
    TypeRegistry& types = runtime.types();
    int heard = 0;
    const auto throws = [](const Type&) { throw std::runtime_error("on purpose"); };
    const auto hears = [&](const Type&) { ++heard; };
    auto coming = types.added.add(throws), too = types.added.add(hears);
    auto going = types.removing.add(throws), gone = types.removing.add(hears);
    EXPECT_TRUE(types.add<Plain>());
    EXPECT_NE(types.find<Plain>(), nullptr);
    {
        auto asked = types.listing_instances.add([](const Type&, std::vector<TypeUse>&) { throw 1; });
        const Status refused = types.remove(Name("Plain"));
        EXPECT_EQ(refused.text(), "type Plain is still in use: somebody who was asked threw: an exception");
        EXPECT_EQ(types.uses_of(Owner::process()).size(), types.owned_by(Owner::process()).size());
    }
    EXPECT_TRUE(types.remove(Name("Plain")));
    EXPECT_EQ(types.find<Plain>(), nullptr);
    EXPECT_EQ(heard, 2);
    const auto told = runtime.log().entries();
    ASSERT_GE(told.size(), 2u);
    EXPECT_EQ(told.front().kind, Name("types.callback"));
    EXPECT_EQ(told.front().subject, "type Plain comes");
    EXPECT_EQ(told.front().text, "a listener threw: on purpose");
    EXPECT_EQ(told.back().subject, "type Plain goes");
}

TEST(TypeRegistry, slots_are_used_again_and_orders_are_not) {
    // W-10
    TypeRegistry types;
    EXPECT_TRUE(types.add<Plain>() && types.add<Pair>());
    const std::uint32_t slot = types.find<Plain>()->slot, order = types.find<Pair>()->order;
    EXPECT_TRUE(types.remove(Name("Plain")));
    auto again = types.add<first::Same>();
    EXPECT_EQ((*again)->slot, slot);
    EXPECT_GT((*again)->order, order);
    EXPECT_NE((*types.add<Plain>())->slot, types.find<Pair>()->slot);
}

}  // namespace type_registry_test
}  // namespace lyre
