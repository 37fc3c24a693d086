#include "lyre/core/variables.h"

#include <algorithm>
#include <exception>

#include "lyre/core/log.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

constexpr std::string_view kEnvironmentPrefix = "LYRE_";

bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_variable_name(std::string_view name) {
    char before = '.';
    for (char c : name) {
        if (c == '.' ? before == '.' : !is_word_character(c)) return false;
        before = c;
    }
    return before != '.' && name.size() <= Nearest::kMaxLength;  // also an empty name ends in a dot
}

bool is_from_outside(VariableSource source) {
    return source != VariableSource::Code && source != VariableSource::World;
}

// The name under which a value of this source waits. An environment variable keeps its own: LYRE_A_B may be a.b or a_b.
std::string waiting_name(const detail::VariableState& state, VariableSource source) {
    const std::string_view name = state.name.text();
    return source == VariableSource::Environment ? Variables::environment_name(name) : std::string(name);
}

void sort_by_name(std::vector<VariableInfo>& variables) {
    std::sort(variables.begin(), variables.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

}  // namespace

std::string_view to_string(VariableSource source) {
    switch (source) {
        case VariableSource::Code:
            return "code";
        case VariableSource::ConfigFile:
            return "config file";
        case VariableSource::World:
            return "world";
        case VariableSource::Environment:
            return "environment";
        case VariableSource::CommandLine:
            return "command line";
        case VariableSource::Console:
            return "console";
    }
    return "unknown";
}

Status detail::ChangeNesting::check(Name variable) const {
    if (depth < kMaxDepth && changes < kMaxChanges) return {};
    return Status::refused("variable \"{}\": callbacks of changes answer each other without end", variable);
}

detail::ChangeScope::ChangeScope(const std::shared_ptr<ChangeNesting>& nesting) : nesting_(nesting) {
    if (nesting->depth++ > 0) ++nesting->changes;
}

detail::ChangeScope::~ChangeScope() {
    if (const auto nesting = nesting_.lock(); nesting != nullptr && --nesting->depth == 0) nesting->changes = 0;
}

void detail::tell(const Delegate<const VariableChange&>& listeners, const VariableChange& change,
                  std::weak_ptr<const ChangeNesting> variables) {
    static const Name kThrew("variables.callback");
    const std::string threw = listeners.broadcast_and_catch(change);
    const auto alive = variables.lock();
    if (alive != nullptr) report_thrown(alive->log, kThrew, change.name.text(), threw);
}

detail::VariableState::VariableState(Name n, const VariableDef<VariableValue>& def)
    : name(n),
      help(def.help),
      domain(def.default_value, def.min, def.max),
      flags(def.flags),
      owner(Owner::current()),
      registered(next_registration()),
      value(def.default_value) {
    layers[0] = Layer{def.default_value, origin.place};
}

VariableInfo detail::VariableState::info() const {
    return {name, value, origin, default_value(), help, domain.to_string(), flags, owner, registered};
}

std::string Variables::environment_name(std::string_view name) {
    constexpr std::string_view kOurs = "lyre.";
    if (name.substr(0, kOurs.size()) == kOurs) name.remove_prefix(kOurs.size());
    std::string result(kEnvironmentPrefix);
    for (char c : name) result += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return result;
}

Status Variables::add_value(const VariableDef<VariableValue>& def) {
    return add_state(def).status();
}

Result<std::shared_ptr<Variables::State>> Variables::add_state(const VariableDef<VariableValue>& def) {
    if (!is_variable_name(def.name))
        return Status::invalid("variable {}: a name is words of letters, digits and _, with dots between",
                               in_quotes(def.name));
    const VariableDomain domain(def.default_value, def.min, def.max);
    if (!domain.is_sound())
        return Status::invalid("variable \"{}\": min and max are for numbers of its type, min first", def.name);
    if (!domain.contains(def.default_value))
        return Status::invalid("variable \"{}\" takes {}, and its default is \"{}\"", def.name, domain.to_string(),
                               format_value(def.default_value));
    const std::string environment = environment_name(def.name);
    if (auto found = by_environment_.find(environment); found != by_environment_.end())
        return Status::exists("variable \"{}\": \"{}\" of {} is {} in the environment already", def.name,
                              found->second->name, found->second->owner.to_string(), environment);
    if (states_.size() == kMaxVariables)
        return Status::capacity("variable \"{}\": there are {} already", def.name, kMaxVariables);
    const Name name(def.name);
    auto state = std::make_shared<State>(name, def);
    take_waiting(*state);
    states_.emplace(name, state);
    by_environment_.emplace(environment, state);
    generation_ = state->registered;
    added_.broadcast(state);
    return state;
}

// Nobody listens yet, so nobody is told.
void Variables::take_waiting(State& state) {
    std::vector<Waiting> others;
    for (Waiting& waiting : waiting_) {
        auto& [name, text, origin, why] = waiting.value;
        if (name != waiting_name(state, origin.source)) {
            others.push_back(std::move(waiting));
            continue;
        }
        auto value = state.domain.parse(text);
        if (!value) {
            why = Status::invalid("{}: variable \"{}\" {}", origin.place, state.name, value.status().text());
            waiting.was_in_use = false;
            others.push_back(std::move(waiting));
            continue;
        }
        state.layers[static_cast<std::size_t>(origin.source)] = State::Layer{*value, origin.place};
        if (origin.source > state.origin.source) {
            state.value = *std::move(value);
            state.origin = origin;
        }
    }
    waiting_ = std::move(others);
}

Result<std::shared_ptr<Variables::State>> Variables::find_state(std::string_view name) const {
    auto found = states_.find(Name::find(name));
    if (found == states_.end()) return unknown(name);
    return found->second;
}

Status Variables::remove(std::string_view name) {
    auto state = find_state(name);
    if (!state) return state.status();
    unlist(**state);
    (*state)->changed.clear();
    return {};
}

std::size_t Variables::remove_all(const Owner& owner) {
    std::vector<std::shared_ptr<State>> theirs;
    for (const auto& [name, state] : states_)
        if (state->owner == owner) theirs.push_back(state);
    for (const auto& state : theirs) unlist(*state);
    for (const auto& state : theirs) state->changed.clear();  // last: what a callback holds may come back here
    return theirs.size();
}

void Variables::unlist(State& state) {
    for (auto source : {VariableSource::ConfigFile, VariableSource::Environment, VariableSource::CommandLine}) {
        const auto& layer = state.layers[static_cast<std::size_t>(source)];
        if (!layer) continue;
        keep(waiting_name(state, source), format_value(layer->value), {source, layer->place}, true)
            .ignore();  // beyond the bound it is lost
    }
    by_environment_.erase(environment_name(state.name.text()));
    states_.erase(state.name);
    generation_ = next_registration();
}

Status Variables::set(std::string_view name, std::string_view text, const VariableOrigin& origin) {
    auto state = find_state(name);
    return state ? set_state(*state, text, origin) : state.status();
}

Status Variables::set_state(std::shared_ptr<State> state, std::string_view text, const VariableOrigin& origin) {
    LYRE_ASSERT(is_from_outside(origin.source),
                "code gives the default; a world's value is pushed on its VariableLayer");
    if (origin.source == VariableSource::Console) {
        if (state->flags.read_only)
            return Status::refused("variable \"{}\" is read-only while the game runs", state->name);
        if (state->flags.cheat && !cheats_allowed_)
            return Status::refused("variable \"{}\" is a cheat, and cheats are not allowed here", state->name);
    }
    if (Status status = nesting_->check(state->name); !status) return status;
    auto value = state->domain.parse(text);
    if (!value) return Status::invalid("{}: variable \"{}\" {}", origin.place, state->name, value.status().text());
    state->layers[static_cast<std::size_t>(origin.source)] = State::Layer{*std::move(value), origin.place};
    forget_waiting(waiting_name(*state, origin.source), origin.source);  // one that was refused is mended
    update(*state);
    return {};
}

Status Variables::reset(std::string_view name, VariableSource source) {
    LYRE_ASSERT(is_from_outside(source), "the default stays; a world's value goes with its VariableHold");
    auto state = find_state(name);
    if (!state) return state.status();
    if (Status status = nesting_->check((*state)->name); !status) return status;
    (*state)->layers[static_cast<std::size_t>(source)].reset();
    update(**state);
    return {};
}

// Finds the value that counts and tells who wants to know. The last thing a caller does: a callback may destroy this.
void Variables::update(State& state) {
    std::size_t highest = kVariableSources - 1;
    while (!state.layers[highest]) --highest;  // the default is always there
    const State::Layer& layer = *state.layers[highest];
    VariableChange change{state.name,
                          std::move(state.value),
                          layer.value,
                          std::move(state.origin),
                          {static_cast<VariableSource>(highest), layer.place}};
    state.value = change.after;
    state.origin = change.origin;
    if (change.before == change.after) return;
    const detail::ChangeScope scope(nesting_);
    const std::weak_ptr<const detail::ChangeNesting> alive = nesting_;
    detail::tell(state.changed, change, alive);
    // A callback that set it again has told the newer change already.
    if (scope.is_alive() && state.value == change.after) detail::tell(changed_, change, alive);
}

Status Variables::configure(std::string_view name, std::string_view text, const VariableOrigin& origin) {
    LYRE_ASSERT(origin.source != VariableSource::Console,
                "what a person types is set(): unknown names are told at once");
    auto found = states_.find(Name::find(name));
    return found != states_.end() ? set_state(found->second, text, origin) : keep(name, text, origin, false);
}

Status Variables::keep(std::string_view name, std::string_view text, const VariableOrigin& origin, bool was_in_use) {
    if (name.size() > Nearest::kMaxLength || text.size() > VariableDomain::kMaxText)
        return Status::invalid("{}: variable {}: the name or the value is too long", origin.place, in_quotes(name));
    forget_waiting(name, origin.source);
    if (waiting_.size() == kMaxWaiting)
        return Status::capacity("{}: variable {}: {} values wait for their variables already", origin.place,
                                in_quotes(name), kMaxWaiting);
    waiting_.push_back({{std::string(name), std::string(text), origin, {}}, was_in_use});
    return {};
}

void Variables::forget_waiting(std::string_view name, VariableSource source) {
    std::erase_if(waiting_, [&](const Waiting& waiting) {
        return waiting.value.name == name && waiting.value.origin.source == source;
    });
}

std::vector<VariableProblem> Variables::apply_environment(
    std::span<const std::pair<std::string, std::string>> environment) {
    std::vector<VariableProblem> refused;
    const std::weak_ptr<detail::ChangeNesting> alive = nesting_;
    for (const auto& [name, text] : environment) {
        if (name.compare(0, kEnvironmentPrefix.size(), kEnvironmentPrefix) != 0) continue;
        const VariableOrigin origin{VariableSource::Environment, name};
        auto found = by_environment_.find(name);
        Status status =
            found != by_environment_.end() ? set_state(found->second, text, origin) : keep(name, text, origin, false);
        if (!status) refused.push_back({name, text, origin, std::move(status)});
        if (alive.expired()) break;
    }
    return refused;
}

Result<VariableInfo> Variables::describe(std::string_view name) const {
    auto state = find_state(name);
    if (!state) return state.status();
    return (*state)->info();
}

Status Variables::takes(std::string_view name, std::string_view text) const {
    auto state = find_state(name);
    if (!state) return state.status();
    const Status status = (*state)->domain.parse(text).status();
    return status ? status : Status::invalid("variable \"{}\" {}", name, status.text());
}

std::vector<VariableInfo> Variables::list() const {
    std::vector<VariableInfo> all;
    for (const auto& [name, state] : states_) all.push_back(state->info());
    sort_by_name(all);
    return all;
}

std::vector<VariableInfo> Variables::list(const Owner& owner) const {
    std::vector<VariableInfo> theirs;
    for (const auto& [name, state] : states_)
        if (state->owner == owner) theirs.push_back(state->info());
    sort_by_name(theirs);
    return theirs;
}

std::vector<VariableProblem> Variables::problems() const {
    std::vector<VariableProblem> problems;
    for (const Waiting& waiting : waiting_) {
        if (waiting.was_in_use) continue;
        VariableProblem& problem = problems.emplace_back(waiting.value);
        if (!problem.why.is_ok()) continue;  // its variable came and refused it
        if (problem.origin.source == VariableSource::Environment) {
            Nearest search(problem.name);
            for (const auto& [environment, state] : by_environment_) search.consider(environment);
            problem.why = Status::not_found("no variable is {} in the environment{}", in_quotes(problem.name),
                                            did_you_mean(search.best()));
        } else {
            problem.why = Status::not_found("{}: {}", problem.origin.place, unknown(problem.name).text());
        }
    }
    return problems;
}

Status Variables::unknown(std::string_view name) const {
    Nearest search(name);
    for (const auto& [known, state] : states_) search.consider(known.text());
    return Status::not_found("no variable {}{}", in_quotes(name), did_you_mean(search.best()));
}

Status Variables::wrong_type(const State& state) {
    return Status::invalid("variable \"{}\" takes {}: ask for it by that type", state.name, state.domain.to_string());
}

}  // namespace lyre::inline core
