#include "lyre/features/side.h"

namespace lyre::features {

std::string_view to_string(Side side) {
    switch (side) {
        case Side::Both:
            return "both";
        case Side::Client:
            return "client";
        case Side::Server:
            return "server";
    }
    return "";
}

}  // namespace lyre::features
