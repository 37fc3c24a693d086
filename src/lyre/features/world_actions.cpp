// The actions on a world as a whole: variables, actors, code; and assets, which are the feature's.
#include "lyre/core/settings_table.h"
#include "lyre/core/suggest.h"
#include "lyre/features/detail/action_tools.h"
#include "lyre/features/world_ref.h"

namespace lyre::features {

using namespace action_code;

Status AddAssets::loading(ActionContext& context) const {
    if (!context.roles().has(side)) return Status::ok();
    if (preload) {
        context.keep(context.assets().preload(assets));
        return Status::ok();
    }
    for (const assets::PrimaryAssetId& id : assets)  // the feature holds them by its bundles
        if (auto known = context.assets().registry().get(id); !known) return known.status();
    return Status::ok();
}

// The roles of worlds that join later are not known at loading.
Status AddAssets::activating(ActivatingContext& context) const {
    if (preload && side != Side::Both && context.counts(side)) context.keep(context.assets().preload(assets));
    return Status::ok();
}

void AddAssets::add_bundle_data(assets::BundleTable& bundles) const {
    if (preload) return;
    for (const assets::PrimaryAssetId& id : assets) bundles.add_asset(detail::bundle_of(side), id).ignore();
}

void AddAssets::validate(ActionCheck& check) const {
    detail::check_not_empty(check, "assets", assets.empty());
    detail::check_side(check, side);
}

Status SetVariables::activating(ActivatingContext& context) const {
    if (!context.counts(side)) return Status::ok();
    for (const WrittenSetting& setting : collect_settings(variables)) {
        auto hold = context.world().variables().push(setting.name, setting_text(*setting.node), context.where(),
                                                     context.rank());
        if (!hold) return hold.status();
        context.keep(*std::move(hold));
    }
    return Status::ok();
}

void SetVariables::validate(ActionCheck& check) const {
    detail::check_side(check, side);
    if (!variables.is_none() && variables.kind() != NodeKind::Table)
        return check.problem(
            kBadVariable, "variables",
            fmt::format("{} takes a table, not {}", check.where("variables"), to_string(variables.kind())),
            "write NAME = VALUE for each, between { and }");
    const auto settings = collect_settings(variables);
    detail::check_not_empty(check, "variables", settings.empty());
    const Variables& known = check.runtime().variables();
    for (const WrittenSetting& setting : settings) {
        const Node& node = *setting.node;
        const auto info = known.describe(setting.name);
        if (!info) {
            check.problem_at(
                kUnknownVariable, node.key_place,
                fmt::format("unknown variable {} in {}", in_quotes(setting.name), check.where("variables")),
                suggest_variable(known, setting.name));
        } else if (info->flags.read_only) {
            check.problem_at(kReadOnlyVariable, node.key_place,
                             fmt::format("variable {} in {} is read-only while the game runs", in_quotes(setting.name),
                                         check.where("variables")));
        } else if (!known.takes(setting.name, setting_text(node))) {
            check.problem_at(
                kBadVariable, node.place,
                fmt::format("{} in {} takes {}, not {}", in_quotes(setting.name), check.where("variables"), info->takes,
                            node.kind() == NodeKind::List   ? "a list"
                            : node.kind() == NodeKind::Text ? in_quotes(node.as_text())
                                                            : node.print()));
        }
    }
}

namespace {

// Destroys its actor, if there still is one.
class SpawnedActor {
public:
    SpawnedActor(World& world, ActorId id) : world_(world), id_(id) {}
    SpawnedActor(SpawnedActor&&) = default;
    SpawnedActor& operator=(SpawnedActor&&) = delete;
    ~SpawnedActor() {
        if (World* world = world_.find(); world != nullptr && !world->has_ended()) world->destroy(id_);
    }

private:
    WorldRef world_;  // of one that was moved from: none
    ActorId id_;
};

Result<Transform> find_point(World& world, Name name) {
    Nearest search(name.text());
    for (LevelId id : world.levels().all()) {
        const Level& level = *world.levels().find(id);
        if (const LevelPoint* point = level.find_point(name)) return Transform{point->at, point->yaw};
        for (const LevelPoint& point : level.points()) search.consider(point.name.text());
    }
    return Status::not_found("no level of the world has a point {}{}", in_quotes(name.text()),
                             did_you_mean(search.best()));
}

}  // namespace

Status SpawnActors::activating(ActivatingContext& context) const {
    if (!context.counts(Side::Server)) return Status::ok();
    const auto type = detail::find_class(context.runtime(), class_name, true);
    if (!type) return type.status();
    const auto transform = point ? find_point(context.world(), point) : Result<Transform>(Transform{at, yaw});
    if (!transform) return transform.status();
    const auto id = context.world().spawn(**type, {.transform = *transform});
    if (id) context.keep(SpawnedActor(context.world(), *id));
    return id.status();
}

void SpawnActors::add_bundle_data(assets::BundleTable& bundles) const {
    if (class_name) bundles.add_class(detail::bundle_of(Side::Server), class_name).ignore();
}

// What was written tells a place at the origin from none at all.
void SpawnActors::validate(ActionCheck& check) const {
    detail::check_class(check, "class", class_name);
    const bool is_written = check.written().kind() == NodeKind::Table;
    const auto says = [&](std::string_view key) { return is_written && check.written().find(key) != nullptr; };
    if (is_written && !point && !says("at"))
        check.problem(kNoPlace, {}, fmt::format("{} has neither point nor at", check.where()),
                      "write point = \"NAME\", or at = [x, y]");
    for (const std::string_view key : {"at", "yaw"})
        if (point && says(key))
            check.problem(kTwoPlaces, key, fmt::format("{} beside point {}", check.where(key), in_quotes(point.text())),
                          fmt::format("a point says both: take out {}, or the point", in_quotes(key)));
}

Status Run::activating(ActivatingContext& context) const {
    if (!context.counts(side)) return Status::ok();
    auto use = context.code().use_function(function, context.where());
    if (!use) return use.status();
    context.keep(*use);  // first: what the function keeps goes before it
    return (**use)(context, arguments);
}

void Run::validate(ActionCheck& check) const {
    detail::check_code(check, "function", CodeKind::Function, function);
    detail::check_side(check, side);
}

}  // namespace lyre::features
