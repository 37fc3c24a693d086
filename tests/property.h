// tests/property.h: something that holds for whatever a generator makes. What does not hold is shrunk to the smallest
// case that fails, and printed. The seed is fixed: a run is like the last one.
//
//     check_property([](const std::vector<int>& numbers) { RC_ASSERT(is_sorted(sorted(numbers))); });
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sstream>

namespace lyre {

struct SilentListener : rc::detail::TestListener {
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

template <class Property> void check_property(Property property, int cases = 100, std::uint64_t seed = 1) {
    rc::detail::TestParams params;
    params.seed = seed;
    params.maxSuccess = cases;
    SilentListener listener;
    const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params, listener);
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

}  // namespace lyre
