// core/status.h: the answer of everything that can fail for a reason outside the program.
//
// A Status is "ok" or a kind and a sentence that names the thing that failed. Result<T> is a value or such a Status.
// Ok costs no allocation. Copies share the text; a Status may go from one thread to another.
#pragma once

#include <fmt/core.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "lyre/core/assert.h"

namespace lyre::inline core {

enum class StatusCode : unsigned char {
    Ok,
    InvalidArgument,  // the caller gave something that can never work
    NotFound,         // a name or id that is not known (any more)
    AlreadyExists,    // the name is taken
    Refused,          // possible in principle, not now; the text says what stands in the way
    Capacity,         // a stated bound is reached
    Cancelled,        // given up before it was done; neither success nor failure
    TimedOut,
    Unavailable,  // the outside world did not answer: file, device, library
    Corrupt,      // the bytes are not what they should be
    Failed,       // code of a user failed (threw, returned an error)
};

std::string_view to_string(StatusCode code);

class [[nodiscard]] Status {
public:
    Status() = default;                         // ok
    Status(StatusCode code, std::string text);  // not inline: the text outlives the library of who made it

    static Status ok() { return {}; }
    template <class... Args> static Status invalid(fmt::format_string<Args...> f, Args&&... args) {
        return {StatusCode::InvalidArgument, fmt::format(f, std::forward<Args>(args)...)};
    }
    template <class... Args> static Status not_found(fmt::format_string<Args...> f, Args&&... args) {
        return {StatusCode::NotFound, fmt::format(f, std::forward<Args>(args)...)};
    }
    template <class... Args> static Status exists(fmt::format_string<Args...> f, Args&&... args) {
        return {StatusCode::AlreadyExists, fmt::format(f, std::forward<Args>(args)...)};
    }
    template <class... Args> static Status refused(fmt::format_string<Args...> f, Args&&... args) {
        return {StatusCode::Refused, fmt::format(f, std::forward<Args>(args)...)};
    }
    template <class... Args> static Status capacity(fmt::format_string<Args...> f, Args&&... args) {
        return {StatusCode::Capacity, fmt::format(f, std::forward<Args>(args)...)};
    }
    template <class... Args> static Status failed(fmt::format_string<Args...> f, Args&&... args) {
        return {StatusCode::Failed, fmt::format(f, std::forward<Args>(args)...)};
    }

    bool is_ok() const { return code_ == StatusCode::Ok; }
    explicit operator bool() const { return is_ok(); }
    StatusCode code() const { return code_; }
    const std::string& text() const;  // empty when ok
    std::string to_string() const;    // "not found: no class \"Crat\"", or "ok"

    // For the rare place where a failure is expected and of no interest.
    void ignore() const {}

private:
    StatusCode code_ = StatusCode::Ok;
    std::shared_ptr<const std::string> text_;
};

template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Status failure) : state_(std::in_place_index<1>, std::move(failure)) {
        LYRE_ASSERT(!std::get<1>(state_).is_ok(), "a Result without a value needs a Status that says why");
    }

    bool is_ok() const { return state_.index() == 0; }
    explicit operator bool() const { return is_ok(); }
    Status status() const { return is_ok() ? Status() : std::get<1>(state_); }

    // Who takes a value that is not there is told where, and why there is none.
    T& value(const char* file = __builtin_FILE(), int line = __builtin_LINE()) & { return checked(file, line); }
    const T& value(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const& {
        return const_cast<Result*>(this)->checked(file, line);
    }
    T value(const char* file = __builtin_FILE(), int line = __builtin_LINE()) && {
        return std::move(checked(file, line));
    }
    T& operator*() & { return checked(); }
    const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
    T operator*() && { return std::move(checked()); }
    T* operator->() { return &checked(); }
    const T* operator->() const { return &**this; }
    T value_or(T other) && { return is_ok() ? std::move(checked()) : std::move(other); }

private:
    T& checked(const char* file = __FILE__, int line = __LINE__) {
        if (!is_ok())
            assertion_failed("a Result was taken for its value", std::get<1>(state_).to_string().c_str(), file, line);
        return std::get<0>(state_);
    }
    std::variant<T, Status> state_;
};

}  // namespace lyre::inline core
