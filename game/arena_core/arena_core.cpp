// arena_core.cpp: what the feature arena_core brings in code.
#include "lyre/features/registrar.h"

#include "game/arena_core/hero.h"
#include "game/arena_core/match.h"

// The roster's class comes first: it ticks before whoever asks it.
LYRE_FEATURE(arena_core) {
    using namespace plectrum;
    feature.types<Steering, HeroTrait, Roster, Objectives, MatchFlow, Ballot>();
    feature.types<RosterBook, HeroWalk, ArenaInput, ArenaHero, ArenaTeams, ArenaSpawning, ArenaMatch, VoteBox>();
}
