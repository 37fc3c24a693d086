#include "lyre/experience/check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "lyre/assets/toml.h"
#include "lyre/core/content_codes.h"
#include "lyre/core/suggest.h"
#include "lyre/experience/detail/entry_merge.h"
#include "lyre/experience/experience_codes.h"
#include "lyre/features/action_reading.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/world/level_def.h"

namespace lyre::experience {

using namespace experience_code;

namespace {

using detail::EntryPlace;
using detail::PlanList;

// An experience or a set as its file says it, as far as it can be read; or the actions of a feature.
struct Written {
    assets::PrimaryAssetId id{};
    std::string file{};
    std::string text{};
    Node tree{};
    ExperienceDefinition definition{};  // of an experience
    ActionSet set{};                    // of a set

    std::string who() const {
        return id.type.text() == kFeatureOverlay ? fmt::format("feature {}", id.name) : id.to_string();
    }
    bool is_set() const { return id.type.text() == kActionSetType; }
    const std::vector<FeatureEntry>& features() const { return is_set() ? set.features : definition.features; }
    const std::vector<features::ActionPart>& actions() const { return is_set() ? set.actions : definition.actions; }
    bool is_within_bounds() const {
        return features().size() <= kMaxFeatureEntries && actions().size() <= kMaxActions &&
               definition.action_sets.size() <= kMaxActionSets && definition.assets.size() <= kMaxAssets &&
               definition.preload.size() <= kMaxAssets;
    }
    const Node& entry(std::string_view key, std::size_t index) const {
        const Node* list = tree.find(key);
        if (list == nullptr) return tree;
        return index < list->entries().size() ? list->entries()[index] : *list;
    }
    std::string where(std::string_view key, std::size_t index) const {  // "tag.experience.toml:3:5"
        const SourcePlace& place = entry(key, index).place;
        return fmt::format("{}:{}:{}", file, place.line, place.column);
    }
    // "features[1] in experience:tag", "action 2 in experience:tag"
    std::string path(std::string_view key, std::size_t index) const {
        if (key == "action") return fmt::format("action {} in {}", index + 1, who());
        return fmt::format("{}[{}] in {}", key, index, id);
    }
};

class Check {
public:
    Check(const assets::Assets& assets, const features::Features& features, const Files& files,
          const BrokenManifests& broken)
        : loaded_(assets),
          assets_(assets.registry()),
          features_(features),
          files_(files),
          broken_(broken),
          catalogue_(features.catalogue()),
          runtime_(features.services().runtime),
          kinds_(runtime_.types()) {
        for (const Name id : features.from_the_start()) start_.insert(id);
    }

    Problems run() {
        for (const assets::PrimaryAssetId& id : assets_.of_type(Name(kActionSetType)))
            if (const Written* source = read(id)) check_alone(*source);
        for (const assets::PrimaryAssetId& id : assets_.of_type(Name(kExperienceType)))
            if (const Written* source = read(id)) check_experience(*source);
        check_unused_sets();
        check_fallback_circles();
        check_points_of_features();
        return std::move(problems_);
    }
    Problems run(const ExperiencePlan& plan) {
        const Written* source = read(plan.experience);
        if (source == nullptr) return {};
        check_late(*source);
        check_homes_of_sets(*source);
        for (Strayed& one : strayed_in(plan, false)) add(std::move(one), "");
        return std::move(problems_);
    }

private:
    // Null: it cannot be read at all, or says too much. That, and what else reading finds, is told by loading it.
    const Written* read(const assets::PrimaryAssetId& id) {
        const auto [at, is_new] = sources_.try_emplace(id);
        if (is_new) at->second = read_file(id);
        return at->second.get();
    }
    std::unique_ptr<Written> read_file(const assets::PrimaryAssetId& id) const {
        const assets::AssetInfo* info = assets_.find(id);
        if (info == nullptr) return nullptr;
        const auto bytes = files_.read(info->entry.path, assets::ContentTypes::kMaxTomlBytes);
        if (!bytes) return nullptr;
        auto source = std::make_unique<Written>();
        source->id = id;
        source->file = info->entry.path;
        source->text = bytes->text();
        auto document = assets::parse_toml(source->text, source->file);
        if (!document.problems.is_empty()) return nullptr;
        source->tree = std::move(document.root);
        if (source->is_set())
            read_record(source->tree, type_of_record<ActionSet>(), &source->set, {});
        else
            read_record(source->tree, type_of_record<ExperienceDefinition>(), &source->definition, {});
        return source->is_within_bounds() ? std::move(source) : nullptr;
    }

