// Sequences of calls, also from inside listeners: the init states do what a model does that keeps a list of changes to
// tell and looks everything up anew. Listeners hear exactly what the model's do, in its order.
#include <deque>
#include <map>
#include <set>

#include "tests/framework/init_world.h"
#include "tests/property.h"

namespace lyre::framework {
namespace init_model_test {

const std::vector<std::string> kFeatures{"A", "B", "C"};
const std::vector<Name> kStates{kSpawned, kAvailable, kInitialized, kReady};
constexpr int kMaxDepth = 8;  // of listeners that do something; then they only listen
Name name_of(int state) {
    return state < 0 ? Name() : kStates[static_cast<std::size_t>(state)];
}

// One call. The numbers are taken modulo what there is to choose from.
struct InitAct {
    enum What {
        Spawn,
        Destroy,
        Register,
        Unregister,
        Change,
        Reset,
        ListenToActor,
        ListenToClass,
        WhenReady,
        Drop,
        kCount
    };
    int what = Spawn, which = 0, feature = 0, state = 0, extra = 0;
};
struct InitStep {
    InitAct act;
    InitAct deed;  // of a listener: what it does itself,
    int at = 0;    // when it is called for the n-th time
};
std::ostream& operator<<(std::ostream& out, const InitAct& act) {
    static const char* const kNames[] = {"spawn", "destroy",         "register",        "unregister", "change",
                                         "reset", "listen to actor", "listen to class", "when ready", "drop"};
    return out << kNames[act.what] << " " << act.which << " " << act.feature << " " << act.state << " " << act.extra;
}
std::ostream& operator<<(std::ostream& out, const InitStep& step) {
    out << step.act;
    const bool listens = step.act.what >= InitAct::ListenToActor && step.act.what <= InitAct::WhenReady;
    return listens ? out << ", call " << step.at << " does " << step.deed : out;
}

struct ListenerDef {
    int actor = 0;           // 0: of a class
    std::string class_name;  // of that
    std::string feature;     // empty: any
    int state = -1;          // -1: every change
    bool every = false, is_ready = false;
    std::function<void(const std::string& what)> callback;
};
std::string told(int actor, std::string_view feature, Name before, Name after) {
    return fmt::format("{}.{} {}>{}", actor, feature, before, after);
}

// What the rules say, in the plainest way.
class InitModel {
public:
    void spawn(int actor, bool is_big) { is_big_[actor] = is_big; }
    void destroy(int actor) {
        const Call call(*this);
        data_.erase(actor);
        is_big_.erase(actor);
    }
    void add(int actor, const std::string& feature) { feature_of(actor, feature); }
    void remove(int actor, const std::string& name) {
        const Call call(*this);
        Feature* feature = find(actor, name);
        if (feature == nullptr) return;
        queue_.push_back({actor, data_[actor].serial, name, feature->life, feature->state, -1, ++numbers_, true});
        std::erase_if(data_[actor].features, [&](const Feature& one) { return one.name == name; });
        forget_if_empty(actor);
    }
    void change(int actor, const std::string& name, int state) {
        const Call call(*this);
        Feature& feature = feature_of(actor, name);
        if (feature.state == state) return;
        queue_.push_back({actor, data_[actor].serial, name, feature.life, feature.state, state, ++numbers_, false});
        feature.state = state;
    }
    void reset(int actor, const std::string& name, int to) {
        const Call call(*this);
        if (const Feature* feature = find(actor, name))
            for (int state = feature->state - 1; state >= to; --state) change(actor, name, state);
    }
    void listen(int number, ListenerDef def) {
        const Call call(*this);
        listeners_[number] = {std::move(def), numbers_, false, {}};
        const ListenerDef& asked = listeners_[number].def;
        if (asked.actor != 0) {
            data_of(asked.actor).listeners.push_back(number);
            if (asked.is_ready) return hear(number, {asked.actor, 0, {}, 0, -1, -1, 0, false}, true);
        }
        std::vector<std::tuple<int, int, std::string, int>> now;
        for (const auto& [actor, data] : data_)
            for (const Feature& feature : data.features)
                if (feature.state >= 0 && (asked.actor != 0 ? asked.actor == actor : is_a(actor, asked.class_name)))
                    now.emplace_back(data.order, actor, feature.name, feature.life);
        std::stable_sort(now.begin(), now.end(), [](auto& a, auto& b) { return std::get<0>(a) < std::get<0>(b); });
        for (const auto& [order, actor, name, life] : now)
            if (const Feature* feature = find(actor, name); feature != nullptr && feature->life == life)
                hear(number, {actor, 0, name, life, -1, feature->state, 0, false}, true);
    }
    void drop(int number) {
        const Listener gone = listeners_[number];
        listeners_.erase(number);
        if (const auto data = data_.find(gone.def.actor); data != data_.end()) {
            std::erase(data->second.listeners, number);
            forget_if_empty(gone.def.actor);
        }
    }
    int state(int actor, const std::string& name) {
        const Feature* feature = find(actor, name);
        return feature != nullptr ? feature->state : -1;
    }
    bool is_ready(int actor, int state) {
        const auto data = data_.find(actor);
        return data != data_.end() && !data->second.features.empty() &&
               std::all_of(data->second.features.begin(), data->second.features.end(),
                           [&](const Feature& feature) { return feature.state >= state; });
    }

private:
    struct Feature {
        std::string name;
        int state, life;
    };
    struct Data {
        int serial, order;
        std::vector<Feature> features;
        std::vector<int> listeners;
    };
    struct Listener {
        ListenerDef def;
        int known = 0;
        bool is_over = false;
        std::set<int> fired;  // lives of features
    };
    struct Item {
        int actor, serial;
        std::string feature;
        int life, before, after, number;
        bool is_removal;
    };
    // The outermost tells everything.
    struct Call {
        explicit Call(InitModel& model) : model(model) { ++model.depth_; }
        ~Call() {
            for (; model.depth_ == 1 && !model.queue_.empty();) {
                const Item item = model.queue_.front();
                model.queue_.pop_front();
                model.tell(item);
            }
            --model.depth_;
        }
        InitModel& model;
    };

