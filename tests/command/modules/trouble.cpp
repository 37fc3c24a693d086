// A feature that does what no feature should: its console commands end the program in every way there is, and its
// component never gets ready. Who leaves its action waits for a guest that never goes. It has a type of content of its
// own.
#include <cstdlib>
#include <stdexcept>

#include "lyre/core/assert.h"
#include "lyre/features/action.h"
#include "lyre/features/registrar.h"
#include "lyre/framework/component_manager.h"

namespace {

using namespace lyre;

int deeper(int depth);
int (*volatile next)(int) = deeper;  // who compiles this is not to see where it goes
int deeper(int depth) {
    volatile char much[4096] = {};
    much[0] = static_cast<char>(depth);
    return next(depth + 1) + much[0];
}
void fail() {
    throw std::runtime_error("nobody catches this");
}

struct Manners {
    std::int64_t guests = 3;
    static void describe(TypeBuilder<Manners>& t) { t.property("guests", &Manners::guests).help("how many come"); }
};

struct Linger : features::GameFeatureAction {
    using Described = Linger;
    std::int64_t hours = 1;
    static void describe(TypeBuilder<Linger>& t) {
        t.parent<GameFeatureAction>();
        t.property("hours", &Linger::hours);
    }
    void deactivating(features::DeactivatingContext& context) const override {
        context.state<features::PauseToken>() = context.pause_until_done("the last guest");
    }
};

}  // namespace

LYRE_FEATURE(trouble) {
    feature.type<Linger>();
    feature.content_type<Manners>("manners");
    const auto add = [&](const char* name, void (*end)()) {
        feature.command({.name = name, .help = "ends it"}, [end](CommandArguments) -> CommandResult {
            end();
            return {};
        });
    };
    add("trouble.rule", [] { LYRE_ASSERT(false, "do not type this"); });
    add("trouble.stack", [] { std::exit(deeper(0)); });
    add("trouble.null", [] { *static_cast<volatile int*>(nullptr) = 1; });
    add("trouble.exit", [] { std::exit(3); });
    add("trouble.terminate", []() noexcept { fail(); });
}
