#include "lyre/assets/asset_id.h"

#include "lyre/core/content_reader.h"
#include "lyre/core/suggest.h"

namespace lyre::assets {

Result<PrimaryAssetId> PrimaryAssetId::parse(std::string_view text, Name implied) {
    const std::size_t colon = text.find(':');
    const bool has_type = colon != std::string_view::npos;
    const std::string_view type = has_type ? text.substr(0, colon) : implied.text();
    const std::string_view name = has_type ? text.substr(colon + 1) : text;
    if (type.empty() && !has_type)
        return Status::invalid("{} has no type; an asset is written type:name", in_quotes(text));
    if (!is_asset_name(type) || !is_asset_name(name))
        return Status::invalid("{} is no asset id; it is written type:name with a-z, 0-9 and _", in_quotes(text));
    return PrimaryAssetId{Name(type), Name(name)};
}

std::string PrimaryAssetId::to_string() const {
    if (is_none()) return "none";
    std::string text;
    text.reserve(type.text().size() + 1 + name.text().size());
    text += type.text();
    text += ':';
    return text += name.text();
}

}  // namespace lyre::assets

void lyre::ValueTraits<lyre::assets::PrimaryAssetId>::fill(ValueType& t) {
    using lyre::assets::PrimaryAssetId;
    t.kind = ValueKind::Symbol;
    t.name = "asset_id";
    t.hash = [](const void* v, Hasher& h) {
        h.text(static_cast<const PrimaryAssetId*>(v)->type.text());
        h.text(static_cast<const PrimaryAssetId*>(v)->name.text());
    };
    t.print = [](const void* v) { return static_cast<const PrimaryAssetId*>(v)->to_string(); };
    t.parse = [](std::string_view text, void* v) -> Status {
        auto id = text == "none" ? PrimaryAssetId() : PrimaryAssetId::parse(text);  // as printed
        if (!id) return id.status();
        *static_cast<PrimaryAssetId*>(v) = *id;
        return Status::ok();
    };
}
