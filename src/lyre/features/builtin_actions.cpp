#include "lyre/features/builtin_actions.h"

#include "lyre/core/suggest.h"
#include "lyre/features/detail/action_tools.h"
#include "lyre/world/class_info.h"

namespace lyre::features {

using namespace action_code;

namespace detail {
namespace {

// The reader has said so: all that is checked here is required.
bool is_known_to_be_missing(const ActionCheck& check, std::string_view key) {
    return check.written().kind() == NodeKind::Table && check.written().find(key) == nullptr;
}

}  // namespace

Name bundle_of(Side side) {
    static const Name kBundles[] = {Name("Equipped"), Name("Client"), Name("Server")};
    return kBundles[static_cast<std::size_t>(side)];
}

Result<framework::ComponentManager*> manager_of(ActivatingContext& context) {
    if (auto* manager = framework::ComponentManager::of(context.world())) return manager;
    return Status::refused("the game has no component manager: add_framework(runtime)");
}

Result<const Type*> find_class(Runtime& runtime, Name class_name, bool is_actor) {
    auto type = runtime.types().get(class_name.text());
    if (!type) return type;
    const ClassInfo* info = ClassInfo::find(**type);
    if (info == nullptr || info->is_actor != is_actor)
        return Status::invalid("{} is no class of {}", class_name, is_actor ? "actors" : "components");
    if ((*type)->is_abstract) return Status::invalid("{} is abstract: name a class derived from it", class_name);
    return type;
}

// Content is checked when it is read; code may give any number.
void check_side(ActionCheck& check, Side side) {
    if (side > Side::Server)
        check.problem(kUnknownSide, "side", fmt::format("{} is none of both, client, server", check.where("side")));
}

void check_selector(ActionCheck& check, const framework::Selector& to) {
    if (is_known_to_be_missing(check, "to")) return;
    if (const Status status = to.validate(check.runtime().tags()); !status)
        check.problem(kBadSelector, "to", fmt::format("{}: {}", check.where("to"), status.text()));
}

void check_class(ActionCheck& check, std::string_view key, Name class_name) {
    if (!class_name && !is_known_to_be_missing(check, key))
        check.problem(kNoClass, key, fmt::format("{} names no class", check.where(key)));
}

void check_code(ActionCheck& check, std::string_view key, CodeKind kind, Name name) {
    if (check.code().has(kind, name) || is_known_to_be_missing(check, key)) return;
    const auto all = check.code().list();
    std::vector<std::string_view> names;
    for (const NamedCodeInfo& known : all)
        if (known.kind == kind) names.push_back(known.name.text());
    check.problem(kUnknownCode, key,
                  fmt::format("unknown {} {} for {}", to_string(kind), in_quotes(name.text()), check.where(key)),
                  names.empty() ? fmt::format("no code has registered a {}", to_string(kind))
                                : name_hint(name.text(), std::move(names)));
}

// A list that holds nothing but mistakes is not empty.
void check_not_empty(ActionCheck& check, std::string_view key, bool is_empty) {
    const Node* written = check.written().find(key);
    if (is_empty && !is_known_to_be_missing(check, key) && (written == nullptr || written->entries().empty()))
        check.problem(kEmptyList, key, fmt::format("{} is empty", check.where(key)));
}

}  // namespace detail

Status add_builtin_actions(Runtime& runtime) {
    const OwnerScope as(Owner::process());
    return runtime.types()
        .add_all<GameFeatureAction, AddComponents, AddExtensionHandler, AddTags, AddAssets, SetVariables, SpawnActors,
                 Run>();
}

void AddComponents::describe(TypeBuilder<AddComponents>& t) {
    t.help("gives actors a component");
    t.property("to", &AddComponents::to).required().help("which actors");
    t.property("component", &AddComponents::component).class_of("Component").required().help("its class");
    t.property("side", &AddComponents::side).help("where it counts");
    t.property("flags", &AddComponents::flags).help("when it is refused, and how it is named");
}

void AddExtensionHandler::describe(TypeBuilder<AddExtensionHandler>& t) {
    t.help("calls code with actors that come and go, and their events");
    t.property("to", &AddExtensionHandler::to).required().help("which actors");
    t.property("handler", &AddExtensionHandler::handler).required().help("the name that code registered it under");
    t.property("events", &AddExtensionHandler::events).help("it is called for these; empty: for all");
    t.property("order", &AddExtensionHandler::order).help("low first, among handlers of one class");
    t.property("side", &AddExtensionHandler::side).help("where it counts");
}

void AddTags::describe(TypeBuilder<AddTags>& t) {
    t.help("gives actors tags");
    t.property("to", &AddTags::to).required().help("which actors");
    t.property("tags", &AddTags::tags).required().help("the tags");
    t.property("side", &AddTags::side).help("where it counts");
}

void AddAssets::describe(TypeBuilder<AddAssets>& t) {
    t.help("keeps assets loaded");
    t.property("assets", &AddAssets::assets).soft().required().help("type:name of each");
    t.property("preload", &AddAssets::preload).help("they may come later: nothing waits for them");
    t.property("side", &AddAssets::side).help("where it counts");
}

void SetVariables::describe(TypeBuilder<SetVariables>& t) {
    t.help("gives variables other values in the world");
    t.property("variables", &SetVariables::variables).required().help("names and values");
    t.property("side", &SetVariables::side).help("where it counts");
}

void SpawnActors::describe(TypeBuilder<SpawnActors>& t) {
    t.help("puts an actor into the world");
    t.property("class", &SpawnActors::class_name).class_of("Actor").required().help("its class");
    t.property("point", &SpawnActors::point).help("a named point of the level");
    t.property("at", &SpawnActors::at).units("m").help("a place, if there is no point");
    t.property("yaw", &SpawnActors::yaw).units("degrees").help("a direction, with at");
}

void Run::describe(TypeBuilder<Run>& t) {
    t.help("calls code");
    t.property("function", &Run::function).required().help("the name that code registered it under");
    t.property("arguments", &Run::arguments).help("what it is called with");
    t.property("side", &Run::side).help("where it counts");
}

}  // namespace lyre::features
