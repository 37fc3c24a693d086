#include "lyre/world/archetype.h"

#include <cmath>

#include "lyre/core/content_codes.h"
#include "lyre/core/suggest.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world_codes.h"

namespace lyre::inline world {
namespace {

using namespace world_code;

void set_defaults(ContentLink& link, Type& type, const Node& defaults) {
    const Type& actor = *type.parent->lineage.front();
    if (defaults.kind() != NodeKind::Table)
        return link.problem(
            content_code::kWrongType, "defaults",
            fmt::format("{} takes a table, not {}", link.where("defaults"), to_string(defaults.kind())));
    if (defaults.entries().size() > Type::kMaxProperties)
        return link.problem(kSaidWherePlaced, "defaults",
                            fmt::format("{} has {} entries; a class has at most {} properties", link.where("defaults"),
                                        defaults.entries().size(), Type::kMaxProperties));
    for (const Node& written : defaults.entries()) {
        const Name key = Name::find(written.key());
        const PropertyInfo* property = key ? type.find_property(key) : nullptr;
        if (property == nullptr) {
            std::vector<std::string_view> names;
            for (const PropertyInfo& known : type.properties)
                if (actor.find_property(known.name) == nullptr) names.push_back(known.name.text());
            link.problem_at(content_code::kUnknownKey, written,
                            fmt::format("unknown key {}: {} has no such property", link.where("defaults", written),
                                        type.parent->name),
                            name_hint(written.key(), std::move(names)));
        } else if (actor.find_property(key) != nullptr) {
            link.problem_at(kSaidWherePlaced, written,
                            fmt::format("{} is said where one is placed, not here", link.where("defaults", written)));
        } else if (link.read("defaults", written, *property, property->in(type.defaults))) {
            type.overrides.push_back(property->index);
        }
    }
}

// Classes that are not there or no components are left to who looks them up.
void add_components(ContentLink& link, Type& type, const ArchetypeDef& def) {
    if (def.components.size() > ClassInfo::kMaxSlots)
        return link.problem(kArchetypeComponent, "component",
                            fmt::format("{} has {} entries; a class has at most {}", link.where("component"),
                                        def.components.size(), ClassInfo::kMaxSlots));
    for (std::size_t i = 0; i < def.components.size(); ++i) {
        const ArchetypeComponent& wanted = def.components[i];
        const Type* component = link.types().find(wanted.class_name);
        if (component == nullptr) continue;
        const std::string path = fmt::format("component[{}]", i);
        if (!ClassInfo::can_be_made(*component))
            link.problem(kArchetypeComponent, path + ".class",
                         fmt::format("{}: {} cannot be made, it is abstract", link.where(path), wanted.class_name));
        const ClassInfo* info = ClassInfo::find(*component);
        if (const Status status = info != nullptr ? info->may_be_on(*component, *type.parent) : Status::ok(); !status)
            link.problem(kArchetypeComponent, path + ".class", fmt::format("{}: {}", link.where(path), status.text()));
        detail::add_slot(type, (wanted.name ? wanted.name : wanted.class_name).text(), wanted.class_name, true);
        for (const std::string& problem : type.problems)
            link.problem(kArchetypeComponent, path, fmt::format("{}: {}", link.where(path), problem));
        type.problems.clear();
    }
}

std::unique_ptr<Type> make_type(ContentLink& link, const ArchetypeDef& def, const Type& native) {
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
    auto extension = std::make_unique<ClassInfo>(ClassInfo::of(native));
    for (const GameplayTag tag : def.tags) extension->tags.emplace_back(tag.text());
    ClassInfo* made = extension.get();
    type->extension = std::move(extension);
    core::detail::make_defaults(*type);
    if (type->defaults != nullptr) {
        set_defaults(link, *type, def.defaults);
        if (const auto radius_of = made->hooks.radius_of_defaults) {
            const float radius = radius_of(type->defaults);
            if (radius >= 0 && std::isfinite(radius)) made->radius = radius;
        }
    }
    add_components(link, *type, def);
    type->place = def.place.empty() ? fmt::format("archetype {}", def.name) : def.place;
    return type;
}

// Ok: the class may be the parent of an archetype.
Status check_parent(const Type& type) {
    if (type.native == nullptr)
        return Status::invalid("{} is an archetype itself; derive from {} and put what both share into a component",
                               type.name, type.parent->name);
    if (type.construct == nullptr) return Status::invalid("class {} cannot be made", type.name);
    return Status::ok();
}

// What the reader looks up in content, for definitions that code made.
void find_classes(ContentLink& link, const ArchetypeDef& def) {
    for (std::size_t i = 0; i < def.components.size(); ++i) {
        const Name name = def.components[i].class_name;
        const std::string path = fmt::format("component[{}].class", i);
        auto type = link.types().get(name.text());
        const ClassInfo* info = type ? ClassInfo::find(**type) : nullptr;
        if (!type)
            link.problem(content_code::kUnknownClass, path, type.status().text());
        else if (info == nullptr || info->is_actor)
            link.problem(content_code::kWrongClass, path, fmt::format("{} is not a component", name));
    }
}

}  // namespace

void ArchetypeComponent::describe(TypeBuilder<ArchetypeComponent>& t) {
    t.property("class", &ArchetypeComponent::class_name).required().class_of("Component");
    t.property("name", &ArchetypeComponent::name).help("none: the name of its class");
    t.short_form("class");
}

void ArchetypeDef::describe(TypeBuilder<ArchetypeDef>& t) {
    t.property("name", &ArchetypeDef::name).asset_name();
    t.property("parent", &ArchetypeDef::parent).required().class_of("Actor").help("a native class");
    t.property("tags", &ArchetypeDef::tags);
    t.property("defaults", &ArchetypeDef::defaults).help("properties of the parent");
    t.property("component", &ArchetypeDef::components);
    t.internal(&ArchetypeDef::place);
    t.hook<&ArchetypeDef::link>("link");
}

void ArchetypeDef::link(ContentLink& link) const {
    const Type* native = link.types().find(parent);
    if (native == nullptr && link.is_made_by_content(parent))
        return link.problem(kArchetypeParent, "parent",
                            fmt::format("{}: {} is an archetype itself", link.where("parent"), parent),
                            "derive both from a native class and put what they share into a component");
    const ClassInfo* info = native != nullptr ? ClassInfo::find(*native) : nullptr;
    if (info == nullptr || !info->is_actor) return;  // said already
    if (Status status = check_parent(*native); !status.is_ok())
        link.problem(kArchetypeParent, "parent", fmt::format("{}: {}", link.where("parent"), status.text()));
    else
        static_cast<void>(make_type(link, *this, *native));
}

Result<const Type*> add_archetype(TypeRegistry& types, const TagTable& tags, const ArchetypeDef& def) {
    auto parent = types.get(def.parent.text());
    if (!parent) return Status::not_found("archetype {}: {}", def.name, parent.status().text());
    const ClassInfo* info = ClassInfo::find(**parent);
    if (info == nullptr || !info->is_actor)
        return Status::invalid("archetype {}: {} is not an actor class", def.name, def.parent);
    if (Status status = check_parent(**parent); !status.is_ok())
        return Status::invalid("archetype {}: {}", def.name, status.text());

    std::unique_ptr<Type> type;
    const Problems problems = link_as_hook({types, tags}, {}, [&](ContentLink& link) {
        find_classes(link, def);
        type = make_type(link, def, **parent);
    });
    if (!problems.is_empty())
        return problems.to_status(
            fmt::format("archetype {}{}", def.name, def.place.empty() ? "" : " (" + def.place + ")"));
    return types.add(std::move(type));
}

}  // namespace lyre::inline world