    bool is_a(int actor, const std::string& class_name) {
        return class_name == "Actor" || class_name == "Body" || is_big_[actor];
    }
    Feature* find(int actor, const std::string& name) {
        if (const auto data = data_.find(actor); data != data_.end())
            for (Feature& feature : data->second.features)
                if (feature.name == name) return &feature;
        return nullptr;
    }
    Data& data_of(int actor) {
        if (data_.count(actor) == 0) data_[actor].serial = ++serials_;
        return data_[actor];
    }
    Feature& feature_of(int actor, const std::string& name) {
        if (Feature* known = find(actor, name)) return *known;
        Data& data = data_of(actor);
        if (data.features.empty()) data.order = ++serials_;
        return data.features.emplace_back(Feature{name, -1, ++serials_});
    }
    void forget_if_empty(int actor) {
        if (data_[actor].features.empty() && data_[actor].listeners.empty()) data_.erase(actor);
    }
    bool is_there(const Item& item) {
        const auto data = data_.find(item.actor);
        return data != data_.end() && data->second.serial == item.serial;
    }
    void tell(const Item& item) {
        if (!is_there(item)) return;
        std::vector<int> hearers = data_[item.actor].listeners;
        for (const char* level : {"BigBody", "Body", "Actor"})
            for (const auto& [number, one] : listeners_)
                if (one.def.actor == 0 && one.def.class_name == level && is_a(item.actor, level) && !item.is_removal)
                    hearers.push_back(number);
        std::erase_if(hearers, [&](int number) { return listeners_[number].known >= item.number; });
        for (int number : hearers)
            if (is_there(item)) hear(number, item, false);
    }
    void hear(int number, const Item& item, bool now) {
        const auto found = listeners_.find(number);
        if (found == listeners_.end() || found->second.is_over) return;
        Listener& listener = found->second;
        const ListenerDef def = listener.def;
        if (def.is_ready) {
            if (!is_ready(item.actor, def.state)) return;
            spend(number);
            return def.callback(fmt::format("{} ready", item.actor));
        }
        if (item.is_removal || (!def.feature.empty() && def.feature != item.feature)) return;
        if (def.state >= 0) {
            if (item.after < def.state) return;
            const Feature* feature = find(item.actor, item.feature);
            if (!def.every) {
                if (feature == nullptr || feature->life != item.life || !listener.fired.insert(item.life).second)
                    return;
                if (def.actor != 0 && !def.feature.empty()) spend(number);
            }
        }
        def.callback(told(item.actor, item.feature, now ? Name() : name_of(item.before), name_of(item.after)));
    }
    void spend(int number) {
        listeners_[number].is_over = true;
        const int actor = listeners_[number].def.actor;
        std::erase(data_[actor].listeners, number);
        forget_if_empty(actor);
    }