    void problem(const Written& in, const ProblemCode& code, const SourcePlace& place, std::string text,
                 std::string hint = {}, std::vector<std::string> chain = {}) {
        chain.insert(chain.begin(), in.who());
        Problem problem{&code, std::move(text), in.file, place, {}, std::move(hint), std::move(chain)};
        quote_source(problem, in.text);
        problems_.add(std::move(problem));
    }
    // Unless something stands there that could not be read.
    void empty(const Written& in, std::string_view key, std::size_t index) {
        const Node& written = in.entry(key, index);
        if (says_nothing(written, key))
            problem(in, kEmptyEntry, written.place, fmt::format("{} is empty", in.path(key, index)),
                    "fill it in, or take it out");
    }
    static bool says_nothing(const Node& written, std::string_view key) {
        if (written.kind() == NodeKind::Text) return written.as_text().empty();
        if (written.kind() != NodeKind::Table) return false;
        if (key == "action") return written.entries().empty();
        const Node* id = written.find("id");
        return id == nullptr || (id->kind() == NodeKind::Text && id->as_text().empty());
    }
    // Looking for near names is slow, and who makes that many mistakes needs no more.
    bool may_suggest() const {
        constexpr std::size_t kMaxSuggestions = 100;
        return problems_.count() < kMaxSuggestions;
    }
    std::string feature_hint(std::string_view wanted) const {
        std::vector<std::string_view> known;
        if (!may_suggest()) return "";
        for (const auto& feature : catalogue_.all()) known.push_back(feature.first.text());
        return name_hint(wanted, std::move(known), "lyre list features");
    }
    std::string experience_hint(std::string_view wanted) const {
        if (!may_suggest()) return "";
        const std::vector<std::string> known = assets_.names(Name(kExperienceType));
        return name_hint(wanted, {known.begin(), known.end()}, "lyre list experiences");
    }

    // What one file shows.

    void check_alone(const Written& source) {
        check_entries(source);
        check_actions(source);
        check_repeated_actions(source, {{source.id, &source.features(), &source.actions()}}, Within::OneFile);
    }

    // An optional one may be; one with a name that is nearly there is a slip all the same.
    bool may_be_missing(const FeatureEntry& entry) const {
        return entry.need == features::Need::Optional && catalogue_.nearest(entry.id.text()).empty();
    }
    void check_entries(const Written& source) {
        std::map<Name, std::size_t> first;
        for (std::size_t i = 0; i < source.features().size(); ++i) {
            const Name id = source.features()[i].id;
            if (!id) {
                empty(source, "features", i);
                continue;
            }
            if (const auto [at, is_new] = first.emplace(id, i); !is_new)
                repeated(source, "features", i, id.text(), source, at->second);
            else if (catalogue_.find(id) == nullptr && !broken_.contains(id.text()) &&
                     !may_be_missing(source.features()[i]))
                problem(source, kUnknownFeature, source.entry("features", i).place,
                        fmt::format("unknown feature {} for {}", in_quotes(id.text()), source.path("features", i)),
                        feature_hint(id.text()));
        }
    }
    void repeated(const Written& source, std::string_view key, std::size_t index, std::string_view what,
                  const Written& first, std::size_t first_index, std::vector<std::string> chain = {}) {
        problem(
            source, kRepeated, source.entry(key, index).place,
            fmt::format("{} is {} again: {}", source.path(key, index), first.path(key, first_index), in_quotes(what)),
            fmt::format("take one out{}; the first is in {}", key == "action" ? ", or give them different names" : "",
                        first.where(key, first_index)),
            std::move(chain));
    }

