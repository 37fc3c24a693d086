#include "lyre/gameplay/pawn_data.h"

#include <algorithm>

#include "lyre/core/content_codes.h"
#include "lyre/core/content_reader.h"

namespace lyre::gameplay {

namespace gameplay_code {
constexpr ProblemCode kTooMuchInput{5001, "too much input",
                                    "The input of a pawn is bounded: contexts, mappings of each, and actions."};
}  // namespace gameplay_code

std::span<const ProblemCode* const> gameplay_codes() {
    static constexpr const ProblemCode* kAll[] = {&gameplay_code::kTooMuchInput};
    return kAll;
}

void InputMapping::describe(TypeBuilder<InputMapping>& t) {
    t.help("an input of a device means an action");
    t.property("input", &InputMapping::input).required().help("as the front end calls it: a key, a stick");
    t.property("action", &InputMapping::action).required().help("what is bound to this name is called");
}

void MappingContext::describe(TypeBuilder<MappingContext>& t) {
    t.help("mappings that come into force together");
    t.property("name", &MappingContext::name).required().help("of the context");
    t.property("priority", &MappingContext::priority).help("of two that map one input the higher is heard");
    t.property("in_settings", &MappingContext::in_settings).help("players may change it");
    t.property("map", &MappingContext::map).help("inputs and the actions they mean");
}

void PawnData::describe(TypeBuilder<PawnData>& t) {
    t.help("what a pawn is made of");
    t.property("class", &PawnData::class_name).required().help("of the pawn; a feature may bring it");
    t.property("camera", &PawnData::camera).help("mode of the camera while it is steered");
    t.property("actions", &PawnData::actions).help("that its hero binds");
    t.property("context", &PawnData::contexts).help("what its player's devices mean meanwhile");
    t.hook<&PawnData::check>("check");
}

void PawnData::check(ContentCheck& check) const {
    const auto bound = [&](std::string_view key, std::size_t count, std::size_t most) {
        if (count > most)
            check.problem(gameplay_code::kTooMuchInput, key,
                          fmt::format("{} has {} entries; {} are allowed", check.where(key), count, most));
    };
    bound("actions", actions.size(), kMaxInputActions);
    bound("context", contexts.size(), kMaxContexts);
    for (std::size_t i = 0; i < contexts.size() && i < kMaxContexts; ++i) {
        bound(fmt::format("context[{}].map", i), contexts[i].map.size(), kMaxMappings);
        const auto is_same = [&](const MappingContext& one) { return one.name == contexts[i].name; };
        const auto first = std::find_if(contexts.begin(), contexts.end(), is_same) - contexts.begin();
        if (static_cast<std::size_t>(first) < i)
            check.problem(
                content_code::kSaidTwice, fmt::format("context[{}].name", i),
                fmt::format("{} is \"{}\" again", check.where(fmt::format("context[{}].name", i)), contexts[i].name));
    }
}

}  // namespace lyre::gameplay
