#include "lyre/world/subsystem.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "lyre/world/runtime.h"
#include "lyre/world/world.h"

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
        if (void* object = find(type)) unmake(object);
    });
    listing_ = runtime_.types().listing_instances.add([this](const Type& type, std::vector<TypeUse>& uses) {
        if (std::find(in_hook_.begin(), in_hook_.end(), &type) != in_hook_.end())
            uses.push_back({fmt::format("subsystem {} is in one of its hooks", type.name), Owner::process()});
    });
    std::vector<Name> names;  // an initialize may register and remove types
    for (const Type* type : runtime_.types().all()) names.push_back(type->name);
    for (Name name : names)
        if (const Type* type = runtime_.types().find(name); type != nullptr && wants(*type) && find(*type) == nullptr)
            make(*type);
}

void Subsystems::end() {
    ended_ = true;
    added_.disconnect();
    const auto newest = [this] {
        return std::find_if(all_.rbegin(), all_.rend(), [](const Entry& entry) { return !entry.is_leaving; });
    };
    for (auto last = newest(); last != all_.rend(); last = newest()) unmake(last->object);
    removing_.disconnect();
    listing_.disconnect();
}

bool Subsystems::wants(const Type& type) const {
    const SubsystemInfo* info = info_of(type);
    return info != nullptr && !ended_ && !type.is_abstract && type.construct != nullptr &&
           info->is_of_world == (world_ != nullptr);
}

void Subsystems::make(const Type& type) {
    const SubsystemInfo& info = *info_of(type);
    void* object = nullptr;
    if (!guarded(runtime_, type, "constructor", [&] { object = type.make(); })) return;
    void* base = static_cast<char*>(object) + info.base_offset;
    if (world_ != nullptr)
        static_cast<WorldSubsystem*>(base)->world_ = world_;
    else
        static_cast<GameSubsystem*>(base)->game_ = game_;
    all_.push_back({&type, object, type.name});
    if (run(info.initialize, "initialize", type, object)) return;
    if (std::erase_if(all_, [&](const Entry& entry) { return entry.object == object; }) != 0) type.unmake(object);
}

void Subsystems::unmake(void* object) {
    const auto entry = std::find_if(all_.begin(), all_.end(), [&](const Entry& e) { return e.object == object; });
    if (entry->is_leaving) return;  // its deinitialize came back here
    entry->is_leaving = true;
    const Type& type = *entry->type;
    run(info_of(type)->deinitialize, "deinitialize", type, object);
    std::erase_if(all_, [&](const Entry& e) { return e.object == object; });
    type.unmake(object);
}

bool Subsystems::run(void (*hook)(void*), const char* name, const Type& type, void* object) {
    if (hook == nullptr) return true;
    std::optional<World::CallScope> scope;
    if (world_ != nullptr) scope.emplace(*world_);
    in_hook_.push_back(&type);
    const bool went_well = guarded(runtime_, type, name, [&] { hook(object); });
    in_hook_.pop_back();
    return went_well;
}

void* Subsystems::find(const Type& type) const {
    for (const Entry& entry : all_)
        if (entry.type == &type) return entry.object;
    return nullptr;
}

void* Subsystems::find(Name type, const std::type_info& native) const {
    for (const Entry& entry : all_)
        if (entry.name == type && *entry.type->native == native) return entry.object;
    return nullptr;
}

}  // namespace lyre::inline world