    void check_actions(const Written& source) {
        for (std::size_t i = 0; i < source.actions().size(); ++i)
            if (source.actions()[i].is_none()) empty(source, "action", i);
        std::vector<features::ActionPart> actions = source.actions();
        const features::ActionServices services = features_.services();
        const features::ActionSource from{source.file, source.id.to_string(), source.text, &source.tree};
        const auto reading = features::read_actions(from, actions, services.runtime, services.code, assets_);
        problems_.add_all(reading.all_problems());
        problems_.add_all(features::check_action_names(from));
    }

    // What shows only with its sets.

    void check_experience(const Written& source) {
        check_alone(source);
        check_names(source);
        check_fallback(source);
        check_late(source);
        check_homes_of_sets(source);
        PlanSource plan;
        plan.experience = source.id;
        plan.definition = &source.definition;
        for (const assets::PrimaryAssetId& id : sets_of(source.definition))
            if (const Written* set = read(id)) plan.sets.push_back({id, &set->set, 0});
        const std::vector<PlanList> lists = detail::lists_of(plan);
        const detail::MergedEntries merged = detail::merge_entries(lists);
        check_repeated_actions(source, lists, Within::Several);
        check_conflicts(source, merged);
        check_plan(source, plan, merged);
    }

    // Others are checked with the experiences that name them.
    void check_unused_sets() {
        std::set<assets::PrimaryAssetId> used;
        for (const assets::PrimaryAssetId& id : assets_.of_type(Name(kExperienceType)))
            if (const Written* source = read(id))
                for (const assets::PrimaryAssetId& set : sets_of(source->definition)) used.insert(set);
        for (const assets::PrimaryAssetId& id : assets_.of_type(Name(kActionSetType))) {
            const Written* source = used.contains(id) ? nullptr : read(id);
            if (source == nullptr) continue;
            PlanSource plan;
            plan.experience = id;
            plan.sets.push_back({id, &source->set, 0});
            const std::vector<PlanList> lists = detail::lists_of(plan);
            const detail::MergedEntries merged = detail::merge_entries(lists);
            check_conflicts(*source, merged);
            check_plan(*source, plan, merged);
        }
    }

    void check_names(const Written& source) {
        check_list(source, "action_sets", source.definition.action_sets, [](Name name) { return name.is_none(); });
        const auto is_none = [](const assets::PrimaryAssetId& id) { return id.is_none(); };
        check_list(source, "assets", source.definition.assets, is_none);
        check_list(source, "preload", source.definition.preload, is_none);
    }
    template <class T, class F>
    void check_list(const Written& source, std::string_view key, const std::vector<T>& list, F is_none) {
        std::map<T, std::size_t> first;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (is_none(list[i]))
                empty(source, key, i);
            else if (const auto [at, is_new] = first.emplace(list[i], i); !is_new)
                repeated(source, key, i, fmt::format("{}", list[i]), source, at->second);
    }

    void check_fallback(const Written& source) {
        const FailurePolicy& failure = source.definition.failure;
        if (!failure.to || failure.is_to_previous()) return;
        const SourcePlace place = fallback_place(source);
        const std::string key = fmt::format("\"to\" of failure in {}", source.id);
        const assets::PrimaryAssetId to = failure.to_experience();
        if (to == source.id)
            problem(source, kFallbackToItself, place, fmt::format("{} is the experience itself", key),
                    "name another, or write policy = \"retry\"");
        else if (to.is_none())
            problem(source, kUnknownFallback, place,
                    fmt::format("{} takes an experience, not {}", key, in_quotes(failure.to.text())),
                    "name one, or write \"previous\"");
        else if (assets_.find(to) == nullptr)
            problem(source, kUnknownFallback, place, fmt::format("unknown experience {} for {}", to, key),
                    experience_hint(to.name.text()));
    }

