#include "apps/lyre/version.h"

#include <nlohmann/json.hpp>

#include "lyre/core/version.h"

#include "apps/lyre/schema.h"

namespace lyre::app {

int version(const Command& command, const Words& words) {
    bool as_json = false;
    Options options(command);
    options.flag("--json", as_json, "as one JSON document");
    if (const auto code = options.parse(words)) return *code;
    std::string build = LYRE_BUILD;
    if (const std::string sanitizers = LYRE_SANITIZE; !sanitizers.empty()) build += " with " + sanitizers;
    const std::string schema = fmt::format("{:016x}", content_schema_hash());
    if (as_json) {
        const nlohmann::ordered_json document = {{"version", LYRE_VERSION},
                                                 {"abi", LYRE_ABI},
                                                 {"content_schema", schema},
                                                 {"build", build},
                                                 {"compiler", LYRE_COMPILER}};
        out("{}\n", document.dump(2));
    } else {
        out("lyre {}, ABI {}, content schema {}, {} build, {}\n", LYRE_VERSION, LYRE_ABI, schema, build, LYRE_COMPILER);
    }
    return kDone;
}

}  // namespace lyre::app
