#include "game/arena_core/hero.h"

#include "lyre/core/utf8.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/player_state.h"

namespace plectrum {
namespace {

constexpr float kAcceleration = 40;  // m/s²: a sixth of a second to full speed
constexpr float kTopSpeed = 100;     // m/s, whatever settings and traits say
constexpr int kSlides = 3;           // corners have two sides, and a third look for what that pushed into

constexpr std::array<std::string_view, 4> kKeys = {"Right", "Left", "Up", "Down"};
constexpr std::array<Vec3, 4> kWays = {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}};

}  // namespace

void HeroWalk::describe(TypeBuilder<HeroWalk>& t) {
    t.help("walks where it is steered, around what is solid");
    t.parent<Steering>();
    t.property("velocity", &HeroWalk::velocity_).replicated().units("m/s");
    t.property("top_speed", &HeroWalk::top_speed_).replicated().units("m/s").help("with all traits");
    t.tick_in(TickGroup::PrePhysics);
}

void HeroWalk::begin_play() {
    ground_.begin(world());
    tick(0);
}

void HeroWalk::steer(Vec3 direction) {
    if (is_finite(direction)) world().movers().hand(*this, {at_most(flat(direction), 1)}).ignore();
}

// A client that only shows the hero has it from the server.
void HeroWalk::tick(float) {
    if (actor().role() == Role::SimulatedProxy) return;
    auto speed = static_cast<float>(speed_.get(world()));
    each_of<HeroTrait>(actor(), [&](const HeroTrait& trait) { speed *= trait.speed_factor(); });
    top_speed_ = bounded(speed, 0.0f, kTopSpeed);
}

// It may come from elsewhere: no speed but one that a step could have made, and a place that is none stays what it was.
void HeroWalk::restore(const State& state) {
    velocity_ = is_finite(state.velocity) ? at_most(flat(state.velocity), kTopSpeed) : Vec3{};
    top_speed_ = bounded(state.top_speed, 0.0f, kTopSpeed);
    actor().set_position(state.position).ignore();
}

void HeroWalk::step(const Command& command, const MoverStep& step) {
    Vec3 velocity = velocity_;
    if (velocity == Vec3{} && command.direction == Vec3{}) return;
    velocity += at_most(at_most(command.direction, 1) * top_speed_.get() - velocity, kAcceleration * step.dt);
    // No further at once than it is wide, so that nothing solid is stepped over.
    const int parts = 1 + static_cast<int>(length(velocity) * step.dt / kHeroRadius);
    Vec3 to = actor().position();
    for (int i = 0; i < parts; ++i) to = slide(to + velocity * (step.dt / static_cast<float>(parts)), velocity);
    velocity_ = velocity;
    actor().set_position(to).ignore();  // finite: speeds are bounded
}

// Out of everything solid, and no faster into it.
Vec3 HeroWalk::slide(Vec3 to, Vec3& velocity) {
    ground_.gather(to, kHeroRadius, solids_);
    for (int i = 0; i < kSlides && !solids_.empty(); ++i)
        for (const Solid& solid : solids_) {
            const float deep = kHeroRadius - solid.distance(to);
            Vec3 out = to - solid.nearest(to);
            const float far = length(out);
            if (deep <= 0) continue;
            const float speed = length(velocity);
            out = far > 0 ? out * (1 / far) : speed > 0 ? velocity * (-1 / speed) : Vec3{1, 0, 0};  // inside: back
            to += out * deep;
            velocity += out * std::max(0.0f, -dot(velocity, out));
        }
    const Vec3 kept = ground_.inside(to, kHeroRadius);
    if (kept.x != to.x) velocity.x = 0;
    if (kept.y != to.y) velocity.y = 0;
    return kept;
}

void ArenaInput::describe(TypeBuilder<ArenaInput>& t) {
    t.help("what a person's input does with a hero");
    t.parent<HeroComponent>();
    t.remote<&ArenaInput::vote>("vote").to_server().reliable().quota(4);
}

void ArenaInput::tick(float) {
    if (!pawn().is_locally_controlled_by_player()) return;
    Vec3 direction = axis_;
    for (std::size_t i = 0; i < kWays.size(); ++i)
        if (is_held_[i]) direction += kWays[i];
    if (auto* steering = pawn().find<Steering>()) steering->steer(direction);
}

// Input is unbound: whoever was steering has no keys here any more, whether or not anybody has said that they are up.
void ArenaInput::handle_exit_init_state(Name from, Name to) {
    HeroComponent::handle_exit_init_state(from, to);
    axis_ = {};
    is_held_ = {};
}

void ArenaInput::input_action(Name action, const InputValue& value) {
    const std::string_view text = action.text();
    const bool is_pressed = value.kind == InputValue::Kind::Pressed;
    if (value.kind == InputValue::Kind::Axis) axis_ = value.axis;
    for (std::size_t i = 0; i < kKeys.size(); ++i)
        if (text == kKeys[i]) is_held_[i] = is_pressed;
    if (is_pressed && text.starts_with("Vote") && text.size() == 5) call<&ArenaInput::vote>(text[4] - '1');
}

void ArenaInput::vote(std::int32_t choice) {
    auto* ballot = find_in_match<Ballot>(world());
    PlayerState* player = pawn().player_state();
    if (ballot != nullptr && player != nullptr && choice >= 0) ballot->vote(*player, static_cast<std::size_t>(choice));
}

void ArenaHero::describe(TypeBuilder<ArenaHero>& t) {
    t.help("what people and bots play");
    t.parent<Pawn>();
    t.component<PawnExtensionComponent>("extension");
    t.component<ArenaInput>("hero");
    t.component<InputComponent>("input");
    t.component<Marker>("marker");
    t.component<HeroWalk>("walk");
    t.radius(kHeroRadius);
    t.tick_in(TickGroup::Late, 0.1f);
}

void ArenaHero::begin_play() {
    Pawn::begin_play();
    paint();
}

void ArenaHero::tick(float) {
    paint();
}

// The first letter of its player's name in the colour of its team, unless a trait says otherwise.
void ArenaHero::paint() {
    auto* marker = find<Marker>();
    if (!has_authority() || marker == nullptr) return;
    const PlayerState* player = player_state();
    Look look{Shape::Circle, look_of_team(player != nullptr ? player->team() : kNoTeam).colour, kHeroRadius, "@"};
    if (player != nullptr && !player->player_name().empty())
        look.glyph = player->player_name().substr(0, first_character(player->player_name()).size);
    each_of<HeroTrait>(*this, [&](const HeroTrait& trait) {
        if (const auto colour = trait.colour()) look.colour = *colour;
    });
    marker->look = look;
}

}  // namespace plectrum
