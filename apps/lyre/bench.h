// apps/lyre/bench.h: `lyre bench` runs the benchmark program of this build, with its output passed on.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int bench(const Command& command, const Words& words);

}  // namespace lyre::app
