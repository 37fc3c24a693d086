#include <algorithm>
#include <array>

#include "lyre/assets/detail/toml_text.h"
#include "lyre/assets/toml.h"
#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"

namespace lyre::assets {
namespace {

constexpr std::size_t kNowhere = TomlScan::kNowhere;
constexpr std::array<std::string_view, 8> kTypographicQuotes{"\u201C", "\u201D", "\u201E", "\u2018",
                                                             "\u2019", "\u201A", "\u00AB", "\u00BB"};

bool begins(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}
bool has(std::string_view text, std::string_view what) {
    return text.find(what) != std::string_view::npos;
}
bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}
std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    return text;
}
std::string lower_start(std::string_view text) {
    std::string out(text.substr(0, 16));
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}
bool is_key_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
std::string in_line(std::uint32_t line, std::string_view before, std::string_view after = {}) {
    return line == 0 ? std::string() : fmt::format("{}line {}{}", before, line, after);
}

// The parts of `a."b c".d`, which may stand in brackets, as a text begins with it.
std::vector<std::string> key_parts(std::string_view text) {
    std::vector<std::string> parts(1);
    text = trimmed(text);
    while (begins(text, "[")) text.remove_prefix(1);
    char quote = 0;
    for (char c : text) {
        if (quote == 0 && (c == '=' || c == ']' || c == '\n')) break;
        if (quote == 0 && c == '.')
            parts.emplace_back();
        else if (quote == 0 && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = 0;
        else if (quote != 0 || (c != ' ' && c != '\t'))
            parts.back() += c;
    }
    return parts;
}

class Explanation {
public:
    Explanation(std::string_view text, std::string_view complaint, const SourcePlace& at, const FindDefinition& find)
        : text_(text), offset_(offset_at(text, at)), scan_(scan_toml(text.substr(0, offset_))), find_(find) {
        constexpr std::string_view kPrefix = "Error while parsing ";
        if (begins(complaint, kPrefix)) complaint.remove_prefix(kPrefix.size());
        const auto colon = std::min(complaint.find(": "), complaint.size());
        scope_ = complaint.substr(0, colon);
        reason_ = colon < complaint.size() ? complaint.substr(colon + 2) : complaint;
    }

    TomlMistake run() {
        using Rule = bool (Explanation::*)();
        for (Rule rule : {&Explanation::twice, &Explanation::open_text, &Explanation::escape, &Explanation::control,
                          &Explanation::header, &Explanation::list, &Explanation::braces, &Explanation::key,
                          &Explanation::outside, &Explanation::after_value, &Explanation::value})
            if ((this->*rule)()) return std::move(mistake_);
        if (ends_here())
            say(offset_, offset_, fmt::format("the file ends inside a {}", scope_));
        else
            say(offset_, offset_ + 1, std::string(reason_));
        return std::move(mistake_);
    }

private:
    // What is wrong from `begin` to `end`, which is on the same line.
    bool say(std::size_t begin, std::size_t end, std::string text, std::string hint = {}) {
        if (mistake_.code == nullptr) mistake_.code = &kTomlSyntax;
        mistake_.place = place_at(text_, begin);
        const auto length = count_characters(text_.substr(begin, std::max(begin, end) - begin));
        mistake_.place.length = static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
        mistake_.text = std::move(text);
        mistake_.hint = std::move(hint);
        return true;
    }

    bool ends_here() const { return offset_ >= text_.size(); }
    bool line_ends_here() const { return ends_here() || text_[offset_] == '\n' || text_[offset_] == '\r'; }
    char next() const { return ends_here() ? '\0' : text_[offset_]; }
    std::string_view next_character() const {
        return text_.substr(offset_, first_character(text_.substr(std::min(offset_, text_.size()))).size);
    }
    std::size_t line_end(std::size_t from) const {
        const std::size_t end = std::min(text_.find('\n', from), text_.size());
        return end > from && text_[end - 1] == '\r' ? end - 1 : end;
    }
    std::string_view rest_of_line() const { return text_.substr(offset_, line_end(offset_) - offset_); }
    // What was written of the key that the parser was at, up to its "=".
    std::string_view key_text() const {
        if (scan_.statement == kNowhere) return {};
        const std::size_t end = std::min({line_end(scan_.statement), std::max(offset_, scan_.statement), text_.size()});
        std::string_view key = text_.substr(scan_.statement, end - scan_.statement);
        return trimmed(key.substr(0, key.find('=')));
    }
    std::size_t key_end() const { return scan_.statement + key_text().size(); }

    bool twice();
    bool twice_table(std::string_view name, std::uint32_t line);
    bool open_text();
    bool escape();
    bool control();
    bool header();
    bool list();
    bool braces();
    bool never_closed(std::size_t bracket);
    bool key();
    bool outside();
    bool after_value();
    bool value();
    bool word(std::size_t begin, std::string_view written);
    bool number(std::size_t begin, std::string_view written);

    std::string_view text_, scope_, reason_;
    std::size_t offset_;
    TomlScan scan_;  // of the text before the offset
    const FindDefinition& find_;
    TomlMistake mistake_;
};

bool Explanation::twice() {
    if (!begins(reason_, "cannot redefine existing") && !begins(reason_, "cannot insert")) return false;
    mistake_.code = &kTomlTwice;
    // A complaint comes at the key or name, or behind it.
    const bool is_table = scope_ == "table header";
    const TomlScan here = has(reason_, "as dotted") || is_table ? scan_toml(text_.substr(0, offset_ + 1)) : scan_;
    const std::size_t begin = is_table ? here.header : here.statement;
    if (begin == kNowhere) return false;
    std::vector<std::string> path = key_parts(text_.substr(begin));
    if (!is_table && scan_.header != kNowhere) {
        const auto outer = key_parts(text_.substr(scan_.header));
        path.insert(path.begin(), outer.begin(), outer.end());
    }
    const std::uint32_t line = scan_.open.empty() ? find_(path, begin) : 0;
    const auto written =
        trimmed(text_.substr(begin, std::min(text_.find_first_of("=#\r\n", begin), text_.size()) - begin));
    say(begin, begin + written.size(), {});
    if (is_table) return twice_table(written, line);
    if (has(reason_, "as dotted")) {
        mistake_.text = fmt::format("{} adds a key to what is complete already", in_quotes(written));
        mistake_.hint = in_line(line, "it was defined in ");
    } else {
        mistake_.text = fmt::format("key {} is defined twice", in_quotes(written));
        mistake_.hint = line == 0 ? "remove one of them" : in_line(line, "the first is in ");
    }
    return true;
}

bool Explanation::twice_table(std::string_view name, std::uint32_t line) {
    const std::string shown = cleaned(name.substr(0, 64));
    if (has(reason_, "into existing inline table")) {
        mistake_.text = fmt::format("{} adds to a table in {{ }}, which is complete", shown);
        mistake_.hint = in_line(line, "write its keys there, in ");
    } else if (has(reason_, "existing table") && has(reason_, "as array-of-tables")) {
        mistake_.text = fmt::format("{} is a list of tables here and a single table before", shown);
        mistake_.hint = in_line(line, "if a list is meant, write [[ ]] in ", ", too");
    } else if (has(reason_, "existing array") && has(reason_, "as table")) {
        mistake_.text = fmt::format("{} is a single table here and a list before", shown);
        mistake_.hint =
            fmt::format("for one more table of the list write [{}]{}", shown, in_line(line, "; it begins in "));
    } else {
        mistake_.text = fmt::format("{} is defined twice", shown);
        mistake_.hint = in_line(line, "the first is in ", "; put them together");
    }
    return true;
}

bool Explanation::open_text() {
    if (scan_.string == kNowhere) return false;
    const std::string_view begin = text_.substr(scan_.string, 3);
    const bool is_long = begin == "\"\"\"" || begin == "'''";
    if (is_long ? !ends_here() : !line_ends_here()) return false;
    const std::size_t end = line_end(scan_.string);
    const std::string_view line = trimmed(text_.substr(scan_.string, end - scan_.string));
    const std::string quote(is_long ? begin : begin.substr(0, 1));
    for (std::string_view typographic : kTypographicQuotes)
        if (!is_long && line.size() > typographic.size() && has(line, typographic))
            return say(scan_.string, scan_.string + line.size(), "this text has no closing quote",
                       fmt::format("{} does not close it: write {}", typographic, quote));
    return say(scan_.string, scan_.string + line.size(), "this text has no closing quote",
               fmt::format("end it with {}", quote));
}

bool Explanation::escape() {
    if (!has(reason_, "escape sequence") && scope_ != "unicode scalar sequence") return false;
    const auto backslash = text_.rfind('\\', offset_);
    if (backslash == std::string_view::npos) return false;
    const auto letter = first_character(text_.substr(backslash + 1)).size;
    return say(backslash, backslash + 1 + letter,
               fmt::format("{} means nothing in a text", cleaned(text_.substr(backslash, 1 + letter))),
               "write \\\\ for a backslash, or put the text in single quotes");
}

bool Explanation::control() {
    const Utf8Character character = first_character(text_.substr(std::min(offset_, text_.size())));
    const auto number = static_cast<std::uint32_t>(character.code);
    if (begins(reason_, "expected space or tab"))
        return say(offset_, offset_ + character.size, fmt::format("U+{:04X} is no plain space", number),
                   "replace it by a space");
    if (ends_here() || character.code >= 0x20 || line_ends_here()) return false;
    return say(offset_, offset_ + 1, fmt::format("control character U+{:04X}", number),
               "remove it, or write it as an escape in a text");
}

bool Explanation::header() {
    if (scope_ != "table header" || scan_.header == kNowhere) return false;
    if (begins(reason_, "tables with blank"))
        return say(scan_.header, offset_, "this table has no name", "write [name]");
    if (begins(reason_, "[[array"))
        return say(scan_.header, offset_, "no space stands between the brackets of a list of tables", "write [[name]]");
    if (begins(reason_, "expected a comment"))
        return say(offset_, line_end(offset_), "nothing stands behind a table's name", "begin a new line");
    const bool is_list = text_.substr(scan_.header, 2) == "[[";
    const auto name = cleaned(trimmed(text_.substr(scan_.header, offset_ - scan_.header)).substr(0, 64));
    const std::string closed = name.substr(0, name.find(']')) + (is_list ? "]]" : "]");
    return say(scan_.header, offset_, "the name of this table is not closed", fmt::format("write {}", closed));
}

bool Explanation::never_closed(std::size_t bracket) {
    const char close = text_[bracket] == '[' ? ']' : '}';
    return say(bracket, bracket + 1, fmt::format("this {} is never closed", text_[bracket]),
               fmt::format("close it with {}", close));
}

bool Explanation::list() {
    if (scope_ != "array" || scan_.open.empty()) return false;
    const std::size_t bracket = scan_.open.back();
    if (ends_here()) return never_closed(bracket);
    if (has(reason_, "saw comma")) return say(offset_, offset_ + 1, "a value is missing before this comma");
    const bool is_next_line = has(text_.substr(bracket, offset_ - bracket), "\n");
    const std::string_view rest = rest_of_line();
    if (is_next_line && (next() == '[' || has(rest.substr(0, rest.find_first_of("\"'")), "=")))
        return never_closed(bracket);
    return say(offset_, offset_ + next_character().size(), "a comma is missing before this value",
               "put a comma between the values of a list");
}

bool Explanation::braces() {
    if (scope_ != "inline table" || scan_.open.empty()) return false;
    const std::size_t bracket = scan_.open.back();
    if (ends_here()) return never_closed(bracket);
    if (line_ends_here())
        return say(bracket, line_end(bracket), "a table in { } is not closed on its line",
                   "close it here, or write it as [name] with its keys below");
    if (has(reason_, "dangling comma")) return say(offset_, offset_ + 1, "a comma stands before }", "remove the comma");
    if (has(reason_, "saw comma")) return say(offset_, offset_ + 1, "a key is missing before this comma");
    return say(offset_, offset_ + next_character().size(), "a comma is missing here",
               "put a comma between the keys of a table in { }");
}

bool Explanation::key() {
    if (scope_ != "key-value pair" || scan_.statement == kNowhere) return false;
    const std::string_view name = key_text();
    const std::string shown = cleaned(name.substr(0, 64));
    const bool has_equals = has(text_.substr(scan_.statement, offset_ - scan_.statement), "=");
    if (begins(reason_, "expected value") || (ends_here() && has_equals))
        return say(scan_.statement, key_end(), fmt::format("key {} has no value", in_quotes(name)),
                   fmt::format("write {} = VALUE, or remove the line", shown));
    if (has_equals || (!begins(reason_, "expected '='") && !ends_here())) return false;
    if (next() == ':')
        return say(offset_, offset_ + 1, fmt::format("key {} is followed by : instead of =", in_quotes(name)),
                   fmt::format("write {} = ...", shown));
    const bool is_foreign = static_cast<unsigned char>(next()) >= 0x80;
    if (!ends_here() && (is_foreign || is_key_character(next())) && has(rest_of_line(), "=")) {
        const auto all = trimmed(text_.substr(scan_.statement, text_.find('=', offset_) - scan_.statement));
        return say(
            scan_.statement, scan_.statement + all.size(),
            fmt::format("key {} {}", in_quotes(all), is_foreign ? "is not in plain letters" : "has a space in it"),
            fmt::format("put it in quotes: {} = ...", in_quotes(all)));
    }
    return say(scan_.statement, key_end(), fmt::format("= is missing after key {}", in_quotes(name)),
               fmt::format("write {} = VALUE", shown));
}

bool Explanation::outside() {
    if (scope_ != "root table") return false;
    const std::string_view rest = rest_of_line();
    if (begins(rest, "//") || begins(rest, "/*") || begins(rest, ";"))
        return say(offset_, offset_ + rest.size(), "this is no key", "comments begin with #");
    if (next() == '=') return say(offset_, offset_ + 1, "a key is missing before =");
    if (next() == ']' || next() == '}')
        return say(offset_, offset_ + 1, fmt::format("nothing is open that {} could close", next()), "remove it");
    const auto name = trimmed(rest.substr(0, rest.find('=')));
    if (static_cast<unsigned char>(next()) >= 0x80 && has(rest, "="))
        return say(offset_, offset_ + name.size(), fmt::format("key {} is not in plain letters", in_quotes(name)),
                   fmt::format("put it in quotes: {} = ...", in_quotes(name)));
    return say(offset_, offset_ + next_character().size(),
               fmt::format("no key begins with {}", cleaned(next_character())));
}

bool Explanation::after_value() {
    if (!begins(reason_, "expected a comment or whitespace")) return false;
    const char before = offset_ > 0 ? text_[offset_ - 1] : ' ';
    if (next() == ',' || next() == ';')
        return say(offset_, offset_ + 1, fmt::format("{} stands behind the value", next()), "remove it");
    if (is_key_character(before) && is_key_character(next())) return value();
    return say(offset_, offset_ + trimmed(rest_of_line()).size(),
               fmt::format("the value of {} has ended before this", in_quotes(key_text())),
               "write one key and its value per line, texts in quotes");
}

bool Explanation::value() {
    if (ends_here() && scan_.value == kNowhere) return false;
    const std::size_t begin = scan_toml(text_.substr(0, offset_ + 1)).value;
    if (begin == kNowhere || begin >= text_.size()) return false;
    const std::string_view ends = scan_.open.empty() ? "#\r\n" : ",]}#\r\n";
    const auto written = trimmed(text_.substr(begin, std::min(text_.find_first_of(ends, begin), text_.size()) - begin));
    if (written.empty()) return false;
    if (written.front() == '=') return say(begin, begin + 1, "one = is enough", "remove this one");
    for (std::string_view quote : kTypographicQuotes) {
        if (!begins(written, quote)) continue;
        const std::string_view inner = written.substr(quote.size());
        const std::size_t end = first_character(inner).size == 0 ? 0 : inner.find_first_of("\xE2\xC2");
        return say(begin, begin + written.size(), fmt::format("{} does not begin a text", quote),
                   fmt::format("use straight quotes: {}", in_quotes(inner.substr(0, end))));
    }
    const char first = written.front();
    const bool is_number = (first >= '0' && first <= '9') || first == '.' || first == '-' || first == '+';
    return is_number ? number(begin, written) : word(begin, written);
}

bool Explanation::word(std::size_t begin, std::string_view written) {
    const std::string low = lower_start(written);
    const std::string text = fmt::format("{} is no value", in_quotes(written));
    std::string hint = fmt::format("if it is a text, put it in quotes: {}", in_quotes(written));
    if (is_one_of(low, {"true", "false"})) hint = fmt::format("write {}", low);
    if (is_one_of(low, {"yes", "no", "on", "off"})) hint = "write true or false";
    if (is_one_of(low, {"null", "nil", "none"})) hint = "leave the key out where there is no value";
    return say(begin, begin + written.size(), text, hint);
}

bool Explanation::number(std::size_t begin, std::string_view written) {
    const bool is_date = begins(scope_, "date") || begins(scope_, "time");
    std::string hint;
    if (has(reason_, "leading zeroes"))
        hint = "remove the zeros in front, or put it in quotes if it is a text";
    else if (has(reason_, "not representable") || has(reason_, "length limit"))
        hint = "whole numbers have up to 18 digits";
    else if (written.front() == '.')
        hint = fmt::format("write 0{}", cleaned(written.substr(0, 32)));
    else if (written.back() == '.')
        hint = fmt::format("write {}0", cleaned(written.substr(0, 32)));
    else if (written.back() == ';')
        hint = "remove the ;";
    else if (is_date)
        hint = std::string(reason_.substr(0, reason_.find(", saw")));
    else
        hint = "if it is a text, put it in quotes; units are left out";
    return say(begin, begin + written.size(),
               fmt::format("{} is no {}", in_quotes(written), is_date ? "date" : "number"), hint);
}

}  // namespace

TomlMistake explain_toml(std::string_view text, std::string_view complaint, const SourcePlace& at,
                         const FindDefinition& find) {
    return Explanation(text, complaint, at, find).run();
}

}  // namespace lyre::assets
