#include "lyre/core/console.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace detail {

struct Command {
    CommandInfo info;
    CommandFunction function;
    std::uint64_t serial = 0;
    std::size_t least = 0, most = 0;  // arguments
};

// What a console and its holds share, so that either may go first. A command that runs is kept by who runs it.
struct CommandTable {
    std::map<Name, std::shared_ptr<const Command>> commands;
    std::uint64_t last_serial = 0;

    void remove(Name name, std::uint64_t serial) {
        auto found = commands.find(name);
        if (found == commands.end() || found->second->serial != serial) return;
        const auto removed = std::move(found->second);  // what it holds goes last: that may come back here
        commands.erase(found);
    }
};

}  // namespace detail

namespace {

constexpr std::size_t kAnyNumber = ~std::size_t{0};

std::size_t count_of(std::string_view text, char c) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
}

std::string usage(const CommandInfo& command) {
    return command.arguments.empty() ? std::string(command.name.text())
                                     : fmt::format("{} {}", command.name, command.arguments);
}

// One quoted word; `rest` begins behind the opening quote and is left behind the closing one.
bool take_quoted(std::string_view& rest, std::string& word) {
    while (!rest.empty()) {
        char c = rest[0];
        rest.remove_prefix(1);
        if (c == '"') return true;
        if (c == '\\' && !rest.empty() && (rest[0] == '"' || rest[0] == '\\')) {
            c = rest[0];
            rest.remove_prefix(1);
        }
        word += c;
    }
    return false;
}

Result<std::vector<std::string>> split(std::string_view rest) {
    constexpr std::string_view kBlanks = " \t\r\n";
    std::vector<std::string> words;
    for (;;) {
        rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
        if (rest.empty()) return words;
        std::string& word = words.emplace_back();
        while (!rest.empty() && kBlanks.find(rest[0]) == std::string_view::npos) {
            const char c = rest[0];
            rest.remove_prefix(1);
            if (c != '"')
                word += c;
            else if (!take_quoted(rest, word))
                return Status::invalid("a quote is not closed");
        }
    }
}

CommandResult run(const detail::Command& command, CommandArguments arguments) {
    if (arguments.size() < command.least || arguments.size() > command.most)
        return {Status::invalid("usage: {}", usage(command.info)), {}};
    const OwnerScope as(command.info.owner);
    try {
        return command.function(arguments);
    } catch (const std::exception& e) {
        return {Status::failed("command \"{}\": {}", command.info.name, e.what()), {}};
    } catch (...) {
        return {Status::failed("command \"{}\" threw", command.info.name), {}};
    }
}

// Text in quotes, so that an empty one is seen.
std::string shown(const VariableValue& value) {
    auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? fmt::format("\"{}\"", *text) : format_value(value);
}

std::string shown(const VariableInfo& info) {
    return fmt::format("{} = {} ({})", info.name, shown(info.value), info.origin.place);
}

std::string explained(const VariableInfo& info) {
    std::string text =
        fmt::format("{}\n  {}\n  takes {}; default {}", shown(info), info.help, info.takes, shown(info.default_value));
    if (info.flags.cheat) text += "; cheat";
    if (info.flags.replicated) text += "; replicated";
    if (info.flags.read_only) text += "; read-only";
    return text;
}

}  // namespace

CommandHold::CommandHold(std::weak_ptr<detail::CommandTable> table, Name name, std::uint64_t serial)
    : table_(std::move(table)), name_(name), serial_(serial) {}

CommandHold::CommandHold(CommandHold&& other) noexcept
    : table_(std::move(other.table_)), name_(other.name_), serial_(other.serial_) {}

CommandHold& CommandHold::operator=(CommandHold&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(name_, other.name_);
    std::swap(serial_, other.serial_);
    other.release();
    return *this;
}

void CommandHold::release() {
    auto table = std::exchange(table_, {}).lock();
    if (table != nullptr) table->remove(name_, serial_);
}

Console::Console(Variables& variables) : variables_(variables), commands_(std::make_shared<detail::CommandTable>()) {
    const OwnerScope as(Owner::process());
    help_ = *add_command({"help", "[name]", "what there is, or what one thing does"},
                         [this](CommandArguments a) { return help(a); });
    reset_ = *add_command({"reset", "<variable>", "takes back what the console set"},
                          [this](CommandArguments a) { return reset(a); });
}

