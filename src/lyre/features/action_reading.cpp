#include "lyre/features/action_reading.h"

#include <algorithm>
#include <optional>

#include "lyre/core/content_codes.h"
#include "lyre/core/suggest.h"
#include "lyre/features/action_codes.h"

namespace lyre::features {
namespace {

const Node& node_of(const ActionSource& source, std::size_t index) {
    static const Node kNone = Node::table();
    const Node* list = source.tree->find("action");
    return list != nullptr && index < list->entries().size() ? list->entries()[index] : kNone;
}

ReadOptions options_for(const ActionSource& source, std::size_t index, const PartKinds& kinds) {
    ReadOptions options;
    options.file = source.file;
    options.subject = source.subject;
    options.path = fmt::format("action {}", index + 1);
    options.text = source.text;
    options.kinds = &kinds;
    return options;
}

std::string_view name_in(const Node& action) {
    const Node* name = action.kind() == NodeKind::Table ? action.find("name") : nullptr;
    return name != nullptr && name->kind() == NodeKind::Text ? std::string_view(name->as_text()) : std::string_view();
}

std::vector<Node> texts_in(const Node& action, std::string_view key) {
    const Node* list = action.kind() == NodeKind::Table ? action.find(key) : nullptr;
    std::vector<Node> texts;
    if (list == nullptr || list->kind() != NodeKind::List) return texts;
    for (const Node& entry : list->entries())
        if (entry.kind() == NodeKind::Text) texts.push_back(entry);
    return texts;
}

// Also of one that cannot be read.
bool is_optional(const Node& action) {
    const Node* need = action.kind() == NodeKind::Table ? action.find("need") : nullptr;
    return need != nullptr && need->kind() == NodeKind::Text && need->as_text() == "optional";
}

// What it throws; none: nothing.
template <class Call> std::optional<std::string> thrown_by(Call call) {
    try {
        call();
        return std::nullopt;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "something that is no std::exception";
    }
}

}  // namespace

Problems check_action_names(const ActionSource& source) {
    Problems problems;
    const Node* list = source.tree->find("action");
    if (list == nullptr || list->kind() != NodeKind::List) return problems;
    std::vector<std::string_view> names;
    for (const Node& action : list->entries())
        if (const std::string_view name = name_in(action); !name.empty()) names.push_back(name);
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i < list->entries().size(); ++i)
        for (const std::string_view key : {"before", "after"})
            for (const Node& entry : texts_in(list->entries()[i], key)) {
                if (std::binary_search(names.begin(), names.end(), entry.as_text())) continue;
                Problem problem{&action_code::kNobodyNamed, {}, source.file, entry.place, {}, {}, {source.subject}};
                problem.text = fmt::format("no action is called {}, for \"{}\" of action {} in {}",
                                           in_quotes(entry.as_text()), key, i + 1, source.subject);
                problem.hint = names.empty() ? "give the action that is meant a name, in this file"
                                             : name_hint(entry.as_text(), names);
                quote_source(problem, source.text);
                problems.add(std::move(problem));
            }
    return problems;
}

Problems ActionReading::all_problems() const {
    Problems all = problems;
    for (const LeftOut& one : left_out) all.add_all(one.problems);
    return all;
}

void validate(const GameFeatureAction& action, ActionCheck& check) {
    if (const auto what = thrown_by([&] { action.validate(check); }))
        check.problem(action_code::kValidateThrew, "", fmt::format("validate() threw: {}", *what));
}

Status add_bundle_data(const GameFeatureAction& action, assets::BundleTable& table) {
    const auto what = thrown_by([&] { action.add_bundle_data(table); });
    return what ? Status::failed("add_bundle_data threw: {}", *what) : table.refused();
}

ActionReading read_actions(const ActionSource& source, std::vector<ActionPart>& actions, Runtime& runtime,
                           NamedCode& code, const AssetNames& assets, const PartKinds* known) {
    ActionReading reading;
    std::optional<PartKinds> built;
    if (known == nullptr) built.emplace(runtime.types());
    const PartKinds& kinds = known != nullptr ? *known : *built;
    std::vector<const GameFeatureAction*> made(actions.size(), nullptr);
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (actions[i].is_none()) {
            reading.skipped.push_back(fmt::format("action {} is empty", i + 1));
            continue;
        }
        const ReadOptions options = options_for(source, i, kinds);
        const bool is_kind_known = kinds.find(type_name<GameFeatureAction>(), actions[i].kind()) != nullptr;
        Problems own;
        std::vector<ActionReading::NamedTag> tags;
        if (actions[i].type() == nullptr) {
            Reading part = read_part(actions[i], options);
            for (const ContentLookup& lookup : part.lookups) {
                using What = ContentLookup::What;
                if (lookup.what != What::Tag && lookup.what != What::TagOfSet) continue;
                if (const auto tag = runtime.tags().find(lookup.text)) tags.push_back({*tag, i});
            }
            link_content(part, {runtime.types(), runtime.tags(), &assets});
            own.add_all(part.problems);
        }
        if (own.is_empty() && actions[i].get() != nullptr) {
            made[i] = actions[i].get();
            ActionCheck check(runtime, code, node_of(source, i), options, own);
            validate(*made[i], check);
        }
        if (!own.is_empty() && is_optional(node_of(source, i))) {
            made[i] = nullptr;
            reading.left_out.push_back({i, std::move(own)});
            continue;
        }
        reading.has_unknown_kind |= !is_kind_known;
        reading.problems.add_all(own);
        reading.tags.insert(reading.tags.end(), tags.begin(), tags.end());
    }
    auto order = order_actions(made);  // a circle of those that can be read is one, whatever else is wrong
    if (!order) {
        const ReadOptions options = options_for(source, 0, kinds);
        ActionCheck check(runtime, code, node_of(source, 0), options, reading.problems);
        check.problem(action_code::kOrderCircle, "", order.status().text());
    }
    if (reading.problems.is_empty()) reading.order = *std::move(order);
    return reading;
}

}  // namespace lyre::features
