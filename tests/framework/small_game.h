// tests/framework/small_game.h: a game with a component manager, actors that opt in, and handlers that keep a log.
//
//     ExtendedGame game;
//     auto request = game.manager().add_component_request(Selector("Pawn"), Name("Health"));
//     Hero* hero = game.spawn<Hero>();                        // Hero is a Pawn
//     auto handler = game.listen("a", Selector("Pawn"));      // log(): "a:ExtensionAdded(Hero)"
#pragma once

#include "lyre/framework/component_manager.h"

#include "tests/world/small_world.h"

namespace lyre::framework {

struct Pawn : Actor {
    using Described = Pawn;
    static void describe(TypeBuilder<Pawn>& t) { t.parent<Actor>(); }
    void pre_initialize() {
        report("pre_initialize", this);
        add_receiver(*this).ignore();
    }
    void begin_play() { report("begin_play", this); }
    void end_play(EndReason) {
        ComponentManager* manager = ComponentManager::of(*this);
        if (manager != nullptr && manager->is_receiver(*this)) remove_receiver(*this).ignore();
    }
};
struct Hero : Pawn {
    static void describe(TypeBuilder<Hero>&) {}
};
struct Crate : Pawn {  // with a component of its own
    static void describe(TypeBuilder<Crate>& t) { t.component("native", Name("Health")); }
};
struct Plain : Actor {  // never opts in
    static void describe(TypeBuilder<Plain>&) {}
};
struct Careless : Actor {  // opts in and never leaves
    static void describe(TypeBuilder<Careless>&) {}
    void pre_initialize() { add_receiver(*this).ignore(); }
};

struct Health : ReportingComponent<Health> {
    using Described = Health;
    int points = 100;
    static void describe(TypeBuilder<Health>& t) {
        t.parent<Component>();
        t.property("points", &Health::points);
    }
};
struct Armour : Health {
    static void describe(TypeBuilder<Armour>&) {}
};
struct Backpack : ReportingComponent<Backpack> {
    static void describe(TypeBuilder<Backpack>&) {}
};
struct Team : ReportingComponent<Team> {  // replicates
    int number = 0;
    static void describe(TypeBuilder<Team>& t) { t.property("number", &Team::number).replicated(); }
};

struct ExtendedGame : Game {
    explicit ExtendedGame(const WorldDef& def = {}) : Game(def) {
        EXPECT_TRUE(add_framework(runtime).is_ok());
        know<Health, Armour, Backpack, Team, Pawn, Hero, Crate, Plain, Careless>();
    }
    ComponentManager& manager() { return *instance.subsystems().find<ComponentManager>(); }

    ComponentRequestHandle request(const Selector& to, std::string_view component, AddFlags flags = AddFlags::None) {
        RequestOptions options;
        options.flags = flags;
        return manager().add_component_request(to, Name(component), std::move(options));
    }
    ComponentRequestHandle request(std::string_view to, std::string_view component, AddFlags flags = AddFlags::None) {
        return request(Selector(to), component, flags);
    }
    // Logs "name:Event(Class)".
    ExtensionHandlerHandle listen(const std::string& name, const Selector& to, HandlerOptions options = {}) {
        return manager().add_extension_handler(
            to,
            [name](Actor& actor, Name event, const EventPayload&) {
                report(fmt::format("{}:{}({})", name, event, actor.type().name), &actor);
            },
            std::move(options));
    }
    std::uint64_t reports(std::string_view kind) { return runtime.log().count(Name(kind)); }
    std::string last_report() {
        const auto entries = runtime.log().entries();
        return entries.empty() ? "" : entries.back().text;
    }
    GameplayTag tag(std::string_view text) {
        EXPECT_TRUE(runtime.tags().declare(text).is_ok());
        return *runtime.tags().find(text);
    }
};

// "Created", or "AlreadyHas: component native (Health)"; several with commas.
inline std::string results_of(const ComponentRequestHandle& handle) {
    std::string text;
    for (const RequestResult& result : handle.results()) {
        text += (text.empty() ? "" : ", ") + std::string(to_string(result.outcome));
        if (!result.detail.empty()) text += ": " + result.detail;
    }
    return text;
}
// Names of the components, in order.
inline std::string components_of(const Actor& actor) {
    std::string text;
    for (Component* component = actor.first_component(); component != nullptr; component = component->next())
        if (!component->is_doomed()) text += (text.empty() ? "" : " ") + std::string(component->name().text());
    return text;
}
inline std::string handler_log() {  // without what components and actors report
    std::string text;
    for (const std::string& line : stage().log)
        if (line.find(':') != std::string::npos) text += (text.empty() ? "" : " ") + line;
    stage().log.clear();
    return text;
}

}  // namespace lyre::framework
