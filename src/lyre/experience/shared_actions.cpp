#include "lyre/experience/detail/shared_actions.h"

#include <algorithm>

namespace lyre::experience::detail {

SharedUse& SharedUse::operator=(SharedUse&& other) noexcept {
    if (this == &other) return *this;
    release();
    table_ = std::move(other.table_);
    entry_ = std::move(other.entry_);
    return *this;
}

std::vector<std::string> SharedUse::release(const SpanPlace& spans) {
    if (entry_ == nullptr) return {};
    const auto entry = std::exchange(entry_, nullptr);
    const auto table = std::exchange(table_, {}).lock();
    if (entry == nullptr || table == nullptr) return {};
    return table->let_go(entry, spans);
}

SharedActions::SharedActions(const features::ActionServices& services) : services_(services) {
    const OwnerScope as(Owner::process());
    listing_ = services_.runtime.types().listing_instances.add([this](const Type& type, std::vector<TypeUse>& uses) {
        const auto list = [&](const SharedAction& entry) {
            if (entry.part.type() == &type)
                uses.push_back({fmt::format("{} is of this kind", entry.where()), Owner::process()});
        };
        for (const auto& [hash, entry] : all_) list(*entry);
        for (const SharedAction* entry : leaving_) list(*entry);
    });
}

SharedUse SharedActions::use(const std::shared_ptr<SharedAction>& entry, features::Roles roles) {
    SharedUse made;
    made.table_ = weak_from_this();
    made.entry_ = entry;
    ++entry->users;
    entry->roles = entry->roles | roles;
    return made;
}

SharedUse SharedActions::find(std::uint64_t hash, features::Roles roles) {
    const auto found = all_.find(hash);
    return found != all_.end() ? use(found->second, roles) : SharedUse();
}

SharedUse SharedActions::add(SharedAction entry, features::Roles roles) {
    const auto made = std::make_shared<SharedAction>(std::move(entry));
    all_[made->first.hash] = made;
    return use(made, roles);
}

Owner SharedActions::owner_for(const Type& type, Name experience) {
    return is_of_feature(type) ? type.owner : Owner::experience(experience, ++serials_);
}

Status SharedActions::bring_up(SharedAction& entry, Name experience, const SpanPlace& spans,
                               std::vector<std::string>& problems) {
    if (entry.is_up) return Status::ok();
    entry.owner = owner_for(*entry.part.type(), experience);
    entry.is_of_feature = is_of_feature(*entry.part.type());
    entry.run = std::make_unique<features::ActionRun>(
        services_, features::ActionSubject{experience, entry.owner, entry.first.from.to_string(), entry.roles},
        std::vector<features::ActionItem>{{entry.part.get(), entry.first.index, entry.first.kind}}, nullptr);
    entry.is_coming_up = true;
    Status status;
    {
        const TimedHook timed(spans, "registering");
        status = entry.run->registering();
    }
    if (status) {
        const TimedHook timed(spans, "loading");
        status = entry.run->loading();
    }
    if (!status) problems = take_back(entry, spans);
    entry.is_coming_up = false;
    entry.is_up = status.is_ok();
    return status;
}

// The way back, as far as it came, and what it has left behind.
std::vector<std::string> SharedActions::take_back(SharedAction& entry, const SpanPlace& spans) {
    if (entry.run->is_loaded()) {
        const TimedHook timed(spans, "unloading");
        entry.run->unloading();
    }
    if (entry.run->is_registered()) {
        const TimedHook timed(spans, "unregistering");
        entry.run->unregistering();
    }
    std::vector<std::string> problems = entry.run->faults();
    const Only only = entry.is_of_feature ? Only::TheseRuns : Only::Owner;
    for (std::string& line : sweep(entry.owner, {entry.run.get()}, only)) problems.push_back(std::move(line));
    entry.run.reset();
    return problems;
}

bool SharedActions::is_in_hook(const SharedAction& entry) const {
    return entry.is_coming_up || std::any_of(leaving_.begin(), leaving_.end(),
                                             [&](const SharedAction* one) { return one->first.is_same(entry.first); });
}

// It is nobody's any more before its hooks run: who wants it from inside one makes it anew.
std::vector<std::string> SharedActions::let_go(const std::shared_ptr<SharedAction>& entry, const SpanPlace& spans) {
    if (--entry->users > 0) return {};
    const auto found = all_.find(entry->first.hash);
    if (found != all_.end() && found->second == entry) all_.erase(found);
    if (entry->run == nullptr) return {};
    leaving_.push_back(entry.get());
    std::vector<std::string> problems = take_back(*entry, spans);
    std::erase(leaving_, entry.get());
    return problems;
}

std::vector<std::string> SharedActions::sweep(const Owner& owner, std::vector<const features::ActionRun*> runs,
                                              Only only) {
    std::vector<std::string> lines;
    const auto has_registered = [](const features::ActionRun* run) { return run->has_registered(); };
    if (std::none_of(runs.begin(), runs.end(), has_registered)) return lines;
    features::LedgerQuery query{services_, owner, std::move(runs)};
    query.leftovers_only = true;
    query.only_runs = only == Only::TheseRuns;
    features::Ledger::remove_leftovers(query, [&](const features::LedgerEntry& entry, const Status& status) {
        lines.push_back(fmt::format("{} {}, registered in {}, was not taken back by its action{}",
                                    features::to_string(entry.kind), entry.id, entry.place,
                                    status ? std::string() : fmt::format(", and cannot be: {}", status.text())));
        services_.runtime.log().report(LogLevel::Warning, Name("experience.left_behind"), owner.name.text(),
                                       lines.back());
    });
    if (only == Only::TheseRuns) return lines;
    query.leftovers_only = false;
    query.with_instances = false;
    for (const features::LedgerEntry& entry : features::Ledger::list(query))
        lines.push_back(
            fmt::format("{} {} was not taken back by its action", features::to_string(entry.kind), entry.id));
    for (const Status& refused : features::Ledger::remove_declared(services_, owner)) lines.push_back(refused.text());
    return lines;
}

}  // namespace lyre::experience::detail