    // Reading does not look for them: a feature may bring them. Here all of them have.
    void check_late(const Written& source) {
        each_late(source, true, [&](const assets::PrimaryAssetId& id, const Node& node, std::string_view key) {
            if (id.is_none() || !assets_.has_type(id.type) || assets_.find(id) != nullptr) return;
            std::string hint;
            if (may_suggest()) {
                const std::vector<std::string> known = assets_.names(id.type);
                hint = name_hint(id.name.text(), {known.begin(), known.end()}, "lyre list assets");
            }
            problem(source, content_code::kUnknownAsset, node.place,
                    fmt::format("unknown asset {} for \"{}\" in {}", id, key, source.id), std::move(hint));
        });
    }
    template <class F> static void each_late(const Written& source, bool with_preload, F work) {
        const Node* pawn = source.tree.find("pawn");
        work(source.definition.pawn, pawn != nullptr ? *pawn : source.tree, "pawn");
        for (std::size_t i = 0; i < source.definition.assets.size(); ++i)
            work(source.definition.assets[i], source.entry("assets", i), "assets");
        for (std::size_t i = 0; with_preload && i < source.definition.preload.size(); ++i)
            work(source.definition.preload[i], source.entry("preload", i), "preload");
    }
    // Which features there are is known only when the sets are: no feature can bring one.
    void check_homes_of_sets(const Written& source) {
        for (std::size_t i = 0; i < source.definition.action_sets.size(); ++i) {
            const assets::PrimaryAssetId id{Name(kActionSetType), source.definition.action_sets[i]};
            const Name home = id.name ? home_of(id) : Name();
            if (!home || start_.contains(home)) continue;
            problem(source, kOutOfPlan, source.entry("action_sets", i).place,
                    fmt::format("{} for {} is of feature {}, which is not there yet when the sets are read", id,
                                source.path("action_sets", i), home),
                    "move it to the project's content; what a feature does itself stands in its manifest");
        }
    }

    static SourcePlace fallback_place(const Written& source) {
        const Node* table = source.tree.find("failure");
        const Node* node = table != nullptr ? table->find("to") : nullptr;
        return node != nullptr ? node->place : source.tree.place;
    }
    // Circles of one are told above.
    void check_fallback_circles() {
        std::set<assets::PrimaryAssetId> done;
        for (const assets::PrimaryAssetId& id : assets_.of_type(Name(kExperienceType))) {
            std::vector<assets::PrimaryAssetId> way;
            assets::PrimaryAssetId at = id;
            for (; !at.is_none() && done.insert(at).second; at = fallback_of(at)) way.push_back(at);
            const auto begin = std::find(way.begin(), way.end(), at);
            if (way.end() - begin > 1) fallback_circle({begin, way.end()});
        }
    }
    assets::PrimaryAssetId fallback_of(const assets::PrimaryAssetId& id) {
        const Written* source = read(id);
        if (source == nullptr || source->definition.failure.policy == FailureKind::StayFailed) return {};
        return source->definition.failure.to_experience();
    }
    void fallback_circle(const std::vector<assets::PrimaryAssetId>& circle) {
        const Written& source = *read(circle.front());
        std::string text;
        for (const assets::PrimaryAssetId& id : circle) text += fmt::format("{} -> ", id);
        problem(source, kFallbackCircle, fallback_place(source),
                fmt::format("fallbacks lead in a circle: {}{}", text, circle.front()),
                "let one of them stay failed, or fall back to another");
    }

    // Either those that are twice in one file, or those that two files have in common.
    enum class Within : bool { OneFile, Several };
    void check_repeated_actions(const Written& experience, const std::vector<PlanList>& lists, Within within) {
        std::map<std::pair<std::string, std::uint64_t>, std::pair<const Written*, std::size_t>> first;
        for (const PlanList& list : lists) {
            const Written& source = *read(list.from);
            for (std::size_t i = 0; i < list.actions->size(); ++i) {
                const features::ActionPart& part = (*list.actions)[i];
                Hasher hasher;
                part.hash(hasher);
                const auto [at, is_new] = first.emplace(std::pair(part.kind(), hasher.finish()), std::pair(&source, i));
                const auto& [other, index] = at->second;
                if (is_new || part.is_none() || (other == &source) != (within == Within::OneFile)) continue;
                repeated(source, "action", i, part.kind(), *other, index, chain_to(experience, source));
            }
        }
    }
    static std::vector<std::string> chain_to(const Written& experience, const Written& from) {
        return &from == &experience ? std::vector<std::string>() : std::vector{experience.id.to_string()};
    }

