// core/variable_layer.h: settings of one world: what its experience changes, and takes back when it leaves.
//
//     VariableLayer layer(variables);                                     // one per world
//     VariableHold hold = *layer.push("game.gravity", "2.5", "feature moon, action 1");
//     layer.get(gravity);                                                 // 2.5 in this world, as before in others
//
// The newest pushed value counts, until its hold is dropped; the one beneath it appears again. Who pushes may give a
// rank: then a higher one counts before a newer one, so that what counts does not depend on the order of pushing; when
// ranks have changed, ranks_changed() puts all in order. Environment, command line and console stand above every world
// (variables.h), so an operator can still overrule content. A hold may outlive its layer. A value pushed for a variable
// that is then removed counts again when one of that name and type is there: its feature was reloaded. What that one does
// not take is reported, and has no effect any more. Frame's thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lyre/core/variables.h"

namespace lyre::inline core {

namespace detail {
struct PushedValues;
}

// Holds one value in its layer; destroying it takes the value back.
class [[nodiscard]] VariableHold {
public:
    VariableHold() = default;
    VariableHold(VariableHold&& other) noexcept;
    VariableHold& operator=(VariableHold&& other) noexcept;
    ~VariableHold() { release(); }
    void release();

private:
    friend class VariableLayer;
    VariableHold(std::weak_ptr<detail::PushedValues> values, std::uint64_t serial);

    std::weak_ptr<detail::PushedValues> values_;
    std::uint64_t serial_ = 0;
};

using VariableRank = std::shared_ptr<const std::uint64_t>;  // null: the lowest

class VariableLayer {
public:
    static constexpr std::size_t kMaxPushed = 4096;

    explicit VariableLayer(Variables& variables);
    VariableLayer(const VariableLayer&) = delete;
    VariableLayer& operator=(const VariableLayer&) = delete;

    // `place` says who, for people: it is the origin's.
    Result<VariableHold> push(std::string_view name, std::string_view text, std::string_view place,
                              VariableRank rank = {});
    void ranks_changed();

    template <VariableType T> T get(const Variable<T>& variable) const { return std::get<T>(view(*variable.state_)); }
    Result<VariableInfo> describe(std::string_view name) const;  // value and origin as this world sees them
    // What this world sees has changed, by its own layer or by one that counts for all.
    Delegate<const VariableChange&>& changed();

private:
    const VariableValue& view(const detail::VariableState& variable) const;
    void global_changed(const VariableChange& change);

    Variables& variables_;
    std::shared_ptr<detail::PushedValues> values_;
    Connection global_, added_;
};

}  // namespace lyre::inline core
