#include "game/bots/poet.h"

namespace plectrum {
namespace {

constexpr double kThinkSecs = 0.2;
constexpr float kSees = 3.5f;    // m: solids that steering minds
constexpr float kClear = 0.25f;  // m, beside one's own radius, when walking past
constexpr int kWaysToTurn = 16;
constexpr float kStuckSecs = 0.8f, kStuckWay = 0.5f;  // so little way in that time
constexpr float kDetourSecs = 1.2f;
constexpr float kFar = 1e9f, kBlocked = 20;  // m, that a way costs more
constexpr float kFleeReach = 16;
constexpr int kFleeIdeas = 10;

// Does the way from a to b go through the box, made larger by `by`? Where it goes in: 0 to 1; 2: it does not.
float enters(Vec3 a, Vec3 b, const Solid& box, float by) {
    float first = 0, last = 1;
    const auto slab = [&](float from, float way, float middle, float half) {
        const float low = middle - half - by - from, high = middle + half + by - from;
        if (std::abs(way) < 1e-6f) return low < 0 && high > 0;
        first = std::max(first, std::min(low / way, high / way));
        last = std::min(last, std::max(low / way, high / way));
        return first < last;
    };
    const bool hits = slab(a.x, b.x - a.x, box.centre.x, box.half.x) && slab(a.y, b.y - a.y, box.centre.y, box.half.y);
    return hits ? first : 2;
}

Vec3 unit(Vec3 v) {
    const float long_ = length(v);
    return long_ > 1e-4f ? v * (1 / long_) : Vec3{};
}

}  // namespace

void Poet::describe(TypeBuilder<Poet>& t) {
    t.help("a bot of the arena");
    t.parent<AIController>();
}

void Poet::begin_play() {
    AIController::begin_play();
    ground_.begin(world());
}

void Poet::become(const PlayerState& player) {
    is_somebody_ = true;
    random_ = world().random().stream("bots." + player.player_name());
    character_ = {.stubborn = random_.next_range_float(1.15f, 1.8f),
                  .lead = random_.next_range_float(0, 1),
                  .elbow = random_.next_range_float(1.1f, 2.2f),
                  .pace = random_.next_range_float(0.35f, 0.7f),
                  .taste = random_.next_range_float(0, 360),
                  .sloth = random_.next_range_float(0.3f, 1.5f),
                  .patience = random_.next_range_float(4, 11)};
    next_thought_ = world().time() + random_.next_range_float(0, kThinkSecs);
    objectives_.reserve(kMaxObjectives);
}

void Poet::tick(float) {
    const auto* roster = find_in_match<Roster>(world());
    const Pawn* body = pawn();
    auto* steering = body != nullptr ? body->find<Steering>() : nullptr;
    const PlayerState* player = player_state();
    if (roster == nullptr || steering == nullptr || player == nullptr) return;
    if (!is_somebody_) become(*player);
    const Seat me{player->id(), body->id(), player->team(), body->position(), steering->velocity()};
    if (world().time() >= next_thought_) {
        next_thought_ = world().time() + kThinkSecs;
        think(me);
    }
    const Vec3 way = flat(via_ - me.at);
    const float far = length(flat(goal_ - me.at));
    Vec3 wanted = far > arrived_within_ ? unit(way) * pace_ : Vec3{};
    wanted += push_from_others(me, roster->seats());
    const float hurry = std::min(1.0f, length(wanted));
    steering->steer(hurry > 0.05f ? choose_direction(me, unit(wanted)) * hurry : Vec3{});
}

void Poet::think(const Seat& me) {
    vote();
    ground_.gather(me.at, kSees, solids_);
    if (world().time() < detour_until_) return;
    is_chasing_ = false;
    if (!choose_objective(me)) stroll(me);
    via_ = way_to(me.at, goal_);
    notice_being_stuck(me);
}

// The one that is worth most for its distance; the old one unless another is clearly better. A threat near by first.
bool Poet::choose_objective(const Seat& me) {
    objectives_.clear();
    if (const GameState* state = Match::state(world()))
        each_of<Objectives>(*state, [&](const Objectives& source) { source.list(me, objectives_); });
    const Objective* best = nullptr;
    float best_value = 0;
    for (const Objective& one : objectives_) {
        const float far = length(flat(one.at - me.at));
        if (one.worth < 0 && far < one.radius) {
            flee(me, one);
            return true;
        }
        const float liking = 1 + 0.25f * cosine(character_.taste + one.at.x * 7 + one.at.y * 13);
        const bool is_old = has_objective_ && length(flat(one.at - objective_at_)) < 2;
        const bool is_boring = world().time() < bored_until_ && length(flat(one.at - bored_of_)) < 2;
        const float value =
            one.worth * liking * (is_old ? character_.stubborn : 1) * (is_boring ? 0.2f : 1) / (far + 10);
        if (one.worth <= 0 || value <= best_value) continue;
        best = &one;
        best_value = value;
    }
    const bool is_new = best != nullptr && (!has_objective_ || length(flat(best->at - objective_at_)) > 2);
    has_objective_ = best != nullptr;
    if (best == nullptr) return false;
    objective_at_ = best->at;
    pace_ = 1;
    is_chasing_ = best->radius < 1;
    if (is_chasing_) {
        const float far = length(flat(best->at - me.at));
        goal_ = ground_.inside(best->at + best->velocity * (character_.lead * std::min(1.0f, far / 6)), kHeroRadius);
        arrived_within_ = 0.1f;
    } else if (is_new || world().time() >= next_stroll_) {  // somewhere in it, now here, now there
        goal_ = random_place(best->at, best->radius * 0.7f);
        arrived_within_ = 0.5f;
        next_stroll_ = world().time() + 2 + character_.sloth;
    }
    grow_bored(me, *best);
    return true;
}

void Poet::grow_bored(const Seat& me, const Objective& objective) {
    if (is_chasing_ || length(flat(me.at - objective.at)) > objective.radius) {
        there_since_ = -1;
        return;
    }
    pace_ = character_.pace;
    if (there_since_ < 0) there_since_ = world().time();
    if (world().time() - there_since_ < character_.patience) return;
    there_since_ = -1;
    bored_of_ = objective.at;
    bored_until_ = world().time() + 2 * character_.patience;
}

void Poet::stroll(const Seat& me) {
    pace_ = character_.pace;
    arrived_within_ = 0.6f;
    const bool has_arrived = length(flat(goal_ - me.at)) < arrived_within_;
    if (has_arrived && next_stroll_ > world().time() + character_.sloth)
        next_stroll_ = world().time() + character_.sloth;
    if (world().time() < next_stroll_) return;
    goal_ = random_place(me.at, 20);
    next_stroll_ = world().time() + 12;
}

// Of some places around the one that is farthest from the threat, on a way that does not lead past it.
void Poet::flee(const Seat& me, const Objective& threat) {
    has_objective_ = false;
    pace_ = 1;
    arrived_within_ = 0.3f;
    const Vec3 away = unit(flat(me.at - threat.at));
    const Vec3 next = threat.at + threat.velocity * 0.5f;
    const auto value = [&](Vec3 place) {
        const Vec3 way = unit(flat(place - me.at));
        const float detour = is_way_free(me.at, place) ? 0 : 6;
        return length(flat(place - next)) + 5 * dot(way, away) - detour;
    };
    float best = length(flat(goal_ - me.at)) > 2 ? value(goal_) + 2 : -1000;  // stays with what it had in mind
    for (int i = 0; i < kFleeIdeas; ++i) {
        const Vec3 place = random_place(me.at + away * 4, kFleeReach);
        const float worth = value(place);
        if (worth <= best) continue;
        best = worth;
        goal_ = place;
    }
}

void Poet::notice_being_stuck(const Seat& me) {
    const double now = world().time();
    const bool wants_to_go = length(flat(goal_ - me.at)) > arrived_within_;
    if (!wants_to_go || length(flat(me.at - stood_at_)) > kStuckWay * pace_) {
        stood_at_ = me.at;
        stood_since_ = now;
        return;
    }
    if (now - stood_since_ < kStuckSecs) return;
    via_ = random_place(me.at, 6);
    detour_until_ = now + kDetourSecs;
    next_stroll_ = 0;
    stood_since_ = now + kDetourSecs;
}

void Poet::vote() {
    auto* ballot = find_in_match<Ballot>(world());
    PlayerState* player = player_state();
    if (ballot == nullptr || player == nullptr || ballot->choices() == 0) {
        vote_at_ = -1;
        return;
    }
    // Poets stay when a lobby goes, and the next one has another ballot that begins with round 1.
    const std::uint64_t here = std::uint64_t{ballot->generation()} << 32 | ballot->round();
    if (voted_in_ == here) return;
    if (vote_at_ < 0) vote_at_ = world().time() + random_.next_range_float(1, 6);
    if (world().time() < vote_at_) return;
    voted_in_ = here;
    vote_at_ = -1;
    ballot->vote(*player, random_.next_below(ballot->choices()));
}

bool Poet::is_way_free(Vec3 from, Vec3 to) const {
    bool is_free = true;
    ground_.each_wall([&](const Solid& wall) { is_free = is_free && enters(from, to, wall, kHeroRadius) > 1; });
    return is_free;
}

// Straight, or first to a corner of the first wall on the way. Walls stand apart, so from there it goes on.
Vec3 Poet::way_to(Vec3 from, Vec3 to) const {
    std::optional<Solid> first;
    float where = 1;
    ground_.each_wall([&](const Solid& wall) {
        const float at = enters(from, to, wall, kHeroRadius + 0.05f);
        if (at >= where) return;
        where = at;
        first = wall;
    });
    if (!first) return to;
    std::array<Vec3, 4> corners;  // in order around it
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Vec3 half = first->half + Vec3{kHeroRadius + kClear, kHeroRadius + kClear, 0};
        corners[i] = first->centre + Vec3{i == 1 || i == 2 ? half.x : -half.x, i >= 2 ? half.y : -half.y, 0};
    }
    const auto onward = [&](std::size_t i) {
        if (enters(corners[i], to, *first, kHeroRadius) > 1) return length(flat(to - corners[i]));
        float least = kFar;  // around one more corner
        for (const std::size_t next : {(i + 1) % 4, (i + 3) % 4})
            least = std::min(least, length(flat(corners[next] - corners[i])) + length(flat(to - corners[next])));
        return least;
    };
    Vec3 best = to;
    float least = kFar;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        if (!(ground_.inside(corners[i], kHeroRadius) == corners[i])) continue;
        // Of two ways that are as long the one to the farther corner: whoever is at one goes on.
        float cost = 0.9f * length(flat(corners[i] - from)) + onward(i);
        if (!is_way_free(from, corners[i])) cost += kBlocked;
        if (cost >= least) continue;
        least = cost;
        best = corners[i];
    }
    return best;
}

