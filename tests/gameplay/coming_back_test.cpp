// Players who leave and come back while their PlayerState is kept.
#include "lyre/gameplay/teams.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace coming_back_test {

struct Medals : PlayerStateComponent {
    using Described = Medals;
    static void describe(TypeBuilder<Medals>& t) {
        t.parent<PlayerStateComponent>();
        t.property("count", &Medals::count);
    }
    void copy_properties(PlayerState& to) override {
        told().push_back("copied");
        if (auto* theirs = to.find<Medals>()) theirs->count = count;
    }
    Property<std::int64_t> count = 0;
};
struct Decorated : PlayerState {
    using Described = Decorated;
    static void describe(TypeBuilder<Decorated>& t) {
        t.parent<PlayerState>();
        t.component<Medals>("medals");
    }
};
struct Ranked : Decorated {
    using Described = Ranked;
    static void describe(TypeBuilder<Ranked>& t) { t.parent<Decorated>(); }
};

struct Returning : SmallMatch {
    Returning() {
        const Status known = house.runtime().types().add_all<Medals, Decorated, Ranked>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        house.experience("kept", "pawn = \"walker\"\nassets = [\"pawn_data:stroller\"]\nkeep_player_state_secs = 1\n");
        house.experience("other", "pawn = \"runner\"\nassets = [\"pawn_data:stroller\"]\nkeep_player_state_secs = 1\n");
        open();
        mode().player_state_class = Name("Decorated");
        teams = *state().add<TeamCreation>();
        teams->configure({1, 2, 3});
        load("kept");
        heard[0] = state().player_added.add([this](PlayerState&) { ++added; });
        heard[1] = state().player_removed.add([this](PlayerState&) { ++removed; });
        heard[2] = state().player_returned.add([this](PlayerState&) { ++returned; });
    }
    Result<PlayerController*> come(const std::string& id, const std::string& name = "anna") {
        return mode().login({.name = name, .id = id});
    }
    TeamCreation* teams = nullptr;
    int added = 0, removed = 0, returned = 0;
    Connection heard[3];
};

TEST(ComingBack, within_the_time_a_player_has_the_same_player_state_with_all_that_is_on_it) {
    // W-30, E-94
    Returning match;
    match.login("first");
    const auto login =
        match.mode().login({.name = "anna", .id = "account 7", .pawn_data = {Name("pawn_data"), Name("stroller")}});
    ASSERT_TRUE(login.is_ok()) << login.status().text();
    PlayerState& player = *(*login)->player_state();
    EXPECT_EQ(player.team(), 2);
    player.add_score(5);
    player.find<Medals>()->count = 3;
    match.mode().logout(**login);
    EXPECT_TRUE(player.is_inactive());
    EXPECT_EQ(player.controller_id(), ActorId());
    match.login("third");  // who has left does not count: team 2
    match.frames(30);
    const auto again = match.mode().login({.name = "Anna", .id = "account 7"});
    ASSERT_TRUE(again.is_ok()) << again.status().text();
    ASSERT_EQ((*again)->player_state(), &player);
    EXPECT_FALSE(player.is_inactive());
    EXPECT_EQ(player.player_name(), "Anna");
    EXPECT_EQ(player.team(), 2);
    EXPECT_EQ(player.score(), 5);
    EXPECT_EQ(player.find<Medals>()->count, 3);
    EXPECT_EQ(player.controller_id(), (*again)->id());
    EXPECT_TRUE(player.has_own_pawn_data());
    EXPECT_EQ(player.pawn_data().to_string(), "pawn_data:stroller");
    ASSERT_NE((*again)->pawn(), nullptr);
    EXPECT_EQ((*again)->pawn()->player_state(), &player);
    match.frames(3);
    EXPECT_TRUE(match.is_ready(*(*again)->pawn())) << match.manager().explain_actor_init(*(*again)->pawn());
    EXPECT_EQ(match.added, 3);
    EXPECT_EQ(match.removed, 0);
    EXPECT_EQ(match.returned, 1);
    match.frames(120);  // the first time's end is nobody's business any more
    EXPECT_FALSE(player.is_doomed());
    match.mode().logout(**again);
    match.frames(40);
    EXPECT_EQ(match.removed, 0);  // a time of its own
    match.frames(40);
    EXPECT_EQ(match.removed, 1);
}

