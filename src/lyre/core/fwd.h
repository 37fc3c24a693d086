// core/fwd.h: the names of core's types, for headers that only mention them.
#pragma once

namespace lyre::inline core {

class Name;
class Status;
template <class T> class Result;
struct Owner;
template <class Tag> struct Handle;
class Connection;
template <class... Args> class Delegate;
template <class... Args> class Latch;
class Type;
class TypeRegistry;
template <class T> class TypeBuilder;
class GameplayTag;
class TagContainer;
class TagCounts;
class TagQuery;
class TagTable;
class Variables;
class VariableLayer;
class Console;
class Log;
class Trace;
class Metrics;
class Clock;
class Random;
class RandomSource;
class Files;
class Executor;

}  // namespace lyre::inline core
