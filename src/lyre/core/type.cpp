#include "lyre/core/type.h"

#include <cmath>
#include <new>

namespace lyre::inline core {
namespace {

// Halves go away from zero, as on the wire.
template <class T> void hash_steps(T value, double step, Hasher& hasher) {
    const double steps = std::round(static_cast<double>(value) / step);
    hasher.value(std::isfinite(steps) ? steps : 0.0);
}

// A type's name and what lies behind it, so that a changed field of a nested struct changes the hash of its users.
std::string schema_name(const ValueType& type) {
    if (type.kind == ValueKind::List) return fmt::format("list<{}>", schema_name(*type.element));
    if (type.kind == ValueKind::Record) return fmt::format("{}@{:016x}", type.name, type.record().schema_hash);
    std::string text = type.name;
    for (const EnumValue& value : type.values) text += fmt::format("|{}={}", value.name, value.value);
    return text;
}

}  // namespace

Status PropertyInfo::check_range(const void* value) const {
    if (min == max || (type->kind != ValueKind::Integer && type->kind != ValueKind::Float)) return Status::ok();
    auto number = parse_float(type->print(value));
    if (number && *number >= min && *number <= max) return Status::ok();
    return Status::invalid("{} is {} to {}, not {}", name, min, max, type->print(value));
}

void PropertyInfo::hash(const void* object, Hasher& hasher) const {
    const void* value = in(object);
    const double step = quantisation.step;
    if (step > 0 && type->kind == ValueKind::Float) {
        type->size == sizeof(float) ? hash_steps(*static_cast<const float*>(value), step, hasher)
                                    : hash_steps(*static_cast<const double*>(value), step, hasher);
    } else if (step > 0 && type->kind == ValueKind::Vector) {
        const Vec3& v = *static_cast<const Vec3*>(value);
        for (float axis : {v.x, v.y, v.z}) hash_steps(axis, step, hasher);
    } else {
        type->hash(value, hasher);
    }
}

Type::Type() = default;

Type::~Type() {
    if (defaults != nullptr) unmake(defaults);
}

void* Type::make() const {
    void* place = ::operator new(size, std::align_val_t(alignment));
    try {
        construct(place);
    } catch (...) {
        ::operator delete(place, std::align_val_t(alignment));
        throw;
    }
    return place;
}

void Type::unmake(void* object) const {
    destruct(object);
    ::operator delete(object, std::align_val_t(alignment));
}

const PropertyInfo* Type::find_property(Name name) const {
    for (const PropertyInfo& property : properties)
        if (property.name == name) return &property;
    return nullptr;
}

const TypeHook* Type::find_hook(Name wanted, Name argument) const {
    for (auto hook = hooks.rbegin(); hook != hooks.rend(); ++hook)
        if (hook->name == wanted && hook->argument == argument) return &*hook;
    return nullptr;
}

const RemoteInfo* Type::find_remote(const void* key) const {
    for (const RemoteInfo& remote : remotes)
        if (remote.key == key) return &remote;
    return nullptr;
}

std::string Type::canonical_text() const {
    std::string text = fmt::format("type {}\nparent {}\n", name, parent != nullptr ? parent->name : Name());
    for (const PropertyInfo& p : properties) {
        fmt::format_to(std::back_inserter(text),
                       "property {} {} step {} range {} {} condition {} notify {} group {} replicated {}\n", p.name,
                       schema_name(*p.type), p.quantisation.step, p.quantisation.min, p.quantisation.max,
                       static_cast<int>(p.condition), p.notify ? 1 : 0, p.group, p.replicated ? 1 : 0);
    }
    if (extension) extension->append_schema(text);
    for (const RemoteInfo& r : remotes) {
        fmt::format_to(std::back_inserter(text), "remote {} target {} reliable {} quota {}", r.name,
                       static_cast<int>(r.target), r.reliable ? 1 : 0, r.quota);
        for (const ValueType* parameter : r.parameters) text += " " + schema_name(*parameter);
        text += '\n';
    }
    return text;
}

}  // namespace lyre::inline core