    void check_conflicts(const Written& experience, const detail::MergedEntries& merged) {
        for (const detail::EntryConflict& conflict : merged.conflicts) {
            const Written& second = *read(conflict.second.list->from);
            std::string hint(conflict.mending());
            if (!conflict.is_of_one())
                hint += fmt::format("; the other is in {}",
                                    read(conflict.first.list->from)->where("features", conflict.first.index));
            problem(second, kVersionsConflict, second.entry("features", conflict.second.index).place, conflict.text,
                    std::move(hint), chain_to(experience, second));
        }
    }

    // What the plan of a server or a client says beyond that, unless it is a feature's own fault and told there.
    void check_plan(const Written& source, const PlanSource& plan, const detail::MergedEntries& merged) {
        std::map<std::pair<Name, std::string>, std::vector<NetMode>> found;
        std::vector<ExperiencePlan> made;
        for (const NetMode role : {NetMode::DedicatedServer, NetMode::Client}) {
            const ExperiencePlan& of =
                made.emplace_back(make_plan(plan, {catalogue_, {}, features_.why_not_after_start()}, role));
            for (const Cause& cause : of.causes)
                if (cause.code == CauseCode::DependencyConflict && is_fine_alone(cause.feature, role))
                    found[{cause.feature, cause.text}].push_back(role);
        }
        if (!merged.conflicts.empty()) return;
        if (made[0].is_ok() && made[1].is_ok()) {
            check_strayed(strayed_in(made[0], true), strayed_in(made[1], true));
            check_points(made[0]);
        }
        for (const auto& [cause, roles] : found) {
            const auto& [feature, text] = cause;
            const std::size_t end = text.find("; ");  // behind it stands what would mend it
            const std::string_view role = roles.size() == 2                      ? ""
                                          : roles[0] == NetMode::DedicatedServer ? " (on a server)"
                                                                                 : " (on a client)";
            const auto [in, place] = entry_of(source, feature, merged);
            problem(*in, kUnusableFeature, place, fmt::format("{}{}", text.substr(0, end), role),
                    end == std::string::npos ? "" : text.substr(end + 2), chain_to(source, *in));
        }
    }
    // What a plan names that is of a feature which is neither in it nor there from the start.
    struct Strayed {
        const Written* in;
        SourcePlace place;
        std::string what;  // "pawn_data:hero for "pawn" in experience:tag"
        Name home;
        std::vector<std::string> chain{};
    };
    void add(Strayed&& one, std::string_view role) {
        problem(*one.in, kOutOfPlan, one.place,
                fmt::format("{} is of feature {}, which the experience does not bring{}", one.what, one.home, role),
                fmt::format("add {} to features", in_quotes(one.home.text())), std::move(one.chain));
    }
    void check_strayed(std::vector<Strayed> server, std::vector<Strayed> client) {
        const auto is_in = [](const std::vector<Strayed>& all, const Strayed& one) {
            return std::any_of(all.begin(), all.end(), [&](const Strayed& other) {
                return other.in == one.in && other.place == one.place && other.home == one.home;
            });
        };
        std::vector<Strayed> only_client;
        for (const Strayed& one : client)
            if (!is_in(server, one)) only_client.push_back(one);
        for (Strayed& one : server) {
            const bool is_both = is_in(client, one);
            add(std::move(one), is_both ? "" : " (on a server)");
        }
        for (Strayed& one : only_client) add(std::move(one), " (on a client)");
    }
    std::vector<Strayed> strayed_in(const ExperiencePlan& plan, bool with_preload) {
        std::vector<Strayed> all;
        std::set<Name> there = start_;
        for (const PlannedFeature& feature : plan.features) there.insert(feature.id);
        const Written* source = read(plan.experience);
        if (!source->is_set()) {
            each_late(*source, with_preload,
                      [&](const assets::PrimaryAssetId& id, const Node& node, std::string_view key) {
                          if (const Name home = home_of(id); home && !there.contains(home))
                              all.push_back(
                                  {source, node.place, fmt::format("{} for \"{}\" in {}", id, key, source->id), home});
                      });
        }
        for (const PlannedAction& action : plan.actions)
            if (!action.is_optional) stray_action(plan, action, *source, there, all);
        return all;
    }
    // Its kind, and what it says it needs.
    void stray_action(const ExperiencePlan& plan, const PlannedAction& action, const Written& experience,
                      const std::set<Name>& there, std::vector<Strayed>& all) {
        const Written* in = read(action.from);
        if (in == nullptr) return;
        const Node& node = in->entry("action", action.index);
        const auto add = [&](Name home, std::string_view what, const Node& at) {
            all.push_back({in, at.place, fmt::format("{} of {}", what, in->path("action", action.index)), home,
                           chain_to(experience, *in)});
        };
        const Type* kind = kinds_.find(type_name<features::GameFeatureAction>(), action.kind);
        if (const Name home = feature_of(kind); home && !there.contains(home)) {
            const Node* written = node.kind() == NodeKind::Table ? node.find("kind") : nullptr;
            return add(home, fmt::format("kind {}", in_quotes(action.kind)), written != nullptr ? *written : node);
        }
        features::ActionPart part = in->actions()[action.index];  // a copy
        if (!make(part)) return;
        assets::BundleTable table;
        if (!features::add_bundle_data(*part.get(), table)) return;
        for (const Name bundle : bundles_for(plan.role))
            for (const assets::BundleEntry& entry : table.entries(bundle)) {
                const Name home =
                    entry.class_name ? feature_of(runtime_.types().find(entry.class_name)) : home_of(entry.asset);
                if (!home || there.contains(home)) continue;
                const std::string name =
                    entry.class_name ? std::string(entry.class_name.text()) : entry.asset.to_string();
                const Node* written = find_text(node, name);
                if (written == nullptr) written = find_text(node, entry.asset.name.text());
                add(home, entry.class_name ? "class " + name : name, written != nullptr ? *written : node);
            }
    }
    // False: it is wrong, which is told where actions are checked.
    bool make(features::ActionPart& part) const {
        if (part.is_none()) return false;
        ReadOptions options;
        options.kinds = &kinds_;
        Reading reading = read_part(part, std::move(options));
        link_content(reading, {runtime_.types(), runtime_.tags()});
        return reading.problems.is_empty() && part.get() != nullptr;
    }
    static const Node* find_text(const Node& node, std::string_view text) {
        if (node.kind() == NodeKind::Text) return !text.empty() && node.as_text() == text ? &node : nullptr;
        for (const Node& entry : node.entries())
            if (const Node* found = find_text(entry, text)) return found;
        return nullptr;
    }
    // Whose content has it; none: the project's own, or nobody's.
    Name home_of(const assets::PrimaryAssetId& id) const {
        const assets::AssetInfo* info = id.is_none() ? nullptr : assets_.find(id);
        if (info == nullptr) return {};
        const Name label = assets_.root(info->root)->label;
        const std::string file = features_.manifest_file(label);
        const std::string folder = file.substr(0, file.rfind('/') + 1);
        return !folder.empty() && info->entry.path.rfind(folder, 0) == 0 ? label : Name();
    }
    static Name feature_of(const Type* type) {
        return type != nullptr && type->owner.kind == OwnerKind::Feature ? type->owner.name : Name();
    }

