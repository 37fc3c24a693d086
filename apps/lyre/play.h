// apps/lyre/play.h: `lyre play` plays a match, live on a terminal and in virtual time elsewhere.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int play(const Command& command, const Words& words);

}  // namespace lyre::app
