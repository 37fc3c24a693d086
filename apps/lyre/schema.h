// apps/lyre/schema.h: `lyre schema DIR`: what content files may say, as JSON Schemas that editors understand; those of
// the project's features too.
#pragma once

#include <cstdint>

#include "apps/lyre/command.h"

namespace lyre::app {

int schema(const Command& command, const Words& words);
std::uint64_t content_schema_hash();  // without features: two programs with the same one read the same content

}  // namespace lyre::app
