// features/action_reading.h: from the actions of a file to objects that can run: features and experiences read theirs
// alike.
//
// The file was read before, when the kinds that features bring may not have been known: such parts were kept as
// written. By now everything they need is registered; what is still wrong is a problem with its place. Each action is
// then asked what it finds wrong itself (validate), and their order is worked out. Frame's thread.
#pragma once

#include <string>
#include <vector>

#include "lyre/features/action.h"

namespace lyre::features {

struct ActionSource {
    std::string file;       // as people would open it
    std::string subject;    // "feature tag"
    std::string_view text;  // of the file
    const Node* tree;       // of the file: its key `action` is the list
};

struct ActionReading {
    Problems problems;              // of required ones, and of their order
    bool has_unknown_kind = false;  // one of them
    struct LeftOut {
        std::size_t action;  // index of the list
        Problems problems;
    };
    std::vector<LeftOut> left_out;     // optional ones that are not what they should be
    std::vector<std::string> skipped;  // empty entries
    std::vector<std::size_t> order;    // in which they run; indices of the list
    struct NamedTag {
        GameplayTag tag;
        std::size_t action;  // index of the list
    };
    std::vector<NamedTag> tags;  // all that those name that are not left out
    Problems all_problems() const;
};

// Makes the parts what they say. With problems none of them is to be used; those left out are not in any case. `kinds`:
// those of the runtime's types, for who reads many; null: they are looked up.
ActionReading read_actions(const ActionSource& source, std::vector<ActionPart>& actions, Runtime& runtime,
                           NamedCode& code, const AssetNames& assets, const PartKinds* kinds = nullptr);

// Names in before and after that no action of the file has. They have no effect: nothing but `lyre check` tells them.
Problems check_action_names(const ActionSource& source);

// Its own hooks, whatever they throw: that is a problem, or the answer.
void validate(const GameFeatureAction& action, ActionCheck& check);
Status add_bundle_data(const GameFeatureAction& action, assets::BundleTable& table);

}  // namespace lyre::features
