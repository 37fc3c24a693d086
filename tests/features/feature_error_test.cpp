#include "lyre/features/feature_error.h"

#include <gtest/gtest.h>

namespace lyre::features {
namespace feature_error_test {

FeatureError missing_body() {
    FeatureError error;
    error.feature = Name("arena_core");
    error.state = FeatureState::WaitingForDependencies;
    error.code = ErrorCode::DependencyMissing;
    error.text = "there is no feature \"physics\"";
    return error;
}

TEST(FeatureError, prints_state_code_and_text) {
    // F-47
    EXPECT_EQ(missing_body().to_string(),
              "GameFeature.WaitingForDependencies.DependencyMissing: there is no feature \"physics\"");
    EXPECT_EQ(FeatureResult{}.to_string(), "ok");
}

TEST(FeatureError, what_led_here_stands_behind_because) {
    // F-47
    FeatureError outer;
    outer.feature = Name("tag");
    outer.state = FeatureState::LoadingDependencies;
    outer.code = ErrorCode::DependencyFailed;
    outer.text = "tag needs arena_core";
    outer.inner = std::make_shared<const FeatureError>(missing_body());
    EXPECT_EQ(outer.to_string(),
              "GameFeature.LoadingDependencies.DependencyFailed: tag needs arena_core; because "
              "GameFeature.WaitingForDependencies.DependencyMissing: there is no feature \"physics\"");
}

TEST(FeatureError, a_chain_of_any_length_is_printed_to_a_bound) {
    // F-47
    auto error = std::make_shared<const FeatureError>(missing_body());
    for (int i = 0; i < 1000; ++i) {
        FeatureError outer = missing_body();
        outer.inner = error;
        error = std::make_shared<const FeatureError>(outer);
    }
    EXPECT_LT(error->to_string().size(), 10'000u);
    EXPECT_TRUE(error->to_string().ends_with("; because ..."));
}

TEST(FeatureError, who_keeps_a_feature_is_listed) {
    // F-47, F-63
    FeatureError error;
    error.state = FeatureState::Active;
    error.code = ErrorCode::HeldBy;
    error.text = "arena_core stays active";
    error.holders = {{"feature tag", {"world yard"}}, {"world yard", {}}};
    EXPECT_EQ(error.to_string(),
              "GameFeature.Active.HeldBy: arena_core stays active; held by feature tag <- world yard, world yard");
}

TEST(FeatureError, a_status_keeps_the_text_and_what_was_cancelled_stays_so) {
    // F-47
    EXPECT_EQ(missing_body().to_status().code(), StatusCode::NotFound);
    EXPECT_EQ(missing_body().to_status().text(), missing_body().to_string());
    FeatureError cancelled;
    cancelled.code = ErrorCode::Cancelled;
    EXPECT_EQ(cancelled.to_status().code(), StatusCode::Cancelled);
    EXPECT_TRUE((FeatureResult{Name("tag"), cancelled}.is_cancelled()));
    EXPECT_TRUE(FeatureError{}.to_status());
}

TEST(FeatureError, every_code_has_a_name_that_can_be_read_back) {
    // F-47
    const ValueType& type = value_type<ErrorCode>();
    EXPECT_EQ(type.values.size(), static_cast<std::size_t>(ErrorCode::Injected) + 1);
    for (const EnumValue& value : type.values) {
        ErrorCode code{};
        ASSERT_TRUE(type.parse(value.name.text(), &code));
        EXPECT_EQ(to_string(code), value.name.text());
    }
}

}  // namespace feature_error_test
}  // namespace lyre::features
