#include "lyre/world/archetype.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace archetype_test {

struct Armour : Component {
    static void describe(TypeBuilder<Armour>&) {}
};
struct Lamp : Component {
    static void describe(TypeBuilder<Lamp>&) {}
};
struct Crate : Actor {
    Property<int> strength = 10;
    std::string label = "wood";
    static void describe(TypeBuilder<Crate>& t) {
        t.property("strength", &Crate::strength);
        t.property("label", &Crate::label);
        t.component<Armour>("armour");
        t.slot<Lamp>("lamp");
        t.tag("Prop");
    }
};
struct BigCrate : Crate {
    static void describe(TypeBuilder<BigCrate>& t) {
        t.parent<Crate>();
        t.component<Lamp>("second_lamp");
    }
};

ArchetypeDef steel(Game& game) {
    ArchetypeDef def;
    def.name = Name("SteelCrate");
    def.parent = Name("Crate");
    def.tags = {*game.runtime.tags().find("Prop.Steel")};
    def.defaults.set("strength", Node::integer(99));
    def.defaults.set("label", Node::text("steel"));
    def.components = {{Name("Lamp"), {}}, {Name("Lamp"), Name("back")}};
    def.place = "steel.toml:1";
    return def;
}

TEST(Classes, slots_are_made_in_order_parents_first_and_an_empty_one_costs_nothing) {
    // W-14
    Game game;
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Steel").is_ok());
    game.know<Armour, Lamp, Crate, BigCrate>();
    BigCrate* big = game.spawn<BigCrate>();
    std::string names;
    for (Component* c = big->first_component(); c != nullptr; c = c->next()) names += fmt::format("{} ", c->name());
    EXPECT_EQ(names, "armour second_lamp ");
    EXPECT_TRUE(big->is_a<Crate>() && big->is_a<Actor>());
    const TypeRegistry& types = game.runtime.types();
    EXPECT_TRUE(types.find<BigCrate>()->is_a(*types.find<Crate>()));
    EXPECT_FALSE(types.find<Crate>()->is_a(*types.find<BigCrate>()));
    EXPECT_FALSE(types.find<Crate>()->is_a(*types.find<Component>()));
    EXPECT_EQ(ClassInfo::of(*types.find<BigCrate>()).slots.size(), 3u);
    EXPECT_EQ(ClassInfo::of(*types.find<BigCrate>()).tags, std::vector<std::string>{"Prop"});
}

TEST(Archetype, has_its_own_defaults_components_and_tags_and_is_a_class_like_any_other) {
    // W-14
    Game game;
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Steel").is_ok());
    game.know<Armour, Lamp, Crate>();
    auto type = add_archetype(game.runtime.types(), game.runtime.tags(), steel(game));
    ASSERT_TRUE(type) << type.status().to_string();
    EXPECT_TRUE((*type)->is_a(*game.runtime.types().find<Crate>()));
    auto id = game.world().spawn("SteelCrate", {.transform = {{1, 0, 0}}});
    ASSERT_TRUE(id) << id.status().to_string();
    Crate* crate = game.world().find<Crate>(*id);
    ASSERT_NE(crate, nullptr);
    EXPECT_EQ(crate->strength, 99);
    EXPECT_EQ(crate->label, "steel");
    EXPECT_EQ(crate->marks(), 0u);
    EXPECT_NE(crate->find_component(Name("armour")), nullptr);
    EXPECT_NE(crate->find_component(Name("Lamp")), nullptr);
    EXPECT_NE(crate->find_component(Name("back")), nullptr);
    EXPECT_EQ(game.world().component_count(), 3u);
    crate->strength = 98;
    EXPECT_EQ(crate->marks(), 1u << 3) << "its properties are tracked";
    EXPECT_EQ(game.spawn<Crate>()->strength, 10) << "its parent is as it was";
    EXPECT_EQ(ClassInfo::of(**type).tags, (std::vector<std::string>{"Prop", "Prop.Steel"}));
}

