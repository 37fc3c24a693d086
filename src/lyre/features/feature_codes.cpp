#include "lyre/features/feature_codes.h"

namespace lyre::features {
namespace feature_code {

constexpr ProblemCode kManifestUnreadable{3001, "feature.toml cannot be read",
                                          "A feature is a folder with a feature.toml in it. The file is missing, "
                                          "cannot be opened, or is larger than 1 MiB."};
constexpr ProblemCode kBadFeatureId{3002, "invalid feature id",
                                    "The id of a feature is made of a-z, 0-9 and _, at most 100 of them. It need not "
                                    "be the name of the folder."};
constexpr ProblemCode kSelfDependency{3003, "feature depends on itself",
                                      "A dependency names another feature. Take the entry out, or mend its id."};
constexpr ProblemCode kDependencyConflict{3004, "dependency said in two ways",
                                          "One feature cannot be required, optional and incompatible at once for the "
                                          "same side. Keep the entry that is meant."};
constexpr ProblemCode kScopeNotIncompatible{3005, "scope without incompatible",
                                            "Only kind = \"incompatible\" has a scope: it says whether two features "
                                            "exclude each other in one world or in the whole process."};
constexpr ProblemCode kVariableDefault{3006, "default cannot be a variable's value",
                                       "The default of a variable is true or false, a number or a text, and says "
                                       "which of these the variable takes."};
constexpr ProblemCode kVariableTwice{3007, "variable declared twice",
                                     "A feature declares each of its variables once. Take one out or rename it."};
constexpr ProblemCode kBadVariableName{3008, "invalid variable name",
                                       "The name of a variable is words of letters, digits and _ with dots between "
                                       "them, such as tag.RoundSecs."};
constexpr ProblemCode kFolderLeadsOut{3009, "path leads out of the feature",
                                      "Paths in feature.toml are written from the feature's folder, without a leading "
                                      "/ and without .., so that the feature works wherever it is put."};
constexpr ProblemCode kBadModuleName{3010, "invalid module name",
                                     "The name of a module is that of its library without prefix and ending: letters, "
                                     "digits, _ and -."};
constexpr ProblemCode kManifestTooMany{3011, "too many entries",
                                       "Lists in feature.toml are bounded. Split the feature into several."};
constexpr ProblemCode kManifestTextTooLong{3012, "text too long",
                                           "Titles, reasons and help are shown in one line; 1000 bytes are enough."};
constexpr ProblemCode kManifestTag{3013, "tag refused",
                                   "A tag is made of words of letters, digits and _ with dots between them, such as "
                                   "Status.Burning."};

}  // namespace feature_code

std::span<const ProblemCode* const> feature_codes() {
    using namespace feature_code;
    static constexpr const ProblemCode* kAll[] = {
        &kManifestUnreadable, &kBadFeatureId,        &kSelfDependency,  &kDependencyConflict, &kScopeNotIncompatible,
        &kVariableDefault,    &kVariableTwice,       &kBadVariableName, &kFolderLeadsOut,     &kBadModuleName,
        &kManifestTooMany,    &kManifestTextTooLong, &kManifestTag};
    return kAll;
}

}  // namespace lyre::features
