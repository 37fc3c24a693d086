// world/component_sheets.h: the names of the components of those actors that have many.
//
// An actor's components are a list through their own memory, which is all that most actors need: they have a handful.
// One to which features have brought dozens would be looked through for each further one, and every look at a component
// is another line of cache. From kMany components on an actor has a sheet: the names that are taken, side by side, and
// the end of the list. It is made when a component is added by itself and goes with the actor, or when few are left.
//
// World keeps it right, and Actor::find_component asks it first. A sheet knows names only: components are found by
// walking the list, once it is known that there is something to find.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "lyre/core/name.h"
#include "lyre/world/fwd.h"

namespace lyre::inline world {

class ComponentSheets {
public:
    static constexpr std::size_t kMany = 8;
    static constexpr std::size_t kFew = 4;  // a sheet that has come down to these goes

    struct Sheet {
        Component* last = nullptr;
        std::size_t count = 0;  // in the list, also those on their way out
        // Of those that are not:
        void add(Name name) {
            names_.push_back(name);
            perhaps_ |= bit_of(name);
        }
        void forget(Name name);
        void forget_all() { names_.clear(); }
        // Asked twice for each component that is added, and mostly the answer is no: one look tells, mostly.
        bool has(Name name) const { return (perhaps_ & bit_of(name)) != 0 && is_among(name); }

    private:
        static std::uint64_t bit_of(Name name) { return std::uint64_t{1} << (name.id() % 64); }
        bool is_among(Name name) const;
        boost::container::small_vector<Name, 24> names_;  // in no order
        std::uint64_t perhaps_ = 0;                       // the bits of all names that ever were among them
    };

    std::uint32_t add();  // its number; 0 is nobody's
    void remove(std::uint32_t number);
    Sheet& at(std::uint32_t number) { return sheets_[number]; }
    const Sheet& at(std::uint32_t number) const { return sheets_[number]; }
    std::size_t count() const { return sheets_.size() - 1 - free_.size(); }

private:
    std::vector<Sheet> sheets_{1};
    std::vector<std::uint32_t> free_;
};

}  // namespace lyre::inline world
