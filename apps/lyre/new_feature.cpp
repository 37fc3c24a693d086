#include "apps/lyre/new_feature.h"

#include <algorithm>

namespace lyre::app {
namespace {

constexpr std::string_view kManifest = R"(id      = "@name@"
version = "0.1.0"
title   = "@Title@"

[module]
name = "@name@" # lib@name@.so, built by the CMakeLists.txt beside this

# While @name@ is on every pawn has this component of @name@.cpp; when it is switched off they lose it.
[[action]]
kind      = "add_components"
to        = "Pawn"
component = "@Class@Part"
)";

constexpr std::string_view kBuild = R"(lyre_feature(@name@)
)";

constexpr std::string_view kCode =
    R"(// @name@.cpp: what the feature @name@ brings in code: a component, which feature.toml puts on every pawn.
#include "lyre/features/registrar.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/hero.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/player_state.h"

namespace {

using namespace lyre;
using namespace lyre::gameplay;

struct @Class@Part : PawnComponent {
    static void describe(TypeBuilder<@Class@Part>& t) { t.help("says in the feed that its pawn has it"); }

    // The pawn may have no player yet, or be in the middle of a match: this is called when it is ready, or at once.
    void begin_play() {
        if (auto* manager = framework::ComponentManager::of(*this))
            ready_ = manager->register_and_call_for_actor_init_state(
                actor(), kHero, kGameplayReady, [this](const framework::InitStateChange&) { greet(); });
    }
    void end_play(EndReason) { ready_.reset(); }

    void greet() {
        GameState* match = Match::state(world());
        const PlayerState* player = pawn().player_state();
        if (match == nullptr || player == nullptr || !pawn().has_authority()) return;
        match->say(fmt::format("{} has @name@", player->player_name()));
    }

    framework::InitStateHandle ready_;
};

}  // namespace

// Runs whenever the feature is registered. All that is said here goes again with the feature.
LYRE_FEATURE(@name@) {
    feature.type<@Class@Part>();
}
)";

constexpr std::string_view kTest =
    R"(// The feature @name@ as a game has it: on every pawn of a world, and gone again with its library.
#include <gtest/gtest.h>

#include "lyre/core/files_native.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/features/module_native.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/session/project.h"
#include "lyre/world/game_instance.h"

using namespace lyre;
using namespace lyre::features;

TEST(@Class@, is_on_every_pawn_and_goes_with_its_library) {
    VirtualClock clock;
    Runtime runtime(clock);
    RealFiles files;
    VirtualExecutor executor(clock);
    NativeModules modules({LYRE_MODULE_FOLDER});
    session::Project project(runtime, files, executor, &modules);
    Features& features = project.features();
    const Problems problems = features.discover(LYRE_FEATURE_FOLDER "/..");  // those it may depend on, too
    ASSERT_TRUE(problems.is_empty()) << problems.to_text();
    GameInstance game(runtime);
    World& world = game.open_world({});
    world.begin_play();
    const auto frames = [&] {
        for (int i = 0; i < 20; ++i) executor.poll(), project.pump();
    };
    const auto spawn = [&] { return world.find(world.spawn<gameplay::Pawn>().value()); };
    const auto has_it = [](const Actor* pawn) { return pawn->find_component_of(Name("@Class@Part")) != nullptr; };

    const Name id("@name@");
    const Actor* early = spawn();
    std::string said;
    features.activate(id, [&](const FeatureResult& result) { said = result.to_string(); });
    frames();
    ASSERT_EQ(said, "ok");
    const Actor* late = spawn();
    EXPECT_TRUE(has_it(early));
    EXPECT_TRUE(has_it(late));

    features.unload(id);
    frames();
    EXPECT_FALSE(has_it(early));
    EXPECT_FALSE(has_it(late));
    EXPECT_EQ(features.state(id), FeatureState::Installed);
    EXPECT_TRUE(features.ledger(id).empty());
    EXPECT_EQ(modules.open_count(), 0u);  // the library has left memory
}
)";

constexpr std::string_view kReadme = R"(# @name@

While it is on every pawn has the component `@Class@Part` (`@name@.cpp`), which says so in the feed.

```sh
@lyre@ play --with @name@
@lyre@ why feature @name@ --with @name@
```

Its test: `./lyre test feature_@name@` in a checkout of lyre, elsewhere build `test_feature_@name@` and run
`ctest -R feature_@name@` in the build folder.
)";

std::string filled_in(std::string_view text, std::string_view name, std::string_view lyre) {
    std::string result;
    while (!text.empty()) {
        const std::size_t at = text.find('@');
        result += text.substr(0, at);
        if (at == std::string_view::npos) break;
        const std::size_t end = text.find('@', at + 1);
        const std::string_view what = text.substr(at + 1, end - at - 1);
        result += what == "name"    ? std::string(name)
                  : what == "Class" ? class_prefix(name)
                  : what == "Title" ? title_of(name)
                                    : std::string(lyre);
        text.remove_prefix(end + 1);
    }
    return result;
}

}  // namespace

std::vector<NewFile> new_feature(std::string_view name, std::string_view lyre) {
    const std::string own(name);
    std::vector<NewFile> files;
    for (const auto& [path, text] :
         {std::pair(std::string("feature.toml"), kManifest), std::pair(std::string("CMakeLists.txt"), kBuild),
          std::pair(std::string("README.md"), kReadme), std::pair(own + ".cpp", kCode),
          std::pair("tests/" + own + "_test.cpp", kTest)})
        files.push_back({path, filled_in(text, name, lyre)});
    return files;
}

std::string class_prefix(std::string_view name) {
    const auto is_letter = [&](std::size_t at) { return at < name.size() && name[at] >= 'a' && name[at] <= 'z'; };
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool is_first = i == 0 || name[i - 1] == '_';
        if (is_first && is_letter(i))
            text += static_cast<char>(name[i] - 'a' + 'A');
        else if (name[i] != '_' || !is_letter(i + 1))
            text += name[i];
    }
    return text;
}

std::string title_of(std::string_view name) {
    std::string title(name);
    std::replace(title.begin(), title.end(), '_', ' ');
    if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

}  // namespace lyre::app
