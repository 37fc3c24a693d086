#include "lyre/core/type_builder.h"

#include <gtest/gtest.h>

#include "lyre/core/type_registry.h"
#include "lyre/world/class_info.h"
#include "lyre/world/property.h"
#include "lyre/world/runtime.h"

namespace lyre {
namespace type_builder_test {

struct Whole {
    bool on = true;
    double size = 2;
    char mark = 'x';
    std::string text = "hello";
    std::vector<int> list;
    int secret = 5;
    int grid[2][3] = {};
    static void describe(TypeBuilder<Whole>& t) {
        t.help("what it is");
        t.property("on", &Whole::on).required();
        t.property("size", &Whole::size)
            .replicated(Condition::OwnerOnly)
            .quantised(0.25, -1, 1)
            .range(0, 10)
            .units("m")
            .help("how large")
            .group("body");
        t.property("mark", &Whole::mark);
        t.property("text", &Whole::text);
        t.property("list", &Whole::list);
        t.internal(&Whole::secret);
        t.internal(&Whole::grid);
    }
};

TEST(TypeBuilder, keeps_all_that_describe_says) {
    // W-08
    const Type& type = type_of_record<Whole>();
    EXPECT_TRUE(type.problems.empty()) << "padding is not reported: " << type.problems.front();
    EXPECT_EQ(type.name.text(), "Whole");
    EXPECT_EQ(type.help, "what it is");
    ASSERT_EQ(type.properties.size(), 5u);
    const PropertyInfo& size = *type.find_property(Name("size"));
    EXPECT_EQ(size.type, &value_type<double>());
    EXPECT_EQ(size.index, 1u);
    EXPECT_TRUE(size.replicated && !size.required && !size.tracked);
    EXPECT_EQ(size.condition, Condition::OwnerOnly);
    EXPECT_EQ(size.quantisation, (Quantisation{0.25, -1, 1}));
    EXPECT_EQ(size.min, 0);
    EXPECT_EQ(size.max, 10);
    EXPECT_EQ(size.units, "m");
    EXPECT_EQ(size.help, "how large");
    EXPECT_EQ(size.group.text(), "body");
    EXPECT_TRUE(type.find_property(Name("on"))->required);
    EXPECT_EQ(*static_cast<const double*>(size.in(type.defaults)), 2) << "the default is the constructed value";
    EXPECT_EQ(type.find_property(Name("nothing")), nullptr);
    Whole made;
    made.size = 7;
    EXPECT_EQ(*static_cast<const double*>(size.in(&made)), 7);
    alignas(Whole) char memory[sizeof(Whole)];
    type.construct(memory);
    EXPECT_EQ(reinterpret_cast<Whole*>(memory)->text, "hello") << "the factory";
    type.destruct(memory);
}

// What is wrong with the description of T.
template <class T> std::string problems() {
    Runtime runtime;
    auto added = runtime.types().add<T>();
    return added ? "" : added.status().text();
}
#define EXPECT_IN(part, text) EXPECT_NE((text).find(part), std::string::npos) << text

struct Forgets {
    int a = 0, b = 0;
    static void describe(TypeBuilder<Forgets>& t) { t.property("a", &Forgets::a); }
};
struct ForgetsMiddle {
    int a = 0;
    std::string forgotten;
    int b = 0;
    static void describe(TypeBuilder<ForgetsMiddle>& t) {
        t.property("a", &ForgetsMiddle::a);
        t.property("b", &ForgetsMiddle::b);
    }
};
struct ForgetsSmall {
    bool a = false;
    bool forgotten = false;
    float b = 0;
    static void describe(TypeBuilder<ForgetsSmall>& t) {
        t.property("a", &ForgetsSmall::a);
        t.property("b", &ForgetsSmall::b);
    }
};
struct Padded {
    bool a = false;
    double b = 0;
    std::int16_t c = 0;
    static void describe(TypeBuilder<Padded>& t) {
        t.property("c", &Padded::c);
        t.property("a", &Padded::a);
        t.property("b", &Padded::b);
    }
};
struct Empty {
    static void describe(TypeBuilder<Empty>&) {}
};

TEST(Coverage, a_member_of_a_struct_that_is_not_described_is_found_and_the_type_named) {
    // W-08
    EXPECT_IN("Forgets", problems<Forgets>());
    EXPECT_IN("bytes 4 to 8", problems<Forgets>());
    EXPECT_IN("ForgetsMiddle", problems<ForgetsMiddle>());
    EXPECT_IN("ForgetsSmall", problems<ForgetsSmall>());
    EXPECT_IN("3 members and describes 2", problems<ForgetsSmall>());
    EXPECT_EQ(problems<Padded>(), "");
    EXPECT_EQ(problems<Empty>(), "");
    EXPECT_EQ(problems<Whole>(), "");
}

TEST(Coverage, a_struct_used_as_a_value_must_be_described_rightly) {
    // W-08
    EXPECT_DEATH(type_of_record<Forgets>(), "Forgets: bytes 4 to 8");
}

struct Base {
    using Described = Base;
    int a = 1, hidden = 2;
    static void describe(TypeBuilder<Base>& t) {
        t.property("a", &Base::a);
        t.internal(&Base::hidden);
    }
};
struct Derived : Base {
    int b = 3;
    static void describe(TypeBuilder<Derived>& t) { t.property("b", &Derived::b); }
};
struct DerivedForgets : Base {
    int b = 3, c = 4;
    static void describe(TypeBuilder<DerivedForgets>& t) { t.property("b", &DerivedForgets::b); }
};

TEST(Coverage, a_parent_covers_its_own_bytes_and_no_more) {
    // W-08
    const Type& type = type_of_record<Derived>();
    EXPECT_EQ(type.properties.size(), 2u);
    EXPECT_EQ(type.properties[0].name.text(), "a") << "parents first";
    Runtime runtime;
    ASSERT_TRUE(runtime.types().add<Base>());
    EXPECT_TRUE(runtime.types().add<Derived>());
    EXPECT_IN("DerivedForgets", runtime.types().add<DerivedForgets>().status().text());
}

struct Untold : Component {
    Property<int> told = 1;
    Property<int> untold = 2;
    int plain = 3;  // no property, and none of anybody's business
    static void describe(TypeBuilder<Untold>& t) { t.property("told", &Untold::told); }
};
struct Inner {
    Property<int> lost = 1;
    static void describe(TypeBuilder<Inner>& t) { t.property("lost", &Inner::lost); }
};
struct Outer : Component {
    Inner inner;
    static void describe(TypeBuilder<Outer>& t) { t.property("inner", &Outer::inner); }
};
struct Told : Component {
    Property<int> told = 1;
    Property<float> also = 2.0f;
    static void describe(TypeBuilder<Told>& t) {
        t.property("also", &Told::also);
        t.property("told", &Told::told);
    }
};

TEST(Coverage, a_property_member_of_a_component_that_is_not_described_is_found) {
    // W-08
    EXPECT_IN("Untold", problems<Untold>());
    EXPECT_IN("a Property<> member at byte", problems<Untold>());
    EXPECT_IN("a Property<> inside inner", problems<Outer>());
    EXPECT_EQ(problems<Told>(), "");
}

template <std::size_t N> struct Many {
    int values[N] = {};
    static void describe(TypeBuilder<Many>& t) {
        t.internal(&Many::values);
        for (std::size_t i = 0; i < N; ++i) {
            PropertyInfo& info = t.type().properties.emplace_back();
            info.name = Name(fmt::format("p{}", i));
            info.type = &value_type<int>();
            info.index = static_cast<std::uint16_t>(i);
        }
    }
};

TEST(TypeBuilder, sixty_three_properties_are_possible_and_sixty_four_are_not) {
    // W-08
    EXPECT_EQ(problems<Many<63>>(), "");
    EXPECT_IN("64 properties", problems<Many<64>>());
}

struct Twice {
    int a = 0;
    static void describe(TypeBuilder<Twice>& t) {
        t.property("a", &Twice::a);
        t.property("a", &Twice::a).quantised(-1);
        t.property("", &Twice::a);
    }
};
struct Throws {
    Throws() { throw 1; }
    static void describe(TypeBuilder<Throws>&) {}
};

TEST(TypeBuilder, all_mistakes_of_a_description_are_told_together) {
    // W-08
    const std::string text = problems<Twice>();
    EXPECT_IN("two properties are called a", text);
    EXPECT_IN("negative step", text);
    EXPECT_IN("no name", text);
    EXPECT_IN("constructor throws", problems<Throws>());
}

struct Door : Component {
    using Described = Door;
    Property<int> angle = 0;
    int seen = 0;
    static void describe(TypeBuilder<Door>& t) {
        t.parent<Component>();
        t.property("angle", &Door::angle).notify(&Door::turned);
        t.remote<&Door::knock>("knock").to_owner().reliable().quota(5);
    }
    void turned(const int& old) { seen = old; }
    void knock(int, std::string) {}
};
struct Gate : Door {
    Property<int> width = 2;
    int noticed = 0;
    static void describe(TypeBuilder<Gate>& t) { t.property("width", &Gate::width).notify(&Gate::widened); }
    void widened() { ++noticed; }
};

TEST(TypeBuilder, children_have_the_properties_remote_functions_and_notifications_of_their_parents) {
    // W-08
    Runtime runtime;
    EXPECT_IN("register Door first", runtime.types().add<Gate>().status().text());
    ASSERT_TRUE(runtime.types().add<Door>());
    auto type = runtime.types().add<Gate>();
    ASSERT_TRUE(type) << type.status().to_string();
    EXPECT_EQ((*type)->parent, runtime.types().find<Door>());
    ASSERT_EQ((*type)->properties.size(), 2u);
    EXPECT_EQ((*type)->properties[1].index, 1u);
    ASSERT_EQ((*type)->remotes.size(), 1u);
    const RemoteInfo& knock = (*type)->remotes[0];
    EXPECT_EQ(knock.target, RemoteTarget::Owner);
    EXPECT_TRUE(knock.reliable);
    EXPECT_EQ(knock.quota, 5u);
    EXPECT_EQ(knock.parameters, (std::vector<const ValueType*>{&value_type<int>(), &value_type<std::string>()}));
    Gate gate;
    const int old = 9;
    (*type)->properties[0].notify(&gate, &old);
    (*type)->properties[1].notify(&gate, &old);
    EXPECT_EQ(gate.seen, 9);
    EXPECT_EQ(gate.noticed, 1);
}

struct Middle : Component {
    Property<int> a = 1;
    static void describe(TypeBuilder<Middle>& t) { t.property("a", &Middle::a); }
};
struct Below : Middle {  // Middle does not say `using Described`
    static void describe(TypeBuilder<Below>&) {}
};
struct Mixin {
    virtual ~Mixin() = default;
};
struct BelowMixed : Mixin, Middle {
    static void describe(TypeBuilder<BelowMixed>&) {}
};
struct Says : Middle {
    static void describe(TypeBuilder<Says>& t) { t.parent<Middle>(); }
};
struct Orphan : Component {
    using Described = Orphan;  // for its children, but who is its own parent?
    static void describe(TypeBuilder<Orphan>&) {}
};

TEST(TypeBuilder, a_forgotten_parent_is_found_and_the_line_to_write_is_told) {
    // W-08
    Runtime runtime;
    ASSERT_TRUE(runtime.types().add<Middle>());
    ASSERT_TRUE(runtime.types().add<Door>());
    for (const std::string& text :
         {runtime.types().add<Below>().status().text(), runtime.types().add<BelowMixed>().status().text()})
        EXPECT_TRUE(text.find("using Described = Middle; in Middle") != std::string::npos ||
                    text.find("Property<> member") != std::string::npos)
            << text;
    EXPECT_IN("t.parent<Component>()", runtime.types().add<Orphan>().status().text());
    EXPECT_TRUE(runtime.types().add<Says>());
}

TEST(TypeBuilder, a_parent_named_after_properties_is_refused) {
    // W-08
    struct Late : Door {
        Property<int> own = 0;
        static void describe(TypeBuilder<Late>& t) {
            t.property("own", &Late::own);
            t.parent<Component>();
        }
    };
    Runtime runtime;
    ASSERT_TRUE(runtime.types().add<Door>());
    EXPECT_IN("must come before", runtime.types().add<Late>().status().text());
}

}  // namespace type_builder_test
}  // namespace lyre
