#include "lyre/assets/asset_codes.h"

namespace lyre::assets {

std::span<const ProblemCode* const> asset_codes() {
    static constexpr const ProblemCode* kAll[] = {
        &kDuplicateAsset, &kCaseCollision,  &kInvalidAssetName, &kUnknownAssetType, &kMissingAssetType, &kOutsideOfRoot,
        &kTooManyAssets,  &kUnreadableFile, &kEmptyFile,        &kFileTooLarge,     &kLoaderFailed,
    };
    return kAll;
}

Problem file_problem(const ProblemCode& code, std::string file, std::string text, std::string hint,
                     std::string_view in) {
    Problem problem;
    problem.code = &code;
    problem.text = std::move(text);
    problem.file = std::move(file);
    problem.hint = std::move(hint);
    if (!in.empty()) problem.chain.emplace_back(in);
    return problem;
}

Problem duplicate_problem(std::string_view id, std::string_view first, std::string second, std::string_view in) {
    std::string text = fmt::format("{} is both {} and {}", id, first, second);
    return file_problem(kDuplicateAsset, std::move(second), std::move(text), "rename one of them", in);
}

}  // namespace lyre::assets
