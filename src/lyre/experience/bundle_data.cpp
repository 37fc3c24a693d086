#include "lyre/experience/bundle_data.h"

#include "lyre/experience/definition.h"
#include "lyre/features/action_reading.h"

namespace lyre::experience {
Result<assets::BundleTable> bundle_table(const assets::Assets& assets, assets::PrimaryAssetId id, Runtime& runtime) {
    const auto own = assets.bundle_table(id);
    if (!own) return own.status();
    assets::BundleTable table = **own;
    const auto* definition = assets.find<ExperienceDefinition>(id);
    const auto* set = assets.find<ActionSet>(id);
    if (definition == nullptr && set == nullptr)
        return Status::invalid("{} is neither an experience nor an action set", id);
    const PartKinds kinds(runtime.types());
    std::size_t number = 0;
    for (features::ActionPart part : definition != nullptr ? definition->actions : set->actions) {  // copies
        ++number;
        ReadOptions options;
        options.kinds = &kinds;
        Reading reading = read_part(part, std::move(options));
        link_content(reading, {runtime.types(), runtime.tags()});
        if (!reading.problems.is_empty() || part.get() == nullptr) continue;
        if (Status status = features::add_bundle_data(*part.get(), table); !status)
            return Status::failed("{}, action {} ({}): {}", id, number, part.kind(), status.text());
    }
    if (!table.refused().is_ok()) return table.refused();
    return table;
}

}  // namespace lyre::experience
