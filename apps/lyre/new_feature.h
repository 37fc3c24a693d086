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

// `lyre`: how people call the command where the feature is.
std::vector<NewFile> new_feature(std::string_view name, std::string_view lyre);  // [a-z][a-z0-9_]*
std::string class_prefix(std::string_view name);  // "CaptureFlag" of capture_flag; another one for another name
std::string title_of(std::string_view name);      // "Capture flag" of capture_flag

}  // namespace lyre::app
