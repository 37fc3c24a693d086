// apps/lyre/match_view.h: a match as a page of text: the arena from above, the scoreboard, the feed.
//
// It knows no feature. What is drawn is what the gameplay room's types say: markers, labels and props by place, solid
// boxes of the level, PlayerStates, teams, phases, the GameState's feed; while an experience loads, its stages and what
// is waited for. What is in sight is asked of the world's space, so props out of sight cost nothing, and asking wakes
// none of them. Players are numbers on the map, the same as in the list, since their glyphs may be those of other
// things and of each other. A page fits its size, whatever that is: a line that is too wide goes on in the next.
#pragma once

#include <string>
#include <vector>

#include "lyre/gameplay/looks.h"
#include "lyre/session/standalone.h"

#include "apps/lyre/terminal.h"

namespace lyre::app {

class MatchView {
public:
    struct Note {
        std::vector<std::string> lines{};  // over the picture; wide ones take several lines of the page
        std::size_t first = 0;             // of those lines of the page: what came before has been read
        std::string prompt{};              // in the last line, instead of the keys; empty: these
        bool is_line = false;              // the prompt is being written: its cursor is shown
        std::size_t cursor = 0;            // bytes of the prompt before that
        std::string news{};                // of the view itself, below the feed; it is no part of the match
        bool is_warning = false;           // the news: left out of a failed load's page, which says what went wrong
        std::string commands{};            // of the console, that the match has brought; behind the keys
    };
    MatchView(bool has_color, bool has_unicode) : has_color_(has_color), has_unicode_(has_unicode) {}

    void follow_next(const session::Standalone& game);
    std::string followed_name(const session::Standalone& game) const;  // empty: nobody
    void zoom() { is_close_ = !is_close_; }
    // How many lines of the note the last page has shown, if there are more; 0: it has shown its end.
    std::size_t note_read() const { return note_read_; }

    // Lines with no end after the last.
    std::string start_page(const session::Project& project, Terminal::Size size) const;  // before there is a world
    std::string page(const session::Standalone& game, Terminal::Size size, double tick_ms, const Note& note);

private:
    struct Cell {
        char32_t sign = U' ';
        gameplay::Colour colour = gameplay::Colour::Plain;
        bool is_bold = false;
        bool is_text = false;  // of a label, or a player: no label is written over it
        bool is_wall = false;
    };
    static constexpr char32_t kSecondHalf = 0;  // the sign of the cell behind a character two columns wide
    using Row = std::vector<Cell>;
    struct Canvas;
    struct Player;

    std::vector<Player> players(const session::Standalone& game) const;
    std::string title(const session::Standalone& game, double tick_ms, int columns) const;
    std::vector<std::string> stages(const experience::LoadingReport& report, int columns) const;
    std::vector<std::string> waiting(const experience::LoadingReport& report) const;
    std::vector<std::string> loading(const session::Standalone& game, int columns) const;
    std::string joined(const std::vector<std::string>& lines, Terminal::Size size) const;
    std::vector<Row> picture(const session::Standalone& game, int columns, int lines) const;
    std::vector<Row> board(const session::Standalone& game, std::size_t lines) const;
    void draw_level(Canvas& canvas, const session::Standalone& game) const;
    void draw_actors(Canvas& canvas, const session::Standalone& game) const;
    std::vector<std::string> note(const Note& note, int columns, std::size_t room);
    std::vector<std::string> feed(const session::Standalone& game, const Note& note, int columns,
                                  std::size_t room) const;
    static Row cells(std::string_view text, std::size_t room, Cell as);
    std::string text_of(const Row& row) const;

    bool has_color_, has_unicode_;
    bool is_close_ = false;
    std::size_t note_read_ = 0;
    ActorId followed_;  // a PlayerState
};

inline constexpr double kStallSeconds = 5;  // of a load: then what is waited for is named
// "feature tag: Loading, for 5.0 s"
std::string waiting_line(const experience::PendingItem& item);

}  // namespace lyre::app
