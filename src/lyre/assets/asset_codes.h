// assets/asset_codes.h: the mistakes that can be made with asset files as a whole, LY-22xx.
//
// What is wrong inside a file has the codes of core's reader. Constants; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lyre/core/problem.h"

namespace lyre::assets {

inline constexpr ProblemCode kDuplicateAsset{
    2201, "two files for one asset",
    "An asset is one file. Folders do not tell assets apart: rename one of the two, or remove it."};
inline constexpr ProblemCode kCaseCollision{
    2202, "names that differ in case only",
    "Some systems take both for one file. Names are lower case: rename the one that is not."};
inline constexpr ProblemCode kInvalidAssetName{
    2203, "invalid name of an asset",
    "Names of assets are made of a-z, 0-9 and '_', 1 to 100 of them: rename the file."};
inline constexpr ProblemCode kUnknownAssetType{
    2204, "unknown type of asset",
    "NAME.TYPE.toml needs a TYPE that the program or a feature in use registers as a content type."};
inline constexpr ProblemCode kMissingAssetType{
    2205, "content without a type", "Content files are called NAME.TYPE.toml; the type says how the file is read."};
inline constexpr ProblemCode kOutsideOfRoot{
    2206, "a path that leads out of its root",
    "What a content folder links to must lie inside of it, so that it can be moved and shipped as it is."};
inline constexpr ProblemCode kTooManyAssets{2207, "too many assets",
                                            "A registry holds a million assets; what came after that is not known."};
inline constexpr ProblemCode kUnreadableFile{
    2208, "a file that cannot be read", "The system gives the reason; often it is rights, or the file has just gone."};
inline constexpr ProblemCode kEmptyFile{2209, "an empty file",
                                        "A file without a byte is taken for one whose writing was cut short."};
inline constexpr ProblemCode kFileTooLarge{2210, "a file that is too large",
                                           "Content may have 16 MiB, files for a loader 1 GiB: split it."};
inline constexpr ProblemCode kLoaderFailed{
    2211, "a loader refused a file",
    "The loader for this kind of file says why; the file is damaged or of another kind."};

std::span<const ProblemCode* const> asset_codes();  // in order of number

// About a file as a whole. `in`: what it is part of, may be empty.
Problem file_problem(const ProblemCode& code, std::string file, std::string text, std::string hint,
                     std::string_view in);
Problem duplicate_problem(std::string_view id, std::string_view first, std::string second, std::string_view in);

}  // namespace lyre::assets
