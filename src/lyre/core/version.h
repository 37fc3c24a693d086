// core/version.h: which lyre this is. The build reads these lines; nothing else says it.
//
// Below 1.0 a minor version is another ABI: a program and its features are built for the same one.
#pragma once

#define LYRE_VERSION_MAJOR 0
#define LYRE_VERSION_MINOR 1
#define LYRE_VERSION_PATCH 0

#define LYRE_TO_TEXT_(number) #number
#define LYRE_TO_TEXT(number) LYRE_TO_TEXT_(number)
#define LYRE_VERSION \
    LYRE_TO_TEXT(LYRE_VERSION_MAJOR) "." LYRE_TO_TEXT(LYRE_VERSION_MINOR) "." LYRE_TO_TEXT(LYRE_VERSION_PATCH)
