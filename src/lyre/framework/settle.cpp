// Once per frame: selections that follow changed tags, components and predicates, and requests spread over frames.
#include <algorithm>

#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {
namespace {

constexpr std::size_t kLateRounds = 4;  // whoever still comes or goes in these is named

}  // namespace

Status ExtensionTables::add_predicate(Name name, std::function<bool(const Actor&)> holds) {
    if (!name || !holds) return Status::invalid("a predicate needs a name and a function");
    if (has_ended_) return Status(StatusCode::Unavailable, "the component manager has gone");
    if (predicates_.contains(name)) return Status::exists("there is a predicate {} already", name);
    predicates_[name] = std::make_shared<const Predicate>(
        Predicate{std::move(holds), Owner::current(), next_registration(), runtime_.clock().now_us()});
    predicate_changed(name);
    return Status::ok();
}

Status ExtensionTables::remove_predicate(Name name) {
    const auto found = predicates_.find(name);
    if (found == predicates_.end()) return Status::not_found("there is no predicate {}", name);
    const Call call(*this);
    retire(std::move(found->second));
    predicates_.erase(found);
    predicate_changed(name);
    return Status::ok();
}

void ExtensionTables::predicate_changed(Name name) {
    ++verdicts_version_;
    std::vector<Serial> asking;
    const auto collect = [&](const auto& entries) {
        for (const auto& [serial, entry] : entries)
            if (entry->selector.predicate == name) asking.push_back(serial);
    };
    collect(requests_);
    collect(handlers_);
    receivers_.each([&](Receiver& receiver) {
        const auto is_asked = [&](const auto& verdict) {
            return std::find(asking.begin(), asking.end(), verdict.first) != asking.end();
        };
        if (std::erase_if(receiver.verdicts, is_asked) > 0) mark_dirty(receiver);
    });
}

void ExtensionTables::invalidate(Actor& actor) {
    Receiver* receiver = receivers_.find(actor);
    if (receiver == nullptr) return;
    ++verdicts_version_;
    if (receiver->verdicts.empty()) return;
    receiver->verdicts.clear();
    mark_dirty(*receiver);
}

void ExtensionTables::mark_dirty(Receiver& receiver) {
    if (receiver.is_dirty || receiver.is_leaving) return;
    receiver.is_dirty = true;
    dirty_.push_back(receiver.ref);
    has_work_ = true;
}

void ExtensionTables::settle() {
    if (!has_work_ || is_settling_) return;
    const Call call(*this);
    is_settling_ = true;
    serve_spread();
    for (std::size_t round = 0; !dirty_.empty() && round < Extensions::kMaxRounds; ++round) {
        is_late_round_ = round + kLateRounds >= Extensions::kMaxRounds;
        for (ReceiverRef ref : std::exchange(dirty_, {})) refresh(ref);
    }
    if (!dirty_.empty()) report_restless();
    restless_.clear();
    is_settling_ = is_late_round_ = false;
    has_work_ = !spread_.empty();
}

void ExtensionTables::refresh(ReceiverRef ref) {
    Receiver* receiver = receivers_.find(ref);
    if (receiver == nullptr) return;
    receiver->is_dirty = false;
    if (receiver->actor->is_doomed()) return;
    const World::CallScope scope(receiver->world());
    const Plan& plan = plan_of(receiver->actor->type());
    // Down first, in reverse: handlers hear of it while the components are there.
    for (auto handler = plan.handlers.rbegin(); handler != plan.handlers.rend(); ++handler) {
        receiver = receivers_.find(ref);
        if (receiver == nullptr) return;
        if (receiver->find_told(**handler) == nullptr || matches(**handler, *receiver)) continue;
        note(**handler, "handler for " + (*handler)->selector.to_string());
        retract(**handler, ref, events::kExtensionRemoved);
    }
    for (auto request = plan.requests.rbegin(); request != plan.requests.rend(); ++request) {
        receiver = receivers_.find(ref);
        if (receiver == nullptr) return;
        if (receiver->find_want(**request) == nullptr || matches(**request, *receiver)) continue;
        note(**request, (*request)->to_string());
        withdraw(**request, ref);
    }
    bring(ref, plan);
}

void ExtensionTables::bring(ReceiverRef ref, const Plan& plan) {
    for (Request* request : plan.requests) {
        Receiver* receiver = receivers_.find(ref);
        if (receiver == nullptr) return;
        if (request->is_leaving || !matches(*request, *receiver) || request->is_leaving) continue;
        Want* want = receiver->find_want(*request);
        if (want != nullptr && !want->may_change()) continue;
        if (want != nullptr)  // what stood in the way may have gone
            receiver->erase_want(*want);
        else
            note(*request, request->to_string());
        apply(*request, ref);
    }
    for (Handler* handler : plan.handlers) {
        Receiver* receiver = receivers_.find(ref);
        if (receiver == nullptr) return;
        if (handler->is_leaving || receiver->find_told(*handler) != nullptr || !matches(*handler, *receiver)) continue;
        note(*handler, "handler for " + handler->selector.to_string());
        introduce(*handler, ref, events::kExtensionAdded);
    }
}

void ExtensionTables::note(const Entry& entry, const std::string& what) {
    if (is_late_round_) restless_.insert(fmt::format("{} of {}", what, entry.who()));
}

// Each request its own share.
void ExtensionTables::serve_spread() {
    for (Serial serial : std::vector<Serial>(spread_)) {
        const auto found = requests_.find(serial);
        if (found == requests_.end()) continue;
        const std::shared_ptr<Request> request = found->second;
        for (std::size_t n = 0; n < request->per_frame && !request->is_leaving; ++n) {
            if (request->next == request->waiting.size()) break;
            const ReceiverRef ref = request->waiting[request->next++];
            Receiver* receiver = receivers_.find(ref);
            if (receiver != nullptr && matches(*request, *receiver)) apply(*request, ref);
        }
        if (request->next < request->waiting.size() || request->is_leaving) continue;
        request->waiting = {};
        request->next = 0;
        std::erase(spread_, serial);
    }
}

void ExtensionTables::report_restless() {
    std::string names;
    for (const std::string& name : restless_) names += (names.empty() ? "" : "; ") + name;
    runtime_.log().report(LogLevel::Error, Name("framework.settle"), "",
                          fmt::format("not settled after {} rounds: {}", Extensions::kMaxRounds, names));
    for (ReceiverRef ref : std::exchange(dirty_, {}))
        if (Receiver* receiver = receivers_.find(ref)) receiver->is_dirty = false;
}

}  // namespace lyre::framework
