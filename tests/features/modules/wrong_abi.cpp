// Says that it was built for another lyre.
#include "lyre/features/module.h"

using namespace lyre::features;

extern "C" const ModuleEntry lyre_feature_entry;
extern "C" const ModuleEntry lyre_feature_entry = {
    kAbiNumber, sizeof(ModuleEntry), 0xABCD, "lyre 0.0; a compiler of old", "empty", "1.0.0", [](Registrar&) {}};