TEST(ComingBack, who_leaves_while_another_experience_is_on_its_way_is_kept_as_the_last_one_says) {
    // E-94, W-30
    Returning match;
    const auto login = match.come("a");
    ASSERT_TRUE(login.is_ok());
    const ActorId kept = (*login)->player_state()->id();
    ASSERT_TRUE(match.host().set_experience("other").is_ok());
    match.frames(1);
    ASSERT_FALSE(match.host().is_experience_loaded());
    match.mode().logout(**login);
    ASSERT_NE(match.world().find<PlayerState>(kept), nullptr);
    EXPECT_TRUE(match.world().find<PlayerState>(kept)->is_inactive());
    match.frames(20);
    const auto again = match.come("a");
    ASSERT_TRUE(again.is_ok()) << again.status().text();
    EXPECT_EQ((*again)->player_state()->id(), kept);
}

TEST(ComingBack, is_by_id_and_never_by_name) {
    // W-30
    Returning match;
    const auto nobody = match.come("");
    const ActorId first = (*nobody)->player_state()->id();
    match.mode().logout(**nobody);
    const auto again = match.come("");
    ASSERT_TRUE(again.is_ok());
    EXPECT_NE((*again)->player_state()->id(), first);
    const auto other = match.come("b");
    ASSERT_TRUE(other.is_ok());
    EXPECT_NE((*other)->player_state()->id(), first);
    EXPECT_EQ(match.returned, 0);
}

TEST(ComingBack, when_the_time_is_over_is_coming_anew) {
    // E-94, W-30
    Returning match;
    const double left_at = match.world().time();
    ActorId kept;
    const auto leave = [&] {
        const auto login = match.come("a");
        ASSERT_TRUE(login.is_ok()) << login.status().text();
        kept = (*login)->player_state()->id();
        match.mode().logout(**login);
    };
    leave();
    while (match.world().find(kept) != nullptr) match.world().tick();
    EXPECT_GE(match.world().time() + 1e-6, left_at + 1);
    auto login = match.come("a");
    ASSERT_TRUE(login.is_ok());
    EXPECT_NE((*login)->player_state()->id(), kept);
    EXPECT_EQ(match.removed, 1);
    match.mode().logout(**login);

    // In the very tick of the end: a timer that was made before its own comes first, one made after comes too late.
    kept = {};
    std::string seen;
    const auto come = [&] {
        const auto back = match.come("a");
        seen += back && (*back)->player_state()->id() == kept ? "same " : "new ";
        if (back) match.mode().logout(**back);
    };
    match.frames(90);
    match.world().timers().after(1, come);
    leave();
    match.frames(62);
    EXPECT_EQ(seen, "same ");
    match.frames(90);
    leave();
    match.world().timers().after(1, come);
    match.frames(62);
    EXPECT_EQ(seen, "same new ");
}

TEST(ComingBack, with_an_id_that_plays_is_refused_and_leaves_nothing) {
    // W-30
    Returning match;
    const auto first = match.come("a");
    ASSERT_TRUE(first.is_ok());
    const std::size_t actors = match.world().actor_count();
    EXPECT_FALSE(match.come("a").is_ok());
    EXPECT_EQ(match.world().actor_count(), actors);
    EXPECT_EQ((*first)->player_state()->identity(), "a");
    // And at once, inside the first's login, with a PlayerState that is new or one that was kept.
    for (const bool was_kept : {false, true}) {
        const std::string id = was_kept ? "a" : "b";
        if (was_kept) match.mode().logout(**first);
        int inner = 0;
        const auto twice = [&](PlayerState&) {
            if (inner++ == 0) {
                EXPECT_FALSE(match.come(id).is_ok());
            }
        };
        const Connection hears[] = {match.state().player_added.add(twice), match.state().player_returned.add(twice)};
        EXPECT_TRUE(match.come(id).is_ok());
        EXPECT_EQ(inner, 1);
    }
    EXPECT_EQ(match.state().players().size(), 2u);
    // Inside the making of the PlayerState.
    int inner = 0;
    const Connection made = match.world().actor_initialized.add([&](Actor& actor) {
        if (actor.is_a<PlayerState>() && inner++ == 0) {
            EXPECT_TRUE(match.come("c").is_ok());
        }
    });
    EXPECT_FALSE(match.come("c").is_ok());
    EXPECT_EQ(match.state().players().size(), 3u);
}

