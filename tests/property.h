// tests/property.h: something that holds for whatever a generator makes. What does not hold is shrunk to the smallest
// case that fails, and printed. The seed is fixed: a run is like the last one.
//
//     check_property([](const std::vector<int>& numbers) { RC_ASSERT(is_sorted(sorted(numbers))); });
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sstream>
#include <vector>

namespace lyre {

struct SilentListener : rc::detail::TestListener {
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

template <class Property> void check_property(Property property, int cases = 100, std::uint64_t seed = 1) {
    setenv("RC_PARAMS", "seed=1", 0);  // the library says what it would use by itself; so it says the same each time
    rc::detail::TestParams params;
    params.seed = seed;
    params.maxSuccess = cases;
    SilentListener listener;
    const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params, listener);
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

// One of what there is, whatever was generated.
template <class T> T pick(const std::vector<T>& from, int which) {
    return from[static_cast<std::size_t>(which) % from.size()];
}
template <class T> T take(std::vector<T>& from, int which) {
    const T taken = pick(from, which);
    std::erase(from, taken);
    return taken;
}

}  // namespace lyre
