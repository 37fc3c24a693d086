// features/side.h: for whom something is meant: everybody, those who show the game, those who decide it.
//
// A dedicated server is only the server's side, a client only the client's; a standalone game and a listen server are
// both. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "lyre/core/value_type.h"
#include "lyre/world/world.h"

namespace lyre::features {

enum class Side : std::uint8_t { Both, Client, Server };
inline void describe(EnumBuilder<Side>& e) {
    e.value("both", Side::Both).value("client", Side::Client).value("server", Side::Server);
}
std::string_view to_string(Side side);

constexpr bool is_client_side(NetMode mode) {
    return mode != NetMode::DedicatedServer;
}
constexpr bool is_server_side(NetMode mode) {
    return mode != NetMode::Client;
}
constexpr bool counts_for(Side side, NetMode mode) {
    return side == Side::Both || (side == Side::Client ? is_client_side(mode) : is_server_side(mode));
}

// The sides of all worlds a feature is in.
struct Roles {
    bool client = false, server = false;

    static Roles of(NetMode mode) { return {is_client_side(mode), is_server_side(mode)}; }
    static Roles all() { return {true, true}; }
    bool has(Side side) const { return side == Side::Both || (side == Side::Client ? client : server); }
    bool contains(Roles others) const { return (client || !others.client) && (server || !others.server); }
    Roles operator|(Roles others) const { return {client || others.client, server || others.server}; }
    friend bool operator==(Roles, Roles) = default;
};

}  // namespace lyre::features