TEST(ComingBack, to_a_mode_of_another_player_state_class_copies_what_was) {
    // G-51, W-30
    Returning match;
    const auto login = match.come("a");
    PlayerState& player = *(*login)->player_state();
    player.add_score(4);
    player.find<Medals>()->count = 9;
    const std::int32_t team = player.team();
    const ActorId before = player.id();
    match.mode().logout(**login);
    match.mode().player_state_class = Name("Ranked");
    story();
    const auto again = match.come("a", "Anna");
    ASSERT_TRUE(again.is_ok()) << again.status().text();
    PlayerState& now = *(*again)->player_state();
    EXPECT_NE(now.id(), before);
    EXPECT_TRUE(now.is_a<Ranked>());
    EXPECT_EQ(now.score(), 4);
    EXPECT_EQ(now.team(), team);
    EXPECT_EQ(now.player_name(), "Anna");
    EXPECT_EQ(now.find<Medals>()->count, 9);
    EXPECT_EQ(match.world().find(before), nullptr);
    EXPECT_EQ(match.removed, 1);
    EXPECT_EQ(match.added, 2);
    EXPECT_EQ(match.state().players().size(), 1u);
    match.frames(90);
    EXPECT_EQ(match.removed, 1);
}

TEST(ComingBack, after_a_switch_one_has_the_new_experiences_data_and_as_a_watcher_no_team) {
    // X-05, E-69
    Returning match;
    const auto login = match.come("a");
    match.mode().logout(**login);
    ASSERT_TRUE(match.host().set_experience("other").is_ok());
    match.frames(20);
    ASSERT_TRUE(match.host().is_experience_loaded());
    const auto again = match.come("a");
    ASSERT_TRUE(again.is_ok());
    EXPECT_EQ(match.returned, 1);
    ASSERT_NE((*again)->pawn(), nullptr);
    EXPECT_EQ((*again)->pawn()->type().name, Name("Runner"));
    match.mode().logout(**again);
    const auto watcher = match.mode().login({.name = "anna", .id = "a", .is_spectator = true});
    ASSERT_TRUE(watcher.is_ok());
    EXPECT_EQ((*watcher)->player_state()->team(), kNoTeam);
    EXPECT_EQ((*watcher)->pawn(), nullptr);
}

TEST(ComingBack, a_login_that_fails_keeps_what_was_kept_and_nothing_else) {
    // E-94
    Returning match;
    LocalPlayer person(Name("anna"));
    const auto sits = match.mode().login({.name = "sits", .local = &person});
    ASSERT_TRUE(sits.is_ok());
    const std::size_t actors = match.world().actor_count();
    EXPECT_FALSE(match.mode().login({.name = "new", .id = "n", .local = &person}).is_ok());
    EXPECT_EQ(match.world().actor_count(), actors);
    EXPECT_EQ(match.state().players().size(), 1u);
    const auto anna = match.come("a");
    PlayerState& player = *(*anna)->player_state();
    match.mode().logout(**anna);
    EXPECT_FALSE(match.mode().login({.name = "anna", .id = "a", .local = &person}).is_ok());
    EXPECT_TRUE(player.is_inactive());
    const auto again = match.come("a");
    ASSERT_TRUE(again.is_ok());
    EXPECT_EQ((*again)->player_state(), &player);
    EXPECT_FALSE(match.mode().login({.name = "long", .id = std::string(GameMode::kMaxIdentity + 1, 'x')}).is_ok());
    EXPECT_FALSE(match.mode().login({.name = "long", .id = std::string(1'000'000, 'x')}).is_ok());
    EXPECT_TRUE(match.mode().login({.name = "long", .id = std::string(GameMode::kMaxIdentity, 'x')}).is_ok());
    EXPECT_TRUE(match.mode().login({.name = "zeros", .id = std::string(8, '\0')}).is_ok());
}

