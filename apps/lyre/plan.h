// apps/lyre/plan.h: `lyre plan`: what would come up for an experience or some features, in which order, and why
// something cannot.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int plan(const Command& command, const Words& words);

}  // namespace lyre::app
