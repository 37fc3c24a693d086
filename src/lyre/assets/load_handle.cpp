#include "lyre/assets/load_handle.h"

#include <algorithm>

#include "lyre/assets/detail/asset_store.h"

namespace lyre::assets {

std::string_view to_string(LoadState state) {
    switch (state) {
        case LoadState::Pending:
            return "pending";
        case LoadState::Loading:
            return "loading";
        case LoadState::Complete:
            return "complete";
        case LoadState::Failed:
            return "failed";
        case LoadState::Cancelled:
            return "cancelled";
    }
    return "?";
}

LoadHandle::LoadHandle(LoadHandle&& other) noexcept = default;

LoadHandle& LoadHandle::operator=(LoadHandle&& other) noexcept {
    LoadHandle before(std::move(*this));  // goes last: what it lets go may look at this one
    request_ = std::move(other.request_);
    return *this;
}

LoadHandle::~LoadHandle() {
    if (request_ == nullptr) return;
    const std::shared_ptr<LoadRequest> request = std::move(request_);
    if (const auto store = request->store.lock()) store->drop(*request);
    // What callbacks hold may drop handles, too; by now nothing is half done.
    const auto callbacks = std::move(request->callbacks);
    const auto parts = std::move(request->parts);
    request->callbacks.clear();
    request->parts.clear();
}

LoadState LoadHandle::state() const {
    return request_ == nullptr ? LoadState::Complete : request_->state;
}

float LoadHandle::progress() const {
    if (is_complete()) return 1;
    constexpr float kNotYet = 0.999f;  // bundles may still turn out to name more
    const LoadBytes all = bytes();
    const float now = all.of > 0 ? static_cast<float>(static_cast<double>(all.done) / static_cast<double>(all.of)) : 0;
    return request_->shown = std::max(request_->shown, std::min(now, kNotYet));
}

LoadBytes LoadHandle::bytes() const {
    if (request_ == nullptr) return {};
    LoadBytes all{request_->done, request_->total};
    for (const LoadHandle& part : request_->parts) {
        const LoadBytes more = part.bytes();
        all.done += more.done;
        all.of += more.of;
    }
    return all;
}

const Problems& LoadHandle::problems() const {
    static const Problems kNone;
    return state() == LoadState::Failed ? request_->problems : kNone;
}

Status LoadHandle::status() const {
    switch (state()) {
        case LoadState::Complete:
            return Status::ok();
        case LoadState::Failed:
            return problems().to_status();
        case LoadState::Cancelled:
            return {StatusCode::Cancelled, "loading was given up"};
        default:
            return Status::refused("still loading");
    }
}

std::vector<std::string> LoadHandle::waiting_for(std::size_t max) const {
    std::vector<std::string> lines;
    const auto store = request_ == nullptr ? nullptr : request_->store.lock();
    if (store == nullptr || is_over()) return lines;
    std::vector<const AssetNode*> waiting;
    add_waiting(waiting);
    const auto began = [](const AssetNode* node) { return node->coming->serial; };
    std::sort(waiting.begin(), waiting.end(),
              [&](const AssetNode* a, const AssetNode* b) { return began(a) < began(b); });
    waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
    for (const AssetNode* node : waiting)
        if (lines.size() < max) lines.push_back(fmt::format("{}: {}", node->id, store->progress_of(*node)));
    return lines;
}

void LoadHandle::add_waiting(std::vector<const AssetNode*>& nodes) const {
    for (const RequestHold& hold : request_->holds)
        if (!hold.node->is_settled()) nodes.push_back(hold.node);
    for (const LoadHandle& part : request_->parts) part.add_waiting(nodes);
}

void LoadHandle::on_over(std::function<void(LoadState)> callback) {
    if (is_over()) return callback(state());
    request_->callbacks.push_back({Owner::current(), next_registration(), std::move(callback)});
}

void LoadHandle::cancel() {
    const auto store = request_ == nullptr ? nullptr : request_->store.lock();
    if (store != nullptr) store->cancel(*request_);
}

void LoadHandle::set_priority(Priority priority) {
    const auto store = request_ == nullptr ? nullptr : request_->store.lock();
    if (store != nullptr && !is_over()) store->set_priority(*request_, priority);
}

}  // namespace lyre::assets
