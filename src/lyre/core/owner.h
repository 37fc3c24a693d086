// core/owner.h: who registered this: the process, a project, a world, a feature, or an experience in one world.
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

enum class OwnerKind : std::uint32_t {
    Process,
    World,
    Feature,
    Project,
    Experience
};  // a word, so that an Owner is copied by words

struct Owner {
    Name name;                 // what people call it: a feature's id, a world's name
    std::uint32_t serial = 0;  // tells two worlds of one name apart; 0 for the process
    OwnerKind kind = OwnerKind::Process;

    static Owner process() { return {}; }
    static Owner world(Name name, std::uint32_t serial) { return {name, serial, OwnerKind::World}; }
    static Owner feature(Name id, std::uint32_t serial) { return {id, serial, OwnerKind::Feature}; }
    static Owner experience(Name name, std::uint32_t serial) { return {name, serial, OwnerKind::Experience}; }
    static Owner project(Name name) { return {name, 0, OwnerKind::Project}; }
    static Owner current();

    std::string to_string() const;  // "process", "world arena (2)", "feature tag", "experience tag", "project plectrum"
    friend bool operator==(const Owner&, const Owner&) = default;
};

// Tells which of two registrations came first: every registration takes one when it is made and keeps it as
// `registered`. From 1, one row for the whole process; any thread.
std::uint64_t next_registration();

namespace detail {
// This thread's, for OwnerScope and delegates. Reached without a call, since every callback changes it; trivially
// destroyed, so it pins no library.
extern constinit thread_local Owner current_owner __attribute__((tls_model("initial-exec")));
}  // namespace detail

inline Owner Owner::current() {
    return detail::current_owner;
}

// Makes an owner current until the end of the block. Scopes nest.
class [[nodiscard]] OwnerScope {
public:
    explicit OwnerScope(Owner owner) : before_(detail::current_owner) { detail::current_owner = owner; }
    ~OwnerScope() { detail::current_owner = before_; }
    OwnerScope(const OwnerScope&) = delete;
    OwnerScope& operator=(const OwnerScope&) = delete;

private:
    Owner before_;
};

}  // namespace lyre::inline core
