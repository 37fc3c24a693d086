// gameplay/pawn_data.h: what a pawn is made of, as content says it: NAME.pawn_data.toml.
//
//     class   = "ArenaHero"
//     camera  = "top_down"
//     actions = ["Move", "Jump"]              # what its hero binds
//     [[context]]                             # what its player's devices mean meanwhile
//     name     = "walking"
//     priority = 1
//     map      = [{ input = "Space", action = "Jump" }, { input = "Stick", action = "Move" }]
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lyre/assets/content_types.h"
#include "lyre/core/type_builder.h"

namespace lyre::gameplay {

inline constexpr std::string_view kPawnDataType = "pawn_data";
inline constexpr std::size_t kMaxMappings = 256;  // of one context
inline constexpr std::size_t kMaxContexts = 32;
inline constexpr std::size_t kMaxInputActions = 256;

// An input of some device (a key, a stick, a gesture: the front end names them) means an action.
struct InputMapping {
    Name input{};
    Name action{};
    static void describe(TypeBuilder<InputMapping>& t);
};

// Mappings that come into force together. Of two that map the same input the one of higher priority is heard, of equal
// ones the later.
struct MappingContext {
    Name name{};
    std::int64_t priority = 0;
    bool in_settings = false;  // a player may change it; it is in force all the same
    std::vector<InputMapping> map{};
    static void describe(TypeBuilder<MappingContext>& t);
};

struct PawnData {
    Name class_name{};
    Name camera{};
    std::vector<Name> actions{};
    std::vector<MappingContext> contexts{};
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<PawnData>& t);
};

namespace gameplay_code {
extern const ProblemCode kTooMuchInput;  // 5001
}
std::span<const ProblemCode* const> gameplay_codes();  // in order of number

}  // namespace lyre::gameplay
