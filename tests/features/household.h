// tests/features/household.h: features on virtual files, with modules that are linked in, and games to put them into.
//
//     Household house;
//     house.write("tag", "[[action]]\nkind = \"note\"\nlabel = \"a\"\n");   // features/tag/feature.toml
//     house.discover();
//     house.features().activate(Name("tag"), house.told("done"));
//     house.frame();
//     house.log();                                                          // "tag.a.registering ..."
#pragma once

#include <gtest/gtest.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/features/features.h"
#include "lyre/features/registrar.h"
#include "lyre/framework/component_manager.h"
#include "lyre/world/archetype.h"
#include "lyre/world/game_instance.h"
#include "lyre/world/level_def.h"

namespace lyre::features {

struct Story {
    std::vector<std::string> lines;
    std::function<Status(const std::string& line, ActionContext* context)> at;  // does what the test says there
    std::vector<PauseToken> tokens;
};
inline Story& story() {
    static Story one;
    return one;
}
inline Status note(const std::string& line, ActionContext* context = nullptr) {
    story().lines.push_back(line);
    return story().at ? story().at(line, context) : Status::ok();
}

// An action that writes down what happens to it: "tag.a.activating(arena)".
struct Note : GameFeatureAction {
    std::string label{};
    std::string fails{};   // in this hook
    std::string throws{};  // in this hook
    bool pauses = false;
    Name asset{};  // it needs this `thing` loaded
    Side side = Side::Both;

    static void describe(TypeBuilder<Note>& t) {
        t.property("label", &Note::label);
        t.property("fails", &Note::fails);
        t.property("throws", &Note::throws);
        t.property("pauses", &Note::pauses);
        t.property("asset", &Note::asset);
        t.property("side", &Note::side);
    }
    Status tell(std::string_view hook, ActionContext& context) const {
        const World* world = context.find_world();
        Status status = note(fmt::format("{}.{}.{}{}", context.feature(), label, hook,
                                         world != nullptr ? fmt::format("({})", world->def().name) : ""),
                             &context);
        if (throws == hook) throw std::runtime_error("thrown on purpose");
        return fails == hook ? Status::failed("on purpose") : status;
    }
    Status registering(ActionContext& context) const override { return tell("registering", context); }
    Status loading(ActionContext& context) const override { return tell("loading", context); }
    Status activating(ActivatingContext& context) const override { return tell("activating", context); }
    void activated(ActivatingContext& context) const override { tell("activated", context).ignore(); }
    void deactivating(DeactivatingContext& context) const override {
        tell("deactivating", context).ignore();
        if (pauses) story().tokens.push_back(context.pause_until_done("fade"));
    }
    void unloading(ActionContext& context) const override { tell("unloading", context).ignore(); }
    void unregistering(ActionContext& context) const override { tell("unregistering", context).ignore(); }
    void add_bundle_data(assets::BundleTable& table) const override {
        const Name bundle(side == Side::Both ? "Equipped" : side == Side::Client ? "Client" : "Server");
        if (asset) table.add_asset(bundle, {Name("thing"), asset}).ignore();
    }
};

struct Thing {
    int size = 1;
    static void describe(TypeBuilder<Thing>& t) { t.property("size", &Thing::size); }
};

// An actor that lets itself be extended.
struct Fighter : Actor {
    using Described = Fighter;
    static void describe(TypeBuilder<Fighter>& t) { t.parent<Actor>(); }
    void pre_initialize() { framework::add_receiver(*this).ignore(); }
    void end_play(EndReason) { framework::remove_receiver(*this).ignore(); }
};

struct Observer final : FeatureObserver {
    explicit Observer(std::string n) : name(std::move(n)) {}
    std::string name;
    void feature_event(const FeatureEvent& event) override {
        note(fmt::format("{}:{}.{}{}", name, event.feature, to_string(event.what),
                         event.world != nullptr ? fmt::format("({})", event.world->def().name) : ""))
            .ignore();
    }
};

inline ModuleEntry linked_entry(const char* feature, const char* version, void (*setup)(Registrar&)) {
    return {kAbiNumber, sizeof(ModuleEntry), kAbiHash, kAbiText, feature, version, setup};
}

struct Household {
    explicit Household(const FeaturePolicy* policy = nullptr, std::function<StepFault(Name, FeatureState)> faults = {})
        : policy_(policy), faults_(std::move(faults)) {
        story() = {};
        EXPECT_TRUE(framework::add_framework(runtime).is_ok());
        EXPECT_TRUE(add_builtin_actions(runtime).is_ok());
        const Status known = runtime.types().add_all<Note, Fighter>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        EXPECT_TRUE(assets.types().add<Thing>("thing").is_ok());
        EXPECT_TRUE(assets.types().add<ArchetypeDef>("archetype", assets::Makes::Classes).is_ok());
        open();
    }
    ~Household() {
        story() = {};
        close();
        games.clear();
    }
    void open() {
        features_ = std::make_unique<Features>(FeaturesSetup{runtime, assets, files, modules, policy_, faults_});
    }
    void close() { features_.reset(); }
    Features& features() { return *features_; }
    bool is_open() const { return features_ != nullptr; }

