// control_points.cpp: zones that teams hold.
//
//     ControlPoint   an actor at each point of the level called zone_...: whose it is, and how far a capture is
//     ZoneRules      on the GameState: makes them, looks who stands in them, gives points, tells bots what is worth it
//
// A zone moves towards the team that has more in it, faster the more that are; first to nobody's, then to theirs. With
// as many of both in it nothing moves. Who is of the fewer in a zone and is caught by one of the more goes back to a
// start, so no crowd stands still for long. Every second each zone that is held gives its team a point. The first team
// with control_points.PointsToWin wins. The server decides; clients see the zones' properties, Markers and Labels.
#include "lyre/features/registrar.h"
#include "lyre/gameplay/teams.h"

#include "game/arena_core/api.h"

namespace plectrum {
namespace {

constexpr float kRadius = 5;             // m
constexpr float kCaptureSecs = 5;        // for one, from nobody's
constexpr float kMaxHelp = 3;            // more do not make it faster
constexpr float kScoreSecs = 1;          // a zone gives a point
constexpr std::int64_t kForCapture = 5;  // points of each who was there
constexpr std::size_t kMaxZones = 16;
constexpr float kCatchReach = 2 * kHeroRadius + 0.5f;  // m, from middle to middle
constexpr std::int64_t kForCatch = 2;
constexpr std::int64_t kNearlyWon = 20;  // points that are missing
// To bots: who can be caught is worth more than any zone, and from this near those who can catch are fled.
constexpr float kPrey = 6, kFearReach = 4;

class ControlPoint : public ModularActor {
public:
    using Described = ControlPoint;
    static void describe(TypeBuilder<ControlPoint>& t) {
        t.help("a zone to be held");
        t.parent<ModularActor>();
        t.component<Marker>("marker");
        t.component<Label>("label");
        t.property("title", &ControlPoint::title).replicated();
        t.property("holder", &ControlPoint::holder).replicated().help("team; -1: nobody");
        t.property("taker", &ControlPoint::taker).replicated().help("team whose the progress is");
        t.property("progress", &ControlPoint::progress).replicated().range(0, 1);
        t.radius(kRadius);
    }
    void begin_play() {
        ModularActor::begin_play();
        show();
    }

    Property<std::string> title;
    Property<std::int32_t> holder = kNoTeam;
    Property<std::int32_t> taker = kNoTeam;
    Property<float> progress = 0;

    // A team has more in it. True: it has taken it now.
    bool press(std::int32_t team, float by) {
        if (taker != team) {  // what others have done is undone first
            progress = std::max(0.0f, progress - by);
            if (progress > 0) return false;
            taker = team;
            if (holder != team) holder = kNoTeam;
        }
        progress = std::min(1.0f, progress + by);
        if (progress < 1 || holder == team) return false;
        holder = team;
        return true;
    }
    void show() {
        const TeamLook& team = look_of_team(holder);
        const auto tenths = static_cast<int>(progress * 10) * 10;
        if (!has_authority()) return;
        if (shown_holder_ == holder && shown_taker_ == taker && shown_tenths_ == tenths) return;
        shown_holder_ = holder, shown_taker_ = taker, shown_tenths_ = tenths;
        if (auto* marker = find<Marker>())
            marker->look = Look{Shape::Circle, holder < 0 ? Colour::Plain : team.colour, kRadius, title->substr(0, 1)};
        auto* label = find<Label>();
        if (label == nullptr) return;
        label->text =  // beside the glyph, which is its title's
            progress > 0 && progress < 1 ? fmt::format("{} {}%", look_of_team(taker).name, tenths) : team.name;
    }

private:
    std::int32_t shown_holder_ = kNoTeam, shown_taker_ = kNoTeam;
    int shown_tenths_ = -1;
};

bool is_in(const ControlPoint& zone, const Seat& seat) {
    return length(flat(seat.at - zone.position())) <= kRadius;
}

class ZoneRules : public Objectives {
public:
    using Described = ZoneRules;
    static void describe(TypeBuilder<ZoneRules>& t) {
        t.help("makes zones, and gives points for those that are held");
        t.parent<Objectives>();
        t.tick_in(TickGroup::PrePhysics, 0.1f);
    }
    void begin_play();
    void end_play(EndReason reason);
    void tick(float dt);
    void list(const Seat& who, std::vector<Objective>& list) const override;

private:
    struct Presence {
        std::array<int, kTeams.size()> count{};
        int majority() const { return count[0] - count[1]; }  // below 0: of the second team
    };
    void reset();
    void update(ControlPoint& zone, Presence& here, std::span<const Seat> seats, float dt);
    void catch_fewer(const ControlPoint& zone, int more, std::span<const Seat> seats);
    void reward(const ControlPoint& zone, std::span<const Seat> seats);
    void give_points(MatchFlow& flow);

