#include "lyre/features/module.h"

#include <dlfcn.h>
#include <future>
#include <thread>
#include <unistd.h>

#include "tests/features/small_house.h"

extern "C" const lyre::features::ModuleEntry lyre_feature_entry_good;

namespace lyre::features {
namespace module_test {

const std::string kModules = LYRE_MODULE_FOLDER;

ModuleRequest request(const std::string& name, const std::string& feature = "empty",
                      const std::string& version = "1.0.0") {
    return {Name(feature), version, name, kModules};
}
const ModuleRequest kGood = request("good", "good");

// A folder that goes with the test.
class Folder {
public:
    Folder() {
        std::string text = "/tmp/lyre_modules_XXXXXX";
        path_ = ::mkdtemp(text.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& path() const { return path_; }
    std::string put(const std::string& name, const std::string& from) const {  // as an installer does: by rename
        const std::string to = path_ + "/" + name;
        std::filesystem::copy_file(from, to + ".new");
        std::filesystem::rename(to + ".new", to);
        return to;
    }

private:
    std::string path_;
};

// Both ways a module comes into a program.
enum class Way { Library, Linked };
std::unique_ptr<ModuleLoader> make_loader(Way way) {
    if (way == Way::Library) return std::make_unique<NativeModules>();
    auto linked = std::make_unique<LinkedModules>();
    EXPECT_TRUE(linked->add(lyre_feature_entry_good));
    return linked;
}
class BothWays : public testing::TestWithParam<Way> {
protected:
    const std::unique_ptr<ModuleLoader> modules = make_loader(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Modules, BothWays, testing::Values(Way::Library, Way::Linked),
                         [](const auto& info) { return info.param == Way::Library ? "as_library" : "linked"; });

TEST_P(BothWays, the_entry_says_whose_code_it_is) {
    // F-65, F-66
    OpenedModule opened = modules->open(kGood);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    const ModuleEntry& entry = opened.module->entry();
    EXPECT_STREQ(entry.feature, "good");
    EXPECT_STREQ(entry.version, "1.0.0");
    EXPECT_EQ(entry.abi_hash, kAbiHash);
    EXPECT_STREQ(entry.abi, kAbiText);
    EXPECT_EQ(modules->open_count(), 1u);
    EXPECT_TRUE(modules->close(std::move(opened.module)).is_none());
    EXPECT_EQ(modules->open_count(), 0u);
}

TEST_P(BothWays, what_its_block_says_is_registered_under_the_feature) {
    // F-65
    House house;
    OpenedModule opened = modules->open(kGood);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    const Status status = house.set_up(*opened.module);
    EXPECT_TRUE(status) << status.to_string();
    const Owner owner = house.owner(*opened.module);
    EXPECT_EQ(house.runtime.types().owned_by(owner).size(), 4u);
    EXPECT_EQ(house.runtime.tags().declared_by(owner).size(), 1u);
    EXPECT_EQ(house.runtime.variables().list(owner).size(), 1u);
    EXPECT_EQ(house.runtime.console().commands(owner).size(), 2u);
    EXPECT_EQ(house.code.list(owner).size(), 2u);
    ASSERT_NE(house.assets.types().find(Name("good_rules")), nullptr);
    EXPECT_EQ(house.assets.types().find(Name("good_rules"))->owner, owner);
    EXPECT_EQ(house.runtime.console().execute("good.version").text, "1.0.0");
    EXPECT_NE(house.code.list()[0].place.find("good.cpp:"), std::string::npos);
    EXPECT_TRUE(house.take_back(*opened.module));
    EXPECT_TRUE(modules->close(std::move(opened.module)).is_none());
}

TEST_P(BothWays, actors_assets_and_settings_of_a_feature_live_and_go_before_its_code) {
    // F-65, F-69
    House house;
    house.files.write("content/day.good_rules.toml", "steps = [1, 2]\ntext = \"kind\"\n");
    house.files.write("content/a.goodpic", "12345");
    ASSERT_TRUE(house.assets.registry().add_folder("content", Name("project")));
    GameInstance game(house.runtime);
    for (int turn = 0; turn < 3; ++turn) {
        World& world = game.open_world({});
        world.begin_play();
        OpenedModule opened = modules->open(kGood);
        ASSERT_NE(opened.module, nullptr) << opened.failure.text;
        ASSERT_TRUE(house.set_up(*opened.module));
        const auto lamp = world.spawn("GoodLamp");
        ASSERT_TRUE(lamp) << lamp.status().to_string();
        const std::vector<assets::PrimaryAssetId> ids{*assets::PrimaryAssetId::parse("good_rules:day"),
                                                      *assets::PrimaryAssetId::parse("goodpic:a")};
        assets::LoadHandle hold = house.assets.load_assets(ids);
        house.assets.finish(hold);
        EXPECT_TRUE(hold.is_complete());
        for (int tick = 0; tick < 60; ++tick) game.tick();
        EXPECT_FALSE(house.take_back(*opened.module)) << "its actor and assets are there";
        game.close_world();
        hold = {};
        house.assets.pump();
        const Status status = house.take_back(*opened.module);
        ASSERT_TRUE(status) << status.to_string();
        const ModuleFailure closed = modules->close(std::move(opened.module));
        EXPECT_TRUE(closed.is_none()) << closed.text;
        EXPECT_FALSE(is_mapped(kModules + "/libgood.so"));
        game.open_world({}).begin_play();  // whoever comes after knows nothing of it
        game.tick();
        house.assets.pump();
        house.runtime.log().deliver();
    }
}

TEST_P(BothWays, a_world_goes_on_when_a_feature_leaves_it) {
    // F-69
    House house;
    GameInstance game(house.runtime);
    World& world = game.open_world({});
    world.begin_play();
    for (int turn = 0; turn < 3; ++turn) {
        OpenedModule opened = modules->open(kGood);
        ASSERT_NE(opened.module, nullptr) << opened.failure.text;
        ASSERT_TRUE(house.set_up(*opened.module));
        const auto lamp = world.spawn("GoodLamp");
        ASSERT_TRUE(lamp) << lamp.status().to_string();
        for (int tick = 0; tick < 60; ++tick) game.tick();
        EXPECT_FALSE(house.take_back(*opened.module)) << "the lamp is there";
        EXPECT_TRUE(world.destroy(*lamp));
        game.tick();
        const Status status = house.take_back(*opened.module);
        ASSERT_TRUE(status) << status.to_string();
        const ModuleFailure closed = modules->close(std::move(opened.module));
        EXPECT_TRUE(closed.is_none()) << closed.text;
        EXPECT_FALSE(is_mapped(kModules + "/libgood.so"));
        for (int tick = 0; tick < 60; ++tick) game.tick();
        EXPECT_FALSE(world.spawn("GoodLamp"));
    }
}

TEST_P(BothWays, a_status_of_its_code_outlives_it) {
    // F-69
    House house;
    OpenedModule opened = modules->open(kGood);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    ASSERT_TRUE(house.set_up(*opened.module));
    Status status;
    {
        auto use = house.code.use_function(Name("good.fail"), "test");
        ASSERT_TRUE(use);
        status = (**use)(unread_context(), Node());
    }
    ASSERT_TRUE(house.take_back(*opened.module));
    ASSERT_TRUE(modules->close(std::move(opened.module)).is_none());
    EXPECT_EQ(status.text(), "version 1.0.0 of good does not want to");
}

TEST_P(BothWays, another_version_than_the_manifest_says_is_refused) {
    // F-66
    const OpenedModule opened = modules->open(request("good", "good", "3.0.0"));
    EXPECT_EQ(opened.module, nullptr);
    EXPECT_EQ(opened.failure.code, ErrorCode::ModuleWrongFeature);
    EXPECT_NE(opened.failure.text.find("\"1.0.0\""), std::string::npos) << opened.failure.text;
    EXPECT_NE(opened.failure.text.find("\"3.0.0\""), std::string::npos) << opened.failure.text;
    EXPECT_EQ(modules->open_count(), 0u);
}

TEST_P(BothWays, an_image_opens_what_was_open) {
    // F-65
    OpenedModule opened = modules->open(kGood);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    const auto image = modules->image(*opened.module);
    ASSERT_TRUE(modules->close(std::move(opened.module)).is_none());
    opened = modules->open_again(kGood, *image);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    EXPECT_STREQ(opened.module->entry().version, "1.0.0");
    EXPECT_TRUE(modules->close(std::move(opened.module)).is_none());
}

TEST_P(BothWays, a_thousand_times_open_and_closed_leave_nothing_behind) {
    // F-69
    const auto cycle = [&] {
        OpenedModule opened = modules->open(kGood);
        ASSERT_NE(opened.module, nullptr) << opened.failure.text;
        const auto image = modules->image(*opened.module);
        ASSERT_TRUE(modules->close(std::move(opened.module)).is_none());
        opened = modules->open_again(kGood, *image);
        ASSERT_NE(opened.module, nullptr) << opened.failure.text;
        ASSERT_TRUE(modules->close(std::move(opened.module)).is_none());
    };
    cycle();
    const auto mapped = mapped_files();
    const std::size_t descriptors = open_descriptors();
    for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) cycle();
    EXPECT_EQ(mapped_files(), mapped);
    EXPECT_EQ(open_descriptors(), descriptors);
}

TEST(NativeModules, a_library_is_in_memory_while_it_is_open_and_not_after) {
    // F-69
    NativeModules modules;
    EXPECT_FALSE(is_mapped(kModules + "/libgood.so"));
    OpenedModule opened = modules.open(kGood);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    EXPECT_EQ(opened.module->path(), kModules + "/libgood.so");
    EXPECT_TRUE(is_mapped(kModules + "/libgood.so"));
    EXPECT_EQ(::dlsym(RTLD_DEFAULT, kModuleSymbol), nullptr) << "nobody else sees its symbols";
    EXPECT_TRUE(modules.close(std::move(opened.module)).is_none());
    EXPECT_FALSE(is_mapped(kModules + "/libgood.so"));
}

TEST(NativeModules, of_a_file_that_is_open_twice_the_last_close_takes_it_away) {
    // F-69
    NativeModules modules;
    OpenedModule first = modules.open(kGood), second = modules.open(kGood);
    ASSERT_NE(second.module, nullptr) << second.failure.text;
    EXPECT_EQ(modules.open_count(), 2u);
    EXPECT_TRUE(modules.close(std::move(first.module)).is_none());
    EXPECT_TRUE(is_mapped(kModules + "/libgood.so"));
    EXPECT_TRUE(modules.close(std::move(second.module)).is_none());
    EXPECT_FALSE(is_mapped(kModules + "/libgood.so"));
}

TEST(NativeModules, the_feature_s_folder_comes_before_those_handed_in) {
    // F-65
    const Folder feature, first, second;
    NativeModules modules({first.path(), second.path()});
    const ModuleRequest wanted{Name("good"), "1.0.0", "good", feature.path()};
    const auto path_now = [&] {
        OpenedModule opened = modules.open(wanted);
        if (opened.module == nullptr) return opened.failure.text;
        std::string path = opened.module->path();
        EXPECT_TRUE(modules.close(std::move(opened.module)).is_none());
        return path;
    };
    EXPECT_EQ(path_now(),
              fmt::format("libgood.so: No such file or directory; build the target feature_good (lyre_feature(good) in "
                          "the CMakeLists.txt beside feature.toml); looked in \"{}\", \"{}\", \"{}\"",
                          feature.path(), first.path(), second.path()));
    for (const Folder* folder : {&second, &first, &feature}) {
        const std::string put = folder->put("libgood.so", kModules + "/libgood.so");
        EXPECT_EQ(path_now(), put);
    }
}

TEST(NativeModules, folders_can_be_put_before_those_handed_in) {
    // F-65
    const Folder feature, later, sooner;
    NativeModules modules({later.path()});
    modules.look_first_in({sooner.path()});
    later.put("libgood.so", kModules + "/libgood.so");
    const std::string put = sooner.put("libgood.so", kModules + "/libgood.so");
    OpenedModule opened = modules.open({Name("good"), "1.0.0", "good", feature.path()});
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    EXPECT_EQ(opened.module->path(), put);
    EXPECT_TRUE(modules.close(std::move(opened.module)).is_none());
    modules.look_first_in({"a", "b", "c"});
    EXPECT_NE(modules.open({Name("no"), "1.0.0", "no", "own"})
                  .failure.text.find("looked in \"own\", \"a\", \"b\", \"c\" and 2 more"),
              std::string::npos);
}

TEST(NativeModules, what_is_wrong_is_told_and_nothing_stays_in_memory) {
    // F-66, F-67
    const Folder folder;
    std::ofstream(folder.path() + "/libgarbage.so") << std::string(4096, 'x');
    std::ofstream(folder.path() + "/libshort.so") << "\177ELF";
    std::filesystem::create_directory(folder.path() + "/libfolder.so");
    for (const auto& [name, parts] : {std::pair("begun", 4), std::pair("almost", 1)}) {  // a full disk does that
        const std::string path = folder.put(fmt::format("lib{}.so", name), kModules + "/libgood.so");
        const auto size = std::filesystem::file_size(path);
        std::filesystem::resize_file(path, size - size * parts / 5);
    }
    const struct {
        std::string name;
        ErrorCode code;
        std::vector<std::string> says;
    } cases[] = {
        {"nowhere", ErrorCode::ModuleOpenFailed, {"libnowhere.so: No such file or directory"}},
        {"garbage", ErrorCode::ModuleOpenFailed, {"libgarbage.so", "invalid ELF header"}},
        {"short", ErrorCode::ModuleOpenFailed, {"libshort.so", "file too short"}},
        {"begun", ErrorCode::ModuleOpenFailed, {"libbegun.so: is cut short"}},
        {"almost", ErrorCode::ModuleOpenFailed, {"libalmost.so: is cut short"}},
        {"folder", ErrorCode::ModuleOpenFailed, {"libfolder.so", "is not a file"}},
        {"unresolved", ErrorCode::ModuleOpenFailed, {"libunresolved.so", "undefined symbol", "nobody_has_this"}},
        {"static_throwing",
         ErrorCode::ModuleOpenFailed,
         {"libstatic_throwing.so: a static object threw while it was opened: made in vain", "LYRE_FEATURE block"}},
        {"no_entry", ErrorCode::ModuleNoEntry, {"libno_entry.so", "LYRE_FEATURE(empty)"}},
        {"wrong_abi",
         ErrorCode::ModuleAbi,
         {"lyre 0.0; a compiler of old", "000000000000abcd", kAbiText, fmt::format("{:016x}", kAbiHash)}},
        {"wrong_number", ErrorCode::ModuleAbi, {"ABI 7 (8 bytes)", fmt::format("ABI {}", kAbiNumber)}},
        {"wrong_version", ErrorCode::ModuleWrongFeature, {"version \"2.0.0\"", "version \"1.0.0\""}},
        {"good", ErrorCode::ModuleWrongFeature, {"feature \"good\"", "of \"empty\""}},
    };
    NativeModules modules({folder.path()});
    const auto mapped = mapped_files();
    const std::size_t descriptors = open_descriptors();
    for (const auto& one : cases) {
        const OpenedModule opened = modules.open(request(one.name));
        EXPECT_EQ(opened.module, nullptr);
        EXPECT_EQ(static_cast<int>(opened.failure.code), static_cast<int>(one.code)) << opened.failure.text;
        for (const std::string& part : one.says)
            EXPECT_NE(opened.failure.text.find(part), std::string::npos) << opened.failure.text;
        EXPECT_EQ(mapped_files(), mapped) << one.name;
    }
    EXPECT_EQ(modules.open_count(), 0u);
    EXPECT_EQ(open_descriptors(), descriptors);
}

TEST(NativeModules, after_one_that_throws_as_it_is_opened_all_threads_open_libraries_as_before) {
    // F-66, F-69
    NativeModules modules;
    const auto mapped = mapped_files();
    for (int i = 0; i < 3; ++i) {
        const OpenedModule opened = modules.open(request("static_throwing"));
        EXPECT_EQ(opened.module, nullptr);
        EXPECT_TRUE(opened.failure.text.ends_with("may fail")) << opened.failure.text;
        EXPECT_EQ(mapped_files(), mapped);
    }
    const auto other = std::make_shared<std::promise<bool>>();
    std::thread([other] {  // it would wait for ever
        static thread_local std::string own = kModules;
        void* handle = ::dlopen((own + "/libempty.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        other->set_value(handle != nullptr && ::dlclose(handle) == 0);
    })
        .detach();
    auto answer = other->get_future();
    ASSERT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    EXPECT_TRUE(answer.get());
    OpenedModule good = modules.open(kGood);
    ASSERT_NE(good.module, nullptr) << good.failure.text;
    EXPECT_TRUE(modules.close(std::move(good.module)).is_none());
    EXPECT_EQ(mapped_files(), mapped);
}

TEST(NativeModules, a_name_that_leads_out_of_the_folder_is_refused) {
    // F-67
    NativeModules modules;
    for (const std::string& name :
         {std::string("../modules/libgood"), std::string("/etc/x"), std::string(), std::string(".."),
          std::string("a.b"), std::string("good\0x", 6), std::string(kMaxModuleName + 1, 'a')}) {
        const OpenedModule opened = modules.open(request(name, "good"));
        EXPECT_EQ(opened.module, nullptr);
        EXPECT_EQ(opened.failure.code, ErrorCode::ModuleOpenFailed);
        EXPECT_NE(opened.failure.text.find("is no name of a module"), std::string::npos) << opened.failure.text;
    }
}

TEST(NativeModules, a_file_that_was_replaced_opens_as_it_is_and_as_it_was) {
    // F-65
    const Folder folder;
    NativeModules modules;
    const ModuleRequest old_one{Name("good"), "1.0.0", "good", folder.path()};
    ModuleRequest new_one = old_one;
    new_one.version = "2.0.0";
    folder.put("libgood.so", kModules + "/libgood.so");
    OpenedModule opened = modules.open(old_one);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    const auto image = modules.image(*opened.module);

    folder.put("libgood.so", kModules + "/next/libgood.so");
    const OpenedModule early = modules.open(new_one);
    EXPECT_EQ(early.failure.code, ErrorCode::ModuleOpenFailed) << "the system would give the old one";
    EXPECT_NE(early.failure.text.find("still open"), std::string::npos) << early.failure.text;
    ASSERT_TRUE(modules.close(std::move(opened.module)).is_none());

    House house;
    opened = modules.open(new_one);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    ASSERT_TRUE(house.set_up(*opened.module));
    EXPECT_EQ(house.runtime.console().execute("good.version").text, "2.0.0");
    ASSERT_TRUE(house.take_back(*opened.module));
    ASSERT_TRUE(modules.close(std::move(opened.module)).is_none());

    opened = modules.open_again(old_one, *image);
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    ASSERT_TRUE(house.set_up(*opened.module));
    EXPECT_EQ(house.runtime.console().execute("good.version").text, "1.0.0");
    ASSERT_TRUE(house.take_back(*opened.module));
    ASSERT_TRUE(modules.close(std::move(opened.module)).is_none());
    EXPECT_FALSE(is_mapped(folder.path()));
}

TEST(NativeModules, one_that_stays_in_memory_is_told_with_the_likely_reason) {
    // F-69
    const Folder folder;
    NativeModules modules({kModules});
    House house;
    const struct {
        std::string name, reason;
    } cases[] = {{"nodelete", "-z nodelete"},
#ifndef __clang__  // which makes no such symbols
                 {"unique", "unique symbols (Shared<int>::count)"},
#endif
                 {"lingering", "thread_local with a destructor"}};
    for (const auto& one : cases) {
        const std::string path = folder.put("lib" + one.name + ".so", kModules + "/lib" + one.name + ".so");
        const ModuleRequest wanted{Name("empty"), "1.0.0", one.name, folder.path()};
        OpenedModule opened = modules.open(wanted);
        ASSERT_NE(opened.module, nullptr) << opened.failure.text;
        EXPECT_TRUE(house.set_up(*opened.module));
        ModuleFailure closed = modules.close(std::move(opened.module));
        EXPECT_EQ(closed.code, ErrorCode::ModuleStillMapped) << one.name;
        EXPECT_NE(closed.text.find(one.reason), std::string::npos) << closed.text;
        EXPECT_TRUE(is_mapped(path));
        EXPECT_EQ(modules.open_count(), 0u);

        opened = modules.open(wanted);
        ASSERT_NE(opened.module, nullptr) << "it can be used again: " << opened.failure.text;
        EXPECT_EQ(modules.close(std::move(opened.module)).code, ErrorCode::ModuleStillMapped);
        folder.put("lib" + one.name + ".so", kModules + "/libempty.so");
        opened = modules.open(wanted);
        EXPECT_EQ(opened.failure.code, ErrorCode::ModuleOpenFailed) << "a newer one cannot take its place";
        EXPECT_NE(opened.failure.text.find("start the program again"), std::string::npos) << opened.failure.text;
    }
}

TEST(NativeModules, one_that_stays_though_it_was_refused_is_told_so) {
    // F-66, F-69
    const Folder folder;
    folder.put("libnodelete.so", kModules + "/libnodelete.so");
    NativeModules modules;
    const OpenedModule opened = modules.open({Name("empty"), "7.0.0", "nodelete", folder.path()});
    EXPECT_EQ(opened.failure.code, ErrorCode::ModuleWrongFeature);
    EXPECT_NE(opened.failure.text.find("still in memory"), std::string::npos) << opened.failure.text;
}

TEST(NativeModules, a_thread_local_goes_with_its_thread) {
    // F-69
    NativeModules modules;
    const Folder folder;
    folder.put("liblingering.so", kModules + "/liblingering.so");
    OpenedModule opened = modules.open({Name("empty"), "1.0.0", "lingering", folder.path()});
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    std::thread([&] {
        House house;
        EXPECT_TRUE(house.set_up(*opened.module));
    }).join();
    EXPECT_TRUE(modules.close(std::move(opened.module)).is_none());
}

TEST(NativeModules, a_module_that_is_dropped_without_close_stays_open) {
    // F-69
    const Folder folder;
    const std::string path = folder.put("libempty.so", kModules + "/libempty.so");
    NativeModules modules;
    EXPECT_NE(modules.open({Name("empty"), "1.0.0", "empty", folder.path()}).module, nullptr);
    EXPECT_TRUE(is_mapped(path));
    EXPECT_EQ(modules.open_count(), 1u);
}

TEST(NativeModules, a_block_that_throws_or_is_refused_is_closed_like_any_other) {
    // F-66
    House house;
    NativeModules modules;
    ASSERT_TRUE(house.runtime.variables().add<bool>({.name = "taken.Variable"}));
    const auto nothing = [](ActivatingContext&, const Node&) { return Status::ok(); };
    ASSERT_TRUE(house.code.add_function(Name("taken.function"), nothing, "here:1"));

    OpenedModule opened = modules.open(request("throwing"));
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    EXPECT_THROW(static_cast<void>(house.set_up(*opened.module)), std::runtime_error);
    EXPECT_TRUE(house.runtime.tags().find("Throwing.First"));
    EXPECT_TRUE(house.take_back(*opened.module));
    EXPECT_FALSE(house.runtime.tags().find("Throwing.First"));
    EXPECT_TRUE(modules.close(std::move(opened.module)).is_none());

    opened = modules.open(request("refusing"));
    ASSERT_NE(opened.module, nullptr) << opened.failure.text;
    const Status refused = house.set_up(*opened.module);
    EXPECT_NE(refused.text().find("taken.Variable"), std::string::npos) << refused.text();
    EXPECT_NE(refused.text().find("\"taken.function\" is process's already (here:1)"), std::string::npos)
        << refused.text();
    EXPECT_TRUE(house.runtime.tags().find("Refusing.Third")) << "the block goes on";
    EXPECT_TRUE(house.take_back(*opened.module));
    EXPECT_TRUE(modules.close(std::move(opened.module)).is_none());
    EXPECT_TRUE(house.runtime.variables().find<bool>("taken.Variable")) << "that is somebody else's";
}

TEST(LinkedModules, an_unknown_feature_names_the_nearest) {
    // F-65, F-67
    LinkedModules modules;
    ASSERT_TRUE(modules.add(lyre_feature_entry_good));
    const OpenedModule opened = modules.open(request("god", "god"));
    EXPECT_EQ(opened.failure.code, ErrorCode::ModuleOpenFailed);
    EXPECT_EQ(opened.failure.text, "no code of feature \"god\" is linked into this program; did you mean \"good\"?");
}

TEST(LinkedModules, a_later_entry_of_a_feature_takes_the_place_and_the_image_keeps_the_old_one) {
    // F-65
    LinkedModules modules;
    ASSERT_TRUE(modules.add(lyre_feature_entry_good));
    OpenedModule first = modules.open(kGood);
    const auto image = modules.image(*first.module);
    ModuleEntry next = lyre_feature_entry_good;
    next.version = "2.0.0";
    ASSERT_TRUE(modules.add(next));
    EXPECT_EQ(modules.open(kGood).failure.code, ErrorCode::ModuleWrongFeature);
    OpenedModule second = modules.open(request("good", "good", "2.0.0"));
    EXPECT_EQ(&second.module->entry(), &next);
    OpenedModule again = modules.open_again(kGood, *image);
    EXPECT_EQ(&again.module->entry(), &lyre_feature_entry_good);
    EXPECT_EQ(modules.open_count(), 3u);
    const ModuleEntry nobody{};
    EXPECT_FALSE(modules.add(nobody));
}

}  // namespace module_test
}  // namespace lyre::features
