// gameplay/pawn_extension.h: leads the parts of a pawn to GameplayReady, whatever comes when.
//
//     Spawned --> DataAvailable --> DataInitialized --> GameplayReady
//        |            |                   |
//        |            |                   all other parts of the pawn have their data
//        |            PawnData; and a controller, where the server is or the pawn is steered from here
//        a pawn that begins play
//
// These are declared needs (framework/init_states.h): each thing that comes is a signal. Parts that have hooks instead
// of needs are asked to check with each signal (pawn.h), and when another part has its data.
//
// Data is what is named, in memory, and in a world whose experience is Loaded: nothing of a pawn is made before, also
// where the GameState comes later than the pawn, or where nothing is chosen: an experience may always come. It is loaded and held here as long as it is named; what the
// experience gives to everybody is in memory without that, and goes with the experience. Data that is replaced, by the
// server or by what the server has sent, leads all parts back to Spawned, and they climb again. One per pawn. Frame's
// thread.
#pragma once

#include <optional>

#include "lyre/assets/asset_id.h"
#include "lyre/assets/load_handle.h"
#include "lyre/framework/init_state_interface.h"
#include "lyre/framework/init_states.h"
#include "lyre/gameplay/components.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

struct PawnData;
extern const Name kPawnExtension;  // the name of its init-state feature

class PawnExtensionComponent : public PawnComponent, public framework::InitStateFeature<PawnExtensionComponent> {
public:
    using Described = PawnExtensionComponent;
    static void describe(TypeBuilder<PawnExtensionComponent>& t);
    void registered();
    void begin_play();
    static void look_for_data(World& world);  // of all its pawns: an experience is Loaded

    assets::PrimaryAssetId pawn_data_id() const { return pawn_data_; }
    const PawnData* pawn_data() const;  // null: none, or not loaded here yet
    // The server's, once; a second is refused and reported.
    Status set_pawn_data(assets::PrimaryAssetId data);
    // Of a switch: its parts go back to Spawned and climb again with the new data.
    void change_pawn_data(assets::PrimaryAssetId data);

    Name feature_name() const override { return kPawnExtension; }
    void check_default_initialization() override;  // the other parts first
    void on_actor_init_state_changed(const framework::InitStateChange& change) override;

private:
    void pawn_data_changed();
    void pawn_data_replicated(const assets::PrimaryAssetId& old);
    void lead_back();
    bool is_experience_loaded() const;
    bool has_data() const;
    void hold_data();
    void report_failure() const;
    Property<assets::PrimaryAssetId> pawn_data_;
    assets::PrimaryAssetId looked_for_{};  // what data_ is, or would be
    std::optional<assets::LoadHandle>
        data_;  // none: nothing is named, it is not yet Loaded, or somebody else's to hold
};

}  // namespace lyre::gameplay
