// features/action.h: one thing that a feature or an experience does while it is in force.
//
//     struct AddWeather : GameFeatureAction {
//         float strength = 1;
//         static void describe(TypeBuilder<AddWeather>& t) { t.property("strength", &AddWeather::strength); }
//         Status activating(ActivatingContext& context) const override {
//             context.keep(start_rain(context.world(), strength));     // dropped when the feature leaves this world
//             return Status::ok();
//         }
//     };
//
//     [[action]]
//     kind     = "add_weather"            # in feature.toml or an experience
//     strength = 0.5
//
// The hooks of one life, in order:
//
//     registering, loading                  once per process, also if the feature is never active
//     activating, activated, deactivating   once per world that the feature applies to
//     unloading, unregistering              once per process
//
// An action is content: read-only, one object for all worlds. What it needs to remember in a world is its
// context.state<T>(), made on first use; what it must take back it gives to context.keep(): that is dropped, newest
// first, when the world is left, so that an action which keeps everything needs no clean-up of its own. Whatever it
// registers besides is in its feature's ledger. A hook that throws has failed. A context is good during its hook.
// Frame's thread.
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lyre/assets/assets.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/part.h"
#include "lyre/features/side.h"
#include "lyre/world/world.h"

namespace lyre::features {

class ActionRun;  // action_run.h
class NamedCode;  // named_code.h

// What actions work with, lowest first.
struct ActionServices {
    Runtime& runtime;
    assets::Assets& assets;
    NamedCode& code;
};

// Where hooks run, to compare and to find by: a world, or the process. A later world is another one, also where it has
// the name and the address of one that has gone.
struct ContextKey {
    std::uint32_t world = 0;  // serial of its owner; 0: the process
    friend auto operator<=>(const ContextKey&, const ContextKey&) = default;
};

namespace detail {

struct KeptBase {
    virtual ~KeptBase() = default;
    std::uint64_t number = 0;  // of keeping, over all actions of a run
};
template <class T> struct Kept final : KeptBase {
    Kept() : value() {}
    explicit Kept(T v) : value(std::move(v)) {}
    T value;
};

// What one action has in one world (or in the process).
struct ActionMemory {
    static constexpr std::size_t kMaxKept = 65'536;
    std::vector<std::unique_ptr<KeptBase>> kept;  // oldest first
    std::unique_ptr<KeptBase> state;
    Name state_type;
    bool is_over_full = false;  // more was to be kept than may be: the hook has failed
};

struct Pausers;  // action_run.cpp: who is waited for, shared by a run and its tokens

// Shared by a run and the tokens it has given out.
struct RunLife {
    bool is_over = false;
    std::uint64_t dropped = 0;  // completions that came too late
};

}  // namespace detail

// Tells work that goes on after its hook whether leaving has begun. May outlive everything.
//
//     read_later(file, context.cancellation().bind([=](Bytes bytes) { ... }));
class CancelToken {
public:
    CancelToken() = default;  // cancelled
    bool is_cancelled() const { return life_ == nullptr || life_->is_over; }
    // The same callable, until leaving begins: then calls of it do nothing and are counted.
    template <class F> auto bind(F call) const {
        return [life = life_, call = std::move(call)]<class... Args>(Args&&... args) mutable {
            if (life == nullptr || life->is_over) {
                if (life != nullptr) ++life->dropped;
                return;
            }
            call(std::forward<Args>(args)...);
        };
    }

private:
    friend class ActionContext;
    std::shared_ptr<detail::RunLife> life_;
};

// What a hook is told: whose action it is, which one, and what it may work with.
class ActionContext {
public:
    Name feature() const;            // or the experience's name
    const std::string& who() const;  // "feature tag"
    std::size_t index() const;       // as written, from 0
    std::string place() const;       // "action 2 (add_components)": counted from 1, for people
    std::string where() const;       // "feature tag, action 2 (add_components)"
    ContextKey key() const;
    World* find_world() const;  // null in hooks that are the process's
    Roles roles() const;        // of the worlds that the feature is in, as far as they are known; later ones have
                                // only their own hooks
    VariableRank rank() const;  // its place among all actions of its world: for values of which only one can count

    Runtime& runtime() const;
    assets::Assets& assets() const;
    NamedCode& code() const;

    CancelToken cancellation() const;  // of this world (or process)

