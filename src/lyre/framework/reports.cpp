#include "lyre/framework/reports.h"

#include "lyre/core/suggest.h"

namespace lyre::framework {
namespace {

std::string line_of(const InitReason& reason) {
    if (reason.kind == "gone") return "    its implementer is gone\n";
    if (reason.kind == "idle") return "    nobody has asked it to try\n";
    return fmt::format("    {} {}: {}\n", reason.kind, reason.what, reason.why);
}

std::string line_of(const ExtensionReport& request) {
    return fmt::format("component {}, wanted by {}: {}\n", request.what, request.owner, request.state);
}

std::string not_extended(const std::string& who) {
    return fmt::format("features add nothing to {}: it is no receiver\n", who);
}

}  // namespace

std::string InitReport::to_text() const {
    const std::string who = fmt::format("{} ({})", actor, class_name);
    if (!is_registered) return fmt::format("{} has no parts that get ready in steps: none is registered\n", who);
    if (!trouble.empty()) return fmt::format("{}: {}\n", who, trouble);
    if (is_ready) return fmt::format("{} is ready: all its parts have reached {}\n", who, state);
    std::string text = fmt::format("{} is not ready for {}:\n", who, state);
    for (const InitFeatureReport& one : features) {
        const std::string of = one.actor == actor ? "" : fmt::format(" of {} ({})", one.actor, one.class_name);
        text += fmt::format("  {}{} is at {} for {:.1f} s, next {}\n", one.feature, of,
                            one.state.empty() ? "none" : one.state, one.seconds, one.next);
        for (const InitReason& reason : one.reasons) text += line_of(reason);
    }
    return text;
}

std::string ComponentReport::to_text() const {
    std::string text =
        fmt::format("component {} ({}) of {}: {}\n", component, class_name, actor,
                    is_injected ? "features brought it" : "of its class, or added by code; no feature brought it");
    for (const WantReport& want : wanted_by)
        text += fmt::format("  wanted by {} for {:.1f} s{}: {}, flags {}; without this the component would {}\n",
                            want.owner, want.seconds, want.has_made_it ? ", who made it" : "", want.request, want.flags,
                            wanted_by.size() > 1 ? "stay" : "go");
    return text;
}

std::string ReceiverReport::to_text() const {
    const std::string who = fmt::format("{} ({})", actor, class_name);
    if (!is_receiver) return not_extended(who);
    const bool is_plain = requests.empty() && handlers.empty() && sticky.empty();
    std::string text = fmt::format("what features add to {}{}\n", who, is_plain ? ": nothing now" : ":");
    for (const ExtensionReport& request : requests) text += "  " + line_of(request);
    for (const ExtensionReport& handler : handlers)
        text += fmt::format("  handler of {} for {}: {}\n", handler.owner, handler.what, handler.state);
    for (const StickyReport& event : sticky)
        text += fmt::format("  event {}{}{}, sent {:.1f} s ago, kept for who comes later\n", event.event,
                            event.payload.empty() ? "" : " with ", event.payload, event.seconds);
    return text;
}

std::string WhyNotReport::to_text() const {
    if (!component.empty()) return fmt::format("{} has component {}\n", actor, component);
    const std::string who = fmt::format("{} ({})", actor, class_name);
    if (!is_receiver) return not_extended(who);
    if (requests.empty()) return fmt::format("no feature wants a component {}{}\n", wanted, did_you_mean(nearest));
    std::string text = fmt::format("{} has no component {}:\n", who, wanted);
    for (const ExtensionReport& request : requests) text += "  " + line_of(request);
    return text;
}

void InitReason::describe(TypeBuilder<InitReason>& t) {
    t.help("what keeps a feature of an actor from its next state");
    t.property("kind", &InitReason::kind).help("needs, refused, gone (its implementer), idle (nobody has asked)");
    t.property("what", &InitReason::what);
    t.property("why", &InitReason::why);
    t.property("actor", &InitReason::actor).help("whose feature it waits for");
    t.property("feature", &InitReason::feature).help("that it waits for");
    t.property("state", &InitReason::state).help("which that has to reach");
}

void InitFeatureReport::describe(TypeBuilder<InitFeatureReport>& t) {
    t.help("how far a feature of an actor is");
    t.property("actor", &InitFeatureReport::actor);
    t.property("class", &InitFeatureReport::class_name);
    t.property("feature", &InitFeatureReport::feature);
    t.property("state", &InitFeatureReport::state);
    t.property("next", &InitFeatureReport::next);
    t.property("seconds", &InitFeatureReport::seconds).help("in this state");
    t.property("is_cause", &InitFeatureReport::is_cause);
    t.property("reasons", &InitFeatureReport::reasons);
}

void InitReport::describe(TypeBuilder<InitReport>& t) {
    t.help("how far the parts of an actor are");
    t.property("actor", &InitReport::actor);
    t.property("class", &InitReport::class_name);
    t.property("state", &InitReport::state).help("that was asked about");
    t.property("is_registered", &InitReport::is_registered);
    t.property("is_ready", &InitReport::is_ready);
    t.property("trouble", &InitReport::trouble);
    t.property("features", &InitReport::features).help("root causes first");
}

void WantReport::describe(TypeBuilder<WantReport>& t) {
    t.help("a request that wants a component which is there");
    t.property("owner", &WantReport::owner);
    t.property("request", &WantReport::request);
    t.property("flags", &WantReport::flags);
    t.property("level", &WantReport::level);
    t.property("seconds", &WantReport::seconds);
    t.property("has_made_it", &WantReport::has_made_it);
}

void ComponentReport::describe(TypeBuilder<ComponentReport>& t) {
    t.help("who put a component there");
    t.property("actor", &ComponentReport::actor);
    t.property("component", &ComponentReport::component);
    t.property("class", &ComponentReport::class_name);
    t.property("is_injected", &ComponentReport::is_injected).help("the component manager made it");
    t.property("wanted_by", &ComponentReport::wanted_by);
}

void ExtensionReport::describe(TypeBuilder<ExtensionReport>& t) {
    t.help("a request or a handler, and what it comes to for one receiver");
    t.property("what", &ExtensionReport::what);
    t.property("owner", &ExtensionReport::owner);
    t.property("state", &ExtensionReport::state);
}

void StickyReport::describe(TypeBuilder<StickyReport>& t) {
    t.help("an event that is kept for who comes later");
    t.property("event", &StickyReport::event);
    t.property("payload", &StickyReport::payload);
    t.property("seconds", &StickyReport::seconds);
}

void ReceiverReport::describe(TypeBuilder<ReceiverReport>& t) {
    t.help("what features want of an actor");
    t.property("actor", &ReceiverReport::actor);
    t.property("class", &ReceiverReport::class_name);
    t.property("is_receiver", &ReceiverReport::is_receiver);
    t.property("requests", &ReceiverReport::requests);
    t.property("handlers", &ReceiverReport::handlers);
    t.property("sticky", &ReceiverReport::sticky);
}

void WhyNotReport::describe(TypeBuilder<WhyNotReport>& t) {
    t.help("why an actor has no component of a class");
    t.property("actor", &WhyNotReport::actor);
    t.property("class", &WhyNotReport::class_name);
    t.property("wanted", &WhyNotReport::wanted);
    t.property("component", &WhyNotReport::component).help("that is there all the same");
    t.property("is_receiver", &WhyNotReport::is_receiver);
    t.property("requests", &WhyNotReport::requests).help("the nearest miss first");
    t.property("nearest", &WhyNotReport::nearest);
}

}  // namespace lyre::framework
