#include "lyre/world/actor_tags.h"

#include "lyre/world/runtime.h"
#include "lyre/world/world.h"

namespace lyre::inline world {

Status ActorTags::add(ActorId actor, GameplayTag tag) {
    return change(actor, tag, true);
}

Status ActorTags::remove(ActorId actor, GameplayTag tag) {
    return change(actor, tag, false);
}

Status ActorTags::change(ActorId id, GameplayTag tag, bool is_added) {
    if (is_added && tag.is_none()) return Status::invalid("a tag to add to {} is missing", id);
    if (!is_added && !has_exact(id, tag)) return Status::not_found("{} has no tag {} of its own", id, tag);
    auto touched = world_.levels().touch(id, Name("tag"));
    if (!touched) return touched.status();
    Actor& actor = **touched;
    auto [entry, is_first] = counts_.try_emplace(id);
    if (is_first) {
        for (GameplayTag given : of_class(actor.type())) entry->second.add(given);
        actor.flags_ |= Actor::kTagged;
    }
    const TagChange change = is_added ? entry->second.add(tag) : entry->second.remove(tag);
    if (is_at_class(actor)) forget(actor);
    if (change.is_refused())
        return Status::refused("tag {} cannot be {} {}", tag, is_added ? "added to" : "removed from", id);
    const World::CallScope scope(world_);  // a listener may destroy the actor
    for (GameplayTag edge : change) {
        world_.guarded("tag listener", id, [&] { at_once.broadcast(actor); });
        queue({id, edge, is_added, turn_});
    }
    if (turn_ == 0) tell_edges();
    return Status::ok();
}

// Answers beyond the bounds are not told, whoever they are of.
void ActorTags::queue(const Edge& edge) {
    if (turn_ < kMaxTurns && edges_.size() < kMaxEdges)
        edges_.push_back(edge);
    else if (++untold_ == 1)
        first_untold_ = edge;
}

// In the order they happened, to every listener: what one changes meanwhile is told after what it was told of.
void ActorTags::tell_edges() {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        const Edge edge = edges_[i];
        turn_ = edge.turn + 1;
        Actor* actor = world_.find(edge.actor);
        if (actor == nullptr) continue;
        world_.guarded("tag listener", edge.actor, [&] { changed.broadcast_to_all(*actor, edge.tag, edge.is_added); });
    }
    edges_.clear();
    turn_ = 0;
    if (untold_ > 0) report_circle(first_untold_, std::exchange(untold_, 0) - 1);
}

void ActorTags::report_circle(const Edge& edge, std::size_t more) const {
    world_.runtime().log().report(
        LogLevel::Error, Name("world.tags_circle"), fmt::format("{} in {}", edge.actor, world_.def().name),
        fmt::format("listeners to changed tags answer each other without end; that {} {} is told to nobody any more{}",
                    edge.tag, edge.is_added ? "came" : "went",
                    more > 0 ? fmt::format(", nor are {} more changes", more) : ""));
}

bool ActorTags::has(ActorId actor, GameplayTag tag) const {
    return count(actor, tag) > 0;
}

bool ActorTags::has_exact(ActorId id, GameplayTag tag) const {
    if (const auto found = counts_.find(id); found != counts_.end()) return found->second.count_exact(tag) > 0;
    const Type* type = world_.levels().class_of(id);
    return type != nullptr && of_class(*type).has_exact(tag);
}

std::uint32_t ActorTags::count(ActorId id, GameplayTag tag) const {
    if (const auto found = counts_.find(id); found != counts_.end()) return found->second.count(tag);
    const Type* type = world_.levels().class_of(id);
    if (type == nullptr) return 0;
    std::uint32_t count = 0;
    for (GameplayTag given : of_class(*type)) count += given.matches(tag) ? 1 : 0;
    return count;
}

const TagCounts* ActorTags::find(const Actor& actor) const {
    const auto found = counts_.find(actor.id());
    return found == counts_.end() ? nullptr : &found->second;
}

const TagContainer& ActorTags::of_class(const Type& type) const {
    ClassTags& known = of_class_[&type];
    if (known.is_complete) return known.tags;
    const OwnerScope as(type.owner);
    TagTable& table = world_.runtime().tags();
    known.is_complete = true;
    for (const std::string& text : ClassInfo::of(type).tags) {
        auto tag = table.find(text);
        if (!tag) {
            known.is_complete = false;  // perhaps it is declared later
        } else if (!known.tags.has_exact(*tag) && known.tags.add(*tag)) {
            known.uses.push_back(table.use(*tag, fmt::format("class {}", type.name)));
        }
    }
    return known.tags;
}

TagContainer ActorTags::all(ActorId actor) const {
    TagContainer tags;
    if (const auto found = counts_.find(actor); found != counts_.end()) {
        for (const TagCounts::Entry& entry : found->second)
            if (entry.count > 0) tags.add(entry.tag);
    } else if (const Type* type = world_.levels().class_of(actor)) {
        tags = of_class(*type);
    }
    return tags;
}

Status ActorTags::check_class(const Type& type) const {
    for (const std::string& text : ClassInfo::of(type).tags)
        if (auto tag = world_.runtime().tags().find(text); !tag)
            return Status::invalid("class {} gives a tag that nobody declared: {}", type.name, tag.status().text());
    return Status::ok();
}

bool ActorTags::is_at_class(const Actor& actor) const {
    const TagCounts* counts = find(actor);
    if (counts == nullptr) return true;
    const TagContainer& given = of_class(actor.type());
    std::size_t matching = 0, entries = 0;
    for (const TagCounts::Entry& entry : *counts) {
        if (entry.count == 0) continue;  // a parent, there through others
        ++entries;
        if (entry.count == 1 && given.has_exact(entry.tag)) ++matching;
    }
    return matching == entries && entries == given.count();
}

void ActorTags::forget(Actor& actor) {
    if ((actor.flags_ & Actor::kTagged) == 0) return;
    counts_.erase(actor.id());
    actor.flags_ &= static_cast<std::uint8_t>(~Actor::kTagged);
}

}  // namespace lyre::inline world
