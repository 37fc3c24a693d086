// content_fuzz: content files from hostile hands. Every text is parsed, read into a struct that has every kind of
// value, and linked; what was read and what was complained about must print, and what prints must read back the same.
#include <cstdlib>

#include "lyre/assets/asset_id.h"
#include "lyre/assets/toml.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/part.h"
#include "lyre/core/tags.h"
#include "lyre/core/type_registry.h"

namespace lyre::assets {
namespace {

enum class Side : std::uint8_t { Both, Server, Client };
void describe(EnumBuilder<Side>& e) {
    e.value("both", Side::Both).value("server", Side::Server).value("client", Side::Client);
}

struct Deed {
    virtual ~Deed() = default;
    static void describe(TypeBuilder<Deed>& t) { t.abstract(); }
};
struct Deeds : Deed {
    using Described = Deed;
    std::vector<Part<Deed>> deeds;
    static void describe(TypeBuilder<Deeds>& t) { t.property("deed", &Deeds::deeds); }
};
struct Wish {
    Name id{};
    Side side = Side::Both;
    std::vector<std::vector<float>> rows{};
    static void describe(TypeBuilder<Wish>& t) {
        t.property("id", &Wish::id).required();
        t.property("side", &Wish::side);
        t.property("rows", &Wish::rows);
        t.short_form("id");
    }
};
struct Everything {
    bool yes = false;
    std::int8_t small = 0;
    std::uint64_t large = 0;
    float half = 0;
    double number = 0;
    std::string text{};
    Name name{}, file{}, kind{};
    Side side = Side::Both;
    Vec3 at{};
    Box area{};
    GameplayTag tag{};
    TagContainer tags{};
    PrimaryAssetId id{};
    std::vector<int> list{};
    std::vector<Wish> wishes{};
    Wish wish{};
    std::vector<Part<Deed>> deeds{};
    Part<Deed> last{};
    Node node{};
    static void describe(TypeBuilder<Everything>& t) {
        t.property("yes", &Everything::yes);
        t.property("small", &Everything::small);
        t.property("large", &Everything::large);
        t.property("half", &Everything::half).range(-1, 1);
        t.property("number", &Everything::number);
        t.property("text", &Everything::text);
        t.property("name", &Everything::name).asset_name();
        t.property("file", &Everything::file).asset("map");
        t.property("class", &Everything::kind).class_of("Deed");
        t.property("side", &Everything::side);
        t.property("at", &Everything::at).required();
        t.property("area", &Everything::area);
        t.property("tag", &Everything::tag);
        t.property("tags", &Everything::tags);
        t.property("id", &Everything::id);
        t.property("list", &Everything::list);
        t.property("wish", &Everything::wishes);
        t.property("one", &Everything::wish);
        t.property("deed", &Everything::deeds);
        t.property("last", &Everything::last);
        t.property("node", &Everything::node);
    }
};

void demand(bool holds) {
    if (!holds) std::abort();
}

// Whatever is said about a hostile text must itself be harmless.
void look_at(const Problems& problems) {
    for (const Problem& problem : problems.all()) demand(problem.code != nullptr && !problem.text.empty());
    demand(problems.to_text().find('\x1b') == std::string::npos);
    demand(!problems.to_json().empty());
}

void read_back(const Node& root) {
    const TomlDocument again = parse_toml("again = " + root.print(), "again.toml");
    if (again.problems.is_empty())
        demand(*again.root.find("again") == root);
    else
        demand(again.problems.all().front().code == &kTomlTooDeep);  // it is one level deeper now
}

void read(const TomlDocument& document, std::string_view text) {
    static TypeRegistry types;
    static const bool known = types.add_all<Deed, Deeds>().is_ok();
    static const PartKinds kinds(types);
    static const TagTable tags;
    demand(known);
    Everything object;
    Reading reading = read_record(document.root, type_of_record<Everything>(), &object,
                                  {.file = "fuzz.toml", .subject = "fuzz:fuzz", .text = text, .kinds = &kinds});
    while (!reading.is_linked()) link_content(reading, {types, tags}, 100);
    look_at(reading.problems);
    const ValueType& type = value_type<Everything>();
    const Everything copy = object;
    demand(type.print(&object) == type.print(&copy));
    Hasher hasher;
    type.hash(&object, hasher);
}

}  // namespace
}  // namespace lyre::assets

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lyre::assets;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const TomlDocument document = parse_toml(text, "fuzz.toml");
    look_at(document.problems);
    if (!document.problems.is_empty()) return 0;
    read_back(document.root);
    read(document, text);
    return 0;
}
