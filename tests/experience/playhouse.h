// tests/experience/playhouse.h: experiences on virtual files: worlds with a GameState and its Host, features, content.
//
//     Playhouse house;
//     house.feature("tag");                                        // features/tag/feature.toml
//     house.experience("tag", "features = [\"tag\"]\n" + note("a"));
//     Stage& server = house.stage("server", NetMode::DedicatedServer);
//     server.host().set_experience("tag");
//     house.frames(3);
//     house.trace("server");                                       // "Loading LoadingGameFeatures ExecutingActions
//     Loaded"
#pragma once

#include <gtest/gtest.h>

#include "lyre/experience/experiences.h"
#include "lyre/world/world_hash.h"

#include "tests/features/household.h"

namespace lyre::experience {

using features::Household;
using features::story;

inline std::string note(std::string_view label, std::string_view more = "") {
    return features::note_action(label, more);
}

// Stands in for the gameplay room's.
struct StageState : Actor {
    using Described = StageState;
    static void describe(TypeBuilder<StageState>& t) {
        t.parent<Actor>();
        t.component<Host>("experience");
    }
};
struct BareState : Actor {  // without a Host
    using Described = BareState;
    static void describe(TypeBuilder<BareState>& t) { t.parent<Actor>(); }
};

// An action whose type a feature brings.
struct Foreign : features::GameFeatureAction {
    std::string label{};
    Name asset{};
    static void describe(TypeBuilder<Foreign>& t) {
        t.property("label", &Foreign::label);
        t.property("asset", &Foreign::asset);
    }
    Status tell(std::string_view hook, features::ActionContext& context) const {
        return features::note(fmt::format("{}.{}.{}", context.feature(), label, hook), &context);
    }
    Status registering(features::ActionContext& context) const override { return tell("registering", context); }
    Status activating(features::ActivatingContext& context) const override { return tell("activating", context); }
    void deactivating(features::DeactivatingContext& context) const override { tell("deactivating", context).ignore(); }
    void unregistering(features::ActionContext& context) const override { tell("unregistering", context).ignore(); }
    void add_bundle_data(assets::BundleTable& table) const override {
        if (asset) table.add_asset(Name("Equipped"), {Name("thing"), asset}).ignore();
    }
};

class Playhouse;

// A game with a world and its GameState.
class Stage {
public:
    Stage(Playhouse& house, std::string_view name, NetMode mode, bool begins);
    Host& host() const;
    bool has_host() const { return game->world() != nullptr && world().find(state_) != nullptr; }
    World& world() const { return *game->world(); }
    void end() { game->close_world(); }

    std::unique_ptr<GameInstance> game;

private:
    ActorId state_;
};

class Playhouse {
public:
    explicit Playhouse(std::shared_ptr<FaultPlan> faults = {}, const features::FeaturePolicy* policy = nullptr)
        : has_faults_(faults != nullptr), feature_faults_(faults), inner(policy, feature_faults_) {
        const Status room = add_experience(inner.runtime, inner.assets.types());
        EXPECT_TRUE(room.is_ok()) << room.text();
        const Status known = inner.runtime.types().add_all<StageState, BareState>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        inner.runtime.trace().set_level(TraceLevel::Events);
        inner.files.write("content/empty.thing.toml", "size = 1\n");
        const auto root = inner.assets.registry().add_folder("content", Name("project"));
        EXPECT_TRUE(root.is_ok()) << root.status().text();
        if (root) root_ = *root;
        experiences_ = std::make_unique<Experiences>(
            ExperiencesSetup{inner.features(), inner.assets, std::move(faults), feature_faults_});
    }
    ~Playhouse() {
        story() = {};
        stages.clear();
        experiences_.reset();
    }
    void close() { experiences_.reset(); }
    bool is_open() const { return experiences_ != nullptr; }
    Experiences& experiences() { return *experiences_; }
    features::Features& features() { return inner.features(); }
    Runtime& runtime() { return inner.runtime; }
    assets::Assets& assets() { return inner.assets; }

