// tag.cpp: one is "it"; whom it touches is it from then on.
//
//     TagRules   on the GameState: who is it, who touches whom, points for all others
//     TagIt      on the pawn of who is it: another colour, a bit faster; goes with being it
//
// Whoever was it last cannot be touched for tag.NoTagBackSecs, and who has just become it stands stunned for a moment,
// so that the others get away. If it leaves, somebody else becomes it. Each second who is not it gets a point, and
// another one who dares to be near it. Bots that are it go rather for who has not been it for long; the others stay
// where something happens, just out of reach. The server decides; `it` is replicated, and TagIt comes to clients by
// itself.
#include "lyre/core/random.h"
#include "lyre/features/registrar.h"

#include "game/arena_core/api.h"

namespace plectrum {
namespace {

constexpr float kStunnedSecs = 0.8f;
constexpr float kHaste = 1.35f;  // times the speed of others
constexpr float kScoreSecs = 1;
constexpr float kNear = 9;      // m to it: within, others flee, and that they dare to be there counts
constexpr float kAround = 22;   // m to it: where others like to be
constexpr double kRested = 20;  // s since one was it: by then one is worth kEager more to who is
constexpr double kEager = 4;

class TagIt : public HeroTrait {
public:
    using Described = TagIt;
    static void describe(TypeBuilder<TagIt>& t) {
        t.help("is it");
        t.parent<HeroTrait>();
        t.property("stunned", &TagIt::stunned).replicated();
    }
    Property<bool> stunned = false;
    float speed_factor() const override { return stunned ? 0 : kHaste; }
    std::optional<Colour> colour() const override { return Colour::Red; }
};

class TagRules : public Objectives {
public:
    using Described = TagRules;
    static void describe(TypeBuilder<TagRules>& t) {
        t.help("who is it");
        t.parent<Objectives>();
        t.property("it", &TagRules::it_).replicated().help("a player; none: nobody");
    }
    void begin_play();
    void end_play(EndReason reason);
    void tick(float dt);
    void list(const Seat& who, std::vector<Objective>& list) const override;

private:
    void make_it(const Seat& seat);
    void mark(ActorId pawn);  // with TagIt, and nobody else; none: nobody
    void touch(const Seat& it, std::span<const Seat> seats);
    void score(const Seat& it, std::span<const Seat> seats, float dt);
    float worth_of(ActorId player) const;  // to who is it