    // features/ID/feature.toml with this below id and version.
    void write(const std::string& id, const std::string& rest = "", const std::string& version = "1.0.0",
               const std::string& root = "features") {
        files.write(fmt::format("{}/{}/feature.toml", root, id),
                    fmt::format("id = \"{}\"\nversion = \"{}\"\n{}", id, version, rest));
    }
    void discover(const std::string& root = "features") {
        const Problems problems = features().discover(root);
        EXPECT_TRUE(problems.is_empty()) << problems.to_text();
    }
    World& world(std::string_view name = "arena", NetMode mode = NetMode::Standalone, bool begins = true) {
        games.push_back(std::make_unique<GameInstance>(runtime));
        World& made = games.back()->open_world({.name = Name(name), .net_mode = mode});
        if (begins) made.begin_play();
        return made;
    }
    void frame(double seconds = 0) {
        clock.advance(static_cast<std::int64_t>(seconds * 1e6));
        executor.poll();
        assets.pump();
        features().update();
    }
    void frames(int count) {
        for (int i = 0; i < count; ++i) frame();
    }
    FeatureCallback told(std::string name) {
        return [this, name](const FeatureResult& result) {
            answers.push_back(fmt::format("{} {}", name, result.error ? to_string(result.error->code) : "ok"));
            if (result.error) last_error = *result.error;
        };
    }
    std::string state(std::string_view id) { return std::string(to_string(features().state(Name(id)))); }
    std::string log() {
        std::string text;
        for (const std::string& line : story().lines) text += (text.empty() ? "" : " ") + line;
        story().lines.clear();
        return text;
    }
    std::string said() {
        std::string text;
        for (const std::string& line : answers) text += (text.empty() ? "" : ", ") + line;
        answers.clear();
        return text;
    }
    std::uint64_t reports(std::string_view kind) { return runtime.log().count(Name(kind)); }

    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock, {.workers = 4}};
    assets::Assets assets{{runtime.types(), runtime.tags(), runtime.log(), clock, files, executor}};
    LinkedModules modules;
    std::vector<std::unique_ptr<GameInstance>> games;
    std::vector<std::string> answers;
    FeatureError last_error;

private:
    const FeaturePolicy* policy_;
    std::function<StepFault(Name, FeatureState)> faults_;
    std::unique_ptr<Features> features_;
};

inline std::string note_action(std::string_view label, std::string_view more = "") {
    return fmt::format("[[action]]\nkind = \"note\"\nlabel = \"{}\"\n{}\n", label, more);
}
inline std::string needs(std::string_view id, std::string_view more = "") {
    return fmt::format("[[dependency]]\nid = \"{}\"\n{}\n", id, more);
}

}  // namespace lyre::features
