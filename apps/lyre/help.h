// apps/lyre/help.h: `lyre help` prints what commands there are, or the help of one.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int help(const Command& command, const Words& words);

}  // namespace lyre::app
