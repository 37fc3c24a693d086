// core/owner.h: who registered this: the process, a world, or a feature.
//
// Every registration (type, tag, variable, command, delegate, timer, subsystem, request, handler, loader, asset hold)
// records the owner that is current on its thread, and a callback runs under the owner that registered it. So whatever
// a feature's hook registers, directly or through a timer it started, is known to be that feature's, and can be listed
// and taken back when the feature goes. Nobody passes owners around by hand.
//
//     OwnerScope as(Owner::feature(Name("tag"), 7));   // what is registered here belongs to the feature
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "lyre/core/name.h"

namespace lyre::inline core {

enum class OwnerKind : std::uint8_t { Process, World, Feature };

struct Owner {
    Name name;                 // what people call it: a feature's id, a world's name
    std::uint32_t serial = 0;  // tells two worlds of one name apart; 0 for the process
    OwnerKind kind = OwnerKind::Process;

    static Owner process() { return {}; }
    static Owner world(Name name, std::uint32_t serial) { return {name, serial, OwnerKind::World}; }
    static Owner feature(Name id, std::uint32_t serial) { return {id, serial, OwnerKind::Feature}; }
    static Owner current() { return current_slot(); }

    std::string to_string() const;  // "process", "world arena (2)", "feature tag"
    friend bool operator==(const Owner&, const Owner&) = default;

    static Owner& current_slot();  // this thread's; for OwnerScope and delegates
};

// Makes an owner current until the end of the block. Scopes nest.
class [[nodiscard]] OwnerScope {
public:
    explicit OwnerScope(Owner owner) : slot_(Owner::current_slot()), before_(slot_) { slot_ = owner; }
    ~OwnerScope() { slot_ = before_; }
    OwnerScope(const OwnerScope&) = delete;
    OwnerScope& operator=(const OwnerScope&) = delete;

private:
    Owner& slot_;
    Owner before_;
};

}  // namespace lyre::inline core