TEST(Archetype, has_the_radius_that_its_defaults_say_where_its_class_asks_them) {
    // W-14, W-23
    struct Stone : Actor {
        Property<float> width = 1;
        float radius_of_defaults() const { return width / 2; }
        static void describe(TypeBuilder<Stone>& t) {
            t.property("width", &Stone::width);
            t.radius(0.5f);
        }
    };
    Game game;
    game.know<Stone>();
    const auto radius_of = [&](const char* name, double width) {
        ArchetypeDef def;
        def.name = Name(name);
        def.parent = Name("Stone");
        def.defaults.set("width", Node::number(width));
        const auto made = add_archetype(game.runtime.types(), game.runtime.tags(), def);
        return made ? ClassInfo::of(**made).radius : -1;
    };
    EXPECT_EQ(radius_of("Boulder", 8), 4);
    EXPECT_EQ(radius_of("Hole", -3), 0.5f) << "what is no radius changes nothing";
    const ActorId id = *game.world().spawn("Boulder", {.transform = {{10, 0, 0}, 0, 2}});
    std::vector<Found> found;
    game.world().space().find(Circle{{2.5f, 0, 0}, 1}, {}, found);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].id, id);
    EXPECT_EQ(found[0].scale, 2);
}

TEST(Archetype, of_an_archetype_is_refused_with_advice) {
    // W-14
    Game game;
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Steel").is_ok());
    game.know<Armour, Lamp, Crate>();
    ASSERT_TRUE(add_archetype(game.runtime.types(), game.runtime.tags(), steel(game)));
    ArchetypeDef second = steel(game);
    second.name = Name("RustyCrate");
    second.parent = Name("SteelCrate");
    const std::string text = add_archetype(game.runtime.types(), game.runtime.tags(), second).status().text();
    EXPECT_NE(text.find("derive from Crate"), std::string::npos) << text;
    EXPECT_NE(text.find("component"), std::string::npos) << text;
    EXPECT_EQ(add_archetype(game.runtime.types(), game.runtime.tags(), steel(game)).status().code(),
              StatusCode::AlreadyExists);
}

