// world/setting.h: a setting as code of a feature reads it: by its name, as its world has it.
//
//     struct TagRules : Component {
//         Setting<double> reach_{"tag.Reach"};            // [[variable]] of the manifest: the only place with a default
//         void tick(float) { touch(reach_.get(world())); }
//     };
//
// The variable is looked up at the first get() and again only when variables have come or gone, so a tick may ask as
// often as it likes. If there is none, or it is of another type (a manifest decides that by how it writes the default:
// 3 or 3.0), get() gives T{} and the log of the world's runtime has one error per world, which says what there is. The
// same while the variable of a feature that has gone is missing. One Setting may serve many worlds. Frame's thread
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lyre/world/world.h"

namespace lyre::inline world {

template <VariableType T> class Setting {
public:
    explicit Setting(std::string_view name) : name_(name) {}  // a literal: the name is not copied

    T get(World& world) const {
        const Variables& all = world.runtime().variables();
        if (generation_ != all.generation()) find(world, all);
        return variable_ ? world.variables().get(*variable_) : T{};
    }
    std::string_view name() const { return name_; }

private:
    void find(World& world, const Variables& all) const {
        generation_ = all.generation();
        auto found = all.find<T>(name_);
        if (!found) world.report_once(Name("world.setting"), found.status().text());
        variable_ = found ? std::optional(*std::move(found)) : std::nullopt;
    }

    std::string_view name_;
    mutable std::uint64_t generation_ = 0;  // of the variables among which `variable_` was found; 0: not yet
    mutable std::optional<Variable<T>> variable_;
};

}  // namespace lyre::inline world
