#include "lyre/world/world_hash.h"

#include <algorithm>

namespace lyre::inline world {
namespace {

constexpr int kBeforeOthers = -1000;  // listeners that change what they are told of come after

bool holds_id(const ValueType& type) {
    if (type.kind == ValueKind::List) return holds_id(*type.element);
    if (type.kind != ValueKind::Record) return type.kind == ValueKind::Symbol && type.name == "id";
    const auto& members = type.record().properties;
    return std::any_of(members.begin(), members.end(), [](const PropertyInfo& m) { return holds_id(*m.type); });
}

std::uint64_t hash_of(const Object& object, const HashFilter& filter) {
    const Pool& pool = Pool::of(&object);
    const Type& type = pool.type();
    if (filter.skip_class && filter.skip_class(type)) return 0;
    const bool is_actor = pool.info().is_actor;
    const Actor& actor = is_actor ? static_cast<const Actor&>(object) : static_cast<const Component&>(object).actor();
    Hasher hasher;
    hasher.value(filter.without_ids ? 0 : actor.id().bits());
    hasher.value(type.schema_hash);
    hasher.text(is_actor ? std::string_view() : static_cast<const Component&>(object).name().text());
    for (const PropertyInfo& property : type.properties) {
        if (filter.without_ids && holds_id(*property.type)) continue;
        if (!property.is_hashed) continue;
        if (filter.skip_property && filter.skip_property(type, property)) continue;
        property.hash(pool.whole(&object), hasher);
    }
    return hasher.finish();
}

std::uint64_t hash_of_levels(const World& world, const HashFilter& filter) {
    const Levels& levels = world.levels();
    std::uint64_t sum = 0;
    for (LevelId id : levels.all()) {
        const Level& level = *levels.find(id);
        Hasher hasher;
        hasher.value(filter.without_ids ? 0 : id.bits());
        hasher.text(level.name().text());
        hasher.value(level.rows().hash());
        sum += hasher.finish();
        level.rows().each_destroyed([&](std::uint32_t row) {
            if (filter.skip_class && filter.skip_class(level.class_of(row))) return;
            Hasher destroyed;
            destroyed.text("destroyed");
            destroyed.text(level.name().text());
            destroyed.value(filter.without_ids ? std::uint64_t{row} : level.id_of(row).bits());
            sum += destroyed.finish();
        });
    }
    return sum;
}

}  // namespace

std::uint64_t world_hash(const World& world, const HashFilter& filter) {
    std::uint64_t sum = hash_of_levels(world, filter);
    world.each_object([&](const Object& object) { sum += hash_of(object, filter); });
    return sum;
}

RunningHash::RunningHash(World& world, HashFilter filter) : world_(world), filter_(std::move(filter)) {
    world_.each_object([&](const Object& object) { update(object); });
    connections_[0] = world_.actor_initialized.add([this](Actor& actor) { update(actor); }, kBeforeOthers);
    connections_[1] = world_.actor_ending.add([this](Actor& actor, EndReason) { remove(actor); }, kBeforeOthers);
    connections_[2] =
        world_.component_registered.add([this](Component& component) { update(component); }, kBeforeOthers);
    connections_[3] =
        world_.component_ending.add([this](Component& component, EndReason) { remove(component); }, kBeforeOthers);
    connections_[4] =
        world_.marks_drained.add([this](Object& object, std::uint64_t) { update(object); }, kBeforeOthers);
}

std::uint64_t RunningHash::value() {
    world_.each_marked([&](const Object& object) { update(object); });
    return sum_ + hash_of_levels(world_, filter_);
}

// A mark may also be of an object that is not brought up yet, or on its way out: neither is part of the state.
void RunningHash::update(const Object& object) {
    if (!World::is_up(object, Pool::of(&object))) return remove(object);
    const std::uint64_t hash = hash_of(object, filter_);
    std::uint64_t& part = parts_[&object];
    sum_ += hash - part;
    part = hash;
}

void RunningHash::remove(const Object& object) {
    const auto found = parts_.find(&object);
    if (found == parts_.end()) return;
    sum_ -= found->second;
    parts_.erase(found);
}

}  // namespace lyre::inline world
