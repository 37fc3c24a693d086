// gameplay/looks.h: what front ends draw, said by the game without knowing any of them.
//
//     Marker       a component: this actor is drawn as a shape of a colour, with a glyph where shapes are too small
//     Label        a component: this text stands beside the actor
//     LocalLabel   the same, made by a machine for itself: not replicated, so that a client may make one, too
//     Prop         an actor that is only there to be seen and bumped into: its look is its class's, so that a front end
//                  can draw the rows of a level, which have no components. What the look of an archetype's defaults
//                  says is also the radius it is found with; a look that is changed later does not change that
//
// A front end draws markers, labels and props by place, and knows no feature's class: a feature fills a Marker or a
// label. All are described, so that a network carries what is replicated. Frame's thread.
#pragma once

#include <cstdint>
#include <string>

#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

enum class Shape : std::uint8_t { Dot, Circle, Square };
void describe(EnumBuilder<Shape>& e);
enum class Colour : std::uint8_t { Plain, Grey, Red, Yellow, Green, Cyan, Blue, Magenta };
void describe(EnumBuilder<Colour>& e);

struct Look {
    Shape shape = Shape::Dot;
    Colour colour = Colour::Plain;
    float radius = 0.5f;      // m
    std::string glyph = "o";  // one character, where there is room for one only
    friend bool operator==(const Look&, const Look&) = default;
    static void describe(TypeBuilder<Look>& t);
};

class Marker : public Component {
public:
    using Described = Marker;
    static void describe(TypeBuilder<Marker>& t);
    Property<Look> look;
};

class Label : public Component {
public:
    using Described = Label;
    static void describe(TypeBuilder<Label>& t);
    Property<std::string> text;
};

class LocalLabel : public Component {
public:
    using Described = LocalLabel;
    static void describe(TypeBuilder<LocalLabel>& t);
    Property<std::string> text;
};

class Prop : public ModularActor {
public:
    using Described = Prop;
    static void describe(TypeBuilder<Prop>& t);
    float radius_of_defaults() const { return look->radius; }
    Property<Look> look;
};

// How an actor looks: its first Marker, or itself if it is a Prop; null: it does not show.
const Look* look_of(const Actor& actor);
// The text beside an actor: of its first Label, else of its first LocalLabel; null: there is none.
const std::string* label_of(const Actor& actor);
// How rows of a class look; null: they do not show.
const Look* look_of(const TypeRegistry& types, const Type& type);

}  // namespace lyre::gameplay
