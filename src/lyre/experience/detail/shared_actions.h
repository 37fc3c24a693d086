// experience/detail/shared_actions.h: the actions of experiences as the process sees them.
//
// One entry per kind and content, made when the first host has decoded the action and gone when the last lets it go;
// its hooks of the process run in between (E-51). It owns the decoded object, so whether a kind's type may be
// unregistered is answered here. A use is a hold; when the last is dropped unloading and unregistering run. Hooks run
// under the feature that the kind comes from, since it is its code, else under an owner of the entry's own; what they
// leave behind is taken away. Their roles are those of the worlds that use it when it comes up, for all its life: a
// world of a further role that joins later finds it up, and has what its role needs from its own bundles and its own
// activating. Frame's thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lyre/experience/plan.h"
#include "lyre/experience/timeline.h"
#include "lyre/features/action_run.h"
#include "lyre/features/ledger.h"

namespace lyre::experience::detail {

class SharedActions;

// Whose the spans of hooks are, and where they belong; no timeline: nobody looks.
struct SpanPlace {
    std::string_view where{};  // "experience:tag, action 2 (note)"
    Timeline* timeline = nullptr;
    std::uint32_t generation = 0;
    SpanId parent{};
};

// As long as one hook runs: "experience:tag, action 2 (note): loading".
class [[nodiscard]] TimedHook {
public:
    TimedHook(const SpanPlace& place, std::string_view hook) : timeline_(place.timeline) {
        if (timeline_ != nullptr)
            id_ = timeline_->begin(SpanKind::ActionHook, place.where, place.generation, place.parent, hook);
    }
    ~TimedHook() {
        if (timeline_ != nullptr) timeline_->end(id_);
    }
    TimedHook(const TimedHook&) = delete;
    TimedHook& operator=(const TimedHook&) = delete;

private:
    Timeline* timeline_;
    SpanId id_{};
};

struct SharedAction {
    PlannedAction first;        // kind, hash, and where it was used first
    features::ActionPart part;  // decoded; required, whatever is written: who uses it knows better
    Owner owner;                // of its hooks of the process
    features::Roles roles{};    // of the worlds that use it, or have
    bool is_of_feature = false;
    std::unique_ptr<features::ActionRun> run;  // of the process
    bool is_up = false;                        // registering and loading went well
    bool is_coming_up = false;                 // one of them runs now
    std::size_t users = 0;
    std::string where() const { return first.where(); }  // "experience:tag, action 2 (note)"
};

// One use of an entry. Move-only; may outlive the table it came from.
class SharedUse {
public:
    SharedUse() = default;
    SharedUse(SharedUse&& other) noexcept = default;
    SharedUse& operator=(SharedUse&& other) noexcept;
    ~SharedUse() { release(); }
    std::vector<std::string> release(const SpanPlace& spans = {});  // what went wrong on the way back
    bool is_last_of_up() const { return entry_ != nullptr && entry_->run != nullptr && entry_->users == 1; }
    SharedAction* get() const { return entry_.get(); }
    SharedAction* operator->() const { return entry_.get(); }
    explicit operator bool() const { return entry_ != nullptr; }

private:
    friend class SharedActions;
    std::weak_ptr<SharedActions> table_;
    std::shared_ptr<SharedAction> entry_;
};

class SharedActions : public std::enable_shared_from_this<SharedActions> {
public:
    explicit SharedActions(const features::ActionServices& services);

    SharedUse find(std::uint64_t hash, features::Roles roles);  // empty: there is none yet
    SharedUse add(SharedAction entry, features::Roles roles);   // there was none
    // registering, loading; ok if they were done. If one fails its way back has run, and `problems` are what went wrong
    // there.
    Status bring_up(SharedAction& entry, Name experience, const SpanPlace& spans, std::vector<std::string>& problems);
    // A hook of the process runs now, of it or of an earlier life of the same action: who wants it waits.
    bool is_in_hook(const SharedAction& entry) const;
    const std::map<std::uint64_t, std::shared_ptr<SharedAction>>& all() const { return all_; }  // by hash
    const features::ActionServices& services() const { return services_; }

    // The feature that a kind comes from; none: the library's or the program's own.
    static bool is_of_feature(const Type& type) { return type.owner.kind == OwnerKind::Feature; }
    Owner owner_for(const Type& type, Name experience);
    // Takes away what hooks under this owner have left behind; gives a line for each.
    enum class Only : bool { Owner, TheseRuns };  // all that is the owner's, or what hooks of these runs registered
    std::vector<std::string> sweep(const Owner& owner, std::vector<const features::ActionRun*> runs,
                                   Only only = Only::Owner);

private:
    friend class SharedUse;
    SharedUse use(const std::shared_ptr<SharedAction>& entry, features::Roles roles);
    std::vector<std::string> let_go(const std::shared_ptr<SharedAction>& entry, const SpanPlace& spans);
    std::vector<std::string> take_back(SharedAction& entry, const SpanPlace& spans);

    features::ActionServices services_;
    std::map<std::uint64_t, std::shared_ptr<SharedAction>> all_;
    std::vector<const SharedAction*> leaving_;  // whose hooks on the way back run now
    std::uint32_t serials_ = 0;
    Connection listing_;
};

}  // namespace lyre::experience::detail
