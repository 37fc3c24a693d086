// apps/lyre/version.h: `lyre version` prints which Lyre this is.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int version(const Command& command, const Words& words);

}  // namespace lyre::app
