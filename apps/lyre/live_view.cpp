#include "apps/lyre/live_view.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "apps/lyre/command.h"

namespace lyre::app {
namespace {

constexpr float kMetresPerColumn = 0.5f, kMetresPerLine = 1;  // a character is twice as high as wide
constexpr int kSideColumns = 30;                              // for the standings
constexpr const char* kPlain = "\033[0m";
constexpr const char* kDim = "\033[2m";
constexpr const char* kRed = "\033[31m";
constexpr const char* kBold = "\033[1;33m";

std::string cut(const std::string& text, int columns) {
    return text.substr(0, static_cast<std::size_t>(std::max(columns, 0)));
}

}  // namespace

void LiveView::follow_next(const DemoWorld& demo) {
    ActorId first, next;
    for (const Standing& standing : demo.standings()) {
        if (!first || standing.id < first) first = standing.id;
        if (followed_ < standing.id && (!next || standing.id < next)) next = standing.id;
    }
    followed_ = next ? next : first;
}

std::string LiveView::page(const DemoWorld& demo, Terminal::Size size) {
    if (!demo.world().find(followed_)) follow_next(demo);
    const Actor* followed = demo.world().find(followed_);
    const DemoCounts counts = demo.counts();
    const World& world = demo.world();
    const auto standings = demo.standings();
    const int side = size.columns > 2 * kSideColumns ? kSideColumns : 0;
    const Map map = draw(demo, size.columns - side, size.lines - 2, followed ? followed->position() : Vec3());

    std::string text = cut(fmt::format("lyre: a demo world, Plectrum is not here yet   seed {}   {:.1f} s   tick {}",
                                       world.def().seed, world.time(), world.tick_number()),
                           size.columns);
    for (std::size_t i = 0; i < map.size(); ++i) {
        text += "\n" + line_of(map[i]);
        if (side == 0 || i >= standings.size()) continue;
        const Standing& one = standings[i];
        text += fmt::format(" {} {:<14.14}{:>4} broken", one.id == followed_ ? '>' : ' ', one.name, one.broken);
    }
    return text + "\n" +
           cut(fmt::format("{} rows, {} touched, {} awake, {} broken   n: follow the next   q: quit",
                           grouped(counts.rows), grouped(counts.touches), counts.awake, counts.broken),
               size.columns);
}

LiveView::Map LiveView::draw(const DemoWorld& demo, int columns, int lines, Vec3 middle) const {
    Map map(static_cast<std::size_t>(std::max(lines, 0)),
            std::vector<Cell>(static_cast<std::size_t>(std::max(columns, 0))));
    const Vec3 half = {static_cast<float>(columns) * kMetresPerColumn / 2,
                       static_cast<float>(lines) * kMetresPerLine / 2, 0};
    const Vec3 corner = middle - half;
    const auto put = [&](Vec3 at, Cell cell) {
        const auto x = static_cast<std::size_t>(std::floor((at.x - corner.x) / kMetresPerColumn));
        const auto y = static_cast<std::size_t>(std::floor((at.y - corner.y) / kMetresPerLine));
        if (y < map.size() && x < map[y].size()) map[map.size() - 1 - y][x] = cell;  // north is up
    };
    std::vector<Found> found;
    demo.world().space().find(Box{corner, middle + half}, {}, found);
    const Type* crate = demo.world().runtime().types().find(Name("Crate"));
    for (const Found& one : found)
        if (crate != nullptr && one.type->is_a(*crate))
            put(one.position, one.actor ? Cell{'%', kRed} : Cell{'#', kDim});
    for (const Standing& one : demo.standings()) put(one.position, {one.name[0], kBold});  // above what they stand on
    return map;
}

std::string LiveView::line_of(const std::vector<Cell>& cells) const {
    std::string text;
    const char* color = "";
    for (const Cell& cell : cells) {
        if (has_color_ && cell.color != color) {
            text += kPlain;
            text += cell.color;
            color = cell.color;
        }
        text += cell.sign;
    }
    return *color ? text + kPlain : text;
}

}  // namespace lyre::app
