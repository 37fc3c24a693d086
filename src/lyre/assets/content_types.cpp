#include "lyre/assets/content_types.h"

#include <algorithm>
#include <climits>

#include "lyre/core/suggest.h"

namespace lyre::assets {

const Name kCallbackFailed("assets.callback_failed");

const ContentType* DecodeSchema::find(std::string_view name) const {
    const auto found = types.find(Name::find(name));  // unknown text is not interned: it may be anything
    return found == types.end() ? nullptr : &found->second;
}

// First of all who listen, so that nobody who hears of a type that goes can still be given it in a schema.
ContentTypes::ContentTypes(TypeRegistry& types, Log* log)
    : registry_(types),
      log_(log),
      added_(types.added.add([this](const Type&) { retire_schema(); }, INT_MIN)),
      removing_(types.removing.add([this](const Type&) { retire_schema(); }, INT_MIN)) {}

Status ContentTypes::add(ContentType type) {
    if (Status status = refuse_if_invalid(type); !status.is_ok()) return status;
    type.owner = Owner::current();
    type.registered = next_registration();
    const Name name = type.name;
    types_.emplace(name, std::move(type));
    retire_schema();
    tell(log_, kCallbackFailed, fmt::format("content type {} comes", name), changed);
    return Status::ok();
}

Status ContentTypes::refuse_if_invalid(const ContentType& type) const {
    if (!is_asset_name(type.name.text()))
        return Status::invalid("{} ({}) is no name of a content type; it is made of a-z, 0-9 and _",
                               in_quotes(type.name.text()), type.place);
    if (type.name.text() == "toml")
        return Status::invalid("toml ({}) cannot be a content type: NAME.toml is content without a type", type.place);
    if (const ContentType* other = find(type.name))
        return Status::exists("the content type {} is taken: {} and {} both register it", type.name, other->place,
                              type.place);
    if (type.type == nullptr && !type.load)
        return Status::invalid("content type {} ({}) has neither a description nor a loader", type.name, type.place);
    if (type.type != nullptr && (type.type->construct == nullptr || type.type->is_abstract))
        return Status::invalid("content type {} ({}): no {} can be made", type.name, type.place, type.type->name);
    if (types_.size() >= kMaxTypes)
        return Status::capacity("{} content types are registered already; {} does not fit", kMaxTypes, type.name);
    return Status::ok();
}

Status ContentTypes::remove(Name name) {
    if (find(name) == nullptr) {
        Nearest search(name.text());
        for (const auto& [known, type] : types_) search.consider(known.text());
        return Status::not_found("no content type {}{}", in_quotes(name.text()), did_you_mean(search.best()));
    }
    return remove_unused({name}, fmt::format("content type {} is", name));
}

std::vector<Name> ContentTypes::owned_by(const Owner& owner) const {
    std::vector<Name> theirs;
    for (const auto& [name, type] : types_)
        if (type.owner == owner) theirs.push_back(name);
    return theirs;
}

Status ContentTypes::remove_all(const Owner& owner) {
    const auto leaving = owned_by(owner);
    if (leaving.empty()) return Status::ok();
    return remove_unused(leaving, fmt::format("content types of {} are", owner.to_string()));
}

Status ContentTypes::why_not_remove_all(const Owner& owner) {
    return why_in_use(owned_by(owner), fmt::format("content types of {} are", owner.to_string()));
}

Status ContentTypes::why_in_use(const std::vector<Name>& leaving, const std::string& what) {
    std::string text;
    for (Name name : leaving) {
        const ContentType* type = find(name);  // who was asked before may have removed it
        if (type == nullptr) continue;
        std::vector<std::string> uses = uses_of(*type);
        const bool are_more = uses.size() > kMaxListed;
        if (are_more) uses.resize(kMaxListed);
        for (const std::string& use : uses) text += (text.empty() ? "" : ", ") + use;
        if (are_more) text += " and more";
    }
    return text.empty() ? Status::ok() : Status::refused("{} still in use: {}", what, text);
}

std::vector<std::string> ContentTypes::uses_of(const ContentType& type) const {
    std::vector<std::string> uses;
    const std::string threw =
        tell(log_, kCallbackFailed, fmt::format("uses of content type {}", type.name), listing_uses, type, uses);
    if (!threw.empty()) uses.push_back(fmt::format("somebody who was asked threw: {}", threw));
    return uses;
}

Status ContentTypes::remove_unused(const std::vector<Name>& leaving, const std::string& what) {
    if (Status status = why_in_use(leaving, what); !status) return status;
    for (Name name : leaving) types_.erase(name);
    retire_schema();
    tell(log_, kCallbackFailed, what, changed);
    return Status::ok();
}

const ContentType* ContentTypes::find(Name name) const {
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : &found->second;
}

std::vector<const ContentType*> ContentTypes::all() const {
    std::vector<const ContentType*> types;
    types.reserve(types_.size());
    for (const auto& [name, type] : types_) types.push_back(&type);
    return types;
}

void ContentTypes::retire_schema() {
    if (schema_ != nullptr) old_schemas_.push_back(std::move(schema_));
    schema_ = nullptr;
    has_old_schemas();
}

bool ContentTypes::has_old_schemas() const {
    std::vector<std::shared_ptr<const DecodeSchema>> unused;  // goes last: what a loader holds may come back here
    std::erase_if(old_schemas_, [&](std::shared_ptr<const DecodeSchema>& schema) {
        if (schema.use_count() > 1) return false;  // nobody can get at one that only this has
        unused.push_back(std::move(schema));
        return true;
    });
    return !old_schemas_.empty();
}

std::shared_ptr<const DecodeSchema> ContentTypes::schema() {
    if (!old_schemas_.empty()) has_old_schemas();
    if (!schema_) schema_ = std::make_shared<const DecodeSchema>(DecodeSchema{types_, PartKinds(registry_)});
    return schema_;
}

}  // namespace lyre::assets
