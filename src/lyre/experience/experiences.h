// experience/experiences.h: the experiences of a process: what the hosts of all its worlds share.
//
//     Experiences experiences({features, assets});
//     experiences.add_game(game);                    // hosts in its worlds find their way here
//     ...once per frame, after features.update():  experiences.update();
//     experiences.close_world(game);                 // leaves the experience first, then closes
//
// An action has hooks of the process (registering, loading and their ways back) and hooks of a world. Two actions of
// the same kind with the same content are one action here, whatever worlds and experiences they stand in: the hooks of
// the process run for the first world that uses it and for the last that leaves it.
//
// Ends after its games and before Features. Frame's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lyre/core/fault_plan.h"
#include "lyre/experience/feature_faults.h"
#include "lyre/experience/host.h"
#include "lyre/features/features.h"
#include "lyre/world/game_instance.h"

namespace lyre::experience {

namespace detail {
class ExperienceTable;  // detail/experience_table.h
}

// The room's types (Host, the link of games to their Experiences), types of content and variables. Before Experiences.
Status add_experience(Runtime& runtime, assets::ContentTypes& types);
void add_variables(Runtime& runtime);  // of it the variables alone, if they are not there

struct ExperiencesSetup {
    features::Features& features;
    assets::Assets& assets;
    std::shared_ptr<FaultPlan> faults{};  // asked at every step; null: none
    FeatureFaults feature_faults{};       // those of the same plan that Features were given
};

// What the process has of an action that worlds share.
struct SharedActionInfo {
    std::string kind{};
    std::uint64_t hash = 0;
    std::size_t worlds = 0;
};

class Experiences {
public:
    explicit Experiences(const ExperiencesSetup& setup);
    ~Experiences();  // hosts that are left leave at once
    Experiences(const Experiences&) = delete;
    Experiences& operator=(const Experiences&) = delete;

    void add_game(GameInstance& game);  // once per game; its worlds may be there already
    void update();                      // every host, in the order they came
    std::vector<Host*> hosts() const;
    Host* find_host(const World& world) const;     // null: it has none
    Result<Host*> host(const World* world) const;  // none: NotFound, "NoExperienceHost"
    // As Host::wait_for_experience_ready, also while the world has no host yet.
    CallbackHandle wait_for_experience_ready(World& world, ReadyCallback callback, WeakOwner owner = {},
                                             const char* file = __builtin_FILE(), int line = __builtin_LINE());

    // Leaves the experience of the game's world, and closes the world when that is done: at once if nobody asks for
    // time. Not from inside a callback of the world, where it waits for the next update.
    void close_world(GameInstance& game, std::string reason);
    bool is_closing(const GameInstance& game) const;

    std::vector<SharedActionInfo> shared_actions() const;

private:
    std::shared_ptr<detail::ExperienceTable> table_;
};

}  // namespace lyre::experience
