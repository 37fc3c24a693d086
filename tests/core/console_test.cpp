#include "lyre/core/console.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace lyre {
namespace console_test {

const Owner kTag = Owner::feature(Name("tag"), 1);

struct ConsoleTest : testing::Test {
    Variables variables;
    std::unique_ptr<Console> console = std::make_unique<Console>(variables);

    std::string run(std::string_view line) {
        CommandResult result = console->execute(line);
        return result.status ? result.text : result.status.to_string();
    }
    CommandHold add_echo(const char* arguments) {
        return *console->add_command({.name = "echo", .arguments = arguments, .help = "says it again"},
                                     [](CommandArguments words) -> CommandResult {
                                         std::string text;
                                         for (const std::string& word : words) text += fmt::format("[{}]", word);
                                         return {.text = text};
                                     });
    }
};

TEST_F(ConsoleTest, a_line_runs_a_command_with_its_words) {
    // W-11
    const CommandHold echo = add_echo("...");
    EXPECT_EQ(run("echo"), "");
    EXPECT_EQ(run("  echo a\tb  c "), "[a][b][c]");
    EXPECT_EQ(run(R"(echo "a b" "" x"y z" "q\"\\\n")"), R"([a b][][xy z][q"\\n])");
    EXPECT_EQ(run("echo \"open"), "invalid: a quote is not closed");
    EXPECT_EQ(run(""), "");
    EXPECT_EQ(run(" \n"), "");
    EXPECT_EQ(console->execute(std::string(Console::kMaxLine + 1, 'x')).status.code(), StatusCode::Capacity);
}

TEST_F(ConsoleTest, the_number_of_arguments_is_checked_against_their_description) {
    // W-11
    CommandHold echo = add_echo("<a> [b]");
    EXPECT_EQ(run("echo"), "invalid: usage: echo <a> [b]");
    EXPECT_EQ(run("echo 1"), "[1]");
    EXPECT_EQ(run("echo 1 2"), "[1][2]");
    EXPECT_EQ(run("echo 1 2 3"), "invalid: usage: echo <a> [b]");
    echo.release();
    echo = add_echo("<a> ...");
    EXPECT_EQ(run("echo"), "invalid: usage: echo <a> ...");
    EXPECT_EQ(run("echo 1 2 3"), "[1][2][3]");
    echo.release();
    echo = add_echo("");
    EXPECT_EQ(run("echo 1"), "invalid: usage: echo");
}

TEST_F(ConsoleTest, a_variables_name_shows_it_and_with_a_value_sets_it) {
    // W-11, K-12
    auto rate = *variables.add<std::int64_t>({.name = "net.Rate", .default_value = 60, .min = 1});
    auto title = *variables.add<std::string>({.name = "title"});
    ASSERT_TRUE(variables.set("net.Rate", "20", {VariableSource::ConfigFile, "lyre.toml:12:3"}));
    EXPECT_EQ(run("net.Rate"), "net.Rate = 20 (lyre.toml:12:3)");
    EXPECT_EQ(run("net.Rate 30"), "net.Rate = 30 (console)");
    EXPECT_EQ(run("net.Rate"), "net.Rate = 30 (console)");
    EXPECT_EQ(run("net.Rate 0"),
              "invalid: console: variable \"net.Rate\" takes a whole number of at least 1, not \"0\"");
    EXPECT_EQ(run("net.Rate 1 2"), "invalid: \"net.Rate\" takes one value: put text in quotes");
    EXPECT_EQ(run("net.Rate = 40"), "net.Rate = 40 (console)") << "as it is shown";
    EXPECT_EQ(run("net.Rate = 1 2"), "invalid: \"net.Rate\" takes one value: put text in quotes");
    EXPECT_EQ(run("reset net.Rate"), "");
    EXPECT_EQ(rate.get(), 20);
    EXPECT_EQ(run("title"), "title = \"\" (code)");
    EXPECT_EQ(run("title \"two words\""), "title = \"two words\" (console)");
    EXPECT_EQ(title.get(), "two words");
}

TEST_F(ConsoleTest, an_unknown_name_gets_the_nearest_command_or_variable) {
    // W-11, K-03
    ASSERT_TRUE(variables.add<bool>({.name = "net.Rate"}));
    EXPECT_EQ(run("net.Rat 5"), "not found: no command or variable \"net.Rat\"; did you mean \"net.Rate\"?");
    EXPECT_EQ(run("hlep"), "not found: no command or variable \"hlep\"; did you mean \"help\"?");
    EXPECT_EQ(run("help zzzzzz"), "not found: no command or variable \"zzzzzz\"");
    EXPECT_EQ(run("reset net.Rat"), "not found: no variable \"net.Rat\"; did you mean \"net.Rate\"?");
}

TEST_F(ConsoleTest, help_lists_everything_and_explains_one_thing) {
    // W-11
    const CommandHold echo = add_echo("...");
    ASSERT_TRUE(variables.add<double>({.name = "game.Speed",
                                       .default_value = 1.5,
                                       .help = "metres per second",
                                       .flags = {.cheat = true, .replicated = true},
                                       .max = 9}));
    EXPECT_EQ(run("help"),
              "echo ...: says it again\n"
              "help [name]: what there is, or what one thing does\n"
              "reset <variable>: takes back what the console set\n"
              "game.Speed = 1.5 (code): metres per second");
    EXPECT_EQ(run("help echo"), "echo ...\n  says it again");
    EXPECT_EQ(
        run("help game.Speed"),
        "game.Speed = 1.5 (code)\n  metres per second\n  takes a number of at most 9; default 1.5; cheat; replicated");
}

TEST_F(ConsoleTest, a_command_that_cannot_be_added_is_refused) {
    // W-11
    const CommandHold echo = add_echo("");
    auto nothing = [](CommandArguments) { return CommandResult{}; };
    EXPECT_EQ(console->add_command({.name = "echo"}, nothing).status().text(),
              "command \"echo\" is there already, from process");
    for (const char* name : {"", "two words", "quo\"te"})
        EXPECT_EQ(console->add_command({.name = name}, nothing).status().code(), StatusCode::InvalidArgument) << name;
    std::vector<CommandHold> holds;
    for (std::size_t i = console->commands().size(); i < Console::kMaxCommands; ++i)
        holds.push_back(*console->add_command({.name = fmt::format("c{}", i)}, nothing));
    EXPECT_EQ(console->add_command({.name = "more"}, nothing).status().code(), StatusCode::Capacity);
}

TEST_F(ConsoleTest, a_command_has_the_name_before_a_variable) {
    // W-11
    ASSERT_TRUE(variables.add<bool>({.name = "echo"}));
    {
        const CommandHold echo = add_echo("...");
        EXPECT_EQ(run("echo 1"), "[1]");
    }
    EXPECT_EQ(run("echo"), "echo = false (code)");
}

TEST_F(ConsoleTest, commands_run_under_their_owner_and_go_with_it) {
    // W-11, W-33
    CommandHold hold, inner;
    {
        OwnerScope as(kTag);
        hold = *console->add_command({.name = "outer"}, [&](CommandArguments) -> CommandResult {
            inner = *console->add_command({.name = "inner"}, [](CommandArguments) { return CommandResult{}; });
            return {};
        });
    }
    EXPECT_EQ(run("outer"), "");
    EXPECT_EQ(Owner::current(), Owner::process());
    ASSERT_EQ(console->commands(kTag).size(), 2u);
    EXPECT_EQ(console->commands(kTag)[0].name, Name("inner"));
    EXPECT_EQ(console->remove_all(kTag), 2u);
    EXPECT_EQ(console->commands().size(), 2u);
    // A hold of a removed command does not remove its successor.
    const CommandHold again =
        *console->add_command({.name = "outer"}, [](CommandArguments) { return CommandResult{}; });
    hold.release();
    EXPECT_EQ(run("outer"), "");
}

TEST_F(ConsoleTest, a_command_may_remove_itself_and_add_others_while_it_runs) {
    // W-06, W-11
    CommandHold once, next;
    once = *console->add_command({.name = "once"}, [&, guard = std::make_shared<int>(7)](CommandArguments) {
        once.release();
        next = *console->add_command({.name = "once"}, [](CommandArguments) { return CommandResult{{}, "second"}; });
        return CommandResult{{}, fmt::format("first {}", *guard)};
    });
    EXPECT_EQ(run("once"), "first 7");
    EXPECT_EQ(run("once"), "second");
}

TEST_F(ConsoleTest, a_command_may_destroy_the_console_and_a_hold_may_outlive_it) {
    // W-06, W-11
    CommandHold hold = *console->add_command({.name = "quit"}, [&](CommandArguments words) {
        console.reset();
        return CommandResult{{}, fmt::format("gone {}", words.size())};
    });
    EXPECT_EQ(run("quit"), "gone 0");
    EXPECT_EQ(console, nullptr);
    hold.release();
}

TEST_F(ConsoleTest, a_variables_callback_may_destroy_the_console) {
    // W-06, W-11
    auto v = *variables.add<bool>({.name = "v"});
    auto c = v.changed().add([&](const VariableChange&) { console.reset(); });
    EXPECT_EQ(run("v 1"), "v = true (console)");
    EXPECT_EQ(console, nullptr);
}

TEST_F(ConsoleTest, a_command_that_throws_or_fails_gives_a_status) {
    // W-11
    const CommandHold a = *console->add_command(
        {.name = "throw"}, [](CommandArguments) -> CommandResult { throw std::runtime_error("no luck"); });
    const CommandHold b = *console->add_command({.name = "throw2"}, [](CommandArguments) -> CommandResult { throw 1; });
    const CommandHold c = *console->add_command({.name = "fail"}, [](CommandArguments) -> CommandResult {
        return {Status::refused("not now"), "so far"};
    });
    EXPECT_EQ(run("throw"), "failed: command \"throw\": no luck");
    EXPECT_EQ(run("throw2"), "failed: command \"throw2\" threw");
    EXPECT_EQ(console->execute("fail").text, "so far");
    EXPECT_EQ(run("fail"), "refused: not now");
    EXPECT_EQ(Owner::current(), Owner::process());
}

TEST_F(ConsoleTest, one_command_can_be_taken_away_by_name_whoever_holds_it) {
    // W-33, F-74
    CommandHold echo = add_echo("...");
    EXPECT_TRUE(console->remove("echo").is_ok());
    EXPECT_EQ(run("echo a").substr(0, 9), "not found");
    EXPECT_EQ(console->remove("echo").code(), StatusCode::NotFound);
    EXPECT_EQ(console->remove("hepl").text(), "no command \"hepl\"; did you mean \"help\"?");
    EXPECT_EQ(console->remove("help").code(), StatusCode::Refused);
    EXPECT_EQ(console->remove("reset").code(), StatusCode::Refused);
    CommandHold again = add_echo("...");
    echo.release();
    EXPECT_EQ(run("echo a"), "[a]") << "the hold of the one before is of no use any more";
    const CommandHold suicide = *console->add_command({.name = "die"}, [this](CommandArguments) -> CommandResult {
        return {console->remove("die"), "gone"};
    });
    EXPECT_EQ(run("die"), "gone");
    EXPECT_EQ(console->remove("die").code(), StatusCode::NotFound);
}

}  // namespace console_test
}  // namespace lyre
