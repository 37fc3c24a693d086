#include "lyre/experience/experience_codes.h"

namespace lyre::experience {
namespace experience_code {

constexpr ProblemCode kDerived{4001, "experience derived from another",
                               "An experience has no parent. Put what several have in common into an ActionSet, "
                               "NAME.action_set.toml, and name it in action_sets of each."};
constexpr ProblemCode kNestedSets{4002, "action set that names action sets",
                                  "Action sets do not nest. Name all sets in action_sets of the experience."};
constexpr ProblemCode kTooManyEntries{4003, "too many entries",
                                      "Lists of an experience are bounded. Something that long should be one feature, "
                                      "or several."};
constexpr ProblemCode kNoFallback{4004, "nothing to fall back to",
                                  "With policy = \"fall_back\" `to` names the experience that is loaded instead, or is "
                                  "\"previous\"."};
constexpr ProblemCode kUnusedSetting{4005, "setting without effect",
                                     "The policy that was chosen does not look at it. Choose the policy that does, or "
                                     "take the line out."};
constexpr ProblemCode kEmptyEntry{4006, "empty entry",
                                  "The entry says nothing; a game that runs skips it. Fill it in or take it out."};
constexpr ProblemCode kRepeated{4007, "said twice",
                                "A feature, action set, asset or action that is listed twice counts once. Take one "
                                "out. Two actions that are meant to be alike are given different names."};
constexpr ProblemCode kUnknownFeature{4008, "unknown feature",
                                      "No feature of this id is in any of the project's features folders; `lyre list "
                                      "features` lists those that are."};
constexpr ProblemCode kVersionsConflict{4009, "versions that cannot agree",
                                        "Two entries for one feature ask for versions that have nothing in common. "
                                        "Widen one of the ranges."};
constexpr ProblemCode kUnusableFeature{4010, "features that do not work out",
                                       "A feature that is asked for cannot be had with the others: a dependency is "
                                       "missing, of another version or in a circle, or two exclude each other."};
constexpr ProblemCode kUnknownFallback{4011, "unknown experience to fall back to",
                                       "`to` of [failure] names an experience that is not there; `lyre list "
                                       "experiences` lists those that are."};
constexpr ProblemCode kFallbackToItself{4012, "experience that falls back to itself",
                                        "What has failed is not tried again that way. Use policy = \"retry\", or name "
                                        "another."};
constexpr ProblemCode kFallbackCircle{4013, "fallbacks that lead in a circle",
                                      "`to` of [failure] leads from one experience to the next and back. What has "
                                      "failed is not tried again that way: let the last of them stay failed."};
constexpr ProblemCode kOutOfPlan{4014, "something of a feature that is not there",
                                 "Content and code of a feature are there while it is. Add the feature to features of "
                                 "the experience, or of one of its action sets."};
constexpr ProblemCode kUnknownPoint{4015, "unknown point of a map",
                                    "`point` of spawn_actors is the name of a [[point]] of the map that is played."};

}  // namespace experience_code

std::span<const ProblemCode* const> experience_codes() {
    using namespace experience_code;
    static constexpr const ProblemCode* kAll[] = {
        &kDerived,         &kNestedSets,       &kTooManyEntries, &kNoFallback,       &kUnusedSetting,
        &kEmptyEntry,      &kRepeated,         &kUnknownFeature, &kVersionsConflict, &kUnusableFeature,
        &kUnknownFallback, &kFallbackToItself, &kFallbackCircle, &kOutOfPlan,        &kUnknownPoint};
    return kAll;
}

}  // namespace lyre::experience
