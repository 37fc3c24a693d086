// apps/lyre/live_match.h: a match on a terminal: frames by the real clock, pages, keys.
//
//     q quit         space pause    . step          n follow the next   z zoom
//     e experience   t feature      w why           : console line      x fault     f feed     ? these
//
// e, t, w and x offer a list; a digit chooses. A console line sets a variable or runs a command (core/console.h); while
// it plays there are besides `why TOPIC`, `experience NAME`, `with NAME` and `without NAME`, and what features bring (a
// vote, say), which stands behind the keys. What is shown over the picture goes away by any key but arrows, which does
// nothing else then, but for a colon. Whatever a key does, it does through the same doors as everybody: the Host, the
// console, why. Watching changes nothing in the match: what the view itself has to say is no line of the game's feed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lyre/core/console.h"
#include "lyre/core/log.h"
#include "lyre/experience/host.h"

#include "apps/lyre/console_line.h"
#include "apps/lyre/match_news.h"
#include "apps/lyre/match_run.h"
#include "apps/lyre/match_view.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {

class LiveMatch {
public:
    explicit LiveMatch(MatchRun& run);
    // As long as features start, and nobody presses q or wants an end otherwise; false: somebody did.
    bool await_start();
    // Until so many seconds of the world (below 0: no limit), q, a signal, or a pause at `pause_at` (below 0: none),
    // where `asked` is answered, if it says anything.
    void play(double seconds, double pause_at, const std::vector<std::string>& asked);

private:
    struct Choice {
        std::string text;
        std::function<void()> choose;
    };
    void add_commands();
    void run_frames(std::int64_t now, double seconds, double& pause_at, const std::vector<std::string>& asked);
    void take_keys(Terminal& terminal, std::int64_t us);
    void key(char key);
    void line_key(char key);
    void show_line();
    std::vector<std::string> names_behind(const std::vector<std::string>& words) const;
    void offer(std::string title, std::vector<Choice> choices);
    void offer_experiences();
    void offer_features();
    void tell_awaited();
    void offer_topics();
    void offer_faults();
    void ask(const std::vector<std::string>& topic);
    void execute(const std::string& line);
    void draw(Terminal& terminal);
    void say(std::string_view text);  // over the picture, until the next key
    void tell(std::string news, bool is_warning = false);
    void say_feed();
    std::string commands_of_features() const;
    void report(const Status& status, std::string done);
    Status set(const std::string& experience);
    Status put(const assets::PrimaryAssetId& feature, bool is_on);
    Result<experience::SetTicket> put_while_loading(experience::Host& host, const assets::PrimaryAssetId& feature,
                                                    bool is_on);

    MatchRun& run_;
    MatchView view_;
    MatchView::Note note_;
    MatchNews news_;
    std::vector<CommandHold> commands_;
    Connection warnings_;
    std::int64_t next_tick_ = 0, next_page_ = 0;
    double tick_ms_ = 0;
    bool has_ticked_ = false;  // in the last frame
    std::vector<Choice> choices_;
    bool is_writing_ = false;
    ConsoleLine line_;
    assets::PrimaryAssetId awaited_;  // a feature that is to come or go
    bool is_awaited_on_ = false;
    bool has_loaded_ = false;  // some experience, once
    bool is_over_ = false;
};

}  // namespace lyre::app
