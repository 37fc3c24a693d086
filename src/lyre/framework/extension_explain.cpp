// Why a component is there, why it is not, and what a receiver is in touch with.
#include <algorithm>

#include "lyre/core/suggest.h"
#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {
namespace {

double seconds(std::int64_t us) {
    return static_cast<double>(us) / 1e6;
}

std::string level_of(const Entry& entry) {
    return std::string(entry.selector.class_name ? entry.selector.class_name.text() : "any actor");
}

// The nearest miss first.
enum class Distance : std::uint8_t { Waiting, Refused, NoClass, NotSelected, OtherClass };

Distance distance_of(RequestOutcome outcome) {
    if (outcome == RequestOutcome::DeferredToReplication) return Distance::Waiting;
    return outcome == RequestOutcome::ClassUnavailable ? Distance::NoClass : Distance::Refused;
}

}  // namespace

ComponentReport ExtensionTables::component_report(const Component& component) {
    ComponentReport report;
    report.actor = fmt::format("{}", component.actor().id());
    report.component = component.name().text();
    report.class_name = component.type().name.text();
    Receiver* receiver = receivers_.find(component.actor());
    const Injected* injected = receiver != nullptr ? receiver->find_injected(component) : nullptr;
    if (injected == nullptr) return report;
    report.is_injected = true;
    const std::int64_t now = runtime_.clock().now_us();
    for (const Want& want : receiver->wants)
        if (const Request* request = want.request; want.injected == injected->serial)
            report.wanted_by.push_back({request->who(), request->to_string(), to_string(request->flags),
                                        level_of(*request), seconds(now - request->since_us),
                                        request->serial == injected->maker});
    return report;
}

ReceiverReport ExtensionTables::receiver_report(const Actor& actor) {
    ReceiverReport report;
    report.actor = fmt::format("{}", actor.id());
    report.class_name = actor.type().name.text();
    Receiver* receiver = receivers_.find(actor);
    if (receiver == nullptr) return report;
    report.is_receiver = true;
    lose_what_has_gone(*receiver);
    const Plan& plan = plan_of(actor.type());
    for (const Request* request : plan.requests)
        report.requests.push_back({request->to_string(), request->who(), state_of(*request, *receiver)});
    for (const Handler* handler : plan.handlers)
        report.handlers.push_back({handler->selector.to_string(), handler->who(),
                                   receiver->find_told(*handler) != nullptr
                                       ? "is called"
                                       : to_text(mismatch(*handler, *receiver), *handler, *receiver)});
    for (const StickyEvent& sticky : receiver->sticky)
        report.sticky.push_back({std::string(sticky.event.text()),
                                 std::string(sticky.payload.type != nullptr ? sticky.payload.type->name.text() : ""),
                                 seconds(runtime_.clock().now_us() - sticky.since_us)});
    return report;
}

std::string ExtensionTables::state_of(const Request& request, Receiver& receiver) {
    const Want* want = receiver.find_want(request);
    if (want != nullptr) {
        const RequestResult result = result_of(receiver, *want);
        const std::string_view outcome = to_string(result.outcome);
        return result.detail.empty() ? std::string(outcome) : fmt::format("{}: {}", outcome, result.detail);
    }
    const Mismatch part = mismatch(request, receiver);
    if (part.part == Mismatch::Part::None) return "waits for its turn";
    return to_text(part, request, receiver);
}

WhyNotReport ExtensionTables::why_not_report(const Actor& actor, Name component_class) {
    WhyNotReport report;
    report.actor = fmt::format("{}", actor.id());
    report.class_name = actor.type().name.text();
    report.wanted = component_class.text();
    if (const Component* there = actor.find_component_of(component_class)) report.component = there->name().text();
    Receiver* receiver = receivers_.find(actor);
    report.is_receiver = receiver != nullptr;
    if (receiver == nullptr || !report.component.empty()) return report;
    lose_what_has_gone(*receiver);
    std::vector<std::pair<Distance, ExtensionReport>> reasons;
    Nearest known(component_class.text());
    for (const auto& [serial, request] : requests_) {
        known.consider(request->component_class.text());
        if (request->component_class != component_class) continue;
        const Want* want = receiver->find_want(*request);
        const bool is_other = level_in(*request, actor.type()) < 0;
        const Distance distance = is_other          ? Distance::OtherClass
                                  : want != nullptr ? distance_of(want->outcome)
                                  : mismatch(*request, *receiver).part == Mismatch::Part::None ? Distance::Waiting
                                                                                               : Distance::NotSelected;
        const std::string state = is_other ? fmt::format("{} is no {}", actor.type().name, level_of(*request))
                                           : state_of(*request, *receiver);
        reasons.push_back({distance, {request->to_string(), request->who(), state}});
    }
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [distance, reason] : reasons) report.requests.push_back(std::move(reason));
    if (reasons.empty()) report.nearest = known.best();
    return report;
}

}  // namespace lyre::framework
