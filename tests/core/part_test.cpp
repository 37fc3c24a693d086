#include "lyre/core/part.h"

#include <gtest/gtest.h>

#include "lyre/core/tags.h"
#include "lyre/core/type_registry.h"

#include "tests/allocations.h"

namespace lyre {
namespace part_test {

int living = 0;

struct Action {
    Action() { ++living; }
    virtual ~Action() { --living; }
    virtual std::string run() const = 0;
    static void describe(TypeBuilder<Action>& t) { t.abstract(); }
};
struct Say : Action {
    std::string words = "nothing";
    int times = 1;
    std::string run() const override { return fmt::format("{} x{}", words, times); }
    static void describe(TypeBuilder<Say>& t) {
        t.parent<Action>();
        t.property("words", &Say::words).required();
        t.property("times", &Say::times).range(1, 9);
    }
};
struct HTTPCall2 : Say {
    std::string run() const override { return "call"; }
    static void describe(TypeBuilder<HTTPCall2>& t) { t.parent<Say>(); }
};
struct Forgetful : Action {
    int kept = 0;
    double forgotten = 0;
    std::string run() const override { return ""; }
    static void describe(TypeBuilder<Forgetful>& t) {
        t.parent<Action>();
        t.property("kept", &Forgetful::kept);
    }
};

bool is_moody = false;
struct Moody : Action {
    std::string words = "a text that is too long to stand in the object itself";
    Moody() {
        if (is_moody) throw 1;
    }
    std::string run() const override { return words; }
    static void describe(TypeBuilder<Moody>& t) {
        t.parent<Action>();
        t.property("words", &Moody::words);
    }
};

struct Plan {
    std::vector<Part<Action>> actions{};
    static void describe(TypeBuilder<Plan>& t) { t.property("action", &Plan::actions); }
};

Node say(const char* kind, const char* words) {
    Node node = Node::table();
    node.set("kind", Node::text(kind));
    node.set("words", Node::text(words));
    return node;
}
Node plan_of(const Node& action) {
    Node plan = Node::table();
    plan.set("action", Node::list()).add(action);
    return plan;
}

struct Kinds : testing::Test {
    Kinds() { EXPECT_TRUE((types.add_all<Action, Say, HTTPCall2>().is_ok())); }
    TypeRegistry types;
};
using Parts = Kinds;

TEST(PartKind, is_the_name_of_the_type_in_small_letters) {
    // C-12
    EXPECT_EQ(kind_name("AddComponents"), "add_components");
    EXPECT_EQ(kind_name("Say"), "say");
    EXPECT_EQ(kind_name("HTTPCall2"), "http_call2");
    EXPECT_EQ(kind_name("Add_This"), "add_this");
    EXPECT_EQ(kind_name(""), "");
}

TEST_F(Parts, every_type_that_can_be_made_is_a_kind_of_each_class_above_it) {
    // C-12
    const PartKinds kinds(types);
    EXPECT_EQ(kinds.kinds(Name("Action")), (std::vector<std::string_view>{"http_call2", "say"}));
    EXPECT_EQ(kinds.kinds(Name("Say")), (std::vector<std::string_view>{"http_call2", "say"}));
    EXPECT_EQ(kinds.find(Name("Action"), "say"), types.find<Say>());
    EXPECT_EQ(kinds.find(Name("Action"), "action"), nullptr) << "it is abstract";
    EXPECT_EQ(kinds.find(Name("HTTPCall2"), "say"), nullptr);
}

TEST_F(Parts, content_chooses_the_type_and_copies_have_their_own_object) {
    // C-12
    const PartKinds kinds(types);
    const int before = living;
    {
        Plan plan;
        ReadOptions options;
        options.kinds = &kinds;
        const Node tree = plan_of(say("say", "hello"));
        const Reading reading = read_content(tree, value_type<Plan>(), &plan, options);
        ASSERT_TRUE(reading.problems.is_empty()) << reading.problems.to_text();
        ASSERT_EQ(plan.actions.size(), 1u);
        EXPECT_EQ(plan.actions[0]->run(), "hello x1");
        EXPECT_EQ(plan.actions[0].type(), types.find<Say>());
        EXPECT_EQ(value_type<Plan>().print(&plan), "{action = [{kind = say, words = hello, times = 1}]}");

        Plan copy = plan;
        EXPECT_TRUE(value_type<Plan>().equal(&plan, &copy));
        EXPECT_NE(copy.actions[0].get(), plan.actions[0].get());
        static_cast<Say*>(copy.actions[0].object())->times = 3;
        EXPECT_FALSE(value_type<Plan>().equal(&plan, &copy));
        EXPECT_EQ(copy.actions[0]->run(), "hello x3");
        EXPECT_EQ(plan.actions[0]->run(), "hello x1");
        Hasher one, other;
        value_type<Plan>().hash(&plan, one);
        value_type<Plan>().hash(&copy, other);
        EXPECT_NE(one.finish(), other.finish());
        copy.actions[0].make<HTTPCall2>(types).words = "x";
        EXPECT_EQ(copy.actions[0].kind(), "http_call2");
        EXPECT_EQ(copy.actions[0]->run(), "call");
    }
    EXPECT_EQ(living, before) << "each was destroyed once";
}

TEST_F(Parts, an_unknown_kind_is_kept_as_written_and_read_with_its_places_once_it_is_known) {
    // C-11
    TypeRegistry later;
    ASSERT_TRUE((later.add_all<Action>().is_ok()));
    PartKinds kinds(later);
    Node written = say("say", "hello");
    written.set("times", Node::integer(40)).place = {7, 9, 2};
    Plan plan;
    ReadOptions options;
    options.subject = "plan:one";
    options.kinds = &kinds;
    options.keep_unknown_kinds = true;
    EXPECT_TRUE(read_content(plan_of(written), value_type<Plan>(), &plan, options).problems.is_empty());
    Part<Action>& part = plan.actions.at(0);
    EXPECT_EQ(part.get(), nullptr);
    EXPECT_EQ(part.kind(), "say");
    EXPECT_EQ(part.written(), written);
    EXPECT_EQ(Part<Action>(part), part);

    EXPECT_TRUE(read_part(part, options).problems.is_empty()) << "it is still unknown";
    EXPECT_EQ(part.written(), written);
    ASSERT_TRUE((later.add_all<Say>().is_ok()));
    kinds = PartKinds(later);
    options.path = "action[0]";
    const Reading reading = read_part(part, options);
    ASSERT_EQ(reading.problems.count(), 1u);
    EXPECT_EQ(reading.problems.all()[0].text,
              "\"times\" of action[0] in plan:one takes a whole number from 1 to 9, not 40");
    EXPECT_EQ(reading.problems.all()[0].place, (SourcePlace{7, 9, 2}));
    EXPECT_EQ(part->run(), "hello x1");
    EXPECT_TRUE(part.written().is_none());
    part.clear();  // before the registry that knows its type
}

struct KeptPlan {
    std::vector<Part<Action>> actions{};
    static void describe(TypeBuilder<KeptPlan>& t) { t.property("action", &KeptPlan::actions).as_written(); }
};

TEST_F(Parts, a_property_that_keeps_parts_as_written_keeps_known_kinds_too_and_takes_empty_ones) {
    // E-05, E-120
    const PartKinds kinds(types);
    const Node written = say("say", "hello");
    Node list = Node::list(), tree = Node::table();
    list.add(written);
    list.add(Node::table());
    tree.set("action", list);
    KeptPlan plan;
    ReadOptions options;
    options.kinds = &kinds;
    const Reading reading = read_content(tree, value_type<KeptPlan>(), &plan, options);
    EXPECT_TRUE(reading.problems.is_empty()) << reading.problems.to_text();
    ASSERT_EQ(plan.actions.size(), 2u);
    EXPECT_EQ(plan.actions[0].get(), nullptr);
    EXPECT_EQ(plan.actions[0].kind(), "say");
    EXPECT_EQ(plan.actions[0].written(), written);
    EXPECT_TRUE(plan.actions[1].is_none());
    EXPECT_TRUE(read_part(plan.actions[0], options).problems.is_empty());
    EXPECT_EQ(plan.actions[0]->run(), "hello x1");
}

TEST_F(Parts, one_whose_constructor_throws_leaves_no_memory_behind) {
    // C-12, W-03
    ASSERT_TRUE(types.add<Moody>());
    Part<Action> part;
    for (int i = 0; i < 2; ++i) {
        is_moody = true;
        const std::size_t before = live_allocations();
        EXPECT_THROW(part.make<Moody>(types), int);
        EXPECT_EQ(live_allocations(), before);
        EXPECT_TRUE(part.is_none());
        is_moody = false;
    }
    part.make<Moody>(types).words = "kept";
    is_moody = true;
    const std::size_t before = live_allocations();
    EXPECT_THROW(Part<Action>{part}, int);
    EXPECT_EQ(live_allocations(), before);
    is_moody = false;
}

TEST_F(Parts, a_member_that_a_class_with_virtual_functions_forgot_is_still_found) {
    // W-05
    const Status status = types.add_all<Forgetful>();
    EXPECT_NE(status.text().find("belong to no property"), std::string::npos) << status.text();
}

struct Plain {
    int a = 0;
    static void describe(TypeBuilder<Plain>& t) { t.property("a", &Plain::a); }
};
struct Shifted : Plain {
    virtual ~Shifted() = default;
    static void describe(TypeBuilder<Shifted>& t) { t.parent<Plain>(); }
};

TEST(PartDeathTest, a_base_that_is_not_first_in_its_type_is_refused_with_advice) {
    // C-12
    TypeRegistry types;
    ASSERT_TRUE((types.add_all<Plain, Shifted>().is_ok()));
    Part<Plain> part;
    EXPECT_DEATH(part.make<Shifted>(types), "virtual destructor");
}

}  // namespace part_test
}  // namespace lyre
