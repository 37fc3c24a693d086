#include "lyre/core/content_codes.h"

namespace lyre::inline core {
namespace content_code {

constexpr ProblemCode kWrongType{2101, "wrong type",
                                 "The key is known but takes another type of value: a number where a text stands, or "
                                 "the like. Write what the message asks for."};
constexpr ProblemCode kOutOfRange{2102, "out of range",
                                  "The number lies outside what the property may be. The message has the limits."};
constexpr ProblemCode kMissingKey{2103, "missing key",
                                  "The table must have this key and has not. Add it to the table the place points at."};
constexpr ProblemCode kUnknownKey{
    2104, "unknown key",
    "Nothing of this name can be said here. Mostly a spelling mistake; a key that belongs "
    "to another table is unknown, too."};
constexpr ProblemCode kUnknownValue{2105, "unknown value",
                                    "The property takes one of a few words, and this is none of them."};
constexpr ProblemCode kUnknownTag{
    2106, "unknown tag",
    "No tag of this text is declared. Add it to `tags` in lyre.toml, or bring the feature that "
    "declares it; `lyre list tags` shows those that are there."};
constexpr ProblemCode kUnknownAsset{2107, "unknown asset",
                                    "No content root has a file for this asset: NAME.TYPE.toml is TYPE:NAME."};
constexpr ProblemCode kUnknownClass{
    2108, "unknown class",
    "No class of this name is registered. Native classes are registered by code, those of a "
    "feature in its LYRE_FEATURE, others by an archetype file; `lyre list classes` shows those that are there."};
constexpr ProblemCode kWrongClass{2109, "wrong class",
                                  "The class exists but does not derive from the class that is wanted here."};
constexpr ProblemCode kWrongAssetType{
    2110, "wrong asset type",
    "The reference names an asset of another type than the key takes. The type may be "
    "left out where the key implies it."};
constexpr ProblemCode kNotFinite{2111, "not a finite number", "Infinity and nan mean nothing in content."};
constexpr ProblemCode kDoesNotFit{2112, "number does not fit",
                                  "The number is larger or smaller than the property can hold."};
constexpr ProblemCode kTextTooLong{2113, "text too long", "Texts and names are bounded. The message has the limit."};
constexpr ProblemCode kVectorLength{2114, "wrong vector length", "A vector is written [x, y] or [x, y, z]."};
constexpr ProblemCode kListTooLong{2115, "list too long", "Lists are bounded. The message has the limit."};
constexpr ProblemCode kTableForList{2116, "table instead of a list of tables",
                                    "[key] writes one table; a list of tables is written [[key]], once per entry."};
constexpr ProblemCode kListForOne{2117, "list instead of one value", "The key takes one value; write it without [ ]."};
constexpr ProblemCode kEmptyText{2118, "empty text",
                                 "The key needs a text that says something. Leave the key out if it may be missing."};
constexpr ProblemCode kUnknownKind{2119, "unknown kind",
                                   "`kind` names none of the types that can stand here. Kinds of a feature are known "
                                   "while the feature is."};
constexpr ProblemCode kMissingKind{2120, "missing kind",
                                   "The table must say what it is: kind = \"...\". Its other keys depend on it."};
constexpr ProblemCode kInvalidAssetId{2121, "invalid asset id",
                                      "Assets are written name or type:name, both made of a-z, 0-9 and _."};
constexpr ProblemCode kInvalidTag{2122, "invalid tag",
                                  "A tag is made of parts with dots between them; parts are letters, digits and _."};
constexpr ProblemCode kSaidTwice{2123, "said twice", "Each entry of a set is written once."};
constexpr ProblemCode kInvalidSpelling{2124, "invalid spelling",
                                       "The value has a spelling of its own, and this is not it."};
constexpr ProblemCode kTooManyTags{2125, "too many tags", "A set of tags is bounded, parents of its tags included."};

}  // namespace content_code

std::span<const ProblemCode* const> content_codes() {
    using namespace content_code;
    static constexpr const ProblemCode* kAll[] = {
        &kWrongType,      &kOutOfRange,   &kMissingKey,   &kUnknownKey,      &kUnknownValue,
        &kUnknownTag,     &kUnknownAsset, &kUnknownClass, &kWrongClass,      &kWrongAssetType,
        &kNotFinite,      &kDoesNotFit,   &kTextTooLong,  &kVectorLength,    &kListTooLong,
        &kTableForList,   &kListForOne,   &kEmptyText,    &kUnknownKind,     &kMissingKind,
        &kInvalidAssetId, &kInvalidTag,   &kSaidTwice,    &kInvalidSpelling, &kTooManyTags,
    };
    return kAll;
}

}  // namespace lyre::inline core
