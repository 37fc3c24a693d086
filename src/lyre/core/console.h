// core/console.h: a line of text does something: sets a variable or runs a command.
//
//     CommandHold kick = *console.add_command({.name = "kick", .arguments = "<player> [reason]", .help = "..."},
//                                             [&](CommandArguments a) -> CommandResult { ... });
//     CommandResult r = console.execute("kick 3 \"for shouting\"");
//
//     lyre.net.Rate              shows the variable's value and origin
//     lyre.net.Rate 30           sets it, from the console
//     help [name]  reset name    are always there
//
// Words are separated by blanks; "..." makes one word of several, with \" and \\ inside. A command has the name before
// a variable of the same name. A command runs under the owner that added it, and may add and remove commands (itself
// too) or destroy the console. An exception it throws becomes a failed Status. Frame's thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/name.h"
#include "lyre/core/owner.h"
#include "lyre/core/status.h"
#include "lyre/core/variables.h"

namespace lyre::inline core {

struct CommandDef {
    std::string_view name{};
    // For help, and counted: "<must be given> [may be given]"; "..." at the end takes any number more.
    std::string_view arguments{};
    std::string_view help{};
};

struct CommandResult {
    Status status{};
    std::string text{};  // for people; lines without an end
};

using CommandArguments = std::span<const std::string>;
using CommandFunction = std::function<CommandResult(CommandArguments)>;

struct CommandInfo {
    Name name;
    std::string arguments;
    std::string help;
    Owner owner;
    std::uint64_t registered = 0;
};

namespace detail {
struct CommandTable;
}

// Holds one command in its console; destroying it removes the command.
class [[nodiscard]] CommandHold {
public:
    CommandHold() = default;
    CommandHold(CommandHold&& other) noexcept;
    CommandHold& operator=(CommandHold&& other) noexcept;
    ~CommandHold() { release(); }
    void release();

private:
    friend class Console;
    CommandHold(std::weak_ptr<detail::CommandTable> table, Name name, std::uint64_t serial);

    std::weak_ptr<detail::CommandTable> table_;
    Name name_;
    std::uint64_t serial_ = 0;
};

class Console {
public:
    static constexpr std::size_t kMaxCommands = 4096;
    static constexpr std::size_t kMaxLine = 8192;  // bytes; a variable's longest text fits

    explicit Console(Variables& variables);
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    Result<CommandHold> add_command(const CommandDef& def, CommandFunction function);
    Status remove(std::string_view name);        // one command, whoever holds it; not help and reset
    std::size_t remove_all(const Owner& owner);  // commands; how many

    CommandResult execute(std::string_view line);

    std::vector<CommandInfo> commands() const;  // in name order
    std::vector<CommandInfo> commands(const Owner& owner) const;

private:
    CommandResult help(CommandArguments arguments) const;
    CommandResult reset(CommandArguments arguments);
    CommandResult variable(CommandArguments words);
    Status unknown(std::string_view name) const;

    Variables& variables_;
    std::shared_ptr<detail::CommandTable> commands_;
    CommandHold help_, reset_;
};

}  // namespace lyre::inline core
