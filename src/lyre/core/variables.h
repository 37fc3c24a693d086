// core/variables.h: the game's settings: typed values by name, and who set them.
//
//     auto stall = *variables.add<double>({.name = "lyre.initstate.StallSecs", .default_value = 5,
//                                          .help = "seconds without progress until it is reported", .min = 0});
//     stall.get();
//
// A variable may be set from several places at once. The highest one counts and the others wait beneath it:
//
//     Code (the default) < ConfigFile < World (variable_layer.h) < Environment < CommandLine < Console
//
// Every value knows the place it came from ("lyre.toml:12:3"). Values may be given before the feature that registers
// the variable is there, and again when it comes back: configure() keeps them until then. In the environment a variable
// is LYRE_ and its name without a leading "lyre.", in capitals, with underscores for dots; the environment is handed
// in.
//
// Change callbacks run at once, inside the call that made the change, and only if the value differs. They may set and
// remove variables, and destroy everything here. Those that answer each other without end are refused sooner or later
// (detail::ChangeNesting). One that throws is reported to the log and keeps nobody else from hearing: who made the
// change never sees it. Whoever registers is the owner; a Variable outlives its registration and keeps the last value.
// Frame's thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/core/name.h"
#include "lyre/core/owner.h"
#include "lyre/core/status.h"
#include "lyre/core/variable_value.h"

namespace lyre::inline core {

class Log;

enum class VariableSource : std::uint8_t { Code, ConfigFile, World, Environment, CommandLine, Console };
inline constexpr std::size_t kVariableSources = 6;
std::string_view to_string(VariableSource source);

struct VariableOrigin {
    VariableSource source = VariableSource::Code;
    std::string place = "code";  // "lyre.toml:12:3", "LYRE_NET_RATE", "--set", "console", "feature tag, action 2"

    friend bool operator==(const VariableOrigin&, const VariableOrigin&) = default;
};

struct VariableFlags {
    bool cheat = false;       // the console sets it only while cheats are allowed
    bool replicated = false;  // clients follow the server's value
    bool read_only = false;   // fixed once the game runs: neither the console nor a world sets it
};

template <class T> struct VariableDef {
    std::string_view name{};  // letters, digits, `_`, and dots between words
    T default_value{};
    std::string_view help{};
    VariableFlags flags{};
    std::optional<T> min{}, max{};  // of numbers; included
};

struct VariableChange {
    Name name;
    VariableValue before, after;
    VariableOrigin origin_before, origin;
};

struct VariableInfo {
    Name name;
    VariableValue value;
    VariableOrigin origin;
    VariableValue default_value;
    std::string help;
    std::string takes;  // "a whole number from 0 to 10"
    VariableFlags flags;
    Owner owner;
    std::uint64_t registered = 0;
};

// A value that waits for its variable, and why it is not in use.
struct VariableProblem {
    std::string name;  // of an environment variable: its name there
    std::string text;
    VariableOrigin origin;
    Status why;
};

namespace detail {

// Counts changes that are made inside callbacks of changes.
struct ChangeNesting {
    static constexpr std::size_t kMaxDepth = 64;      // one inside the other: the stack ends
    static constexpr std::size_t kMaxChanges = 4096;  // inside one that is inside none: callbacks may make several

    Status check(Name variable) const;  // refused: one more is too many
    std::size_t depth = 0;
    std::size_t changes = 0;
    Log* log = nullptr;  // of who made it, the Variables: a layer's has none
};

// Stands while callbacks run; they may destroy what counts them.
class ChangeScope {
public:
    explicit ChangeScope(const std::shared_ptr<ChangeNesting>& nesting);
    ~ChangeScope();
    ChangeScope(const ChangeScope&) = delete;
    ChangeScope& operator=(const ChangeScope&) = delete;
    bool is_alive() const { return !nesting_.expired(); }

private:
    std::weak_ptr<ChangeNesting> nesting_;
};

// Calls all who listen. What they throw goes to the log of `variables`, which may go meanwhile.
void tell(const Delegate<const VariableChange&>& listeners, const VariableChange& change,
          std::weak_ptr<const ChangeNesting> variables);

struct VariableState {
    VariableState(Name n, const VariableDef<VariableValue>& def);
    const VariableValue& default_value() const { return layers[0]->value; }
    VariableInfo info() const;

