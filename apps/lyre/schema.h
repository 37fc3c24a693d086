// apps/lyre/schema.h: `lyre schema DIR`: what content files may say, as JSON Schemas that editors understand.
#pragma once

#include "apps/lyre/command.h"

namespace lyre::app {

int schema(const Command& command, const Words& words);

}  // namespace lyre::app
