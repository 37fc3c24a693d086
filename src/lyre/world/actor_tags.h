// world/actor_tags.h: the tags of actors, counted: a tag given twice goes when it was taken back twice.
//
// An actor has the tags of its class from the start, and those that code and actions add. One that has only the tags of
// its class costs nothing, and neither does a row; asking never touches a row, adding does. `changed` tells each 0 -> 1
// and 1 -> 0, for parents too (what a class gives is not told), in the order they happened: what a listener adds or
// removes is told when all have heard what it was told of. Listeners that answer each other without end are stopped:
// the tags stay as they are, the answer that is one too many is not told, and one entry of the log names its actor and
// tag. Who only notes that an actor must be looked at again listens to `at_once`, which misses nothing. Tags of effects
// are counted on top.
#pragma once

#include <unordered_map>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/core/tags.h"
#include "lyre/world/object.h"

namespace lyre::inline world {

class ActorTags {
public:
    static constexpr std::uint32_t kMaxTurns = 64;       // an edge is the answer to an edge that is the answer ...
    static constexpr std::size_t kMaxEdges = 1'000'000;  // told for one change of a tag

    explicit ActorTags(World& world) : world_(world) {}

    Status add(ActorId actor, GameplayTag tag);
    Status remove(ActorId actor, GameplayTag tag);
    bool has(ActorId actor, GameplayTag tag) const;  // it or a tag below it
    std::uint32_t count(ActorId actor, GameplayTag tag) const;
    const TagCounts* find(const Actor& actor) const;  // null: just those of its class
    const TagContainer& of_class(const Type& type) const;
    TagContainer all(ActorId actor) const;
    bool is_at_class(const Actor& actor) const;  // no more and no less than its class gives

    Delegate<Actor&, GameplayTag, bool> changed;  // true: it has the tag now
    Delegate<Actor&> at_once;                     // per edge, before it is told to anybody; here nobody changes tags

private:
    friend class World;
    struct Edge {
        ActorId actor;
        GameplayTag tag;
        bool is_added;
        std::uint32_t turn;
    };
    bool has_exact(ActorId actor, GameplayTag tag) const;
    Status check_class(const Type& type) const;
    Status change(ActorId actor, GameplayTag tag, bool is_added);
    void tell_edges();
    void queue(const Edge& edge);
    void report_circle(const Edge& edge, std::size_t more) const;
    void forget(Actor& actor);
    void forget(const Type& type) { of_class_.erase(&type); }

    struct ClassTags {
        TagContainer tags;
        bool is_complete = false;  // all of the class's tags are declared
        std::vector<TagUse> uses;  // a tag a class gives is not undeclared while a world has the class
    };

    World& world_;
    mutable std::unordered_map<const Type*, ClassTags> of_class_;
    std::unordered_map<ActorId, TagCounts> counts_;  // with what the class gives
    std::vector<Edge> edges_;                        // not told yet
    Edge first_untold_{};
    std::size_t untold_ = 0;  // answers too many
    std::uint32_t turn_ = 0;  // of the edges that come now; 0: nothing is being told
};

}  // namespace lyre::inline world
