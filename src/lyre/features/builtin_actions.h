// features/builtin_actions.h: the kinds of actions that the library brings.
//
//     [[action]]
//     kind      = "add_components"
//     to        = "Pawn"
//     component = "Health"
//
// Each acts where its side counts (side.h), never in a world without a game, and keeps all it does there: what it has
// put on a world goes when the world is left, and the world is then as if the action had never been (symmetry.h is the
// test of that). Requests and handlers carry the action's place, so that an explanation names it.
#pragma once

#include <vector>

#include "lyre/core/content_node.h"
#include "lyre/core/tags.h"
#include "lyre/features/action.h"
#include "lyre/framework/extensions.h"

namespace lyre::features {

Status add_builtin_actions(Runtime& runtime);  // GameFeatureAction and those below, in the name of the process

// Every matching receiver gets a component, present and future. One that replicates comes to clients from the server.
struct AddComponents : GameFeatureAction {
    framework::Selector to;
    Name component;
    Side side = Side::Both;
    std::vector<framework::AddFlags> flags;

    Status activating(ActivatingContext& context) const override;
    void add_bundle_data(assets::BundleTable& bundles) const override;
    void validate(ActionCheck& check) const override;
    static void describe(TypeBuilder<AddComponents>& t);
};

// Code that was registered by name (NamedCode) is told of matching receivers and their events.
struct AddExtensionHandler : GameFeatureAction {
    framework::Selector to;
    Name handler;
    std::vector<Name> events;  // empty: all
    std::int32_t order = 0;
    Side side = Side::Both;

    Status activating(ActivatingContext& context) const override;
    void validate(ActionCheck& check) const override;
    static void describe(TypeBuilder<AddExtensionHandler>& t);
};

// Every matching receiver has these tags, present and future, as long as it matches. Tags count.
struct AddTags : GameFeatureAction {
    framework::Selector to;
    TagContainer tags;
    Side side = Side::Both;

    Status activating(ActivatingContext& context) const override;
    void validate(ActionCheck& check) const override;
    static void describe(TypeBuilder<AddTags>& t);
};

// Assets are loaded with the feature and stay as long. Nothing waits for those that are preloaded.
struct AddAssets : GameFeatureAction {
    std::vector<assets::PrimaryAssetId> assets;
    bool preload = false;
    Side side = Side::Both;

    Status loading(ActionContext& context) const override;
    Status activating(ActivatingContext& context) const override;
    void add_bundle_data(assets::BundleTable& bundles) const override;
    void validate(ActionCheck& check) const override;
    static void describe(TypeBuilder<AddAssets>& t);
};

// Variables have other values in this world. Of several actions the newest counts.
struct SetVariables : GameFeatureAction {
    Node variables;  // a table: dots in quotes or tables in each other
    Side side = Side::Both;

    Status activating(ActivatingContext& context) const override;
    void validate(ActionCheck& check) const override;
    static void describe(TypeBuilder<SetVariables>& t);
};

// An actor at a named point of a level of the world, or at a place; where the game is decided.
struct SpawnActors : GameFeatureAction {
    Name class_name;
    Name point;  // none: at
    Vec3 at;
    float yaw = 0;  // degrees; a point has its own

    Status activating(ActivatingContext& context) const override;
    void add_bundle_data(assets::BundleTable& bundles) const override;
    void validate(ActionCheck& check) const override;
    static void describe(TypeBuilder<SpawnActors>& t);
};

// Calls code that was registered by name; its Status is the action's.
struct Run : GameFeatureAction {
    Name function;
    Node arguments = Node::table();
    Side side = Side::Both;

    Status activating(ActivatingContext& context) const override;
    void validate(ActionCheck& check) const override;
    static void describe(TypeBuilder<Run>& t);
};

}  // namespace lyre::features
