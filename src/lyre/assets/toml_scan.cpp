#include <algorithm>

#include "lyre/assets/detail/toml_text.h"
#include "lyre/assets/toml.h"
#include "lyre/core/utf8.h"

namespace lyre::assets {
namespace {

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '"' || c == '\'';
}

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    TomlScan run() {
        for (at_ = 0; at_ < text_.size() && !scan_.is_too_deep && !scan_.has_too_many;) step(text_[at_]);
        scan_.end = at_;
        return std::move(scan_);
    }

private:
    void step(char c) {
        switch (c) {
            case ' ':
            case '\t':
            case '\r':
                ++at_;
                return;
            case '\n':
                if (scan_.open.empty()) begin_statement();
                ++at_;
                return;
            case '#':
                at_ = std::min(text_.find('\n', at_), text_.size());
                return;
            default:
                break;
        }
        if (expects_statement_) {
            expects_statement_ = false;
            scan_.statement = at_;
            if (c == '[' && scan_.open.empty()) return begin_header();
        }
        if (expects_value_ && c != ']') scan_.value = at_;
        expects_value_ = false;
        if (c == '"' || c == '\'') return skip_string(c);
        structure(c);
        ++at_;
    }

    void structure(char c) {
        switch (c) {
            case '.':
                ++parts_;
                break;
            case '=':
                key_parts_ = parts_;
                count_value();
                expects_value_ = true;
                break;
            case '[':
            case '{':
                open(c);
                break;
            case ']':
            case '}':
                close();
                break;
            case ',':
                parts_ = key_parts_ = 0;
                count_value();
                (in_table() ? expects_statement_ : expects_value_) = !scan_.open.empty();
                break;
            default:
                break;
        }
        check_depth(level_ + parts_);
    }

    void begin_statement() {
        if (in_header_) level_ = 2 + parts_;
        in_header_ = false;
        expects_statement_ = true;
        expects_value_ = false;
        parts_ = key_parts_ = 0;
    }
    void begin_header() {
        scan_.header = at_;
        in_header_ = true;
        level_ = 1;
        at_ += text_.substr(at_, 2) == "[[" ? 2 : 1;
        const std::size_t name = text_.find_first_not_of(" \t", at_);
        const bool is_bad = name != std::string_view::npos && !begins_name(text_[name]);
        if (is_bad && scan_.bad_name == TomlScan::kNowhere) scan_.bad_name = name;
        count_value();
    }

    void open(char c) {
        if (in_header_) return;
        scan_.open.push_back(at_);
        added_.push_back(1 + key_parts_);
        level_ += added_.back();
        parts_ = key_parts_ = 0;
        count_value();
        (c == '{' ? expects_statement_ : expects_value_) = true;
    }
    void close() {
        expects_statement_ = false;
        if (in_header_ || scan_.open.empty()) return;
        level_ -= added_.back();
        added_.pop_back();
        scan_.open.pop_back();
    }
    bool in_table() const { return !scan_.open.empty() && text_[scan_.open.back()] == '{'; }

    void skip_string(char quote) {
        scan_.string = at_;
        const std::size_t width = is_three(quote) ? 3 : 1;
        for (at_ += width; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '\\' && quote == '"') {
                ++at_;
            } else if (c == '\n' && width == 1) {
                return;  // a mistake: the parser will stop here
            } else if (c == quote && (width == 1 || is_three(quote))) {
                at_ += width;
                for (int more = 0; width == 3 && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
                scan_.string = TomlScan::kNowhere;
                return;
            }
        }
        at_ = text_.size();
    }
    bool is_three(char quote) const {
        const std::string_view next = text_.substr(at_, 3);
        return next.size() == 3 && next[0] == quote && next[1] == quote && next[2] == quote;
    }

    void count_value() { scan_.has_too_many |= ++values_ > kMaxTomlValues; }
    void check_depth(std::size_t level) { scan_.is_too_deep |= level > Node::kMaxDepth; }

    std::string_view text_;
    std::size_t at_ = 0;
    TomlScan scan_;
    bool expects_statement_ = true, expects_value_ = false, in_header_ = false;
    std::size_t parts_ = 0;           // dots since the key (or anything else) began
    std::size_t key_parts_ = 0;       // of them, those before "="
    std::size_t level_ = 1;           // of the table or list that is open; the file's own table is the first
    std::vector<std::size_t> added_;  // levels per open bracket
    std::size_t values_ = 0;
};

}  // namespace

TomlScan scan_toml(std::string_view text) {
    return Scanner(text).run();
}

SourcePlace place_at(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return {.line = 1 + static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')),
            .column = 1 + static_cast<std::uint32_t>(count_characters(before.substr(line_begin))),
            .length = 1};
}

std::size_t offset_at(std::string_view text, const SourcePlace& place) {
    std::size_t offset = 0;
    for (std::uint32_t line = 1; line < place.line; ++line) {
        const auto end = text.find('\n', offset);
        if (end == std::string_view::npos) return text.size();
        offset = end + 1;
    }
    for (std::uint32_t column = 1; column < place.column && offset < text.size(); ++column)
        offset += first_character(text.substr(offset)).size;
    return offset;
}

}  // namespace lyre::assets