    Setting<std::int64_t> points_to_win_{"control_points.PointsToWin"};
    std::vector<ActorId> zones_;
    std::array<Presence, kMaxZones> present_{};
    float since_points_ = 0;
    bool was_playing_ = false;
};

void ZoneRules::begin_play() {
    if (!actor().has_authority()) return set_tick_enabled(false);
    for (LevelId id : world().levels().all())
        for (const LevelPoint& point : world().levels().find(id)->points()) {
            constexpr std::string_view kPrefix = "zone_";
            if (!point.name.text().starts_with(kPrefix) || zones_.size() == kMaxZones) continue;
            const auto made = world().spawn<ControlPoint>({.transform = {point.at}}, [&](ControlPoint& zone) {
                std::string title(point.name.text().substr(kPrefix.size()));
                if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] -= 'a' - 'A';
                zone.title = title;
            });
            if (made) zones_.push_back(*made);
        }
}

void ZoneRules::end_play(EndReason) {
    for (ActorId id : std::exchange(zones_, {})) world().destroy(id);
}

void ZoneRules::reset() {
    since_points_ = 0;
    for (ActorId id : zones_)
        if (auto* zone = world().find<ControlPoint>(id)) {
            zone->holder = kNoTeam;
            zone->taker = kNoTeam;
            zone->progress = 0;
            zone->show();
        }
}

void ZoneRules::tick(float dt) {
    auto* flow = game_state().find<MatchFlow>();
    const auto* roster = game_state().find<Roster>();
    const bool is_playing = flow != nullptr && flow->is_playing();
    if (is_playing && !was_playing_) reset();
    was_playing_ = is_playing;
    if (!is_playing || roster == nullptr) return;
    for (std::size_t i = 0; i < zones_.size(); ++i)
        if (auto* zone = world().find<ControlPoint>(zones_[i])) update(*zone, present_[i], roster->seats(), dt);
    since_points_ += dt;
    if (since_points_ < kScoreSecs) return;
    since_points_ -= kScoreSecs;
    give_points(*flow);
}

void ZoneRules::update(ControlPoint& zone, Presence& here, std::span<const Seat> seats, float dt) {
    here = {};
    for (const Seat& seat : seats)
        if (seat.team >= 0 && seat.team < static_cast<std::int32_t>(kTeams.size()) && is_in(zone, seat))
            ++here.count[static_cast<std::size_t>(seat.team)];
    if (here.majority() == 0) return;
    const int team = here.majority() > 0 ? 0 : 1;
    if (here.count[static_cast<std::size_t>(1 - team)] > 0) catch_fewer(zone, team, seats);
    const float help = std::min(kMaxHelp, static_cast<float>(std::abs(here.majority())));
    const std::int32_t before = zone.holder;
    const bool is_taken = zone.press(team, help * dt / kCaptureSecs);
    zone.show();
    if (is_taken) {
        game_state().say(fmt::format("{} takes {}", look_of_team(team).name, zone.title.get()));
        reward(zone, seats);
    } else if (before >= 0 && zone.holder < 0) {
        game_state().say(fmt::format("{} loses {}", look_of_team(before).name, zone.title.get()));
    }
}

void ZoneRules::catch_fewer(const ControlPoint& zone, int more, std::span<const Seat> seats) {
    auto* flow = game_state().find<MatchFlow>();
    for (const Seat& seat : seats) {
        if (seat.team != 1 - more || !is_in(zone, seat)) continue;
        const auto by = std::find_if(seats.begin(), seats.end(), [&](const Seat& one) {
            return one.team == more && is_in(zone, one) && length(flat(one.at - seat.at)) <= kCatchReach;
        });
        if (by == seats.end() || flow == nullptr) continue;
        auto* winner = world().find<PlayerState>(by->player);
        const auto* loser = world().find<PlayerState>(seat.player);
        if (winner == nullptr || loser == nullptr) continue;
        winner->add_score(kForCatch);
        game_state().say(
            fmt::format("{} catches {} in {}", winner->player_name(), loser->player_name(), zone.title.get()));
        flow->send_to_start(seat.player);
    }
}

void ZoneRules::reward(const ControlPoint& zone, std::span<const Seat> seats) {
    for (const Seat& seat : seats)
        if (seat.team == zone.holder && is_in(zone, seat))
            if (auto* player = world().find<PlayerState>(seat.player)) player->add_score(kForCapture);
}

void ZoneRules::give_points(MatchFlow& flow) {
    const auto* teams = game_state().find<TeamCreation>();
    if (teams == nullptr) return;
    const std::int64_t to_win = points_to_win_.get(world());
    bool is_won = false;
    for (ActorId id : zones_) {
        const auto* zone = world().find<ControlPoint>(id);
        Team* team = zone != nullptr && zone->holder >= 0 ? teams->team(zone->holder) : nullptr;
        if (team == nullptr) continue;
        team->add_score(1);
        if (team->score() == to_win - kNearlyWon && kNearlyWon < to_win / 2)
            game_state().say(fmt::format("{} needs {} more", team->title(), kNearlyWon));
        is_won |= team->score() >= to_win;
    }
    if (is_won) flow.finish();
}

// What is not ours yet, what is about to be taken from us, and a little also what we hold; less where mates stand. Where
// one is: whom one can catch, and who can catch.
void ZoneRules::list(const Seat& who, std::vector<Objective>& list) const {
    if (who.team < 0 || who.team >= static_cast<std::int32_t>(kTeams.size())) return;
    const auto mine = static_cast<std::size_t>(who.team);
    const auto* roster = game_state().find<Roster>();
    for (std::size_t i = 0; i < zones_.size(); ++i) {
        const auto* zone = world().find<ControlPoint>(zones_[i]);
        if (zone == nullptr || list.size() >= kMaxObjectives) continue;
        const Presence& here = present_[i];
        const bool is_ours = zone->holder == who.team && zone->progress >= 1;
        const bool am_here = is_in(*zone, who);
        const int mates = here.count[mine] - (am_here ? 1 : 0);
        float worth = is_ours ? 0.6f : 3;
        if (is_ours && here.count[1 - mine] > 0) worth = 4;
        list.push_back({zone->position(), {}, kRadius, worth / (1 + 0.5f * static_cast<float>(std::max(0, mates)))});
        const int more = here.count[mine] - here.count[1 - mine];
        if (!am_here || more == 0 || roster == nullptr) continue;
        for (const Seat& seat : roster->seats())
            if (seat.team == 1 - who.team && is_in(*zone, seat) && list.size() < kMaxObjectives)
                list.push_back(more > 0 ? Objective{seat.at, seat.velocity, 0, kPrey}
                                        : Objective{seat.at, seat.velocity, kFearReach, -1});
    }
}

}  // namespace
}  // namespace plectrum

LYRE_FEATURE(control_points) {
    feature.types<plectrum::ControlPoint, plectrum::ZoneRules>();
}
