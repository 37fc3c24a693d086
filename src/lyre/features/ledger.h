// features/ledger.h: everything that a feature has registered and that is still there.
//
// Nothing is entered by hand: every registry knows the owner of each thing in it (core/owner.h), and whatever code of a
// feature registers, in a hook, a timer or a callback, is its feature's. So the ledger is a question, asked of all
// registries at once, and cannot forget anything. Entries come in the order in which they were registered; what hook
// of which action that was, and in which world, is told by its number.
//
// remove_leftovers() takes away what is still there though its time is over, newest first. Frame's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lyre/assets/assets.h"
#include "lyre/core/owner.h"
#include "lyre/core/type_builder.h"
#include "lyre/features/action_run.h"
#include "lyre/features/named_code.h"
#include "lyre/world/runtime.h"

namespace lyre::features {

enum class LedgerKind : std::uint8_t {
    Type,
    Subsystem,
    ActionKind,
    ContentType,
    Root,  // a folder of content
    Tag,
    Variable,
    ConsoleCommand,
    Handler,   // code by name
    Function,  // code by name
    ExtensionHandler,
    ComponentRequest,
    Predicate,
    StickyEvent,
    InitListener,
    InitNeed,
    Asset,  // a hold on assets
    Timer,
    Subscription,
    Metric,
    Observer,
    Instance,  // an actor, component or subsystem of one of its types
};
std::string_view to_string(LedgerKind kind);  // "component request"
void describe(EnumBuilder<LedgerKind>& e);

struct LedgerEntry {
    LedgerKind kind = LedgerKind::Type;
    std::string id{};           // "TagScore", "Health to Pawn"
    std::string place{};        // "action 2 (add_components), activating", "tag.cpp:12"; empty: not known
    std::string world{};        // empty: the process
    std::int64_t since_us = 0;  // the runtime's clock: when the hook ran in or after which it was registered
    std::int64_t number = 0;    // of registration
    static void describe(TypeBuilder<LedgerEntry>& t);
};

// What is needed to find one's entries, and to say where they came from.
struct LedgerQuery {
    ActionServices services;
    Owner owner;
    std::vector<const ActionRun*> runs{};  // of the owner: their spans say which hook it was
    const World* only_world = nullptr;     // entries of this world alone: timers, requests, what its hooks registered
    bool with_instances = true;
    bool leftovers_only = false;  // without what a feature declares and its registration takes back: types, tags, ...
    bool only_runs = false;       // only what was registered inside a hook of `runs`
    std::uint64_t from = 0, until = UINT64_MAX;  // only what was registered in between, by numbers of registration
    bool without_roots = false;                  // its folder of content is known longer than its code
};

class Ledger {
public:
    static constexpr std::size_t kMaxInstances = 64;  // of one type; more are counted in the last

    static std::vector<LedgerEntry> list(const LedgerQuery& query);
    // Takes away all that list() gives but instances and what it declares, newest first; `told` hears of each, with
    // the reason if it cannot be taken away.
    static void remove_leftovers(const LedgerQuery& query,
                                 const std::function<void(const LedgerEntry&, const Status&)>& told);
    // Takes away what the owner declares: code by name, types, types of content, variables, tags, metrics. Gives why
    // what cannot go cannot.
    static std::vector<Status> remove_declared(const ActionServices& services, const Owner& owner);
};

}  // namespace lyre::features
