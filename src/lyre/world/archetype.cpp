#include "lyre/world/archetype.h"

#include "lyre/core/suggest.h"
#include "lyre/world/class_info.h"

namespace lyre::inline world {
namespace {

void set_defaults(Type& type, const ArchetypeDef& def, const Type& actor) {
    for (const ArchetypeDefault& wanted : def.defaults) {
        const PropertyInfo* property = type.find_property(wanted.property);
        if (actor.find_property(wanted.property) != nullptr) {
            type.problems.push_back(fmt::format("{} is said where one is placed, not here", wanted.property));
        } else if (property == nullptr) {
            Nearest search(wanted.property.text());
            for (const PropertyInfo& known : type.properties) search.consider(known.name.text());
            type.problems.push_back(
                fmt::format("{} has no property {}{}", def.parent, wanted.property, did_you_mean(search.best())));
        } else if (Status status = property->type->parse(wanted.value, property->in(type.defaults)); !status.is_ok()) {
            type.problems.push_back(fmt::format("{}: {}", wanted.property, status.text()));
        } else {
            type.overrides.push_back(property->index);
        }
    }
}

void add_components(Type& type, const ArchetypeDef& def, const TypeRegistry& types) {
    for (const ArchetypeComponent& wanted : def.components) {
        auto component = types.get(wanted.class_name.text());
        const ClassInfo* info = component ? ClassInfo::find(**component) : nullptr;
        if (!component)
            type.problems.push_back(component.status().text());
        else if (info == nullptr || info->is_actor || !ClassInfo::can_be_made(**component))
            type.problems.push_back(fmt::format("{} is not a component that can be made", wanted.class_name));
        else
            detail::add_slot(type, (wanted.name ? wanted.name : wanted.class_name).text(), wanted.class_name, true);
    }
}

}  // namespace

Result<const Type*> add_archetype(TypeRegistry& types, const ArchetypeDef& def) {
    auto parent = types.get(def.parent.text());
    if (!parent) return Status::not_found("archetype {}: {}", def.name, parent.status().text());
    const Type& native = **parent;
    const ClassInfo* info = ClassInfo::find(native);
    if (info == nullptr || !info->is_actor)
        return Status::invalid("archetype {}: {} is not an actor class", def.name, native.name);
    if (native.native == nullptr)
        return Status::invalid(
            "archetype {}: {} is an archetype itself; derive from {} and put what both share into a component",
            def.name, native.name, native.parent->name);
    if (native.construct == nullptr)
        return Status::invalid("archetype {}: class {} cannot be made", def.name, native.name);

    auto type = std::make_unique<Type>();
    type->name = def.name;
    type->parent = &native;
    type->properties = native.properties;
    type->remotes = native.remotes;
    type->size = native.size;
    type->alignment = native.alignment;
    type->construct = native.construct;
    type->destruct = native.destruct;
    type->is_trivially_destructible = native.is_trivially_destructible;
    auto extension = std::make_unique<ClassInfo>(*info);
    extension->tags.insert(extension->tags.end(), def.tags.begin(), def.tags.end());
    type->extension = std::move(extension);
    core::detail::make_defaults(*type);
    if (type->defaults != nullptr) set_defaults(*type, def, *native.lineage.front());
    add_components(*type, def, types);
    type->place = def.place;
    return types.add(std::move(type));
}

}  // namespace lyre::inline world
