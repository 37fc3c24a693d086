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
constexpr const char* kColourLetters[] = {" ", " ", "R", "Y", "G", "C", "B", "M"};
constexpr const char* kKeys[] = {"q quit  space pause  n next  e experience  t feature  w why  ? all keys",
                                 "q quit  space pause  e experience  t feature  w why  ? keys",
                                 "q quit  space pause  e experience  ? keys", "q quit  ? keys"};
constexpr const char* kWaysOut = "  w says more, e chooses another experience, q quits";
constexpr std::string_view kMarks = "123456789abcdefghijklmnopqrstuvwxyz";  // of players; later ones have their glyphs

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

// As many keys as there is room for beside the commands of the match; ? lists all.
std::string keys_and(const std::string& commands, int columns) {
    std::string line;
    for (const char* keys : kKeys)
        if (line = keys + commands; count_columns(line) <= static_cast<std::size_t>(columns)) break;
    return line;
}

// A line that is being written, with its cursor: the part around that, if it is too wide.
std::string written(std::string_view text, std::size_t cursor, int columns) {
    const Utf8Character at = first_character(text.substr(cursor));
    if (at.size == 0) return tail(fmt::format("{}_", text), columns);
    const std::string_view under = text.substr(cursor, at.size);
    const int width = static_cast<int>(count_columns(under));
    const std::string before = tail(text.substr(0, cursor), columns - width);
    const int rest = columns - width - static_cast<int>(count_columns(before));
    return fmt::format("{}\033[7m{}\033[27m{}", before, cleaned(under), cut(text.substr(cursor + at.size), rest));
}

// As lines of the page: broken at blanks where there are any, what goes on further in.
std::vector<std::string> page_lines(std::string_view text, int columns) {
    const std::size_t indent = std::min<std::size_t>(std::min(text.find_first_not_of(' '), text.size()), 10);
    const std::string inset(columns > 20 ? indent + 2 : 0, ' ');
    const int room = columns - static_cast<int>(inset.size());
    std::vector<std::string> lines;
    for (std::string_view rest : wrapped(text, static_cast<std::size_t>(columns), static_cast<std::size_t>(room)))
        do {  // a word that is wider is broken
            const bool is_first = lines.empty();
            const std::string_view part = rest.substr(0, fitting(rest, is_first ? columns : room));
            lines.push_back((is_first ? "" : inset) + cleaned(part));
            rest.remove_prefix(part.empty() ? first_character(rest).size : part.size());
        } while (!rest.empty());
    return lines;
}

