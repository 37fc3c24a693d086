// bots.cpp: what the feature bots brings in code: who the bots are called, and what steers them (poet.h).
#include "lyre/gameplay/bots.h"

#include "lyre/features/registrar.h"

#include "game/bots/poet.h"

namespace plectrum {
namespace {

class PoetCreation : public BotCreation {
public:
    using Described = PoetCreation;
    static void describe(TypeBuilder<PoetCreation>& t) {
        t.help("makes poets");
        t.parent<BotCreation>();
    }
    void begin_play() {
        controller_class = Name("Poet");
        names = {"Sappho",    "Arion",       "Corinna",   "Pindar",       "Praxilla",   "Ibycus",      "Telesilla",
                 "Alcman",    "Anyte",       "Orpheus",   "Nossis",       "Terpander",  "Erinna",      "Hesiod",
                 "Moero",     "Bacchylides", "Myrtis",    "Simonides",    "Cleobulina", "Stesichorus", "Hedyle",
                 "Alcaeus",   "Melinno",     "Anacreon",  "Megalostrata", "Tyrtaeus",   "Boeo",        "Solon",
                 "Charixena", "Mimnermus",   "Damophyla", "Lasus"};
        BotCreation::begin_play();
    }

    // Not before they are made: what an experience sets comes after its features have begun.
    std::int64_t own_count() const override { return count_.get(world()); }

private:
    Setting<std::int64_t> count_{"bots.Count"};
};

}  // namespace
}  // namespace plectrum

LYRE_FEATURE(bots) {
    feature.types<plectrum::Poet, plectrum::PoetCreation>();
}
