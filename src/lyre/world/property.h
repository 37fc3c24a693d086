// world/property.h: a member whose writes are noticed.
//
//     Property<float> health = 100;        // in an actor or component; described with t.property("health", &T::health)
//     health = 60;                         // marks it: replication sends it, hashes follow it
//     health = 60;                         // equal: marks nothing
//     scores.edit()->push_back(3);         // larger values: compared at the end of the statement
//
// Four bytes beside the value lead back to the object: where it is and which property this is. They are filled in when
// the object is made; before that (in a constructor) a write marks nothing. Reading is reading the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "lyre/world/object.h"

namespace lyre::inline world {

struct PropertyBinding {
    std::int16_t to_object = 0;  // bytes from the Object to the property; 0: not bound
    std::uint8_t index = 0;
};

template <class T> class Property {
public:
    Property() { core::detail::TrackedRecorder::note(this); }
    Property(T value) : value_(std::move(value)) { core::detail::TrackedRecorder::note(this); }
    Property(const Property& other) : value_(other.value_) { core::detail::TrackedRecorder::note(this); }
    Property& operator=(const Property& other) { return *this = other.value_; }
    Property& operator=(const T& value) {
        set(value);
        return *this;
    }

    const T& get() const { return value_; }
    operator const T&() const { return value_; }
    const T* operator->() const { return &value_; }

    bool set(const T& value) {  // says whether it changed
        if (value_type_equal(value_, value)) return false;
        value_ = value;
        mark();
        return true;
    }
    Property& operator+=(const T& by) { return *this = static_cast<T>(value_ + by); }
    Property& operator-=(const T& by) { return *this = static_cast<T>(value_ - by); }
    Property& operator++() { return *this += T{1}; }
    Property& operator--() { return *this -= T{1}; }

    // Marks at its end if the value is another one then.
    class Edit {
    public:
        explicit Edit(Property& property) : property_(property), before_(property.value_) {}
        Edit(const Edit&) = delete;
        Edit& operator=(const Edit&) = delete;
        ~Edit() {
            if (!value_type_equal(property_.value_, before_)) property_.mark();
        }
        T* operator->() { return &property_.value_; }
        T& operator*() { return property_.value_; }

    private:
        Property& property_;
        T before_;
    };
    Edit edit() { return Edit(*this); }

private:
    template <class M> friend struct core::MemberTraits;
    static bool value_type_equal(const T& a, const T& b) {
        if constexpr (requires { ValueTraits<T>::equal(a, b); })  // lists and records, which may have no ==
            return ValueTraits<T>::equal(a, b);
        else
            return a == b;
    }
    void mark() {
        if (binding_.to_object == 0) return;
        reinterpret_cast<Object*>(reinterpret_cast<char*>(this) - binding_.to_object)->mark(binding_.index);
    }

    T value_{};
    PropertyBinding binding_;
};

}  // namespace lyre::inline world

template <class T> struct lyre::core::MemberTraits<lyre::world::Property<T>> {
    using Value = T;
    static constexpr std::size_t kBindingOffset = (sizeof(T) + alignof(lyre::world::PropertyBinding) - 1) /
                                                  alignof(lyre::world::PropertyBinding) *
                                                  alignof(lyre::world::PropertyBinding);
};
