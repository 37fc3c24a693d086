#include "lyre/assets/toml.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "lyre/assets/detail/toml_text.h"
#include "lyre/core/utf8.h"

// toml++ takes a few of its assumptions about a text for granted that some texts break ("[=]"); in release it would run
// on as if they held. So they are checked here in every build.
namespace lyre::assets {
namespace {
struct BrokenAssumption {};
[[noreturn]] void assumption_broken() {
    throw BrokenAssumption();
}
}  // namespace
}  // namespace lyre::assets
#undef NDEBUG
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : ::lyre::assets::assumption_broken())
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 64  // as Node::kMaxDepth
#include <toml++/toml.h>

namespace lyre::assets {
namespace {

static_assert(TOML_MAX_NESTED_VALUES == Node::kMaxDepth);

template <class Date> std::string printed(const toml::value<Date>& date) {
    std::ostringstream out;
    out << date.get();
    return out.str();
}

std::uint32_t line_of_definition(std::string_view text, const std::vector<std::string>& path) try {
    const toml::table root = toml::parse(text);
    const toml::node* node = &root;
    std::uint32_t line = 0;
    for (const std::string& part : path) {
        if (const toml::array* list = node->as_array(); list != nullptr && !list->empty()) node = &list->back();
        const toml::table* table = node->as_table();
        if (table == nullptr || !table->contains(part)) return line;
        line = table->find(part)->first.source().begin.line;
        node = table->get(part);
    }
    return line;
} catch (const toml::parse_error&) {
    return 0;  // in the middle of a table in { }
}

// One text on its way through the parser.
class Parse {
public:
    Parse(std::string_view text, const std::string& file) : text_(skip_bom(text)), file_(file) {}

    TomlDocument run() {
        if (is_bearable()) parse();
        if (document_.problems.is_empty()) return std::move(document_);
        document_.root = Node::table();
        return std::move(document_);
    }

private:
    void refuse(const ProblemCode& code, SourcePlace place, std::string text, std::string hint = {}) {
        Problem problem;
        problem.code = &code;
        problem.text = std::move(text);
        problem.file = file_;
        problem.place = place;
        problem.hint = std::move(hint);
        quote_source(problem, text_);
        document_.problems.add(std::move(problem));
    }

    void refuse_depth(SourcePlace place) {
        refuse(kTomlTooDeep, place,
               fmt::format("more than {} levels of tables and lists in each other", Node::kMaxDepth));
    }

    bool is_bearable();
    bool is_too_deep(const toml::node& node, std::size_t depth);
    bool is_utf8();
    void parse();
    Node convert(toml::node& node, std::size_t depth);
    Node convert_table(toml::table& table, std::size_t depth);
    Node convert_list(toml::array& list, std::size_t depth);
    SourcePlace place_of(const toml::source_region& region);
    std::size_t line_end(std::uint32_t line);

