#include "apps/lyre/match_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "lyre/core/utf8.h"
#include "lyre/experience/host.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/phases.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/gameplay/teams.h"

#include "apps/lyre/command.h"

namespace lyre::app {

using gameplay::Colour;
using gameplay::Look;
using gameplay::PlayerState;
using gameplay::Shape;

namespace {

constexpr float kCloseMetres = 0.5f;  // per column; a line is twice as high as a column is wide
constexpr float kWidestFit = 140;     // m; larger maps are seen around somebody
constexpr int kBoardColumns = 26, kFeedLines = 4;
constexpr const char* kColours[] = {"0", "2", "31", "33", "32", "36", "34", "35"};
constexpr std::string_view kKeys = "q quit  space pause  n next  e experience  t feature  w why  ? all keys";

// The end of a line that is being written.
std::string tail(std::string_view text, int columns) {
    int all = static_cast<int>(count_columns(text));
    while (all > columns && !text.empty()) {
        const Utf8Character one = first_character(text);
        all -= columns_of(one.code);
        text.remove_prefix(one.size);
    }
    return cleaned(text);
}

char32_t sign_of(std::string_view glyph, char32_t otherwise) {
    const char32_t first = first_character(glyph).code;
    const bool shows = first != kNoCharacter && !is_control(first) && columns_of(first) == 1;
    return shows ? first : otherwise;
}

// For terminals that would garble the rest; as wide as it was.
std::string in_ascii(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const Utf8Character one = first_character(text);
        if (one.code < 0x80)
            plain += static_cast<char>(one.code);
        else
            plain.append(static_cast<std::size_t>(columns_of(one.code)), '?');
        text.remove_prefix(one.size);
    }
    return plain;
}

std::string clock_text(double seconds) {
    const auto whole = static_cast<long>(seconds);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar(double part, int columns, bool has_unicode) {
    const int full = static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * columns));
    std::string text;
    for (int i = 0; i < columns; ++i) text += has_unicode ? (i < full ? "\u2588" : "\u2591") : (i < full ? "#" : ".");
    return text;
}

}  // namespace

// The part of the world that is seen, as cells.
struct MatchView::Canvas {
    std::vector<Row> rows;
    Vec3 corner;       // of the lowest row
    float metres = 1;  // per column
    int columns = 0, lines = 0;
    Box seen;

