// features/detail/feature_graph.h: manifests as nodes, their required and optional dependencies as edges.
//
// Nodes stand in order of id, so that an index compares as the id does. Nothing here recurses: a chain may be as long
// as there are features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "lyre/features/solver.h"

namespace lyre::features::detail {

class FeatureGraph {
public:
    using Index = std::uint32_t;
    struct Edge {
        Index to;
        const Dependency* what;
        bool is_required() const { return what->kind == DependencyKind::Required; }
    };
    struct Node {
        Name id;
        const Manifest* manifest;
        std::vector<Edge> out;                   // by id
        std::vector<const Dependency*> missing;  // required and optional ones that nobody knows
    };

    // Those of `seeds` that are known, and all that they reach for these roles.
    FeatureGraph(const Catalogue& catalogue, std::span<const Name> seeds, Roles roles);

    Index size() const { return static_cast<Index>(nodes_.size()); }
    const Node& operator[](Index index) const { return nodes_[index]; }
    std::optional<Index> find(Name id) const;
    template <class F> void remove_edges(F is_to_go) {
        for (Index from = 0; from < size(); ++from)
            std::erase_if(nodes_[from].out, [&](const Edge& edge) { return is_to_go(from, edge); });
    }

    std::vector<std::vector<Index>> cycles() const;
    // The listed ones, dependencies first, ties by id; what is in a circle, or needs such a one, last by id.
    std::vector<Index> order(const std::vector<char>& is_listed) const;
    std::vector<std::vector<Index>> dependents() const;

private:
    struct Components;
    std::vector<Index> shortest_cycle(Index through, const std::vector<Index>& component) const;

    std::vector<Node> nodes_;
    std::unordered_map<Name, Index> index_;
};

}  // namespace lyre::features::detail
