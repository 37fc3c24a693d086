// world/subsystem.h: objects there is one of: per world, or per game instance.
//
//     struct Scores : WorldSubsystem {
//         static void describe(TypeBuilder<Scores>& t) { ... }
//         void initialize();                 // world() is there
//         void deinitialize();
//     };
//     runtime.types().add<Scores>();         // every world has one from now on, those there are already too
//     world.subsystems().find<Scores>();
//
// They are made in the order their types were registered and go in reverse. A feature that registers one brings it, and
// takes it along when its types go; not from inside one of its own hooks. A world that is ended in one ends after it.
#pragma once

#include <memory>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/core/type_registry.h"
#include "lyre/world/fwd.h"

namespace lyre::inline world {

template <class T> class SubsystemBuilder;

class WorldSubsystem {
public:
    using Described = WorldSubsystem;
    template <class T> using Builder = SubsystemBuilder<T>;
    static void describe(TypeBuilder<WorldSubsystem>& t);
    World& world() const { return *world_; }

private:
    friend class Subsystems;
    World* world_ = nullptr;
};

class GameSubsystem {
public:
    using Described = GameSubsystem;
    template <class T> using Builder = SubsystemBuilder<T>;
    static void describe(TypeBuilder<GameSubsystem>& t);
    GameInstance& game() const { return *game_; }

private:
    friend class Subsystems;
    GameInstance* game_ = nullptr;
};

struct SubsystemInfo : TypeExtension {
    bool is_of_world = false;
    std::uint32_t base_offset = 0;  // of the WorldSubsystem or GameSubsystem part
    void (*initialize)(void* object) = nullptr;
    void (*deinitialize)(void* object) = nullptr;

    void inherit(const TypeExtension&) override {}
    void append_schema(std::string&) const override {}
};

template <class T> class SubsystemBuilder : public PlainBuilder<T> {
public:
    explicit SubsystemBuilder(core::detail::TypeBuild& build) : PlainBuilder<T>(build) {
        auto info = std::make_unique<SubsystemInfo>();
        info->is_of_world = std::is_base_of_v<WorldSubsystem, T>;
        using Base = std::conditional_t<std::is_base_of_v<WorldSubsystem, T>, WorldSubsystem, GameSubsystem>;
        info->base_offset = core::detail::base_offset<Base, T>();
        if constexpr (requires(T & t) { t.initialize(); })
            info->initialize = [](void* object) { static_cast<T*>(object)->initialize(); };
        if constexpr (requires(T & t) { t.deinitialize(); })
            info->deinitialize = [](void* object) { static_cast<T*>(object)->deinitialize(); };
        build.type.extension = std::move(info);
    }
};

// The subsystems of one world or game instance.
class Subsystems {
public:
    Subsystems(Runtime& runtime, World& world);
    Subsystems(Runtime& runtime, GameInstance& game);
    ~Subsystems();
    Subsystems(const Subsystems&) = delete;
    Subsystems& operator=(const Subsystems&) = delete;

    template <class T> T* find() const { return static_cast<T*>(find(type_name<T>(), typeid(T))); }
    std::size_t count() const { return all_.size(); }
    void begin();  // makes those whose types are known; later ones come when their types do
    void end();    // newest first; none is made after

private:
    struct Entry {
        const Type* type;
        void* object;
        Name name;  // of the type: spawns ask for subsystems by it
        bool is_leaving = false;
    };
    Subsystems(Runtime& runtime, World* world, GameInstance* game);
    void* find(const Type& type) const;
    void* find(Name type, const std::type_info& native) const;  // the whole object
    bool wants(const Type& type) const;
    void make(const Type& type);
    void unmake(void* object);
    bool run(void (*hook)(void*), const char* name, const Type& type, void* object);

    Runtime& runtime_;
    World* world_;
    GameInstance* game_;
    std::vector<Entry> all_;            // in order of making
    std::vector<const Type*> in_hook_;  // types of those whose code runs now: they cannot leave
    bool ended_ = false;
    Connection added_, removing_, listing_;
};

}  // namespace lyre::inline world
