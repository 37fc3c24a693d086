// framework/detail/extension_tables.h: all that Extensions knows, and the steps it is made of.
//
// Everything acts at once, also from inside callbacks. What makes that safe: whatever calls user code has written down
// what it is about to do before (the component in its list, the handler in the receiver's), and asks afterwards whether
// receiver, request and handler are still there. Requests, handlers and plans that go meanwhile stay in memory until
// the outermost call is over, and so do actors and components (World::CallScope).
//
//     extension_tables.cpp  what requests and handlers have in common: levels, plans, whom they mean
//     receivers.cpp    coming and going of receivers, worlds and types
//     requests.cpp     component requests: judged, applied, withdrawn
//     handlers.cpp     handlers: introduced to receivers, called, retracted
//     events.cpp       events, sticky ones
//     settle.cpp       selections that follow tags, components and predicates; requests spread over frames
//     extension_list.cpp      what one owner has registered
//     extension_explain.cpp, extension_dump.cpp
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lyre/framework/detail/receiver_table.h"
#include "lyre/world/game_instance.h"

namespace lyre::framework {

class ExtensionTables : public std::enable_shared_from_this<ExtensionTables> {
public:
    // The requests and handlers whose class part fits one class, in calling order.
    struct Plan {
        std::uint32_t type_order = 0;
        std::uint64_t version = 0;
        std::vector<Request*> requests;
        std::vector<Handler*> handlers;
    };
    // What dump() prints.
    struct Dump {
        struct Row {
            std::vector<std::pair<std::string, std::string>> fields;
            Row& add(std::string name, std::string value) {
                fields.emplace_back(std::move(name), std::move(value));
                return *this;
            }
            friend auto operator<=>(const Row&, const Row&) = default;
        };
        struct Section {
            std::string name;
            std::vector<Row> rows;
            Row& row(std::string name, std::string value) {
                return rows.emplace_back().add(std::move(name), std::move(value));
            }
        };
        Section& section(std::string name) { return sections.emplace_back(Section{std::move(name), {}}); }
        std::deque<Section> sections;
    };
    // Stands around everything that may call user code. The tables stay in memory, though the manager may go.
    class Call {
    public:
        explicit Call(ExtensionTables& tables) : tables_(tables) { ++tables.depth_; }
        ~Call() {
            if (--tables_.depth_ == 0 && (!tables_.retired_.empty() || tables_.self_ != nullptr)) tables_.let_go();
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

    private:
        ExtensionTables& tables_;
    };

    explicit ExtensionTables(GameInstance& game) : game_(game), runtime_(game.runtime()) {}
    void begin();
    void end();
    bool has_ended() const { return has_ended_; }

    // receivers.cpp
    Status add_receiver(Actor& actor);
    Status remove_receiver(Actor& actor);
    ReceiverTable& receivers() { return receivers_; }

    // requests.cpp
    Result<Serial> add_request(const Selector& to, Name component_class, RequestOptions options);
    std::vector<RequestResult> results(Serial serial);
    RequestResult result_of(Receiver& receiver, const Want& want);

    // handlers.cpp
    Result<Serial> add_handler(const Selector& to, ExtensionHandler callback, HandlerOptions options);
    void drop(Serial serial);       // of either
    Status refuse_nesting() const;  // ok, unless callbacks have called each other too deep
    bool is_known(Serial serial) const { return requests_.contains(serial) || handlers_.contains(serial); }

    // events.cpp
    EventResult send(Actor& actor, Name event, const EventPayload& payload, Sticky sticky);
    bool clear_sticky(Actor& actor, Name event);

    // settle.cpp
    Status add_predicate(Name name, std::function<bool(const Actor&)> holds);
    Status remove_predicate(Name name);
    void invalidate(Actor& actor);
    void settle();

    // extension_list.cpp
    std::vector<ExtensionInfo> entries_of(const Owner& owner) const;
    bool remove_entry(std::uint64_t registered);

    // extension_explain.cpp, extension_dump.cpp
    ComponentReport component_report(const Component& component);
    ReceiverReport receiver_report(const Actor& actor);
    WhyNotReport why_not_report(const Actor& actor, Name component_class);
    std::string dump();
    std::string dump_json();
    std::size_t receivers_left(Serial serial) const;
    std::size_t table_sizes() const;

private:
    friend class Call;
    struct Predicate {
        std::function<bool(const Actor&)> holds;
        Owner owner;
        std::uint64_t registered = 0;
        std::int64_t since_us = 0;
    };
    // The part of a selector that fails.
    struct Mismatch {
        enum class Part : std::uint8_t { None, World, Tags, Lacks, Has, Predicate, NotJudged } part = Part::None;
        Name name;  // world, component or predicate
    };
    struct WorldLink {
        World* world;
        Connection component_registered, component_ending, actor_ended, tag_changed, ended;
    };

    // receivers.cpp
    WorldLink& link(World& world);
    void listen(WorldLink& link);
    void world_ended(World& world);
    void component_registered(Component& component);
    void component_ending(Component& component);
    void actor_ended(Actor& actor);
    void type_added(const Type& type);
    void list_requests(const Type& type, std::vector<TypeUse>& uses) const;
    void remove(ReceiverRef ref);
    template <class T> void retire(T thing) { retired_.push_back(std::make_shared<T>(std::move(thing))); }

