#include "lyre/features/named_code.h"

#include <algorithm>

#include "lyre/core/suggest.h"

namespace lyre::features {

std::string_view to_string(CodeKind kind) {
    return kind == CodeKind::Handler ? "handler" : "function";
}

Status NamedCode::add_handler(Name name, framework::ExtensionHandler handler, std::string place) {
    return add(handlers_, CodeKind::Handler, name, std::move(handler), std::move(place));
}

Status NamedCode::add_function(Name name, RunFunction function, std::string place) {
    return add(functions_, CodeKind::Function, name, std::move(function), std::move(place));
}

Status NamedCode::remove(CodeKind kind, Name name) {
    const auto from = [&](auto& table) {
        const auto slot = table.find(name);
        if (slot == table.end()) return unknown(table, kind, name);
        if (Status status = refuse_if_used(slot->second); !status) return status;
        const auto entry = std::move(slot->second.entry);  // destroyed last: its captures may come back here
        table.erase(slot);
        return Status::ok();
    };
    return kind == CodeKind::Handler ? from(handlers_) : from(functions_);
}

Result<NamedCode::HandlerUse> NamedCode::use_handler(Name name, std::string user) {
    return use(handlers_, CodeKind::Handler, name, std::move(user));
}

Result<NamedCode::FunctionUse> NamedCode::use_function(Name name, std::string user) {
    return use(functions_, CodeKind::Function, name, std::move(user));
}

Status NamedCode::has(CodeKind kind, Name name) const {
    const auto in = [&](const auto& table) { return table.contains(name) ? Status::ok() : unknown(table, kind, name); };
    return kind == CodeKind::Handler ? in(handlers_) : in(functions_);
}

std::vector<NamedCodeInfo> NamedCode::list() const {
    std::vector<NamedCodeInfo> infos;
    append(infos, handlers_);
    append(infos, functions_);
    return infos;
}

std::vector<NamedCodeInfo> NamedCode::list(const Owner& owner) const {
    std::vector<NamedCodeInfo> infos = list();
    std::erase_if(infos, [&](const NamedCodeInfo& info) { return info.owner != owner; });
    return infos;
}

template <class F> Status NamedCode::add(Table<F>& table, CodeKind kind, Name name, F code, std::string place) {
    if (name.is_none()) return Status::invalid("a {} needs a name ({})", to_string(kind), place);
    if (!code) return Status::invalid("the {} {} is empty ({})", to_string(kind), in_quotes(name.text()), place);
    if (const auto taken = table.find(name); taken != table.end()) {
        const NamedCodeInfo& info = taken->second.entry->info;
        return Status::exists("the {} {} is {}'s already ({}), and was registered again ({})", to_string(kind),
                              in_quotes(name.text()), info.owner.to_string(), info.place, place);
    }
    if (table.size() >= kMaxEntries)
        return Status::capacity("there are {} {}s already; {} is refused", kMaxEntries, to_string(kind),
                                in_quotes(name.text()));
    NamedCodeInfo info{kind, name, Owner::current(), std::move(place), next_registration(), {}};
    auto entry = std::make_shared<const Entry<F>>(Entry<F>{std::move(code), std::move(info)});
    table[name].entry = std::move(entry);
    return Status::ok();
}

template <class F>
Result<NamedCode::Use<F>> NamedCode::use(Table<F>& table, CodeKind kind, Name name, std::string user) {
    const auto found = table.find(name);
    if (found == table.end()) return unknown(table, kind, name);
    Slot<F>& slot = found->second;
    if (slot.uses.size() == slot.uses.capacity())
        std::erase_if(slot.uses, [](const auto& record) { return record.expired(); });
    if (slot.uses.size() >= kMaxUses)
        return Status::capacity("the {} {} is used {} times already", to_string(kind), in_quotes(name.text()),
                                kMaxUses);
    Use<F> use;
    use.entry_ = slot.entry;
    use.record_ = std::make_shared<const UseRecord>(UseRecord{std::move(user), Owner::current()});
    slot.uses.push_back(use.record_);
    return use;
}

template <class F> Status NamedCode::unknown(const Table<F>& table, CodeKind kind, Name name) {
    Nearest nearest(name.text());
    for (const auto& [known, slot] : table) nearest.consider(known.text());
    return Status::not_found("no {} {}{}", to_string(kind), in_quotes(name.text()), did_you_mean(nearest.best()));
}

template <class F> Status NamedCode::refuse_if_used(const Slot<F>& slot) {
    const NamedCodeInfo& info = slot.entry->info;
    std::string users;
    std::size_t count = 0;
    for (const auto& weak : slot.uses) {
        const auto record = weak.lock();
        if (record == nullptr || record->owner == info.owner) continue;
        if (++count <= kMaxListed)
            users += fmt::format("{}{} ({})", users.empty() ? "" : ", ", record->user, record->owner.to_string());
    }
    if (count == 0) return Status::ok();
    if (count > kMaxListed) users += fmt::format(" and {} more", count - kMaxListed);
    return Status::refused("the {} {} is used by {}", to_string(info.kind), in_quotes(info.name.text()), users);
}

template <class F> void NamedCode::append(std::vector<NamedCodeInfo>& infos, const Table<F>& table) {
    for (const auto& [name, slot] : table) {
        NamedCodeInfo& info = infos.emplace_back(slot.entry->info);
        for (const auto& weak : slot.uses)
            if (const auto record = weak.lock(); record != nullptr)
                info.users.push_back({fmt::format("{} ({})", record->user, record->owner.to_string()), record->owner});
    }
}

}  // namespace lyre::features
