// Sequences of calls, also from inside handlers, in two games side by side: the manager does what a model does that
// looks everything up anew each time. Components present are requests times receivers; handlers hear exactly what the
// model's do, in its order.
#include <list>
#include <map>
#include <set>

#include "tests/framework/small_game.h"
#include "tests/property.h"

namespace lyre::framework {
namespace model_test {

const char* const kClasses[] = {"Pawn", "Hero", "Crate"};  // the others are Pawns
const char* const kComponents[] = {"Health", "Backpack", "Team"};
constexpr int kMaxDepth = 8;  // of handlers that do something in calls made by handlers; then they only listen

// One call. The numbers are taken modulo what there is to choose from.
struct Act {
    enum What {
        Spawn,
        Destroy,
        Leave,
        Enter,
        Request,
        Withdraw,
        Handle,
        Unhandle,
        Send,
        Clear,
        Settle,
        Travel,
        kCount
    };
    int what = Settle, which = 0, to = 0, extra = 0;
};
struct Step {
    int game = 0;
    Act act;
    Act deed;    // of a handler that is added: what it does itself,
    int at = 0;  // when it is called for the n-th time
};
std::ostream& operator<<(std::ostream& out, const Act& act) {
    static const char* const kNames[] = {"spawn",  "destroy",  "leave", "enter", "request", "withdraw",
                                         "handle", "unhandle", "send",  "clear", "settle",  "travel"};
    return out << kNames[act.what] << " " << act.which << " " << act.to << " " << act.extra;
}
std::ostream& operator<<(std::ostream& out, const Step& step) {
    out << "game " << step.game << ": " << step.act;
    return step.act.what == Act::Handle ? out << ", call " << step.at << " does " << step.deed : out;
}

struct RequestDef {
    std::string to, component;
    bool is_own = false, is_of_world = false;
};
struct HandlerDef {
    std::string to;
    int order = 0;
    bool is_of_world = false;
    std::function<void(int actor, std::string_view event)> callback;
};
bool is_for(const std::string& to, const std::string& actor_class) {
    return to == "Pawn" || to == actor_class;
}

// What the rules say, in the plainest way.
class Model {
public:
    void spawn(int actor, const std::string& actor_class) {
        const Phase phase(*this);
        actors_[actor] = actor_class;
        enter(actor);
    }
    void destroy(int actor) {
        const Phase phase(*this);
        doomed_.push_back(actor);
    }
    void enter(int actor) {
        if (find(actor) != nullptr) return;
        const Phase phase(*this);
        receivers_.push_back({actor, ++serials_, false, {}, {}});
        const int serial = serials_;
        for (int handler : in_order(actors_[actor]))
            if (!handlers_[handler].is_leaving) introduce(handler, serial, "ReceiverAdded");
    }
    void leave(int actor) {
        Receiver* receiver = find(actor);
        if (receiver == nullptr || receiver->is_leaving) return;
        const Phase phase(*this);
        receiver->is_leaving = true;
        while (!receiver->told.empty()) {
            const int handler = receiver->told.back();
            receiver->told.pop_back();
            call(handler, actor, "ReceiverRemoved");
        }
        receivers_.remove_if([&](const Receiver& one) { return &one == receiver; });
    }
    void request(int number, const RequestDef& def) { requests_[number] = def; }
    void withdraw(int number) { requests_.erase(number); }
    void handle(int number, HandlerDef def) {
        handlers_[number] = {std::move(def), false};
        for (int serial : matching(number)) {
            if (handlers_[number].is_leaving) return;
            introduce(number, serial, "ExtensionAdded");
        }
    }
    void unhandle(int number) {
        if (std::exchange(handlers_[number].is_leaving, true)) return;
        const auto serials = matching(number);
        for (auto serial = serials.rbegin(); serial != serials.rend(); ++serial) {
            Receiver* receiver = find_serial(*serial);
            if (receiver != nullptr && std::erase(receiver->told, number) > 0)
                call(number, receiver->actor, "ExtensionRemoved");
        }
    }
    std::size_t send(int actor, const std::string& event, bool is_sticky) {
        Receiver* receiver = find(actor);
        if (receiver == nullptr) return 0;
        if (is_sticky && !receiver->is_leaving) keep(*receiver, event);
        const int serial = receiver->serial;
        std::size_t called = 0;
        for (int handler : std::vector<int>(receiver->told)) {
            receiver = find_serial(serial);
            if (receiver == nullptr) break;
            if (handlers_[handler].is_leaving || !is_told(*receiver, handler)) continue;
            call(handler, actor, event);
            ++called;
        }
        return called;
    }
    void clear(int actor, const std::string& event) {
        if (Receiver* receiver = find(actor))
            std::erase_if(receiver->sticky, [&](const auto& kept) { return kept.first == event; });
    }
    void settle() {}
    void travel() {
        const Phase phase(*this);
        for (auto actor = actors_.rbegin(); actor != actors_.rend(); ++actor) doomed_.push_back(actor->first);
        for (auto& [number, handler] : handlers_) handler.is_leaving = handler.is_leaving || handler.def.is_of_world;
        std::erase_if(requests_, [](const auto& one) { return one.second.is_of_world; });
    }

