// apps/lyre/why.h: `lyre why` plays a match in virtual time up to a moment and answers a question about it.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int why(const Command& command, const Words& words);

}  // namespace lyre::app
