// apps/lyre/terminal.h: the terminal while a live view is on it, what is written, and the signals that end a command.
//
// A Terminal shows pages on the alternate screen and reads keys; whatever happens, the screen that was there comes
// back: at its end, when the program is stopped with Ctrl-Z, when a rule is broken, when it crashes or exits, when a
// second signal ends it at once. What is said of a crash is said afterwards, where it can be read. Ctrl-Z stops only
// where somebody can continue it: where no shell waits for it, it goes on.
//
// SIGINT, SIGTERM and SIGHUP are requests to end. One ends the process with 130 on the spot, unless its command hears
// them: then the first is seen by is_end_requested(), and the second ends it so. While a Terminal shows pages Ctrl-S
// is a key without a meaning. All of this is the process's own, so there is one Terminal at a time.
//
// Who reads what is written may have stopped (Ctrl-S, a pager, a window that hangs): it is waited for, but who wants an
// end gets it. What finds no room for 5 s then, and all that comes after it, is left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lyre::app {

// Once, first of all, before anything is written. `tell` says, in a signal's handler, that it ends.
void watch_end_requests(bool is_first_heard, void (*tell)());
bool is_end_requested();
bool has_hung_up();          // by SIGHUP: there may be nobody any more to write to
void end_at_next_request();  // as if the first had come already

bool write_all(int file, std::string_view text);      // false: it could not be, or nobody took it
void write_if_room(int file, std::string_view text);  // waits for nobody: what a signal's handler may say
bool has_nobody_read();                               // something was left out

// Keys that a terminal sends as several characters are told as the one that means the same in a shell: Ctrl-A is Home.
enum Key : char {
    kHome = 'A' & 0x1F,
    kLeft = 'B' & 0x1F,
    kDelete = 'D' & 0x1F,
    kEnd = 'E' & 0x1F,
    kRight = 'F' & 0x1F,
    kDown = 'N' & 0x1F,
    kUp = 'P' & 0x1F,
    kEscape = 27,
};

class Terminal {
public:
    static bool is_possible();  // stdin and stdout are one, and it can move its cursor

    Terminal();
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    struct Size {
        int columns = 80;
        int lines = 24;
    };
    Size size() const;  // at most 1000 x 400, and of a larger one that corner

    void show(const std::string& page);  // all lines of it, from the top; it fits the size
    // Waits for a key at most so long. 0: none came, or one that is none of the above.
    char wait_for_key(std::int64_t us);

private:
    char wait_for_character(std::int64_t us);
    char rest_of_sequence();

    char next_ = 0;  // was read to see whether it belongs to the one before
};

}  // namespace lyre::app