    std::multiset<std::string> components(int actor) {
        std::multiset<std::string> all;
        const std::string& actor_class = actors_[actor];
        if (actor_class == "Crate") all.insert("Health");
        std::set<std::string> shared;
        if (find(actor) != nullptr)
            for (const auto& [number, request] : requests_)
                if (is_for(request.to, actor_class) && (request.is_own || shared.insert(request.component).second))
                    all.insert(request.component);
        return all;
    }
    std::vector<int> receivers() {
        std::vector<int> all;
        for (const Receiver& receiver : receivers_) all.push_back(receiver.actor);
        return all;
    }
    std::size_t results(int request) {
        const auto found = requests_.find(request);
        if (found == requests_.end()) return 0;
        return static_cast<std::size_t>(std::count_if(receivers_.begin(), receivers_.end(), [&](const Receiver& one) {
            return is_for(found->second.to, actors_[one.actor]);
        }));
    }

private:
    struct Receiver {
        int actor, serial;
        bool is_leaving;
        std::vector<int> told;                            // handlers, in calling order
        std::vector<std::pair<std::string, int>> sticky;  // and when they were sent last
    };
    struct Handler {
        HandlerDef def;
        bool is_leaving = false;
    };
    // What is destroyed ends when the outermost of these is over.
    struct Phase {
        explicit Phase(Model& model) : model(model) { ++model.depth_; }
        ~Phase() {
            if (model.depth_ == 1)
                for (std::size_t i = 0; i < model.doomed_.size(); ++i) {
                    const int actor = model.doomed_[i];
                    model.leave(actor);
                    model.actors_.erase(actor);
                }
            if (--model.depth_ == 0) model.doomed_.clear();
        }
        Model& model;
    };

