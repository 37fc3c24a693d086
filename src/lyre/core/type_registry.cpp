#include "lyre/core/type_registry.h"

#include <algorithm>
#include <unordered_set>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

#include "lyre/core/log.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

const Name kTypeCallback("types.callback");

// The base classes of a C++ class, where the run-time library can tell; used to find a forgotten parent only.
std::vector<const std::type_info*> bases([[maybe_unused]] const std::type_info& type) {
    std::vector<const std::type_info*> all;
#if defined(__GLIBCXX__)
    if (auto* single = dynamic_cast<const abi::__si_class_type_info*>(&type)) all.push_back(single->__base_type);
    if (auto* several = dynamic_cast<const abi::__vmi_class_type_info*>(&type))
        for (unsigned i = 0; i < several->__base_count; ++i) all.push_back(several->__base_info[i].__base_type);
#endif
    return all;
}

std::string join(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
    return text;
}
std::string join(const std::vector<TypeUse>& uses) {
    std::string text;
    for (const TypeUse& use : uses) text += (text.empty() ? "" : "; ") + use.text;
    return text;
}

}  // namespace

Result<const Type*> TypeRegistry::add(std::unique_ptr<Type> type) {
    if (Status status = refuse_if_invalid(*type); !status.is_ok()) return status;
    type->owner = Owner::current();
    type->registered = next_registration();
    type->order = next_order_++;
    type->slot = static_cast<std::uint32_t>(order_.size());
    if (!free_slots_.empty()) {
        type->slot = free_slots_.back();
        free_slots_.pop_back();
    }
    type->depth = type->parent != nullptr ? type->parent->depth + 1 : 0;
    if (type->parent != nullptr) type->lineage = type->parent->lineage;
    type->lineage.push_back(type.get());
    type->schema_hash = hash64(type->canonical_text());
    const Type* added_type = type.get();
    order_.push_back(added_type);
    types_.emplace(added_type->name, std::move(type));
    const Name name = added_type->name;
    tell(log_, kTypeCallback, fmt::format("type {} comes", name), added, *added_type);
    if (find(name) != added_type) return Status::refused("type {} was removed by somebody who heard of it", name);
    return added_type;
}

Status TypeRegistry::refuse_if_invalid(const Type& type) const {
    if (const Type* other = find(type.name))
        return Status::exists("the name {} is taken: {} and {} both register it", type.name, other->place, type.place);
    if (type.parent != nullptr && type.parent->is_leaving)
        return Status::refused("type {}: its parent {} is being unregistered", type.name, type.parent->name);
    if (type.name.is_none()) return Status::invalid("a type without a name at {}", type.place);
    if (!type.problems.empty()) return Status::invalid("type {} ({}): {}", type.name, type.place, join(type.problems));
    if (order_.size() >= kMaxTypes)
        return Status::capacity("{} types are registered already; {} does not fit", kMaxTypes, type.name);
    if (type.parent != nullptr && type.parent->depth + 1 >= Type::kMaxDepth)
        return Status::capacity("type {} has more than {} classes above it", type.name, Type::kMaxDepth);
    const Type* forgotten = type.native != nullptr ? find_forgotten(*type.native, type.parent) : nullptr;
    if (forgotten == nullptr) return Status::ok();
    if (type.parent == nullptr)
        return Status::invalid("type {} ({}) derives from {}, but describes no parent: begin with t.parent<{}>()",
                               type.name, type.place, forgotten->name, forgotten->name);
    return Status::invalid(
        "type {} ({}) derives from {}, but its description stops at {}: write using Described = {}; in {}", type.name,
        type.place, forgotten->name, type.parent->name, forgotten->name, forgotten->name);
}

// A described class between `native` and its parent: the nearest is meant to be the parent.
const Type* TypeRegistry::find_forgotten(const std::type_info& native, const Type* parent) const {
    for (const std::type_info* base : bases(native)) {
        if (parent != nullptr && parent->native != nullptr && *base == *parent->native) continue;
        for (const Type* known : order_)
            if (known->native != nullptr && *known->native == *base && (parent == nullptr || known->is_a(*parent)))
                return known;
        if (const Type* above = find_forgotten(*base, parent)) return above;
    }
    return nullptr;
}

