#include "lyre/features/named_code.h"

#include "tests/features/small_house.h"

namespace lyre::features {
namespace named_code_test {

const Owner kTag = Owner::feature(Name("tag"), 1);
const Owner kBots = Owner::feature(Name("bots"), 2);

RunFunction answers(std::string text) {
    return [text = std::move(text)](ActivatingContext&, const Node&) { return Status::failed("{}", text); };
}
framework::ExtensionHandler nothing() {
    return [](Actor&, Name, const framework::EventPayload&) {};
}
std::string call(const NamedCode::FunctionUse& use) {
    return (*use)(unread_context(), Node()).text();
}

Status add(NamedCode& code, const Owner& owner, std::string_view name, RunFunction function) {
    const OwnerScope as(owner);
    return code.add_function(Name(name), std::move(function), fmt::format("{}.cpp:1", owner.name));
}
Result<NamedCode::FunctionUse> use(NamedCode& code, const Owner& owner, std::string_view name) {
    const OwnerScope as(owner);
    return code.use_function(Name(name), "action 2 (run)");
}

TEST(NamedCode, a_name_is_one_owner_s_and_the_second_is_refused_with_both_places) {
    NamedCode code;
    ASSERT_TRUE(add(code, kTag, "tag.deal", answers("first")));
    EXPECT_EQ(
        add(code, kBots, "tag.deal", answers("second")).to_string(),
        "already exists: the function \"tag.deal\" is feature tag's already (tag.cpp:1), and was registered again "
        "(bots.cpp:1)");
    EXPECT_EQ(call(*use(code, kBots, "tag.deal")), "first");
    EXPECT_TRUE(code.add_handler(Name("tag.deal"), nothing(), "x:1")) << "handlers have names of their own";
    EXPECT_EQ(add(code, kTag, "", answers("")).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(add(code, kTag, "tag.empty", {}).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(code.list().size(), 2u);
}

TEST(NamedCode, an_unknown_name_gets_the_nearest) {
    NamedCode code;
    ASSERT_TRUE(add(code, kTag, "tag.deal", answers("")));
    EXPECT_EQ(use(code, kBots, "tag.dael").status().text(), "no function \"tag.dael\"; did you mean \"tag.deal\"?");
    EXPECT_EQ(code.use_handler(Name("tag.deal"), "x").status().text(), "no handler \"tag.deal\"");
    EXPECT_EQ(code.has(CodeKind::Function, Name("tag.dea")).text(),
              "no function \"tag.dea\"; did you mean \"tag.deal\"?");
    EXPECT_TRUE(code.has(CodeKind::Function, Name("tag.deal")));
    EXPECT_EQ(code.remove(CodeKind::Handler, Name("tag.deal")).code(), StatusCode::NotFound);
}

TEST(NamedCode, what_others_use_is_not_taken_away_and_they_are_named) {
    // F-76
    NamedCode code;
    ASSERT_TRUE(add(code, kTag, "tag.deal", answers("dealt")));
    ASSERT_TRUE(add(code, kTag, "tag.other", answers("")));
    auto first = use(code, kBots, "tag.deal"), second = use(code, Owner::process(), "tag.deal");
    ASSERT_TRUE(first && second);
    const std::string refusal =
        "the function \"tag.deal\" is used by action 2 (run) (feature bots), action 2 (run) (process)";
    EXPECT_EQ(code.remove(CodeKind::Function, Name("tag.deal")).text(), refusal);
    EXPECT_EQ(code.list(kTag).size(), 2u);
    EXPECT_EQ(code.list(kTag)[0].users.size(), 2u);
    *first = {};
    EXPECT_FALSE(code.remove(CodeKind::Function, Name("tag.deal")));
    *second = {};
    for (const char* name : {"tag.deal", "tag.other"}) EXPECT_TRUE(code.remove(CodeKind::Function, Name(name)));
    EXPECT_TRUE(code.list().empty());
}

TEST(NamedCode, a_refusal_names_so_many_users_and_counts_the_rest) {
    // F-76
    NamedCode code;
    ASSERT_TRUE(add(code, kTag, "tag.deal", answers("")));
    std::vector<Result<NamedCode::FunctionUse>> uses;
    for (std::size_t i = 0; i < NamedCode::kMaxListed + 5; ++i) uses.push_back(use(code, kBots, "tag.deal"));
    const std::string text = code.remove(CodeKind::Function, Name("tag.deal")).text();
    EXPECT_NE(text.find(" and 5 more"), std::string::npos) << text;
}

TEST(NamedCode, uses_of_the_owner_itself_do_not_hold_the_name_and_keep_the_code) {
    NamedCode code;
    ASSERT_TRUE(add(code, kTag, "tag.deal", answers("dealt")));
    auto own = use(code, kTag, "tag.deal");
    ASSERT_TRUE(own);
    EXPECT_TRUE(code.remove(CodeKind::Function, Name("tag.deal")));
    EXPECT_EQ(call(*own), "dealt");
    EXPECT_EQ(own->info().place, "tag.cpp:1");
    ASSERT_TRUE(add(code, kTag, "tag.deal", answers("anew"))) << "the name is free";
    EXPECT_EQ(call(*own), "dealt");
    EXPECT_EQ(call(*use(code, kTag, "tag.deal")), "anew");
}

TEST(NamedCode, code_may_take_away_its_own_name_while_it_runs) {
    NamedCode code;
    auto alive = std::make_shared<int>(7);
    const std::weak_ptr<int> watch = alive;
    ASSERT_TRUE(add(code, kTag, "tag.once", [&code, alive = std::move(alive)](ActivatingContext&, const Node&) {
        EXPECT_TRUE(code.remove(CodeKind::Function, Name("tag.once")));
        return Status::failed("{}", *alive);
    }));
    {
        const auto own = use(code, kTag, "tag.once");
        EXPECT_EQ(call(*own), "7");
        EXPECT_FALSE(watch.expired());
    }
    EXPECT_TRUE(watch.expired());
}

TEST(NamedCode, a_use_outlives_the_table) {
    NamedCode::FunctionUse left;
    EXPECT_FALSE(left);
    {
        NamedCode code;
        ASSERT_TRUE(add(code, kTag, "tag.deal", answers("dealt")));
        left = *use(code, kBots, "tag.deal");
    }
    EXPECT_TRUE(left);
    EXPECT_EQ(call(left), "dealt");
}

TEST(NamedCode, lists_are_in_order_of_kind_and_name_and_uses_that_are_over_are_not_in_them) {
    // F-72
    NamedCode code;
    ASSERT_TRUE(add(code, kTag, "b", answers("")));
    ASSERT_TRUE(add(code, kBots, "a", answers("")));
    ASSERT_TRUE(code.add_handler(Name("c"), nothing(), "x.cpp:3"));
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(use(code, kBots, "b"));
    std::string text;
    for (const NamedCodeInfo& info : code.list()) {
        text += fmt::format("{} {} {} {}\n", to_string(info.kind), info.name, info.owner.to_string(), info.place);
        EXPECT_TRUE(info.users.empty());
    }
    EXPECT_EQ(text,
              "handler c process x.cpp:3\nfunction a feature bots bots.cpp:1\nfunction b feature tag tag.cpp:1\n");
    EXPECT_EQ(code.list(kBots).size(), 1u);
}

}  // namespace named_code_test
}  // namespace lyre::features
