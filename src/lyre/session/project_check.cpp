// session/project_check.cpp: what `lyre check` says of a whole project: its features one by one, its content, and which of
// what is wrong only follows from something else that is told.
#include <algorithm>
#include <map>
#include <tuple>

#include "lyre/assets/asset_codes.h"
#include "lyre/core/content_codes.h"
#include "lyre/experience/check.h"
#include "lyre/features/action_codes.h"
#include "lyre/features/action_reading.h"
#include "lyre/features/feature_problem.h"
#include "lyre/session/project.h"

namespace lyre::session {
namespace {

// What the code of a feature would have made known: classes, kinds of actions, handlers and functions, types of
// content, and what its manifest declares besides.
bool is_of_unknown_name(const Problem& problem) {
    static const ProblemCode* const kNames[] = {&content_code::kUnknownTag,
                                                &content_code::kUnknownClass,
                                                &content_code::kUnknownKind,
                                                &content_code::kUnknownAsset,
                                                &assets::kUnknownAssetType,
                                                &features::action_code::kUnknownCode,
                                                &features::action_code::kUnknownVariable};
    return std::find(std::begin(kNames), std::end(kNames), problem.code) != std::end(kNames);
}

const features::FeatureError& innermost(const features::FeatureError& error) {
    return error.inner != nullptr ? innermost(*error.inner) : error;
}

// One mistake may be found on several ways.
Problems without_repeats(const Problems& problems) {
    std::set<std::string> seen;
    std::vector<const Problem*> kept;
    for (const Problem& problem : problems.all())
        if (seen.insert(fmt::format("{} {} {}", problem.code->number, problem.where(), problem.text)).second)
            kept.push_back(&problem);
    std::stable_sort(kept.begin(), kept.end(), [](const Problem* a, const Problem* b) {
        return std::tie(a->file, a->place.line, a->place.column) < std::tie(b->file, b->place.line, b->place.column);
    });
    Problems sorted;
    for (const Problem* problem : kept) sorted.add(*problem);
    sorted.count_more(problems.dropped());
    return sorted;
}

}  // namespace

bool Project::check() {
    OwnerScope as(owner_);
    check_defaults();
    if (!check_features()) return false;
    problems_.add_all(assets_.registry().problems());
    const auto ids = assets_.registry().all();
    assets::LoadHandle all = assets_.load_assets(ids);
    if (!await(all, "content")) return false;
    problems_.add_all(all.problems());
    std::vector<assets::LoadHandle> bundles;
    for (const assets::PrimaryAssetId& id : ids) {
        const auto table = assets_.bundle_table(id);
        if (!table) continue;
        assets::BundleChange change;
        for (const auto& bundle : (*table)->all())
            if (bundle.name) change.add.push_back(bundle.name);
        if (!change.add.empty()) bundles.push_back(assets_.change_bundle_state({&id, 1}, change));
    }
    assets::LoadHandle every_bundle = assets_.combine(std::move(bundles));
    if (!await(every_bundle, "bundles")) return false;
    problems_.add_all(every_bundle.problems());
    problems_.add_all(experience::check_experiences(assets_, *features_, files_, broken_));
    check_rules();
    problems_ = without_consequences(without_repeats(problems_));
    return true;
}

// Each feature alone: one that is wrong does not hide what is wrong with others.
bool Project::check_features() {
    using features::Destination;
    const std::vector<Name> ids = features_->known();
    const auto name_broken = [&](features::FeatureError& error) {  // what has a bad manifest is there all the same
        if (error.code != features::ErrorCode::DependencyMissing) return;
        if (const auto bad = broken_.find(error.dependency.text()); bad != broken_.end())
            error.text = fmt::format("{} needs {}, and its manifest has problems; mend {}", error.feature,
                                     error.dependency, bad->second);
    };
    for (std::size_t n = 0; n < ids.size(); ++n) {
        const Name id = ids[n];
        const auto answer = std::make_shared<std::optional<features::FeatureResult>>();  // one may come after a stop
        features_->change_target(id, Destination::Registered,
                                 [answer](const features::FeatureResult& result) { *answer = result; });
        while (!*answer) {
            pump();
            if (!tell({"features", n, ids.size(), {}, std::string(id.text())})) return features_->cancel(id), false;
            if (!*answer) executor_.wait_for_progress(kWaitUs);
        }
        std::optional<features::FeatureError>& error = (*answer)->error;
        if (error) name_broken(*error);
        const Problems* own = features_->problems(id);
        if (own != nullptr) problems_.add_all(*own);
        if (error) not_registered_.insert(id);
        if (error && !features::is_of_module(innermost(*error))) at_fault_.insert(features_->manifest_file(id));
        const features::ManifestFile manifest = features::read_manifest(files_, feature_folder(id));
        problems_.add_all(features::check_action_names(
            {manifest.file, fmt::format("feature {}", id), manifest.text, &manifest.tree}));
        if (error && (own == nullptr || own->is_empty()) && error->code != features::ErrorCode::DependencyFailed)
            problems_.add(features::feature_problem(*error, manifest));
        if (error) continue;
        const features::Wish wish{id, {}, {}};  // no world is there: what counts for a side has not been looked at
        features::Plan plan = features_->plan({&wish, 1}, features::Roles::all());
        for (features::FeatureError& wrong : plan.errors) {
            name_broken(wrong);
            problems_.add(features::feature_problem(wrong, manifest));
        }
    }
    add_content_of({not_registered_.begin(), not_registered_.end()});
    return true;
}

// The features that a file is of, or asks for.
std::set<Name> Project::features_of(const std::string& file) {
    std::set<Name> found;
    for (const Name id : not_registered_)
        if (file.rfind(feature_folder(id) + "/", 0) == 0) found.insert(id);
    const auto add = [&](const std::vector<experience::FeatureEntry>& entries) {
        for (const experience::FeatureEntry& entry : entries) found.insert(entry.id);
    };
    for (const std::string_view type : {experience::kExperienceType, experience::kActionSetType})
        for (const assets::PrimaryAssetId& id : assets_.registry().of_type(Name(type))) {
            if (assets_.registry().find(id)->entry.path != file) continue;
            if (const auto* set = assets_.find<experience::ActionSet>(id)) add(set->features);
            const auto* definition = assets_.find<experience::ExperienceDefinition>(id);
            if (definition == nullptr) continue;
            add(definition->features);
            for (const assets::PrimaryAssetId& of : experience::sets_of(*definition))
                if (const auto* set = assets_.find<experience::ActionSet>(of)) add(set->features);
        }
    return found;
}

// What somebody cannot know because a feature could not be registered is that feature's problem, which is told.
Problems Project::without_consequences(const Problems& problems) {
    if (not_registered_.empty()) return problems;
    Problems kept;
    std::map<std::string, bool> is_concerned;  // by file
    for (const Problem& problem : problems.all()) {
        if (is_of_unknown_name(problem) && !at_fault_.contains(problem.file)) {
            const auto [at, is_new] = is_concerned.try_emplace(problem.file, false);
            if (is_new)
                for (const Name id : features_of(problem.file)) at->second |= not_registered_.contains(id);
            if (at->second) continue;
        }
        kept.add(problem);
    }
    kept.count_more(problems.dropped());
    return kept;
}

}  // namespace lyre::session
