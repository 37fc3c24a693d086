#include "tests/framework/small_game.h"

namespace lyre::framework {
namespace extension_list_test {

using Kind = ExtensionInfo::Kind;
const Owner kTag = Owner::feature(Name("tag"), 1);

struct Score {
    int points = 0;
    std::shared_ptr<int> witness;
    static void describe(TypeBuilder<Score>& t) {
        t.property("points", &Score::points);
        t.internal(&Score::witness);
    }
};

std::string texts(const ExtendedGame& game, const Owner& owner) {
    std::string text;
    for (const ExtensionInfo& one : const_cast<ExtendedGame&>(game).manager().extensions_of(owner))
        text += (text.empty() ? "" : "; ") + one.text;
    return text;
}

TEST(ExtensionList, has_what_one_owner_registered_oldest_first) {
    // F-72, F-73, W-33
    ExtendedGame game;
    Hero* hero = game.spawn<Hero>();
    auto others = game.request("Pawn", "Backpack");
    game.clock.advance(5000);
    std::optional<OwnerScope> as(std::in_place, kTag);
    ASSERT_TRUE(game.manager().add_predicate(Name("is_big"), [](const Actor&) { return true; }).is_ok());
    HandlerOptions options;
    options.place = "action 2";
    options.world = &game.world();
    auto handler = game.listen("a", Selector("Pawn"), options);
    game.manager().send_extension_event(*hero, Name("Plain"), {}, Sticky::Yes);
    auto request = game.request("Pawn", "Health");
    game.manager().send_extension_event(*hero, Name("Scored"), EventPayload::of(Score{3, {}}), Sticky::Yes);
    as.reset();
    const auto listed = game.manager().extensions_of(kTag);
    EXPECT_EQ(texts(game, kTag), fmt::format("predicate is_big; handler for Pawn; event Plain of {}; Health to Pawn; "
                                             "event Scored of {}",
                                             hero->id(), hero->id()));
    ASSERT_EQ(listed.size(), 5u);
    EXPECT_EQ(listed[0].kind, Kind::Predicate);
    EXPECT_EQ(listed[0].since_us, game.clock.now_us());
    EXPECT_EQ(listed[1].kind, Kind::Handler);
    EXPECT_EQ(listed[1].place, "action 2");
    EXPECT_EQ(listed[1].world, &game.world());
    EXPECT_EQ(listed[2].kind, Kind::StickyEvent);
    EXPECT_EQ(listed[2].actor, hero->id());
    EXPECT_EQ(listed[3].kind, Kind::Request);
    EXPECT_EQ(listed[3].world, nullptr);
    const bool holds_code[] = {true, true, false, false, true};
    for (std::size_t i = 0; i < listed.size(); ++i) EXPECT_EQ(listed[i].holds_code, holds_code[i]) << listed[i].text;
    EXPECT_EQ(texts(game, Owner::process()), "Backpack to Pawn");
}

TEST(ExtensionList, what_is_removed_goes_as_if_its_handle_had_been_dropped) {
    // F-74
    ExtendedGame game;
    Hero* hero = game.spawn<Hero>();
    const std::size_t before = game.manager().table_sizes();
    auto witness = std::make_shared<int>(1);
    std::optional<OwnerScope> as(std::in_place, kTag);
    ASSERT_TRUE(game.manager().add_predicate(Name("holds"), [witness](const Actor&) { return true; }).is_ok());
    auto request = game.request(Selector("Pawn").where("holds"), "Health");
    auto handler = game.manager().add_extension_handler(
        Selector("Pawn"),
        [witness](Actor&, Name event, const EventPayload&) { stage().log.push_back(fmt::format("a:{}", event)); });
    game.manager().send_extension_event(*hero, Name("Scored"), EventPayload::of(Score{3, witness}), Sticky::Yes);
    as.reset();
    EXPECT_EQ(components_of(*hero), "Health");
    handler_log();
    auto listed = game.manager().extensions_of(kTag);
    for (auto one = listed.rbegin(); one != listed.rend(); ++one) {
        EXPECT_TRUE(game.manager().remove_extension(one->registered)) << one->text;
        EXPECT_FALSE(game.manager().remove_extension(one->registered)) << one->text;
    }
    EXPECT_EQ(handler_log(), "a:ExtensionRemoved");
    EXPECT_EQ(components_of(*hero), "");
    EXPECT_EQ(witness.use_count(), 1) << "no callable and no payload is left";
    EXPECT_EQ(request.status().code(), StatusCode::Cancelled);
    EXPECT_EQ(handler.status().code(), StatusCode::Cancelled);
    EXPECT_TRUE(game.manager().extensions_of(kTag).empty());
    EXPECT_EQ(game.manager().table_sizes(), before);
    EXPECT_FALSE(game.manager().remove_extension(0));
    request.reset();
    handler.reset();
}

TEST(ExtensionList, a_handler_that_removes_itself_goes_when_the_call_is_over) {
    // F-70, F-74
    ExtendedGame game;
    Hero* hero = game.spawn<Hero>();
    auto witness = std::make_shared<int>(1);
    std::optional<OwnerScope> as(std::in_place, kTag);
    auto handler = game.manager().add_extension_handler(
        Selector("Pawn"), [&game, witness](Actor&, Name event, const EventPayload& payload) {
            if (event != Name("Scored")) return;
            const auto all = game.manager().extensions_of(kTag);
            for (const ExtensionInfo& one : all) EXPECT_TRUE(game.manager().remove_extension(one.registered));
            EXPECT_EQ(payload.as<Score>()->points, 3) << "what is in use stays in memory";
            EXPECT_EQ(*witness, 1);
        });
    game.manager().send_extension_event(*hero, Name("Scored"), EventPayload::of(Score{3, witness}), Sticky::Yes);
    as.reset();
    EXPECT_EQ(witness.use_count(), 1);
    EXPECT_TRUE(game.manager().extensions_of(kTag).empty());
}

TEST(ExtensionList, a_sticky_event_is_of_who_sent_it_last) {
    // F-72
    ExtendedGame game;
    Hero* hero = game.spawn<Hero>();
    auto witness = std::make_shared<int>(1);
    {
        const OwnerScope as(kTag);
        game.manager().send_extension_event(*hero, Name("Scored"), EventPayload::of(Score{3, witness}), Sticky::Yes);
    }
    EXPECT_EQ(game.manager().extensions_of(kTag).size(), 1u);
    game.manager().send_extension_event(*hero, Name("Scored"), EventPayload::of(Score{4, {}}), Sticky::Yes);
    EXPECT_TRUE(game.manager().extensions_of(kTag).empty());
    EXPECT_EQ(witness.use_count(), 1);
    EXPECT_EQ(game.manager().extensions_of(Owner::process()).size(), 1u);
}

}  // namespace extension_list_test
}  // namespace lyre::framework
