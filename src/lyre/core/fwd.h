// core/fwd.h: the names of core's types, for headers that only mention them.
#pragma once

#include <cstdint>

namespace lyre::inline core {

class Name;
class Status;
template <class T>
class Result;
struct Owner;
class OwnerScope;
template <class Tag>
struct Handle;
class Connection;
template <class... Args>
class Delegate;
template <class... Args>
class Latch;

}  // namespace lyre::inline core
