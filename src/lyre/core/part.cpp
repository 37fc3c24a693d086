#include "lyre/core/part.h"

#include <algorithm>
#include <utility>

#include "lyre/core/type_registry.h"

namespace lyre::inline core {

PartKinds::PartKinds(const TypeRegistry& types) {
    for (const Type* type : types.all()) {
        if (type->is_abstract || type->is_leaving || type->construct == nullptr) continue;
        for (const Type* base : type->lineage) by_base_[base->name].emplace_back(kind_name(type->name.text()), type);
    }
    for (auto& [base, kinds] : by_base_) std::sort(kinds.begin(), kinds.end());
}

const Type* PartKinds::find(Name base, std::string_view kind) const {
    const auto kinds = by_base_.find(base);
    if (kinds == by_base_.end()) return nullptr;
    const auto found =
        std::lower_bound(kinds->second.begin(), kinds->second.end(), kind,
                         [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
    return found != kinds->second.end() && found->first == kind ? found->second : nullptr;
}

std::vector<std::string_view> PartKinds::kinds(Name base) const {
    std::vector<std::string_view> names;
    if (const auto kinds = by_base_.find(base); kinds != by_base_.end())
        for (const auto& [kind, type] : kinds->second) names.push_back(kind);
    return names;
}

std::string kind_name(std::string_view type_name) {
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    std::string text;
    for (std::size_t i = 0; i < type_name.size(); ++i) {
        const char c = type_name[i];
        const bool ends_word =
            i > 0 && type_name[i - 1] != '_' &&
            (!is_upper(type_name[i - 1]) || (i + 1 < type_name.size() && !is_upper(type_name[i + 1])));
        if (is_upper(c) && ends_word) text += '_';
        text += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

AnyPart& AnyPart::operator=(AnyPart other) noexcept {
    swap(other);
    return *this;
}

const Node& AnyPart::written() const {
    static const Node kNone;
    return written_ != nullptr ? *written_ : kNone;
}

void AnyPart::make(std::string kind, const Type& type, Name base) {
    std::uint32_t offset = 0;
    const Type* above = &type;
    for (; above != nullptr && above->name != base; above = above->parent) offset += above->parent_offset;
    LYRE_ASSERT(above != nullptr, "a part is made of a type that derives from its base");
    LYRE_ASSERT(offset == 0,
                "the base of a part comes first in every type derived from it: name it first, and give it "
                "a virtual destructor if they have virtual functions");
    clear();
    construct(type);
    kind_ = std::move(kind);
}

void AnyPart::keep(std::string kind, const Node& written) {
    auto copy = std::make_shared<const Node>(written);  // may be what we hold
    clear();
    kind_ = std::move(kind);
    written_ = std::move(copy);
}

void AnyPart::clear() {
    if (object_ != nullptr) type_->unmake(object_);
    object_ = nullptr;
    type_ = nullptr;
    kind_.clear();
    written_.reset();
}

void AnyPart::construct(const Type& type) {
    object_ = type.make();
    type_ = &type;
}

void AnyPart::copy(const AnyPart& other) {
    kind_ = other.kind_;
    written_ = other.written_;
    if (other.type_ == nullptr) return;
    construct(*other.type_);
    for (const PropertyInfo& property : type_->properties)
        property.type->assign(property.in(object_), property.in(std::as_const(other).object_));
}

void AnyPart::swap(AnyPart& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(type_, other.type_);
    std::swap(object_, other.object_);
    std::swap(written_, other.written_);
}

std::string AnyPart::print() const {
    if (is_none()) return "none";
    if (type_ == nullptr) return written().print();
    std::string text = fmt::format("{{kind = {}", kind_);
    for (const PropertyInfo& property : type_->properties)
        text += fmt::format(", {} = {}", property.name, property.type->print(property.in(object())));
    return text + "}";
}

void AnyPart::hash(Hasher& hasher) const {
    hasher.text(kind_);
    type_ != nullptr ? detail::hash_record(*type_, object_, hasher) : written().hash(hasher);
}

bool operator==(const AnyPart& a, const AnyPart& b) {
    if (a.kind_ != b.kind_ || a.type_ != b.type_) return false;
    if (a.type_ != nullptr) return detail::equal_records(*a.type_, a.object_, b.object_);
    return a.written_ == b.written_ || a.written() == b.written();
}

}  // namespace lyre::inline core
