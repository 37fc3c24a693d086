// Features whose code is a shared library: in memory while they are registered, and really gone after.
//
// The soak runs 300 cycles; LYRE_LONG_TESTS=1 makes it 10,000 and looks closer at the memory of the process.
#include <dlfcn.h>
#include <unistd.h>

#include "lyre/core/files_native.h"

#include "tests/effort.h"
#include "tests/features/household.h"
#include "tests/features/small_house.h"

namespace lyre::features {
namespace native_test {

const Name kGood("good");
const std::string kLibrary = std::string(LYRE_MODULE_FOLDER) + "/libgood.so";

// A features root on disk with the feature `good`, whose library can be exchanged.
class Workshop {
public:
    explicit Workshop(const std::string& actions = "", std::function<StepFault(Name, FeatureState)> faults = {})
        : actions_(actions) {
        std::string text = "/tmp/lyre_features_XXXXXX";
        root_ = ::mkdtemp(text.data());
        std::filesystem::create_directories(root_ + "/good/content");
        std::ofstream(root_ + "/good/content/lamp.archetype.toml") << "parent = \"GoodLamp\"\n";
        std::ofstream(root_ + "/good/content/fair.good_rules.toml") << "steps = [1, 2]\n";
        install("1.0.0", kLibrary);
        EXPECT_TRUE(framework::add_framework(runtime).is_ok());
        EXPECT_TRUE(add_builtin_actions(runtime).is_ok());
        EXPECT_TRUE(runtime.types().add<Fighter>().is_ok());
        EXPECT_TRUE(assets.types().add<ArchetypeDef>("archetype", assets::Makes::Classes).is_ok());
        features = std::make_unique<Features>(FeaturesSetup{runtime, assets, files, modules, nullptr, faults});
        const Problems problems = features->discover(root_);
        EXPECT_TRUE(problems.is_empty()) << problems.to_text();
        game.open_world({.name = Name("arena")}).begin_play();
    }
    ~Workshop() {
        features.reset();
        std::filesystem::remove_all(root_);
    }
    std::string library() const { return root_ + "/good/libgood.so"; }
    // As an installer does: by rename.
    void install(const std::string& version, const std::string& from) {
        std::ofstream(root_ + "/good/feature.toml.new")
            << fmt::format("id = \"good\"\nversion = \"{}\"\n[module]\nname = \"good\"\n{}", version, actions_);
        std::filesystem::rename(root_ + "/good/feature.toml.new", root_ + "/good/feature.toml");
        std::filesystem::copy_file(from, library() + ".new");
        std::filesystem::rename(library() + ".new", library());
    }
    void frame() {
        executor.poll();
        assets.pump();
        features->update();
    }
    void until(FeatureState state) {
        for (int i = 0; i < 50 && features->state(kGood) != state; ++i) frame();
        ASSERT_EQ(features->state(kGood), state) << features->explain(kGood);
    }
    // What code of the library does when it calls out.
    void at_call(void (*call)()) {
        void* open = dlopen(library().c_str(), RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(open, nullptr) << dlerror();
        *static_cast<void (**)()>(dlsym(open, "good_calls")) = call;
        dlclose(open);
    }
    const std::string& root() const { return root_; }
    World& world() { return *game.world(); }
    std::string version() { return runtime.console().execute("good.version").text; }

    VirtualClock clock;
    Runtime runtime{clock};
    RealFiles files;
    VirtualExecutor executor{clock, {.workers = 4}};
    assets::Assets assets{{runtime.types(), runtime.tags(), runtime.log(), clock, files, executor}};
    NativeModules modules;
    GameInstance game{runtime};
    std::unique_ptr<Features> features;

private:
    std::string root_, actions_;
};

TEST(NativeFeatures, its_library_is_in_memory_while_it_is_registered_and_leaves_with_it) {
    // F-69, F-65, F-26
    Workshop shop("[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"GoodPower\"\n");
    EXPECT_FALSE(is_mapped(shop.library()));
    FeatureHold hold = shop.features->acquire(kGood, shop.world().owner(), Destination::Active);
    shop.until(FeatureState::Active);
    EXPECT_TRUE(is_mapped(shop.library()));
    const ActorId fighter = *shop.world().spawn<Fighter>();
    EXPECT_EQ(shop.world().component_count(), 1u);
    const ActorId lamp = *shop.world().spawn("lamp");
    for (int i = 0; i < 120; ++i) shop.world().tick();
    hold.release();
    for (int i = 0; i < 5; ++i) shop.frame();
    EXPECT_EQ(shop.features->state(kGood), FeatureState::Registered);  // the lamp lives
    EXPECT_TRUE(is_mapped(shop.library()));
    shop.world().destroy(lamp);
    shop.until(FeatureState::Installed);
    EXPECT_FALSE(is_mapped(shop.library()));
    EXPECT_TRUE(shop.features->ledger(kGood).empty());
    for (int i = 0; i < 120; ++i) shop.world().tick();  // nothing of it is called any more
    EXPECT_NE(shop.world().find(fighter), nullptr);
}

TEST(NativeFeatures, a_changed_library_is_reloaded_in_the_running_process_and_a_broken_one_is_not) {
    // X-119, F-66
    Workshop shop;
    FeatureHold hold = shop.features->acquire(kGood, shop.world().owner(), Destination::Active);
    shop.until(FeatureState::Active);
    EXPECT_EQ(shop.version(), "1.0.0");
    shop.install("2.0.0", std::string(LYRE_MODULE_FOLDER) + "/next/libgood.so");
    std::optional<FeatureResult> answer;
    shop.features->reload(kGood, [&](const FeatureResult& result) { answer = result; });
    for (int i = 0; i < 20 && !answer; ++i) shop.frame();
    ASSERT_TRUE(answer.has_value()) << shop.features->explain(kGood);
    EXPECT_TRUE(answer->is_ok()) << answer->to_string();
    EXPECT_EQ(shop.version(), "2.0.0");
    shop.install("3.0.0", std::string(LYRE_MODULE_FOLDER) + "/libno_entry.so");
    answer.reset();
    shop.features->reload(kGood, [&](const FeatureResult& result) { answer = result; });
    for (int i = 0; i < 20 && !answer; ++i) shop.frame();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->error->code, ErrorCode::ModuleNoEntry) << answer->to_string();
    EXPECT_EQ(shop.features->state(kGood), FeatureState::Active);
    EXPECT_EQ(shop.version(), "2.0.0");  // from the bytes that were open before
    hold.release();
    shop.until(FeatureState::Installed);
    EXPECT_FALSE(is_mapped(shop.library()));
}

Workshop* the_shop = nullptr;

TEST(NativeFeatures, a_climb_that_its_own_command_cancels_is_undone_and_closed_when_the_command_is_over) {
    // F-70, F-14
    Workshop shop;
    the_shop = &shop;
    shop.executor.hold("lamp.archetype");
    std::optional<FeatureResult> answer;
    shop.features->activate(kGood, [&](const FeatureResult& result) { answer = result; });
    ASSERT_EQ(shop.features->state(kGood), FeatureState::Registering);
    shop.at_call([] {
        the_shop->features->cancel(kGood);
        EXPECT_EQ(the_shop->features->state(kGood), FeatureState::Installed);
        EXPECT_TRUE(is_mapped(the_shop->library()));
    });
    EXPECT_EQ(shop.runtime.console().execute("good.call").text, "1.0.0");
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(answer->is_cancelled());
    shop.frame();
    EXPECT_FALSE(is_mapped(shop.library()));
    EXPECT_TRUE(shop.features->ledger(kGood).empty());
    shop.executor.release("lamp.archetype");
    shop.features->activate(kGood);
    shop.until(FeatureState::Active);
}

TEST(NativeFeatures, what_code_asks_for_when_it_has_gone_already_is_not_answered_to_it) {
    // F-70, F-26, F-74
    Workshop shop;
    the_shop = &shop;
    static std::shared_ptr<int> kept;
    kept = std::make_shared<int>(0);
    shop.executor.hold("lamp.archetype");
    shop.features->activate(kGood);
    shop.at_call([] {
        the_shop->features->cancel(kGood);
        EXPECT_TRUE(the_shop->features->ledger(kGood).empty());
        the_shop->features->activate(kGood, [mine = kept](const FeatureResult&) { ++*mine; });
    });
    EXPECT_TRUE(shop.runtime.console().execute("good.call").status.is_ok());
    EXPECT_EQ(kept.use_count(), 2);
    shop.executor.release("lamp.archetype");
    shop.until(FeatureState::Active);  // with the library opened anew
    EXPECT_EQ(*kept, 0);
    EXPECT_EQ(kept.use_count(), 1);
}

TEST(NativeFeatures, one_that_unloads_itself_inside_a_hook_of_another_waits_for_the_next_update) {
    // F-70, F-69
    Workshop shop("[[action]]\nkind = \"good_glow\"\nlabel = \"warm\"\n");
    the_shop = &shop;
    std::filesystem::create_directories(shop.root() + "/other/content");
    std::ofstream(shop.root() + "/other/content/keg.archetype.toml") << "parent = \"Fighter\"\n";
    std::ofstream(shop.root() + "/other/feature.toml") << "id = \"other\"\nversion = \"1.0.0\"\n[[action]]\nkind = "
                                                          "\"spawn_actors\"\nclass = \"keg\"\nat = [0, 0, 0]\n";
    ASSERT_TRUE(shop.features->discover(shop.root()).is_empty());
    shop.features->activate(kGood);
    shop.until(FeatureState::Active);
    static int calls = 0;
    calls = 0;
    shop.at_call([] {
        if (++calls == 1) the_shop->features->unload(kGood);
        EXPECT_TRUE(is_mapped(the_shop->library()));
    });
    shop.features->activate(Name("other"));
    ASSERT_NE(shop.features->state(Name("other")), FeatureState::Active);  // it comes up in an update
    for (int i = 0; i < 10; ++i) shop.frame();
    EXPECT_EQ(shop.features->state(Name("other")), FeatureState::Active);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(shop.features->state(kGood), FeatureState::Installed);
    EXPECT_FALSE(shop.features->report(kGood).is_resident);
    EXPECT_EQ(shop.runtime.log().count(Name("feature.resident")), 0u);
    EXPECT_FALSE(is_mapped(shop.library()));
}

TEST(NativeFeatures, one_that_is_ended_leaves_no_library_behind) {
    // X-120, F-69
    Workshop shop;
    shop.features->activate(kGood);
    shop.until(FeatureState::Active);
    EXPECT_TRUE(is_mapped(shop.library()));
    shop.features->terminate(kGood);
    for (int i = 0; i < 5; ++i) shop.frame();
    EXPECT_TRUE(shop.features->known().empty());
    EXPECT_FALSE(is_mapped(shop.library()));
}

TEST(NativeFeatures, whatever_fails_on_the_way_nothing_is_mapped_when_it_is_ended) {
    // X-120, F-69
    for (FeatureState step : {FeatureState::Registering, FeatureState::Loading, FeatureState::Activating,
                              FeatureState::Deactivating, FeatureState::Unloading, FeatureState::Unregistering}) {
        SCOPED_TRACE(to_string(step));
        bool is_armed = true;
        Workshop shop("", [&](Name, FeatureState at) {
            return at == step && std::exchange(is_armed, false) ? StepFault{StepFault::Effect::Fail, 0, "on purpose"}
                                                                : StepFault{};
        });
        shop.features->activate(kGood);
        for (int i = 0; i < 10; ++i) shop.frame();
        for (int round = 0; round < 2; ++round) {  // one step down is refused once
            shop.features->terminate(kGood);
            for (int i = 0; i < 10; ++i) shop.frame();
        }
        EXPECT_FALSE(is_armed);
        EXPECT_TRUE(shop.features->known().empty());
        EXPECT_FALSE(is_mapped(shop.library()));
        EXPECT_EQ(shop.modules.open_count(), 0u);
    }
}

TEST(NativeFeatures, an_action_of_its_own_kind_acts_and_goes_with_its_library) {
    // F-46, F-69, A-02
    Workshop shop("[[action]]\nkind = \"good_glow\"\nlabel = \"warm\"\n");
    for (int turn = 0; turn < 3; ++turn) {
        FeatureHold hold = shop.features->acquire(kGood, shop.world().owner(), Destination::Active);
        shop.until(FeatureState::Active);
        EXPECT_EQ(shop.world().actor_count(), 1u);
        hold.release();
        shop.until(FeatureState::Installed);
        EXPECT_EQ(shop.world().actor_count(), 0u);
        EXPECT_FALSE(is_mapped(shop.library()));
    }
    EXPECT_EQ(shop.runtime.log().counts().reported, 0u);
}

TEST(NativeFeatures, an_action_of_its_own_kind_that_fails_is_told_and_its_library_leaves) {
    // F-79, F-69
    Workshop shop("[[action]]\nkind = \"good_glow\"\n");
    std::optional<FeatureResult> answer;
    FeatureHold hold = shop.features->acquire(kGood, shop.world().owner(), Destination::Active,
                                              [&](const FeatureResult& result) { answer = result; });
    for (int i = 0; i < 20; ++i) shop.frame();
    ASSERT_TRUE(answer && answer->error);
    EXPECT_NE(answer->error->text.find("a glow of 1.0.0 has no label"), std::string::npos) << answer->to_string();
    hold.release();
    shop.until(FeatureState::Installed);
    EXPECT_FALSE(is_mapped(shop.library()));
}

TEST(NativeFeatures, everything_goes_with_the_table_whatever_lives) {
    // X-120, F-75
    Workshop shop;
    shop.features->activate(kGood);
    shop.until(FeatureState::Active);
    ASSERT_TRUE(shop.world().spawn("lamp").is_ok());
    shop.features.reset();
    EXPECT_FALSE(is_mapped(shop.library()));
    EXPECT_EQ(shop.world().actor_count(), 0u);
    EXPECT_EQ(shop.modules.open_count(), 0u);
}

TEST(NativeFeatures, one_that_stays_in_memory_is_marked_resident_and_the_reason_is_told) {
    // F-69
    Household house;
    struct Sticky final : ModuleLoader {
        LinkedModules inner;
        OpenedModule open(const ModuleRequest& request) override { return inner.open(request); }
        OpenedModule open_again(const ModuleRequest& request, const ModuleImage& image) override {
            return inner.open_again(request, image);
        }
        std::shared_ptr<const ModuleImage> image(const Module& module) const override { return inner.image(module); }
        ModuleFailure close(std::unique_ptr<Module> module) override {
            inner.close(std::move(module));
            return {ErrorCode::ModuleStillMapped, "built without -fno-gnu-unique"};
        }
        std::size_t open_count() const override { return inner.open_count(); }
    } sticky;
    static const ModuleEntry entry = linked_entry("tag", "1.0.0", [](Registrar&) {});
    ASSERT_TRUE(sticky.inner.add(entry).is_ok());
    house.write("tag", "[module]\nname = \"tag\"\n");
    house.close();
    Features features({house.runtime, house.assets, house.files, sticky, nullptr, {}});
    EXPECT_TRUE(features.discover("features").is_empty());
    features.load(Name("tag"));
    features.unload(Name("tag"));
    features.update();
    EXPECT_EQ(features.state(Name("tag")), FeatureState::Installed);
    EXPECT_TRUE(features.report(Name("tag")).is_resident);
    EXPECT_NE(features.report(Name("tag")).error.find("ModuleStillMapped"), std::string::npos);
    EXPECT_EQ(house.reports("feature.resident"), 1u);
}

TEST(NativeFeatures, a_library_that_stays_is_told_also_when_its_climb_failed_and_it_is_closed_late) {
    // F-69, F-70, F-79
    const std::string folder = LYRE_MODULE_FOLDER;
    for (const char* name : {"nodelete", "lingering"}) {
        Household house;
        house.close();
        house.write("empty",
                    fmt::format("[module]\nname = \"{}\"\n{}", name, note_action("n", "fails = \"registering\"")));
        NativeModules modules({folder});
        Features features({house.runtime, house.assets, house.files, modules, nullptr, {}});
        EXPECT_TRUE(features.discover("features").is_empty());
        features.load(Name("empty"), house.told(name));  // fails at once, outside of an update: nothing is closed yet
        EXPECT_EQ(house.said(), fmt::format("{} ActionFailed", name));
        EXPECT_EQ(house.reports("feature.resident"), 0u);
        EXPECT_FALSE(features.report(Name("empty")).is_resident);
        features.update();
        EXPECT_EQ(house.reports("feature.resident"), 1u) << name;
        EXPECT_TRUE(features.report(Name("empty")).is_resident) << name;
        EXPECT_EQ(modules.open_count(), 0u);
        EXPECT_TRUE(is_mapped(fmt::format("{}/lib{}.so", folder, name)));
    }
}

std::size_t resident_kb() {
    std::ifstream statm("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

TEST(NativeFeatures, cycles_of_a_real_library_leave_memory_maps_and_descriptors_where_they_were) {
    // F-71, F-69
    Workshop shop("[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"GoodPower\"\n");
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(shop.world().spawn<Fighter>().is_ok());
    const bool is_long = is_long_run();
    const int cycles = is_long ? 10'000 : 300, warm_up = is_long ? 1'000 : 50;
    std::size_t kb = 0, descriptors = 0;
    std::map<std::string, int> maps;
    for (int i = 0; i < cycles; ++i) {
        FeatureHold hold = shop.features->acquire(kGood, shop.world().owner(), Destination::Active);
        shop.until(FeatureState::Active);
        hold.release();
        shop.until(FeatureState::Installed);
        ASSERT_TRUE(shop.features->ledger(kGood).empty());
        if (i + 1 != warm_up) continue;
        kb = resident_kb();
        descriptors = open_descriptors();
        maps = mapped_files();
    }
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(mapped_files(), maps);
    EXPECT_EQ(shop.modules.open_count(), 0u);
    EXPECT_EQ(shop.runtime.log().counts().reported, 0u);
    if (!is_long) {  // too few to tell a small leak from noise; a sanitizer keeps what was given back
        if (is_sanitized()) return;
        EXPECT_LT(resident_kb(), kb + 16 * static_cast<std::size_t>(cycles - warm_up));
        return;
    }
    const double slope = (static_cast<double>(resident_kb()) - static_cast<double>(kb)) / (cycles - warm_up);
    RecordProperty("kb_per_cycle", std::to_string(slope));
    EXPECT_LT(slope, 1.0) << "KB per cycle";
}

}  // namespace native_test
}  // namespace lyre::features
