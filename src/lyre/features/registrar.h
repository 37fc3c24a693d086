// features/registrar.h: what a feature's code brings, said in one place.
//
//     #include "lyre/features/registrar.h"
//
//     LYRE_FEATURE(tag) {
//         feature.type<TagScore>();                       // classes, components, subsystems, action kinds
//         feature.content_type<TagRules>("tag_rules");    // NAME.tag_rules.toml
//         feature.function("tag.deal", deal);             // for `kind = "run"`
//     }
//
// The block runs once each time the feature is registered, under the feature as owner. Everything said here belongs to
// the feature and goes with it; nothing has to be taken back. What is refused (a name that is taken) makes the feature
// fail with all that was refused; the block need not look. A block that throws fails the feature too. Frame's thread.
#pragma once

#include <string>
#include <vector>

#include "lyre/assets/content_types.h"
#include "lyre/core/console.h"
#include "lyre/core/variables.h"
#include "lyre/features/module.h"
#include "lyre/features/named_code.h"
#include "lyre/world/runtime.h"

namespace lyre::features {

class Registrar {
public:
    Registrar(const ActionServices& services, Name feature, std::vector<CommandHold>& commands)
        : services_(services), feature_(feature), commands_(commands) {}
    Registrar(const Registrar&) = delete;
    Registrar& operator=(const Registrar&) = delete;

    template <Described T> void type(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        note(services_.runtime.types().add<T>(file, line).status());
    }
    template <Described... T> void types(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        (type<T>(file, line), ...);
    }
    void tag(std::string_view tag) { note(services_.runtime.tags().declare(tag)); }
    template <VariableType T> void variable(const VariableDef<T>& def) {
        note(services_.runtime.variables().add<T>(def).status());
    }
    void command(const CommandDef& def, CommandFunction function);
    template <Described T>
    void content_type(std::string_view name, assets::Makes makes = assets::Makes::Data,
                      const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        note(services_.assets.types().add<T>(name, makes, file, line));
    }
    template <class T, class F>
    void loader(std::string_view extension, F load, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        note(services_.assets.types().add_loader<T>(extension, std::move(load), file, line));
    }
    void handler(std::string_view name, framework::ExtensionHandler handler, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE());
    void function(std::string_view name, RunFunction function, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE());
    void refuse(Status why) { note(std::move(why)); }  // for a block that finds out that it cannot work

    Name feature() const { return feature_; }
    Runtime& runtime() const { return services_.runtime; }
    assets::Assets& assets() const { return services_.assets; }
    Status status() const;  // all that was refused in one, "; " between

    static constexpr std::size_t kMaxRefused = 64;  // more are counted

private:
    void note(Status status);

    ActionServices services_;
    Name feature_;
    std::vector<CommandHold>& commands_;
    std::vector<Status> refused_;
    std::size_t more_refused_ = 0;
};

}  // namespace lyre::features

// The build gives the version of the feature's manifest (cmake: lyre_feature).
#ifndef LYRE_FEATURE_VERSION
#define LYRE_FEATURE_VERSION "0.0.0"
#endif

// Linked into a program the entry has the feature's name, so that there can be several:
//     extern "C" const lyre::features::ModuleEntry lyre_feature_entry_tag;   modules.add(lyre_feature_entry_tag);
#ifdef LYRE_FEATURE_LINKED
#define LYRE_FEATURE_SYMBOL(id) lyre_feature_entry_##id
#else
#define LYRE_FEATURE_SYMBOL(id) lyre_feature_entry
#endif

#define LYRE_FEATURE(id)                                                                                             \
    static void lyre_feature_setup_##id(::lyre::features::Registrar& feature);                                       \
    extern "C" __attribute__((visibility("default"))) const ::lyre::features::ModuleEntry LYRE_FEATURE_SYMBOL(id);   \
    extern "C" const ::lyre::features::ModuleEntry LYRE_FEATURE_SYMBOL(id) = {::lyre::features::kAbiNumber,          \
                                                                              sizeof(::lyre::features::ModuleEntry), \
                                                                              ::lyre::features::kAbiHash,            \
                                                                              ::lyre::features::kAbiText,            \
                                                                              #id,                                   \
                                                                              LYRE_FEATURE_VERSION,                  \
                                                                              &lyre_feature_setup_##id};             \
    static void lyre_feature_setup_##id([[maybe_unused]] ::lyre::features::Registrar& feature)
