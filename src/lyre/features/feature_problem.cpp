#include "lyre/features/feature_problem.h"

namespace lyre::features {
namespace {

constexpr ProblemCode kMissing{3101, "a dependency is missing",
                               "No feature of this id is in any of the project's features folders. Add it there, or "
                               "take the dependency out."};
constexpr ProblemCode kCycle{3102, "features that need each other",
                             "Neither could come first. Move what both need into a third feature."};
constexpr ProblemCode kVersion{3103, "no version fits",
                               "The version that is there is not one that all who need the "
                               "feature take. Change the version or the ranges."};
constexpr ProblemCode kIncompatible{3104, "features that exclude each other",
                                    "One of them says that it cannot be with the other. Use only one."};
constexpr ProblemCode kModule{3105, "the code of a feature cannot be used",
                              "Its library is missing, was built for another lyre, or its entry failed. Build it again "
                              "with the lyre that is to load it."};
constexpr ProblemCode kRegistration{
    3106, "something a feature brings was refused",
    "A name that is taken, mostly: tags, variables, classes and content types are known "
    "to the whole process."};
constexpr ProblemCode kOther{3107, "a feature cannot be used", "The message says what stands in the way."};
constexpr const ProblemCode* kAll[] = {&kMissing, &kCycle,        &kVersion, &kIncompatible,
                                       &kModule,  &kRegistration, &kOther};

const ProblemCode& code_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::UnknownFeature:
        case ErrorCode::DependencyMissing:
        case ErrorCode::DependencyGone:
            return kMissing;
        case ErrorCode::DependencyCycle:
            return kCycle;
        case ErrorCode::DependencyVersion:
            return kVersion;
        case ErrorCode::Incompatible:
            return kIncompatible;
        case ErrorCode::ModuleOpenFailed:
        case ErrorCode::ModuleNoEntry:
        case ErrorCode::ModuleAbi:
        case ErrorCode::ModuleWrongFeature:
        case ErrorCode::ModuleFailed:
            return kModule;
        case ErrorCode::RegistrationFailed:
        case ErrorCode::MountFailed:
            return kRegistration;
        default:
            return kOther;
    }
}

// Of the line that would be changed: where the dependency is asked for, or the library is named.
SourcePlace place_of(const FeatureError& error, const Node& tree) {
    const auto value_of = [](const Node* table, std::string_view key) {
        return table != nullptr && table->kind() == NodeKind::Table ? table->find(key) : nullptr;
    };
    if (is_of_module(error)) {
        const Node* name = value_of(value_of(&tree, "module"), "name");
        return name != nullptr ? name->place : SourcePlace{};
    }
    const Node* list = value_of(&tree, "dependency");
    if (error.dependency.is_none() || list == nullptr || list->kind() != NodeKind::List) return {};
    for (const Node& one : list->entries())
        if (const Node* id = value_of(&one, "id");
            id != nullptr && id->kind() == NodeKind::Text && id->as_text() == error.dependency.text()) {
            const Node* versions = error.code == ErrorCode::DependencyVersion ? one.find("versions") : nullptr;
            return versions != nullptr ? versions->place : id->place;
        }
    return {};
}

}  // namespace

Problem feature_problem(const FeatureError& error, const ManifestFile& file) {
    Problem problem;
    problem.code = &code_of(error.code);
    const std::size_t end = error.text.find("; ");  // behind it stands what would mend it
    problem.text = fmt::format("feature {}: {}", error.feature, error.text.substr(0, end));
    if (end != std::string::npos) problem.hint = error.text.substr(end + 2);
    if (is_of_module(error))
        problem.hint +=
            fmt::format("{}what needs its code is checked when it is there", problem.hint.empty() ? "" : "; ");
    problem.file = file.file;
    problem.place = place_of(error, file.tree);
    quote_source(problem, file.text);
    for (const FeatureError* inner = error.inner.get(); inner != nullptr; inner = inner->inner.get())
        problem.chain.push_back(inner->to_string());
    return problem;
}

bool is_of_module(const FeatureError& error) {
    return &code_of(error.code) == &kModule;
}

std::span<const ProblemCode* const> feature_problem_codes() {
    return kAll;
}

}  // namespace lyre::features
