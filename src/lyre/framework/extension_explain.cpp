// Why a component is there, why it is not, and what a receiver is in touch with.
#include <algorithm>

#include "lyre/core/suggest.h"
#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {
namespace {

std::string seconds(std::int64_t us) {
    return fmt::format("{:.1f} s", static_cast<double>(us) / 1e6);
}

std::string level_of(const Entry& entry) {
    return std::string(entry.selector.class_name ? entry.selector.class_name.text() : "any actor");
}

// Reasons, the nearest miss first.
struct Reasons {
    enum Distance { Waiting, Refused, NoClass, NotSelected, OtherClass };
    void add(Distance distance, std::string text) { all.emplace_back(distance, std::move(text)); }
    std::string to_string() {
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::string text;
        for (const auto& [distance, line] : all) text += line + "\n";
        return text;
    }
    std::vector<std::pair<Distance, std::string>> all;
};

Reasons::Distance distance_of(RequestOutcome outcome) {
    if (outcome == RequestOutcome::DeferredToReplication) return Reasons::Waiting;
    return outcome == RequestOutcome::ClassUnavailable ? Reasons::NoClass : Reasons::Refused;
}

}  // namespace

std::string ExtensionTables::explain_component(const Component& component) {
    const std::string what =
        fmt::format("component {} ({}) of {}", component.name(), component.type().name, component.actor().id());
    Receiver* receiver = receivers_.find(component.actor());
    const Injected* injected = receiver != nullptr ? receiver->find_injected(component) : nullptr;
    if (injected == nullptr) return what + ": not made by the component manager\n";
    std::vector<const Request*> wanting;
    for (const Want& want : receiver->wants)
        if (want.injected == injected->serial) wanting.push_back(want.request);
    std::string text = what + ": made by the component manager\n";
    const std::int64_t now = runtime_.clock().now_us();
    for (const Request* request : wanting)
        text += fmt::format("  wanted by {}: {}, flags {}, class level {}, for {}{}; without it the component {}\n",
                            request->who(), request->to_string(), to_string(request->flags), level_of(*request),
                            seconds(now - request->since_us), request->serial == injected->maker ? ", made it" : "",
                            wanting.size() > 1 ? "would stay" : "would go");
    return text;
}

std::string ExtensionTables::explain_receiver(const Actor& actor) {
    Receiver* receiver = receivers_.find(actor);
    if (receiver == nullptr) return fmt::format("{} ({}) is no receiver\n", actor.id(), actor.type().name);
    const Call call(*this);  // predicates are asked
    lose_what_has_gone(*receiver);
    std::string text = fmt::format("{} ({}) is a receiver\n", actor.id(), actor.type().name);
    const Plan& plan = plan_of(actor.type());
    for (const Request* request : plan.requests)
        text += fmt::format("  request {} of {}: {}\n", request->to_string(), request->who(),
                            state_of(*request, *receiver));
    for (const Handler* handler : plan.handlers)
        text += fmt::format("  handler for {} of {}: {}\n", handler->selector.to_string(), handler->who(),
                            receiver->find_told(*handler) != nullptr
                                ? "is called"
                                : to_text(mismatch(*handler, *receiver), *handler, *receiver));
    for (const StickyEvent& sticky : receiver->sticky)
        text +=
            fmt::format("  sticky event {}{}{}, {} old\n", sticky.event, sticky.payload.type != nullptr ? " with " : "",
                        sticky.payload.type != nullptr ? sticky.payload.type->name.text() : "",
                        seconds(runtime_.clock().now_us() - sticky.since_us));
    return text;
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

std::string ExtensionTables::why_not(const Actor& actor, Name component_class) {
    if (const Component* there = actor.find_component_of(component_class))
        return fmt::format("{} has component {}\n", actor.id(), there->name());
    Receiver* receiver = receivers_.find(actor);
    if (receiver == nullptr) return fmt::format("{} ({}) is no receiver\n", actor.id(), actor.type().name);
    const Call call(*this);  // predicates are asked
    lose_what_has_gone(*receiver);
    Reasons reasons;
    Nearest known(component_class.text());
    for (const auto& [serial, request] : requests_) {
        known.consider(request->component_class.text());
        if (request->component_class != component_class) continue;
        const std::string what = fmt::format("request {} of {}: ", request->to_string(), request->who());
        const Want* want = receiver->find_want(*request);
        if (level_in(*request, actor.type()) < 0)
            reasons.add(Reasons::OtherClass, fmt::format("{}{} is no {}", what, actor.type().name, level_of(*request)));
        else if (want != nullptr)
            reasons.add(distance_of(want->outcome), what + state_of(*request, *receiver));
        else
            reasons.add(
                mismatch(*request, *receiver).part == Mismatch::Part::None ? Reasons::Waiting : Reasons::NotSelected,
                what + state_of(*request, *receiver));
    }
    if (reasons.all.empty())
        return fmt::format("there is no request for {}{}\n", component_class, did_you_mean(known.best()));
    return reasons.to_string();
}

}  // namespace lyre::framework
