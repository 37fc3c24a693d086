// core/problem.h: what is wrong with something people wrote, in a form that people, editors and programs can use.
//
//     error LY-2104: unknown key "featurs" in experience:tag
//       --> content/tag.experience.toml:4:1
//        |  featurs = ["arena_core"]
//        |  ^^^^^^^ did you mean "features"?
//        = in: experience:tag
//
// A Problem is found while content is read, linked or checked; all that are found in one go are collected in Problems,
// never only the first. Its code says what kind of mistake it is (LY-1xxx core and world, 2xxx content, 3xxx features,
// 4xxx experience, 5xxx framework and gameplay, 6xxx abilities, 7xxx net; no number is ever used for another mistake),
// so that a tool need not read the text, and `lyre list errors` can say more. Plain values: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/status.h"

namespace lyre::inline core {

// One kind of mistake. Rooms keep theirs as constants in a table of their own (content_codes() is core's).
struct ProblemCode {
    std::uint16_t number;           // 2104
    std::string_view title;         // "unknown key"
    std::string_view help;          // what it means and what to do, in one or two sentences
    std::string to_string() const;  // "LY-2104"
};

// Where in a file. Lines and columns count from 1, columns in characters; a line of 0 is the file as a whole.
struct SourcePlace {
    std::uint32_t line = 0, column = 0;
    std::uint32_t length = 0;  // characters, all on this line
    friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

struct Problem {
    const ProblemCode* code = nullptr;
    std::string text;  // one line that names the thing
    std::string file;  // as people would open it; may be empty
    SourcePlace place;
    std::string source_line;          // the line itself, shortened around the place if it is long
    std::string hint;                 // "did you mean \"features\"?"; may be empty
    std::vector<std::string> chain;   // what led here, the nearest first: "experience:tag", "lyre.toml"
    std::uint32_t source_column = 0;  // of the place in source_line, characters from 1; 0: no caret

    std::string where() const;    // "content/tag.experience.toml:4:1"
    std::string to_text() const;  // as above, lines ended by \n
    std::string to_json() const;  // one object
};

// Sets source_line and source_column: the line that the problem's place is on, shortened around it to kMaxSourceLine
// characters. All but tabs that could garble a terminal is replaced. Does nothing without a place or on lines
// of more than 64 KiB.
inline constexpr std::size_t kMaxSourceLine = 160;
void quote_source(Problem& problem, std::string_view text);

class Problems {
public:
    static constexpr std::size_t kMax = 1000;  // more are counted, not kept

    void add(Problem problem);
    void add_all(const Problems& others);
    void count_more(std::size_t count) { dropped_ += count; }  // that somebody else did not keep
    const std::vector<Problem>& all() const { return all_; }
    std::size_t count() const { return all_.size() + dropped_; }
    std::size_t dropped() const { return dropped_; }
    bool is_empty() const { return all_.empty(); }
    Status to_status() const;  // ok if empty; else the first, and how many more there are
    // Ok if empty; else `subject: text (hint); text`: the first 32, and how many more there are.
    Status to_status(std::string_view subject) const;
    std::string to_text() const;
    std::string to_json() const;  // {"problems": [...], "dropped": n}

private:
    std::vector<Problem> all_;
    std::size_t dropped_ = 0;
};

}  // namespace lyre::inline core
