#include "apps/lyre/console_line.h"

#include <algorithm>
#include <utility>

#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

constexpr char kBackspace = 127, kCutRest = 'K' & 0x1F, kCutBegin = 'U' & 0x1F, kCutWord = 'W' & 0x1F;

bool is_inside_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// How many bytes all of them begin with.
std::size_t common(const std::vector<std::string>& texts) {
    std::size_t size = texts.front().size();
    for (const std::string& text : texts) {
        const auto end = std::mismatch(text.begin(), text.end(), texts.front().begin(), texts.front().end()).first;
        size = std::min(size, static_cast<std::size_t>(end - text.begin()));
    }
    while (size > 0 && size < texts.front().size() && is_inside_character(texts.front()[size])) --size;
    return size;
}

}  // namespace

void ConsoleLine::begin() {
    text_.clear();
    cursor_ = 0;
    choices_.clear();
    recalled_ = remembered_.size();
}

std::string ConsoleLine::take() {
    std::string line = std::exchange(text_, {});
    if (line.find_first_not_of(' ') != std::string::npos) {
        std::erase(remembered_, line);
        remembered_.push_back(line);
        if (remembered_.size() > kMaxRemembered) remembered_.erase(remembered_.begin());
    }
    begin();
    return line;
}

void ConsoleLine::press(char key) {
    choices_.clear();
    switch (key) {
        case kHome:
            cursor_ = 0;
            return;
        case kEnd:
            cursor_ = text_.size();
            return;
        case kLeft:
            cursor_ = before(cursor_);
            return;
        case kRight:
            cursor_ = behind(cursor_);
            return;
        case '\b':
        case kBackspace:
            return erase(before(cursor_), cursor_);
        case kDelete:
            return erase(cursor_, behind(cursor_));
        case kCutBegin:
            return erase(0, cursor_);
        case kCutRest:
            return erase(cursor_, text_.size());
        case kCutWord: {
            std::size_t begin = cursor_;
            while (begin > 0 && text_[begin - 1] == ' ') --begin;
            while (begin > 0 && text_[begin - 1] != ' ') --begin;
            return erase(begin, cursor_);
        }
        case kUp:
            if (recalled_ > 0) recall(recalled_ - 1);
            return;
        case kDown:
            if (recalled_ < remembered_.size()) recall(recalled_ + 1);
            return;
        case '\t':
            return complete();
        default:
            if (static_cast<unsigned char>(key) >= ' ') insert({&key, 1});
    }
}

void ConsoleLine::insert(std::string_view text) {
    if (text_.size() + text.size() > kMaxBytes) return;
    text_.insert(cursor_, text);
    cursor_ += text.size();
}

void ConsoleLine::erase(std::size_t begin, std::size_t end) {
    text_.erase(begin, end - begin);
    cursor_ = begin;
}

// Behind the newest stands what was being written when the first of them was recalled.
void ConsoleLine::recall(std::size_t at) {
    if (recalled_ == remembered_.size()) draft_ = text_;
    recalled_ = at;
    text_ = at == remembered_.size() ? draft_ : remembered_[at];
    cursor_ = text_.size();
}

void ConsoleLine::complete() {
    const std::string_view written = std::string_view(text_).substr(0, cursor_);
    std::vector<std::string> words;
    std::string word;
    for (const char c : written)
        if (c != ' ')
            word += c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    std::vector<std::string> all = candidates_(words);
    std::erase_if(all, [&](const std::string& one) { return !one.starts_with(word) || one.find(' ') != one.npos; });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.empty()) return;
    const std::size_t size = common(all);
    insert(std::string_view(all.front()).substr(word.size(), size - word.size()));
    if (all.size() == 1)
        insert(" ");
    else if (size == word.size())
        choices_ = std::move(all);
}

std::size_t ConsoleLine::before(std::size_t at) const {
    if (at > 0) --at;
    while (at > 0 && is_inside_character(text_[at])) --at;
    return at;
}

std::size_t ConsoleLine::behind(std::size_t at) const {
    if (at < text_.size()) ++at;
    while (at < text_.size() && is_inside_character(text_[at])) ++at;
    return at;
}

}  // namespace lyre::app
