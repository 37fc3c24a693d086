// core/suggest.h: what an error says about a name somebody typed: the name, and the known one it may have meant.
//
//     Status::not_found("no variable {}{}", in_quotes(wanted), did_you_mean(nearest(wanted, names)));
//     // no variable "net.rat"; did you mean "net.rate"?
//
// Near is counted in edits: a character added, left out, replaced, or swapped with its neighbour; letters differing
// only in case are equal. A third of the wanted text may be wrong, never more than four edits and never all of it.
// Among equally near names the first in alphabet wins, so the answer does not depend on the order of the candidates.
// Safe on hostile text. Made for error paths: a thousand candidates take half a millisecond.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lyre::inline core {

// Takes candidates one by one, for those who have no list of text. Keeps views: candidates must outlive it.
class Nearest {
public:
    static constexpr std::size_t kMaxLength = 255;  // bytes; longer text is near to nothing

    explicit Nearest(std::string_view wanted);
    void consider(std::string_view candidate);
    std::string_view best() const { return best_; }  // empty if nothing is near enough

private:
    std::string_view wanted_;
    std::string_view best_;
    std::size_t limit_;  // edits a better candidate may need
};

// `candidates`: any range of what converts to string_view.
template <class Range> std::string_view nearest(std::string_view wanted, const Range& candidates) {
    Nearest search(wanted);
    for (const auto& candidate : candidates) search.consider(candidate);
    return search.best();
}

// The text in quotes, cut after 64 bytes and without control characters, so that it cannot flood or garble a log.
std::string in_quotes(std::string_view text);

// A hint to a name that nobody has: `did you mean "X"?`; where none is near, what there is: `there are A, B and C`, at
// most eight and as many as fit on a line, then how many more there are and which command lists them.
std::string name_hint(std::string_view wanted, std::vector<std::string_view> known, std::string_view command = {});

// `; did you mean "X"?`, to stand behind an error; nothing if there is no suggestion.
std::string did_you_mean(std::string_view suggestion);

}  // namespace lyre::inline core