    // Points of maps: those of the maps that begin with the experience; where there are none, of any.
    void check_points(const ExperiencePlan& plan) {
        const std::vector<const LevelDef*>& maps = this->maps();
        if (maps.empty()) return;
        std::vector<const LevelDef*> own;
        for (const LevelDef* map : maps)
            if (map->experience == plan.experience.name && plan.experience.type.text() == kExperienceType)
                own.push_back(map);
        for (const PlannedAction& action : plan.actions)
            if (const Written* in = read(action.from); in != nullptr && !action.is_optional)
                check_point(*in, action.index, own, plan.experience, chain_to(*read(plan.experience), *in));
    }
    // A feature may be of several experiences: some map has them.
    void check_points_of_features() {
        for (const auto& [id, manifest] : catalogue_.all()) {
            const auto& actions = manifest->actions;
            if (std::none_of(actions.begin(), actions.end(),
                             [](const auto& one) { return one.kind() == "spawn_actors"; }))
                continue;
            const std::string file = features_.manifest_file(id);
            features::ManifestFile read = features::read_manifest(files_, file.substr(0, file.rfind('/')));
            Written source;
            source.id = {Name(kFeatureOverlay), id};
            source.file = read.file;
            source.text = read.text;
            source.tree = read.tree;
            source.definition.actions = actions;
            for (std::size_t i = 0; i < actions.size(); ++i) check_point(source, i, {}, {}, {});
        }
    }
    // `own`: all of these have to have it; none: one of all maps.
    void check_point(const Written& in, std::size_t index, const std::vector<const LevelDef*>& own,
                     const assets::PrimaryAssetId& experience, std::vector<std::string> chain) {
        const std::vector<const LevelDef*>& maps = this->maps();
        if (maps.empty()) return;
        features::ActionPart part = in.actions()[index];  // a copy
        const auto* spawn = make(part) ? dynamic_cast<const features::SpawnActors*>(part.get()) : nullptr;
        if (spawn == nullptr || !spawn->point || spawn->need == features::ActionNeed::Optional) return;
        const auto lacks = [&](const LevelDef* map) { return !has_point(*map, spawn->point); };
        const auto bad = std::find_if(own.begin(), own.end(), lacks);
        if (own.empty() ? !std::all_of(maps.begin(), maps.end(), lacks) : bad == own.end()) return;
        const Node& node = in.entry("action", index);
        const Node* written = node.kind() == NodeKind::Table ? node.find("point") : nullptr;
        std::vector<std::string_view> names;
        for (const LevelDef* map : own.empty() ? maps : std::vector<const LevelDef*>{*bad})
            for (const LevelPoint& point : map->points) names.push_back(point.name.text());
        problem(in, kUnknownPoint, written != nullptr ? written->place : node.place,
                fmt::format("unknown point {} for \"point\" of {}: {}", in_quotes(spawn->point.text()),
                            in.path("action", index),
                            own.empty()
                                ? "no map has it"
                                : fmt::format("map:{}, which plays {}, does not have it", (*bad)->name, experience)),
                may_suggest() ? name_hint(spawn->point.text(), std::move(names)) : "", std::move(chain));
    }
    static bool has_point(const LevelDef& map, Name name) {
        return std::any_of(map.points.begin(), map.points.end(),
                           [&](const LevelPoint& point) { return point.name == name; });
    }
    // None if one of them could not be loaded: it may have the point.
    const std::vector<const LevelDef*>& maps() {
        if (std::exchange(knows_maps_, true)) return maps_;
        for (const assets::PrimaryAssetId& id : assets_.of_type(Name("map"))) {
            maps_.push_back(loaded_.find<LevelDef>(id));
            if (maps_.back() == nullptr) return maps_.clear(), maps_;
        }
        return maps_;
    }

