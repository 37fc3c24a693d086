#include "apps/lyre/help.h"

namespace lyre::app {

int help(const Command& command, const Words& words) {
    std::string about;
    Options options(command);
    options.word("COMMAND", about, "one of those that `lyre` prints");
    if (const auto code = options.parse(words)) return *code;
    if (about.empty()) {
        out("{}", overview());
        return kDone;
    }
    const Command* asked = find_command(about);
    return asked == nullptr ? kWrongUsage : asked->run(*asked, {{"--help"}, words.environment});
}

}  // namespace lyre::app
