// core/subscriptions.h: the delegate callbacks that features have added, wherever the delegates are.
//
//     for (const SubscriptionInfo& one : subscriptions_of(Owner::feature(id, serial))) ...
//
// A callback is code of its feature's library: before the library is closed none may be left. A Connection removes it
// when it goes; this is for the ones that nobody has removed. Only callbacks of features and experiences are listed,
// so that nobody else pays for it. One is listed until its callable is destroyed, which waits for a broadcast that
// stands on its delegate (core/delegate.h); its Connection says that it is not connected any more.
//
// subscriptions_of may be called from any thread; remove_subscription belongs on the thread of the delegate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lyre/core/owner.h"

namespace lyre::inline core {

struct SubscriptionInfo {
    std::uint64_t registered = 0;
    std::string what;   // "Delegate<Actor&, EndReason>"
    std::string place;  // where it was added: "game/tag/tag.cpp:12"
};

std::vector<SubscriptionInfo> subscriptions_of(const Owner& owner);  // oldest first
// Removes the callback as its Connection would. False: there is none of that number (any more).
bool remove_subscription(std::uint64_t registered);

}  // namespace lyre::inline core
