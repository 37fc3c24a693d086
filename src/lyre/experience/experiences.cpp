#include "lyre/experience/experiences.h"

#include <algorithm>

#include "lyre/experience/detail/experience_table.h"
#include "lyre/experience/detail/host_walk.h"

namespace lyre::experience {

namespace {

constexpr std::string_view kDelayMin = "lyre.chaos.ExperienceDelayLoad.MinSecs";
constexpr std::string_view kDelayRandom = "lyre.chaos.ExperienceDelayLoad.RandomSecs";
constexpr std::string_view kStageTimeout = "lyre.experience.StageTimeoutSecs";
constexpr std::string_view kPauserTimeout = "lyre.experience.PauserTimeoutSecs";

constexpr std::string_view kWaits = "what waits for an experience";

}  // namespace

void add_variables(Runtime& runtime) {
    const OwnerScope as(Owner::process());
    const auto add = [&](const VariableDef<double>& def) {
        if (!runtime.variables().find<double>(def.name)) runtime.variables().add<double>(def).status().ignore();
    };
    add({.name = kDelayMin, .default_value = 0, .help = "seconds by which every load of an experience is delayed"});
    add({.name = kDelayRandom, .default_value = 0, .help = "and up to so many more, by chance"});
    add({.name = kStageTimeout,
         .default_value = 120,
         .help = "seconds until a stage of loading has failed; 0: never",
         .min = 0});
    add({.name = kPauserTimeout,
         .default_value = 10,
         .help = "seconds that leaving waits for those who ask for time; 0: for ever",
         .min = 0});
}

Status add_experience(Runtime& runtime, assets::ContentTypes& types) {
    const OwnerScope as(Owner::process());
    add_variables(runtime);
    if (Status status = runtime.types().add_all<Host, detail::ExperienceLink>(); !status) return status;
    return add_content_types(types);
}

namespace detail {

void ExperienceLink::describe(TypeBuilder<ExperienceLink>& t) {
    t.parent<GameSubsystem>();
    t.help("how the hosts of a game's worlds find their Experiences");
}

Threw reporter_to(Log& log, std::string_view what) {
    return [&log, what](const RegistrationInfo& who, std::string_view threw) {
        log.report(LogLevel::Error, Name("experience.callback"), who.to_string(),
                   fmt::format("{} threw: {}", what, threw));
    };
}

void answer_ended(Log& log, const WeakOwner& owner, const ReadyCallback& callback, const char* file, int line) {
    Waits::call(Priority::Normal, owner, callback, Repeat::Once, {ReadyResult::Kind::Ended, {}},
                reporter_to(log, kWaits), file, line);
}

ExperienceTable::ExperienceTable(const ExperiencesSetup& s)
    : setup(s),
      actions(std::make_shared<SharedActions>(s.features.services())),
      runtime_(s.features.services().runtime) {
    find_variables();
}

void ExperienceTable::begin() {
    const OwnerScope as(Owner::process());
    const auto forget = [this](const Type&) { kinds_.reset(); };
    connections_.push_back(runtime_.types().added.add(forget));
    connections_.push_back(runtime_.types().removing.add(forget));
    setup.feature_faults.ask_as([weak = weak_from_this()](Name feature) {
        const auto table = weak.lock();
        return table != nullptr ? table->side_of(feature) : std::string(kServerSide);
    });
    connections_.push_back(runtime_.world_ended.add([this](World& world) { world_ended(world); }));
}

void ExperienceTable::end() {
    if (std::exchange(has_ended_, true)) return;
    const auto alive = shared_from_this();
    for (Host* host : std::vector(hosts))
        if (has_host(host)) end_host(*host);
    for (const auto& [world, waits] : std::exchange(waiting_, {})) tell_ended(*waits);
    connections_.clear();
}

void ExperienceTable::end_host(Host& host) {
    const World::CallScope scope(host.world());
    host.walk_->end();
}

void ExperienceTable::find_variables() {
    add_variables(runtime_);
    const auto find = [&](std::string_view name) { return *runtime_.variables().find<double>(name); };
    delay_min = find(kDelayMin);
    delay_random = find(kDelayRandom);
    stage_timeout = find(kStageTimeout);
    pauser_timeout = find(kPauserTimeout);
}

const PartKinds& ExperienceTable::kinds() {
    if (!kinds_) kinds_.emplace(runtime_.types());
    return *kinds_;
}

void ExperienceTable::add_host(Host& host) {
    hosts.push_back(&host);
}

void ExperienceTable::remove_host(Host& host) {
    std::erase(hosts, &host);
}

bool ExperienceTable::has_host(const Host* host) const {
    return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

void ExperienceTable::world_ended(World& world) {
    const auto alive = shared_from_this();
    const std::uint32_t serial = world.owner().serial;
    std::erase_if(closing, [&](const Closing& one) { return one.world == serial; });
    if (const auto over = waiting_.extract(serial)) tell_ended(*over.mapped());
}

void ExperienceTable::tell_ended(Waits& waits) {
    waits.broadcast({ReadyResult::Kind::Ended, {}}, {}, reporter_to(runtime_.log(), kWaits));
}

CallbackHandle ExperienceTable::wait_for_host(const World& world, WeakOwner owner, ReadyCallback callback,
                                              const char* file, int line) {
    if (world.has_ended() || has_ended_) {
        answer_ended(runtime_.log(), owner, callback, file, line);
        return {};
    }
    std::shared_ptr<Waits>& waits = waiting_[world.owner().serial];
    if (waits == nullptr) waits = std::make_shared<Waits>();
    return waits->add(Priority::Normal, std::move(owner), std::move(callback), Repeat::Once, file, line);
}

std::shared_ptr<Waits> ExperienceTable::take_waits(const World& world) {
    const auto known = waiting_.extract(world.owner().serial);
    return known ? known.mapped() : std::make_shared<Waits>();
}

void ExperienceTable::update() {
    if (is_updating_ || has_ended_) return;
    const auto alive = shared_from_this();
    is_updating_ = true;
    now_.assign(hosts.begin(), hosts.end());  // some may come and go meanwhile
    for (std::size_t i = 0; i < now_.size(); ++i)
        if (has_host(now_[i]) && !has_ended_) now_[i]->update();
    is_updating_ = false;
    if (!has_ended_) close_ready();
}

void ExperienceTable::close_world(GameInstance& game, std::string reason) {
    World* world = game.world();
    if (world == nullptr) return;
    const std::uint32_t serial = world->owner().serial;
    for (Host* host : std::vector(hosts))
        if (has_host(host) && &host->world() == world) host->walk_->close(reason);
    if (game.world() != world || world->owner().serial != serial) return;
    const auto is_it = [&](const Closing& one) { return one.game == &game; };
    if (std::none_of(closing.begin(), closing.end(), is_it)) closing.push_back({&game, serial});
    if (!is_updating_) close_ready();
}

// Worlds whose experience has been left.
void ExperienceTable::close_ready() {
    for (const Closing& one : std::vector(closing)) {
        const auto& games = runtime_.games();
        const auto is_same = [&](const Closing& other) { return other.game == one.game && other.world == one.world; };
        if (std::none_of(closing.begin(), closing.end(), is_same)) continue;
        World* world = std::find(games.begin(), games.end(), one.game) != games.end() ? one.game->world() : nullptr;
        if (world == nullptr || world->owner().serial != one.world) {
            std::erase_if(closing, is_same);
            continue;
        }
        const bool is_busy = world->is_in_callback() || std::any_of(hosts.begin(), hosts.end(), [&](Host* host) {
                                 return &host->world() == world && !host->walk_->has_left();
                             });
        if (is_busy) continue;
        std::erase_if(closing, is_same);
        one.game->close_world();
    }
}

Fault ExperienceTable::ask(const World& world, FaultStage stage, std::string_view subject) {
    if (setup.faults == nullptr) return {};
    return setup.faults->ask(side_of(world), stage, subject);
}

std::string_view ExperienceTable::side_of(const World& world) const {
    return world.net_mode() == NetMode::Client ? world.def().name.text() : kServerSide;
}

// Of what happens to a feature: see feature_faults.h.
std::string ExperienceTable::side_of(Name feature) const {
    const auto side_of_those = [&](const auto& counts) {
        std::string_view side;
        for (const Host* host : hosts)
            if (counts(*host) && side != kServerSide && (side.empty() || side_of(host->world()) == kServerSide))
                side = side_of(host->world());
        return side;
    };
    std::string_view side = side_of_those([&](const Host& host) { return host.walk_->has_taken(feature); });
    if (side.empty()) side = side_of_those([](const Host&) { return true; });
    return std::string(side.empty() ? kServerSide : side);
}

}  // namespace detail

Experiences::Experiences(const ExperiencesSetup& setup) : table_(std::make_shared<detail::ExperienceTable>(setup)) {
    table_->begin();
}

Experiences::~Experiences() {
    table_->end();
}

void Experiences::add_game(GameInstance& game) {
    auto* link = game.subsystems().find<detail::ExperienceLink>();
    LYRE_ASSERT(link != nullptr, "add_experience() comes before games are made known to Experiences");
    link->table = table_;
    std::vector<Host*> found;
    if (World* world = game.world())
        world->each_object([&](Object& object) {
            if (object.is_a<Host>()) found.push_back(static_cast<Host*>(static_cast<Component*>(&object)));
        });
    for (Host* host : found) host->connect();
}

void Experiences::update() {
    const auto table = table_;
    table->update();
}

std::vector<Host*> Experiences::hosts() const {
    return table_->hosts;
}

Host* Experiences::find_host(const World& world) const {
    for (Host* host : table_->hosts)
        if (&host->world() == &world) return host;
    return nullptr;
}

Result<Host*> Experiences::host(const World* world) const {
    if (Host* found = world != nullptr ? find_host(*world) : nullptr) return found;
    return Status::not_found("NoExperienceHost: {} has no experience host",
                             world != nullptr ? fmt::format("world {}", world->def().name) : "no world");
}

CallbackHandle Experiences::wait_for_experience_ready(World& world, ReadyCallback callback, WeakOwner owner,
                                                      const char* file, int line) {
    if (Host* host = find_host(world))
        return host->wait_for_experience_ready(std::move(callback), std::move(owner), file, line);
    return table_->wait_for_host(world, std::move(owner), std::move(callback), file, line);
}

void Experiences::close_world(GameInstance& game, std::string reason) {
    const auto table = table_;
    table->close_world(game, std::move(reason));
}

bool Experiences::is_closing(const GameInstance& game) const {
    return std::any_of(table_->closing.begin(), table_->closing.end(),
                       [&](const auto& one) { return one.game == &game; });
}

std::vector<SharedActionInfo> Experiences::shared_actions() const {
    std::vector<SharedActionInfo> all;
    for (const auto& [hash, entry] : table_->actions->all()) all.push_back({entry->first.kind, hash, entry->users});
    return all;
}

}  // namespace lyre::experience