    void feature(const std::string& id, const std::string& rest = "", const std::string& version = "1.0.0") {
        inner.write(id, rest, version);
        const Problems problems = features().discover("features");
        EXPECT_TRUE(problems.is_empty() || has_faults_) << problems.to_text();
    }
    void write(const std::string& file, const std::string& text) {
        inner.files.write("content/" + file, text);
        const auto scanned = inner.assets.registry().rescan(root_);
        EXPECT_TRUE(scanned.is_ok()) << scanned.status().text();
    }
    void experience(const std::string& name, const std::string& text) {
        write(name + ".experience.toml", text.empty() ? "title = \"plain\"\n" : text);  // an empty file is a mistake
    }
    void action_set(const std::string& name, const std::string& text) { write(name + ".action_set.toml", text); }
    void thing(const std::string& name) { write(name + ".thing.toml", "size = 2\n"); }

    Stage& stage(std::string_view name = "arena", NetMode mode = NetMode::Standalone, bool begins = true) {
        stages.push_back(std::make_unique<Stage>(*this, name, mode, begins));
        return *stages.back();
    }
    void frame(double seconds = 1.0 / 60) {
        inner.frame(seconds);
        if (is_open()) experiences().update();
        for (const auto& stage : stages)
            if (World* world = stage->game->world(); world != nullptr && world->has_begun_play()) {
                world->net_mode() == NetMode::Client ? stage->game->tick(static_cast<float>(seconds))
                                                     : stage->game->tick();
            }
    }
    void frames(int count, double seconds = 1.0 / 60) {
        for (int i = 0; i < count; ++i) frame(seconds);
    }
    // Until nothing moves any more.
    void settle(int count = 40) { frames(count); }
    // The server's value to a client.
    static void carry(const Stage& from, const Stage& to) { to.host().receive(from.host().published()).ignore(); }

    // The states that a world's host went through: "Loading ExecutingActions Loaded".
    std::string trace(std::string_view world, bool clears = true) {
        std::string text;
        const auto& lines = runtime().trace().lines();
        for (std::size_t i = clears ? read_[std::string(world)] : 0; i < lines.size(); ++i) {
            if (lines[i].kind != Name("experience.stage") || lines[i].side != Name(world)) continue;
            const std::string_view detail = lines[i].detail;
            const std::size_t from = detail.find("-> ") + 3;
            text += (text.empty() ? "" : " ") + std::string(detail.substr(from, detail.find(" (") - from));
        }
        read_[std::string(world)] = lines.size();
        return text;
    }
    std::string log() { return inner.log(); }
    std::uint64_t reports(std::string_view kind) { return runtime().log().count(Name(kind)); }
    std::string last_report(std::string_view kind) {
        std::string text;
        for (const LogEntry& entry : runtime().log().entries())
            if (entry.kind == Name(kind)) text = entry.text;
        return text;
    }
    // All that anybody holds because of experiences; empty: nothing.
    std::string held() {
        std::string text;
        const auto add = [&](const std::string& line) { text += line + "; "; };
        for (Host* host : experiences().hosts())
            for (const std::string& line : host->taken()) add(line);
        for (const SharedActionInfo& action : experiences().shared_actions()) add("shared " + action.kind);
        for (Name id : features().known()) {
            if (features().state(id) != features::FeatureState::Installed)
                add(fmt::format("feature {} is {}", id, to_string(features().state(id))));
            for (const auto& entry : features().ledger(id)) add(fmt::format("{} of {}", entry.id, id));
        }
        for (World* world : runtime().worlds())
            for (const auto& hold : assets().holds_of(world->owner())) add("asset " + hold.text);
        if (assets().memory().assets != 0) add(fmt::format("{} assets", assets().memory().assets));
        return text;
    }

private:
    bool has_faults_;  // then features may be unknown
    FeatureFaults feature_faults_;

public:
    Household inner;
    std::vector<std::unique_ptr<Stage>> stages;

private:
    assets::RootId root_{};
    std::map<std::string, std::size_t> read_;
    std::unique_ptr<Experiences> experiences_;
};

inline Stage::Stage(Playhouse& house, std::string_view name, NetMode mode, bool begins)
    : game(std::make_unique<GameInstance>(house.runtime())) {
    house.experiences().add_game(*game);
    World& world = game->open_world({.name = Name(name), .net_mode = mode});
    const auto made = world.spawn<StageState>();
    EXPECT_TRUE(made.is_ok()) << made.status().text();
    if (made) state_ = *made;
    if (begins) world.begin_play();
}

inline Host& Stage::host() const {
    return *world().find(state_)->find<Host>();
}

}  // namespace lyre::experience