    Canvas(int width, int height, Vec3 middle, float per_column)
        : rows(static_cast<std::size_t>(std::max(height, 0)), Row(static_cast<std::size_t>(std::max(width, 0)))),
          metres(per_column),
          columns(width),
          lines(height) {
        const Vec3 half = {static_cast<float>(columns) * metres / 2, static_cast<float>(lines) * metres, 0};
        corner = middle - half;
        seen = {corner, middle + half};
        seen.min.z = -1000, seen.max.z = 1000;
    }
    Cell* at(Vec3 place) {
        const float x = std::floor((place.x - corner.x) / metres), y = std::floor((place.y - corner.y) / (2 * metres));
        const bool is_seen = x >= 0 && y >= 0 && x < static_cast<float>(columns) && y < static_cast<float>(lines);
        if (!is_seen) return nullptr;
        return &rows[static_cast<std::size_t>(lines - 1) - static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
    }
    void put(Vec3 place, Cell cell) {
        if (Cell* there = at(place)) *there = cell;
    }
    // Every cell that the box touches, as far as it is seen.
    void fill(const Box& box, Cell cell) {
        const auto range = [](float low, float high, float from, float step, int count) {
            const float first = std::floor((low - from) / step), last = std::floor((high - from) / step);
            const auto most = static_cast<float>(count - 1);
            if (!(last >= 0) || !(first <= most)) return std::pair(0, -1);
            return std::pair(static_cast<int>(std::max(first, 0.0f)), static_cast<int>(std::min(last, most)));
        };
        const auto across = range(box.min.x, box.max.x, corner.x, metres, columns);
        const auto up = range(box.min.y, box.max.y, corner.y, 2 * metres, lines);
        for (int y = up.first; y <= up.second; ++y)
            for (int x = across.first; x <= across.second; ++x)
                rows[static_cast<std::size_t>(lines - 1 - y)][static_cast<std::size_t>(x)] = cell;
    }
    void ring(Vec3 middle, float radius, Cell cell) {
        if (!(radius < 1e6f)) return;
        const float step = std::max(2.0f, 40 * metres / std::max(radius, 0.1f));
        for (float yaw = 0; yaw < 360; yaw += step) put(middle + direction(yaw) * radius, cell);
    }
    void write(Vec3 place, std::string_view text, Cell as) {
        Cell* there = at(place);
        if (there == nullptr) return;
        for (Row& row : rows) {
            if (there < row.data() || there >= row.data() + row.size()) continue;
            const Row line = cells(text, static_cast<std::size_t>(row.data() + row.size() - there), as);
            const auto is_text = [](const Cell& cell) { return cell.is_text; };
            if (std::any_of(there, there + line.size(), is_text)) return;
            std::copy(line.begin(), line.end(), there);
            for (std::size_t i = 0; i < line.size(); ++i) there[i].is_text = true;
        }
    }
};

struct MatchView::Player {
    const PlayerState* state;
    Colour colour = Colour::Plain;
};

std::vector<MatchView::Player> MatchView::players(const session::Standalone& game) const {
    std::vector<Player> all;
    if (game.state() == nullptr) return all;
    for (const PlayerState* state : game.state()->players()) {
        const gameplay::Pawn* pawn = state->pawn();
        const Look* look = pawn != nullptr ? gameplay::look_of(*pawn) : nullptr;
        all.push_back({state, look != nullptr ? look->colour : Colour::Grey});
    }
    return all;
}

void MatchView::follow_next(const session::Standalone& game) {
    const auto all = players(game);
    const auto now =
        std::find_if(all.begin(), all.end(), [&](const Player& one) { return one.state->id() == followed_; });
    const auto next = now == all.end() || now + 1 == all.end() ? all.begin() : now + 1;
    followed_ = next != all.end() ? next->state->id() : ActorId();
}

std::string MatchView::followed_name(const session::Standalone& game) const {
    const auto* state = game.world() != nullptr ? game.world()->find<PlayerState>(followed_) : nullptr;
    return state != nullptr ? state->player_name() : std::string();
}

std::string MatchView::title(const session::Standalone& game, double tick_ms) const {
    const experience::Host& host = *game.host();
    const auto* phases = game.state()->find<gameplay::GamePhases>();
    const bool has_phase = phases != nullptr && !phases->active().empty();
    const std::string_view last = has_phase ? phases->active().back().text() : std::string_view();
    const std::string phase = last.empty() ? std::string() : fmt::format("  {}", last.substr(last.rfind('.') + 1));
    const World& world = *game.world();
    const auto counts = framework::ComponentManager::of(world)->init_counts();
    const bool is_waited = host.is_experience_loaded() && counts.waiting != 0;
    const std::string ready =
        is_waited ? fmt::format("  init states {}/{}", counts.actors - counts.waiting, counts.actors) : std::string();
    return fmt::format("{} on {}{}  {}  tick {}  {:.2f} ms{}{}", host.experience_id().name, world.def().name, phase,
                       clock_text(world.time()), world.tick_number(), tick_ms, game.is_paused() ? "  PAUSED" : "",
                       ready);
}

std::string waiting_line(const experience::PendingItem& item) {
    const bool says_kind = item.id.rfind(item.kind, 0) == 0;
    return fmt::format("{}{}{}{}, for {:.1f} s", says_kind ? "" : item.kind + " ", item.id,
                       item.waits.empty() ? "" : ": ", item.waits, item.seconds);
}

std::vector<std::string> MatchView::stages(const experience::LoadingReport& report, int columns) const {
    std::vector<std::string> lines;
    const int width = std::clamp(columns - 42, 8, 40);
    for (const experience::StageCount& stage : report.stages) {
        const double part = stage.of == 0 ? 0 : static_cast<double>(stage.done) / static_cast<double>(stage.of);
        const std::string bytes = bytes_text(stage.bytes_done, stage.bytes);
        lines.push_back(fmt::format("  {:<12} {} {:>5}{}{}", stage.stage, bar(part, width, has_unicode_),
                                    stage.of == 0 ? "-" : fmt::format("{}/{}", stage.done, stage.of),
                                    bytes.empty() ? "" : "  ", bytes));
    }
    return lines;
}

std::vector<std::string> MatchView::waiting(const experience::LoadingReport& report) const {
    std::vector<std::string> lines;
    for (const auto* list : {&report.pending, &report.pausers})
        for (std::size_t i = 0; i < std::min<std::size_t>(list->size(), 6); ++i) {
            const bool is_stalled = (*list)[i].seconds >= kStallSeconds;
            lines.push_back(fmt::format("  {} {}", is_stalled ? "STALLED:" : "waits for", waiting_line((*list)[i])));
        }
    return lines;
}

std::string MatchView::start_page(const session::Project& project, Terminal::Size size) const {
    const experience::LoadingReport report = project.start_report();
    std::vector<std::string> lines{fmt::format("{}: features that are there from the start", project.def().name), ""};
    for (const auto& more : {stages(report, size.columns), {""}, waiting(report)})
        lines.insert(lines.end(), more.begin(), more.end());
    for (std::string& line : lines) line = cut(line, size.columns);
    const auto room = static_cast<std::size_t>(std::max(size.lines, 1));
    lines.resize(room);
    if (room > 2) lines.back() = cut("q quit", size.columns);
    return joined(lines, size);
}

std::vector<std::string> MatchView::loading(const session::Standalone& game, int columns) const {
    experience::LoadingReport report = game.host()->explain_loading();
    const auto counts = framework::ComponentManager::of(*game.world())->init_counts();
    report.stages.push_back({"init states", static_cast<std::uint32_t>(counts.actors - counts.waiting),
                             static_cast<std::uint32_t>(counts.actors)});
    report.stages.push_back({"all", static_cast<std::uint32_t>(report.progress * 100), 100});
    std::vector<std::string> lines{
        "",
        fmt::format("  {}: {}", report.experience.empty() ? "choosing" : report.experience, to_string(report.state)),
        ""};
    for (const auto& more : {stages(report, columns), {""}, waiting(report)})
        lines.insert(lines.end(), more.begin(), more.end());
    const std::string reason = game.host()->loading_screen_reason().text;
    if (report.pending.empty() && !reason.empty()) lines.push_back("  " + reason);
    if (report.state == experience::LoadState::Failed)
        lines.push_back(fmt::format("  failed: {}", game.host()->failure().to_string()));
    return lines;
}

void MatchView::draw_level(Canvas& canvas, const session::Standalone& game) const {
    const Level* level = game.level();
    if (level == nullptr) return;
    const Cell wall{has_unicode_ ? U'\u2593' : U'#', Colour::Grey, false};
    const Box& bounds = level->bounds();
    const Box edges[] = {{bounds.min, {bounds.max.x, bounds.min.y, 0}},
                         {{bounds.min.x, bounds.max.y, 0}, bounds.max},
                         {bounds.min, {bounds.min.x, bounds.max.y, 0}},
                         {{bounds.max.x, bounds.min.y, 0}, bounds.max}};
    for (const Box& edge : edges) canvas.fill(edge, wall);
    for (const Box& box : level->boxes()) canvas.fill(box, wall);
}

// What lies on the ground, then walls, wide things, labels, and what stands on them. From afar the labels of pawns
// would hide the pawns: only that of who is followed is written.
void MatchView::draw_actors(Canvas& canvas, const session::Standalone& game) const {
    constexpr Vec3 kMargin = {10, 10, 0};  // m: rings whose middle is out of sight
    World& world = *game.world();
    const TypeRegistry& types = world.runtime().types();
    std::vector<Found> found;
    world.space().find(Box{canvas.seen.min - kMargin, canvas.seen.max + kMargin}, {}, found);
    const auto is_wide = [&](const Look& look, float scale) {  // more than a character
        return look.shape != Shape::Dot && look.radius * scale > canvas.metres;
    };
    const auto draw_wide = [&](Vec3 at, const Look& look, float scale) {
        const Cell cell{has_unicode_ ? U'\u00B7' : U'.', look.colour, false};
        const Vec3 half = Vec3{look.radius, look.radius, 0} * scale;
        if (look.shape == Shape::Circle)
            canvas.ring(at, half.x, cell);
        else
            canvas.fill({at - half, at + half}, cell);
    };
    for (const Found& one : found)
        if (const Look* look = one.actor == nullptr ? gameplay::look_of(types, *one.type) : nullptr) {
            if (is_wide(*look, one.scale)) draw_wide(one.position, *look, one.scale);
            canvas.put(one.position, {sign_of(look->glyph, U'?'), look->colour, false});
        }
    draw_level(canvas, game);
    struct Shown {
        const Actor* actor;
        const Look* look;
        bool is_wide;
    };
    std::vector<Shown> shown;
    for (const Found& one : found)
        if (const Look* look = one.actor != nullptr ? gameplay::look_of(*one.actor) : nullptr)
            shown.push_back({one.actor, look, is_wide(*look, one.scale)});
    for (const Shown& one : shown) {
        if (!one.is_wide) continue;
        const Vec3 at = one.actor->position();
        draw_wide(at, *one.look, one.actor->scale());
        canvas.put(at, {sign_of(one.look->glyph, U'?'), one.look->colour, true});
    }
    const auto is_of_followed = [&](const Shown& one) {
        const auto* pawn = one.actor->as<gameplay::Pawn>();
        return pawn != nullptr && pawn->player_state() != nullptr && pawn->player_state()->id() == followed_;
    };
    std::stable_partition(shown.begin(), shown.end(), is_of_followed);  // its label is written before others
    for (const Shown& one : shown) {
        const std::string* label = gameplay::label_of(*one.actor);
        const auto* pawn = one.actor->as<gameplay::Pawn>();
        const bool is_followed = is_of_followed(one);
        if (label == nullptr || (pawn != nullptr && !is_followed && canvas.metres > kCloseMetres)) continue;
        canvas.write(one.actor->position() + Vec3{2 * canvas.metres, 0, 0}, *label, {U' ', one.look->colour, false});
    }
    for (const Shown& one : shown)
        if (!one.is_wide)
            canvas.put(one.actor->position(),
                       {sign_of(one.look->glyph, U'o'), one.look->colour, one.actor->is_a<gameplay::Pawn>()});
}

// A map that can be seen as a whole is, unless one wants to be close; of others what is around who is followed.
std::vector<MatchView::Row> MatchView::picture(const session::Standalone& game, int columns, int lines) const {
    Vec3 middle;
    float metres = kCloseMetres;
    if (const auto* state = game.world()->find<PlayerState>(followed_))
        if (const gameplay::Pawn* pawn = state->pawn()) middle = pawn->position();
    if (const Level* level = game.level(); level != nullptr && !is_close_) {
        const Vec3 size = level->bounds().max - level->bounds().min;
        if (std::max(size.x, size.y) <= kWidestFit) {
            middle = (level->bounds().max + level->bounds().min) * 0.5f;
            metres = std::max(size.x / static_cast<float>(std::max(columns - 1, 1)),
                              size.y / static_cast<float>(std::max(lines - 1, 1)) / 2);
            metres = std::max(metres * 1.01f, 0.1f);
        }
    }
    Canvas canvas(columns, lines, middle, metres);
    draw_actors(canvas, game);
    return std::move(canvas.rows);
}

std::vector<MatchView::Row> MatchView::board(const session::Standalone& game, std::size_t lines) const {
    std::vector<Row> rows;
    const auto add = [&](std::string_view text, Colour colour, bool is_bold) {
        rows.push_back(cells(text, kBoardColumns, {U' ', colour, is_bold}));
    };
    auto all = players(game);
    std::stable_sort(all.begin(), all.end(),
                     [](const Player& a, const Player& b) { return a.state->score() > b.state->score(); });
    const auto team_sign = [&](const PlayerState& one) -> std::string {  // colours say it where there are any
        const gameplay::Team* team = has_color_ ? nullptr : game.state()->team(one.team());
        return team == nullptr ? " " : cut(team->title(), 1);
    };
    for (const gameplay::Team* team : game.state()->teams()) {
        const auto member = std::find_if(all.begin(), all.end(),
                                         [&](const Player& one) { return one.state->team() == team->number(); });
        add(fmt::format(" {:<18} {:>5}", team->title(), team->score()),
            member != all.end() ? member->colour : Colour::Plain, true);
    }
    if (!rows.empty()) add("", Colour::Plain, false);
    const std::size_t room = lines > rows.size() ? lines - rows.size() : 0;
    for (std::size_t i = 0; i < all.size() && i < room; ++i) {
        if (i + 1 == room && all.size() > room) {
            add(fmt::format("   and {} more", all.size() - i), Colour::Grey, false);
            break;
        }
        const PlayerState& one = *all[i].state;
        const std::string name = cut(one.player_name(), 16);
        const auto pad = static_cast<std::size_t>(16) - std::min<std::size_t>(count_columns(name), 16);
        add(fmt::format("{}{}{}{} {:>6}", team_sign(one), one.id() == followed_ ? ">" : " ", name,
                        std::string(pad, ' '), one.score()),
            all[i].colour, false);
    }
    return rows;
}

// A text as cells, as many as there is room for. Marks on other characters are left out.
MatchView::Row MatchView::cells(std::string_view text, std::size_t room, Cell as) {
    Row row;
    while (!text.empty()) {
        const Utf8Character one = first_character(text);
        const bool shows = one.code != kNoCharacter && !is_control(one.code);
        const auto width = shows ? static_cast<std::size_t>(columns_of(one.code)) : 1;
        if (row.size() + width > room) break;
        as.sign = shows ? one.code : U'?';
        if (width != 0) row.push_back(as);
        as.sign = kSecondHalf;
        if (width == 2) row.push_back(as);
        text.remove_prefix(one.size);
    }
    return row;
}

// Of a wide character that something else was drawn over, the other half is left empty.
std::string MatchView::text_of(const Row& row) const {
    std::string text;
    Colour colour = Colour::Plain;
    bool is_bold = false, is_plain = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Cell& cell = row[i];
        const bool is_wide = columns_of(cell.sign) == 2;
        const bool is_whole = i + 1 < row.size() && row[i + 1].sign == kSecondHalf;
        const char32_t sign = cell.sign == kSecondHalf || (is_wide && !is_whole) ? U' ' : cell.sign;
        const Colour wanted = has_color_ ? cell.colour : Colour::Plain;
        if (sign != U' ' && (wanted != colour || cell.is_bold != is_bold)) {
            text += fmt::format("\033[0;{}{}m", kColours[static_cast<std::size_t>(wanted)], cell.is_bold ? ";1" : "");
            colour = wanted;
            is_bold = cell.is_bold;
            is_plain = false;
        }
        append_character(text, sign);
        if (is_wide && is_whole) ++i;
    }
    return is_plain ? text : text + "\033[0m";
}

