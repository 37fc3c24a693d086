// world/space.h: who is here: rows and actors found by place, in one question.
//
//     std::vector<Found> found;
//     world.space().find(Circle{{10, 4, 0}, 2.5f}, {}, found);       // or a Box, or a Ray; `found` is filled anew
//
// What is found is a row or an actor with its id; asking never touches a row. Box and circle give them by id, a ray by
// distance. Actors of classes that are placeless are never found. Until somebody asks, a world keeps no index of its
// actors; from the first question on every move updates it.
#pragma once

#include <memory>
#include <vector>

#include "lyre/world/actor_grid.h"
#include "lyre/world/object.h"
#include "lyre/world/shapes.h"

namespace lyre::inline world {

struct Found {
    ActorId id;
    const Type* type = nullptr;
    Vec3 position;
    float scale = 1;
    float distance = 0;      // m, as shapes.h says
    Actor* actor = nullptr;  // null: a row nobody touched
};

struct SpaceFilter {
    const Type* type = nullptr;  // of this class or below; null: any
    bool rows = true;
    bool actors = true;
};

class Space {
public:
    explicit Space(World& world) : world_(world) {}

    void find(const Box& box, const SpaceFilter& filter, std::vector<Found>& found) const;
    void find(const Circle& circle, const SpaceFilter& filter, std::vector<Found>& found) const;
    void find(const Ray& ray, const SpaceFilter& filter, std::vector<Found>& found) const;
    bool is_indexed() const { return grid_ != nullptr; }

private:
    friend class World;
    friend class Actor;
    template <class Shape> void collect(const Shape& shape, const SpaceFilter& filter, std::vector<Found>& found) const;
    void index_actors() const;
    void add(Actor& actor) const;
    void moved(Actor& actor, bool is_scaled);
    void remove(Actor& actor);

    World& world_;
    mutable std::unique_ptr<ActorGrid> grid_;  // by index of id; made by the first who asks
};

}  // namespace lyre::inline world