std::vector<TypeUse> TypeRegistry::holders(const Type& type, const std::vector<const Type*>& derived) const {
    std::vector<TypeUse> uses;
    for (const Type* other : derived)
        if (other->parent == &type) uses.push_back({fmt::format("type {} derives from it", other->name), other->owner});
    const std::string threw =
        tell(log_, kTypeCallback, fmt::format("uses of type {}", type.name), listing_instances, type, uses);
    if (!threw.empty()) uses.push_back({fmt::format("somebody who was asked threw: {}", threw), Owner::process()});
    if (uses.size() > kMaxListed) {
        uses.resize(kMaxListed);
        uses.push_back({"and more", uses.back().owner});  // who lists them stops there too
    }
    return uses;
}

std::vector<TypeUse> TypeRegistry::uses_of(Owner owner) const {
    const auto theirs = owned_by(owner);
    const std::unordered_set<const Type*> leaving(theirs.begin(), theirs.end());
    std::vector<const Type*> derived;  // of others
    for (const Type* other : order_)
        if (leaving.count(other->parent) != 0 && leaving.count(other) == 0) derived.push_back(other);
    std::vector<TypeUse> all;
    for (const Type* type : theirs)
        for (const TypeUse& use : holders(*type, derived))
            all.push_back({fmt::format("{}: {}", type->name, use.text), use.owner});
    return all;
}

Status TypeRegistry::remove(Name name) {
    const Type* type = find(name);
    if (type == nullptr) return Status::not_found("no type {}", name);
    if (is_dropping(*type)) return Status::refused("type {} is leaving already", name);
    const auto uses = holders(*type, order_);
    if (!uses.empty()) return Status::refused("type {} is still in use: {}", name, join(uses));
    drop(*type);
    return Status::ok();
}

bool TypeRegistry::is_dropping(const Type& type) const {
    return std::find(leaving_.begin(), leaving_.end(), &type) != leaving_.end();
}

void TypeRegistry::drop(const Type& type) {
    types_.at(type.name)->is_leaving = true;
    leaving_.push_back(&type);
    tell(log_, kTypeCallback, fmt::format("type {} goes", type.name), removing, type);
    std::erase(leaving_, &type);
    free_slots_.push_back(type.slot);
    order_.erase(std::find(order_.rbegin(), order_.rend(), &type).base() - 1);  // mostly the newest go
    types_.erase(type.name);
}

Status TypeRegistry::remove_all(Owner owner) {
    const auto leaving = owned_by(owner);
    const auto reasons = uses_of(owner);
    if (!reasons.empty()) return Status::refused("types of {} are still in use: {}", owner.to_string(), join(reasons));
    std::vector<Name> names;
    for (const Type* type : leaving) {
        names.push_back(type->name);
        types_.at(type->name)->is_leaving = true;  // what goes first may not make anything of the others
    }
    for (auto name = names.rbegin(); name != names.rend(); ++name)  // a listener may have removed some already
        if (const Type* type = find(*name); type != nullptr && !is_dropping(*type)) drop(*type);
    return Status::ok();
}

const Type* TypeRegistry::find(Name name) const {
    auto found = types_.find(name);
    return found == types_.end() ? nullptr : found->second.get();
}

Result<const Type*> TypeRegistry::get(std::string_view name) const {
    if (const Type* type = find(Name::find(name)); type != nullptr && !type->is_leaving) return type;
    Nearest search(name);
    for (const Type* type : order_) search.consider(type->name.text());
    return Status::not_found("no class \"{}\"{}", name, did_you_mean(search.best()));
}

std::vector<const Type*> TypeRegistry::owned_by(Owner owner) const {
    std::vector<const Type*> types;
    for (const Type* type : order_)
        if (type->owner == owner) types.push_back(type);
    return types;
}

std::uint64_t TypeRegistry::schema_hash() const {
    std::vector<const Type*> sorted = order_;
    std::sort(sorted.begin(), sorted.end(), [](const Type* a, const Type* b) { return a->name < b->name; });
    Hasher hasher;
    for (const Type* type : sorted) {
        hasher.text(type->name.text());
        hasher.value(type->schema_hash);
    }
    return hasher.finish();
}

}  // namespace lyre::inline core
