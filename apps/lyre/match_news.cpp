#include "apps/lyre/match_news.h"

#include <algorithm>
#include <utility>

#include "lyre/gameplay/game_state.h"

namespace lyre::app {

void MatchNews::hear(const session::Standalone& game) {
    if (game.world() == nullptr) return;
    time_ = game.world()->time();
    const gameplay::GameState* state = game.state();
    if (state == nullptr || state->lines_said() == heard_) return;
    const std::vector<std::string> feed = state->feed();
    const std::uint64_t fresh = state->lines_said() - std::exchange(heard_, state->lines_said());
    for (std::size_t i = feed.size() - std::min<std::uint64_t>(feed.size(), fresh); i < feed.size(); ++i)
        add({time_, feed[i]});
}

void MatchNews::tell(std::string text, bool is_warning) {
    if (!lines_.empty() && lines_.back().is_own && lines_.back().text == text) lines_.pop_back();
    add({time_, std::move(text), true, is_warning});
}

void MatchNews::add(Line line) {
    if (lines_.size() == kMaxLines) lines_.erase(lines_.begin());
    lines_.push_back(std::move(line));
}

}  // namespace lyre::app
