// features/feature_report.h: what can be said about one feature, as data: described, so that the command line, an
// inspector and scripts show the same.
#pragma once

#include <string>
#include <vector>

#include "lyre/core/type_builder.h"
#include "lyre/features/feature_error.h"
#include "lyre/features/feature_state.h"
#include "lyre/features/ledger.h"

namespace lyre::features {

struct DependencyReport {
    std::string id{};
    std::string kind{};      // required, optional, incompatible
    std::string versions{};  // wanted
    std::string found{};     // the version that is there; empty: none
    std::string state{};     // of the dependency
    std::string trouble{};   // of an optional one that is left out: why
    static void describe(TypeBuilder<DependencyReport>& t);
};

struct OwnerReport {
    std::string owner{};  // "world arena (2)", "feature tag", "process"
    std::string level{};  // "Active"
    double seconds = 0;   // since when
    static void describe(TypeBuilder<OwnerReport>& t);
};

// How a feature is in one world that it is wanted in, or is leaving.
struct WorldReport {
    std::string world{};
    std::string phase{};            // joining, joined, leaving, failed
    double seconds = 0;             // since when
    std::string waits_for{};        // of joining and leaving
    std::string error{};            // of failed; it is tried again when somebody asks for it there again
    std::string to_string() const;  // "in world arena", "joins world arena since 2.0 s, waits for thing:flag"
    static void describe(TypeBuilder<WorldReport>& t);
};

struct FeatureReport {
    std::string id{};
    std::string version{};
    std::string newer{};  // a version that was found and waits for a reload
    std::string title{};
    std::string folder{};
    std::string state{};
    std::string goal{};       // "Active", "at least Loaded"; empty: it rests
    std::string waits_for{};  // while it moves
    float progress = 1;
    std::string error{};  // of the last thing that failed or was refused
    std::string module{};
    bool is_resident = false;  // its library is still in memory though it was closed
    std::vector<OwnerReport> owners{};
    std::vector<DependencyReport> dependencies{};
    std::vector<WorldReport> worlds{};
    std::vector<std::string> left_out{};  // optional actions, and why: "action 2 (run): ..."
    std::vector<Holder> holders{};        // what keeps it from being unloaded now
    std::vector<LedgerEntry> ledger{};
    static void describe(TypeBuilder<FeatureReport>& t);
};

// Any described record as JSON, by its description alone: keys are its properties.
std::string to_json(const Type& type, const void* object);
inline std::string to_json(const FeatureReport& report) {
    return to_json(type_of_record<FeatureReport>(), &report);
}

}  // namespace lyre::features
