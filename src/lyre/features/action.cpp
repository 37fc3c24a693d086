#include "lyre/features/action.h"

namespace lyre::features {
namespace {

template <class F> Problems as_hook(Runtime& runtime, const ReadOptions& options, const Node& written, F work) {
    return link_as_hook({runtime.types(), runtime.tags()}, options, written, std::move(work));
}

}  // namespace

void ActionCheck::problem(const ProblemCode& code, std::string_view key, std::string text, std::string hint) {
    problems_.add_all(as_hook(runtime_, options_, written_,
                              [&](ContentLink& link) { link.problem(code, key, std::move(text), std::move(hint)); }));
}

void ActionCheck::problem_at(const ProblemCode& code, const SourcePlace& place, std::string text, std::string hint) {
    Node there;
    there.place = place;
    problems_.add_all(as_hook(runtime_, options_, there,
                              [&](ContentLink& link) { link.problem(code, {}, std::move(text), std::move(hint)); }));
}

std::string ActionCheck::where(std::string_view key) const {
    std::string text;
    as_hook(runtime_, options_, written_, [&](ContentLink& link) { text = link.where(key); });
    return text;
}

void GameFeatureAction::describe(TypeBuilder<GameFeatureAction>& t) {
    t.abstract();
    t.help("something that a feature or an experience does while it is in force");
    t.property("name", &GameFeatureAction::name).help("for before and after of others");
    t.property("need", &GameFeatureAction::need).help("what it means if it fails");
    t.property("before", &GameFeatureAction::before).help("names of actions that come after it");
    t.property("after", &GameFeatureAction::after).help("names of actions that come before it");
}

}  // namespace lyre::features
