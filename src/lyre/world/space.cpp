#include "lyre/world/space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lyre/world/world.h"

namespace lyre::inline world {

template <class Shape>
void Space::collect(const Shape& shape, const SpaceFilter& filter, std::vector<Found>& found) const {
    found.clear();
    if (filter.actors) {
        if (grid_ == nullptr) index_actors();
        grid_->find(shape, [&](std::uint32_t index, float distance) {
            Actor& actor = *world_.actor_at(index);
            if (filter.type == nullptr || actor.type().is_a(*filter.type))
                found.push_back({actor.id(), &actor.type(), actor.position(), actor.scale(), distance, &actor});
        });
    }
    if (!filter.rows) return;
    for (const auto& entry : world_.levels().levels_) {
        const Level& level = *entry.second;
        level.rows().find(shape, [&](std::uint32_t row, float distance) {
            const Type& type = level.class_of(row);
            if (ClassInfo::of(type).is_placeless) return;
            if (filter.type == nullptr || type.is_a(*filter.type))
                found.push_back(
                    {level.id_of(row), &type, level.rows().position(row), level.rows().scale(row), distance, nullptr});
        });
    }
}

void Space::find(const Box& box, const SpaceFilter& filter, std::vector<Found>& found) const {
    collect(box, filter, found);
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.id < b.id; });
}

void Space::find(const Circle& circle, const SpaceFilter& filter, std::vector<Found>& found) const {
    collect(circle, filter, found);
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.id < b.id; });
}

void Space::find(const Ray& ray, const SpaceFilter& filter, std::vector<Found>& found) const {
    collect(ray, filter, found);
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
    });
}

void Space::index_actors() const {
    grid_ = std::make_unique<ActorGrid>();
    for (ActorId id : world_.actors())
        if (Actor* actor = world_.find(id); actor->life() >= LifeState::Initialized) add(*actor);
}

void Space::add(Actor& actor) const {
    if (grid_ == nullptr) return;
    const ClassInfo& info = Pool::of(&actor).info();
    if (info.is_placeless || (actor.flags_ & Actor::kInSpace) != 0) return;
    const float radius = std::min(info.radius * std::abs(actor.scale_), std::numeric_limits<float>::max());
    grid_->add(actor.id_.index, actor.position_, radius);
    actor.flags_ |= Actor::kInSpace;
}

void Space::moved(Actor& actor, bool is_scaled) {
    if (!is_scaled) return grid_->move(actor.id_.index, actor.position_);
    remove(actor);
    add(actor);
}

void Space::remove(Actor& actor) {
    if ((actor.flags_ & Actor::kInSpace) == 0) return;
    grid_->remove(actor.id_.index);
    actor.flags_ &= static_cast<std::uint8_t>(~Actor::kInSpace);
}

}  // namespace lyre::inline world
