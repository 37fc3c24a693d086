// tests/gameplay/parcel.h: pawns whose parts say what is done with them, and values that come as a network brings them.
//
//     Parcel match;                                          // the data of "walker" is in memory
//     World& client = match.open_loaded(NetMode::Client);
//     auto& pawn = Parcel::make<Loud>(client, Role::AutonomousProxy);
//     Parcel::arrives(pawn, "controller", text_of(controller.id()));
//     const auto notify = Parcel::writes(pawn, "player_state", text_of(player));  // of a frame all are written first
//     notify();
#pragma once

#include "lyre/world/class_info.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {

// Both parts say what is done with them.
struct LoudExtension : PawnExtensionComponent {
    using Described = LoudExtension;
    static void describe(TypeBuilder<LoudExtension>& t) { t.parent<PawnExtensionComponent>(); }
    Status handle_change_init_state(Name from, Name to) override {
        told().push_back(fmt::format("extension:{}", to));
        return PawnExtensionComponent::handle_change_init_state(from, to);
    }
};
struct Loud : Pawn {
    using Described = Loud;
    static void describe(TypeBuilder<Loud>& t) {
        t.parent<Pawn>();
        t.component<LoudExtension>("extension");
        t.component<LoudHero>("hero");
    }
};
struct Shell : Pawn {  // without a hero
    using Described = Shell;
    static void describe(TypeBuilder<Shell>& t) {
        t.parent<Pawn>();
        t.component<LoudExtension>("extension");
    }
};

// Actors whose values come one by one, as a network brings them.
struct Parcel : SmallMatch {
    Parcel() {
        const Status known = house.runtime().types().add_all<LoudExtension, Loud, Shell>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        house.experience("tag", "pawn = \"walker\"\n");
        open();
        load("tag");  // so that the data is in memory
        story();
    }
    // As replication does: the value, and then, when all values of a frame are written, its notice.
    static std::function<void()> writes(Object& object, const char* property, const std::string& value) {
        const PropertyInfo& info = *object.type().find_property(Name(property));
        void* whole = reinterpret_cast<char*>(&object) - ClassInfo::of(object.type()).object_offset;
        const auto* extension = object.as<PawnExtensionComponent>();
        const assets::PrimaryAssetId data = extension != nullptr ? extension->pawn_data_id() : assets::PrimaryAssetId();
        const std::string before = object.get(Name(property)).value_or("");
        const ActorId actor = ActorId::parse(before).value_or(ActorId());
        const Status status = object.set(Name(property), value);
        EXPECT_TRUE(status.is_ok()) << status.text();
        const bool is_data = extension != nullptr;
        return [&info, whole, data, actor, is_data] {
            if (info.notify) info.notify(whole, is_data ? static_cast<const void*>(&data) : &actor);
        };
    }
    static void arrives(Object& object, const char* property, const std::string& value) {
        writes(object, property, value)();
    }
    // As replication does after begin_play: each property is told once, as coming from the default, which is none here.
    static void first_notices(Object& object) {
        const ActorId nobody;
        const assets::PrimaryAssetId nothing;
        void* whole = reinterpret_cast<char*>(&object) - ClassInfo::of(object.type()).object_offset;
        for (const PropertyInfo& info : object.type().properties)
            if (info.notify)
                info.notify(whole,
                            object.is_a<PawnExtensionComponent>() ? &nothing : static_cast<const void*>(&nobody));
    }
    // The same of a list, which has no text.
    template <class T> static void arrives(Object& object, const char* property, const std::vector<T>& value) {
        const PropertyInfo& info = *object.type().find_property(Name(property));
        void* whole = reinterpret_cast<char*>(&object) - ClassInfo::of(object.type()).object_offset;
        const std::vector<T> old = std::exchange(*static_cast<std::vector<T>*>(info.in(whole)), value);
        if (info.notify) info.notify(whole, &old);
    }
    // Nothing of a pawn is made before the experience is Loaded.
    World& open_loaded(NetMode mode) {
        World& opened = *open(mode).world();
        if (mode == NetMode::Client) make<GameState>(opened, Role::SimulatedProxy);
        load_in(opened);
        return opened;
    }
    void load_in(World& opened) {
        experience::Host& its = Match::state(opened)->host();
        if (opened.net_mode() == NetMode::Client) {
            EXPECT_TRUE(its.receive(host().published()).is_ok());
        } else {
            EXPECT_TRUE(its.set_experience("tag").is_ok());
        }
        for (int i = 0; i < 40 && !its.is_experience_loaded(); ++i) frames();
        EXPECT_TRUE(its.is_experience_loaded());
    }
    template <class T> static T& make(World& world, Role role = Role::Authority) {
        const auto id = world.spawn<T>({.role = role});
        EXPECT_TRUE(id.is_ok()) << id.status().text();
        return *world.find<T>(*id);
    }
    void close_last() {
        games.back()->close_world();
        games.pop_back();
    }
};
inline std::string text_of(ActorId id) {
    return fmt::format("{}", id);
}

}  // namespace lyre::gameplay
