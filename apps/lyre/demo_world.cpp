#include "apps/lyre/demo_world.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "lyre/world/world_hash.h"

namespace lyre::app {
namespace {

constexpr float kReach = 0.9f;  // m, from a wanderer to the crate it can strike

// What an operator may change about the game, for everything in a world to ask.
struct DemoRules : WorldSubsystem {
    static void describe(TypeBuilder<DemoRules>& t) { t.help("the demo's settings, for its world"); }
    void initialize() {
        const Variables& all = world().runtime().variables();
        pace_ = *all.find<double>("demo.Pace");
        mend_secs_ = *all.find<double>("demo.MendSecs");
    }
    float pace() const { return static_cast<float>(world().variables().get(*pace_)); }
    double mend_secs() const { return world().variables().get(*mend_secs_); }

private:
    std::optional<Variable<double>> pace_, mend_secs_;
};

Status add_settings(Variables& variables) {
    auto pace = variables.add<double>(
        {.name = "demo.Pace", .default_value = 3, .help = "metres per second of a wanderer", .min = 0, .max = 20});
    if (!pace) return pace.status();
    return variables
        .add<double>({.name = "demo.MendSecs",
                      .default_value = 4,
                      .help = "seconds until a struck crate is whole",
                      .min = 0,
                      .max = 3600})
        .status();
}

struct Crate : Actor {
    Property<std::int32_t> health = 3;  // strikes left; archetypes may say otherwise

    static void describe(TypeBuilder<Crate>& t) {
        t.help("a row until somebody bumps into it");
        t.property("health", &Crate::health).replicated().range(1, 1000).units("strikes");
        t.tag("Demo.Crate");
        t.radius(0.4f);
    }
    bool struck() {  // did it break?
        health -= 1;
        if (health <= 0) return world().destroy(id());
        Timers& timers = world().timers();
        timers.cancel(mending_);
        mending_ = timers.after(
            world().subsystems().find<DemoRules>()->mend_secs(), [this] { mend(); }, id());
        return false;
    }

private:
    // At its class's defaults, without a timer and in its place it may be a row again.
    void mend() {
        health = static_cast<const Crate*>(type().defaults)->health.get();
        world().levels().rest(id()).ignore();
    }
    TimerId mending_;
};

// Moves its actor. All it knows is its state and the command, so that a step can be repeated.
struct Walk : Component {
    struct State {
        Vec3 velocity;  // m/s
        static void describe(TypeBuilder<State>& t) { t.property("velocity", &State::velocity); }
    };
    struct Command {
        Vec3 wanted;  // m/s
        static void describe(TypeBuilder<Command>& t) { t.property("wanted", &Command::wanted); }
    };
    Property<Vec3> velocity;

    static void describe(TypeBuilder<Walk>& t) {
        t.help("walks where it is told, turning softly");
        t.property("velocity", &Walk::velocity).units("m/s");
    }
    State capture() const { return {velocity}; }
    void restore(const State& state) { velocity = state.velocity; }
    void step(const Command& command, const MoverStep& step) {
        constexpr float kSwiftness = 8;  // per second: an eighth of a second takes most of the way to what is wanted
        const Vec3 now = velocity;
        velocity = now + (command.wanted - now) * std::min(1.0f, kSwiftness * step.dt);
        actor().set_position(actor().position() + velocity.get() * step.dt).ignore();  // finite: it may
    }
};

// Walks about, and strikes at crates that stand in the way until one breaks or the mood is gone.
struct Wanderer : Actor {
    Property<Name> called;
    Property<float> roam = 0;  // m, from the middle of the world
    Property<std::int32_t> strikes = 0, broken = 0;

    static void describe(TypeBuilder<Wanderer>& t) {
        t.help("walks about and breaks crates");
        t.property("called", &Wanderer::called).replicated();
        t.property("roam", &Wanderer::roam).units("m");
        t.property("strikes", &Wanderer::strikes).replicated();
        t.property("broken", &Wanderer::broken).replicated();
        t.component<Walk>("walk");
        t.tag("Demo.Wanderer");
        t.radius(0.3f);
    }
    void begin_play() {
        random_ = world().random().stream(fmt::format("demo.wanderer.{}", called.get()));
        heading_ = random_.next_range_float(0, 360);
    }
    void tick(float) {
        const double now = world().time();
        Vec3 wanted;
        if (now >= bored_until_ && is_crate_in_reach()) {
            if (now >= next_strike_) strike(now);
        } else {
            if (now >= next_turn_) turn(now);
            wanted = direction(heading_) * world().subsystems().find<DemoRules>()->pace();
        }
        world().movers().hand(*find<Walk>(), {wanted}).ignore();  // it is one of ours and the tick is to come
    }

private:
    bool is_crate_in_reach() {
        found_.clear();
        world().space().find(Circle{position(), kReach}, {.type = world().runtime().types().find<Crate>()}, found_);
        return !found_.empty();
    }
    void strike(double now) {
        const auto nearest = std::min_element(found_.begin(), found_.end(),
                                              [](const Found& a, const Found& b) { return a.distance < b.distance; });
        next_strike_ = now + 0.35;
        if (!random_.chance(0.8f)) bored_until_ = now + 1.5;
        auto crate = world().levels().touch(nearest->id, Name("demo.bump"));  // the row becomes an actor
        if (!crate) return;                                                   // on its way to rest or gone
        strikes += 1;
        if ((*crate)->as<Crate>()->struck()) broken += 1;
    }
    void turn(double now) {
        const bool has_strayed = length(position()) > roam;
        if (has_strayed) bored_until_ = now;
        heading_ = has_strayed ? heading_to_middle() : heading_ + random_.next_range_float(-50, 50);
        next_turn_ = now + random_.next_range_float(0.4f, 1.2f);
    }
    // Of the eight main directions the one that leads back best: no arctangent that two machines round differently.
    float heading_to_middle() const {
        float best = 0;
        for (float yaw = 45; yaw < 360; yaw += 45)
            if (dot(direction(yaw), position()) < dot(direction(best), position())) best = yaw;
        return best;
    }