Result<CommandHold> Console::add_command(const CommandDef& def, CommandFunction function) {
    LYRE_ASSERT(function != nullptr, "a command needs a function to run");
    if (def.name.empty() || def.name.size() > Nearest::kMaxLength ||
        def.name.find_first_of(" \t\r\n\"") != std::string_view::npos)
        return Status::invalid("command {}: a name is one word without quotes", in_quotes(def.name));
    const Name name(def.name);
    if (auto found = commands_->commands.find(name); found != commands_->commands.end())
        return Status::exists("command \"{}\" is there already, from {}", name, found->second->info.owner.to_string());
    if (commands_->commands.size() == kMaxCommands)
        return Status::capacity("command \"{}\": there are {} already", name, kMaxCommands);
    auto command = std::make_shared<detail::Command>();
    command->info = {name, std::string(def.arguments), std::string(def.help), Owner::current(), next_registration()};
    command->function = std::move(function);
    command->serial = ++commands_->last_serial;
    command->least = count_of(def.arguments, '<');
    const bool open_end = def.arguments.size() >= 3 && def.arguments.substr(def.arguments.size() - 3) == "...";
    command->most = open_end ? kAnyNumber : command->least + count_of(def.arguments, '[');
    CommandHold hold(commands_, name, command->serial);
    commands_->commands.emplace(name, std::move(command));
    return hold;
}

Status Console::remove(std::string_view name) {
    if (name == "help" || name == "reset") return Status::refused("command \"{}\" is always there", name);
    const auto table = commands_;  // what a command holds may destroy this
    const auto found = table->commands.find(Name::find(name));
    if (found == table->commands.end()) {
        Nearest search(name);
        for (const auto& [known, command] : table->commands) search.consider(known.text());
        return Status::not_found("no command {}{}", in_quotes(name), did_you_mean(search.best()));
    }
    table->remove(found->first, found->second->serial);
    return {};
}

std::size_t Console::remove_all(const Owner& owner) {
    const auto table = commands_;  // what a command holds may destroy this
    std::vector<std::shared_ptr<const detail::Command>> removed;
    for (const auto& [name, command] : table->commands)
        if (command->info.owner == owner) removed.push_back(command);
    for (const auto& command : removed) table->remove(command->info.name, command->serial);
    return removed.size();
}

CommandResult Console::execute(std::string_view line) {
    if (line.size() > kMaxLine)
        return {Status::capacity("a line has at most {} bytes, not {}", kMaxLine, line.size()), {}};
    auto words = split(line);
    if (!words) return {words.status(), {}};
    if (words->empty()) return {};
    auto found = commands_->commands.find(Name::find(words->front()));
    if (found == commands_->commands.end()) return variable(*words);
    const auto command = found->second;
    return run(*command, CommandArguments(*words).subspan(1));
}

CommandResult Console::variable(CommandArguments words) {
    auto info = variables_.describe(words[0]);
    if (!info) return {unknown(words[0]), {}};
    if (words.size() == 1) return {{}, shown(*info)};
    const std::size_t value = words.size() > 2 && words[1] == "=" ? 2 : 1;
    if (words.size() > value + 1) return {Status::invalid("\"{}\" takes one value: put text in quotes", words[0]), {}};
    Variables& variables = variables_;  // who hears of it may end the console, or take the variable away
    if (Status set = variables.set(words[0], words[value], {VariableSource::Console, "console"}); !set)
        return {set, {}};
    info = variables.describe(words[0]);
    return {{}, info ? shown(*info) : std::string()};
}

CommandResult Console::help(CommandArguments arguments) const {
    if (arguments.empty()) {
        CommandResult all;
        for (const CommandInfo& command : commands()) all.text += fmt::format("{}: {}\n", usage(command), command.help);
        for (const VariableInfo& info : variables_.list()) all.text += fmt::format("{}: {}\n", shown(info), info.help);
        all.text.pop_back();
        return all;
    }
    auto found = commands_->commands.find(Name::find(arguments[0]));
    if (found != commands_->commands.end())
        return {{}, fmt::format("{}\n  {}", usage(found->second->info), found->second->info.help)};
    auto info = variables_.describe(arguments[0]);
    if (!info) return {unknown(arguments[0]), {}};
    return {{}, explained(*info)};
}

CommandResult Console::reset(CommandArguments arguments) {
    return {variables_.reset(arguments[0], VariableSource::Console), {}};
}

std::vector<CommandInfo> Console::commands() const {
    std::vector<CommandInfo> all;
    for (const auto& [name, command] : commands_->commands) all.push_back(command->info);
    return all;
}

std::vector<CommandInfo> Console::commands(const Owner& owner) const {
    std::vector<CommandInfo> theirs;
    for (const auto& [name, command] : commands_->commands)
        if (command->info.owner == owner) theirs.push_back(command->info);
    return theirs;
}

Status Console::unknown(std::string_view name) const {
    const auto variables = variables_.list();
    Nearest search(name);
    for (const auto& [known, command] : commands_->commands) search.consider(known.text());
    for (const VariableInfo& info : variables) search.consider(info.name.text());
    return Status::not_found("no command or variable {}{}", in_quotes(name), did_you_mean(search.best()));
}

}  // namespace lyre::inline core