TEST(ComingBack, a_login_that_fails_leaves_what_was_kept_as_it_was_and_its_time_goes_on) {
    // E-94, W-30
    for (const bool is_of_another_class : {false, true})
        for (const std::string why :
             {"the person plays", "the person plays by then", "logged out", "the class is none"}) {
            SCOPED_TRACE(why);
            Returning match;
            LocalPlayer person(Name("anna"));
            match.login("first");
            const auto anna = match.come("a");
            (*anna)->player_state()->add_score(7);
            const std::int32_t team = (*anna)->player_state()->team();
            match.mode().logout(**anna);
            const auto kept = [&]() -> PlayerState* {
                for (PlayerState* player : match.state().players())
                    if (player->identity() == "a") return player;
                return nullptr;
            };
            match.login("second");
            const std::size_t players = match.state().players().size();
            if (why == "the person plays") match.login("sits", &person);
            if (is_of_another_class) match.mode().player_state_class = Name("Ranked");
            if (why == "the class is none") match.mode().player_state_class = Name("Walker");
            const Connection hears = match.state().player_returned.add([&](PlayerState& player) {
                auto& its = *match.world().find<PlayerController>(player.controller_id());
                if (why == "logged out") match.mode().logout(its);
                if (why == "the person plays by then" && person.controller() == nullptr) match.login("sits", &person);
            });
            for (int i = 0; i < 4; ++i) {
                const auto again =
                    match.mode().login({.name = "EVIL", .id = "a", .local = &person, .is_spectator = true});
                ASSERT_FALSE(again.is_ok());
                ASSERT_NE(kept(), nullptr);
                EXPECT_TRUE(kept()->is_inactive());
                EXPECT_EQ(kept()->player_name(), "anna");
                EXPECT_EQ(kept()->team(), team);
                EXPECT_EQ(kept()->score(), 7);
                EXPECT_FALSE(kept()->is_spectator());
                match.frames(12);
            }
            EXPECT_EQ(match.state().players().size(), players + (person.controller() != nullptr ? 1u : 0u));
            match.frames(15);  // 63 of 60: a second is over
            EXPECT_EQ(kept(), nullptr);
        }
}

TEST(ComingBack, a_logout_inside_a_login_is_the_end_of_it_and_is_done_once) {
    // E-94, W-30
    for (const bool comes_back : {false, true}) {
        Returning match;
        if (comes_back) match.mode().logout(**match.come("a"));
        const auto out = [&](PlayerState& player) {
            auto& controller = *match.world().find<Controller>(player.controller_id());
            match.mode().logout(controller);
            match.mode().logout(controller);
        };
        const Connection hears[] = {match.state().player_added.add(out), match.state().player_returned.add(out)};
        EXPECT_FALSE(match.come("a").is_ok());
        ASSERT_EQ(match.state().players().size(), comes_back ? 1u : 0u);  // what was kept, and nothing else
        if (comes_back) {
            EXPECT_TRUE(match.state().players()[0]->is_inactive());
        }
        EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<PlayerController>()), 0u);
        match.frames(90);
        EXPECT_EQ(match.removed, 1);
        EXPECT_EQ(match.state().players().size(), 0u);
    }
}

TEST(ComingBack, only_so_many_are_kept_and_the_oldest_goes) {
    // E-94
    Returning match;
    for (std::size_t i = 0; i < GameMode::kMaxKept + 3; ++i) match.mode().logout(**match.come(fmt::format("{}", i)));
    EXPECT_EQ(match.state().players().size(), GameMode::kMaxKept);
    EXPECT_EQ(match.removed, 3);
    EXPECT_TRUE(match.come("2").is_ok());  // anew
    EXPECT_EQ(match.returned, 0);
    EXPECT_TRUE(match.come("3").is_ok());
    EXPECT_EQ(match.returned, 1);
    // A match that is full lets kept ones go for those who come, then nobody in.
    while (!match.state().is_full()) {
        ASSERT_TRUE(match.mode().login({.name = "more", .is_spectator = true}).is_ok());
    }
    EXPECT_EQ(match.removed, 3);
    EXPECT_TRUE(match.mode().login({.name = "one more", .is_spectator = true}).is_ok());
    EXPECT_EQ(match.removed, 4);
    EXPECT_EQ(match.state().players().size(), GameState::kMaxPlayers);
}

TEST(ComingBack, a_mode_or_a_feature_that_goes_leaves_no_player_states_behind) {
    // E-94
    Returning match;
    {
        const OwnerScope as(Owner::feature(Name("tag"), 4));  // its code logs somebody out
        match.mode().logout(**match.come("a"));
    }
    match.world().timers().cancel_all(Owner::feature(Name("tag"), 4));
    match.frames(90);
    EXPECT_EQ(match.removed, 1);
    match.mode().logout(**match.come("b"));
    match.world().destroy(match.mode().id());
    EXPECT_EQ(match.removed, 2);
    EXPECT_EQ(match.state().players().size(), 0u);
    // Who destroys one directly: it leaves the list all the same, once.
    auto mode = match.world().spawn<GameMode>();
    ASSERT_TRUE(mode.is_ok()) << mode.status().text();
    const auto login = match.come("c");
    ASSERT_TRUE(login.is_ok());
    match.world().destroy((*login)->player_state()->id());
    EXPECT_EQ(match.removed, 3);
    match.mode().logout(**login);
    EXPECT_EQ(match.removed, 3);
}

}  // namespace coming_back_test
}  // namespace lyre::gameplay
