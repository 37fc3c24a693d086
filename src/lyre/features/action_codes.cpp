#include "lyre/features/action_codes.h"

namespace lyre::features {
namespace action_code {

constexpr ProblemCode kBadSelector{3201, "no actors are meant",
                                   "`to` names a class, tags or components of the actors that are meant. Actor itself "
                                   "is no class to select by: it would be everything."};
constexpr ProblemCode kNoClass{3202, "no class is named", "The action needs the name of a class to make something of."};
constexpr ProblemCode kEmptyList{3203, "nothing to do",
                                 "The list or table says what the action does; an empty one does nothing."};
constexpr ProblemCode kUnknownCode{3204, "unknown handler or function",
                                   "Nobody has registered code of this name: a feature's code does so with "
                                   "feature.handler or feature.function, and must be there first."};
constexpr ProblemCode kNoPlace{3205, "no place to spawn at",
                               "Say where: `point` with the name of a point of the level, or `at` with [x, y, z]."};
constexpr ProblemCode kTwoPlaces{3206, "two places to spawn at",
                                 "`point` is a place and a direction already: write either it, or `at` and `yaw`."};
constexpr ProblemCode kFlagsContradict{3207, "flags that do not go together",
                                       "Each flag is said once; use_auto_generated_name asks for a component of its "
                                       "own beside others, add_unique for none beside another."};
constexpr ProblemCode kUnknownVariable{3208, "unknown variable",
                                       "Nobody has registered a variable of this name; `lyre list variables` lists "
                                       "those that are there."};
constexpr ProblemCode kBadVariable{3209, "variable refused",
                                   "The variable takes other values; `lyre list variables --json` says which."};
constexpr ProblemCode kReadOnlyVariable{3210, "variable is read-only",
                                        "It is fixed once the game runs: only lyre.toml, the environment and the "
                                        "command line set it."};
constexpr ProblemCode kUnknownSide{3211, "unknown side", "A side is both, client or server."};
constexpr ProblemCode kValidateThrew{3212, "an action cannot be checked",
                                     "validate() of the action threw instead of saying what is wrong: a mistake in "
                                     "its code."};
constexpr ProblemCode kOrderCircle{3213, "actions that come before each other",
                                   "before and after of these actions lead in a circle; take one of them out."};
constexpr ProblemCode kNobodyNamed{3214, "no action of this name",
                                   "before and after name actions of the same file by their `name`. What no action "
                                   "is called has no effect."};
constexpr ProblemCode kOtherOwner{3215, "a component of another kind of actor",
                                  "The component's class says which actors may have it (belongs_to): name these in "
                                  "`to`, or another component."};

}  // namespace action_code

std::span<const ProblemCode* const> action_codes() {
    using namespace action_code;
    static constexpr const ProblemCode* kAll[] = {
        &kBadSelector, &kNoClass,         &kEmptyList,       &kUnknownCode, &kNoPlace,
        &kTwoPlaces,   &kFlagsContradict, &kUnknownVariable, &kBadVariable, &kReadOnlyVariable,
        &kUnknownSide, &kValidateThrew,   &kOrderCircle,     &kNobodyNamed, &kOtherOwner};
    return kAll;
}

}  // namespace lyre::features
