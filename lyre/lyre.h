// lyre.h: all of Lyre at once, for a game that starts with it and for trying things out.
//
// Code of the library, the apps and the features includes the headers it uses instead: it compiles faster and shows
// what it depends on. tools/check_headers keeps the list below complete.
#pragma once

#include "lyre/core/assert.h"
#include "lyre/core/delegate.h"
#include "lyre/core/fwd.h"
#include "lyre/core/handle.h"
#include "lyre/core/hash.h"
#include "lyre/core/math.h"
#include "lyre/core/name.h"
#include "lyre/core/owner.h"
#include "lyre/core/status.h"
