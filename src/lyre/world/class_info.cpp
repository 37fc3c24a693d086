#include "lyre/world/class_info.h"

#include <algorithm>

namespace lyre::inline world {

void ClassInfo::inherit(const TypeExtension& parent) {
    const auto& from = static_cast<const ClassInfo&>(parent);
    slots = from.slots;
    tags = from.tags;
    tick_group = from.tick_group;
    tick_interval = from.tick_interval;
    starts_ticking = from.starts_ticking;
    is_placeless = from.is_placeless;
    radius = from.radius;
    belongs_to = from.belongs_to;
}

// Of the info of a component class.
Status ClassInfo::may_be_on(const Type& component, const Type& actor) const {
    for (const Type* one : component.lineage) {  // what a class says does not widen what its parents say
        const ClassInfo* info = one == &component ? this : find(*one);
        const Name owner = info != nullptr ? info->belongs_to : Name();
        const auto is_it = [&](const Type* of) { return of->name == owner; };
        if (!owner || std::any_of(actor.lineage.begin(), actor.lineage.end(), is_it)) continue;
        return Status::refused("{} belongs to actors of class {}, and {} is none", component.name, owner, actor.name);
    }
    return Status::ok();
}

void ClassInfo::append_schema(std::string& text) const {
    for (const SlotInfo& slot : slots)
        text += fmt::format("slot {} {} made {}\n", slot.name, slot.class_name, slot.is_made ? 1 : 0);
}

namespace detail {

ClassInfo& class_info(Type& type, bool is_actor, std::uint32_t object_offset) {
    auto info = std::make_unique<ClassInfo>();
    info->is_actor = is_actor;
    info->object_offset = object_offset;
    ClassInfo& made = *info;
    type.extension = std::move(info);
    return made;
}

void add_slot(Type& type, std::string_view name, Name class_name, bool is_made) {
    auto& slots = static_cast<ClassInfo&>(*type.extension).slots;
    for (const SlotInfo& slot : slots)
        if (slot.name.text() == name)
            return type.problems.push_back(fmt::format("two component slots are called {}", name));
    if (slots.size() == ClassInfo::kMaxSlots)
        return type.problems.push_back(fmt::format("it has more than {} component slots", ClassInfo::kMaxSlots));
    slots.push_back({Name(name), class_name, is_made});
}

}  // namespace detail
}  // namespace lyre::inline world
