#include "lyre/world/level.h"

#include <algorithm>
#include <cmath>

#include "lyre/core/random.h"
#include "lyre/world/runtime.h"
#include "lyre/world/world.h"

namespace lyre::inline world {
namespace {

void note(Problems& problems, std::string text) {
    Problem problem;
    problem.text = std::move(text);
    problems.add(std::move(problem));
}

}  // namespace

const LevelPoint* Level::find_point(Name name) const {
    for (const LevelPoint& point : points_)
        if (point.name == name) return &point;
    return nullptr;
}

// Adding and removing.

Result<LevelId> Levels::add(const LevelDef& def) {
    if (world_.has_ended()) return Status::refused("world {} has ended", world_.def().name);
    auto level = std::make_unique<Level>();
    if (Status status = fill(*level, def); !status.is_ok()) return status;
    auto range = find_range(level->rows_.count());
    if (!range) return range.status();
    level->first_index_ = *range;
    level->generation_ = next_generation_++;
    for (const Type* type : level->classes_) world_.tags().of_class(*type);
    const LevelId id{level->first_index_, level->generation_};
    levels_[level->first_index_] = std::move(level);
    return id;
}

Status Levels::fill(Level& level, const LevelDef& def) const {
    Problems problems;
    level.name_ = def.name;
    level.experience_ = def.experience;
    level.bounds_ = def.bounds;
    const std::vector<LevelFault> faults = find_faults(def);
    for (const LevelFault& fault : faults)
        note(problems, fault.path.empty() ? fault.text : fmt::format("{}: {}", fault.path, fault.text));
    for (std::size_t i = 0; i < def.points.size(); ++i)
        if (!is_finite(def.points[i].at) || !std::isfinite(def.points[i].yaw))
            note(problems, fmt::format("point[{}]: a coordinate is not a number", i));
    level.points_ = def.points;
    level.boxes_ = def.boxes;

    RowBuilder builder(kMaxRows);
    const auto begin_block = [&](Name class_name, const std::string& where) {
        auto type = world_.runtime().types().get(class_name.text());
        if (!type) return note(problems, fmt::format("{}: {}", where, type.status().text())), false;
        const ClassInfo* info = ClassInfo::find(**type);
        if (info == nullptr || !info->is_actor)
            return note(problems, fmt::format("{}: {} is not an actor class", where, class_name)), false;
        if (!ClassInfo::can_be_made(**type))
            return note(problems, fmt::format("{}: class {} cannot be made: it is abstract", where, class_name)), false;
        auto known = std::find(level.classes_.begin(), level.classes_.end(), *type);
        if (known == level.classes_.end()) known = level.classes_.insert(known, *type);
        if (Status status = builder.begin_block(
                {static_cast<std::uint32_t>(known - level.classes_.begin()), class_name.hash(), info->radius});
            !status.is_ok())
            note(problems, status.text());
        return true;
    };

    std::size_t wanted = def.placed.size();
    for (const Scatter& scatter : def.scatters)
        if (scatter.count > 0 && scatter.count <= static_cast<std::int64_t>(kMaxRows))
            wanted += static_cast<std::size_t>(scatter.count);
    const Status fits = builder.reserve(wanted);
    if (!fits.is_ok()) note(problems, fits.text());
    for (std::size_t i = 0; i < def.placed.size(); ++i) {
        const PlacedActor& placed = def.placed[i];
        const std::string where = fmt::format("placed[{}]", i);
        if (!begin_block(placed.class_name, where)) continue;
        if (Status status = builder.add(placed.at, placed.yaw, placed.scale); !status.is_ok())
            note(problems, fmt::format("{}: {}", where, status.text()));
    }
    const PropertyInfo& count_property = *type_of_record<Scatter>().find_property(Name("count"));
    for (std::size_t i = 0; i < def.scatters.size(); ++i) {
        const Scatter& scatter = def.scatters[i];
        const std::string where = fmt::format("scatter[{}]", i);
        const bool known = begin_block(scatter.class_name, where);
        const Status countable = count_property.check_range(&scatter.count);
        if (!countable.is_ok()) note(problems, fmt::format("{}: {}", where, countable.text()));
        const Box& area = scatter.area;
        if (!known || !countable || !faults.empty() || !fits.is_ok()) continue;
        Random random(static_cast<std::uint64_t>(scatter.seed));
        for (std::int64_t n = 0; n < scatter.count; ++n) {
            const float x = random.next_range_float(area.min.x, area.max.x),
                        y = random.next_range_float(area.min.y, area.max.y);
            const float z = area.min.z == area.max.z ? area.min.z : random.next_range_float(area.min.z, area.max.z);
            const float yaw = random.next_float01() * 360;
            if (Status status = builder.add({x, y, z}, yaw, 1); !status.is_ok()) {
                note(problems, fmt::format("{}: {}", where, status.text()));
                break;
            }
        }
    }
    if (!problems.is_empty()) return problems.to_status(fmt::format("level {}", def.name));
    level.rows_ = builder.finish();
    return Status::ok();
}

// The lowest free range of ids that is long enough. A level without rows takes one, so that its id is its own.
Result<std::uint32_t> Levels::find_range(std::uint32_t count) const {
    std::uint64_t first = World::kFirstRowIndex;
    for (const auto& [begin, level] : levels_) {
        if (begin - first >= std::max(count, 1u)) break;
        first = begin + std::max<std::uint64_t>(level->rows_.count(), 1);
    }
    if (first + count > 0xFFFF'FFFFull)
        return Status::capacity("there is no room for {} more rows in this world", count);
    return static_cast<std::uint32_t>(first);
}

Status Levels::remove(LevelId id) {
    if (find(id) == nullptr) return Status::not_found("no level {}", id);
    if (world_.is_in_callback()) return Status::refused("a level is removed between ticks");
    if (end_actors(id, EndReason::LevelRemoved) != nullptr) levels_.erase(id.index);
    return Status::ok();
}

Status Levels::reset(LevelId id) {
    if (find(id) == nullptr) return Status::not_found("no level {}", id);
    if (world_.is_in_callback()) return Status::refused("a level is reset between ticks");
    if (Level* level = end_actors(id, EndReason::Rested)) level->rows_.reset();
    return Status::ok();
}

// Newest first. Meanwhile no row of the level can be touched: that would make actors which nobody ends. Gives the
// level, or none if one of them ended the world.
Level* Levels::end_actors(LevelId id, EndReason reason) {
    Level& level = *levels_.at(id.index);
    level.is_ending_ = true;
    {
        const World::CallScope scope(world_);
        std::vector<Actor*> all;
        for (const auto& [row, actor] : level.actors_) all.push_back(actor);
        std::sort(all.begin(), all.end(), [](const Actor* a, const Actor* b) { return a->serial_ > b->serial_; });
        for (Actor* actor : all)
            if (!actor->is_doomed()) world_.doom(*actor, reason);
    }
    if (find(id) == nullptr) return nullptr;
    level.is_ending_ = false;
    return &level;
}

const Level* Levels::find(LevelId id) const {
    const auto found = levels_.find(id.index);
    return found != levels_.end() && found->second->generation_ == id.generation ? found->second.get() : nullptr;
}

std::vector<LevelId> Levels::all() const {
    std::vector<LevelId> ids;
    for (const auto& [first, level] : levels_) ids.push_back({first, level->generation_});
    return ids;
}

void Levels::end() {
    levels_.clear();
}

// Rows and their actors.

Levels::Place Levels::place_of(ActorId id) const {
    if (id.index < World::kFirstRowIndex) return {};
    auto behind = levels_.upper_bound(id.index);
    if (behind == levels_.begin()) return {};
    Level& level = *std::prev(behind)->second;
    if (!level.contains(id)) return {};
    return {&level, id.index - level.first_index_};
}

const Level* Levels::level_of(ActorId id) const {
    return place_of(id).level;
}

Actor* Levels::find_actor(ActorId id) const {
    const Place place = place_of(id);
    if (place.level == nullptr) return nullptr;
    const auto found = place.level->actors_.find(place.row);
    return found == place.level->actors_.end() ? nullptr : found->second;
}

Actor* Levels::actor_at(std::uint32_t index) const {
    const auto behind = levels_.upper_bound(index);
    return behind == levels_.begin() ? nullptr : find_actor({index, std::prev(behind)->second->generation_});
}

Result<Actor*> Levels::touch(ActorId id, Name reason) {
    if (Actor* actor = world_.find(id)) return actor;
    const Place place = place_of(id);
    if (place.level == nullptr) return Status::not_found("there is no actor {}", id);
    Level& level = *place.level;
    if (level.rows_.state(place.row) == RowState::Destroyed) return Status::not_found("{} was destroyed", id);
    if (level.is_ending_) return Status::refused("level {} is being removed or reset", level.name_);
    if (level.actors_.count(place.row) != 0) return Status::refused("{} is just going to rest", id);
    const Transform transform = level.rows_.transform(place.row);
    auto actor = world_.make_actor(level.class_of(place.row), {transform, Role::Authority}, id);
    if (!actor) return actor.status();
    if (world_.net_mode() == NetMode::Client) (*actor)->role_ = Role::SimulatedProxy;
    level.rows_.set_state(place.row, RowState::Touched);
    level.actors_[place.row] = nullptr;
    ++touches_[reason];
    world_.counters_.touches->add();
    static const Name kTouch("row.touch");
    world_.trace_.event(kTouch, id, "{}", reason);
    if (Status status = world_.bring_up(**actor); !status.is_ok()) return status;
    Actor* made = world_.find(id);
    if (made == nullptr) return Status::refused("{} destroyed itself when it was touched", id);
    return made;
}

void Levels::actor_here(Actor& actor) {
    const Place place = place_of(actor.id_);
    place.level->actors_[place.row] = &actor;
}

void Levels::actor_leaves(Actor& actor, EndReason reason) {
    const Place place = place_of(actor.id_);
    place.level->actors_[place.row] = nullptr;
    place.level->rows_.set_state(place.row, reason == EndReason::Destroyed ? RowState::Destroyed : RowState::Touched);
}

void Levels::actor_gone(ActorId id) {
    const Place place = place_of(id);
    place.level->actors_.erase(place.row);
    if (place.level->rows_.state(place.row) == RowState::Touched)
        place.level->rows_.set_state(place.row, RowState::Resting);
}

// A row, also one whose actor is just going to rest. For other reasons than destruction it has gone already.
bool Levels::destroy_row(ActorId id, EndReason reason) {
    const Place place = place_of(id);
    if (place.level == nullptr || place.level->rows_.state(place.row) == RowState::Destroyed) return false;
    if (reason == EndReason::Destroyed) place.level->rows_.set_state(place.row, RowState::Destroyed);
    return true;
}

Status Levels::rest(ActorId id) {
    Actor* actor = world_.find(id);
    if (actor == nullptr) return exists(id) ? Status::ok() : Status::not_found("there is no actor {}", id);
    if (Status status = why_not_at_rest(*actor); !status.is_ok()) return status;
    static const Name kRest("row.rest");
    world_.trace_.event(kRest, id, "{}", actor->type().name);
    world_.doom(*actor, EndReason::Rested);
    return Status::ok();
}

Status Levels::why_not_at_rest(const Actor& actor) const {
    const ActorId id = actor.id_;
    const Place place = place_of(id);
    if (place.level == nullptr) return Status::refused("{} was not placed in a level", id);
    if (const auto held = holds_.find(id); held != holds_.end() && !held->second.expired())
        return Status::refused("{} is held", id);
    if (world_.timers().has_any(id)) return Status::refused("{} has a timer", id);
    if (!world_.tags().is_at_class(actor)) return Status::refused("{} has other tags than its class", id);
    if (actor.transform() != place.level->rows_.transform(place.row))
        return Status::refused("{} is not where it was placed", id);
    const auto differs = [](const Object& object, std::size_t first) -> const PropertyInfo* {
        const Type& type = object.type();
        for (std::size_t i = first; i < type.properties.size(); ++i)
            if (!type.properties[i].equal(Pool::of(&object).whole(&object), type.defaults)) return &type.properties[i];
        return nullptr;
    };
    if (const PropertyInfo* property = differs(actor, Actor::kScale + 1))
        return Status::refused("{} of {} is not at its default", property->name, id);
    const auto& made = Pool::of(&actor).made_slots;
    std::size_t count = 0;
    for (Component* component = actor.first_component(); component != nullptr; component = component->next()) {
        if (component->is_doomed()) continue;
        if (const PropertyInfo* property = differs(*component, 0))
            return Status::refused("{}.{} of {} is not at its default", component->name(), property->name, id);
        if (component->is_guest()) continue;
        if (count >= made.size())
            return Status::refused("{} has component {}, which its class does not give it", id, component->name());
        if (component->name() != made[count].name || &Pool::of(component) != made[count].pool)
            return Status::refused("{} has component {} where its class gives it {}", id, component->name(),
                                   made[count].name);
        ++count;
    }
    if (count < made.size()) return Status::refused("{} has lost its component {}", id, made[count].name);
    return Status::ok();
}

Result<ActorHold> Levels::hold(ActorId id) {
    if (world_.find(id) == nullptr) return Status::not_found("there is no actor {}", id);
    if (holds_.size() >= sweep_holds_at_) {  // seldom enough that a hold costs the same however many there are
        std::erase_if(holds_, [](const auto& entry) { return entry.second.expired(); });
        sweep_holds_at_ = std::max<std::size_t>(64, 2 * holds_.size());
    }
    ActorHold hold;
    auto& known = holds_[id];
    hold.count_ = known.lock();
    if (hold.count_ == nullptr) known = hold.count_ = std::make_shared<char>();
    return hold;
}

bool Levels::exists(ActorId id) const {
    return class_of(id) != nullptr;
}

const Type* Levels::class_of(ActorId id) const {
    if (const Actor* actor = world_.find(id)) return &actor->type();
    const Place place = place_of(id);
    if (place.level == nullptr || place.level->rows_.state(place.row) == RowState::Destroyed) return nullptr;
    return &place.level->class_of(place.row);
}

std::uint64_t Levels::touches(Name reason) const {
    const auto found = touches_.find(reason);
    return found == touches_.end() ? 0 : found->second;
}

void Levels::list_instances(const Type& type, std::vector<TypeUse>& uses) const {
    for (const auto& [first, level] : levels_)
        if (std::find(level->classes_.begin(), level->classes_.end(), &type) != level->classes_.end())
            uses.push_back(
                {fmt::format("level {} in {} places it", level->name_, world_.owner().to_string()), world_.owner()});
}

}  // namespace lyre::inline world