    Random random_{0};
    float heading_ = 0;  // degrees
    double next_turn_ = 0, next_strike_ = 0, bored_until_ = 0;
    std::vector<Found> found_;
};

std::string name_of(std::int64_t n) {
    constexpr std::string_view kPoets[] = {"Sappho",    "Arion",  "Corinna", "Pindar",  "Praxilla", "Ibycus",
                                           "Telesilla", "Alcman", "Anyte",   "Orpheus", "Nossis",   "Terpander"};
    constexpr auto kCount = static_cast<std::int64_t>(std::size(kPoets));
    return n < kCount ? std::string(kPoets[n]) : fmt::format("{} {}", kPoets[n % kCount], n / kCount + 1);
}

// Set before the actor is brought up, so that its begin_play knows them.
Result<ActorId> spawn_wanderer(World& world, std::int64_t n, float roam) {
    Random places = world.random().stream(fmt::format("demo.place.{}", n));
    const Vec3 at = {places.next_range_float(-roam, roam) / 2, places.next_range_float(-roam, roam) / 2, 0};
    auto made = world.spawn_deferred(*world.runtime().types().find<Wanderer>(), {.transform = {at}});
    if (!made) return made.status();
    auto& wanderer = static_cast<Wanderer&>(made->actor());
    wanderer.called = Name(name_of(n));
    wanderer.roam = roam;
    return made->finish();
}

}  // namespace

Status add_demo(Runtime& runtime) {
    for (std::string_view tag : {"Demo.Crate", "Demo.Wanderer"})
        if (Status status = runtime.tags().declare(tag); !status) return status;
    if (Status status = add_settings(runtime.variables()); !status) return status;
    TypeRegistry& types = runtime.types();
    for (const Status& status : {types.add<DemoRules>().status(), types.add<Crate>().status(),
                                 types.add<Walk>().status(), types.add<Wanderer>().status()})
        if (!status) return status;
    return Status::ok();
}

Result<DemoWorld> DemoWorld::open(GameInstance& game, const DemoDef& def) {
    World& world = game.open_world(
        {.name = Name("demo"), .tick_seconds = 1.0f / static_cast<float>(def.tick_hz), .seed = def.seed});
    auto level = world.levels().add(*def.map);
    if (!level) return level.status();
    const Vec3 size = def.map->bounds.max - def.map->bounds.min;
    const float roam = std::max(8.0f, std::min(size.x, size.y) / 2);  // as far as one gets around the middle
    std::vector<ActorId> wanderers;
    for (std::int64_t n = 0; n < def.wanderers; ++n) {
        auto id = spawn_wanderer(world, n, roam);
        if (!id) return id.status();
        wanderers.push_back(*id);
    }
    world.begin_play();
    return DemoWorld(world, *level, std::move(wanderers));
}

Status DemoWorld::end() {
    world_->end();
    const std::pair<const char*, std::size_t> kinds[] = {{"actors", world_->actor_count()},
                                                         {"components", world_->component_count()},
                                                         {"movers", world_->movers().count()},
                                                         {"timers", world_->timers().count()},
                                                         {"levels", world_->levels().all().size()}};
    std::string left;
    for (const auto& [kind, count] : kinds)
        if (count != 0) left += fmt::format("{}{} {}", left.empty() ? "" : ", ", count, kind);
    return left.empty() ? Status::ok() : Status::failed("{}", left);
}

std::vector<Standing> DemoWorld::standings() const {
    std::vector<Standing> all;
    for (ActorId id : wanderers_)
        if (const auto* w = world_->find<Wanderer>(id))
            all.push_back({id, w->called->text(), w->position(), w->broken, w->strikes});
    std::stable_sort(all.begin(), all.end(), [](const Standing& a, const Standing& b) {
        return a.broken != b.broken ? a.broken > b.broken : a.strikes > b.strikes;
    });
    return all;
}

DemoCounts DemoWorld::counts() const {
    const Rows& rows = world_->levels().find(level_)->rows();
    return {.rows = rows.count(),
            .touches = world_->levels().touches(Name("demo.bump")),
            .awake = rows.count(RowState::Touched),
            .broken = rows.count(RowState::Destroyed),
            .actors = world_->actor_count(),
            .row_bytes = rows.bytes()};
}

std::uint64_t DemoWorld::hash() const {
    return world_hash(*world_);
}

}  // namespace lyre::app
