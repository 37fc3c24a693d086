#include "apps/lyre/new_feature.h"

namespace lyre::app {
namespace {

constexpr std::string_view kManifest = R"(id      = "@name@"
version = "0.1.0"
title   = "@Class@"

[module]
name = "@name@" # lib@name@.so, built by the CMakeLists.txt beside this

# What being active means, for example that every actor of a class has the component that @name@.cpp brings:
# [[action]]
# kind      = "add_components"
# to        = "Pawn"
# component = "@Class@Score"
)";

constexpr std::string_view kBuild = R"(lyre_feature(@name@)
)";

constexpr std::string_view kCode = R"(// @name@.cpp: what the feature @name@ brings in code.
#include "lyre/features/registrar.h"

namespace {

using namespace lyre;

// For any actor: a count that clients see.
struct @Class@Score : Component {
    Property<int> points = 0;

    static void describe(TypeBuilder<@Class@Score>& t) {
        t.property("points", &@Class@Score::points).replicated().range(0, 1'000'000);
    }
    void begin_play() { points = 0; }
};

}  // namespace

// Runs whenever the feature is registered. All that is said here goes again with the feature.
LYRE_FEATURE(@name@) {
    feature.type<@Class@Score>();
    feature.variable<std::int64_t>(
        {.name = "@name@.PointsToWin", .default_value = 10, .help = "how many points end a round", .min = 1});
}
)";

constexpr std::string_view kTest =
    R"(// The feature @name@ as a game has it: up in a world, and gone again with its library.
#include <gtest/gtest.h>

#include "lyre/core/files_native.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/features/features.h"
#include "lyre/features/module_native.h"
#include "lyre/framework/component_manager.h"
#include "lyre/world/game_instance.h"

using namespace lyre;
using namespace lyre::features;

TEST(@Class@, comes_and_goes_with_its_library) {
    VirtualClock clock;
    Runtime runtime(clock);
    ASSERT_TRUE(framework::add_framework(runtime));
    ASSERT_TRUE(add_builtin_actions(runtime));
    RealFiles files;
    VirtualExecutor executor(clock);
    assets::Assets assets({runtime.types(), runtime.tags(), runtime.log(), clock, files, executor});
    NativeModules modules({LYRE_MODULE_FOLDER});
    GameInstance game(runtime);
    game.open_world({}).begin_play();
    Features features({runtime, assets, files, modules});
    const Name id("@name@");
    std::string said;
    const auto told = [&](const FeatureResult& result) { said = result.to_string(); };
    const auto frames = [&] {
        for (int i = 0; i < 10; ++i) executor.poll(), assets.pump(), features.update();
    };

    features.install("file:" LYRE_FEATURE_FOLDER, told);
    ASSERT_EQ(said, "ok");
    features.activate(id, told);
    frames();
    EXPECT_EQ(said, "ok");
    EXPECT_EQ(features.state(id), FeatureState::Active);
    EXPECT_NE(runtime.types().find(Name("@Class@Score")), nullptr);

    features.unload(id);
    frames();
    EXPECT_EQ(features.state(id), FeatureState::Installed);
    EXPECT_TRUE(features.ledger(id).empty());
    EXPECT_EQ(modules.open_count(), 0u);  // the library has left memory
}
)";

std::string filled_in(std::string_view text, std::string_view name) {
    std::string result;
    while (!text.empty()) {
        const std::size_t at = text.find('@');
        result += text.substr(0, at);
        if (at == std::string_view::npos) break;
        const std::size_t end = text.find('@', at + 1);
        result += text.substr(at, end - at) == "@name" ? std::string(name) : class_prefix(name);
        text.remove_prefix(end + 1);
    }
    return result;
}

}  // namespace

std::vector<NewFile> new_feature(std::string_view name) {
    return {{"feature.toml", filled_in(kManifest, name)},
            {"CMakeLists.txt", filled_in(kBuild, name)},
            {std::string(name) + ".cpp", filled_in(kCode, name)},
            {"tests/" + std::string(name) + "_test.cpp", filled_in(kTest, name)}};
}

std::string class_prefix(std::string_view name) {
    std::string text;
    bool is_first = true;
    for (const char c : name) {
        if (c != '_') text += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        is_first = c == '_';
    }
    return text;
}

}  // namespace lyre::app
