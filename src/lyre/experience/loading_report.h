// experience/loading_report.h: why an experience is not there yet, and why it did not come.
//
// Plain values made by the Host at the moment they are asked for, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lyre/core/type_builder.h"
#include "lyre/experience/cause.h"

namespace lyre::experience {

// One thing that is waited for.
struct PendingItem {
    std::string kind{};   // "definition", "action set", "bundle", "asset", "feature", "delay", "action", "pauser", ...
    std::string id{};     // "feature tag", "map:yard"
    std::string waits{};  // for what, where it is known: "decoding", "Loading: map:yard"
    double seconds = 0;   // since when
    double progress = 0;  // 0 to 1
    static void describe(TypeBuilder<PendingItem>& t);
};

// How far one stage of a load is: definition, bundles, features, chaos, actions. `of` is 0 while that is not known.
struct StageCount {
    std::string stage{};
    std::uint32_t done = 0, of = 0;
    std::uint64_t bytes_done = 0, bytes = 0;  // of files, where a stage reads them; what is there already is done
    static void describe(TypeBuilder<StageCount>& t);
};

struct LoadingReport {
    std::string world{}, side{};
    std::string experience{};
    std::uint32_t generation = 0;
    LoadState state = LoadState::Unloaded;
    double seconds_in_state = 0;
    double progress = 0;
    std::vector<StageCount> stages{};    // always all, in order
    std::vector<PendingItem> pending{};  // what is waited for longest first; who waits for others, last
    std::vector<PendingItem> pausers{};  // who asked for time while leaving
    std::vector<PendingItem> holds{};    // of the start of play
    std::string to_text() const;
    static void describe(TypeBuilder<LoadingReport>& t);
};

struct FailedAttempt {
    std::string experience{};
    std::uint32_t generation = 0;
    std::string cause{};
    std::string decision{};  // "retry 2 of 3 in 1 s", "fall back to experience:lobby", "stay failed"
    double seconds_ago = 0;
    static void describe(TypeBuilder<FailedAttempt>& t);
};

struct FailureReport {
    Cause cause{};                          // none: it has not failed
    std::vector<FailedAttempt> attempts{};  // of this chain, oldest first: of many the first 128 and the newest 128
    std::uint64_t left_out = 0;             // between these halves
    std::string to_text() const;            // of many the first 4 and the newest 4
    static void describe(TypeBuilder<FailureReport>& t);
};

}  // namespace lyre::experience
