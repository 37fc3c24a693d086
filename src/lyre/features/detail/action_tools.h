// features/detail/action_tools.h: what the built-in actions share. Not for others.
#pragma once

#include "lyre/features/action_codes.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/features/named_code.h"
#include "lyre/framework/component_manager.h"

namespace lyre::features::detail {

Name bundle_of(Side side);  // Equipped, Client, Server
Result<framework::ComponentManager*> manager_of(ActivatingContext& context);
// The class, if things of it can be made: an actor's or a component's.
Result<const Type*> find_class(Runtime& runtime, Name class_name, bool is_actor);

void check_side(ActionCheck& check, Side side);
void check_selector(ActionCheck& check, const framework::Selector& to);
void check_class(ActionCheck& check, std::string_view key, Name class_name);
void check_code(ActionCheck& check, std::string_view key, CodeKind kind, Name name);
void check_not_empty(ActionCheck& check, std::string_view key, bool is_empty);

}  // namespace lyre::features::detail
