// tests/experience/written.h: an experience or action set as its file says it.
//
//     Written<ExperienceDefinition> tag("features = [\"core\"]");
//     tag.def.features                                              // tag.said(): what is wrong with it
#pragma once

#include <gtest/gtest.h>

#include "lyre/assets/toml.h"
#include "lyre/experience/definition.h"

namespace lyre::experience {

template <class Def> struct Written {
    explicit Written(std::string toml, std::string_view name = "tag") : text(std::move(toml)) {
        const bool is_set = std::is_same_v<Def, ActionSet>;
        id = {Name(is_set ? kActionSetType : kExperienceType), Name(name)};
        const std::string file = fmt::format("{}.{}.toml", name, id.type);
        auto document = assets::parse_toml(text, file);
        problems.add_all(document.problems);
        tree = std::move(document.root);
        ReadOptions options;
        options.file = file;
        options.subject = id.to_string();
        options.text = text;
        const Reading reading = read_record(tree, type_of_record<Def>(), &def, std::move(options));
        problems.add_all(reading.problems);
        Hasher hasher;
        tree.hash(hasher);
        hash = hasher.finish();
    }
    // "LY-4001 tag.experience.toml:1:10: text (hint)", a line each.
    std::string said() const {
        std::string all;
        for (const Problem& problem : problems.all())
            all += fmt::format("{} {}: {}{}\n", problem.code->to_string(), problem.where(), problem.text,
                               problem.hint.empty() ? "" : " (" + problem.hint + ")");
        return all;
    }

    assets::PrimaryAssetId id;
    std::string text;
    Node tree;
    Def def;
    std::uint64_t hash = 0;
    Problems problems;
};
using WrittenExperience = Written<ExperienceDefinition>;
using WrittenSet = Written<ActionSet>;

}  // namespace lyre::experience