std::string MatchView::page(const session::Standalone& game, Terminal::Size size, double tick_ms, const Note& note) {
    if (game.host() == nullptr) return cut("the world has ended", size.columns);
    if (game.world()->find<PlayerState>(followed_) == nullptr) follow_next(game);
    std::vector<std::string> lines{cut(title(game, tick_ms), size.columns)};
    const int keys = size.lines > 2 ? 1 : 0;
    const int feed = size.lines >= 16 ? kFeedLines : 0;
    const int room = std::max(size.lines - 1 - keys - feed, 0);
    const bool is_playing = game.host()->is_experience_loaded();
    const int side = is_playing && size.columns > 2 * kBoardColumns ? kBoardColumns : 0;
    std::vector<std::string> main;
    if (is_playing) {
        const auto picture = this->picture(game, size.columns - side, room);
        const auto board = side != 0 ? this->board(game, picture.size()) : std::vector<Row>();
        for (std::size_t i = 0; i < picture.size(); ++i)
            main.push_back(text_of(picture[i]) + (i < board.size() ? text_of(board[i]) : std::string()));
    } else {
        for (const std::string& line : loading(game, size.columns)) main.push_back(cut(line, size.columns));
    }
    main.resize(static_cast<std::size_t>(room));
    const std::size_t shown = std::min<std::size_t>(note.lines.size(), main.size());
    note_shown_ = main.size();
    for (std::size_t i = 0; i < shown; ++i) main[i] = cut(note.lines[i], size.columns);  // over the picture
    if (shown != 0 && shown < main.size()) main[shown].clear();
    if (shown < note.lines.size() && main.size() > 1)
        main.back() =
            cut(fmt::format("... {} more lines; space shows them", note.lines.size() - shown + 1), size.columns);
    lines.insert(lines.end(), main.begin(), main.end());
    std::vector<std::string> said = game.state()->feed();
    if (!note.news.empty()) said.push_back(note.news);
    for (int i = 0; i < feed; ++i) {
        const std::size_t back = static_cast<std::size_t>(feed - i);
        lines.push_back(back <= said.size() ? cut(" " + said[said.size() - back], size.columns) : std::string());
    }
    const std::string_view below = feed == 0 && !note.news.empty() ? std::string_view(note.news) : kKeys;
    if (keys != 0)
        lines.push_back(note.is_line ? tail(note.prompt, size.columns)
                                     : cut(note.prompt.empty() ? below : std::string_view(note.prompt), size.columns));
    return joined(lines, size);
}

std::string MatchView::joined(const std::vector<std::string>& lines, Terminal::Size size) const {
    std::string text;
    for (std::size_t i = 0; i < lines.size() && i < static_cast<std::size_t>(size.lines); ++i)
        text += (i == 0 ? "" : "\n") + lines[i];
    return has_unicode_ ? text : in_ascii(text);
}

}  // namespace lyre::app
