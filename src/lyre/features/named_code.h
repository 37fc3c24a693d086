// features/named_code.h: code that content calls by name: handlers of events, and functions that actions run.
//
//     LYRE_FEATURE(tag) {
//         feature.handler("tag.touch", [](Actor& actor, Name event, const EventPayload&) { ... });
//         feature.function("tag.deal", [](ActivatingContext& context, const Node& arguments) {
//             return deal(context);
//         });
//     }
//
//     [[action]]
//     kind     = "run"
//     function = "tag.deal"
//
// A name belongs to who registered it and goes with that owner. Whoever uses it holds it: code that another feature
// still uses is not taken away, and the refusal says who uses it. Code may take away its own name, and register others,
// while it runs. Frame's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/content_node.h"
#include "lyre/features/action.h"
#include "lyre/framework/extensions.h"

namespace lyre::features {

using RunFunction = std::function<Status(ActivatingContext& context, const Node& arguments)>;

enum class CodeKind : std::uint8_t { Handler, Function };
std::string_view to_string(CodeKind kind);  // "handler"

struct CodeUser {
    std::string text;  // "feature bots, action 2 (run) (feature bots)"
    Owner owner;
};

struct NamedCodeInfo {
    CodeKind kind;
    Name name;
    Owner owner;
    std::string place;              // "game/tag/tag.cpp:12"
    std::uint64_t registered = 0;   // in the order of all registrations
    std::vector<CodeUser> users{};  // who holds it
};

class NamedCode {
    struct UseRecord {
        std::string user;
        Owner owner;
    };
    template <class F> struct Entry {
        F code;
        NamedCodeInfo info;
    };

public:
    static constexpr std::size_t kMaxEntries = 4096;  // of each kind
    static constexpr std::size_t kMaxUses = 65'536;   // of one entry
    static constexpr std::size_t kMaxListed = 32;     // users named in a refusal

    // A use of one entry: while it lives the code is there to be called, even if its name has gone meanwhile. May
    // outlive the table; not the library that the code is in, so a feature drops its own before it is closed.
    template <class F> class [[nodiscard]] Use {
    public:
        Use() = default;
        const F& operator*() const { return entry_->code; }
        const NamedCodeInfo& info() const { return entry_->info; }  // as registered, without users
        explicit operator bool() const { return entry_ != nullptr; }

    private:
        friend class NamedCode;
        std::shared_ptr<const Entry<F>> entry_;
        std::shared_ptr<const UseRecord> record_;  // the table looks at it and does not hold it
    };
    using HandlerUse = Use<framework::ExtensionHandler>;
    using FunctionUse = Use<RunFunction>;

    NamedCode() = default;
    NamedCode(const NamedCode&) = delete;
    NamedCode& operator=(const NamedCode&) = delete;

    // The owner is the one that is current. A name that is taken is refused, and both places are named.
    Status add_handler(Name name, framework::ExtensionHandler handler, std::string place);
    Status add_function(Name name, RunFunction function, std::string place);
    // Refused while others than its owner use it; the text names them.
    Status remove(CodeKind kind, Name name);

    // Unknown: names the nearest. `user` says who, for refusals; the owner is the one that is current.
    Result<HandlerUse> use_handler(Name name, std::string user);
    Result<FunctionUse> use_function(Name name, std::string user);
    Status has(CodeKind kind, Name name) const;  // not found: names the nearest
    std::vector<NamedCodeInfo> list() const;     // in order of kind and name
    std::vector<NamedCodeInfo> list(const Owner& owner) const;

private:
    template <class F> struct Slot {
        std::shared_ptr<const Entry<F>> entry;
        std::vector<std::weak_ptr<const UseRecord>> uses;  // dead ones go before it grows
    };
    template <class F> using Table = std::map<Name, Slot<F>>;
    template <class F> Status add(Table<F>& table, CodeKind kind, Name name, F code, std::string place);
    template <class F> Result<Use<F>> use(Table<F>& table, CodeKind kind, Name name, std::string user);
    template <class F> static Status unknown(const Table<F>& table, CodeKind kind, Name name);
    template <class F> static Status refuse_if_used(const Slot<F>& slot);
    template <class F> static void append(std::vector<NamedCodeInfo>& infos, const Table<F>& table);

    Table<framework::ExtensionHandler> handlers_;
    Table<RunFunction> functions_;
};

}  // namespace lyre::features
