// Who is told what, and in which order: observers, actions, those who wait.
#include "lyre/features/features.h"

#include "tests/features/household.h"

namespace lyre::features {
namespace observers_test {

const Name kTag("tag"), kCore("core");

std::vector<std::string> lines_with(const std::vector<std::string>& lines, std::string_view part) {
    std::vector<std::string> found;
    for (const std::string& line : lines)
        if (line.find(part) != std::string::npos) found.push_back(line);
    return found;
}

TEST(Observers, one_to_whom_the_present_is_replayed_hears_what_it_asks_for_meanwhile_once) {
    // F-44, F-16
    Household house;
    for (const char* id : {"a", "b", "c"}) house.write(id, note_action("x"));
    house.discover();
    house.world();
    house.features().activate(Name("b"));
    house.log();
    Observer observer("o");
    story().at = [&](const std::string& line, ActionContext*) {
        if (line != "o:b.mounted") return Status::ok();
        house.features().activate(Name("a"), house.told("a"));  // it has been told of
        house.features().activate(Name("c"), house.told("c"));  // and of this one not yet
        house.features().unload(Name("b"), KeepRegistered::No, house.told("b"));
        EXPECT_EQ(house.said(), "");
        return Status::ok();
    };
    const ObserverHandle watching = house.features().add_observer(observer, Replay::CurrentAndFuture);
    house.frames(2);
    EXPECT_EQ(house.said(), "a ok, c ok, b ok");
    const std::vector<std::string> all = story().lines;
    for (const char* id : {"a", "c"}) {
        std::vector<std::string> expected;
        for (const char* what :
             {"discovered", "mounted", "registering", "loading", "activating", "world_attached(arena)", "activated"})
            expected.push_back(fmt::format("o:{}.{}", id, what));
        EXPECT_EQ(lines_with(all, fmt::format("o:{}.", id)), expected);
    }
    std::vector<std::string> expected;
    for (const char* what :
         {"discovered", "mounted", "registering", "loading", "activating", "world_attached(arena)", "activated",
          "world_detached(arena)", "deactivating", "unloading", "unregistering", "unmounting"})
        expected.push_back(fmt::format("o:b.{}", what));
    EXPECT_EQ(lines_with(all, "o:b."), expected);
}

TEST(Observers, everything_may_end_while_the_present_is_replayed) {
    // F-44
    Household house;
    house.write("tag");
    house.discover();
    house.features().load(kTag);
    house.log();
    struct Leaver final : FeatureObserver {
        Household* house = nullptr;
        int heard = 0;
        void feature_event(const FeatureEvent&) override {
            if (++heard == 2) house->close();
        }
    } leaver;
    leaver.house = &house;
    const ObserverHandle watching = house.features().add_observer(leaver, Replay::CurrentAndFuture);
    EXPECT_FALSE(watching.is_watching());
}

TEST(Observers, hear_of_what_fails_and_of_what_ends) {
    // F-44
    Household house;
    std::vector<std::string> heard;
    struct Hears final : FeatureObserver {
        std::vector<std::string>* heard = nullptr;
        void feature_event(const FeatureEvent& event) override {
            if (event.what == FeatureEvent::What::Failed || event.what == FeatureEvent::What::Terminating)
                heard->push_back(fmt::format("{} {} {}", event.feature, to_string(event.what),
                                             event.error != nullptr ? to_string(event.error->code) : "-"));
        }
    } observer;
    observer.heard = &heard;
    const ObserverHandle watching = house.features().add_observer(observer);
    house.write("core", note_action("c", "fails = \"loading\""));
    house.write("tag", needs("core"));
    house.discover();
    house.features().activate(kTag);
    EXPECT_EQ(heard, (std::vector<std::string>{"core failed ActionFailed", "tag failed DependencyFailed"}));
    heard.clear();
    house.features().terminate(kTag);
    house.features().terminate(kCore);
    house.frames(3);
    EXPECT_EQ(heard, (std::vector<std::string>{"tag terminating -", "core terminating -"}));
}

TEST(Observers, what_is_told_on_the_way_down_is_what_was_told_on_the_way_up_reversed) {
    // F-45, F-25, F-26, F-27, F-28, F-29
    Household house;
    Observer first("1"), second("2");
    const ObserverHandle one = house.features().add_observer(first), two = house.features().add_observer(second);
    house.write("tag", note_action("a") + note_action("b"));
    house.discover();
    house.world("arena");
    house.world("beach");
    house.log();
    house.features().activate(kTag, house.told("up"));
    EXPECT_EQ(house.said(), "up ok");
    const std::vector<std::string> up = std::exchange(story().lines, {});
    house.features().unload(kTag, KeepRegistered::No, house.told("down"));
    house.frame();
    EXPECT_EQ(house.said(), "down ok");
    const std::pair<std::string_view, std::string_view> kOpposites[] = {
        {"mounted", "unmounting"},
        {"registering", "unregistering"},
        {"loading", "unloading"},
        {"activating", "deactivating"},
    };
    std::vector<std::string> expected;
    for (auto line = up.rbegin(); line != up.rend(); ++line) {
        const std::size_t dot = line->rfind('.') + 1;
        const std::string what = line->substr(dot, line->find('(') - dot);
        for (const auto& [way_up, way_down] : kOpposites)  // what has no opposite is told once
            if (what == way_up)
                expected.push_back(line->substr(0, dot) + std::string(way_down) + line->substr(dot + what.size()));
    }
    std::vector<std::string> down = std::exchange(story().lines, {});
    const std::vector<std::string> detached = lines_with(down, "world_detached");
    std::erase_if(down, [](const std::string& line) { return line.find("world_detached") != std::string::npos; });
    EXPECT_EQ(down, expected);
    EXPECT_EQ(expected.size(), 16u);
    EXPECT_EQ(detached, (std::vector<std::string>{"2:tag.world_detached(beach)", "1:tag.world_detached(beach)",
                                                  "2:tag.world_detached(arena)", "1:tag.world_detached(arena)"}));
}

TEST(Observers, each_world_of_one_step_is_joined_whole_before_the_next_in_order_of_acquisition) {
    // F-29
    Household house;
    house.write("tag", note_action("a") + note_action("b"));
    house.discover();
    World& arena = house.world("arena");
    World& beach = house.world("beach");
    house.features().load(kTag);
    house.log();
    const FeatureHold later = house.features().acquire(kTag, beach.owner(), Destination::Loaded);
    FeatureHold holds[2];
    std::string joined;
    story().at = [&](const std::string& line, ActionContext*) {
        joined += line + " ";
        return Status::ok();
    };
    Observer observer("o");
    struct Both final : FeatureObserver {  // one asks for it in its hook, so that both are there when it is activated
        std::function<void()> call;
        void feature_event(const FeatureEvent& event) override {
            if (event.what == FeatureEvent::What::Activating) call();
        }
    } both;
    both.call = [&] { holds[1] = house.features().acquire(kTag, arena.owner(), Destination::Active); };
    const ObserverHandle asking = house.features().add_observer(both);
    const ObserverHandle watching = house.features().add_observer(observer);
    holds[0] = house.features().acquire(kTag, beach.owner(), Destination::Active, house.told("beach"));
    EXPECT_EQ(house.said(), "beach ok");
    EXPECT_EQ(joined,
              "o:tag.activating tag.a.activating(beach) tag.b.activating(beach) o:tag.world_attached(beach) "
              "tag.a.activating(arena) tag.b.activating(arena) o:tag.world_attached(arena) o:tag.activated "
              "tag.a.activated(beach) tag.b.activated(beach) tag.a.activated(arena) tag.b.activated(arena) ");
    story().at = {};
}

TEST(Observers, a_pause_that_is_too_long_is_told_by_the_names_of_those_who_asked_for_it) {
    // F-30, F-49
    Household house;
    ASSERT_TRUE(
        house.runtime.variables().set("lyre.features.PauserTimeoutSecs", "1", {VariableSource::Console, "console"}));
    house.write("tag", note_action("a", "pauses = true"));
    house.discover();
    house.world();
    house.features().activate(kTag);
    house.features().deactivate(kTag, Dependents::Refuse, house.told("down"));
    house.frame(0.9);
    EXPECT_EQ(house.said(), "");
    house.frame(0.2);
    EXPECT_EQ(house.said(), "down ok");
    ASSERT_EQ(house.reports("feature.pausers"), 1u);
    const std::string text = house.runtime.log().entries().back().text;
    EXPECT_NE(text.find("after 1 s without fade of"), std::string::npos) << text;
    EXPECT_NE(text.find("world arena"), std::string::npos) << text;
    story().tokens.clear();
}

TEST(Observers, whoever_asked_for_less_is_answered_when_it_is_passed) {
    // F-12, F-06
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\""));
    house.discover();
    house.world();
    house.executor.hold("big.thing");
    FeatureState seen = FeatureState::Terminal;
    std::string answered_then;
    house.features().activate(kTag, house.told("activate"));
    house.features().load(kTag, [&](const FeatureResult& result) {
        EXPECT_TRUE(result.is_ok());
        seen = house.features().state(kTag);
        answered_then = house.said();
    });
    house.executor.release("big.thing");
    house.frames(2);
    EXPECT_EQ(seen, FeatureState::Loaded);
    EXPECT_EQ(answered_then, "");  // the other is still on its way
    EXPECT_EQ(house.said(), "activate ok");
}

}  // namespace observers_test
}  // namespace lyre::features
