// session/why.h: why is it so: one question in words, answered by the room that knows.
//
//     why experience               which was chosen and by whom, what it waits for, why it failed
//     why actor ID                 how far its parts are and what they wait for, and what features want of it
//     why component ID NAME        who brought it, or why it is not there
//     why feature NAME             what it does, waits for, holds, and who holds it
//
// An actor's ID is #index.generation as it is printed, #index for the one that lives now, or the name of a player,
// which means the player's pawn, or the PlayerState of one who has none. What begins with # or is of digits and dots
// alone has to be an id. Asking changes nothing. Frame's thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/session/standalone.h"

namespace lyre::session {

struct WhyAnswer {
    std::string text{};  // lines, broken at 80 columns where there is a blank, each ended
    std::string json{};  // one document: topic, text, and the report behind it
};

std::vector<std::string_view> why_topics();  // "actor", ...: the first word of one
// Whether the words are a topic, before there is a match to ask about.
Status check_topic(std::span<const std::string> topic);
// InvalidArgument: words that are no topic; NotFound: what is not there, with the nearest; Refused: an actor that is
// not there while no experience plays, with what it waits for or why it failed.
Result<WhyAnswer> why(const Standalone& game, std::span<const std::string> topic);

}  // namespace lyre::session
