#include "lyre/features/feature_error.h"

#include <array>

namespace lyre::features {
namespace {

struct CodeRow {
    ErrorCode code;
    std::string_view name;
    StatusCode status;
};
#define LYRE_ROW(code, status)                     \
    CodeRow {                                      \
        ErrorCode::code, #code, StatusCode::status \
    }
constexpr std::array kCodeRows{
    LYRE_ROW(None, Ok),
    LYRE_ROW(UnknownFeature, NotFound),
    LYRE_ROW(ManifestMissing, NotFound),
    LYRE_ROW(ManifestBad, Corrupt),
    LYRE_ROW(NotAllowed, Refused),
    LYRE_ROW(DependencyMissing, NotFound),
    LYRE_ROW(DependencyCycle, Refused),
    LYRE_ROW(DependencyVersion, Refused),
    LYRE_ROW(DependencyFailed, Failed),
    LYRE_ROW(DependencyGone, NotFound),
    LYRE_ROW(Incompatible, Refused),
    LYRE_ROW(HeldBy, Refused),
    LYRE_ROW(Cancelled, Cancelled),
    LYRE_ROW(Abandoned, Failed),
    LYRE_ROW(GoalRefused, Refused),
    LYRE_ROW(StateLoop, Failed),
    LYRE_ROW(StepTimeout, TimedOut),
    LYRE_ROW(MountFailed, Unavailable),
    LYRE_ROW(ModuleOpenFailed, Unavailable),
    LYRE_ROW(ModuleNoEntry, Corrupt),
    LYRE_ROW(ModuleAbi, Corrupt),
    LYRE_ROW(ModuleWrongFeature, Corrupt),
    LYRE_ROW(ModuleFailed, Failed),
    LYRE_ROW(ModuleStillMapped, Failed),
    LYRE_ROW(ScriptsUnsupported, Refused),
    LYRE_ROW(RegistrationFailed, Failed),
    LYRE_ROW(ActionUnknown, NotFound),
    LYRE_ROW(ActionBad, InvalidArgument),
    LYRE_ROW(ActionFailed, Failed),
    LYRE_ROW(AssetsFailed, Unavailable),
    LYRE_ROW(WorldGone, NotFound),
    LYRE_ROW(InstancesAlive, Refused),
    LYRE_ROW(LeftBehind, Refused),
    LYRE_ROW(Injected, Failed),
};
#undef LYRE_ROW

constexpr bool codes_are_in_order() {
    for (std::size_t i = 0; i < kCodeRows.size(); ++i)
        if (static_cast<std::size_t>(kCodeRows[i].code) != i) return false;
    return kCodeRows.back().code == ErrorCode::Injected;
}
static_assert(codes_are_in_order());

constexpr std::size_t kMaxInner = 64;  // printed; a chain of features is shorter than that or of no use to a reader

std::string own_text(const FeatureError& error) {
    std::string text = fmt::format("GameFeature.{}.{}: {}", to_string(error.state), to_string(error.code), error.text);
    for (std::size_t i = 0; i < error.holders.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "; held by " : ", ", error.holders[i].to_string());
    return text;
}

}  // namespace

std::string_view to_string(ErrorCode code) {
    return kCodeRows[static_cast<std::size_t>(code)].name;
}

void describe(EnumBuilder<ErrorCode>& e) {
    for (const CodeRow& row : kCodeRows) e.value(row.name, row.code);
}

std::string Holder::to_string() const {
    std::string text = what;
    for (const std::string& one : by) text += " <- " + one;
    return text;
}

void Holder::describe(TypeBuilder<Holder>& t) {
    t.property("what", &Holder::what);
    t.property("by", &Holder::by);
}

void FeatureError::set_holders(std::vector<Holder> all) {
    if (all.size() > kMaxHolders) {
        const std::size_t more = all.size() - kMaxHolders + 1;
        all.resize(kMaxHolders - 1);
        all.push_back({fmt::format("and {} more", more), {}});
    }
    holders = std::move(all);
}

std::string FeatureError::to_string() const {
    std::string text = own_text(*this);
    std::size_t depth = 0;
    for (const FeatureError* error = inner.get(); error != nullptr; error = error->inner.get()) {
        if (++depth > kMaxInner) return text + "; because ...";
        text += "; because " + own_text(*error);
    }
    return text;
}

Status FeatureError::to_status() const {
    const StatusCode status = kCodeRows[static_cast<std::size_t>(code)].status;
    return status == StatusCode::Ok ? Status::ok() : Status(status, to_string());
}

}  // namespace lyre::features
