#include "lyre/framework/extensions.h"

#include "tests/allocations.h"
#include "tests/framework/small_game.h"

namespace lyre::framework {
namespace events_test {

using What = EventResult::What;

struct Damage {
    int amount = 0;
    static void describe(TypeBuilder<Damage>& t) { t.property("amount", &Damage::amount); }
};
struct Healing {
    int amount = 0;
    static void describe(TypeBuilder<Healing>& t) { t.property("amount", &Healing::amount); }
};

TEST(Events, call_handlers_most_derived_first_at_once_and_are_not_replayed) {
    // G-39
    ExtendedGame game;
    auto base = game.listen("base", Selector("Pawn"));
    auto derived = game.listen("derived", Selector("Hero"));
    auto other = game.listen("other", Selector("Crate"));
    Hero* hero = game.spawn<Hero>();
    handler_log();
    const EventResult result = game.manager().send_extension_event(*hero, Name("Go"));
    EXPECT_EQ(result.what, What::Sent);
    EXPECT_EQ(result.called, 2u);
    EXPECT_EQ(handler_log(), "derived:Go(Hero) base:Go(Hero)");
    auto late = game.listen("late", Selector("Hero"));
    EXPECT_EQ(handler_log(), "late:ExtensionAdded(Hero)");
}

TEST(Events, for_what_is_no_receiver_call_nobody) {
    // G-40
    ExtendedGame game;
    auto handler = game.listen("a", Selector("Plain"));
    EXPECT_EQ(game.manager().send_extension_event(*game.spawn<Plain>(), Name("Go")).what, What::NotReceiver);
    EXPECT_EQ(handler_log(), "");
}

TEST(Events, of_the_manager_cannot_be_sent_by_others) {
    // G-41
    ExtendedGame game;
    auto handler = game.listen("a", Selector("Pawn"));
    Pawn* pawn = game.spawn<Pawn>();
    handler_log();
    for (const char* name : {"ReceiverAdded", "ReceiverRemoved", "ExtensionAdded", "ExtensionRemoved", ""}) {
        const EventResult result = game.manager().send_extension_event(*pawn, Name(name));
        EXPECT_EQ(result.what, What::Refused) << name;
        EXPECT_FALSE(result.status.is_ok());
    }
    EXPECT_EQ(handler_log(), "");
    EXPECT_EQ(events::kGameActorReady, Name("GameActorReady"));
    EXPECT_EQ(events::kBindInputsNow, Name("BindInputsNow"));
    EXPECT_EQ(events::kAbilitiesReady, Name("AbilitiesReady"));
}

TEST(Events, a_handler_that_expects_another_payload_is_not_called_and_that_is_reported) {
    // G-43
    ExtendedGame game;
    int damage = 0, any = 0;
    HandlerOptions expects;
    expects.payload = Name("Damage");
    expects.events = {Name("Hit")};
    auto typed = game.manager().add_extension_handler(
        Selector("Pawn"), [&](Actor&, Name, const EventPayload& payload) { damage += payload.as<Damage>()->amount; },
        expects);
    auto untyped =
        game.manager().add_extension_handler(Selector("Pawn"), [&](Actor&, Name event, const EventPayload& p) {
            if (event == Name("Hit") && p.as<Damage>() != nullptr) any += p.as<Damage>()->amount;
        });
    Pawn* pawn = game.spawn<Pawn>();
    const auto hit = [&](const EventPayload& payload) {
        return game.manager().send_extension_event(*pawn, Name("Hit"), payload).called;
    };
    EXPECT_EQ(hit(EventPayload::of(Damage{5})), 2u);
    EXPECT_EQ(game.reports("framework.payload"), 0u);
    EXPECT_EQ(hit(EventPayload::of(Healing{9})), 1u);
    EXPECT_EQ(game.reports("framework.payload"), 1u);
    EXPECT_NE(game.last_report().find("Damage"), std::string::npos);
    EXPECT_NE(game.last_report().find("Healing"), std::string::npos);
    EXPECT_EQ(hit({}), 1u);
    EXPECT_EQ(game.reports("framework.payload"), 2u);
    EXPECT_EQ(damage, 5);
    EXPECT_EQ(any, 5);
}

TEST(Events, sticky_ones_are_kept_replaced_and_cleared) {
    // G-60
    ExtendedGame game;
    ComponentManager& manager = game.manager();
    Pawn* pawn = game.spawn<Pawn>();
    std::vector<int> seen;
    const auto listen = [&] {
        return manager.add_extension_handler(Selector("Pawn"), [&](Actor&, Name, const EventPayload& payload) {
            if (payload.as<Damage>() != nullptr) seen.push_back(payload.as<Damage>()->amount);
        });
    };
    auto present = listen();
    {
        const Damage gone{5};
        manager.send_extension_event(*pawn, Name("Hit"), EventPayload::of(gone), Sticky::Yes);
    }
    EXPECT_EQ(seen, std::vector({5}));
    auto late = listen();
    EXPECT_EQ(seen, std::vector({5, 5}));
    EXPECT_EQ(manager.send_extension_event(*pawn, Name("Hit"), EventPayload::of(Damage{6}), Sticky::Yes).called, 2u);
    auto later = listen();
    EXPECT_EQ(seen, std::vector({5, 5, 6, 6, 6}));
    EXPECT_TRUE(manager.clear_sticky_event(*pawn, Name("Hit")));
    EXPECT_FALSE(manager.clear_sticky_event(*pawn, Name("Hit")));
    auto last = listen();
    EXPECT_EQ(seen.size(), 5u);
    manager.send_extension_event(*pawn, Name("Hit"), EventPayload::of(Damage{7}), Sticky::Yes);
    seen.clear();
    manager.remove_receiver(*pawn).ignore();
    manager.add_receiver(*pawn).ignore();
    EXPECT_TRUE(seen.empty());
}

TEST(Events, are_bounded_in_number_and_depth) {
    // G-60, G-49
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    for (std::size_t i = 0; i < Extensions::kMaxSticky; ++i)
        EXPECT_EQ(game.manager().send_extension_event(*pawn, Name(fmt::format("E{}", i)), {}, Sticky::Yes).what,
                  What::Sent);
    EXPECT_EQ(game.manager().send_extension_event(*pawn, Name("More"), {}, Sticky::Yes).status.code(),
              StatusCode::Capacity);
    const Damage damage;
    const EventPayload bare{&type_of_record<Damage>(), &damage};
    EXPECT_EQ(game.manager().send_extension_event(*pawn, Name("E0"), bare, Sticky::Yes).what, What::Refused);
    std::size_t calls = 0;
    StatusCode innermost = StatusCode::Ok;
    HandlerOptions only;
    only.events = {Name("Again")};
    auto endless = game.manager().add_extension_handler(
        Selector("Pawn"),
        [&](Actor& actor, Name event, const EventPayload&) {
            ++calls;
            const EventResult result = game.manager().send_extension_event(actor, event);
            if (result.what == What::Refused) innermost = result.status.code();
        },
        only);
    game.manager().send_extension_event(*pawn, Name("Again"));
    EXPECT_EQ(calls, Extensions::kMaxNestedEvents);
    EXPECT_EQ(innermost, StatusCode::Capacity);
}

TEST(Events, three_of_the_runtime_are_always_sticky) {
    // G-61
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    for (Name event : {events::kGameActorReady, events::kAbilitiesReady, events::kBindInputsNow}) {
        game.manager().send_extension_event(*pawn, event);
        auto late = game.listen("late", Selector("Pawn"));
        EXPECT_EQ(handler_log(), fmt::format("late:ExtensionAdded(Pawn) late:{}(Pawn)", event));
        EXPECT_TRUE(game.manager().clear_sticky_event(*pawn, event));
        late = game.listen("later", Selector("Pawn"));
        handler_log();
        late.reset();
        handler_log();
    }
}

TEST(Events, sent_while_a_receiver_is_still_added_reach_handlers_that_come_after) {
    // G-60, G-05
    ExtendedGame game;
    auto request = game.request("Pawn", "Health");
    auto handler = game.listen("a", Selector("Pawn"));
    Pawn* pawn = game.spawn<Pawn>();
    game.manager().remove_receiver(*pawn).ignore();
    handler_log();
    stage().at = [&](const std::string& point, Object* object) {
        if (point != "Health.registered") return;
        game.manager().send_extension_event(static_cast<Component*>(object)->actor(), events::kAbilitiesReady);
    };
    game.manager().add_receiver(*pawn).ignore();
    EXPECT_EQ(handler_log(), "a:ReceiverAdded(Pawn) a:AbilitiesReady(Pawn)");
}

TEST(Events, that_nobody_hears_allocate_nothing) {
    // G-39
    ExtendedGame game;
    auto other = game.listen("a", Selector("Hero"));
    Pawn* pawn = game.spawn<Pawn>();
    const Name go("Go");
    const std::size_t before = allocations();
    for (int i = 0; i < 100; ++i) game.manager().send_extension_event(*pawn, go);
    game.manager().settle();
    EXPECT_EQ(allocations(), before);
}

}  // namespace events_test
}  // namespace lyre::framework