    std::map<int, bool> is_big_;
    std::map<int, Data> data_;
    std::map<int, Listener> listeners_;
    std::deque<Item> queue_;
    int depth_ = 0, serials_ = 0, numbers_ = 0;
};

// The same calls to the manager.
class InitReal {
public:
    void spawn(int actor, bool is_big) {
        ids_[actor] = is_big ? game_.spawn<BigBody>()->id() : game_.spawn<Body>()->id();
        numbers_[ids_[actor]] = actor;
    }
    void destroy(int actor) { game_.world().destroy(ids_[actor]); }
    void add(int actor, const std::string& feature) {
        game_.manager().register_init_state_feature(find(actor), Name(feature), nullptr);
    }
    void remove(int actor, const std::string& feature) {
        game_.manager().unregister_init_state_feature(find(actor), Name(feature));
    }
    void change(int actor, const std::string& feature, int state) { game_.set(find(actor), feature, name_of(state)); }
    void reset(int actor, const std::string& feature, int to) {
        game_.manager().reset_init_state(find(actor), Name(feature), name_of(to)).ignore();
    }
    void listen(int number, const ListenerDef& def) {
        ComponentManager& manager = game_.manager();
        const auto hear = [this, hear = def.callback](const InitStateChange& change) {
            hear(told(numbers_[change.actor.id()], change.feature.text(), change.old_state, change.new_state));
        };
        const auto ready = [this, hear = def.callback](Actor& actor) {
            hear(fmt::format("{} ready", numbers_[actor.id()]));
        };
        const ListenOptions options{.every_change = def.every};
        const Name feature(def.feature), state = name_of(def.state);
        handles_[number] =
            def.is_ready ? manager.when_actor_ready(find(def.actor), state, ready)
            : def.actor != 0
                ? manager.register_and_call_for_actor_init_state(find(def.actor), feature, state, hear, options)
                : manager.register_and_call_for_class_init_state(Name(def.class_name), feature, state, hear, options);
    }
    void drop(int number) { const auto gone = std::move(handles_[number]); }
    int state(int actor, const std::string& feature) {
        const Name state = game_.state(find(actor), feature);
        return static_cast<int>(std::find(kStates.begin(), kStates.end(), state) - kStates.begin()) -
               (state ? 0 : static_cast<int>(kStates.size()) + 1);
    }
    bool is_ready(int actor, int state) { return game_.manager().is_actor_ready(find(actor), name_of(state)); }
    InitCounts counts() {
        handles_.clear();
        for (const auto& [actor, id] : ids_) game_.world().destroy(id);
        return game_.manager().init_counts();
    }

private:
    Actor& find(int actor) { return *game_.world().find(ids_[actor]); }
    InitGame game_;
    std::map<int, ActorId> ids_;
    std::map<ActorId, int> numbers_;
    std::map<int, InitStateHandle> handles_;
};

// Plays steps on one of the two and writes down what was heard.
template <class Side> struct InitPlay {
    void act(const InitAct& what, const InitAct* deed = nullptr, int at = 0) {
        const std::string feature = pick(kFeatures, what.feature);
        if (what.what == InitAct::Spawn) {
            side.spawn(++last, what.extra % 2 == 0);
            return actors.push_back(last);
        }
        if (what.what == InitAct::Drop && !listeners.empty()) return side.drop(take(listeners, what.which));
        if (actors.empty()) return;
        const int actor = pick(actors, what.which);
        switch (what.what) {
            case InitAct::Destroy:
                return side.destroy(take(actors, what.which));
            case InitAct::Register:
                return side.add(actor, feature);
            case InitAct::Unregister:
                return side.remove(actor, feature);
            case InitAct::Change:
                return side.change(actor, feature, what.state);
            case InitAct::Reset:
                return side.reset(actor, feature, what.state - 1);
            case InitAct::ListenToActor:
                return listen(
                    {actor, {}, what.extra % 2 == 0 ? feature : "", what.state - 1, what.extra % 3 == 0, false, {}},
                    deed, at);
            case InitAct::ListenToClass: {
                static const std::vector<std::string> kLevels{"BigBody", "Body", "Actor"};
                return listen({0, pick(kLevels, what.extra), feature, what.state - 1, what.extra % 4 == 0, false, {}},
                              deed, at);
            }
            case InitAct::WhenReady:
                return listen({actor, {}, {}, what.state, false, true, {}}, deed, at);
            default:
                return;
        }
    }
    void listen(ListenerDef def, const InitAct* deed, int at) {
        const int number = ++last;
        def.callback = [this, number, at, calls = std::make_shared<int>(0),
                        deed = deed != nullptr ? *deed : InitAct{InitAct::Drop}](const std::string& what) {
            log += fmt::format("{}: {}; ", number, what);
            if ((*calls)++ != at || depth >= kMaxDepth) return;
            ++depth;
            act(deed);
            --depth;
        };
        side.listen(number, std::move(def));
        listeners.push_back(number);
    }

    Side side;
    std::vector<int> actors, listeners;  // that are there
    std::string log;
    int last = 0, depth = 0;
};

void play(const std::vector<InitStep>& steps) {
    InitPlay<InitReal> real;
    InitPlay<InitModel> model;
    for (const InitStep& step : steps) {
        model.act(step.act, &step.deed, step.at);
        real.act(step.act, &step.deed, step.at);
        RC_ASSERT(real.log == model.log);
        RC_ASSERT(real.actors == model.actors);
        for (int actor : model.actors) {
            for (const std::string& feature : kFeatures)
                RC_ASSERT(real.side.state(actor, feature) == model.side.state(actor, feature));
            RC_ASSERT(real.side.is_ready(actor, 1) == model.side.is_ready(actor, 1));
        }
    }
    real.depth = kMaxDepth;
    RC_ASSERT(real.side.counts() == InitCounts());
}

}  // namespace init_model_test
}  // namespace lyre::framework

