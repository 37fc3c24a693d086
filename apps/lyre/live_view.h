// apps/lyre/live_view.h: the demo world as a page of text: the yard around one wanderer, and who leads.
//
// What is drawn is asked of the world's space, so a million crates out of sight cost nothing; asking wakes no crate.
#pragma once

#include <string>

#include "apps/lyre/demo_world.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {

class LiveView {
public:
    explicit LiveView(bool has_color) : has_color_(has_color) {}

    void follow_next(const DemoWorld& demo);
    std::string page(const DemoWorld& demo, Terminal::Size size);  // lines with no end after the last

private:
    struct Cell {
        char sign = ' ';
        const char* color = "";
    };
    using Map = std::vector<std::vector<Cell>>;
    Map draw(const DemoWorld& demo, int columns, int lines, Vec3 middle) const;
    std::string line_of(const std::vector<Cell>& cells) const;

    bool has_color_;
    ActorId followed_;
};

}  // namespace lyre::app