    // Dropped newest first when the feature leaves (hooks of the process: at unloading or unregistering).
    template <class T> void keep(T handle) { add_kept(std::make_unique<detail::Kept<T>>(std::move(handle))); }
    // This action's own object here; destroyed after its last hook. One type per action.
    template <class T> T& state() {
        auto& memory = this->memory();
        if (memory.state == nullptr) {
            memory.state = std::make_unique<detail::Kept<T>>();
            memory.state_type = type_name<T>();
        }
        LYRE_ASSERT(memory.state_type == type_name<T>(), "an action has one state: put two into a struct");
        return static_cast<detail::Kept<T>*>(memory.state.get())->value;
    }

protected:
    friend class ActionRun;
    ActionContext(ActionRun& run, std::size_t at) : run_(run), at_(at) {}
    detail::ActionMemory& memory() const;
    void add_kept(std::unique_ptr<detail::KeptBase> kept);

    ActionRun& run_;
    std::size_t at_;  // in the order they run
};

class ActivatingContext : public ActionContext {
public:
    World& world() const { return *find_world(); }
    // Is this world one of that side? Never a preview: actions leave worlds without a game alone.
    bool counts(Side side) const { return world().game() != nullptr && counts_for(side, world().net_mode()); }

private:
    friend class ActionRun;
    using ActionContext::ActionContext;
};

// Leaving waits for it: done when told so or dropped. May outlive everything.
class [[nodiscard]] PauseToken {
public:
    PauseToken() = default;
    PauseToken(PauseToken&&) noexcept = default;
    PauseToken& operator=(PauseToken&& other) noexcept;
    ~PauseToken() { done(); }
    void done();  // any number of times

private:
    friend class DeactivatingContext;
    std::weak_ptr<detail::Pausers> pausers_;
    std::shared_ptr<std::uint64_t> late_;
    std::uint64_t number_ = 0;
};

class DeactivatingContext : public ActionContext {
public:
    World& world() const { return *find_world(); }
    PauseToken pause_until_done(std::string name);  // name: for people who ask what is being waited for

private:
    friend class ActionRun;
    using ActionContext::ActionContext;
};

// What validate() sees: a way to say what is wrong where it was written.
//
//     if (tags.is_empty()) check.problem(action_code::kEmptyList, "tags", check.where("tags") + " is empty");
class ActionCheck {
public:
    // `written`: the action's table, or none for one that code made. `options` say how its file and subject are called
    // ("feature tag"), and in `path` which action it is ("action 2").
    ActionCheck(Runtime& runtime, NamedCode& code, const Node& written, const ReadOptions& options, Problems& problems)
        : runtime_(runtime), code_(code), written_(written), options_(options), problems_(problems) {}
    // `key`: of the action's table, "to.class" or "flags[1]"; empty: the action itself.
    void problem(const ProblemCode& code, std::string_view key, std::string text, std::string hint = {});
    void problem_at(const ProblemCode& code, const SourcePlace& place, std::string text, std::string hint = {});
    std::string where(std::string_view key = {}) const;  // `"tags" of action 2 in feature tag`
    const Node& written() const { return written_; }
    Runtime& runtime() const { return runtime_; }
    NamedCode& code() const { return code_; }

private:
    Runtime& runtime_;
    NamedCode& code_;
    const Node& written_;
    const ReadOptions& options_;
    Problems& problems_;
};

enum class ActionNeed : std::uint8_t { Required, Optional };  // an optional one that fails is reported, and that is all
inline void describe(EnumBuilder<ActionNeed>& e) {
    e.value("required", ActionNeed::Required).value("optional", ActionNeed::Optional);
}

struct GameFeatureAction {
    using Described = GameFeatureAction;

    Name name{};  // for before and after of others
    ActionNeed need = ActionNeed::Required;
    std::vector<Name> before{}, after{};

    virtual ~GameFeatureAction() = default;
    virtual Status registering(ActionContext&) const { return Status::ok(); }
    virtual Status loading(ActionContext&) const { return Status::ok(); }
    virtual Status activating(ActivatingContext&) const { return Status::ok(); }
    virtual void activated(ActivatingContext&) const {}
    virtual void deactivating(DeactivatingContext&) const {}
    virtual void unloading(ActionContext&) const {}
    virtual void unregistering(ActionContext&) const {}
    // What it needs loaded before loading(): assets and classes, in the bundles Equipped, Client and Server.
    virtual void add_bundle_data(assets::BundleTable&) const {}
    // All that is wrong with it and that the reader of its keys cannot know; at Registering and by `lyre check`.
    virtual void validate(ActionCheck&) const {}

    static void describe(TypeBuilder<GameFeatureAction>& t);
};

using ActionPart = Part<GameFeatureAction>;

// The order actions run in, by index: as written, but for what before and after say; null ones, which are not there,
// have no part in it. Refused: a circle, printed whole; edges to names nobody has are ignored.
Result<std::vector<std::size_t>> order_actions(const std::vector<const GameFeatureAction*>& actions);

}  // namespace lyre::features

template <> struct std::hash<lyre::features::ContextKey> {
    std::size_t operator()(const lyre::features::ContextKey& key) const noexcept { return key.world; }
};
