// experience/detail/experience_table.h: what Experiences is made of, and what hosts reach of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lyre/core/variables.h"
#include "lyre/experience/detail/plan_cache.h"
#include "lyre/experience/detail/shared_actions.h"
#include "lyre/experience/experiences.h"

namespace lyre::experience::detail {

class HostWalk;

// Who waits for the experience of a world: of its host, or of Experiences while it has none.
using Waits = Rounds<ReadyResult>;

Threw reporter_to(Log& log, std::string_view what);  // "WHAT threw: ..."
void answer_ended(Log& log, const WeakOwner& owner, const ReadyCallback& callback, const char* file, int line);

class ExperienceTable : public std::enable_shared_from_this<ExperienceTable> {
public:
    explicit ExperienceTable(const ExperiencesSetup& setup);
    void begin();
    void end();
    bool has_ended() const { return has_ended_; }
    Runtime& runtime() const { return runtime_; }
    std::int64_t now_us() const { return runtime_.clock().now_us(); }

    void add_host(Host& host);
    void remove_host(Host& host);
    bool has_host(const Host* host) const;
    void update();
    void close_world(GameInstance& game, std::string reason);
    std::string_view side_of(const World& world) const;
    std::string side_of(Name feature) const;
    Fault ask(const World& world, FaultStage stage, std::string_view subject);
    const PartKinds& kinds();  // of actions that are known
    CallbackHandle wait_for_host(const World& world, WeakOwner owner, ReadyCallback callback, const char* file,
                                 int line);
    std::shared_ptr<Waits> take_waits(const World& world);  // for its host, who answers from now on

    ExperiencesSetup setup;
    std::shared_ptr<SharedActions> actions;
    PlanCache plans;
    std::vector<Host*> hosts;
    struct Closing {
        GameInstance* game;
        std::uint32_t world;  // serial
    };
    std::vector<Closing> closing;
    std::optional<Variable<double>> delay_min, delay_random, stage_timeout, pauser_timeout;

private:
    void find_variables();
    void world_ended(World& world);
    void tell_ended(Waits& waits);
    void end_host(Host& host);
    void close_ready();

    Runtime& runtime_;
    std::map<std::uint32_t, std::shared_ptr<Waits>> waiting_;  // for a host, by the world's serial
    std::vector<Connection> connections_;
    std::optional<PartKinds> kinds_;
    std::vector<Host*> now_;  // of update(): kept, so that a frame allocates nothing
    bool is_updating_ = false;
    bool has_ended_ = false;
};

// How the hosts of a game's worlds find their Experiences.
class ExperienceLink : public GameSubsystem {
public:
    static void describe(TypeBuilder<ExperienceLink>& t);
    std::weak_ptr<ExperienceTable> table;
};

}  // namespace lyre::experience::detail
