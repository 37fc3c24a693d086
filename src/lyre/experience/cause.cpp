#include "lyre/experience/cause.h"

#include <array>

namespace lyre::experience {
namespace {

constexpr std::array<std::string_view, kLoadStates> kStateNames{
    "Unloaded",         "Loading", "LoadingGameFeatures", "LoadingChaosTestingDelay",
    "ExecutingActions", "Loaded",  "Deactivating",        "Failed",
};
static_assert(static_cast<std::size_t>(LoadState::Failed) + 1 == kLoadStates);

constexpr std::array<std::string_view, kCauseCodes> kCodeNames{
    "None",           "NoExperienceChosen", "DefinitionFailed", "ContentMismatch", "AssetFailed",  "AssetLoadCancelled",
    "UnknownFeature", "DependencyConflict", "FeatureFailed",    "ActionFailed",    "StageTimeout", "BarrierTimeout",
    "ServerFailed",
};
static_assert(static_cast<std::size_t>(CauseCode::ServerFailed) + 1 == kCauseCodes);

template <class E, std::size_t N> std::string_view name_in(const std::array<std::string_view, N>& names, E value) {
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : "?";
}
template <class E, std::size_t N> void describe_as(EnumBuilder<E>& e, const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i) e.value(names[i], static_cast<E>(i));
}

}  // namespace

std::string_view to_string(LoadState state) {
    return name_in(kStateNames, state);
}

void describe(EnumBuilder<LoadState>& e) {
    describe_as(e, kStateNames);
}

std::string_view to_string(CauseCode code) {
    return name_in(kCodeNames, code);
}

void describe(EnumBuilder<CauseCode>& e) {
    describe_as(e, kCodeNames);
}

std::string Cause::to_string() const {
    const std::string_view name = experience::to_string(code);
    return text.empty() ? std::string(name) : fmt::format("{}: {}", name, text);
}

void Cause::describe(TypeBuilder<Cause>& t) {
    t.help("why an experience is not there");
    t.property("code", &Cause::code).help("what kind of trouble it is");
    t.property("side", &Cause::side).help("net mode of the world it happened in");
    t.property("generation", &Cause::generation).help("of the set that failed");
    t.property("stage", &Cause::stage).help("how far it had come");
    t.property("experience", &Cause::experience).help("which one");
    t.property("feature", &Cause::feature).help("that could not be had");
    t.property("action", &Cause::action).help("that failed, with its place");
    t.property("asset", &Cause::asset).help("that could not be loaded");
    t.property("text", &Cause::text).help("for people");
    t.property("others", &Cause::others).help("failures of the same update");
    t.property("earlier", &Cause::earlier).help("causes of the attempts before, oldest first");
}

}  // namespace lyre::experience