    bool is_fine_alone(Name feature, NetMode role) const {
        const features::Wish wish{feature, {}, {}};
        return features::make_plan(catalogue_, {&wish, 1}, features::Roles::of(role)).is_ok();
    }
    std::pair<const Written*, SourcePlace> entry_of(const Written& source, Name feature,
                                                    const detail::MergedEntries& merged) {
        for (const detail::MergedEntry& entry : merged.entries)
            if (entry.entry.id == feature) {
                const EntryPlace& place = entry.places.front();
                const Written* in = read(place.list->from);
                return {in, in->entry("features", place.index).place};
            }
        return {&source, source.tree.place};
    }

    const assets::Assets& loaded_;
    const assets::AssetRegistry& assets_;
    const features::Features& features_;
    const Files& files_;
    const BrokenManifests& broken_;
    const features::Catalogue catalogue_;
    Runtime& runtime_;
    const PartKinds kinds_;
    std::set<Name> start_;  // there from the start
    std::vector<const LevelDef*> maps_;
    bool knows_maps_ = false;
    std::map<assets::PrimaryAssetId, std::unique_ptr<Written>> sources_;
    Problems problems_;
};

}  // namespace

Problems check_experiences(const assets::Assets& assets, const features::Features& features, const Files& files,
                           const BrokenManifests& broken) {
    return Check(assets, features, files, broken).run();
}

Problems check_plan(const ExperiencePlan& plan, const assets::Assets& assets, const features::Features& features,
                    const Files& files) {
    return Check(assets, features, files, {}).run(plan);
}

}  // namespace lyre::experience
