#include "lyre/core/problem.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lyre/core/utf8.h"

namespace lyre::inline core {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxScannedLine = 64 << 10;  // bytes; in a longer one a thousand problems would take too long
constexpr std::uint32_t kMaxQuotedLine = 200'000;  // further down a thousand problems would take minutes to quote
constexpr std::string_view kCut = "\u2026";        // stands where a line was shortened

std::string code_text(const Problem& problem) {
    return problem.code != nullptr ? problem.code->to_string() : std::string();
}

// Line `number`, without its end. Empty if there are not so many.
std::string_view line_of(std::string_view text, std::uint32_t number) {
    for (; number > 1; --number) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    return text;
}

std::string_view skip_characters(std::string_view text, std::size_t count) {
    for (; count > 0 && !text.empty(); --count) text.remove_prefix(first_character(text).size);
    return text;
}

// Tabs are kept: a caret line that repeats them fits under its source line whatever their width.
std::string cleaned_but_for_tabs(std::string_view line) {
    std::string clean;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find('\t', begin), line.size());
        clean += cleaned(line.substr(begin, end - begin));
        if (end < line.size()) clean += '\t';
        begin = end + 1;
    }
    return clean;
}

std::string caret_line(const std::string& source, std::uint32_t column, std::uint32_t length) {
    std::string_view rest = source;
    std::string carets;
    for (std::uint32_t i = 1; i < column && !rest.empty(); ++i) {
        carets += rest.front() == '\t' ? '\t' : ' ';
        rest.remove_prefix(first_character(rest).size);
    }
    const std::size_t room = std::max<std::size_t>(count_characters(rest), 1);
    return carets.append(std::clamp<std::size_t>(length, 1, room), '^');
}

Json json_of(const Problem& problem) {
    return {{"code", code_text(problem)},
            {"title", problem.code != nullptr ? problem.code->title : std::string_view()},
            {"text", problem.text},
            {"file", problem.file},
            {"line", problem.place.line},
            {"column", problem.place.column},
            {"length", problem.place.length},
            {"source", problem.source_line},
            {"source_column", problem.source_column},
            {"hint", problem.hint},
            {"chain", problem.chain}};
}

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // wrong UTF-8 must not throw
}

}  // namespace

std::string ProblemCode::to_string() const {
    return fmt::format("LY-{:04}", number);
}

std::string Problem::where() const {
    const std::string name = file.empty() && place.line > 0 ? "line" : cleaned(file);
    if (place.line == 0) return name;
    const char* separator = file.empty() ? " " : ":";
    if (place.column == 0) return fmt::format("{}{}{}", name, separator, place.line);
    return fmt::format("{}{}{}:{}", name, separator, place.line, place.column);
}

std::string Problem::to_text() const {
    const std::string number = code_text(*this);
    std::string out = fmt::format("error{}{}: {}\n", number.empty() ? "" : " ", number, cleaned(text));
    if (const std::string at = where(); !at.empty()) out += fmt::format("  --> {}\n", at);
    const bool has_caret = !source_line.empty() && source_column > 0;
    const std::string source = cleaned_but_for_tabs(source_line);
    if (!source.empty()) out += fmt::format("   |  {}\n", source);
    if (has_caret)
        out += fmt::format("   |  {}{}{}\n", caret_line(source, source_column, place.length), hint.empty() ? "" : " ",
                           cleaned(hint));
    else if (!hint.empty())
        out += fmt::format("   = hint: {}\n", cleaned(hint));
    for (std::size_t i = 0; i < chain.size(); ++i)
        out += fmt::format("{}{}", i == 0 ? "   = in: " : ", from ", cleaned(chain[i]));
    return chain.empty() ? out : out + "\n";
}

std::string Problem::to_json() const {
    return dump(json_of(*this));
}

void quote_source(Problem& problem, std::string_view text) {
    const SourcePlace place = problem.place;
    if (place.line == 0 || place.line > kMaxQuotedLine) return;
    const std::string_view line = line_of(skip_bom(text), place.line);
    if (line.size() > kMaxScannedLine) return;
    constexpr std::size_t kBefore = kMaxSourceLine / 4;  // shown before the place; the rest is for it and after it
    const std::size_t length = count_characters(line);
    const std::size_t at = std::min<std::size_t>(place.column == 0 ? 0 : place.column - 1, length);
    std::size_t begin = 0;
    if (length > kMaxSourceLine && at > kBefore) begin = std::min(at - kBefore, length - kMaxSourceLine);
    const std::string_view rest = skip_characters(line, begin);
    const std::string_view after = skip_characters(rest, kMaxSourceLine);
    const bool cut_before = begin > 0, cut_after = !after.empty();
    problem.source_line =
        fmt::format("{}{}{}", cut_before ? kCut : "", cleaned_but_for_tabs(rest.substr(0, rest.size() - after.size())),
                    cut_after ? kCut : "");
    problem.source_column = place.column == 0 ? 0 : static_cast<std::uint32_t>(at - begin + 1 + (cut_before ? 1 : 0));
}

void Problems::add(Problem problem) {
    if (all_.size() < kMax)
        all_.push_back(std::move(problem));
    else
        ++dropped_;
}

void Problems::add_all(const Problems& others) {
    const std::size_t count = others.all_.size();  // `others` may be this one
    for (std::size_t i = 0; i < count; ++i) add(Problem(others.all_[i]));
    dropped_ += others.dropped_;
}

Status Problems::to_status() const {
    if (all_.empty()) return Status::ok();
    const Problem& first = all_.front();
    std::string sentence = first.where();
    if (!sentence.empty()) sentence += ": ";
    sentence += cleaned(first.text);
    if (!first.hint.empty()) sentence += "; " + cleaned(first.hint);
    if (first.code != nullptr) sentence += fmt::format(" ({})", first.code->to_string());
    if (count() > 1) sentence += fmt::format("; {} more problem{}", count() - 1, count() == 2 ? "" : "s");
    return {StatusCode::InvalidArgument, std::move(sentence)};
}

Status Problems::to_status(std::string_view subject) const {
    constexpr std::size_t kShown = 32;
    if (all_.empty()) return Status::ok();
    std::string text;
    for (std::size_t i = 0; i < std::min(all_.size(), kShown); ++i)
        text += fmt::format("{}{}{}", i == 0 ? "" : "; ", cleaned(all_[i].text),
                            all_[i].hint.empty() ? "" : fmt::format(" ({})", cleaned(all_[i].hint)));
    const std::string more = count() > kShown ? fmt::format("; and {} more", count() - kShown) : "";
    return Status::invalid("{}: {}{}", cleaned(subject), text, more);
}

std::string Problems::to_text() const {
    std::string out;
    for (const Problem& problem : all_) out += (out.empty() ? "" : "\n") + problem.to_text();
    if (dropped_ > 0) out += fmt::format("\n{} more problems are not shown\n", dropped_);
    return out;
}

std::string Problems::to_json() const {
    Json list = Json::array();
    for (const Problem& problem : all_) list.push_back(json_of(problem));
    return dump({{"problems", std::move(list)}, {"dropped", dropped_}});
}

}  // namespace lyre::inline core