    Receiver* find(int actor) {
        for (Receiver& receiver : receivers_)
            if (receiver.actor == actor) return &receiver;
        return nullptr;
    }
    Receiver* find_serial(int serial) {
        for (Receiver& receiver : receivers_)
            if (receiver.serial == serial) return &receiver;
        return nullptr;
    }
    static bool is_told(const Receiver& receiver, int handler) {
        return std::find(receiver.told.begin(), receiver.told.end(), handler) != receiver.told.end();
    }
    bool is_doomed(int actor) const { return std::find(doomed_.begin(), doomed_.end(), actor) != doomed_.end(); }
    // Living handlers of a class: derived before base, then by order number, then by age.
    std::vector<int> in_order(const std::string& actor_class) {
        std::vector<int> all;
        for (const auto& [number, handler] : handlers_)
            if (is_for(handler.def.to, actor_class)) all.push_back(number);
        std::stable_sort(all.begin(), all.end(), [&](int a, int b) {
            const HandlerDef &x = handlers_[a].def, &y = handlers_[b].def;
            const bool x_is_base = x.to != actor_class, y_is_base = y.to != actor_class;
            return x_is_base != y_is_base ? y_is_base : x.order < y.order;
        });
        return all;
    }
    std::vector<int> matching(int handler) {
        std::vector<int> serials;
        for (const Receiver& receiver : receivers_)
            if (is_for(handlers_[handler].def.to, actors_[receiver.actor])) serials.push_back(receiver.serial);
        return serials;
    }
    void introduce(int handler, int serial, std::string_view event) {
        Receiver* receiver = find_serial(serial);
        if (receiver == nullptr || receiver->is_leaving || is_doomed(receiver->actor)) return;
        if (is_told(*receiver, handler)) return;
        const std::vector<int> before = std::exchange(receiver->told, {});
        for (int other : in_order(actors_[receiver->actor]))
            if (other == handler || std::find(before.begin(), before.end(), other) != before.end())
                receiver->told.push_back(other);
        const int now = ++serials_, actor = receiver->actor;
        call(handler, actor, event);
        std::set<std::string> replayed;
        for (;;) {  // the first that was there before and has not been replayed yet
            receiver = find_serial(serial);
            if (receiver == nullptr || handlers_[handler].is_leaving || !is_told(*receiver, handler)) return;
            const auto next = std::find_if(receiver->sticky.begin(), receiver->sticky.end(), [&](const auto& kept) {
                return kept.second <= now && replayed.count(kept.first) == 0;
            });
            if (next == receiver->sticky.end()) return;
            const std::string sticky = next->first;
            replayed.insert(sticky);
            call(handler, actor, sticky);
        }
    }
    void keep(Receiver& receiver, const std::string& event) {
        for (auto& kept : receiver.sticky)
            if (kept.first == event) return void(kept.second = ++serials_);
        receiver.sticky.emplace_back(event, ++serials_);
    }
    void call(int handler, int actor, std::string_view event) {
        const Phase phase(*this);
        handlers_[handler].def.callback(actor, event);
    }

    std::map<int, std::string> actors_;
    std::list<Receiver> receivers_;
    std::map<int, RequestDef> requests_;
    std::map<int, Handler> handlers_;
    std::vector<int> doomed_;
    int depth_ = 0, serials_ = 0;
};

// The same calls to the manager.
class Real {
public:
    explicit Real(Runtime& runtime) : game_(runtime) { game_.open_world({}).begin_play(); }

    void spawn(int actor, const std::string& actor_class) {
        coming_ = actor;
        const auto id = world().spawn(actor_class);
        RC_ASSERT(id.is_ok());
        ids_[actor] = *id;
        numbers_[*id] = actor;
    }
    void destroy(int actor) { world().destroy(ids_[actor]); }
    void enter(int actor) { manager().add_receiver(*world().find(ids_[actor])).ignore(); }
    void leave(int actor) { manager().remove_receiver(*world().find(ids_[actor])).ignore(); }
    void request(int number, const RequestDef& def) {
        RequestOptions options;
        options.flags = def.is_own ? AddFlags::UseAutoGeneratedName : AddFlags::None;
        options.world = def.is_of_world ? &world() : nullptr;
        requests_[number] = manager().add_component_request(Selector(def.to), Name(def.component), std::move(options));
    }
    void withdraw(int number) { const auto gone = std::move(requests_[number]); }
    void handle(int number, const HandlerDef& def) {
        HandlerOptions options;
        options.ordering.order = def.order;
        options.world = def.is_of_world ? &world() : nullptr;
        const auto callback = [this, hear = def.callback](Actor& actor, Name event, const EventPayload&) {
            const int number = numbers_.try_emplace(actor.id(), coming_).first->second;  // new: it is being spawned
            hear(number, event.text());
        };
        handlers_[number] = manager().add_extension_handler(Selector(def.to), callback, std::move(options));
    }
    void unhandle(int number) { const auto gone = std::move(handlers_[number]); }
    std::size_t send(int actor, const std::string& event, bool is_sticky) {
        const Sticky sticky = is_sticky ? Sticky::Yes : Sticky::No;
        return manager().send_extension_event(*world().find(ids_[actor]), Name(event), {}, sticky).called;
    }
    void clear(int actor, const std::string& event) {
        manager().clear_sticky_event(*world().find(ids_[actor]), Name(event));
    }
    void settle() { manager().settle(); }
    void travel() {
        game_.close_world();
        numbers_.clear();
        game_.open_world({}).begin_play();
    }

