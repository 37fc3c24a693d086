// What requests and handlers have in common: their place in the levels, the plan of a class, and whom they mean.
#include "lyre/framework/detail/extension_tables.h"

#include <algorithm>

namespace lyre::framework {
namespace {

// Asks the tags of an actor, wherever they are.
template <class Ask> auto with_tags(Actor& actor, Ask ask) {
    ActorTags& tags = actor.world().tags();
    const TagCounts* counts = tags.find(actor);
    return counts != nullptr ? ask(*counts) : ask(tags.of_class(actor.type()));
}

}  // namespace

// What has been retired may hold what calls back when it goes.
void ExtensionTables::let_go() {
    if (is_letting_go_) return;
    const auto keep = shared_from_this();  // the manager may go with them
    self_.reset();
    is_letting_go_ = true;
    while (!retired_.empty()) std::exchange(retired_, {}).clear();
    is_letting_go_ = false;
}

Status ExtensionTables::refuse_nesting() const {
    if (depth_ < Extensions::kMaxNested) return Status::ok();
    return Status::capacity("called from inside {} other calls: do callbacks cause each other?", depth_);
}

Status ExtensionTables::fill(Entry& entry, const Selector& to, Ordering ordering, World* world, std::string place) {
    if (has_ended_) return Status(StatusCode::Unavailable, "the component manager has gone");
    if (Status status = refuse_nesting(); !status.is_ok()) return status;
    if (Status status = to.validate(runtime_.tags()); !status.is_ok()) return status;
    if (world != nullptr && (world->game() != &game_ || world->has_ended()))
        return Status::refused("world {} is not a running world of this game", world->def().name);
    entry.selector = to;
    entry.ordering = std::move(ordering);
    entry.world = world;
    entry.is_plain = to.is_class_only();
    entry.owner = Owner::current();
    entry.registered = next_registration();
    entry.place = std::move(place);
    entry.since_us = runtime_.clock().now_us();
    if (world != nullptr) link(*world);
    if (to.tags.empty()) return Status::ok();
    entry.tags = *TagQuery::parse(to.tags, runtime_.tags());
    for (GameplayTag tag : entry.tags.tags())
        entry.tag_uses.push_back(runtime_.tags().use(tag, fmt::format("selector {}", to.to_string())));
    return Status::ok();
}

Status ExtensionTables::enter(std::unordered_map<Name, Level>& levels, Entry& entry) {
    entry.serial = next_serial_++;
    Level& level = levels[entry.selector.class_name];
    Status status = level.add(entry);
    if (!status.is_ok()) {
        if (level.entries().empty()) levels.erase(entry.selector.class_name);
        return status;
    }
    if (level.has_edges()) ++order_version_;
    ++version_;
    looking_at_tags_ += entry.selector.tags.empty() ? 0 : 1;
    looking_at_components_ += entry.looks_at_components() ? 1 : 0;
    for (const auto& known : links_) listen(*known);
    return status;
}

void ExtensionTables::leave(std::unordered_map<Name, Level>& levels, Entry& entry) {
    const auto level = levels.find(entry.selector.class_name);
    if (level->second.has_edges()) ++order_version_;
    level->second.remove(entry);
    if (level->second.entries().empty()) levels.erase(level);
    ++version_;
    looking_at_tags_ -= entry.selector.tags.empty() ? 0 : 1;
    looking_at_components_ -= entry.looks_at_components() ? 1 : 0;
    if (!entry.selector.predicate) return;
    receivers_.each([&](Receiver& receiver) {
        std::erase_if(receiver.verdicts, [&](const auto& verdict) { return verdict.first == entry.serial; });
    });
}

// Costs the levels of the class and no others; good until a request or handler comes or goes.
const ExtensionTables::Plan& ExtensionTables::plan_of(const Type& type) {
    if (type.slot >= plans_.size()) plans_.resize(type.slot + 1);
    auto& known = plans_[type.slot];
    if (known != nullptr && known->version == version_ && known->type_order == type.order) return *known;
    if (known != nullptr) retire(std::move(known));  // somebody may go by it still
    auto plan = std::make_unique<Plan>();
    plan->type_order = type.order;
    plan->version = version_;
    const auto add = [&](Name class_name) {
        if (const auto level = request_levels_.find(class_name); level != request_levels_.end())
            for (Entry* entry : level->second.entries()) plan->requests.push_back(static_cast<Request*>(entry));
        if (const auto level = handler_levels_.find(class_name); level != handler_levels_.end())
            for (Entry* entry : level->second.entries()) plan->handlers.push_back(static_cast<Handler*>(entry));
    };
    for (std::size_t i = type.lineage.size(); i-- > 1;) add(type.lineage[i]->name);  // the first is Actor
    add(Name());
    known = std::move(plan);
    return *known;
}

int ExtensionTables::level_in(const Entry& entry, const Type& type) {
    constexpr int kBelowAllClasses = 255;
    if (!entry.selector.class_name) return kBelowAllClasses;
    for (std::size_t i = type.lineage.size(); i-- > 1;)
        if (type.lineage[i]->name == entry.selector.class_name) return static_cast<int>(type.lineage.size() - 1 - i);
    return -1;
}

// Asks the predicate first: once, whatever else fails.
bool ExtensionTables::matches_query(const Entry& entry, Receiver& receiver) {
    const ReceiverRef ref = receiver.ref;
    if (entry.selector.predicate) judge_predicate(entry, receiver);
    return receivers_.find(ref) != nullptr && mismatch(entry, receiver).part == Mismatch::Part::None;
}

ExtensionTables::Mismatch ExtensionTables::mismatch(const Entry& entry, Receiver& receiver) const {
    using Part = Mismatch::Part;
    Actor& actor = *receiver.actor;
    if (entry.world != nullptr && entry.world != &actor.world()) return {Part::World, entry.world->def().name};
    if (!entry.selector.tags.empty() && !with_tags(actor, [&](auto& tags) { return entry.tags.evaluate(tags); }))
        return {Part::Tags, {}};
    const auto is_own = [&](const Injected& one) {  // what the request made, or would share
        return one.maker == entry.serial ||
               (entry.shares && one.class_name == entry.shares && one.name == entry.shares);
    };
    const auto has = [&](Name class_name, bool but_own) {
        for (Component* component = actor.first_component(); component != nullptr; component = component->next()) {
            if (component->is_doomed() || !component->is_a(class_name)) continue;
            const Injected* injected = but_own ? receiver.find_injected(*component) : nullptr;
            if (injected == nullptr || !is_own(*injected)) return true;
        }
        return false;
    };
    for (Name component : entry.selector.has)
        if (!has(component, false)) return {Part::Lacks, component};
    for (Name component : entry.selector.has_not)
        if (has(component, true)) return {Part::Has, component};
    if (!entry.selector.predicate) return {};
    for (const auto& [serial, holds] : receiver.verdicts)
        if (serial == entry.serial) return holds ? Mismatch() : Mismatch{Part::Predicate, entry.selector.predicate};
    return {Part::NotJudged, entry.selector.predicate};
}

std::string ExtensionTables::to_text(const Mismatch& mismatch, const Entry& entry, const Receiver& receiver) {
    using Part = Mismatch::Part;
    switch (mismatch.part) {
        case Part::None:
            return "it matches";
        case Part::World:
            return fmt::format("it is for world {} only", mismatch.name);
        case Part::Tags:
            return with_tags(*receiver.actor,
                             [&](auto& tags) { return fmt::format("tags: {}", entry.tags.explain(tags)); });
        case Part::Lacks:
            return fmt::format("there is no component {}", mismatch.name);
        case Part::Has:
            return fmt::format("there is a component {}", mismatch.name);
        case Part::Predicate:
            return fmt::format("predicate {} {}", mismatch.name,
                               predicates_.contains(mismatch.name) ? "does not hold" : "is not registered");
        case Part::NotJudged:
            return fmt::format("predicate {} is asked in the next settle", mismatch.name);
    }
    return "?";
}

void ExtensionTables::judge_predicate(const Entry& entry, Receiver& receiver) {
    for (const auto& [serial, holds] : receiver.verdicts)
        if (serial == entry.serial) return;
    if (is_judging_) return mark_dirty(receiver);  // one that asks for others would have no end
    const auto found = predicates_.find(entry.selector.predicate);
    bool holds = false;
    if (found != predicates_.end()) {
        const std::shared_ptr<const Predicate> predicate = found->second;  // it may remove itself
        const ReceiverRef ref = receiver.ref;
        const Call call(*this);
        const World::CallScope scope(receiver.world());
        const OwnerScope as(predicate->owner);
        const std::uint64_t version = verdicts_version_;
        is_judging_ = true;
        guarded(receiver.id, entry.selector.predicate, [&] { holds = predicate->holds(*receiver.actor); });
        is_judging_ = false;
        if (receivers_.find(ref) == nullptr) return;
        if (version != verdicts_version_) return mark_dirty(receiver);  // its answer was taken back as it was given
    }
    if (!entry.is_leaving) receiver.verdicts.emplace_back(entry.serial, holds);  // it may have dropped who asked
}

void ExtensionTables::report_throw(ActorId actor, Name what, std::string_view text) {
    runtime_.log().report(LogLevel::Error, Name("framework.handler"), fmt::format("{} of {}", what, actor),
                          fmt::format("it threw: {}", text));
}

}  // namespace lyre::framework
