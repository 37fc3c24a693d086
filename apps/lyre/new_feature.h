// apps/lyre/new_feature.h: the files of a new feature. What is written in them stands in new_feature.cpp and nowhere
// else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lyre::app {

struct NewFile {
    std::string path;  // in the feature's folder
    std::string text;
};

std::vector<NewFile> new_feature(std::string_view name);  // [a-z][a-z0-9_]*
std::string class_prefix(std::string_view name);          // "CaptureFlag" of capture_flag

}  // namespace lyre::app
