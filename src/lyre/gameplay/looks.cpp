#include "lyre/gameplay/looks.h"

#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

void describe(EnumBuilder<Shape>& e) {
    e.value("dot", Shape::Dot).value("circle", Shape::Circle).value("square", Shape::Square);
}

void describe(EnumBuilder<Colour>& e) {
    e.value("plain", Colour::Plain)
        .value("grey", Colour::Grey)
        .value("red", Colour::Red)
        .value("yellow", Colour::Yellow)
        .value("green", Colour::Green)
        .value("cyan", Colour::Cyan)
        .value("blue", Colour::Blue)
        .value("magenta", Colour::Magenta);
}

void Look::describe(TypeBuilder<Look>& t) {
    t.help("what a front end draws where an actor is");
    t.property("shape", &Look::shape).help("where there is room for one");
    t.property("colour", &Look::colour).help("of the shape, or of the glyph");
    t.property("radius", &Look::radius)
        .range(0, 1000)
        .units("m")
        .help("of the shape; of a Prop also what it is found by");
    t.property("glyph", &Look::glyph).help("one character, where there is room for one only");
}

void Marker::describe(TypeBuilder<Marker>& t) {
    t.help("how front ends draw the actor");
    t.parent<Component>();
    t.property("look", &Marker::look).replicated().help("how it is drawn");
}

void Label::describe(TypeBuilder<Label>& t) {
    t.help("a text that stands beside the actor");
    t.parent<Component>();
    t.property("text", &Label::text).replicated().help("what stands there");
}

void LocalLabel::describe(TypeBuilder<LocalLabel>& t) {
    t.help("a text that stands beside the actor on this machine only");
    t.parent<Component>();
    t.property("text", &LocalLabel::text).help("what stands there");
}

void Prop::describe(TypeBuilder<Prop>& t) {
    t.help("something to be seen and bumped into; archetypes say how it looks");
    t.parent<ModularActor>();
    t.property("look", &Prop::look).replicated().help("how it is drawn");
    t.radius(Look{}.radius);
}

const Look* look_of(const Actor& actor) {
    if (const auto* marker = actor.find<Marker>()) return &marker->look.get();
    if (const auto* prop = actor.as<Prop>()) return &prop->look.get();
    return nullptr;
}

const std::string* label_of(const Actor& actor) {
    if (const auto* label = actor.find<Label>()) return &label->text.get();
    if (const auto* label = actor.find<LocalLabel>()) return &label->text.get();
    return nullptr;
}

const Look* look_of(const TypeRegistry& types, const Type& type) {
    const Type* prop = types.find<Prop>();
    const bool shows = prop != nullptr && type.is_a(*prop) && type.defaults != nullptr;
    return shows ? &static_cast<const Prop*>(type.defaults)->look.get() : nullptr;
}

}  // namespace lyre::gameplay
