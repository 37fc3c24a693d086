// tests/features/small_features.h: a game with what actions work with, and actions that tell what happens to them.
//
//     FeatureGame game;
//     Probe first("first"), second("second");
//     auto run = game.run({&first, &second});
//     run->activate();                                        // log(): "first.activating second.activating"
#pragma once

#include "lyre/assets/toml.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/features/action_run.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/features/named_code.h"

#include "tests/framework/small_game.h"

namespace lyre::features {

// Reports its hooks to the stage, and does there what it is told to.
struct Probe : GameFeatureAction {
    explicit Probe(std::string id) : id(std::move(id)) {}
    using At = std::function<Status(const std::string& hook, ActionContext& context)>;

    Status registering(ActionContext& context) const override { return tell("registering", context); }
    Status loading(ActionContext& context) const override { return tell("loading", context); }
    Status activating(ActivatingContext& context) const override { return tell("activating", context); }
    void activated(ActivatingContext& context) const override { tell("activated", context).ignore(); }
    void deactivating(DeactivatingContext& context) const override {
        tell("deactivating", context).ignore();
        if (at_leaving) at_leaving(context);
    }
    void unloading(ActionContext& context) const override { tell("unloading", context).ignore(); }
    void unregistering(ActionContext& context) const override { tell("unregistering", context).ignore(); }
    Status tell(const std::string& hook, ActionContext& context) const {
        report(fmt::format("{}.{}", id, hook), nullptr);
        return at ? at(hook, context) : Status::ok();
    }

    std::string id;
    At at;
    std::function<void(DeactivatingContext&)> at_leaving;
};

// Reports when it is dropped.
struct Kept {
    explicit Kept(std::string name) : name(std::make_unique<std::string>(std::move(name))) {}
    Kept(Kept&&) = default;
    Kept& operator=(Kept&&) = default;
    ~Kept() {
        if (name != nullptr) report("drop " + *name, nullptr);
    }
    std::unique_ptr<std::string> name;
};

struct FeatureGame : framework::ExtendedGame {
    explicit FeatureGame(const WorldDef& def = {.name = Name("arena")}) : ExtendedGame(def) {
        EXPECT_TRUE(add_builtin_actions(runtime).is_ok());
    }
    explicit FeatureGame(NetMode mode) : FeatureGame(WorldDef{.name = Name("arena"), .net_mode = mode}) {}

    static Owner owner(std::string_view feature = "tag") { return Owner::feature(Name(feature), 7); }
    static ActionSubject subject(std::string_view feature = "tag") {
        return {Name(feature), owner(feature), fmt::format("feature {}", feature)};
    }
    static std::vector<ActionItem> items(const std::vector<const GameFeatureAction*>& actions,
                                         const std::string& kind = "probe") {
        std::vector<ActionItem> all;
        for (std::size_t i = 0; i < actions.size(); ++i) all.push_back({actions[i], i, kind});
        return all;
    }
    std::unique_ptr<ActionRun> run(const std::vector<const GameFeatureAction*>& actions,
                                   std::string_view feature = "tag") {
        return std::make_unique<ActionRun>(services, subject(feature), items(actions), &world());
    }
    std::unique_ptr<ActionRun> process_run(const std::vector<const GameFeatureAction*>& actions) {
        return std::make_unique<ActionRun>(services, subject(), items(actions), nullptr);
    }

    // Under their own kinds.
    std::unique_ptr<ActionRun> run_parts(const std::vector<ActionPart>& parts, std::string_view feature = "tag") {
        std::vector<ActionItem> all;
        for (const ActionPart& part : parts) all.push_back({part.get(), all.size(), part.kind()});
        return std::make_unique<ActionRun>(services, subject(feature), std::move(all), &world());
    }

    VirtualFiles files;
    VirtualExecutor executor{clock, {.workers = 4}};
    assets::Assets assets{{runtime.types(), runtime.tags(), runtime.log(), clock, files, executor}};
    NamedCode code;
    ActionServices services{runtime, assets, code};
};

// The [[action]]s of a text, read, linked and validated.
struct WrittenActions {
    struct Def {
        std::vector<ActionPart> actions{};
        static void describe(TypeBuilder<Def>& t) { t.property("action", &Def::actions); }
    };

    WrittenActions(FeatureGame& game, std::string toml) : text(std::move(toml)) {
        auto document = assets::parse_toml(text, "feature.toml");
        problems.add_all(document.problems);
        tree = std::move(document.root);
        const PartKinds kinds(game.runtime.types());
        ReadOptions options;
        options.file = "feature.toml";
        options.subject = "feature tag";
        options.text = text;
        options.kinds = &kinds;
        Reading reading = read_record(tree, type_of_record<Def>(), &def, options);
        link_content(reading, {game.runtime.types(), game.runtime.tags(), &game.assets.registry()});
        problems.add_all(reading.problems);
        for (std::size_t i = 0; i < def.actions.size(); ++i) {
            if (def.actions[i].get() == nullptr) continue;
            options.path = fmt::format("action {}", i + 1);
            ActionCheck check(game.runtime, game.code, tree.find("action")->entries()[i], options, problems);
            def.actions[i]->validate(check);
        }
    }
    // "LY-3203 feature.toml:4:8: text (hint)", a line each.
    std::string said() const {
        std::string all;
        for (const Problem& problem : problems.all())
            all += fmt::format("{} {}: {}{}\n", problem.code->to_string(), problem.where(), problem.text,
                               problem.hint.empty() ? "" : " (" + problem.hint + ")");
        return all;
    }
    const std::vector<ActionPart>& parts() const { return def.actions; }

    std::string text;
    Node tree;
    Def def;
    Problems problems;
};

}  // namespace lyre::features
