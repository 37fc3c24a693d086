// Callbacks that pull the ground from under init states: at every place where user code runs, every kind of malice.
#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_reentrancy_test {

// Two parts that poke each other, listeners of every kind, needs and a reset: whatever can call user code does.
struct Scene {
    Scene() {
        body = game.spawn<Body>();
        other = game.spawn<Chest>();
        ids = {body->id(), other->id()};
        game.world().begin_play();
        for (std::string_view name : {"A", "B", "C"}) parts.push_back(std::make_unique<Part>(name, body));
        for (auto& part : parts) prepare(*part);
    }
    // The n-th time user code runs the malice happens.
    void here() {
        if (++calls == at && malice) malice(*this);
    }
    bool lives() { return game.game != nullptr && game.game->world() != nullptr && find() != nullptr; }
    Actor* find() { return game.world().find(ids[0]); }

    void prepare(Part& part) {
        Part* self = &part;
        part.can = [this](Name, Name) {
            here();
            return Verdict::yes();
        };
        part.handle = [this, self](Name, Name) {
            here();
            if (lives() && is_there(self)) self->check_default_initialization_for_implementers();
            return Status::ok();
        };
        part.exit = [this](Name, Name) { here(); };
        part.check = [this, self] {
            here();
            if (lives() && is_there(self)) self->continue_init_state_chain();
        };
        part.heard = [this](const InitStateChange&) { here(); };
    }
    bool is_there(const Part* part) const {
        for (const auto& one : parts)
            if (one.get() == part) return true;
        return false;
    }
    void listen() {
        ComponentManager& manager = game.manager();
        const auto call = [this](const InitStateChange&) { here(); };
        handles.push_back(manager.register_and_call_for_actor_init_state(*body, Name("A"), kAvailable, call));
        handles.push_back(manager.register_and_call_for_actor_init_state(*body, {}, {}, call));
        handles.push_back(manager.register_and_call_for_class_init_state(Name("Body"), Name("B"), kReady, call));
        handles.push_back(manager.when_actor_ready(*body, kReady, [this](Actor&) { here(); }));
        const auto ask = [this](const Actor&) {
            here();
            return true;
        };
        const auto of = [this](const Actor&) {
            here();
            return ids[1];
        };
        manager.declare_init_need(*body, Name("C"), kAvailable, Need::holds(Name("ask"), ask, {Name("ask")})).ignore();
        manager.declare_init_need(*body, Name("C"), kInitialized, Need::reached(Name("X"), kReady, of)).ignore();
        manager.declare_init_need(*body, Name("C"), kReady, Need::all_reached(kReady)).ignore();
    }
    using Step = std::function<void()>;
    void play() {
        const std::vector<Step> steps{
            [&] {
                for (std::size_t i = 0; i < parts.size() && lives(); ++i) {
                    parts[i]->register_init_state_feature().ignore();
                    if (lives() && i < parts.size()) parts[i]->bind_on_actor_init_state_changed();
                }
            },
            [&] { listen(); },
            [&] { parts[0]->try_to_change_init_state(kSpawned); },
            [&] { parts[1]->try_to_change_init_state(kSpawned); },
            [&] { parts[2]->try_to_change_init_state(kSpawned); },
            [&] { parts[0]->continue_init_state_chain(); },
            [&] { parts[1]->check_default_initialization(); },
            [&] {
                if (Actor* actor = game.world().find(ids[1])) game.set(*actor, "X", kReady);
            },
            [&] { game.manager().signal(*find(), Name("ask")); },
            [&] { game.manager().settle(); },
            [&] { game.manager().explain_actor_init(*find()); },
            [&] {
                handles.push_back(game.manager().register_and_call_for_class_init_state(
                    Name("Actor"), Name("A"), {}, [this](const InitStateChange&) { here(); }));
            },
            [&] { game.manager().reset_init_state(*find(), Name("A"), {}).ignore(); },
            [&] { parts[1]->unregister_init_state_feature(); },
            [&] { game.manager().settle(); },
        };
        for (const Step& step : steps) try {
                if (lives() && parts.size() == 3) step();
            } catch (const std::runtime_error&) {  // thrown by a part that the step called itself
            }
    }

    InitGame game;
    Body* body = nullptr;
    Chest* other = nullptr;
    std::vector<ActorId> ids;
    std::vector<InitStateHandle> handles;
    std::vector<std::unique_ptr<Part>> parts;
    std::vector<std::unique_ptr<Part>> graveyard;
    std::function<void(Scene&)> malice;
    int calls = 0, at = 0;
};

using Malice = std::function<void(Scene&)>;
struct Named {
    const char* name;
    Malice malice;
    bool leaves_data = false;
};

