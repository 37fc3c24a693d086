// apps/lyre/play.h: `lyre play` runs the demo world, live on a terminal and in virtual time elsewhere.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int play(const Command& command, const Words& words);

}  // namespace lyre::app
