// apps/lyre/list.h: `lyre list` prints what a runtime with the demo's types knows.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int list(const Command& command, const Words& words);

}  // namespace lyre::app
