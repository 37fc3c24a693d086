#include "lyre/experience/cause.h"

#include <array>
#include <cctype>

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

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end]))) return true;
    }
    return false;
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
    std::string line(experience::to_string(code));
    if (feature && !has_word(text, feature.text())) line += fmt::format(": feature {}", feature);
    if (!text.empty()) line += ": " + text;
    return line;
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
