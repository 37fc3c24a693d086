// gameplay/input.h: input as a model, without devices.
//
//     LocalPlayer person(Name("one"));                 // somebody at this machine; the front end owns it
//     person.add_context(walking);                     // what devices mean now
//     controller.receive_player(&person);
//     input.bind(Name("Jump"), [](const InputValue& value) { ... });      // the pawn's InputComponent
//     person.press(Name("Space"));                     // Space means Jump in `walking`: the pawn jumps
//
// A front end, or a test, feeds inputs by the names it gives them. Of the contexts in force the one of highest priority
// that maps the input says which action it means (of equal ones the one added last); what none maps reaches nobody.
// The action goes to the InputComponent of the pawn the player steers. A callback may do anything: bind, unbind,
// unpossess, feed on. What it throws is reported each time, and the others are called all the same. It runs as the one
// who bound it, and one of a feature is gone with the feature like a callback of any delegate. An axis that is not
// finite reaches nobody.
//
// An input that is pressed is held until it is released. Whoever has heard the press hears its release, once: when the
// input is let go, whatever it means by then, or before that by itself, when the pawn is steered no more or ends, or
// the callback is unbound. Nobody else hears it, and one that was not pressed is not released. Two cases have none: the
// world ends, or the callback goes with its feature. Frame's thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/pawn_data.h"

namespace lyre::gameplay {

class InputComponent;
class PlayerController;

struct InputValue {
    enum class Kind : std::uint8_t { Pressed, Released, Axis } kind = Kind::Pressed;
    Vec3 axis{};  // of Axis
};
using InputCallback = std::function<void(const InputValue&)>;

// One callback that is bound to an action, known to owners and to features' ledgers.
struct BoundInput {
    Name action;
    Delegate<const InputValue&> callback{};
    std::size_t held = 0;  // inputs whose press it has heard, and not yet their release
};

// Pressed, and not yet let go.
struct HeldInput {
    Name input, action;
    ActorId pawn;
    std::vector<std::shared_ptr<BoundInput>> heard_by{};
    bool is_over = false;
};

class LocalPlayer {
public:
    explicit LocalPlayer(Name name) : name_(name) {}
    ~LocalPlayer();
    LocalPlayer(const LocalPlayer&) = delete;
    LocalPlayer& operator=(const LocalPlayer&) = delete;

    Name name() const { return name_; }
    PlayerController* controller() const { return controller_; }  // null: none yet, or it has gone

    Status add_context(const MappingContext& context);  // refused: one of that name is in force, or kMaxContexts are
    bool remove_context(Name name);
    void clear_contexts() { contexts_.clear(); }
    std::vector<Name> contexts() const;  // in force, in the order they were added
    Name action_of(Name input) const;    // none: no context maps it

    // True: somebody heard it.
    bool press(Name input) { return feed(input, {InputValue::Kind::Pressed, {}}); }
    bool release(Name input) { return feed(input, {InputValue::Kind::Released, {}}); }
    bool axis(Name input, Vec3 value) { return feed(input, {InputValue::Kind::Axis, value}); }
    void release_held(ActorId pawn);  // as if it were let go: what this pawn has heard pressed

private:
    friend class PlayerController;
    Status take(PlayerController& controller);
    void let_go(PlayerController& controller);
    bool feed(Name input, const InputValue& value);

    static constexpr std::size_t kMaxHeld = 64;  // who holds more presses in vain
    bool press(Name input, Name action, InputComponent& receiver);
    bool let_go_of(const std::function<bool(const HeldInput&)>& which);

    Name name_;
    PlayerController* controller_ = nullptr;
    std::vector<MappingContext> contexts_;
    std::vector<std::shared_ptr<HeldInput>> held_;  // oldest first
};

// What a pawn does with actions. A second binding of an action is called after the first.
class InputComponent : public PawnComponent {
public:
    using Described = InputComponent;
    static void describe(TypeBuilder<InputComponent>& t);
    void begin_play();
    void end_play(EndReason reason);
    using BindingId = std::uint64_t;  // no two are the same, of other components neither
    Result<BindingId> bind(Name action, InputCallback callback, const char* file = __builtin_FILE(),
                           int line = __builtin_LINE());  // refused: kMaxInputActions are bound
    bool unbind(BindingId id);
    std::size_t count() const;
    bool act(Name action, const InputValue& value) { return act(action, value, nullptr); }  // true: somebody heard it

private:
    friend class LocalPlayer;
    struct Binding {
        BindingId id;
        std::shared_ptr<BoundInput> bound;
        Connection callback;
    };
    bool act(Name action, const InputValue& value, HeldInput* press);  // notes who hears it, as long as it is held
    std::vector<Binding> bindings_;                                    // by id
};

}  // namespace lyre::gameplay
