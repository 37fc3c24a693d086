#include "lyre/core/tags.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/allocations.h"

namespace lyre {
namespace tags_test {

const Owner kFire = Owner::feature(Name("fire"), 1);
const Owner kMage = Owner::feature(Name("mage"), 2);

// A table in which a tag exists as soon as a test mentions it.
struct Tags {
    TagTable table;
    GameplayTag operator()(std::string_view text) {
        EXPECT_TRUE(table.declare(text).is_ok()) << text;
        return table.find(text).value();
    }
};

std::string edges(const TagChange& change) {
    std::string text = change.is_refused() ? "refused" : "";
    for (GameplayTag tag : change) text += fmt::format("{}{}", text.empty() ? "" : " ", tag);
    return text;
}

TEST(GameplayTag, a_tag_matches_itself_and_its_parents_and_nothing_else) {
    // W-02
    Tags tags;
    const GameplayTag abc = tags("A.B.C"), ab = tags("A.B"), a = tags("A"), abd = tags("A.B.D"), abcd = tags("A.BC.D");
    EXPECT_TRUE(abc.matches(abc));
    EXPECT_TRUE(abc.matches(ab));
    EXPECT_TRUE(abc.matches(a));
    EXPECT_FALSE(abc.matches(abd));
    EXPECT_FALSE(ab.matches(abc));
    EXPECT_FALSE(abcd.matches(ab));  // shares letters, not parts
    EXPECT_TRUE(abc.matches_exact(abc));
    EXPECT_FALSE(abc.matches_exact(ab));
    EXPECT_EQ(abc.parent(), ab);
    EXPECT_EQ(ab.parent(), a);
    EXPECT_TRUE(a.parent().is_none());
    EXPECT_EQ(sizeof(GameplayTag), 4u);
    EXPECT_EQ(fmt::format("{}", abc), "A.B.C");
}

TEST(GameplayTag, none_matches_nothing_and_nothing_matches_none) {
    // W-02
    Tags tags;
    const GameplayTag none, a = tags("A");
    EXPECT_TRUE(none.is_none());
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.matches(none));
    EXPECT_FALSE(none.matches_exact(none));
    EXPECT_FALSE(a.matches(none));
    EXPECT_FALSE(none.matches(a));
    EXPECT_TRUE(none.parent().is_none());
}

TEST(TagTable, parents_exist_while_something_below_them_does) {
    // W-02, W-03
    TagTable table;
    ASSERT_TRUE(table.declare("tagtest.Parents.X.Y"));
    EXPECT_EQ(table.count(), 4u);
    EXPECT_TRUE(table.find("tagtest.Parents"));
    ASSERT_TRUE(table.declare("tagtest.Parents"));
    ASSERT_TRUE(table.undeclare("tagtest.Parents.X.Y"));
    EXPECT_FALSE(table.find("tagtest.Parents.X"));
    EXPECT_TRUE(table.find("tagtest.Parents"));
    ASSERT_TRUE(table.undeclare("tagtest.Parents"));
    EXPECT_EQ(table.count(), 0u);
}

TEST(TagTable, tables_do_not_know_each_others_tags) {
    // W-02
    TagTable one, other;
    ASSERT_TRUE(one.declare("Status.Burning"));
    EXPECT_TRUE(one.find("Status.Burning"));
    EXPECT_FALSE(other.find("Status.Burning"));
    EXPECT_FALSE(other.is_known(*one.find("Status.Burning")));
    EXPECT_FALSE(one.is_known(GameplayTag()));
}

TEST(TagTable, an_unknown_tag_is_an_error_with_a_suggestion) {
    // W-03
    TagTable table;
    ASSERT_TRUE(table.declare("Status.Burning"));
    ASSERT_TRUE(table.declare("Status.Dead"));
    const std::uint32_t names = Name::count();
    EXPECT_EQ(table.find("Status.Burnign").status().to_string(),
              "not found: no tag \"Status.Burnign\"; did you mean \"Status.Burning\"?");
    EXPECT_EQ(table.find("statu").status().to_string(), "not found: no tag \"statu\"; did you mean \"Status\"?");
    EXPECT_EQ(table.find("Elephant").status().to_string(), "not found: no tag \"Elephant\"");
    EXPECT_EQ(Name::count(), names);  // text from outside is not kept
}

TEST(TagTable, a_malformed_tag_is_refused_and_the_text_says_what_is_wrong) {
    // W-03
    TagTable table;
    const auto wrong = [&](std::string_view text) {
        const Status declared = table.declare(text);
        EXPECT_EQ(declared.code(), StatusCode::InvalidArgument);
        EXPECT_EQ(table.find(text).status().to_string(), declared.to_string());
        return declared.text();
    };
    EXPECT_EQ(wrong(""), "a tag must not be empty");
    EXPECT_EQ(wrong("A..B"), "tag \"A..B\" has an empty part at column 3; parts are joined by one '.'");
    EXPECT_EQ(wrong(".A"), "tag \".A\" has an empty part at column 1; parts are joined by one '.'");
    EXPECT_EQ(wrong("A."), "tag \"A.\" has an empty part at column 3; parts are joined by one '.'");
    EXPECT_EQ(wrong("A.B!"), "tag \"A.B!\" has \"!\" at column 4; parts are made of letters, digits and '_'");
    EXPECT_EQ(wrong("A B"), "tag \"A B\" has \" \" at column 2; parts are made of letters, digits and '_'");
    EXPECT_EQ(wrong(std::string("A\0B", 3)),
              "tag \"A\uFFFDB\" has \"\uFFFD\" at column 2; parts are made of letters, digits and '_'");
    EXPECT_EQ(wrong(std::string(256, 'a')),
              "tag \"" + std::string(64, 'a') + "...\" is 256 bytes long; 255 are allowed");
    EXPECT_EQ(wrong("1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.g.h"),
              "tag \"1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.g.h\" has 17 parts; 16 are allowed");
    EXPECT_EQ(table.count(), 0u);
    EXPECT_TRUE(table.declare("1.2.3.4.5.6.7.8.9.a.b.c.d.e.f._g"));
    EXPECT_TRUE(table.declare(std::string(255, 'a')));
}

TEST(TagTable, the_number_of_tags_is_bounded_and_a_refused_one_leaves_nothing) {
    // W-03
    TagTable table;
    for (std::size_t i = 1; i < TagTable::kMaxTags; ++i) ASSERT_TRUE(table.declare(fmt::format("Many.T{}", i)));
    EXPECT_EQ(table.count(), TagTable::kMaxTags);
    EXPECT_TRUE(table.declare("Many.T1"));
    EXPECT_TRUE(table.undeclare("Many.T2"));
    const Status status = table.declare("More.Than");  // one place, two tags
    EXPECT_EQ(status.code(), StatusCode::Capacity);
    EXPECT_NE(status.text().find("\"More.Than\""), std::string::npos) << status.text();
    EXPECT_EQ(table.count(), TagTable::kMaxTags - 1);
    EXPECT_TRUE(table.declare("More"));
}

TEST(TagTable, a_tag_goes_when_the_last_who_declared_it_takes_it_back) {
    // W-03, W-33
    TagTable table;
    {
        OwnerScope as(kFire);
        ASSERT_TRUE(table.declare("Status.Burning"));
        ASSERT_TRUE(table.declare("Status.Burning"));
        ASSERT_TRUE(table.declare("Damage.Fire"));
    }
    OwnerScope as(kMage);
    ASSERT_TRUE(table.declare("Status.Burning"));
    const GameplayTag burning = *table.find("Status.Burning");
    EXPECT_EQ(table.declarers(burning), (std::vector{kFire, kMage}));
    EXPECT_TRUE(table.declarers(*table.find("Status")).empty());
    EXPECT_EQ(table.declared_by(kFire), (std::vector{*table.find("Damage.Fire"), burning}));

    EXPECT_EQ(table.undeclare("Damage.Fire").to_string(),
              "not found: tag \"Damage.Fire\" is not declared by feature mage");
    ASSERT_TRUE(table.undeclare_all(kFire));
    EXPECT_FALSE(table.find("Damage"));
    EXPECT_TRUE(table.is_known(burning));
    ASSERT_TRUE(table.undeclare("Status.Burning"));
    EXPECT_FALSE(table.is_known(burning));
    EXPECT_TRUE(table.undeclare_all(kMage).is_ok());  // nothing left to take back
    EXPECT_EQ(table.count(), 0u);
}

TEST(TagTable, a_tag_used_by_another_owner_cannot_be_taken_back_and_the_user_is_named) {
    // W-03, W-33
    TagTable table;
    OwnerScope as(kFire);
    ASSERT_TRUE(table.declare("Status.Burning"));
    ASSERT_TRUE(table.declare("Damage.Fire"));
    const TagUse own = table.use(*table.find("Damage.Fire"), "effect Burn");
    std::optional<TagUse> scorch, immune;
    {
        OwnerScope as_mage(kMage);
        scorch = table.use(*table.find("Status.Burning"), "ability Scorch");
        immune = table.use(*table.find("Status"), "query in shield.toml");  // the parent would go with it
    }
    EXPECT_EQ(table.users(*table.find("Status.Burning")), (std::vector<std::string>{"ability Scorch (feature mage)"}));
    const std::string refusal =
        "refused: feature fire cannot take its tags back: \"Status\" is used by query in shield.toml (feature mage), "
        "\"Status.Burning\" is used by ability Scorch (feature mage)";
    EXPECT_EQ(table.undeclare("Status.Burning").to_string(), refusal);
    EXPECT_EQ(table.undeclare_all(kFire).to_string(), refusal);
    EXPECT_EQ(table.tags().size(), 4u);  // all or nothing
    EXPECT_EQ(table.declared_by(kFire).size(), 2u);

    scorch.reset();
    EXPECT_EQ(table.undeclare_all(kFire).text(),
              "feature fire cannot take its tags back: \"Status\" is used by query in shield.toml (feature mage)");
    immune.reset();
    ASSERT_TRUE(table.undeclare_all(kFire));
    EXPECT_EQ(table.count(), 0u);
}

TEST(TagTable, a_used_tag_may_be_taken_back_while_another_owner_still_declares_it) {
    // W-03
    TagTable table;
    {
        OwnerScope as(kMage);
        ASSERT_TRUE(table.declare("Status.Burning"));
    }
    OwnerScope as(kFire);
    ASSERT_TRUE(table.declare("Status.Burning"));
    const TagUse use = table.use(*table.find("Status.Burning"), "effect Burn");
    EXPECT_TRUE(table.undeclare("Status.Burning"));
    EXPECT_EQ(table.undeclare_all(kMage).code(), StatusCode::Refused);
}

TEST(TagTable, a_refusal_names_a_bounded_number_of_users) {
    // W-03
    TagTable table;
    std::vector<TagUse> uses;
    ASSERT_TRUE(table.declare("Status"));
    {
        OwnerScope as(kMage);
        for (int i = 0; i < 20; ++i) uses.push_back(table.use(*table.find("Status"), fmt::format("ability {}", i)));
    }
    const std::string text = table.undeclare("Status").text();
    EXPECT_NE(text.find("ability 7 (feature mage) and 12 more"), std::string::npos) << text;
    EXPECT_EQ(text.find("ability 8"), std::string::npos);
}

TEST(TagTable, a_use_that_is_over_leaves_nothing_behind_and_may_outlive_the_table) {
    // W-03
    TagUse left;
    {
        TagTable table;
        ASSERT_TRUE(table.declare("Status"));
        const GameplayTag status = *table.find("Status");
        for (int i = 0; i < 1000; ++i) {
            const TagUse use = table.use(status, "passing");
            TagUse moved = table.use(status, "moved");
            left = std::move(moved);
        }
        EXPECT_EQ(table.users(status), (std::vector<std::string>{"moved (process)"}));
    }
}

TEST(TagContainer, it_answers_for_a_tag_and_all_above_it) {
    // W-04
    Tags tags;
    const TagContainer set = {tags("A.B.C"), tags("D"), tags("A.BC")};
    EXPECT_TRUE(set.has(tags("A.B.C")));
    EXPECT_TRUE(set.has(tags("A.B")));
    EXPECT_TRUE(set.has(tags("A")));
    EXPECT_FALSE(set.has(tags("A.B.C.D")));
    EXPECT_FALSE(set.has(tags("D.E")));
    EXPECT_FALSE(set.has(GameplayTag()));
    EXPECT_TRUE(set.has_exact(tags("A.B.C")));
    EXPECT_FALSE(set.has_exact(tags("A.B")));
    EXPECT_FALSE(set.has_exact(GameplayTag()));
    EXPECT_EQ(set.first_match(tags("A")), tags("A.B.C"));
    EXPECT_EQ(set.to_string(), "A.B.C, A.BC, D");
}

TEST(TagContainer, any_and_all_follow_has) {
    // W-04
    Tags tags;
    const TagContainer set = {tags("A.B"), tags("C")};
    const TagContainer nothing;
    EXPECT_TRUE(set.has_any({tags("X"), tags("A")}));
    EXPECT_FALSE(set.has_any_exact({tags("X"), tags("A")}));
    EXPECT_TRUE(set.has_any_exact({tags("X"), tags("A.B")}));
    EXPECT_FALSE(set.has_any({tags("X"), tags("A.B.C")}));
    EXPECT_TRUE(set.has_all({tags("A"), tags("C")}));
    EXPECT_FALSE(set.has_all({tags("A"), tags("C"), tags("X")}));
    EXPECT_FALSE(set.has_all_exact({tags("A"), tags("C")}));
    EXPECT_TRUE(set.has_all_exact({tags("A.B"), tags("C")}));
    EXPECT_FALSE(set.has_any(nothing));
    EXPECT_TRUE(set.has_all(nothing));
    EXPECT_FALSE(nothing.has_any(set));
}

TEST(TagContainer, it_is_a_set_whatever_the_order_of_adding) {
    // W-04
    Tags tags;
    TagContainer set;
    EXPECT_TRUE(set.is_empty());
    EXPECT_TRUE(set.add(tags("B")));
    EXPECT_TRUE(set.add(tags("A")));
    EXPECT_TRUE(set.add(tags("B")));
    EXPECT_FALSE(set.add(GameplayTag()));
    EXPECT_EQ(set.count(), 2u);
    EXPECT_EQ(set, (TagContainer{tags("A"), tags("B")}));
    EXPECT_NE(set, (TagContainer{tags("A")}));
    EXPECT_TRUE(set.remove(tags("A")));
    EXPECT_FALSE(set.remove(tags("A")));
    EXPECT_FALSE(set.remove(GameplayTag()));
    EXPECT_EQ(set.to_string(), "B");
    set.add(tags("C.D"));
    const TagContainer moved = std::move(set);
    EXPECT_EQ(moved.to_string(), "B, C.D");
    set.clear();
    EXPECT_EQ(set.to_string(), "");
    EXPECT_FALSE(set.has(tags("C")));
}

TEST(TagContainer, it_takes_a_bounded_number_of_tags) {
    // W-04
    Tags tags;
    TagContainer set;
    for (std::size_t i = 2; i < TagContainer::kMaxTags; ++i) ASSERT_TRUE(set.add(tags(fmt::format("Full.T{}", i))));
    EXPECT_FALSE(set.add(tags("New.Parent")));  // one place, two tags
    EXPECT_FALSE(set.has(tags("New")));
    EXPECT_TRUE(set.add(tags("Full.Last")));
    EXPECT_FALSE(set.add(tags("Full.More")));
    EXPECT_TRUE(set.add(tags("Full.T2")));
    EXPECT_TRUE(set.add(tags("Full")));  // has its place already
    EXPECT_EQ(set.count(), TagContainer::kMaxTags);
}

TEST(TagContainer, asking_does_not_allocate) {
    // W-04
    Tags tags;
    TagContainer set, others;
    for (int i = 0; i < 16; ++i) set.add(tags(fmt::format("Alloc.Group{}.T{}", i % 4, i)));
    others.add(tags("Alloc.Group1"));
    others.add(tags("Alloc.Group9"));
    const GameplayTag group = tags("Alloc.Group2"), absent = tags("Alloc.Absent");
    const std::size_t before = allocations();
    EXPECT_TRUE(set.has(group));
    EXPECT_FALSE(set.has(absent));
    EXPECT_FALSE(set.has_exact(group));
    EXPECT_TRUE(set.has_any(others));
    EXPECT_FALSE(set.has_all(others));
    EXPECT_FALSE(set.has_any_exact(others));
    EXPECT_FALSE(set.has_all_exact(others));
    EXPECT_EQ(group.parent(), absent.parent());
    const TagContainer few = {group, absent};  // few tags fit without
    EXPECT_EQ(few.count(), 2u);
    EXPECT_EQ(allocations(), before);
}

TEST(TagContainer, random_sets_answer_like_a_plain_search) {
    // W-02, W-04
    Tags tags;
    std::vector<GameplayTag> all;
    for (const char* a : {"A", "AB", "A_"})
        for (const char* b : {"", ".A", ".AB", ".0"})
            for (const char* c : {"", ".A", ".B"}) all.push_back(tags(fmt::format("{}{}{}", a, b, c)));
    std::mt19937 random(3);
    TagContainer set;
    std::set<GameplayTag> plain;
    for (int round = 0; round < 3000; ++round) {
        const GameplayTag changed = all[random() % all.size()];
        if (plain.size() < random() % 20) {
            EXPECT_TRUE(set.add(changed));
            plain.insert(changed);
        } else {
            ASSERT_EQ(set.remove(changed), plain.erase(changed) == 1);
        }
        ASSERT_TRUE(std::equal(set.begin(), set.end(), plain.begin(), plain.end())) << set.to_string();
        for (GameplayTag tag : all) {
            const std::string prefix = fmt::format("{}.", tag);
            GameplayTag first;
            for (GameplayTag other : plain)
                if (first.is_none() && (other == tag || other.text().starts_with(prefix))) first = other;
            ASSERT_EQ(set.has_exact(tag), plain.contains(tag)) << tag.text() << " in " << set.to_string();
            ASSERT_EQ(set.has(tag), !first.is_none()) << tag.text() << " in " << set.to_string();
            ASSERT_EQ(set.first_match(tag), first) << tag.text() << " in " << set.to_string();
        }
    }
}

TEST(TagCounts, only_the_first_and_the_last_are_told) {
    // W-04, W-32
    Tags tags;
    const GameplayTag burning = tags("Status.Burning");
    TagCounts counts;
    EXPECT_EQ(edges(counts.add(burning)), "Status.Burning Status");
    EXPECT_EQ(edges(counts.add(burning, 2)), "");
    EXPECT_EQ(counts.count_exact(burning), 3u);
    EXPECT_EQ(edges(counts.remove(burning)), "");
    EXPECT_TRUE(counts.has(burning));
    EXPECT_EQ(edges(counts.remove(burning, 2)), "Status.Burning Status");
    EXPECT_FALSE(counts.has(burning));
    EXPECT_TRUE(counts.is_empty());
}

TEST(TagCounts, a_parent_is_told_when_the_sum_below_it_begins_or_ends) {
    // W-04, W-32
    Tags tags;
    TagCounts counts;
    EXPECT_EQ(edges(counts.add(tags("A.B.C"))), "A.B.C A.B A");
    EXPECT_EQ(edges(counts.add(tags("A.B.D"))), "A.B.D");
    EXPECT_EQ(edges(counts.add(tags("A.B"))), "");  // was there through those below
    EXPECT_EQ(edges(counts.add(tags("A.BB"))), "A.BB");
    EXPECT_EQ(edges(counts.add(tags("AA"))), "AA");
    EXPECT_EQ(counts.count(tags("A.B")), 3u);
    EXPECT_EQ(counts.count_exact(tags("A.B")), 1u);
    EXPECT_EQ(counts.count(tags("A")), 4u);
    EXPECT_EQ(counts.count_exact(tags("A")), 0u);
    EXPECT_EQ(edges(counts.remove(tags("A.B.C"))), "A.B.C");
    EXPECT_EQ(edges(counts.remove(tags("A.B.D"))), "A.B.D");
    EXPECT_EQ(edges(counts.remove(tags("A.B"))), "A.B");
    EXPECT_EQ(edges(counts.remove(tags("A.BB"))), "A.BB A");
    EXPECT_EQ(edges(counts.remove(tags("AA"))), "AA");
}

TEST(TagCounts, taking_more_than_is_there_is_refused_and_changes_nothing) {
    // W-04
    Tags tags;
    TagCounts counts;
    const auto a = tags("A"), ab = tags("A.B");
    EXPECT_TRUE(counts.remove(a).is_refused());
    EXPECT_FALSE(counts.add(ab).is_refused());
    EXPECT_TRUE(counts.remove(a).is_refused());  // there only through A.B
    EXPECT_TRUE(counts.remove(ab, 2).is_refused());
    EXPECT_TRUE(counts.remove(ab, 0).is_refused());
    EXPECT_TRUE(counts.add(ab, 0).is_refused());
    EXPECT_TRUE(counts.add(GameplayTag()).is_refused());
    EXPECT_TRUE(counts.remove(GameplayTag()).is_refused());
    EXPECT_TRUE(counts.add(ab, TagCounts::kMaxCount).is_refused());
    EXPECT_FALSE(counts.add(ab, TagCounts::kMaxCount - 1).is_refused());
    EXPECT_TRUE(counts.add(ab, 0xFFFFFFFFu).is_refused());
    EXPECT_EQ(counts.count(a), TagCounts::kMaxCount);
    for (std::size_t i = 3; i < TagCounts::kMaxTags; ++i)  // beside A, A.B and Full
        ASSERT_FALSE(counts.add(tags(fmt::format("Full.T{}", i)), TagCounts::kMaxCount).is_refused());
    EXPECT_TRUE(counts.add(tags("Full.Last")).is_refused());
    EXPECT_EQ(counts.count(tags("Full")), (TagCounts::kMaxTags - 3) * TagCounts::kMaxCount);
    EXPECT_EQ(edges(counts.add(a)), "");  // has its place already
}

TEST(TagCounts, without_tags_it_is_small_and_owns_no_memory) {
    // W-04, W-32
    Tags tags;
    const GameplayTag burning = tags("Status.Burning");
    const std::size_t before = allocations();
    TagCounts counts;
    EXPECT_LE(sizeof counts, 32u);
    EXPECT_EQ(counts.count(burning), 0u);
    EXPECT_TRUE(counts.remove(burning).is_refused());
    EXPECT_EQ(allocations(), before);
    for (GameplayTag tag : counts.add(burning)) EXPECT_TRUE(counts.has(tag));
    EXPECT_EQ(allocations(), before + 1);  // the storage
    counts.add(burning);
    counts.remove(burning);
    for (GameplayTag tag : counts.remove(burning)) EXPECT_FALSE(counts.has(tag));
    EXPECT_EQ(allocations(), before + 1);
    EXPECT_EQ(counts.begin(), nullptr);
}

TEST(TagCounts, what_has_changed_can_be_told_while_the_counts_change_or_go) {
    // W-04, W-32
    Tags tags;
    auto counts = std::make_unique<TagCounts>();
    std::string told;
    for (GameplayTag tag : counts->add(tags("A.B.C"))) {
        told += fmt::format("{} ", tag);
        if (counts) counts->remove(tags("A.B.C"));
        counts.reset();
    }
    EXPECT_EQ(told, "A.B.C A.B A ");
}

TEST(TagCounts, random_changes_agree_with_counting_every_tag_and_parent_by_hand) {
    // W-04, W-32
    Tags tags;
    std::vector<GameplayTag> all;
    for (const char* a : {"A", "AB", "B"})
        for (const char* b : {"", ".A", ".AB"})
            for (const char* c : {"", ".A", ".B"}) all.push_back(tags(fmt::format("{}{}{}", a, b, c)));
    TagCounts counts;
    std::map<GameplayTag, std::uint32_t> exact, total;
    std::mt19937 random(5);
    for (int step = 0; step < 20000; ++step) {
        const GameplayTag tag = all[random() % all.size()];
        const std::uint32_t times = 1 + random() % 2;
        const bool adding = random() % 2 == 0;
        std::string expected;
        if (!adding && exact[tag] < times) {
            expected = "refused";
        } else {
            exact[tag] += adding ? times : -times;
            for (GameplayTag up = tag; up; up = up.parent()) {
                const std::uint32_t before = std::exchange(total[up], total[up] + (adding ? times : -times));
                if (before == 0 || total[up] == 0) expected += fmt::format("{}{}", expected.empty() ? "" : " ", up);
            }
        }
        ASSERT_EQ(edges(adding ? counts.add(tag, times) : counts.remove(tag, times)), expected);
        ASSERT_EQ(counts.has(tag), total[tag] > 0);
        ASSERT_EQ(counts.first_match(tag).matches(tag), total[tag] > 0);
    }
    for (GameplayTag tag : all) {
        EXPECT_EQ(counts.count_exact(tag), exact[tag]);
        EXPECT_EQ(counts.count(tag), total[tag]);
    }
}

}  // namespace tags_test
}  // namespace lyre
