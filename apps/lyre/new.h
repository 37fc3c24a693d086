// apps/lyre/new.h: `lyre new feature NAME`: a folder to start a feature from, which builds, plays and passes its test
// as it is; `lyre new experience NAME`: a file to start an experience from, which plays as the project's default does,
// and where there is none checks as it is.
//
// It goes into the project's first features or content folder, whole or not at all.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int make_new(const Command& command, const Words& words);

}  // namespace lyre::app
