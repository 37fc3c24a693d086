#include "lyre/core/suggest.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace lyre {
namespace suggest_test {

const std::vector<std::string> kKnown = {"net.rate", "net.loss", "world.gravity", "Status.Burning", "Status.Burnt"};

TEST(Suggest, one_slip_of_any_kind_is_forgiven) {
    // W-03, W-11
    EXPECT_EQ(nearest("net.rat", kKnown), "net.rate");               // left out
    EXPECT_EQ(nearest("net.ratee", kKnown), "net.rate");             // too much
    EXPECT_EQ(nearest("net.rote", kKnown), "net.rate");              // another
    EXPECT_EQ(nearest("net.raet", kKnown), "net.rate");              // swapped
    EXPECT_EQ(nearest("STATUS.BURNING", kKnown), "Status.Burning");  // case
    EXPECT_EQ(nearest("net.loss", kKnown), "net.loss");
}

TEST(Suggest, what_is_not_near_gets_no_suggestion) {
    // W-03, W-11
    EXPECT_EQ(nearest("elephant", kKnown), "");
    EXPECT_EQ(nearest("", kKnown), "");
    EXPECT_EQ(nearest("x", std::vector<std::string>{"y", ""}), "");  // nothing in common
    EXPECT_EQ(nearest("net.rate", std::vector<std::string>()), "");
    EXPECT_EQ(nearest("world.levitate", kKnown), "");  // more than four edits
    EXPECT_EQ(nearest("ab", std::vector<std::string>{"ba"}), "ba");
    EXPECT_EQ(nearest(std::string(5000, 'a'), std::vector<std::string>{std::string(5000, 'a')}), "");
    EXPECT_EQ(nearest(std::string(255, 'a'), std::vector<std::string>{std::string(255, 'A')}).size(), 255u);
}

TEST(Suggest, the_answer_does_not_depend_on_the_order_of_candidates) {
    // W-03, W-11
    std::vector<std::string> names = {"cat", "bat", "hat", "that"};
    std::sort(names.begin(), names.end());
    do EXPECT_EQ(nearest("rat", names), "bat");
    while (std::next_permutation(names.begin(), names.end()));
}

std::size_t slow_edits(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto less = [](std::string_view t) { return t.substr(0, t.size() - 1); };
    std::size_t best = slow_edits(less(a), less(b)) + (a.back() != b.back());
    best = std::min({best, slow_edits(less(a), b) + 1, slow_edits(a, less(b)) + 1});
    if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && b.back() == a[a.size() - 2])
        best = std::min(best, slow_edits(less(less(a)), less(less(b))) + 1);
    return best;
}

TEST(Suggest, the_nearest_of_random_words_is_the_one_a_plain_recursion_finds) {
    // W-03
    std::mt19937 random(7);
    const auto word = [&] {
        std::string text(1 + random() % 6, 'a');
        for (char& c : text) c = static_cast<char>('a' + random() % 3);
        return text;
    };
    int found = 0;
    for (int round = 0; round < 400; ++round) {
        const std::string wanted = word();
        std::vector<std::string> candidates(4);
        for (auto& candidate : candidates) candidate = word();
        std::string expected;
        std::size_t limit = std::min((wanted.size() + 2) / 3, wanted.size() - 1) + 1;
        for (const auto& candidate : candidates) {
            const std::size_t distance = slow_edits(wanted, candidate);
            if (distance > limit || (distance == limit && (expected.empty() || expected <= candidate))) continue;
            limit = distance;
            expected = candidate;
        }
        EXPECT_EQ(nearest(wanted, candidates), expected) << wanted;
        found += !expected.empty();
    }
    EXPECT_GT(found, 50);
}

TEST(Suggest, the_text_helpers_make_an_error_one_can_read) {
    // W-03, W-11
    EXPECT_EQ(did_you_mean("net.rate"), "; did you mean \"net.rate\"?");
    EXPECT_EQ(did_you_mean(""), "");
    EXPECT_EQ(in_quotes("net.rat"), "\"net.rat\"");
    EXPECT_EQ(in_quotes("a\n\x1b[31mb"), "\"a\uFFFD\uFFFD[31mb\"");
    EXPECT_EQ(in_quotes("\u009b2J\u202e\u2028\xff"), "\"\uFFFD2J\uFFFD\uFFFD\uFFFD\"");
    EXPECT_EQ(in_quotes(std::string(64, 'a')), '"' + std::string(64, 'a') + '"');
    EXPECT_EQ(in_quotes(std::string(10000, 'a')), '"' + std::string(64, 'a') + "...\"");
    EXPECT_EQ(in_quotes(std::string(63, 'a') + "\xc3\xa9"), '"' + std::string(63, 'a') + "...\"");
}

TEST(Suggest, a_hint_is_the_nearest_or_what_there_is_as_far_as_it_fits_on_a_line) {
    // C-12, W-03
    EXPECT_EQ(name_hint("tga", {"tag", "hud"}), "did you mean \"tag\"?");
    EXPECT_EQ(name_hint("chess", {}), "there is none");
    EXPECT_EQ(name_hint("chess", {"tag"}), "there is only tag");
    EXPECT_EQ(name_hint("chess", {"tag", "hud", "tag"}, "lyre list features"), "there are hud and tag");
    EXPECT_EQ(name_hint("chess", {"c", "b", "a"}), "there are a, b and c");
    EXPECT_EQ(name_hint("none_of_these", {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, "lyre list features"),
              "there are a, b, c, d, e, f, g, h and 2 more: `lyre list features`");
    const std::string wide(60, 'x'), wider(61, 'x'), control = "a\nb";
    EXPECT_EQ(name_hint("chess", {wide, wider, "y", "z"}), fmt::format("there are {}, {} and 2 more", wide, wider));
    EXPECT_EQ(name_hint("chess", {control}), "there is only a\uFFFDb");
}

}  // namespace suggest_test
}  // namespace lyre