const std::vector<Named>& malices() {
    static const std::vector<Named> all{
        {"destroy the actor", [](Scene& s) { s.game.world().destroy(s.ids[0]); }},
        {"destroy both",
         [](Scene& s) {
             s.game.world().destroy(s.ids[1]);
             s.game.world().destroy(s.ids[0]);
         }},
        {"drop all listeners", [](Scene& s) { s.handles.clear(); }, true},
        {"end the world", [](Scene& s) { s.game.world().end(); }},
        {"end the game, from inside a callback its world",
         [](Scene& s) {
             if (s.game.world().is_in_callback())
                 s.game.game->close_world();
             else
                 s.game.game = nullptr;
         }},
        {"change again", [](Scene& s) { s.game.set(*s.find(), "A", kReady); }, true},
        {"reset", [](Scene& s) { s.game.manager().reset_init_state(*s.find(), Name("B"), {}).ignore(); }, true},
        {"remove a feature", [](Scene& s) { s.game.manager().unregister_init_state_feature(*s.find(), Name("A")); },
         true},
        {"kill an implementer that is not running",
         [](Scene& s) {
             s.parts[0]->unregister_init_state_feature();
             s.graveyard.push_back(std::move(s.parts.back()));
             s.parts.pop_back();
         },
         true},
        {"add a state",
         [](Scene& s) { s.game.manager().register_init_state(Name("More"), InitOrder::After, kSpawned); }, true},
        {"listen",
         [](Scene& s) {
             s.handles.push_back(s.game.manager().register_and_call_for_actor_init_state(
                 *s.find(), {}, {}, [&s](const InitStateChange&) { s.here(); }));
         },
         true},
        {"declare a need",
         [](Scene& s) {
             s.game.manager()
                 .declare_init_need(*s.find(), Name("A"), kReady,
                                    Need::holds(Name("never"), [](const Actor&) { return false; }).kept())
                 .ignore();
         },
         true},
        {"settle", [](Scene& s) { s.game.manager().settle(); }, true},
        {"throw", [](Scene&) { throw std::runtime_error("malice"); }, true},
    };
    return all;
}

TEST(InitReentrancy, every_callback_may_do_anything_at_any_time) {
    // I-23, I-24, I-26, I-30, I-55, X-317
    Scene calm;
    calm.play();
    ASSERT_GT(calm.calls, 40);
    for (const Named& named : malices())
        for (int at = 1; at <= calm.calls; ++at) {
            SCOPED_TRACE(fmt::format("{} at call {}", named.name, at));
            Scene scene;
            scene.at = at;
            scene.malice = named.malice;
            scene.play();
            if (scene.game.game == nullptr) continue;
            EXPECT_EQ(scene.lives(), named.leaves_data);
            for (ActorId id : scene.ids) scene.game.world().destroy(id);
            scene.handles.clear();
            scene.game.world().end();
            ASSERT_EQ(scene.game.manager().init_counts(), InitCounts());
        }
}

TEST(InitReentrancy, a_part_may_end_itself_in_its_own_step) {
    // I-30, I-26
    InitGame game;
    Body* body = game.spawn<Body>();
    auto part = std::make_unique<Part>("A", body);
    Part* raw = part.get();
    std::unique_ptr<Part> kept;  // its function runs on
    raw->handle = [&](Name, Name) {
        kept = std::move(part);
        kept->unregister_init_state_feature();
        return Status::ok();
    };
    EXPECT_FALSE(raw->try_to_change_init_state(kSpawned));
    EXPECT_EQ(game.manager().init_counts(), InitCounts());
}

struct Suicidal : Component, InitStateFeature<Suicidal> {
    static void describe(TypeBuilder<Suicidal>&) {}
    Name feature_name() const override { return Name("Suicidal"); }
    Status handle_change_init_state(Name, Name to) override {
        if (to == kAvailable) world().destroy(actor().id());
        return Status::ok();
    }
};
struct Victim : Actor {
    static void describe(TypeBuilder<Victim>& t) { t.component<Suicidal>("suicidal"); }
};

TEST(InitReentrancy, a_component_may_destroy_its_actor_in_its_own_step) {
    // I-30, I-26
    InitGame game;
    ASSERT_TRUE((game.runtime.types().add_all<Suicidal, Victim>().is_ok()));
    for (bool is_inside : {false, true}) {  // at once, or when the phase is over
        Victim* victim = game.spawn<Victim>();
        Suicidal* part = victim->find<Suicidal>();
        const auto climb = [&] {
            part->try_to_change_init_state(kSpawned);
            EXPECT_EQ(part->continue_init_state_chain(), kSpawned);  // what is on its way out does not climb
        };
        game.world().begin_play();
        if (is_inside) {
            game.world().timers().next_tick(climb);
            game.world().tick();
        } else {
            climb();
        }
        EXPECT_EQ(game.manager().init_counts(), InitCounts());
    }
}

TEST(InitReentrancy, what_a_callback_holds_may_drop_listeners_when_it_goes) {
    // I-24
    InitGame game;
    Body* body = game.spawn<Body>();
    auto held = std::make_shared<InitStateHandle>(
        game.manager().register_and_call_for_actor_init_state(*body, Name("A"), {}, game.teller("inner")));
    auto outer =
        game.manager().register_and_call_for_actor_init_state(*body, Name("A"), {}, [held](const InitStateChange&) {});
    held = nullptr;
    game.world().destroy(body->id());
    outer.reset();
    EXPECT_EQ(game.manager().init_counts(), InitCounts());
}

}  // namespace init_reentrancy_test
}  // namespace lyre::framework