    std::multiset<std::string> components(int actor) {
        std::multiset<std::string> all;
        const Actor& there = *world().find(ids_[actor]);
        for (Component* one = there.first_component(); one != nullptr; one = one->next())
            all.insert(std::string(one->type().name.text()));
        return all;
    }
    std::vector<int> receivers() {
        std::vector<int> all;
        for (ActorId id : manager().receivers(world())) all.push_back(numbers_[id]);
        return all;
    }
    std::size_t results(int request) { return requests_[request].results().size(); }
    std::size_t table_sizes() {
        requests_.clear();
        handlers_.clear();
        game_.close_world();
        return manager().table_sizes();
    }

private:
    World& world() { return *game_.world(); }
    ComponentManager& manager() { return *game_.subsystems().find<ComponentManager>(); }

    GameInstance game_;
    int coming_ = 0;
    std::map<int, ActorId> ids_;
    std::map<ActorId, int> numbers_;
    std::map<int, ComponentRequestHandle> requests_;
    std::map<int, ExtensionHandlerHandle> handlers_;
};

// Plays steps on one of the two and writes down what was heard.
template <class Side> struct Play {
    template <class... Args> explicit Play(Args&... args) : side(args...) {}

    void act(const Act& what, const Act* deed = nullptr, int at = 0) {
        const std::string to = kClasses[what.to % 3], event = what.extra % 2 == 0 ? "Go" : "Run";
        const bool has_actor = !actors.empty();
        switch (what.what) {
            case Act::Spawn: {
                const int actor = ++last;
                side.spawn(actor, to);
                return actors.push_back(actor);  // nobody destroys it before it is there
            }
            case Act::Destroy:
                if (has_actor) side.destroy(take(actors, what.which));
                return;
            case Act::Leave:
                if (has_actor) side.leave(pick(actors, what.which));
                return;
            case Act::Enter:
                if (has_actor) side.enter(pick(actors, what.which));
                return;
            case Act::Request: {
                const int number = ++last;
                side.request(number, {to, kComponents[what.which % 3], what.extra % 3 == 0, what.extra % 4 == 0});
                return requests.push_back(number);
            }
            case Act::Withdraw:
                if (!requests.empty()) side.withdraw(take(requests, what.which));
                return;
            case Act::Handle:
                return handle(what, deed, at);
            case Act::Unhandle:
                if (!handlers.empty()) side.unhandle(take(handlers, what.which));
                return;
            case Act::Send:
                if (has_actor)
                    log += fmt::format("({}) ", side.send(pick(actors, what.which), event, what.to % 2 == 0));
                return;
            case Act::Clear:
                if (has_actor) side.clear(pick(actors, what.which), event);
                return;
            case Act::Travel:
                if (depth > 0) return;
                actors.clear();
                depth = kMaxDepth;  // handlers only listen meanwhile
                side.travel();
                depth = 0;
                return;
            default:
                return side.settle();
        }
    }
    void handle(const Act& what, const Act* deed, int at) {
        const int number = ++last;
        const auto hear = [this, number, at, calls = std::make_shared<int>(0), deed = deed != nullptr ? *deed : Act()](
                              int actor, std::string_view event) {
            log += fmt::format("{}:{}:{} ", number, event, actor);
            if ((*calls)++ != at || depth >= kMaxDepth) return;
            ++depth;
            act(deed);
            --depth;
        };
        side.handle(number, {kClasses[what.to % 3], what.extra % 3, what.extra % 4 == 0, hear});
        handlers.push_back(number);
    }

    Side side;
    std::vector<int> actors, requests, handlers;  // that are there
    std::string log;
    int last = 0, depth = 0;
};

struct Pair {
    explicit Pair(Runtime& runtime) : real(runtime) {}
    void step(const Step& step) {
        model.act(step.act, &step.deed, step.at);
        real.act(step.act, &step.deed, step.at);
    }
    void compare() {
        RC_ASSERT(real.log == model.log);
        real.log.clear();
        model.log.clear();
        RC_ASSERT(real.side.receivers() == model.side.receivers());
        for (int actor : model.actors) RC_ASSERT(real.side.components(actor) == model.side.components(actor));
        for (int request : model.requests) RC_ASSERT(real.side.results(request) == model.side.results(request));
    }
    Play<Real> real;
    Play<Model> model;
};

void play(const std::vector<Step>& steps) {
    Runtime runtime{std::make_unique<VirtualClock>()};
    add_framework(runtime).ignore();
    runtime.types().add_all<Health, Armour, Backpack, Team, Pawn, Hero, Crate>().ignore();
    stage() = {};
    {
        Pair first(runtime), second(runtime);
        for (const Step& step : steps) {
            (step.game == 0 ? first : second).step(step);
            first.compare();  // nothing that is done in one is felt in the other
            second.compare();
        }
        first.real.depth = second.real.depth = kMaxDepth;
        RC_ASSERT(first.real.side.table_sizes() + second.real.side.table_sizes() == 0u);
    }
    RC_ASSERT(stage().alive == 0);
    stage() = {};
}

}  // namespace model_test
}  // namespace lyre::framework