// Ways to turn to are judged by where they lead and by how soon they run into something.
Vec3 Poet::choose_direction(const Seat& me, Vec3 wanted) const {
    constexpr float kLook[] = {0.35f, 0.9f, 1.6f}, kBad[] = {2.0f, 0.9f, 0.35f};
    Vec3 best = wanted;
    float best_value = -1000;
    for (int i = 0; i < kWaysToTurn; ++i) {
        // Turns left and right of what is wanted: 0, 22.5, -22.5, 45 ...
        const float turn = static_cast<float>((i + 1) / 2) * (i % 2 == 0 ? -22.5f : 22.5f);
        const float c = cosine(turn), s = sine(turn);
        const Vec3 way = {wanted.x * c - wanted.y * s, wanted.x * s + wanted.y * c, 0};
        float value = c + 0.1f * dot(way, unit(me.velocity));
        for (std::size_t n = 0; n < std::size(kLook); ++n) {
            const Vec3 there = me.at + way * kLook[n];
            bool is_blocked = !(ground_.inside(there, kHeroRadius) == there);
            for (std::size_t k = 0; k < solids_.size() && !is_blocked; ++k)
                is_blocked =
                    solids_[k].distance(there) < kHeroRadius && solids_[k].distance(me.at) > solids_[k].distance(there);
            if (is_blocked) value -= kBad[n];
        }
        if (value > best_value) {
            best_value = value;
            best = way;
        }
        if (i == 0 && value > 0.85f) break;  // the way is free
    }
    return best;
}

Vec3 Poet::push_from_others(const Seat& me, std::span<const Seat> seats) const {
    Vec3 push;
    if (is_chasing_) return push;
    for (const Seat& other : seats) {
        const Vec3 from = flat(me.at - other.at);
        const float far = length(from);
        if (other.pawn == me.pawn || far >= character_.elbow) continue;
        push += unit(from) * ((character_.elbow - far) / character_.elbow);
    }
    return push;
}

// Not inside anything.
Vec3 Poet::random_place(Vec3 around, float reach) {
    Vec3 place = around;
    for (int i = 0; i < 4; ++i) {
        const float yaw = random_.next_range_float(0, 360), far = reach * std::sqrt(random_.next_float01());
        place = ground_.inside(around + direction(yaw) * far, 2 * kHeroRadius);
        ground_.gather(place, kHeroRadius + kClear, at_place_);
        if (at_place_.empty()) break;
    }
    return place;
}

}  // namespace plectrum
