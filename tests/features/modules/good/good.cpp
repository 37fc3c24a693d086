// One of everything a feature's code can bring.
#include "lyre/features/registrar.h"

// What a test does while code of this library is on the stack.
extern "C" {
void (*good_calls)() = nullptr;
}

namespace {

using namespace lyre;

void call_out() {
    if (good_calls != nullptr) good_calls();
}

struct GoodPower : Component {
    Property<float> charge = 1;
    std::vector<std::int16_t> cells{1, 2, 3};
    static void describe(TypeBuilder<GoodPower>& t) {
        t.property("charge", &GoodPower::charge).range(0, 10).notify(&GoodPower::charge_changed);
    }
    void charge_changed() {}
    void tick(float) { charge = charge + 1; }
};

struct GoodLamp : Actor {
    static void describe(TypeBuilder<GoodLamp>& t) {
        t.component<GoodPower>("power");
        t.tag("Good.Lamp");
        t.remote<&GoodLamp::flash>("flash").to_everyone();
    }
    void begin_play() {
        world().timers().every(
            0.5, [this] { flash(1); }, id());
    }
    void flash(int) {}
};

struct GoodCount : WorldSubsystem {
    static void describe(TypeBuilder<GoodCount>&) {}
    void initialize() {}
    int count = 0;
};

struct GoodGlow : features::GameFeatureAction {
    std::string label{};
    static void describe(TypeBuilder<GoodGlow>& t) { t.property("label", &GoodGlow::label); }
    Status activating(features::ActivatingContext& context) const override {
        if (label.empty()) return Status::invalid("a glow of {} has no label", LYRE_FEATURE_VERSION);
        context.state<Glow>().lamp = *context.world().spawn("GoodLamp");
        context.keep(context.world().actor_initialized.add([](Actor&) { call_out(); }));
        return Status::ok();
    }
    void deactivating(features::DeactivatingContext& context) const override {
        if (World* world = context.find_world()) world->destroy(context.state<Glow>().lamp);
    }

private:
    struct Glow {
        ActorId lamp;
        std::vector<int> steps{1, 2, 3};  // something to free, by code of the library
    };
};

struct GoodRules {
    std::vector<std::uint16_t> steps{};
    std::string text = "fair";
    static void describe(TypeBuilder<GoodRules>& t) {
        t.property("steps", &GoodRules::steps);
        t.property("text", &GoodRules::text);
    }
};

struct GoodPicture {
    std::size_t bytes;
};

}  // namespace

LYRE_FEATURE(good) {
    feature.tag("Good.Lamp");
    feature.types<GoodPower, GoodLamp, GoodCount, GoodGlow>();
    feature.content_type<GoodRules>("good_rules");
    feature.loader<GoodPicture>(
        "goodpic", [](const Bytes& bytes, const assets::LoadedFile&) -> Result<assets::Loaded<GoodPicture>> {
            return assets::Loaded<GoodPicture>{std::make_shared<GoodPicture>(GoodPicture{bytes.size()}), bytes.size()};
        });
    feature.variable<double>({.name = "good.Brightness", .default_value = 0.5, .min = 0.0, .max = 1.0});
    feature.command({.name = "good.version", .help = "which one it is"}, [](CommandArguments) -> CommandResult {
        return {Status::ok(), LYRE_FEATURE_VERSION};
    });
    feature.command({.name = "good.call", .help = "calls out"}, [](CommandArguments) -> CommandResult {
        call_out();
        return {Status::ok(), LYRE_FEATURE_VERSION};
    });
    feature.handler("good.touch", [](Actor&, Name, const framework::EventPayload&) {});
    feature.function("good.fail", [](features::ActivatingContext&, const Node&) {
        return Status::failed("version {} of good does not want to", LYRE_FEATURE_VERSION);
    });
}
