// core/content_codes.h: the mistakes that reading content can find, LY-21xx. What each means stands in
// content_codes.cpp.
#pragma once

#include <span>

#include "lyre/core/problem.h"

namespace lyre::inline core {

namespace content_code {
extern const ProblemCode kWrongType;        // 2101
extern const ProblemCode kOutOfRange;       // 2102
extern const ProblemCode kMissingKey;       // 2103
extern const ProblemCode kUnknownKey;       // 2104
extern const ProblemCode kUnknownValue;     // 2105, of an enum
extern const ProblemCode kUnknownTag;       // 2106
extern const ProblemCode kUnknownAsset;     // 2107
extern const ProblemCode kUnknownClass;     // 2108
extern const ProblemCode kWrongClass;       // 2109
extern const ProblemCode kWrongAssetType;   // 2110
extern const ProblemCode kNotFinite;        // 2111
extern const ProblemCode kDoesNotFit;       // 2112
extern const ProblemCode kTextTooLong;      // 2113
extern const ProblemCode kVectorLength;     // 2114
extern const ProblemCode kListTooLong;      // 2115
extern const ProblemCode kTableForList;     // 2116
extern const ProblemCode kListForOne;       // 2117
extern const ProblemCode kEmptyText;        // 2118
extern const ProblemCode kUnknownKind;      // 2119
extern const ProblemCode kMissingKind;      // 2120
extern const ProblemCode kInvalidAssetId;   // 2121
extern const ProblemCode kInvalidTag;       // 2122
extern const ProblemCode kSaidTwice;        // 2123
extern const ProblemCode kInvalidSpelling;  // 2124
extern const ProblemCode kTooManyTags;      // 2125
}  // namespace content_code

std::span<const ProblemCode* const> content_codes();  // in order of number

}  // namespace lyre::inline core
