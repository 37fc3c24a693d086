#include "lyre/features/solver.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "lyre/core/suggest.h"
#include "lyre/features/detail/feature_graph.h"

namespace lyre::features {

using detail::FeatureGraph;
using Index = FeatureGraph::Index;

bool Catalogue::add(const Manifest& manifest) {
    for (const Dependency& dependency : manifest.dependencies)
        has_incompatible_ = has_incompatible_ || dependency.kind == DependencyKind::Incompatible;
    return manifests_.emplace(manifest.id, &manifest).second;
}

const Manifest* Catalogue::find(Name id) const {
    const auto found = manifests_.find(id);
    return found == manifests_.end() ? nullptr : found->second;
}

std::string_view Catalogue::nearest(std::string_view id) const {
    Nearest search(id);
    for (const auto& [known, manifest] : manifests_) search.consider(known.text());
    return search.best();
}

std::vector<Name> topological_order(const Catalogue& catalogue, std::span<const Name> features, Roles roles) {
    const FeatureGraph graph(catalogue, features, roles);
    std::vector<char> is_listed(graph.size(), 0);
    std::vector<Name> order, unknown;
    for (const Name feature : features) {
        if (const auto node = graph.find(feature))
            is_listed[*node] = 1;
        else
            unknown.push_back(feature);
    }
    for (const Index node : graph.order(is_listed)) order.push_back(graph[node].id);
    std::sort(unknown.begin(), unknown.end());
    order.insert(order.end(), unknown.begin(), std::unique(unknown.begin(), unknown.end()));
    return order;
}

std::string cycle_text(const std::vector<Name>& cycle) {
    std::string text;
    for (const Name id : cycle) text += fmt::format("{} -> ", id);
    return text + std::string(cycle.empty() ? "" : cycle.front().text());
}

std::string Incompatibility::text() const {
    return fmt::format("{} and {} cannot be active in one {}, as {} says{}{}{}", first, second,
                       scope == Scope::World ? "world" : "process", said_by, reason.empty() ? "" : " (", reason,
                       reason.empty() ? "" : ")");
}

FeatureError Incompatibility::to_error(Name feature) const {
    FeatureError error;
    error.feature = feature;
    error.state = FeatureState::Installed;
    error.code = ErrorCode::Incompatible;
    error.text = text() + "; take one of them out";
    return error;
}

std::vector<Incompatibility> find_incompatible(const Catalogue& catalogue, std::span<const Name> features, Roles roles,
                                               Scope together) {
    std::map<Name, const Manifest*> present;
    for (const Name feature : features)
        if (const Manifest* manifest = catalogue.find(feature)) present.emplace(feature, manifest);
    std::map<std::pair<Name, Name>, Incompatibility> found;
    for (const auto& [id, manifest] : present)
        for (const Dependency& dependency : manifest->dependencies) {
            if (dependency.kind != DependencyKind::Incompatible || !roles.has(dependency.side)) continue;
            if (together == Scope::Process && dependency.scope != Scope::Process) continue;
            const auto other = present.find(dependency.id);
            if (other == present.end() || other->first == id) continue;
            if (!dependency.versions.contains(other->second->version)) continue;
            const auto pair = std::minmax(id, dependency.id);
            found.emplace(std::pair<Name, Name>(pair),
                          Incompatibility{pair.first, pair.second, id, dependency.scope, dependency.reason});
        }
    std::vector<Incompatibility> all;
    for (auto& [pair, incompatibility] : found) all.push_back(std::move(incompatibility));
    return all;
}

namespace {

constexpr Index kNone = UINT32_MAX;
constexpr std::size_t kMaxChain = 64;  // ids of a chain that are printed; of longer ones both ends

std::string in_brackets(const std::string& reason) {
    return reason.empty() ? "" : fmt::format(" ({})", reason);
}
std::string with_range(Name id, const VersionRange& versions) {
    return versions.is_any() ? std::string(id.text()) : fmt::format("{} {}", id, versions);
}

// Somebody who is particular about the version of a feature.
struct Want {
    const VersionRange* range;
    Index from;        // kNone: it is a wish
    std::string text;  // "arena -> tag needs ^0.2 (spawn points)"; of a dependency only where it is told
};

// A smallest set of them that no version can please: one that completes what those before it began, then the one that
// completes a conflict with it, and so on, until these alone are a conflict.
std::vector<Want> smallest_conflict(const std::vector<Want>& wants) {
    std::vector<std::size_t> chosen;
    VersionRange common;
    std::size_t end = wants.size();
    while (!common.is_empty()) {
        VersionRange tried = common;
        std::size_t i = 0;
        for (; i < end && !tried.is_empty(); ++i) tried = tried.intersect(*wants[i].range);
        LYRE_ASSERT(tried.is_empty(), "only wants that cannot all be met have a conflict");
        chosen.push_back(i - 1);
        common = common.intersect(*wants[i - 1].range);
        end = i - 1;
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<Want> conflict;
    for (const std::size_t i : chosen) conflict.push_back(wants[i]);
    return conflict;
}

std::string joined(const std::vector<Want>& wants) {
    constexpr std::size_t kShown = 16;
    std::string text;
    for (std::size_t i = 0; i < std::min(wants.size(), kShown); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == wants.size() ? " and " : ", ", wants[i].text);
    return wants.size() > kShown ? fmt::format("{} and {} more", text, wants.size() - kShown) : text;
}

std::vector<const Wish*> in_order(std::span<const Wish> wishes) {
    std::vector<const Wish*> sorted;
    for (const Wish& wish : wishes) sorted.push_back(&wish);
    const auto key = [](const Wish& wish) {
        return std::tuple(wish.feature, wish.need, std::string_view(wish.who), wish.versions.to_string());
    };
    std::sort(sorted.begin(), sorted.end(), [&](const Wish* a, const Wish* b) { return key(*a) < key(*b); });
    return sorted;
}

std::vector<Name> features_of(const std::vector<const Wish*>& wishes) {
    std::vector<Name> names;
    for (const Wish* wish : wishes) names.push_back(wish->feature);
    return names;
}

class Planner {
public:
    Planner(const Catalogue& catalogue, std::span<const Wish> wishes, Roles roles)
        : catalogue_(catalogue),
          wishes_(in_order(wishes)),
          graph_(catalogue, features_of(wishes_), roles),
          cycles_(graph_.cycles()),
          cycle_of_(graph_.size(), kNone),
          is_in_(graph_.size(), 0),
          came_by_(graph_.size(), kNone),
          failure_(graph_.size()),
          excludes_(graph_.size()) {
        for (Index i = 0; i < cycles_.size(); ++i)
            for (const Index node : cycles_[i]) cycle_of_[node] = i;
        note_incompatible(roles);
    }

    Plan make() {
        refuse_unknown();
        take_required();
        refuse_missing();
        refuse_cycles();
        refuse_versions();
        refuse_incompatible();
        if (!plan_.is_ok()) return std::move(plan_);
        take_optional();
        put_in_order();
        return std::move(plan_);
    }

private:
    // Errors.

    // Asked before a text is made: chains and suggestions take their time.
    bool is_one_too_many() {
        if (plan_.errors.size() < Plan::kMaxErrors) return false;
        ++plan_.errors_dropped;
        return true;
    }
    void error(Name feature, ErrorCode code, std::string text, Name dependency = {}) {
        FeatureError error;
        error.dependency = dependency;
        error.feature = feature;
        error.state = code == ErrorCode::UnknownFeature ? FeatureState::UnknownStatus : FeatureState::Installed;
        error.code = code;
        error.text = std::move(text);
        plan_.errors.push_back(std::move(error));
    }
    void degrade(Name feature, std::string_view wanted_by, std::string reason) {
        if (plan_.degraded.size() < Plan::kMaxDegraded)
            plan_.degraded.push_back({feature, std::string(wanted_by), std::move(reason)});
        else
            ++plan_.degraded_dropped;
    }

    // "tag, asked for by experience tag (content/tag.experience.toml:3:14)"
    std::string asked(Name feature) const {
        for (const Wish* wish : wishes_)
            if (wish->feature == feature && wish->need == Need::Required && !wish->who.empty())
                return fmt::format("{}, asked for by {}", feature, wish->who);
        return std::string(feature.text());
    }
    std::vector<Name> way_to(Index node) const {
        std::vector<Name> way = {graph_[node].id};
        while (came_by_[node] != kNone) way.push_back(graph_[node = came_by_[node]].id);
        std::reverse(way.begin(), way.end());
        return way;
    }
    Name asked_for(Index node) const { return way_to(node).front(); }
    std::string chain(Index node) const {
        const std::vector<Name> way = way_to(node);
        std::string text(way.front().text());
        for (std::size_t i = 1; i < way.size(); ++i) {
            const bool is_left_out = way.size() > kMaxChain && i >= kMaxChain / 2 && i < way.size() - kMaxChain / 2;
            if (!is_left_out)
                text += fmt::format(" -> {}", way[i]);
            else if (i == kMaxChain / 2)
                text += fmt::format(" -> ({} more)", way.size() - kMaxChain);
        }
        return text;
    }

    void refuse_unknown() {
        std::unordered_set<Name> seen;
        for (const Wish* wish : wishes_) {
            if (graph_.find(wish->feature)) continue;
            if (wish->need == Need::Optional) {
                degrade(wish->feature, wish->who, "there is no such feature");
            } else if (seen.insert(wish->feature).second && !is_one_too_many()) {
                const std::string_view nearest = catalogue_.nearest(wish->feature.text());
                error(wish->feature, ErrorCode::UnknownFeature,
                      fmt::format("there is no feature {}{}{}{}", in_quotes(wish->feature.text()),
                                  wish->who.empty() ? "" : ", asked for by ", wish->who,
                                  nearest.empty() ? "; add it to the game's features, or mend the name"
                                                  : did_you_mean(nearest)));
            }
        }
    }

    // Shortest ways first, so that chains are.
    void take_required() {
        std::vector<Index> todo;
        const auto take = [&](Index node, Index by) {
            if (std::exchange(is_in_[node], 1)) return;
            came_by_[node] = by;
            todo.push_back(node);
        };
        for (const Wish* wish : wishes_)
            if (const auto node = graph_.find(wish->feature); node && wish->need == Need::Required) take(*node, kNone);
        for (std::size_t i = 0; i < todo.size(); ++i)
            for (const FeatureGraph::Edge& edge : graph_[todo[i]].out)
                if (edge.is_required()) take(edge.to, todo[i]);
        nearest_first_ = std::move(todo);
    }

    void refuse_missing() {
        std::map<Name, std::pair<Index, const Dependency*>> missing;
        for (const Index node : nearest_first_)
            for (const Dependency* dependency : graph_[node].missing)
                if (dependency->kind == DependencyKind::Required) missing.try_emplace(dependency->id, node, dependency);
        for (const auto& [id, by] : missing) {
            if (is_one_too_many()) continue;
            const auto& [node, dependency] = by;
            const std::string_view nearest = catalogue_.nearest(id.text());
            const std::string wanted = with_range(id, dependency->versions);
            error(
                asked_for(node), ErrorCode::DependencyMissing,
                fmt::format("{} -> {}: {} needs {}{}, and there is no such feature{} {} {} to the game's features, or "
                            "take out {}",
                            chain(node), id, graph_[node].id, wanted, in_brackets(dependency->reason),
                            nearest.empty() ? ";" : did_you_mean(nearest), nearest.empty() ? "add" : "Otherwise add",
                            wanted, asked(asked_for(node))),
                id);
        }
    }

    std::string text_of(const std::vector<Index>& cycle) const {
        std::vector<Name> names;
        for (const Index node : cycle) names.push_back(graph_[node].id);
        return fmt::format("{}: each needs the one behind it, so none can come first", cycle_text(names));
    }
    Name next_in(const std::vector<Index>& cycle, Index node) const {
        const auto at = std::find(cycle.begin(), cycle.end(), node) + 1;
        return graph_[at == cycle.end() ? cycle.front() : *at].id;
    }
    void refuse_cycles() {
        std::vector<std::size_t> distance(graph_.size(), SIZE_MAX);
        for (std::size_t i = 0; i < nearest_first_.size(); ++i) distance[nearest_first_[i]] = i;
        for (const auto& cycle : cycles_) {
            const Index nearest = *std::min_element(cycle.begin(), cycle.end(),
                                                    [&](Index a, Index b) { return distance[a] < distance[b]; });
            if (!is_in_[nearest] || is_one_too_many()) continue;
            const Name root = asked_for(nearest);
            const bool is_outside = root != graph_[nearest].id;
            error(root, ErrorCode::DependencyCycle,
                  fmt::format("{}{}; take one of these dependencies out", text_of(cycle),
                              is_outside ? fmt::format(" (needed by way of {})", chain(nearest)) : ""),
                  next_in(cycle, nearest));
        }
    }

    // Versions.

    std::vector<std::vector<Want>> wants() const {
        std::vector<std::vector<Want>> all(graph_.size());
        for (const Wish* wish : wishes_) {
            const auto node = graph_.find(wish->feature);
            if (!node || wish->need == Need::Optional || wish->versions.is_any()) continue;
            const std::string who = wish->who.empty() ? "the request" : wish->who;
            all[*node].push_back({&wish->versions, kNone, fmt::format("{} asks for {}", who, wish->versions)});
        }
        for (Index from = 0; from < graph_.size(); ++from)
            for (const FeatureGraph::Edge& edge : graph_[from].out)
                if (is_in_[from] && edge.is_required() && !edge.what->versions.is_any())
                    all[edge.to].push_back({&edge.what->versions, from, {}});
        return all;
    }
    void write_text(Want& want) const {
        if (want.from == kNone) return;
        for (const FeatureGraph::Edge& edge : graph_[want.from].out)
            if (&edge.what->versions == want.range)
                want.text = fmt::format("{} needs {}{}", chain(want.from), *want.range, in_brackets(edge.what->reason));
    }

    void refuse_versions() {
        const std::vector<std::vector<Want>> all = wants();
        for (Index node = 0; node < graph_.size(); ++node) {
            const Version& found = graph_[node].manifest->version;
            std::vector<Want> unpleased;
            for (const Want& want : all[node])
                if (!want.range->contains(found)) unpleased.push_back(want);
            if (is_in_[node] && !unpleased.empty() && !is_one_too_many())
                refuse_version(node, all[node], std::move(unpleased));
        }
    }
    void refuse_version(Index node, const std::vector<Want>& all, std::vector<Want> unpleased) {
        const Name id = graph_[node].id;
        const Version& found = graph_[node].manifest->version;
        VersionRange common;
        for (const Want& want : all) common = common.intersect(*want.range);
        const bool is_hopeless = common.is_empty();
        std::vector<Want> told = is_hopeless ? smallest_conflict(all) : std::move(unpleased);
        for (Want& want : told) write_text(want);
        std::string text;
        if (is_hopeless)
            text = fmt::format("no version of {} can do: {}; it is {} here. {}", id, joined(told), found,
                               told.size() == 1 ? "Mend this range, which contains nothing"
                                                : "Widen one of these ranges, or take out who asks for it");
        else
            text = fmt::format("{} is {} here, but {}; a version in {} would do{}", id, found, joined(told), common,
                               fits_as_release(found, common)
                                   ? " (a pre-release fits only a range that names one of the same version)"
                                   : "");
        error(asked_for(node), ErrorCode::DependencyVersion, std::move(text), id);
    }
    static bool fits_as_release(Version version, const VersionRange& range) {
        if (!version.is_pre_release()) return false;
        version.pre.clear();
        return range.contains(version);
    }

    // Features that exclude each other.

    void note_incompatible(Roles roles) {
        std::vector<Name> all;
        for (Index node = 0; node < graph_.size(); ++node) all.push_back(graph_[node].id);
        incompatible_ = find_incompatible(catalogue_, all, roles, Scope::World);
        for (std::size_t i = 0; i < incompatible_.size(); ++i) {
            const Index first = *graph_.find(incompatible_[i].first), second = *graph_.find(incompatible_[i].second);
            excludes_[first].emplace_back(second, i);
            excludes_[second].emplace_back(first, i);
        }
    }
    std::string how(Index node) const {
        const Name root = asked_for(node);
        return root == graph_[node].id ? asked(root) : fmt::format("{}, needed by {}", graph_[node].id, chain(node));
    }
    void refuse_incompatible() {
        for (const Incompatibility& pair : incompatible_) {
            const Index first = *graph_.find(pair.first), second = *graph_.find(pair.second);
            if (!is_in_[first] || !is_in_[second] || is_one_too_many()) continue;
            error(std::min(asked_for(first), asked_for(second)), ErrorCode::Incompatible,
                  fmt::format("{}; take out {}, or {}", pair.text(), how(first), how(second)));
        }
    }

    // Optional ones. What has failed once fails always: there is only ever more that it has to agree with.

    void wish_optionally(Index node, const VersionRange& versions, std::string_view by) {
        const Version& found = graph_[node].manifest->version;
        if (!versions.contains(found))
            return degrade(graph_[node].id, by, fmt::format("it is {} here, and {} is wanted", found, versions));
        if (is_in_[node]) return;
        if (!failure_[node].empty()) return degrade(graph_[node].id, by, failure_[node]);
        candidates_[node].emplace_back(by);
    }
    void look_at_optional(Index node) {
        const Name id = graph_[node].id;
        for (const FeatureGraph::Edge& edge : graph_[node].out)
            if (!edge.is_required()) wish_optionally(edge.to, edge.what->versions, id.text());
        for (const Dependency* dependency : graph_[node].missing)
            if (dependency->kind == DependencyKind::Optional)
                degrade(dependency->id, id.text(), "there is no such feature");
    }
    void take_optional() {
        for (const Wish* wish : wishes_)
            if (const auto node = graph_.find(wish->feature); node && wish->need == Need::Optional)
                wish_optionally(*node, wish->versions, wish->who);
        for (const Index node : nearest_first_) look_at_optional(node);
        while (!candidates_.empty()) {
            const auto [node, wanted_by] = *candidates_.begin();
            candidates_.erase(candidates_.begin());
            if (is_in_[node]) continue;
            const std::vector<Index> taken = try_to_take(node);
            for (const Index member : taken) look_at_optional(member);
            if (taken.empty())
                for (const std::string& by : wanted_by) degrade(graph_[node].id, by, failure_[node]);
        }
        const auto key = [](const Degraded& d) { return std::tie(d.feature, d.wanted_by, d.reason); };
        std::sort(plan_.degraded.begin(), plan_.degraded.end(),
                  [&](const Degraded& a, const Degraded& b) { return key(a) < key(b); });
        const auto is_same = [&](const Degraded& a, const Degraded& b) { return key(a) == key(b); };
        plan_.degraded.erase(std::unique(plan_.degraded.begin(), plan_.degraded.end(), is_same), plan_.degraded.end());
    }
    // With all that it needs; nothing if that does not work out, and then its failure_ says why.
    std::vector<Index> try_to_take(Index node) {
        std::vector<Index> all = {node};
        is_in_[node] = 1;
        std::string why = failure_of(node);
        for (std::size_t i = 0; i < all.size() && why.empty(); ++i)
            for (const FeatureGraph::Edge& edge : graph_[all[i]].out) {
                if (!edge.is_required() || std::exchange(is_in_[edge.to], 1)) continue;
                all.push_back(edge.to);
                if (why = failure_of(edge.to); !why.empty()) break;
            }
        if (why.empty()) return all;
        for (const Index member : all) is_in_[member] = 0;
        failure_[node] = std::move(why);
        return {};
    }
    std::string failure_of(Index node) const {
        if (!failure_[node].empty()) return failure_[node];
        if (cycle_of_[node] != kNone) return text_of(cycles_[cycle_of_[node]]);
        const Name id = graph_[node].id;
        for (const Dependency* dependency : graph_[node].missing)
            if (dependency->kind == DependencyKind::Required)
                return fmt::format("{} needs {}, and there is no such feature", id,
                                   with_range(dependency->id, dependency->versions));
        for (const FeatureGraph::Edge& edge : graph_[node].out)
            if (const Version& found = graph_[edge.to].manifest->version;
                edge.is_required() && !edge.what->versions.contains(found))
                return fmt::format("{} needs {}, and that is {} here", id,
                                   with_range(edge.what->id, edge.what->versions), found);
        for (const auto& [other, i] : excludes_[node])
            if (is_in_[other]) return incompatible_[i].text();
        return {};
    }

    void put_in_order() {
        graph_.remove_edges([&](Index from, const FeatureGraph::Edge& edge) {
            const bool fits = edge.is_required() || edge.what->versions.contains(graph_[edge.to].manifest->version);
            return !is_in_[from] || !is_in_[edge.to] || !fits;
        });
        for (const Index node : graph_.order(is_in_)) plan_.order.push_back(graph_[node].id);
    }

    const Catalogue& catalogue_;
    std::vector<const Wish*> wishes_;
    FeatureGraph graph_;
    std::vector<std::vector<Index>> cycles_;
    std::vector<Index> cycle_of_;
    std::vector<char> is_in_;
    std::vector<Index> came_by_;  // who needed it first; kNone: it was asked for
    std::vector<Index> nearest_first_;
    std::vector<Incompatibility> incompatible_;
    std::vector<std::string> failure_;
    std::vector<std::vector<std::pair<Index, std::size_t>>> excludes_;  // other, which incompatibility
    std::map<Index, std::vector<std::string>> candidates_;
    Plan plan_;
};

}  // namespace

Plan make_plan(const Catalogue& catalogue, std::span<const Wish> wishes, Roles roles) {
    return Planner(catalogue, wishes, roles).make();
}

}  // namespace lyre::features
