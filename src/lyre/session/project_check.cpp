// session/project_check.cpp: what `lyre check` says of a whole project: its features one by one, its content, and which of
// what is wrong only follows from something else that is told.
#include <algorithm>
#include <map>
#include <tuple>

#include "lyre/assets/asset_codes.h"
#include "lyre/assets/toml.h"
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
    const auto follows = [&](const features::FeatureError& error) {  // from a bad manifest, which is told
        return error.code == features::ErrorCode::DependencyMissing && broken_.contains(error.dependency.text());
    };
    const auto read_actions_of = [&](const features::ManifestFile& manifest, const features::ActionSource& written) {
        auto actions = manifest.manifest.actions;
        const auto services = features_->services();
        return read_actions(written, actions, services.runtime, services.code, assets_.registry()).all_problems();
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
        const std::optional<features::FeatureError>& error = (*answer)->error;
        const Problems* own = features_->problems(id);
        if (own != nullptr) problems_.add_all(*own);
        if (error) not_registered_.insert(id);
        const bool has_read_actions = own != nullptr && !own->is_empty();
        if (error && has_read_actions) at_fault_.insert(features_->manifest_file(id));
        const features::ManifestFile manifest = features::read_manifest(files_, feature_folder(id));
        const features::ActionSource written{manifest.file, fmt::format("feature {}", id), manifest.text,
                                             &manifest.tree};
        problems_.add_all(features::check_action_names(written));
        if (error && !has_read_actions) {  // as far as they can be read without its code
            problems_.add_all(read_actions_of(manifest, written));
            if (error->code != features::ErrorCode::DependencyFailed && !follows(*error))
                problems_.add(features::feature_problem(*error, manifest));
        }
        const features::Wish wish{id, {}, {}};  // no world is there: what counts for a side has not been looked at
        features::Plan plan = features_->plan({&wish, 1}, features::Roles::all());
        for (const features::FeatureError& wrong : plan.errors)
            if (!follows(wrong)) problems_.add(features::feature_problem(wrong, manifest));
    }
    for (const std::string& folder : broken_folders_) {
        const features::ManifestFile manifest = features::read_manifest(files_, folder);
        if (manifest.tree.kind() != NodeKind::Table) continue;
        const features::ActionSource written{manifest.file,
                                             fmt::format("feature {}", folder.substr(folder.rfind('/') + 1)),
                                             manifest.text, &manifest.tree};
        problems_.add_all(features::check_action_names(written));
        problems_.add_all(read_actions_of(manifest, written));
    }
    add_content_of({not_registered_.begin(), not_registered_.end()});
    return true;
}

// The features that a file is of, or asks for, as far as it can be read: it has problems.
std::set<Name> Project::features_of(const std::string& file) {
    std::set<Name> found;
    for (const Name id : not_registered_)
        if (file.rfind(feature_folder(id) + "/", 0) == 0) found.insert(id);
    const auto add = [&]<class T>(const assets::PrimaryAssetId& id, T& said) {
        const assets::AssetInfo* info = assets_.registry().find(id);
        const auto bytes = info != nullptr ? files_.read(info->entry.path, assets::ContentTypes::kMaxTomlBytes)
                                           : Result<Bytes>(Status::not_found("no asset {}", id));
        if (!bytes) return;
        const auto document = assets::parse_toml(bytes->text(), info->entry.path);
        if (document.problems.is_empty()) read_record(document.root, type_of_record<T>(), &said, {});
        for (const experience::FeatureEntry& entry : said.features) found.insert(entry.id);
    };
    for (const std::string_view type : {experience::kExperienceType, experience::kActionSetType})
        for (const assets::PrimaryAssetId& id : assets_.registry().of_type(Name(type))) {
            if (assets_.registry().find(id)->entry.path != file) continue;
            experience::ActionSet set;
            experience::ExperienceDefinition definition;
            if (type == experience::kActionSetType)
                add(id, set);
            else
                add(id, definition);
            for (const assets::PrimaryAssetId& of : experience::sets_of(definition)) {
                experience::ActionSet one;
                add(of, one);
            }
        }
    return found;
}

// What somebody cannot know because a feature could not be registered is that feature's problem, which is told.
Problems Project::without_consequences(const Problems& problems) {
    if (not_registered_.empty() && broken_.empty()) return problems;
    Problems kept;
    std::map<std::string, bool> is_concerned;  // by file
    for (const Problem& problem : problems.all()) {
        const bool is_slip = problem.hint.rfind("did you mean", 0) == 0;  // one that is there is nearly called so
        if (is_of_unknown_name(problem) && !is_slip && !at_fault_.contains(problem.file)) {
            const std::string folder = problem.file.substr(0, problem.file.rfind('/'));
            const auto [at, is_new] = is_concerned.try_emplace(problem.file, broken_folders_.contains(folder));
            if (is_new && !at->second)
                for (const Name id : features_of(problem.file))
                    at->second |= not_registered_.contains(id) || broken_.contains(id.text());
            if (at->second) continue;
        }
        kept.add(problem);
    }
    kept.count_more(problems.dropped());
    return kept;
}

}  // namespace lyre::session
