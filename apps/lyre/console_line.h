// apps/lyre/console_line.h: the line that is being written for the console, and those that were written before.
//
//     ConsoleLine line([&](const std::vector<std::string>& before) { return names that may stand there; });
//     line.begin();
//     line.press(key);                    // a byte of a character, or a key
//     prompt(line.text(), line.cursor());
//     execute(line.take());               // which is remembered
//
// Keys are those of a shell: arrows, Home, End, Delete (terminal.h), Backspace, Tab, Ctrl-U, Ctrl-K and Ctrl-W. The
// cursor stands between characters, never inside one. The last lines are remembered as long as the match, one that is
// repeated once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lyre::app {

class ConsoleLine {
public:
    static constexpr std::size_t kMaxBytes = 200;
    static constexpr std::size_t kMaxRemembered = 100;  // lines

    // What may stand behind these words.
    using Candidates = std::function<std::vector<std::string>(const std::vector<std::string>& before)>;
    explicit ConsoleLine(Candidates candidates) : candidates_(std::move(candidates)) {}

    void begin();  // empty
    void press(char key);
    std::string take();  // the line; it is remembered

    const std::string& text() const { return text_; }
    std::size_t cursor() const { return cursor_; }  // bytes before it
    // What the last key, if it was to complete the word before the cursor, has left open.
    const std::vector<std::string>& choices() const { return choices_; }

private:
    void insert(std::string_view text);
    void erase(std::size_t begin, std::size_t end);
    void recall(std::size_t at);
    void complete();
    std::size_t before(std::size_t at) const;
    std::size_t behind(std::size_t at) const;

    Candidates candidates_;
    std::string text_;
    std::size_t cursor_ = 0;
    std::vector<std::string> remembered_;
    std::size_t recalled_ = 0;  // which of them is shown; behind the last: what is written anew
    std::string draft_;         // that, meanwhile
    std::vector<std::string> choices_;
};

}  // namespace lyre::app
