#include <cstdio>

#include "lyre/lyre.h"

int main() {
    lyre::Delegate<lyre::Name> joined;
    lyre::Connection greeting = joined.add([](lyre::Name who) { std::printf("hello %s\n", who.text().data()); });
    joined.broadcast(lyre::Name("orpheus"));
    std::printf("%s\n", lyre::Status::not_found("no player \"{}\"", lyre::Name("eurydice")).to_string().c_str());
}
