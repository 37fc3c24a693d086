#include "lyre/core/type_builder.h"

#include <algorithm>

#include "lyre/core/type_registry.h"

namespace lyre::inline core::detail {
namespace {

thread_local TrackedRecorder* current_recorder = nullptr;

constexpr std::uint32_t align_up(std::uint32_t offset, std::uint32_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

std::atomic<int> TrackedRecorder::active_{0};

TrackedRecorder::TrackedRecorder() : outer_(current_recorder) {
    current_recorder = this;
    active_.fetch_add(1, std::memory_order_relaxed);
}

TrackedRecorder::~TrackedRecorder() {
    current_recorder = outer_;
    active_.fetch_sub(1, std::memory_order_relaxed);
}

void TrackedRecorder::note_slowly(const void* member) {
    if (current_recorder != nullptr) current_recorder->members.push_back(member);
}

void inherit(TypeBuild& build, Name parent_name, const Type* parent, std::uint32_t offset_in_child) {
    Type& type = build.type;
    if (parent == nullptr) {
        type.problems.push_back(
            fmt::format("its parent {} is not registered: register {} first", parent_name, parent_name));
        return;
    }
    if (type.parent == parent) return;
    if (type.properties.size() != (type.parent != nullptr ? type.parent->properties.size() : 0)) {
        type.problems.push_back(fmt::format("parent<{}>() must come before the properties", parent_name));
        return;
    }
    type.parent = parent;  // a second call replaces the deduced parent by a nearer one
    type.parent_offset = offset_in_child;
    if (type.extension && parent->extension) type.extension->inherit(*parent->extension);
    type.properties.assign(parent->properties.begin(), parent->properties.end());
    type.remotes.assign(parent->remotes.begin(), parent->remotes.end());
    for (RemoteInfo& remote : type.remotes) remote.offset += offset_in_child;
    type.hooks.assign(parent->hooks.begin(), parent->hooks.end());
    for (TypeHook& hook : type.hooks) hook.offset += offset_in_child;
    if (!type.extension) build.covered.push_back({offset_in_child, offset_in_child + parent->size});
    for (PropertyInfo& property : type.properties) {
        property.offset += offset_in_child;
        if (property.binding_offset != 0) property.binding_offset += offset_in_child;
        build.covered.push_back({property.offset, property.offset + property.type->size});
        if (!property.notify) continue;
        property.notify = [inner = std::move(property.notify), offset_in_child](void* object, const void* old) {
            inner(static_cast<char*>(object) + offset_in_child, old);
        };
    }
}

void check_names_and_limits(Type& type) {
    for (std::size_t i = 0; i < type.properties.size(); ++i) {
        const PropertyInfo& property = type.properties[i];
        if (property.name.is_none()) type.problems.push_back("a property has no name");
        for (std::size_t j = 0; j < i; ++j)
            if (type.properties[j].name == property.name)
                type.problems.push_back(fmt::format("two properties are called {}", property.name));
        if (property.quantisation.step < 0)
            type.problems.push_back(fmt::format("{} has a negative step", property.name));
    }
    if (type.properties.size() > Type::kMaxProperties)
        type.problems.push_back(fmt::format("it has {} properties; at most {} are possible: put some into a struct",
                                            type.properties.size(), Type::kMaxProperties));
    if (type.remotes.size() > Type::kMaxRemotes)
        type.problems.push_back(
            fmt::format("it has {} remote functions; at most {} are possible", type.remotes.size(), Type::kMaxRemotes));
}

// Gaps no larger than alignment explains are padding, or members so small that only their number tells; anything else
// is a member that nobody described.
void check_coverage(TypeBuild& build, std::size_t members) {
    auto& covered = build.covered;
    std::sort(covered.begin(), covered.end(), [](Covered a, Covered b) { return a.begin < b.begin; });
    covered.push_back({build.type.size, build.type.size});
    std::uint32_t end = 0;
    for (std::size_t i = 0; i < covered.size(); ++i) {
        const Covered next = covered[i];
        // The member that follows a gap is aligned to at most the lowest set bit of its offset.
        const std::uint32_t step = next.begin == 0 ? 1 : next.begin & (0u - next.begin);
        const std::uint32_t alignment = std::min(step, build.type.alignment);
        if (next.begin > end && align_up(end, alignment) < next.begin)
            build.type.problems.push_back(fmt::format(
                "bytes {} to {} belong to no property: describe that member, or say t.internal(&{}::member)", end,
                next.begin, build.type.name));
        end = std::max(end, next.end);
    }
    if (build.type.problems.empty() && members > build.described)
        build.type.problems.push_back(
            fmt::format("it has {} members and describes {}: describe the others, or say t.internal(&{}::member)",
                        members, build.described, build.type.name));
}

void check_tracked(TypeBuild& build, const std::vector<const void*>& members) {
    if (build.type.defaults == nullptr) return;
    for (const void* member : members) {
        const auto distance = static_cast<const char*>(member) - static_cast<const char*>(build.type.defaults);
        if (distance < 0 || distance >= static_cast<std::ptrdiff_t>(build.type.size)) continue;  // of some other object
        const auto offset = static_cast<std::uint32_t>(distance);
        const bool described = std::any_of(build.covered.begin(), build.covered.end(),
                                           [&](Covered c) { return c.begin <= offset && offset < c.end; });
        if (!described)
            build.type.problems.push_back(
                fmt::format("a Property<> member at byte {} is not described: add t.property(...) for it", offset));
        for (const PropertyInfo& p : build.type.properties)
            if (p.binding_offset == 0 && p.offset <= offset && offset < p.offset + p.type->size)
                build.type.problems.push_back(fmt::format(
                    "a Property<> inside {} would mark nothing: make {} itself the Property<>", p.name, p.name));
    }
}

void make_defaults(Type& type) {
    try {
        type.defaults = type.make();
    } catch (...) {
        type.problems.push_back("its constructor throws");
    }
}

void finish_record(Type& type) {
    const std::string problem = type.problems.empty() ? "" : fmt::format("{}: {}", type.name, type.problems.front());
    LYRE_ASSERT(type.problems.empty(), problem.c_str());
    type.lineage = {&type};
    type.schema_hash = hash64(type.canonical_text());
}

const Type* find_type(const TypeRegistry& registry, Name name) {
    return registry.find(name);
}

}  // namespace lyre::inline core::detail
