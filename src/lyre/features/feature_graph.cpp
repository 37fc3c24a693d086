#include "lyre/features/detail/feature_graph.h"

#include <functional>
#include <queue>
#include <tuple>

namespace lyre::features::detail {
namespace {

// By id, then by what it says: in whatever order a manifest lists two entries of one id.
auto key_of(const Dependency& dependency) {
    return std::tuple(dependency.id, dependency.kind, dependency.versions.to_string(),
                      std::string_view(dependency.reason));
}

}  // namespace

FeatureGraph::FeatureGraph(const Catalogue& catalogue, std::span<const Name> seeds, Roles roles) {
    std::vector<std::pair<Name, const Manifest*>> todo;
    const auto reach = [&](Name id) {
        const Manifest* manifest = catalogue.find(id);
        if (manifest == nullptr) return false;
        if (index_.emplace(id, 0).second) todo.emplace_back(id, manifest);
        return true;
    };
    for (const Name seed : seeds) reach(seed);
    while (!todo.empty()) {
        const auto [id, manifest] = todo.back();
        todo.pop_back();
        Node& node = nodes_.emplace_back(Node{id, manifest, {}, {}});
        for (const Dependency& dependency : manifest->dependencies) {
            if (dependency.kind == DependencyKind::Incompatible || !roles.has(dependency.side)) continue;
            if (reach(dependency.id))
                node.out.push_back({0, &dependency});
            else
                node.missing.push_back(&dependency);
        }
    }
    std::sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
    for (Index i = 0; i < size(); ++i) index_[nodes_[i].id] = i;
    for (Node& node : nodes_) {
        for (Edge& edge : node.out) edge.to = index_.at(edge.what->id);
        const auto is_before = [](const Dependency* x, const Dependency* y) { return key_of(*x) < key_of(*y); };
        std::sort(node.missing.begin(), node.missing.end(), is_before);
        std::sort(node.out.begin(), node.out.end(),
                  [&](const Edge& x, const Edge& y) { return is_before(x.what, y.what); });
    }
}

std::optional<FeatureGraph::Index> FeatureGraph::find(Name id) const {
    const auto found = index_.find(id);
    return found == index_.end() ? std::nullopt : std::optional(found->second);
}

// Which nodes reach each other: the components of Tarjan's walk, with a stack of its own.
struct FeatureGraph::Components {
    static constexpr Index kUnseen = UINT32_MAX;

    explicit Components(const FeatureGraph& g)
        : graph(g), seen(g.size(), kUnseen), lowest(g.size(), 0), component(g.size(), kUnseen) {
        for (Index start = 0; start < graph.size(); ++start)
            if (seen[start] == kUnseen) walk(start);
    }
    void walk(Index start) {
        enter(start);
        while (!calls.empty()) {
            const Index node = calls.back().first;
            const auto& out = graph[node].out;
            if (calls.back().second == out.size()) {
                leave(node);
                continue;
            }
            const Index to = out[calls.back().second++].to;
            if (seen[to] == kUnseen)
                enter(to);
            else if (component[to] == kUnseen)
                lowest[node] = std::min(lowest[node], seen[to]);
        }
    }
    void enter(Index node) {
        seen[node] = lowest[node] = next++;
        open.push_back(node);
        calls.emplace_back(node, 0);
    }
    void leave(Index node) {
        calls.pop_back();
        if (!calls.empty()) lowest[calls.back().first] = std::min(lowest[calls.back().first], lowest[node]);
        if (lowest[node] != seen[node]) return;
        std::vector<Index>& members = all.emplace_back();
        do {
            members.push_back(open.back());
            component[open.back()] = static_cast<Index>(all.size() - 1);
            open.pop_back();
        } while (members.back() != node);
        std::sort(members.begin(), members.end());
    }

    const FeatureGraph& graph;
    std::vector<Index> seen, lowest, component;
    std::vector<Index> open;
    std::vector<std::pair<Index, std::size_t>> calls;  // node, and how many of its edges are done
    std::vector<std::vector<Index>> all;
    Index next = 0;
};

// Through each member that no circle has shown yet, so that everybody who is refused can see why.
std::vector<std::vector<FeatureGraph::Index>> FeatureGraph::cycles() const {
    const Components components(*this);
    std::vector<std::vector<Index>> found;
    std::vector<char> is_shown(nodes_.size(), 0);
    for (const std::vector<Index>& members : components.all) {
        const auto& out = nodes_[members.front()].out;
        const bool needs_itself =
            std::any_of(out.begin(), out.end(), [&](const Edge& edge) { return edge.to == members.front(); });
        if (members.size() == 1 && !needs_itself) continue;
        for (const Index member : members) {
            if (is_shown[member]) continue;
            std::vector<Index> cycle = shortest_cycle(member, components.component);
            for (const Index shown : cycle) is_shown[shown] = 1;
            std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
            found.push_back(std::move(cycle));
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<FeatureGraph::Index> FeatureGraph::shortest_cycle(Index through,
                                                              const std::vector<Index>& component) const {
    std::unordered_map<Index, Index> before;
    std::queue<Index> todo;
    todo.push(through);
    while (true) {
        const Index node = todo.front();
        todo.pop();
        for (const Edge& edge : nodes_[node].out) {
            if (edge.to == through) {
                std::vector<Index> cycle = {node};
                while (cycle.back() != through) cycle.push_back(before.at(cycle.back()));
                std::reverse(cycle.begin(), cycle.end());
                return cycle;
            }
            if (component[edge.to] == component[through] && before.emplace(edge.to, node).second) todo.push(edge.to);
        }
    }
}

// What is not listed is passed as soon as it can be: then a listed one is ready when the listed ones below it are out.
std::vector<FeatureGraph::Index> FeatureGraph::order(const std::vector<char>& is_listed) const {
    const std::vector<std::vector<Index>> above = dependents();
    std::vector<std::size_t> waits_for(nodes_.size());
    std::vector<Index> passed;
    std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
    const auto is_ready = [&](Index node) { is_listed[node] ? ready.push(node) : passed.push_back(node); };
    for (Index node = 0; node < size(); ++node)
        if ((waits_for[node] = nodes_[node].out.size()) == 0) is_ready(node);
    std::vector<Index> order;
    std::vector<char> is_out(nodes_.size(), 0);
    while (!passed.empty() || !ready.empty()) {
        Index node = 0;
        if (!passed.empty()) {
            node = passed.back();
            passed.pop_back();
        } else {
            node = ready.top();
            ready.pop();
            order.push_back(node);
            is_out[node] = 1;
        }
        for (const Index dependent : above[node])
            if (--waits_for[dependent] == 0) is_ready(dependent);
    }
    for (Index node = 0; node < size(); ++node)
        if (is_listed[node] && !is_out[node]) order.push_back(node);
    return order;
}

std::vector<std::vector<FeatureGraph::Index>> FeatureGraph::dependents() const {
    std::vector<std::vector<Index>> above(nodes_.size());
    for (Index node = 0; node < size(); ++node)
        for (const Edge& edge : nodes_[node].out) above[edge.to].push_back(node);
    return above;
}

}  // namespace lyre::features::detail