    // extension_tables.cpp
    Status fill(Entry& entry, const Selector& to, Ordering ordering, World* world, std::string place);
    Status enter(std::unordered_map<Name, Level>& levels, Entry& entry);
    void leave(std::unordered_map<Name, Level>& levels, Entry& entry);
    const Plan& plan_of(const Type& type);  // good inside the Call it is asked in
    void let_go();
    static int level_in(const Entry& entry, const Type& type);  // -1: its class is none of the type's
    // The receivers whose class fits, one after the other; `visit(Receiver&)` may do anything.
    template <class Visit> void each_of_class(const Entry& entry, ReceiverTable::Walk::Order order, Visit visit) {
        ReceiverTable::Walk walk(receivers_, order);
        const Type* last = nullptr;
        bool fits = false;
        while (Receiver* receiver = walk.next()) {
            const Type& type = receiver->actor->type();
            if (&type != last) fits = level_in(entry, type) >= 0;
            last = &type;
            if (fits) visit(*receiver);
        }
    }
    // Of one whose class fits. matches() may run a predicate, which may do anything; mismatch() goes by its last
    // answer.
    bool matches(const Entry& entry, Receiver& receiver) {
        if (entry.world != nullptr && entry.world != &receiver.world()) return false;
        return entry.is_plain || matches_query(entry, receiver);
    }
    bool matches_query(const Entry& entry, Receiver& receiver);
    Mismatch mismatch(const Entry& entry, Receiver& receiver) const;
    std::string to_text(const Mismatch& mismatch, const Entry& entry, const Receiver& receiver);
    void judge_predicate(const Entry& entry, Receiver& receiver);
    // Runs user code; what it throws is reported.
    template <class Function> void guarded(ActorId actor, Name what, Function function) {
        try {
            function();
        } catch (const std::exception& error) {
            report_throw(actor, what, error.what());
        } catch (...) {
            report_throw(actor, what, "an exception");
        }
    }
    void report_throw(ActorId actor, Name what, std::string_view text);

    // requests.cpp
    void apply(Request& request, ReceiverRef ref);
    bool find_class(Request& request) const;
    Want judge(Request& request, Receiver& receiver);
    Want judge_flags(Request& request, Receiver& receiver, const Type& type);
    void make(const Want& judged, Receiver& receiver);
    void failed_to_make(Receiver& receiver, Serial injected, const Status& why);
    void lose(Receiver& receiver, const Injected& injected);
    void lose_what_has_gone(Receiver& receiver);
    void withdraw(Request& request, ReceiverRef ref);
    void report_flags(const Request& request, const Receiver& receiver);
    // Asked for by who calls, as it costs.
    void trace_applied(std::string_view kind, const Entry& entry, std::string_view what, const Receiver& receiver,
                       std::string_view result) const;
    void drop_request(std::shared_ptr<Request> request);

    // handlers.cpp
    void introduce(Handler& handler, ReceiverRef ref, Name event);
    void replay(Handler& handler, ReceiverRef ref, Serial before);
    void retract(Handler& handler, ReceiverRef ref, Name event);
    bool call(Told& told, Receiver& receiver, Name event, const EventPayload& payload);
    static bool is_before(const Told& a, const Told& b);
    void sort_told(Receiver& receiver);
    void drop_handler(std::shared_ptr<Handler> handler);

    // events.cpp
    Status keep_sticky(ReceiverRef ref, Name event, const EventPayload& payload);
    void forget_sticky(Receiver& receiver, StickyEvent& kept);
    std::size_t dispatch(ReceiverRef ref, Name event, const EventPayload& payload);

    // settle.cpp
    void mark_dirty(Receiver& receiver);
    void refresh(ReceiverRef ref);
    void bring(ReceiverRef ref, const Plan& plan);
    void note(const Entry& entry, const std::string& what);
    void predicate_changed(Name name);
    void serve_spread();
    void report_restless();

    // extension_explain.cpp, extension_dump.cpp
    std::string state_of(const Request& request, Receiver& receiver);
    Dump collect();
    void collect_entries(Dump::Section& requests, Dump::Section& handlers, Dump::Section& unknown);

    GameInstance& game_;
    Runtime& runtime_;
    bool has_ended_ = false;
    ReceiverTable receivers_;
    std::map<Serial, std::shared_ptr<Request>> requests_;
    std::map<Serial, std::shared_ptr<Handler>> handlers_;
    std::unordered_map<Name, Siblings> siblings_;  // by class of component; they stay where they are
    std::unordered_map<Name, Level> request_levels_, handler_levels_;  // by class
    std::vector<std::unique_ptr<Plan>> plans_;                         // by Type::slot
    std::uint64_t version_ = 1;                                        // of requests and handlers, for plans
    std::uint64_t order_version_ = 1;  // an edge may have turned the order of those who were there
    Serial next_serial_ = 1;
    std::map<Name, std::shared_ptr<const Predicate>> predicates_;
    std::uint64_t verdicts_version_ = 1;  // some were taken back since
    std::set<std::pair<Serial, Serial>> reported_flags_;
    std::vector<std::unique_ptr<WorldLink>> links_;
    Connection type_added_, listing_;
    std::size_t looking_at_tags_ = 0, looking_at_components_ = 0;  // entries whose selector does

    std::vector<ReceiverRef> dirty_;
    std::vector<Serial> spread_;
    std::set<std::string> restless_;  // requests and handlers that came or went in a late round
    bool has_work_ = false;           // for settle()
    bool is_settling_ = false, is_late_round_ = false;
    bool is_judging_ = false;  // a predicate runs

    std::size_t depth_ = 0, event_depth_ = 0;
    bool is_letting_go_ = false;
    std::vector<std::shared_ptr<void>> retired_;
    std::shared_ptr<ExtensionTables> self_;  // from the end to the end of the outermost Call
};

}  // namespace lyre::framework
