#include "lyre/core/status.h"

namespace lyre::inline core {

std::string_view to_string(StatusCode code) {
    switch (code) {
        case StatusCode::Ok:
            return "ok";
        case StatusCode::InvalidArgument:
            return "invalid";
        case StatusCode::NotFound:
            return "not found";
        case StatusCode::AlreadyExists:
            return "already exists";
        case StatusCode::Refused:
            return "refused";
        case StatusCode::Capacity:
            return "capacity";
        case StatusCode::Cancelled:
            return "cancelled";
        case StatusCode::TimedOut:
            return "timed out";
        case StatusCode::Unavailable:
            return "unavailable";
        case StatusCode::Corrupt:
            return "corrupt";
        case StatusCode::Failed:
            return "failed";
    }
    return "unknown";
}

Status::Status(StatusCode code, std::string text)
    : code_(code), text_(std::make_shared<const std::string>(std::move(text))) {}

const std::string& Status::text() const {
    static const std::string none;
    return text_ ? *text_ : none;
}

std::string Status::to_string() const {
    if (is_ok()) return "ok";
    return fmt::format("{}: {}", core::to_string(code_), text());
}

}  // namespace lyre::inline core
