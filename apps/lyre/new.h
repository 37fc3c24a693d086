// apps/lyre/new.h: `lyre new feature NAME`: a folder to start a feature from, which builds and passes its test as it
// is.
//
// It goes into the project's features folder, whole or not at all.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int make_new(const Command& command, const Words& words);

}  // namespace lyre::app