namespace rc {

template <> struct Arbitrary<lyre::framework::model_test::Act> {
    static Gen<lyre::framework::model_test::Act> arbitrary() {
        using lyre::framework::model_test::Act;
        return gen::build<Act>(gen::set(&Act::what, gen::inRange<int>(0, Act::kCount)),
                               gen::set(&Act::which, gen::inRange(0, 12)), gen::set(&Act::to, gen::inRange(0, 6)),
                               gen::set(&Act::extra, gen::inRange(0, 12)));
    }
};
template <> struct Arbitrary<lyre::framework::model_test::Step> {
    static Gen<lyre::framework::model_test::Step> arbitrary() {
        using lyre::framework::model_test::Step;
        return gen::build<Step>(gen::set(&Step::game, gen::inRange(0, 2)), gen::set(&Step::act), gen::set(&Step::deed),
                                gen::set(&Step::at, gen::inRange(0, 3)));
    }
};

}  // namespace rc

namespace lyre::framework {
namespace model_test {

TEST(ExtensionsModel, whatever_is_called_from_wherever_the_manager_does_what_the_model_does) {
    // G-05, G-08, G-10, G-12, G-20, G-34, G-36, G-37, G-38, G-39, G-42, G-46, G-47, G-49, G-60, X-211
    check_property(&play, 400);
}

TEST(ExtensionsModel, a_thousand_cycles_leave_everything_as_it_was) {
    // X-211, G-22
    ExtendedGame game;
    game.world().begin_play();
    Crate* crate = game.spawn<Crate>();
    Hero* hero = game.spawn<Hero>();
    const std::size_t tables = game.manager().table_sizes(), names = Name::count();
    std::size_t names_after_first = 0;
    for (int i = 0; i < 1000; ++i) {
        auto a = game.request("Pawn", "Health");
        auto handler = game.listen("a", Selector("Pawn"));
        auto b = game.request("Hero", "Health", AddFlags::UseAutoGeneratedName);
        auto c = game.request("Crate", "Armour", AddFlags::AddUnique);
        if (i % 2 == 0) a.reset();
        if (i % 3 == 0) b = game.request("Hero", "Backpack");
        stage().log.clear();
        if (i == 5) names_after_first = Name::count();
    }
    EXPECT_EQ(components_of(*crate), "native");
    EXPECT_EQ(components_of(*hero), "");
    EXPECT_EQ(game.manager().table_sizes(), tables);
    EXPECT_EQ(Name::count(), names_after_first);
    EXPECT_LE(names_after_first, names + 2);
}

}  // namespace model_test
}  // namespace lyre::framework