    std::string_view text_;
    const std::string& file_;
    TomlDocument document_;
    std::vector<std::size_t> lines_;  // where each begins, in bytes
};

bool Parse::is_bearable() {
    if (const auto nul = text_.find('\0'); nul != std::string_view::npos) {
        refuse(kTomlBinary, place_at(text_, nul), "this is no text file: it has a zero byte");
        return false;
    }
    if (!is_utf8()) return false;
    const TomlScan scan = scan_toml(text_);
    if (scan.is_too_deep)
        refuse_depth(place_at(text_, scan.end == 0 ? 0 : scan.end - 1));
    else if (scan.has_too_many)
        refuse(kTomlTooMany, place_at(text_, scan.end), fmt::format("more than {} values in one file", kMaxTomlValues));
    return document_.problems.is_empty();
}

bool Parse::is_utf8() {
    for (std::size_t at = 0; at < text_.size();) {
        const Utf8Character character = first_character(text_.substr(at));
        if (character.code == kNoCharacter) {
            refuse(kTomlNotUtf8, place_at(text_, at),
                   fmt::format("byte 0x{:02X} is not part of UTF-8 text", static_cast<unsigned char>(text_[at])),
                   "save the file as UTF-8");
            return false;
        }
        at += character.size;
    }
    return true;
}

void Parse::parse() {
    try {
        toml::table root = toml::parse(text_);
        lines_.push_back(0);
        for (std::size_t at = 0; (at = text_.find('\n', at)) != std::string_view::npos;) lines_.push_back(++at);
        document_.root = convert_table(root, 1);
    } catch (const toml::parse_error& error) {
        const auto begin = error.source().begin;
        TomlMistake mistake = explain_toml(
            text_, error.description(), {.line = begin.line, .column = begin.column},
            [this](const auto& path, std::size_t before) { return line_of_definition(text_.substr(0, before), path); });
        refuse(*mistake.code, mistake.place, std::move(mistake.text), std::move(mistake.hint));
    } catch (const BrokenAssumption&) {
        const std::size_t at = scan_toml(text_).bad_name;
        refuse(kTomlSyntax, at == TomlScan::kNowhere ? SourcePlace() : place_at(text_, at),
               "no name of a table begins with this", "write [name], or [[name]] for a list of tables");
    }
}

Node Parse::convert(toml::node& node, std::size_t depth) {
    switch (node.type()) {
        case toml::node_type::table:
            return convert_table(*node.as_table(), depth);
        case toml::node_type::array:
            return convert_list(*node.as_array(), depth);
        case toml::node_type::string:
            return Node::text(std::move(node.as_string()->get()));
        case toml::node_type::integer:
            return Node::integer(node.as_integer()->get());
        case toml::node_type::floating_point:
            return Node::number(node.as_floating_point()->get());
        case toml::node_type::boolean:
            return Node::boolean(node.as_boolean()->get());
        case toml::node_type::date:
            return Node::date(printed(*node.as_date()));
        case toml::node_type::time:
            return Node::date(printed(*node.as_time()));
        case toml::node_type::date_time:
            return Node::date(printed(*node.as_date_time()));
        default:
            return {};
    }
}

// The scan before it does not know which names are lists of tables; these count twice.
bool Parse::is_too_deep(const toml::node& node, std::size_t depth) {
    if (depth <= Node::kMaxDepth) return false;
    if (document_.problems.is_empty()) refuse_depth(place_of(node.source()));
    return true;
}

Node Parse::convert_table(toml::table& table, std::size_t depth) {
    Node node = Node::table();
    if (is_too_deep(table, depth)) return node;
    // The parser keeps keys by alphabet; here they have the order of the file.
    std::vector<std::pair<SourcePlace, std::pair<const toml::key*, toml::node*>>> entries;
    entries.reserve(table.size());
    for (auto&& [key, value] : table) entries.push_back({place_of(key.source()), {&key, &value}});
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
    });
    node.reserve(entries.size());
    for (auto& [key_place, entry] : entries) {
        Node& added = node.add(std::string(entry.first->str()), convert(*entry.second, depth + 1));
        added.place = place_of(entry.second->source());
        added.key_place = key_place;
    }
    return node;
}

Node Parse::convert_list(toml::array& list, std::size_t depth) {
    Node node = Node::list();
    if (is_too_deep(list, depth)) return node;
    node.reserve(list.size());
    for (toml::node& entry : list) node.add(convert(entry, depth + 1)).place = place_of(entry.source());
    return node;
}

SourcePlace Parse::place_of(const toml::source_region& region) {
    const auto begin = region.begin, end = region.end;
    SourcePlace place{.line = begin.line, .column = begin.column, .length = 1};
    if (end.line == begin.line) {
        place.length = std::max<std::uint32_t>(end.column, begin.column + 1) - begin.column;
    } else if (begin.line > 0 && begin.line <= lines_.size()) {
        const std::size_t first = lines_[begin.line - 1];
        const auto width = count_characters(text_.substr(first, line_end(begin.line) - first));
        place.length = std::max<std::uint32_t>(static_cast<std::uint32_t>(width) + 1, begin.column + 1) - begin.column;
    }
    return place;
}

// Where a line ends in bytes, without its end mark.
std::size_t Parse::line_end(std::uint32_t line) {
    std::size_t end = line < lines_.size() ? lines_[line] - 1 : text_.size();
    return end > lines_[line - 1] && text_[end - 1] == '\r' ? end - 1 : end;
}

}  // namespace

TomlDocument parse_toml(std::string_view text, const std::string& file) {
    return Parse(text, file).run();
}

std::span<const ProblemCode* const> toml_codes() {
    static constexpr std::array kCodes{&kTomlSyntax,  &kTomlNotUtf8, &kTomlBinary,
                                       &kTomlTooDeep, &kTomlTwice,   &kTomlTooMany};
    return kCodes;
}

}  // namespace lyre::assets
