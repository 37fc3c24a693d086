// assets/content_walk.h: what an object that was read from content holds, found by going through it once.
//
// Its hash (C-19) is over values in the order of their description, with assets by id and tags by text: neither the
// order of keys, nor comments, nor whether a default was written out changes it. Reads only what it is given: any
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "lyre/assets/asset_source.h"

namespace lyre::assets {

struct ContentWalk {
    std::uint64_t hash = 0;
    std::uint64_t bytes = 0;  // of memory; lists as if they had no room to spare
    std::vector<AssetReference> references;
    std::vector<ContentHook> bundle_hooks;
    std::vector<const Type*> part_types;  // of parts inside, each once
};

// `reading` is what `object` was read with, from `tree`, without problems; its lookups know tags that the object will
// have only when it is linked.
ContentWalk walk_content(const Type& type, const void* object, const Node& tree, const Reading& reading);

}  // namespace lyre::assets
