// framework/reports.h: why an actor is not ready and who put a component there, as data: described, so that the command
// line, an inspector and scripts show the same. The texts of explain_... and why_not are made of these.
//
// Actors are written as their ids are printed: "#3.1". Plain values: nothing in them points into a world.
#pragma once

#include <string>
#include <vector>

#include "lyre/core/type_builder.h"

namespace lyre::framework {

// What keeps a feature of an actor from its next state.
struct InitReason {
    std::string kind{};  // "needs", "refused", "gone" (its implementer), "idle" (nobody has asked it to try)
    std::string what{};  // of needs: "Team at Spawned of #2.1", or a predicate's name; of refused: the state
    std::string why{};   // of needs: what was found instead; of refused: the reason
    std::string actor{}, feature{}, state{};  // that it waits for, where that is one feature
    static void describe(TypeBuilder<InitReason>& t);
};

struct InitFeatureReport {
    std::string actor{}, class_name{};  // it may be of another one: what is waited for in turn
    std::string feature{};
    std::string state{}, next{};  // state empty: none yet
    double seconds = 0;           // in this state
    bool is_cause = false;        // something of its own stands in the way, besides others it waits for
    std::vector<InitReason> reasons{};
    static void describe(TypeBuilder<InitFeatureReport>& t);
};

struct InitReport {
    std::string actor{}, class_name{};
    std::string state{};  // that was asked about
    bool is_registered = false;
    bool is_ready = false;
    std::string trouble{};                      // why it cannot be said
    std::vector<InitFeatureReport> features{};  // below the state, and what these wait for; causes first
    std::string to_text() const;
    static void describe(TypeBuilder<InitReport>& t);
};

// A request that wants a component which is there.
struct WantReport {
    std::string owner{};       // "feature tag, action 2"
    std::string request{};     // "Health to Pawn"
    std::string flags{};       // "AddUnique"
    std::string level{};       // the class that the request names, or "any actor"
    double seconds = 0;        // since when
    bool has_made_it = false;  // else it shares it
    static void describe(TypeBuilder<WantReport>& t);
};

struct ComponentReport {
    std::string actor{}, component{}, class_name{};
    bool is_injected = false;  // the component manager made it; it goes with the last that wants it
    std::vector<WantReport> wanted_by{};
    std::string to_text() const;
    static void describe(TypeBuilder<ComponentReport>& t);
};

// A request or a handler, and what it comes to for one receiver.
struct ExtensionReport {
    std::string what{};  // of a request "Health to Pawn", of a handler "Pawn"
    std::string owner{};
    std::string state{};  // "Created", "AlreadyHas: component Health", "is called", "tags: all: missing Team.Red"
    static void describe(TypeBuilder<ExtensionReport>& t);
};

struct StickyReport {
    std::string event{}, payload{};  // payload: the name of its type; empty: none
    double seconds = 0;              // how old
    static void describe(TypeBuilder<StickyReport>& t);
};

struct ReceiverReport {
    std::string actor{}, class_name{};
    bool is_receiver = false;
    std::vector<ExtensionReport> requests{}, handlers{};  // that name any of its classes, matched or not
    std::vector<StickyReport> sticky{};
    std::string to_text() const;
    static void describe(TypeBuilder<ReceiverReport>& t);
};

struct WhyNotReport {
    std::string actor{}, class_name{};
    std::string wanted{};     // class of the component
    std::string component{};  // not empty: it is there, under this name
    bool is_receiver = false;
    std::vector<ExtensionReport> requests{};  // the nearest miss first
    std::string nearest{};                    // without requests: what somebody wants of nearly this name
    std::string to_text() const;
    static void describe(TypeBuilder<WhyNotReport>& t);
};

}  // namespace lyre::framework
