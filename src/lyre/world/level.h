// world/level.h: levels, and placed actors that are rows until something happens to them.
//
//     row (in its level, no object)  <---- touch / rest ---->  Actor          destroy: one bit, until the level resets
//
// A level takes a contiguous range of actor ids when it is added; row n has the n-th of them, and so has the Actor made
// of it, also after resting. The same definition gives the same rows and, in the same order of adding, the same ids on
// server and client. An idle row costs its 21 bytes and no time. Being found or asked about touches nothing; touch()
// does, and whatever happens to an actor (a tag, an added component, later damage) touches by itself.
//
// An actor of a row may rest when it is at the defaults of its class, where it was placed, and held by nobody: a timer,
// an ActorHold, added components (but for guests, object.h) or tags keep it. A kept id does not.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "lyre/world/level_def.h"
#include "lyre/world/object.h"
#include "lyre/world/rows.h"

namespace lyre::inline world {

using LevelId = Handle<Level>;

class Level {
public:
    Name name() const { return name_; }
    Name experience() const { return experience_; }
    const Box& bounds() const { return bounds_; }
    const std::vector<LevelPoint>& points() const { return points_; }
    const LevelPoint* find_point(Name name) const;
    const std::vector<Box>& boxes() const { return boxes_; }
    const Rows& rows() const { return rows_; }
    ActorId id_of(std::uint32_t row) const { return {first_index_ + row, generation_}; }
    const Type& class_of(std::uint32_t row) const { return *classes_[rows_.class_of(row)]; }

private:
    friend class Levels;
    bool contains(ActorId id) const { return id.generation == generation_ && id.index - first_index_ < rows_.count(); }

    Name name_, experience_;
    Box bounds_;
    std::vector<LevelPoint> points_;
    std::vector<Box> boxes_;
    Rows rows_;
    std::vector<const Type*> classes_;
    std::unordered_map<std::uint32_t, Actor*> actors_;  // by row; null: going to rest
    std::uint32_t first_index_ = 0, generation_ = 0;
    bool is_ending_ = false;  // its actors end; nothing is touched meanwhile
};

// Keeps an actor from resting. May outlive actor and world.
class [[nodiscard]] ActorHold {
public:
    ActorHold() = default;
    ActorHold(ActorHold&&) = default;
    ActorHold& operator=(ActorHold&&) = default;

private:
    friend class Levels;
    std::shared_ptr<void> count_;
};

class Levels {
public:
    static constexpr std::uint32_t kMaxRows = kMaxLevelRows;  // in one level

    explicit Levels(World& world) : world_(world) {}

    Result<LevelId> add(const LevelDef& def);  // all that is wrong with it is in one Status
    Status remove(LevelId id);                 // its actors end with LevelRemoved
    Status reset(LevelId id);                  // all rows are there again, untouched
    const Level* find(LevelId id) const;
    const Level* level_of(ActorId id) const;  // null: the id is no row's
    std::vector<LevelId> all() const;

    // The Actor of an id: makes it of the row if nobody has. Of an id that is no row's, just the actor.
    Result<Actor*> touch(ActorId id, Name reason);
    Status rest(ActorId id);                           // refused: says what keeps it
    Status why_not_at_rest(const Actor& actor) const;  // ok: it may rest
    Result<ActorHold> hold(ActorId id);                // of a living actor

    bool exists(ActorId id) const;           // an actor or a row that is not destroyed
    const Type* class_of(ActorId id) const;  // of either; null: does not exist
    std::uint64_t touches(Name reason) const;
    const std::map<Name, std::uint64_t>& touches() const { return touches_; }

private:
    friend class World;
    friend class Space;
    struct Place {
        Level* level = nullptr;
        std::uint32_t row = 0;
    };
    Place place_of(ActorId id) const;
    Status fill(Level& level, const LevelDef& def) const;
    Result<std::uint32_t> find_range(std::uint32_t count) const;
    Level* end_actors(LevelId id, EndReason reason);
    Actor* find_actor(ActorId id) const;
    Actor* actor_at(std::uint32_t index) const;
    bool destroy_row(ActorId id, EndReason reason);
    void actor_here(Actor& actor);                      // is found from now on
    void actor_leaves(Actor& actor, EndReason reason);  // is not found any more
    void actor_gone(ActorId id);                        // its memory goes
    void end();
    void list_instances(const Type& type, std::vector<TypeUse>& uses) const;

    World& world_;
    std::map<std::uint32_t, std::unique_ptr<Level>> levels_;  // by the first index of their range
    std::map<Name, std::uint64_t> touches_;
    std::unordered_map<ActorId, std::weak_ptr<void>> holds_;  // also some that have been let go
    std::size_t sweep_holds_at_ = 64;
    std::uint32_t next_generation_ = 1;
};

}  // namespace lyre::inline world
