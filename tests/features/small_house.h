// tests/features/small_house.h: what a module's code is registered in, without Features: a runtime, assets over
// virtual files, named code; and what of a process can be left behind by a library.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/features/ledger.h"
#include "lyre/features/module_native.h"
#include "lyre/features/registrar.h"
#include "lyre/world/game_instance.h"

namespace lyre::features {

struct House {
    House() { EXPECT_TRUE(add_builtin_actions(runtime).is_ok()); }

    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock, {}};
    assets::Assets assets{{runtime.types(), runtime.tags(), runtime.log(), clock, files, executor}};
    NamedCode code;
    std::vector<CommandHold> commands;
    std::uint32_t serial = 0;

    Owner owner(const Module& module) const { return Owner::feature(Name(module.entry().feature), serial); }

    // Runs the module's block as its feature; all that was refused.
    Status set_up(const Module& module) {
        ++serial;
        const OwnerScope as(owner(module));
        Registrar registrar({runtime, assets, code}, Name(module.entry().feature), commands);
        module.entry().setup(registrar);
        return registrar.status();
    }
    // Takes back all of the feature's that is left, as Features does.
    Status take_back(const Module& module) {
        const Owner of = owner(module);
        commands.clear();
        runtime.console().remove_all(of);
        const auto refused = Ledger::remove_declared({runtime, assets, code}, of);
        return refused.empty() ? Status::ok() : refused.front();
    }
};

// For functions that look at nothing of it: only ActionRun can make one.
inline ActivatingContext& unread_context() {
    alignas(ActivatingContext) static char storage[sizeof(ActivatingContext)];
    return reinterpret_cast<ActivatingContext&>(storage);
}

// The files that are mapped into this process, with the number of their mappings.
inline std::map<std::string, int> mapped_files() {
    std::map<std::string, int> mapped;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const std::size_t path = line.find('/'); path != std::string::npos) ++mapped[line.substr(path)];
    return mapped;
}

inline bool is_mapped(const std::string& path) {
    const auto mapped = mapped_files();
    return std::any_of(mapped.begin(), mapped.end(), [&](const auto& one) { return one.first.find(path) == 0; });
}

inline std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace lyre::features
