// Random sequences against the plainest model of the data: what is registered, at which state, who has been called.
#include <map>

#include "lyre/core/random.h"

#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace {

const std::vector<Name>& names() {
    static const std::vector<Name> all{Name("A"), Name("B"), Name("C")};
    return all;
}

struct Model {
    struct Listener {
        bool is_class = false;
        ActorId actor;
        Name feature;
        int state = -1;  // -1: every change
        bool every = false;
        std::map<std::pair<std::uint64_t, int>, bool> fired;  // by actor and life of the feature
        bool is_spent = false;
        int calls = 0;
        InitStateHandle handle;
        int heard = 0;
    };
    struct Feature {
        int state = -1;
        int life = 0;
    };
    std::map<std::uint64_t, std::map<Name, Feature>> actors;  // by id bits
    std::vector<std::unique_ptr<Listener>> listeners;
    int lives = 0;

    static bool is_for(const Listener& l, ActorId actor, Name feature) {
        return (l.is_class || l.actor == actor) && (!l.feature || l.feature == feature);
    }
    void tell(Listener& l, ActorId actor, Name feature, const Feature& f) {
        if (!is_for(l, actor, feature) || l.is_spent || f.state < l.state) return;
        if (l.state >= 0 && !l.every) {
            bool& fired = l.fired[{actor.bits(), f.life}];
            if (fired) return;
            fired = true;
            l.is_spent = !l.is_class && l.feature;
        }
        ++l.calls;
    }
    Feature& feature(ActorId actor, Name name) {
        auto& f = actors[actor.bits()][name];
        if (f.life == 0) f.life = ++lives;
        return f;
    }
    void change(ActorId actor, Name name, int state) {
        Feature& f = feature(actor, name);
        if (f.state == state) return;
        f.state = state;
        for (auto& l : listeners) tell(*l, actor, name, f);
    }
    void listen(Listener& l, const std::vector<ActorId>& alive) {
        for (ActorId actor : alive)
            if (auto found = actors.find(actor.bits()); found != actors.end())
                for (auto& [name, f] : found->second)
                    if (f.state >= 0) tell(l, actor, name, f);
    }
};

struct Play {
    explicit Play(std::uint64_t seed) : random(seed) {}
    std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random.next_below(below)); }

    void step() {
        ComponentManager& manager = game.manager();
        const Name feature = names()[pick(names().size())];
        Actor* actor = alive.empty() ? nullptr : game.world().find(alive[pick(alive.size())]);
        switch (actor == nullptr ? 0 : pick(10)) {
            case 0:
                if (alive.size() < 6) alive.push_back(game.spawn<Body>()->id());
                return;
            case 1:
                model.actors.erase(actor->id().bits());
                std::erase(alive, actor->id());
                game.world().destroy(actor->id());
                return;
            case 2:
                manager.register_init_state_feature(*actor, feature, nullptr);
                model.feature(actor->id(), feature);
                return;
            case 3:
                manager.unregister_init_state_feature(*actor, feature);
                model.actors[actor->id().bits()].erase(feature);
                return;
            case 4:
                return listen(actor, feature);
            case 5:
                if (!model.listeners.empty())
                    model.listeners.erase(model.listeners.begin() + static_cast<long>(pick(model.listeners.size())));
                return;
            case 6:
                return reset(*actor, feature);
            default: {
                const int state = static_cast<int>(pick(4));
                game.set(*actor, feature.text(), manager.init_states()[static_cast<std::size_t>(state)]);
                model.change(actor->id(), feature, state);
            }
        }
    }
    void reset(Actor& actor, Name feature) {
        const int to = static_cast<int>(pick(5)) - 1;
        const auto found = model.actors[actor.id().bits()].find(feature);
        const bool is_known = found != model.actors[actor.id().bits()].end();
        const Name state = to < 0 ? Name() : game.manager().init_states()[static_cast<std::size_t>(to)];
        EXPECT_EQ(game.manager().reset_init_state(actor, feature, state).is_ok(),
                  is_known && to <= found->second.state);  // never up
        if (is_known)
            for (int at = found->second.state - 1; at >= to; --at) model.change(actor.id(), feature, at);
    }
    void listen(Actor* actor, Name feature) {
        auto made = std::make_unique<Model::Listener>();
        Model::Listener* l = made.get();
        l->is_class = pick(2) == 0;
        l->feature = l->is_class || pick(2) == 0 ? feature : Name();
        l->state = static_cast<int>(pick(5)) - 1;
        l->every = pick(3) == 0;
        l->actor = actor->id();
        const Name state = l->state < 0 ? Name() : game.manager().init_states()[static_cast<std::size_t>(l->state)];
        const auto call = [l](const InitStateChange&) { ++l->heard; };
        const ListenOptions options{.every_change = l->every};
        model.listen(*l, alive);
        l->handle =
            l->is_class
                ? game.manager().register_and_call_for_class_init_state(Name("Body"), l->feature, state, call, options)
                : game.manager().register_and_call_for_actor_init_state(*actor, l->feature, state, call, options);
        model.listeners.push_back(std::move(made));
    }
    void compare() {
        for (ActorId id : alive) {
            Actor& actor = *game.world().find(id);
            auto& features = model.actors[id.bits()];
            std::size_t all = 0;
            for (Name name : names()) {
                const auto found = features.find(name);
                const int state = found == features.end() ? -1 : found->second.state;
                const Name wanted = state < 0 ? Name() : game.manager().init_states()[static_cast<std::size_t>(state)];
                ASSERT_EQ(game.manager().init_state(actor, name), wanted);
                if (state >= 1) ++all;
            }
            ASSERT_EQ(game.manager().is_actor_ready(actor, kAvailable), !features.empty() && all == features.size());
        }
        for (auto& l : model.listeners) ASSERT_EQ(l->heard, l->calls);
    }

    InitGame game;
    Random random;
    Model model;
    std::vector<ActorId> alive;
};

TEST(InitModel, random_sequences_do_what_the_model_does_and_leave_nothing) {
    // I-05, I-06, I-17, I-19, I-20, I-54, X-308, X-317
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Play play(seed);
        for (int round = 0; round < 25; ++round) {  // 40 x 25 = 1,000 cycles
            for (int i = 0; i < 40; ++i) {
                play.step();
                ASSERT_NO_FATAL_FAILURE(play.compare());
            }
            for (ActorId id : play.alive) play.game.world().destroy(id);
            play.alive.clear();
            play.model.actors.clear();
            play.model.listeners.clear();
            ASSERT_EQ(play.game.manager().init_counts(), InitCounts());
        }
    }
}

}  // namespace
}  // namespace lyre::framework