namespace rc {

template <> struct Arbitrary<lyre::framework::init_model_test::InitAct> {
    static Gen<lyre::framework::init_model_test::InitAct> arbitrary() {
        using lyre::framework::init_model_test::InitAct;
        return gen::build<InitAct>(
            gen::set(&InitAct::what, gen::inRange<int>(0, InitAct::kCount)),
            gen::set(&InitAct::which, gen::inRange(0, 12)), gen::set(&InitAct::feature, gen::inRange(0, 3)),
            gen::set(&InitAct::state, gen::inRange(0, 4)), gen::set(&InitAct::extra, gen::inRange(0, 12)));
    }
};
template <> struct Arbitrary<lyre::framework::init_model_test::InitStep> {
    static Gen<lyre::framework::init_model_test::InitStep> arbitrary() {
        using lyre::framework::init_model_test::InitStep;
        return gen::build<InitStep>(gen::set(&InitStep::act), gen::set(&InitStep::deed),
                                    gen::set(&InitStep::at, gen::inRange(0, 3)));
    }
};

}  // namespace rc

namespace lyre::framework {
namespace init_model_test {

TEST(InitModel, whatever_is_called_from_wherever_the_states_do_what_the_model_does_and_leave_nothing) {
    // I-05, I-06, I-12, I-13, I-14, I-15, I-16, I-17, I-19, I-20, I-23, I-24, I-54, X-308, X-312, X-317
    check_property(&play, 1000);
}

}  // namespace init_model_test
}  // namespace lyre::framework
