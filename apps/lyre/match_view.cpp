#include "apps/lyre/match_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>

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
constexpr double kBlink = 0.2;  // s: what takes less is not shown over a match
constexpr double kRising = 2;   // s: so long it is seen that a score rose
constexpr const char* kColours[] = {"0", "2", "31", "33", "32", "36", "34", "35"};
constexpr const char* kBrightColours[] = {"0", "37", "91", "93", "92", "96", "94", "95"};
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

bool is_stalled(const experience::LoadingReport& report) {
    const auto stalls = [](const experience::PendingItem& item) { return item.seconds >= kStallSeconds; };
    return std::any_of(report.pending.begin(), report.pending.end(), stalls);
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
    Cell* beside_walls(Vec3 place) {
        const Vec3 across = {metres, 0, 0}, up = {0, 2 * metres, 0};
        Cell* best = at(place);
        if (best == nullptr) return nullptr;
        float nearest = 3 * metres;
        if (best->kind == Kind::Wall)
            for (const Vec3& step : {across, across * -1, up, up * -1}) {
                const Vec3 middle = middle_of(place + step);
                Cell* there = at(place + step);
                if (there == nullptr || there->kind == Kind::Wall || length(middle - flat(place)) >= nearest) continue;
                nearest = length(middle - flat(place));
                best = there;
            }
        return best;
    }
    // Where a text of so many columns may stand beside a sign, the best place first: right, above, below, left, ...
    static constexpr std::size_t kPlaces = 10;
    struct Spot {
        int row = 0, column = 0;
    };
    static Spot spot(Spot sign, std::size_t place, int width) {
        const int right = sign.column + 2, left = sign.column - 1 - width, middle = sign.column - width / 2;
        const Spot spots[kPlaces] = {{sign.row, right},     {sign.row - 1, middle}, {sign.row + 1, middle},
                                     {sign.row, left},      {sign.row - 1, right},  {sign.row + 1, right},
                                     {sign.row - 1, left},  {sign.row + 1, left},   {sign.row - 2, middle},
                                     {sign.row + 2, middle}};
        return spots[place];
    }
    // How bad a text would be there: what it covers and who is near, since who is near may soon be there. Below 0: it
    // cannot be, it would cover a wall, or cover or touch a player or another text.
    int badness(Spot at, int width) const {
        if (at.row < 0 || at.row >= lines || at.column < 0 || at.column + width > columns) return -1;
        int signs = 0;
        for (int y = std::max(at.row - 1, 0); y <= std::min(at.row + 1, lines - 1); ++y)
            for (int x = std::max(at.column - 2, 0); x < std::min(at.column + width + 2, columns); ++x) {
                const Cell& cell = rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
                const bool is_under = y == at.row && x >= at.column && x < at.column + width;
                const bool touches = y == at.row && x >= at.column - 1 && x <= at.column + width;
                if (touches && cell.kind >= Kind::Text) return -1;
                if (is_under && cell.kind == Kind::Wall) return -1;
                signs += cell.kind == Kind::Player || (is_under && cell.sign != U' ') ? 1 : 0;
            }
        return signs;
    }
    void write(Spot at, const Row& text) {
        Row& row = rows[static_cast<std::size_t>(at.row)];
        std::copy(text.begin(), text.end(), row.begin() + at.column);
    }
    Spot spot_of(const Cell* there) const {
        for (int y = 0; y < lines; ++y) {
            const Row& row = rows[static_cast<std::size_t>(y)];
            const std::less<const Cell*> before;
            if (!before(there, row.data()) && before(there, row.data() + row.size()))
                return {y, static_cast<int>(there - row.data())};
        }
        return {-1, -1};
    }

private:
    static Vec3 flat(Vec3 place) { return {place.x, place.y, 0}; }
    Vec3 middle_of(Vec3 place) const {
        const auto middle = [](float value, float from, float step) {
            return from + (std::floor((value - from) / step) + 0.5f) * step;
        };
        return {middle(place.x, corner.x, metres), middle(place.y, corner.y, 2 * metres), 0};
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

struct MatchView::Labelled {
    ActorId actor;
    Canvas::Spot sign;  // its own
    std::string text;
    Colour colour = Colour::Plain;
    bool is_followed = false;
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
    const bool waits = tick_ms < 0 && host.state() != experience::LoadState::Failed;
    const char* still = game.is_paused() ? "  PAUSED" : waits ? "  WAITS" : "";
    const std::string text = fmt::format("{} on {}{}  {}  tick {}{}{}", host.experience_id().name, world.def().name,
                                         phase, clock_text(world.time()), world.tick_number(), still, ready);
    const std::string took = tick_ms < 0 ? std::string() : fmt::format("  a tick takes {:.2f} ms", tick_ms);
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
        if (is_stalled(report)) lines.insert(lines.end(), {"", kWaysOut});
    }
    return page_lines(lines, columns);
}

// Over the picture of the match that loads anew: the stage it is in, and who is waited for. Most of these loads take
// some frames: the picture does not blink for that, nor between two states of one.
std::vector<std::string> MatchView::loading_again(const session::Standalone& game, int columns) const {
    experience::LoadingReport report = game.host()->explain_loading();
    if (report.seconds_in_state < kBlink && !is_loading_shown_) return {};
    std::vector<std::string> lines{fmt::format("  {}: {}", report.experience, to_string(report.state))};
    std::erase_if(report.stages, [](const experience::StageCount& one) { return one.done >= one.of; });
    if (report.stages.size() > 1) report.stages.resize(1);
    for (const auto& more : {stages(report, columns), waiting(report)})
        lines.insert(lines.end(), more.begin(), more.end());
    if (is_stalled(report)) lines.emplace_back(kWaysOut);
    return page_lines(lines, columns);
}

void MatchView::draw_level(Canvas& canvas, const session::Standalone& game) const {
    const Level* level = game.level();
    if (level == nullptr) return;
    const Cell wall{has_unicode_ ? U'\u2593' : U'#', Colour::Grey, Weight::Plain, Kind::Wall};
    const Box& bounds = level->bounds();
    const Box edges[] = {{bounds.min, {bounds.max.x, bounds.min.y, 0}},
                         {{bounds.min.x, bounds.max.y, 0}, bounds.max},
                         {bounds.min, {bounds.min.x, bounds.max.y, 0}},
                         {{bounds.max.x, bounds.min.y, 0}, bounds.max}};
    for (const Box& edge : edges) canvas.fill(edge, wall);
    for (const Box& box : level->boxes()) canvas.fill_middles(box, wall);
}

// What lies on the ground, then walls, wide things, what stands on them, players, and labels around all that. From
// afar there is no room for the labels of pawns: only that of who is followed is written.
void MatchView::draw_actors(Canvas& canvas, const session::Standalone& game) {
    constexpr Vec3 kMargin = {10, 10, 0};  // m: rings whose middle is out of sight
    World& world = *game.world();
    const TypeRegistry& types = world.runtime().types();
    std::vector<Found> found;
    world.space().find(Box{canvas.seen.min - kMargin, canvas.seen.max + kMargin}, {}, found);
    const auto is_wide = [&](const Look& look, float scale) {  // more than a character
        return look.shape != Shape::Dot && look.radius * scale > canvas.metres;
    };
    const auto draw_wide = [&](Vec3 at, const Look& look, float scale, Weight weight) {
        const Cell cell{has_unicode_ ? U'\u00B7' : U'.', look.colour, weight};
        const Vec3 half = Vec3{look.radius, look.radius, 0} * scale;
        if (look.shape == Shape::Circle)
            canvas.ring(at, half.x, cell);
        else
            canvas.fill({at - half, at + half}, cell);
    };
    for (const Found& one : found)
        if (const Look* look = one.actor == nullptr ? gameplay::look_of(types, *one.type) : nullptr) {
            if (is_wide(*look, one.scale)) draw_wide(one.position, *look, one.scale, Weight::Quiet);
            canvas.put(one.position, {sign_of(look->glyph, U'?'), look->colour, Weight::Quiet});
        }
    draw_level(canvas, game);
    struct Shown {
        const Actor* actor;
        const Look* look;
        const gameplay::Pawn* pawn;
        bool is_wide;
        bool is_followed;
    };
    std::vector<Shown> shown;
    for (const Found& one : found)
        if (const Look* look = one.actor != nullptr ? gameplay::look_of(*one.actor) : nullptr) {
            const auto* pawn = one.actor->as<gameplay::Pawn>();
            const PlayerState* state = pawn != nullptr ? pawn->player_state() : nullptr;
            const bool is_followed = state != nullptr && state->id() == followed_;
            shown.push_back({one.actor, look, pawn, is_wide(*look, one.scale), is_followed});
        }
    const auto is_later = [](const Shown& a, const Shown& b) {
        const auto order = [](const Shown& one) { return one.is_followed ? 2 : one.pawn != nullptr ? 1 : 0; };
        return order(a) < order(b);
    };
    std::stable_sort(shown.begin(), shown.end(), is_later);
    const auto weight_of = [](const Shown& one) {
        return one.actor->is_a<gameplay::Prop>() ? Weight::Quiet : Weight::Plain;
    };
    for (const Shown& one : shown)
        if (one.is_wide) draw_wide(one.actor->position(), *one.look, one.actor->scale(), weight_of(one));
    const auto all = players(game);
    std::vector<Labelled> labels;
    for (const Shown& one : shown) {
        Cell cell{sign_of(one.look->glyph, one.is_wide ? U'?' : U'o'), one.look->colour, weight_of(one)};
        Cell* there = canvas.at(one.actor->position());
        if (one.pawn != nullptr) {
            const auto of_pawn = [&](const Player& player) { return player.state == one.pawn->player_state(); };
            if (const auto player = std::find_if(all.begin(), all.end(), of_pawn); player != all.end())
                cell.sign = player->mark(cell.sign);
            cell.weight = one.is_followed ? Weight::Marked : Weight::Bold;
            cell.kind = Kind::Player;
            there = canvas.beside_walls(one.actor->position());
        } else if (one.is_wide && cell.weight != Weight::Quiet) {
            cell.weight = Weight::Bold;
            cell.kind = Kind::Text;
        }
        if (there == nullptr) continue;
        *there = cell;
        const std::string* label = gameplay::label_of(*one.actor);
        const bool is_far = one.pawn != nullptr && !one.is_followed && canvas.metres > kCloseMetres;
        if (label != nullptr && !label->empty() && !is_far)
            labels.push_back({one.actor->id(), canvas.spot_of(there), *label, one.look->colour, one.is_followed});
    }
    draw_labels(canvas, std::move(labels));
}

// Of who is followed first, then those that have been there, so that who comes later moves none of them. One without
// room is shortened to its first word, or left out.
void MatchView::draw_labels(Canvas& canvas, std::vector<Labelled> labels) {
    std::map<ActorId, std::size_t>& places = places_[is_close_ ? 1 : 0];
    const std::map<ActorId, std::size_t> before = std::exchange(places, {});
    const auto rank = [&](const Labelled& one) { return one.is_followed ? 0 : before.contains(one.actor) ? 1 : 2; };
    std::stable_sort(labels.begin(), labels.end(),
                     [&](const Labelled& a, const Labelled& b) { return rank(a) < rank(b); });
    const auto place_for = [&](const Labelled& one, int width) -> std::optional<std::size_t> {
        const auto badness = [&](std::size_t place) {
            return canvas.badness(Canvas::spot(one.sign, place, width), width);
        };
        const auto last = before.find(one.actor);
        if (last != before.end() && badness(last->second) >= 0) return last->second;
        std::optional<std::size_t> best;
        int least = 0;
        for (std::size_t place = 0; place < Canvas::kPlaces; ++place) {
            const int bad = badness(place), all = bad + static_cast<int>(place);  // the first ones are nearer
            if (bad < 0 || (best && all >= least)) continue;
            best = place, least = all;
        }
        return best;
    };
    for (const Labelled& one : labels)
        for (const std::string& text : {one.text, one.text.substr(0, one.text.find(' '))}) {
            const Row row =
                cells(text, static_cast<std::size_t>(canvas.columns), {U' ', one.colour, Weight::Plain, Kind::Text});
            const auto place = place_for(one, static_cast<int>(row.size()));
            if (!place) continue;
            canvas.write(Canvas::spot(one.sign, *place, static_cast<int>(row.size())), row);
            places[one.actor] = *place;
            break;
        }
}

// A map that can be seen as a whole is, unless one wants to be close; of others what is around who is followed.
std::vector<MatchView::Row> MatchView::picture(const session::Standalone& game, int columns, int lines) {
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

// Who leads has a star, whose score has just risen a sign beside it.
void MatchView::add_teams(const session::Standalone& game, const std::vector<Player>& all, std::vector<Row>& rows) {
    const auto teams = game.state()->teams();
    const double now = game.world()->time();
    const std::map<std::int32_t, Score> before = std::exchange(scores_, {});
    for (const gameplay::Team* team : teams) {
        const auto last = before.find(team->number());
        Score score = last != before.end() ? last->second : Score{team->score()};
        if (team->score() > score.points) score.rose_at = now;
        score.points = team->score();
        scores_[team->number()] = score;
        const bool leads = std::all_of(teams.begin(), teams.end(), [&](const gameplay::Team* other) {
            return other == team || other->score() < team->score();
        });
        const char* rises = now - score.rose_at >= kRising ? " " : has_unicode_ ? "\u25B2" : "^";
        const std::string title = cut(team->title(), 15);
        const std::size_t pad = 15 - std::min<std::size_t>(count_columns(title), 15);
        const auto member = std::find_if(all.begin(), all.end(),
                                         [&](const Player& one) { return one.state->team() == team->number(); });
        rows.push_back(cells(fmt::format(" {} {}{}{} {:>6}", leads && teams.size() > 1 ? "*" : " ", title,
                                         std::string(pad, ' '), rises, team->score()),
                             kBoardColumns,
                             {U' ', member != all.end() ? member->colour : Colour::Plain, Weight::Bold}));
    }
    if (!rows.empty()) rows.emplace_back();
}

std::vector<MatchView::Row> MatchView::board(const session::Standalone& game, std::size_t lines) {
    std::vector<Row> rows;
    const auto add = [&](std::string_view text, Colour colour) {
        rows.push_back(cells(text, kBoardColumns, {U' ', colour}));
    };
    auto all = players(game);
    std::stable_sort(all.begin(), all.end(),
                     [](const Player& a, const Player& b) { return a.state->score() > b.state->score(); });
    const auto team_sign = [&](const Player& one) -> std::string {  // colours say it where there are any
        if (has_color_) return " ";
        const gameplay::Team* team = game.state()->team(one.state->team());
        return team != nullptr ? cut(team->title(), 1) : kColourLetters[static_cast<std::size_t>(one.colour)];
    };
    add_teams(game, all, rows);
    const std::size_t room = lines > rows.size() ? lines - rows.size() : 0;
    for (std::size_t i = 0; i < all.size() && i < room; ++i) {
        if (i + 1 == room && all.size() > room) {
            add(fmt::format("   and {} more", all.size() - i), Colour::Grey);
            break;
        }
        const PlayerState& one = *all[i].state;
        const std::string name = cut(one.player_name(), 16);
        const auto pad = static_cast<std::size_t>(16) - std::min<std::size_t>(count_columns(name), 16);
        std::string mark;
        append_character(mark, one.pawn() != nullptr ? all[i].mark(U' ') : U' ');
        add(fmt::format(" {}{}{}{}{} {:>5}", mark, team_sign(all[i]), one.id() == followed_ ? ">" : " ", name,
                        std::string(pad, ' '), one.score()),
            all[i].colour);
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

std::string MatchView::style(Colour colour, Weight weight) const {
    const auto number = static_cast<std::size_t>(has_color_ ? colour : Colour::Plain);
    const bool is_bold = weight >= Weight::Bold;
    const bool is_dim = weight == Weight::Quiet && has_color_;
    return fmt::format("\033[0;{}{}{}{}m", is_bold ? kBrightColours[number] : kColours[number], is_bold ? ";1" : "",
                       is_dim ? ";2" : "", weight == Weight::Marked ? ";7" : "");
}

// Of a wide character that something else was drawn over, the other half is left empty.
std::string MatchView::text_of(const Row& row, bool is_quiet) const {
    std::string text;
    std::pair<Colour, Weight> last = {};
    bool is_styled = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Cell& cell = row[i];
        const bool is_wide = columns_of(cell.sign) == 2;
        const bool is_whole = i + 1 < row.size() && row[i + 1].sign == kSecondHalf;
        const char32_t sign = cell.sign == kSecondHalf || (is_wide && !is_whole) ? U' ' : cell.sign;
        const std::pair wanted(is_quiet ? Colour::Grey : cell.colour, is_quiet ? Weight::Plain : cell.weight);
        const bool is_seen = sign != U' ' || last.second == Weight::Marked;  // reversed, a blank is seen too
        if (is_seen && (wanted != last || !is_styled)) {
            text += style(wanted.first, wanted.second);
            last = wanted;
            is_styled = true;
        }
        append_character(text, sign);
        if (is_wide && is_whole) ++i;
    }
    return is_styled ? text + "\033[0m" : text;
}

// Between what is over the picture and what is left of that.
std::string MatchView::edge(int columns) const {
    std::string line;
    for (int i = 0; i < columns; ++i) line += has_unicode_ ? "\u2500" : "-";
    return style(Colour::Grey, Weight::Plain) + line + "\033[0m";
}

// The picture, and beside it the list if there is room.
std::vector<MatchView::Row> MatchView::arena(const session::Standalone& game, int columns, int lines) {
    const int side = columns > 2 * kBoardColumns ? kBoardColumns : 0;
    std::vector<Row> rows = picture(game, columns - side, lines);
    const std::vector<Row> board = side != 0 ? this->board(game, rows.size()) : std::vector<Row>();
    for (std::size_t i = 0; i < std::min(rows.size(), board.size()); ++i)
        rows[i].insert(rows[i].end(), board[i].begin(), board[i].end());
    return rows;
}

std::string MatchView::page(const session::Standalone& game, const MatchNews& news, Terminal::Size size, double tick_ms,
                            const Note& note) {
    if (game.host() == nullptr) return cut("the world has ended", size.columns);
    if (game.world()->find<PlayerState>(followed_) == nullptr) follow_next(game);
    const experience::Host& host = *game.host();
    std::vector<std::string> lines{title(game, tick_ms, size.columns)};
    const int keys = size.lines > 2 ? 1 : 0;
    const int feed = size.lines >= 16 ? kFeedLines : 0;
    const auto room = static_cast<std::size_t>(std::max(size.lines - 1 - keys - feed, 0));
    if (host.is_experience_loaded()) {
        last_ = arena(game, size.columns, static_cast<int>(room));
        last_of_ = host.experience_id();
    } else if (host.state() == experience::LoadState::Failed || host.experience_id() != last_of_) {
        last_.clear();
    }
    std::vector<std::string> over = this->note(note, size.columns, room);
    if (over.empty() && !host.is_experience_loaded())
        over = last_.empty() ? loading(game, size.columns) : loading_again(game, size.columns);
    is_loading_shown_ = !host.is_experience_loaded() && !over.empty();
    over.resize(std::min(over.size(), room));
    const bool is_quiet = !over.empty();
    std::vector<std::string> main = std::move(over);
    // Of a picture below that less than half would be left, that part is left out, too.
    if (is_quiet && !last_.empty() && 2 * (main.size() + 1) <= room) main.push_back(edge(size.columns));
    if (!is_quiet || 2 * main.size() <= room)
        for (std::size_t i = main.size(); i < std::min(last_.size(), room); ++i) {
            last_[i].resize(std::min(last_[i].size(), static_cast<std::size_t>(size.columns)));
            main.push_back(text_of(last_[i], is_quiet));
        }
    main.resize(room);
    lines.insert(lines.end(), main.begin(), main.end());
    for (std::string& line : this->feed(game, news, size.columns, static_cast<std::size_t>(feed)))
        lines.push_back(std::move(line));
    std::string below = keys_and(note.commands, size.columns);
    if (feed == 0 && note.has_news && !news.lines().empty()) below = news.lines().back().text;
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

// The newest lines that there is room for: the last is bold, those before are quieter.
std::vector<std::string> MatchView::feed(const session::Standalone& game, const MatchNews& news, int columns,
                                         std::size_t room) const {
    const bool is_told = game.host()->state() == experience::LoadState::Failed;
    std::vector<std::string> lines;
    for (auto line = news.lines().rbegin(); line != news.lines().rend() && lines.size() < room; ++line) {
        if (line->is_warning && is_told) continue;
        const std::string style =
            lines.empty() ? this->style(Colour::Plain, Weight::Bold) : this->style(Colour::Grey, Weight::Plain);
        std::vector<std::string> parts = page_lines(" " + news_text(*line), columns);
        for (std::string& part : parts) part = style + part + "\033[0m";
        lines.insert(lines.begin(), parts.begin(), parts.end());
    }
    if (lines.size() > room) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(room));
    lines.resize(room);
    return lines;
}

std::string news_text(const MatchNews::Line& line) {
    return fmt::format("{} {}", clock_text(line.time), line.text);
}

std::string MatchView::joined(const std::vector<std::string>& lines, Terminal::Size size) const {
    std::string text;
    for (std::size_t i = 0; i < lines.size() && i < static_cast<std::size_t>(size.lines); ++i)
        text += (i == 0 ? "" : "\n") + lines[i];
    return has_unicode_ ? text : in_ascii(text);
}

}  // namespace lyre::app