TEST(Archetype, all_that_is_wrong_is_in_one_refusal_and_nothing_is_registered) {
    // W-14
    Game game;
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Steel").is_ok());
    game.know<Armour, Lamp, Crate>();
    ArchetypeDef def = steel(game);
    def.defaults.set("strenght", Node::integer(1));
    def.defaults.set("strength", Node::text("much"));
    def.defaults.set("scale", Node::integer(2));
    def.components = {
        {Name("Lampe"), {}}, {Name("Crate"), {}}, {Name("Component"), {}}, {Name("Lamp"), Name("armour")}};
    const std::string text = add_archetype(game.runtime.types(), game.runtime.tags(), def).status().text();
    for (const char* part :
         {"steel.toml:1", "did you mean", "strength", "a whole number, not a text", "scale", "Lamp",
          "Crate is not a component", "Component cannot be made", "two component slots are called armour"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    EXPECT_EQ(game.runtime.types().find(Name("SteelCrate")), nullptr);
    def = steel(game);
    def.parent = Name("Lamp");
    EXPECT_FALSE(add_archetype(game.runtime.types(), game.runtime.tags(), def));
    def.parent = Name("Crat");
    EXPECT_NE(add_archetype(game.runtime.types(), game.runtime.tags(), def).status().text().find("Crate"),
              std::string::npos);
}

TEST(Archetype, what_is_wrong_with_a_default_is_told_at_its_key_whatever_it_is_called) {
    // W-14, C-12
    Game game;
    game.know<Armour, Lamp, Crate>();
    Node tree = Node::table();
    Node& defaults = tree.set("defaults", Node::table());
    defaults.key_place = {3, 2, 8};
    for (const char* key : {"hit.points", "hit[0]", "[", "strength"}) {
        Node& node = defaults.add(key, Node::text("much"));
        const auto line = static_cast<std::uint32_t>(3 + defaults.entries().size());
        node.key_place = {line, 1, 10};
        node.place = {line, 20, 6};
    }
    ArchetypeDef def;
    def.name = Name("SteelCrate");
    def.parent = Name("Crate");
    def.defaults = defaults;
    ReadOptions options;
    options.subject = "archetype:steel";
    const Problems problems = link_as_hook({game.runtime.types(), game.runtime.tags()}, options, tree,
                                           [&](ContentLink& link) { def.link(link); });
    ASSERT_EQ(problems.count(), 4u);
    const char* told[] = {"unknown key \"hit.points\" of defaults in archetype:steel",
                          "unknown key \"hit[0]\" of defaults in archetype:steel",
                          "unknown key \"[\" of defaults in archetype:steel",
                          "\"strength\" of defaults in archetype:steel takes a whole number"};
    for (std::size_t i = 0; i < 4; ++i) {
        const Problem& problem = problems.all()[i];
        EXPECT_NE(problem.text.find(told[i]), std::string::npos) << problem.text;
        EXPECT_EQ(problem.place, (i < 3 ? defaults.entries()[i].key_place : defaults.entries()[i].place)) << told[i];
    }
}

TEST(Archetype, keeps_its_parent_registered_and_goes_only_when_nothing_of_it_lives) {
    // W-14, W-10
    Game game;
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Steel").is_ok());
    game.know<Armour, Lamp, Crate>();
    ASSERT_TRUE(add_archetype(game.runtime.types(), game.runtime.tags(), steel(game)));
    EXPECT_NE(game.runtime.types().remove(Name("Crate")).text().find("SteelCrate"), std::string::npos);
    const ActorId id = *game.world().spawn("SteelCrate");
    EXPECT_FALSE(game.runtime.types().remove(Name("SteelCrate")));
    game.world().destroy(id);
    EXPECT_TRUE(game.runtime.types().remove(Name("SteelCrate")));
    EXPECT_TRUE(game.runtime.types().remove(Name("Crate")));
}

struct Hinge : Component {
    static void describe(TypeBuilder<Hinge>& t) { t.belongs_to<Crate>(); }
};
struct LooseHinge : Hinge {  // as it is inherited
    using Described = LooseHinge;
    static void describe(TypeBuilder<LooseHinge>& t) { t.parent<Hinge>(); }
};
struct WideHinge : Hinge {  // says of itself that it may be anywhere
    using Described = WideHinge;
    static void describe(TypeBuilder<WideHinge>& t) {
        t.parent<Hinge>();
        t.belongs_to<Actor>();
    }
};
struct Barrel : Actor {
    static void describe(TypeBuilder<Barrel>&) {}
};
struct Trunk : Crate {
    using Described = Trunk;
    static void describe(TypeBuilder<Trunk>& t) { t.parent<Crate>(); }
};
struct TrunkHinge : WideHinge {  // and narrower again
    using Described = TrunkHinge;
    static void describe(TypeBuilder<TrunkHinge>& t) {
        t.parent<WideHinge>();
        t.belongs_to<Trunk>();
    }
};
struct Keg : Actor {
    static void describe(TypeBuilder<Keg>& t) { t.component<LooseHinge>("hinge"); }
};

TEST(Archetype, and_class_and_actor_have_no_component_that_belongs_to_others) {
    // W-14
    Game game;
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Steel").is_ok());
    game.know<Armour, Lamp, Crate, Hinge, LooseHinge, Barrel, Keg>();
    const char* why = "LooseHinge belongs to actors of class Crate, and Barrel is none";
    EXPECT_TRUE(game.spawn<Crate>()->add<LooseHinge>().is_ok());
    EXPECT_EQ(game.spawn<Barrel>()->add<LooseHinge>().status().text(), why);
    EXPECT_NE(game.world().spawn<Keg>().status().text().find("belongs to actors of class Crate"), std::string::npos);
    ArchetypeDef def;
    def.name = Name("Cask");
    def.parent = Name("Barrel");
    def.components = {{Name("LooseHinge"), {}}};
    const auto refused = add_archetype(game.runtime.types(), game.runtime.tags(), def);
    EXPECT_NE(refused.status().text().find(why), std::string::npos) << refused.status().text();
}

TEST(Archetype, what_a_component_class_belongs_to_is_not_widened_by_a_class_below_it) {
    // W-14
    Game game;
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Steel").is_ok());
    game.know<Armour, Lamp, Crate, Trunk, Hinge, WideHinge, TrunkHinge, Barrel>();
    EXPECT_TRUE(game.spawn<Crate>()->add<WideHinge>().is_ok());
    EXPECT_TRUE(game.spawn<Trunk>()->add<WideHinge>().is_ok());
    EXPECT_EQ(game.spawn<Barrel>()->add<WideHinge>().status().text(),
              "WideHinge belongs to actors of class Crate, and Barrel is none");
    EXPECT_TRUE(game.spawn<Trunk>()->add<TrunkHinge>().is_ok());
    EXPECT_EQ(game.spawn<Crate>()->add<TrunkHinge>().status().text(),
              "TrunkHinge belongs to actors of class Trunk, and Crate is none");
    for (const auto& [component, parent] : {std::pair{"WideHinge", "Barrel"}, std::pair{"TrunkHinge", "Crate"}}) {
        ArchetypeDef def;
        def.name = Name("Cask");
        def.parent = Name(parent);
        def.components = {{Name(component), {}}};
        const auto refused = add_archetype(game.runtime.types(), game.runtime.tags(), def);
        EXPECT_NE(refused.status().text().find(fmt::format("and {} is none", parent)), std::string::npos)
            << refused.status().text();
    }
}

}  // namespace archetype_test
}  // namespace lyre
