// apps/lyre/check.h: `lyre check`: what is wrong with content, all of it, without starting a world.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int check(const Command& command, const Words& words);

}  // namespace lyre::app