    struct Layer {
        VariableValue value;
        std::string place;
    };
    Name name;
    std::string help;
    VariableDomain domain;
    VariableFlags flags;
    Owner owner;
    std::uint64_t registered = 0;
    std::array<std::optional<Layer>, kVariableSources> layers;  // by source; World is always empty here
    VariableValue value;                                        // of the highest layer
    VariableOrigin origin;
    Delegate<const VariableChange&> changed;
};

}  // namespace detail

// A registered variable as code sees it. A small value; copies are the same variable.
template <VariableType T> class Variable {
public:
    T get() const { return std::get<T>(state_->value); }  // outside any world; a world's is VariableLayer::get
    Name name() const { return state_->name; }
    const VariableOrigin& origin() const { return state_->origin; }
    Delegate<const VariableChange&>& changed() const { return state_->changed; }

private:
    friend class Variables;
    friend class VariableLayer;
    explicit Variable(std::shared_ptr<detail::VariableState> state) : state_(std::move(state)) {}
    std::shared_ptr<detail::VariableState> state_;
};

class Variables {
public:
    static constexpr std::size_t kMaxVariables = 4096;
    static constexpr std::size_t kMaxWaiting = 4096;  // values without a variable

    explicit Variables(Log* log = nullptr) { nesting_->log = log; }  // which outlives it; null: nobody reads one
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;

    // Takes over what was configured for it. A configured value it refuses is in problems(); the variable is there.
    template <VariableType T> Result<Variable<T>> add(const VariableDef<T>& def) {
        VariableDef<VariableValue> any{def.name, def.default_value, def.help, def.flags, {}, {}};
        if (def.min) any.min = *def.min;
        if (def.max) any.max = *def.max;
        auto state = add_state(any);
        if (!state) return state.status();
        return Variable<T>(*state);
    }
    Status add_value(const VariableDef<VariableValue>& def);  // the default gives the type
    template <VariableType T> Result<Variable<T>> find(std::string_view name) const {
        auto state = find_state(name);
        if (!state) return state.status();
        if (!std::holds_alternative<T>((*state)->value)) return wrong_type(**state);
        return Variable<T>(*state);
    }
    // What was configured waits for the next registration; the console's value is forgotten.
    Status remove(std::string_view name);
    std::size_t remove_all(const Owner& owner);  // how many

    Status set(std::string_view name, std::string_view text, const VariableOrigin& origin);
    Status reset(std::string_view name, VariableSource source);  // takes one source's value away
    // As set(); a value for a variable nobody has registered is kept, the newest per source.
    Status configure(std::string_view name, std::string_view text, const VariableOrigin& origin);
    // Configures what begins with LYRE_ and leaves the rest alone. Gives the values that were refused.
    std::vector<VariableProblem> apply_environment(std::span<const std::pair<std::string, std::string>> environment);
    void allow_cheats(bool allowed) { cheats_allowed_ = allowed; }  // not, at the beginning

    Result<VariableInfo> describe(std::string_view name) const;
    Status takes(std::string_view name, std::string_view text) const;  // would it take this value? Changes nothing
    std::vector<VariableInfo> list() const;                            // in name order
    std::vector<VariableInfo> list(const Owner& owner) const;          // of one owner
    // Configured values that are not in use: misspelt names with the nearest known one, wrong types. To be asked when
    // all features are in; values of variables that have gone are not among them.
    std::vector<VariableProblem> problems() const;
    Delegate<const VariableChange&>& changed() { return changed_; }  // of any variable, after its own callbacks
    // Another number whenever a variable has come or gone, and in every Variables: for who keeps what was found.
    std::uint64_t generation() const { return generation_; }

    static std::string environment_name(std::string_view name);

private:
    friend class VariableLayer;
    using State = detail::VariableState;
    struct Waiting {
        VariableProblem value;
        bool was_in_use = false;
    };
    Result<std::shared_ptr<State>> add_state(const VariableDef<VariableValue>& def);
    Result<std::shared_ptr<State>> find_state(std::string_view name) const;
    void take_waiting(State& state);
    Status keep(std::string_view name, std::string_view text, const VariableOrigin& origin, bool was_in_use);
    void forget_waiting(std::string_view name, VariableSource source);
    void unlist(State& state);
    // Takes its share: a callback may remove the variable.
    Status set_state(std::shared_ptr<State> state, std::string_view text, const VariableOrigin& origin);
    void update(State& state);
    Status unknown(std::string_view name) const;
    static Status wrong_type(const State& state);

    std::unordered_map<Name, std::shared_ptr<State>> states_;
    std::unordered_map<std::string, std::shared_ptr<State>> by_environment_;
    std::vector<Waiting> waiting_;
    Delegate<const VariableChange&> changed_;
    Delegate<const std::shared_ptr<State>&> added_;  // for layers: values wait there
    // Expires with this, also inside a callback.
    std::shared_ptr<detail::ChangeNesting> nesting_ = std::make_shared<detail::ChangeNesting>();
    std::uint64_t generation_ = next_registration();
    bool cheats_allowed_ = false;
};

}  // namespace lyre::inline core
