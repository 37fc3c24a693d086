// apps/lyre/match_view.h: a match as a page of text: the arena from above, the scoreboard, the feed.
//
// It knows no feature. What is drawn is what the gameplay room's types say: markers, labels and props by place, solid
// boxes of the level, PlayerStates, teams, phases, the GameState's feed; while an experience loads, its stages and what
// is waited for. What is in sight is asked of the world's space, so props out of sight cost nothing, and asking wakes
// none of them. Players are numbers on the map, the same as in the list, since their glyphs may be those of other
// things and of each other; they are bright, what only lies about is dim, and nothing is drawn over them. A label keeps
// its side of what it belongs to as long as it can be read there. A page fits its size, whatever that is: a line that
// is too wide goes on in the next.
//
// While a match that was on loads anew (something is put on top of it), its last picture stays, quieter, below what is
// waited for; the beginning, and a switch to another experience, have a page of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lyre/gameplay/looks.h"
#include "lyre/session/standalone.h"

#include "apps/lyre/match_news.h"
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
        bool has_news = false;             // since the last key: a page without room for the feed shows the newest
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
    // `tick_ms`: below 0: there is none now.
    std::string page(const session::Standalone& game, const MatchNews& news, Terminal::Size size, double tick_ms,
                     const Note& note);

private:
    enum class Weight : std::uint8_t { Quiet, Plain, Bold, Marked };
    enum class Kind : std::uint8_t { Ground, Wall, Text, Player };
    struct Cell {
        char32_t sign = U' ';
        gameplay::Colour colour = gameplay::Colour::Plain;
        Weight weight = Weight::Plain;
        Kind kind = Kind::Ground;
    };
    static constexpr char32_t kSecondHalf = 0;  // the sign of the cell behind a character two columns wide
    using Row = std::vector<Cell>;
    struct Canvas;
    struct Labelled;
    struct Player;
    struct Score {
        std::int64_t points = 0;
        double rose_at = -1e9;  // s of the match
    };

    std::vector<Player> players(const session::Standalone& game) const;
    std::string title(const session::Standalone& game, double tick_ms, int columns) const;
    std::vector<std::string> stages(const experience::LoadingReport& report, int columns) const;
    std::vector<std::string> waiting(const experience::LoadingReport& report) const;
    std::vector<std::string> loading(const session::Standalone& game, int columns) const;
    std::vector<std::string> loading_again(const session::Standalone& game, int columns) const;
    std::string joined(const std::vector<std::string>& lines, Terminal::Size size) const;
    std::vector<Row> arena(const session::Standalone& game, int columns, int lines);
    std::vector<Row> picture(const session::Standalone& game, int columns, int lines);
    std::vector<Row> board(const session::Standalone& game, std::size_t lines);
    void add_teams(const session::Standalone& game, const std::vector<Player>& all, std::vector<Row>& rows);
    void draw_level(Canvas& canvas, const session::Standalone& game) const;
    void draw_actors(Canvas& canvas, const session::Standalone& game);
    void draw_labels(Canvas& canvas, std::vector<Labelled> labels);
    std::vector<std::string> note(const Note& note, int columns, std::size_t room);
    std::vector<std::string> feed(const session::Standalone& game, const MatchNews& news, int columns,
                                  std::size_t room) const;
    static Row cells(std::string_view text, std::size_t room, Cell as);
    std::string edge(int columns) const;
    std::string style(gameplay::Colour colour, Weight weight) const;
    std::string text_of(const Row& row, bool is_quiet) const;

    bool has_color_, has_unicode_;
    bool is_close_ = false;
    std::size_t note_read_ = 0;
    ActorId followed_;                          // a PlayerState
    std::map<ActorId, std::size_t> places_[2];  // of the labels on the last page, from afar and close
    std::map<std::int32_t, Score> scores_;      // of the teams on the last page
    std::vector<Row> last_;                     // the arena as it was last seen
    bool is_loading_shown_ = false;             // over it, on the last page
    assets::PrimaryAssetId last_of_;            // the experience that was played there
};

inline constexpr double kStallSeconds = 5;  // of a load: then what is waited for is named
// "feature tag: Loading, for 5.0 s"
std::string waiting_line(const experience::PendingItem& item);
std::string news_text(const MatchNews::Line& line);  // "1:38 Blue takes C"

}  // namespace lyre::app