    struct Turn {
        ActorId player;
        double ended;  // s of world time
    };
    Setting<double> reach_{"tag.Reach"}, no_tag_back_secs_{"tag.NoTagBackSecs"};
    Property<ActorId> it_;
    std::vector<Turn> turns_;  // the last of each who has been it and is there
    ActorId last_;             // who was it before
    ActorId marked_;           // the pawn with TagIt
    double since_ = 0;
    float since_points_ = 0;
    Random random_{0};
};

void TagRules::begin_play() {
    if (!actor().has_authority()) return set_tick_enabled(false);
    random_ = world().random().stream(fmt::format("tag.it.{}", world().tick_number()));
}

void TagRules::end_play(EndReason) {
    mark({});
}

void TagRules::tick(float dt) {
    const auto* flow = game_state().find<MatchFlow>();
    const auto* roster = game_state().find<Roster>();
    if (flow == nullptr || roster == nullptr || !flow->is_playing() || roster->seats().empty()) {
        it_ = ActorId();
        return mark({});
    }
    const std::span<const Seat> seats = roster->seats();
    const auto is_it = [&](const Seat& seat) { return seat.player == it_.get(); };
    auto it = std::find_if(seats.begin(), seats.end(), is_it);
    if (it == seats.end()) {  // the match begins, or it has left
        last_ = {};
        turns_.clear();
        it = seats.begin() + static_cast<std::ptrdiff_t>(random_.next_below(seats.size()));
        make_it(*it);
        if (const auto* player = world().find<PlayerState>(it->player))
            game_state().say(fmt::format("{} is it", player->player_name()));
    }
    mark(it->pawn);
    const bool is_stunned = world().time() - since_ < kStunnedSecs;
    if (const Actor* pawn = world().find(it->pawn))
        if (auto* trait = pawn->find<TagIt>()) trait->stunned = is_stunned;
    score(*it, seats, dt);
    if (!is_stunned) touch(*it, seats);
}

void TagRules::make_it(const Seat& seat) {
    it_ = seat.player;
    since_ = world().time();
    mark(seat.pawn);
}

void TagRules::mark(ActorId pawn) {
    if (marked_ == pawn && (!pawn || (world().find(pawn) != nullptr && world().find(pawn)->find<TagIt>()))) return;
    if (const Actor* before = world().find(std::exchange(marked_, pawn)))
        if (auto* trait = before->find<TagIt>()) world().remove_component(*trait).ignore();
    if (Actor* now = world().find(pawn)) now->add<TagIt>().status().ignore();
}

// The nearest in reach, but not the one it has just been touched by.
void TagRules::touch(const Seat& it, std::span<const Seat> seats) {
    const float reach = 2 * kHeroRadius + static_cast<float>(reach_.get(world()));
    const bool may_tag_back = world().time() - since_ >= no_tag_back_secs_.get(world());
    const Seat* nearest = nullptr;
    float least = reach;
    for (const Seat& seat : seats) {
        if (seat.player == it.player || (seat.player == last_ && !may_tag_back)) continue;
        const float far = length(flat(seat.at - it.at));
        if (far > least) continue;
        least = far;
        nearest = &seat;
    }
    if (nearest == nullptr) return;
    const auto* from = world().find<PlayerState>(it.player);
    const auto* to = world().find<PlayerState>(nearest->player);
    last_ = it.player;
    std::erase_if(turns_,
                  [&](const Turn& turn) { return turn.player == it.player || world().find(turn.player) == nullptr; });
    turns_.push_back({it.player, world().time()});
    make_it(*nearest);
    if (from != nullptr && to != nullptr)
        game_state().say(fmt::format("{} tags {}", from->player_name(), to->player_name()));
}

void TagRules::score(const Seat& it, std::span<const Seat> seats, float dt) {
    since_points_ += dt;
    if (since_points_ < kScoreSecs) return;
    since_points_ -= kScoreSecs;
    for (const Seat& seat : seats)
        if (seat.player != it.player)
            if (auto* player = world().find<PlayerState>(seat.player))
                player->add_score(length(flat(seat.at - it.at)) < kNear ? 2 : 1);
}

float TagRules::worth_of(ActorId player) const {
    double rested = 1;
    for (const Turn& turn : turns_)
        if (turn.player == player) rested = std::min(1.0, (world().time() - turn.ended) / kRested);
    return static_cast<float>(1 + kEager * rested);
}

// It wants everybody, the nearest most, but rather who has not been it for long; the others want to be around, not
// near.
void TagRules::list(const Seat& who, std::vector<Objective>& list) const {
    const auto* roster = game_state().find<Roster>();
    if (!it_.get() || roster == nullptr) return;
    for (const Seat& seat : roster->seats()) {
        if (seat.player == who.player || list.size() >= kMaxObjectives) continue;
        const float far = length(flat(seat.at - who.at));
        if (who.player == it_.get()) {
            if (seat.player != last_ || world().time() - since_ >= no_tag_back_secs_.get(world()))
                list.push_back({seat.at, seat.velocity, 0, worth_of(seat.player)});
        } else if (seat.player == it_.get()) {
            list.push_back(far < kNear ? Objective{seat.at, seat.velocity, kNear, -4}
                                       : Objective{seat.at, seat.velocity, kAround, 1});
        }
    }
}

}  // namespace
}  // namespace plectrum

LYRE_FEATURE(tag) {
    feature.types<plectrum::TagIt, plectrum::TagRules>();
}
