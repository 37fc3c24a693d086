// assets/load_handle.h: a hold on assets: while it lives they are on their way or there.
//
//     Pending -> Loading -> Complete            all is there and stays while the handle lives
//                        -> Failed              something is not; problems() says what and why. The rest is there
//             -> Cancelled                      given up by cancel(), or the Assets it came from have ended; also one
//                                               that was complete, if Assets::release_hold took it back
//
// Loading begins when the first of it comes back from a worker. While a combined handle holds another, only the
// combined one can be dropped or cancelled.
//
// Move-only. Dropping it gives the hold back: what nobody else wants is not loaded any further, and what is loaded goes
// with the next pump. A handle may outlive its Assets. Frame's thread; callbacks run inside Assets::pump(), or at once
// if it is over already, and may drop this handle, make others, and end everything.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lyre/assets/asset_id.h"
#include "lyre/core/delegate.h"
#include "lyre/core/executor.h"
#include "lyre/core/problem.h"

namespace lyre::assets {

class Assets;
struct AssetNode;    // detail/asset_node.h
struct LoadRequest;  // detail/load_request.h
class AssetStore;

enum class LoadState : std::uint8_t { Pending, Loading, Complete, Failed, Cancelled };
std::string_view to_string(LoadState state);

// Of sources, of all that a load is known to want so far; names in what comes may turn out to want more.
struct LoadBytes {
    std::uint64_t done = 0, of = 0;
};

class LoadHandle {
public:
    LoadHandle() = default;  // holds nothing and is complete
    LoadHandle(LoadHandle&& other) noexcept;
    LoadHandle& operator=(LoadHandle&& other) noexcept;
    ~LoadHandle();

    LoadState state() const;
    bool is_over() const { return state() >= LoadState::Complete; }
    bool is_complete() const { return state() == LoadState::Complete; }
    float progress() const;            // 0 to 1, by bytes; never goes back
    LoadBytes bytes() const;           // parts included
    const Problems& problems() const;  // of a failed one; all of them
    Status status() const;             // ok only if complete
    // What it still waits for, the longest waiting first, at most `max`: "map:yard: waiting for a worker".
    std::vector<std::string> waiting_for(std::size_t max = 8) const;

    // Once, when it is over, however it ends; at once if it is. Not called after the handle was dropped.
    void on_over(std::function<void(LoadState)> callback);
    void cancel();                         // Pending or Loading: becomes Cancelled and holds nothing
    void set_priority(Priority priority);  // of what has not begun to load
    void reset() { *this = LoadHandle(); }

private:
    friend class Assets;
    friend class AssetStore;
    void add_waiting(std::vector<const AssetNode*>& nodes) const;
    explicit LoadHandle(std::shared_ptr<LoadRequest> request) : request_(std::move(request)) {}
    std::shared_ptr<LoadRequest> request_;
};

}  // namespace lyre::assets