std::vector<std::string> page_lines(const std::vector<std::string>& texts, int columns) {
    std::vector<std::string> lines;
    for (const std::string& text : texts)
        for (std::string& part : page_lines(text, columns)) lines.push_back(std::move(part));
    return lines;
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
    // Every cell whose middle is in the box, or that its own middle is in.
    void fill_middles(Box box, Cell cell) {
        const auto shrink = [](float& low, float& high, float by) {
            low += by, high -= by;
            if (low > high) low = high = (low + high) / 2;
        };
        shrink(box.min.x, box.max.x, metres / 2);
        shrink(box.min.y, box.max.y, metres);
        fill(box, cell);
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
    // Where it is, or beside it if a wall is drawn there: whoever stands close to one is not in it.
    void put_beside_walls(Vec3 place, Cell cell) {
        const Vec3 across = {metres, 0, 0}, up = {0, 2 * metres, 0};
        Cell* best = at(place);
        if (best == nullptr) return;
        float nearest = 3 * metres;
        if (best->is_wall)
            for (const Vec3& step : {across, across * -1, up, up * -1}) {
                const Vec3 middle = middle_of(place + step);
                Cell* there = at(place + step);
                if (there == nullptr || there->is_wall || length(middle - flat(place)) >= nearest) continue;
                nearest = length(middle - flat(place));
                best = there;
            }
        *best = cell;
    }
    // In the first of these lines that has room for it: the place's own, and those around it.
    void write(Vec3 place, std::string_view text, Cell as) {
        as.is_text = true;
        const auto is_taken = [](const Cell& cell) { return cell.is_text; };
        for (const float lines : {0.0f, 1.0f, -1.0f, 2.0f, -2.0f}) {
            Cell* there = at(place + Vec3{0, 2 * metres * lines, 0});
            if (there == nullptr) continue;
            const Row line = cells(text, room_from(there), as);
            if (std::any_of(there, there + line.size(), is_taken)) continue;
            std::copy(line.begin(), line.end(), there);
            return;
        }
    }

private:
    static Vec3 flat(Vec3 place) { return {place.x, place.y, 0}; }
    Vec3 middle_of(Vec3 place) const {
        const auto middle = [](float value, float from, float step) {
            return from + (std::floor((value - from) / step) + 0.5f) * step;
        };
        return {middle(place.x, corner.x, metres), middle(place.y, corner.y, 2 * metres), 0};
    }
    std::size_t room_from(const Cell* there) const {
        for (const Row& row : rows)
            if (there >= row.data() && there < row.data() + row.size())
                return static_cast<std::size_t>(row.data() + row.size() - there);
        return 0;
    }
};

struct MatchView::Player {
    const PlayerState* state;
    std::size_t number = 0;  // in the order in which they came
    Colour colour = Colour::Plain;
    char32_t mark(char32_t otherwise) const {  // on the map and in the list
        return number < kMarks.size() ? static_cast<char32_t>(kMarks[number]) : otherwise;
    }
};

std::vector<MatchView::Player> MatchView::players(const session::Standalone& game) const {
    std::vector<Player> all;
    if (game.state() == nullptr) return all;
    for (const PlayerState* state : game.state()->players()) {
        const gameplay::Pawn* pawn = state->pawn();
        const Look* look = pawn != nullptr ? gameplay::look_of(*pawn) : nullptr;
        all.push_back({state, all.size(), look != nullptr ? look->colour : Colour::Grey});
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

std::string MatchView::title(const session::Standalone& game, double tick_ms, int columns) const {
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
    const std::string text =
        fmt::format("{} on {}{}  {}  tick {}{}{}", host.experience_id().name, world.def().name, phase,
                    clock_text(world.time()), world.tick_number(), game.is_paused() ? "  PAUSED" : "", ready);
    const std::string took = fmt::format("  a tick takes {:.2f} ms", tick_ms);
    return count_columns(text + took) <= static_cast<std::size_t>(columns) ? text + took : cut(text, columns);
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
    lines = page_lines(lines, size.columns);
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
    const std::string reason = game.host()->loading_screen_reason().text;
    if (report.state == experience::LoadState::Failed) {
        lines.push_back(fmt::format("  failed: {}", game.host()->failure().to_string()));
        lines.insert(lines.end(), {"", kWaysOut});
    } else {
        for (const auto& more : {stages(report, columns), {""}, waiting(report)})
            lines.insert(lines.end(), more.begin(), more.end());
        if (report.pending.empty() && !reason.empty()) lines.push_back("  " + reason);
        const auto is_stalled = [](const experience::PendingItem& item) { return item.seconds >= kStallSeconds; };
        if (std::any_of(report.pending.begin(), report.pending.end(), is_stalled))
            lines.insert(lines.end(), {"", kWaysOut});
    }
    return page_lines(lines, columns);
}

void MatchView::draw_level(Canvas& canvas, const session::Standalone& game) const {
    const Level* level = game.level();
    if (level == nullptr) return;
    const Cell wall{has_unicode_ ? U'\u2593' : U'#', Colour::Grey, false, false, true};
    const Box& bounds = level->bounds();
    const Box edges[] = {{bounds.min, {bounds.max.x, bounds.min.y, 0}},
                         {{bounds.min.x, bounds.max.y, 0}, bounds.max},
                         {bounds.min, {bounds.min.x, bounds.max.y, 0}},
                         {{bounds.max.x, bounds.min.y, 0}, bounds.max}};
    for (const Box& edge : edges) canvas.fill(edge, wall);
    for (const Box& box : level->boxes()) canvas.fill_middles(box, wall);
}

// What lies on the ground, then walls, wide things, what stands on them, and labels where they hide no player. From
// afar there is no room for the labels of pawns: only that of who is followed is written.
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
    const auto all = players(game);
    const auto draw_dot = [&](Vec3 at, const Actor& actor, const Look& look) {
        Cell cell{sign_of(look.glyph, U'o'), look.colour};
        const auto* pawn = actor.as<gameplay::Pawn>();
        if (pawn == nullptr) return canvas.put(at, cell);
        const auto of_pawn = [&](const Player& one) { return one.state == pawn->player_state(); };
        if (const auto player = std::find_if(all.begin(), all.end(), of_pawn); player != all.end())
            cell.sign = player->mark(cell.sign);
        cell.is_bold = cell.is_text = true;
        canvas.put_beside_walls(at, cell);
    };
    for (const Found& one : found)
        if (const Look* look = one.actor == nullptr ? gameplay::look_of(types, *one.type) : nullptr) {
            if (is_wide(*look, one.scale)) draw_wide(one.position, *look, one.scale);
            canvas.put(one.position, {sign_of(look->glyph, U'?'), look->colour});
        }
    draw_level(canvas, game);
    struct Shown {
        const Actor* actor;
        const Look* look;
        bool is_wide;
        bool is_pawn;
    };
    std::vector<Shown> shown;
    for (const Found& one : found)
        if (const Look* look = one.actor != nullptr ? gameplay::look_of(*one.actor) : nullptr)
            shown.push_back({one.actor, look, is_wide(*look, one.scale), one.actor->is_a<gameplay::Pawn>()});
    for (const Shown& one : shown)
        if (one.is_wide) draw_wide(one.actor->position(), *one.look, one.actor->scale());
    for (const bool are_pawns : {false, true})
        for (const Shown& one : shown)
            if (one.is_pawn == are_pawns && (one.is_pawn || !one.is_wide))
                draw_dot(one.actor->position(), *one.actor, *one.look);
    const auto is_of_followed = [&](const Shown& one) {
        const auto* pawn = one.actor->as<gameplay::Pawn>();
        return pawn != nullptr && pawn->player_state() != nullptr && pawn->player_state()->id() == followed_;
    };
    std::stable_partition(shown.begin(), shown.end(), is_of_followed);  // its label is written before others
    for (const Shown& one : shown) {
        const std::string* label = gameplay::label_of(*one.actor);
        if (one.is_pawn && !is_of_followed(one) && canvas.metres > kCloseMetres) label = nullptr;
        const bool has_glyph = one.is_wide && !one.is_pawn;  // in its middle, before the label
        std::string text;
        if (has_glyph) append_character(text, sign_of(one.look->glyph, U'?'));
        if (label != nullptr) text += " " + *label;
        const Vec3 beside = {has_glyph ? 0 : canvas.metres, 0, 0};
        canvas.write(one.actor->position() + beside, text, {U' ', one.look->colour, has_glyph});
    }
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
    const auto team_sign = [&](const Player& one) -> std::string {  // colours say it where there are any
        if (has_color_) return " ";
        const gameplay::Team* team = game.state()->team(one.state->team());
        return team != nullptr ? cut(team->title(), 1) : kColourLetters[static_cast<std::size_t>(one.colour)];
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
        std::string mark;
        append_character(mark, one.pawn() != nullptr ? all[i].mark(U' ') : U' ');
        add(fmt::format(" {}{}{}{}{} {:>5}", mark, team_sign(all[i]), one.id() == followed_ ? ">" : " ", name,
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
    std::vector<std::string> lines{title(game, tick_ms, size.columns)};
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
        main = loading(game, size.columns);
    }
    main.resize(static_cast<std::size_t>(room));
    const std::vector<std::string> over = this->note(note, size.columns, main.size());
    std::copy(over.begin(), over.end(), main.begin());
    if (!over.empty() && over.size() < main.size()) main[over.size()].clear();
    lines.insert(lines.end(), main.begin(), main.end());
    for (std::string& line : this->feed(game, note, size.columns, static_cast<std::size_t>(feed)))
        lines.push_back(std::move(line));
    std::string below = keys_and(note.commands, size.columns);
    if (feed == 0 && !note.news.empty()) below = note.news;
    if (!note.prompt.empty()) below = note.prompt;
    if (keys != 0) lines.push_back(note.is_line ? written(below, note.cursor, size.columns) : cut(below, size.columns));
    return joined(lines, size);
}

// What is over the picture: from the first line that has not been read, and in the last how many more there are.
std::vector<std::string> MatchView::note(const Note& note, int columns, std::size_t room) {
    std::vector<std::string> lines = page_lines(note.lines, columns);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(note.first, lines.size())));
    note_read_ = 0;
    if (lines.size() <= room) return lines;
    note_read_ = room > 1 ? room - 1 : room;
    const std::string more = fmt::format("... {} more lines; space shows them", lines.size() - note_read_);
    lines.resize(room);
    if (room > 1) lines.back() = cut(more, columns);
    return lines;
}

// The newest lines that there is room for.
std::vector<std::string> MatchView::feed(const session::Standalone& game, const Note& note, int columns,
                                         std::size_t room) const {
    std::vector<std::string> said = game.state()->feed(), lines;
    const bool is_told = note.is_warning && game.host()->state() == experience::LoadState::Failed;
    if (!note.news.empty() && !is_told) said.push_back(note.news);
    for (std::size_t i = said.size() - std::min(said.size(), room); i < said.size(); ++i)
        for (std::string& part : page_lines(" " + said[i], columns)) lines.push_back(std::move(part));
    if (lines.size() > room) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(room));
    lines.resize(room);
    return lines;
}

std::string MatchView::joined(const std::vector<std::string>& lines, Terminal::Size size) const {
    std::string text;
    for (std::size_t i = 0; i < lines.size() && i < static_cast<std::size_t>(size.lines); ++i)
        text += (i == 0 ? "" : "\n") + lines[i];
    return has_unicode_ ? text : in_ascii(text);
}

}  // namespace lyre::app
