#include "lyre/world/subsystem.h"

#include <exception>
#include <new>

#include "lyre/world/runtime.h"

namespace lyre::inline world {
namespace {

const SubsystemInfo* info_of(const Type& type) {
    return dynamic_cast<const SubsystemInfo*>(type.extension.get());
}

// User code: what it throws is reported under its type's name.
template <class Call> bool guarded(Runtime& runtime, const Type& type, const char* hook, Call call) {
    const OwnerScope as(type.owner);
    std::string what = "an exception";
    try {
        call();
        return true;
    } catch (const std::exception& error) {
        what = error.what();
    } catch (...) {
    }
    runtime.log().report(LogLevel::Error, Name("world.callback"), type.name.text(),
                         fmt::format("{} threw: {}", hook, what));
    return false;
}

}  // namespace

void WorldSubsystem::describe(TypeBuilder<WorldSubsystem>& t) {
    t.help("there is one in each world");
    t.abstract();
}

void GameSubsystem::describe(TypeBuilder<GameSubsystem>& t) {
    t.help("there is one in each game instance");
    t.abstract();
}

Subsystems::Subsystems(Runtime& runtime, World& world) : Subsystems(runtime, &world, nullptr) {}

Subsystems::Subsystems(Runtime& runtime, GameInstance& game) : Subsystems(runtime, nullptr, &game) {}

Subsystems::Subsystems(Runtime& runtime, World* world, GameInstance* game)
    : runtime_(runtime), world_(world), game_(game) {}

Subsystems::~Subsystems() {
    end();
}

void Subsystems::begin() {
    added_ = runtime_.types().added.add([this](const Type& type) {
        if (wants(type)) make(type);
    });
    removing_ = runtime_.types().removing.add([this](const Type& type) {
        for (std::size_t i = all_.size(); i-- > 0;)
            if (all_[i].type == &type) unmake(i);
    });
    const auto types = runtime_.types().all();  // a copy: an initialize may register more
    for (const Type* type : types)
        if (wants(*type) && find(type->name) == nullptr) make(*type);
}

void Subsystems::end() {
    added_.disconnect();
    while (!all_.empty()) unmake(all_.size() - 1);
    removing_.disconnect();
}

bool Subsystems::wants(const Type& type) const {
    const SubsystemInfo* info = info_of(type);
    return info != nullptr && !type.is_abstract && type.construct != nullptr &&
           info->is_of_world == (world_ != nullptr);
}

void Subsystems::make(const Type& type) {
    const SubsystemInfo& info = *info_of(type);
    void* object = ::operator new(type.size, std::align_val_t(type.alignment));
    if (!guarded(runtime_, type, "constructor", [&] { type.construct(object); })) {
        ::operator delete(object, std::align_val_t(type.alignment));
        return;
    }
    void* base = static_cast<char*>(object) + info.base_offset;
    if (world_ != nullptr)
        static_cast<WorldSubsystem*>(base)->world_ = world_;
    else
        static_cast<GameSubsystem*>(base)->game_ = game_;
    all_.push_back({&type, object});
    if (info.initialize != nullptr && !guarded(runtime_, type, "initialize", [&] { info.initialize(object); })) {
        for (std::size_t i = all_.size(); i-- > 0;)
            if (all_[i].object == object) {
                all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
                type.destruct(object);
                ::operator delete(object, std::align_val_t(type.alignment));
            }
    }
}

void Subsystems::unmake(std::size_t index) {
    const Entry entry = all_[index];
    const SubsystemInfo& info = *info_of(*entry.type);
    if (info.deinitialize != nullptr)
        guarded(runtime_, *entry.type, "deinitialize", [&] { info.deinitialize(entry.object); });
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (all_[i].object == entry.object) all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
    entry.type->destruct(entry.object);
    ::operator delete(entry.object, std::align_val_t(entry.type->alignment));
}

void* Subsystems::find(Name type) const {
    for (const Entry& entry : all_)
        if (entry.type->name == type) return entry.object;
    return nullptr;
}

}  // namespace lyre::inline world
