#include "lyre/assets/content_types.h"

#include <gtest/gtest.h>

#include "lyre/core/clock.h"
#include "lyre/core/part.h"

namespace lyre::assets {
namespace content_types_test {

struct Note {
    std::string text{};
    static void describe(TypeBuilder<Note>& t) { t.property("text", &Note::text); }
};
struct Deed {
    virtual ~Deed() = default;
    static void describe(TypeBuilder<Deed>& t) { t.abstract(); }
};
struct Jump : Deed {
    using Described = Deed;
    static void describe(TypeBuilder<Jump>&) {}
};
struct Picture {};

const Owner kTag = Owner::feature(Name("tag"), 1);

Result<Loaded<Picture>> load_picture(const Bytes&, const LoadedFile&) {
    return Loaded<Picture>{std::make_shared<Picture>(), 1};
}

class ContentTypesTest : public ::testing::Test {
protected:
    TypeRegistry registry;
    ContentTypes types{registry};
};

TEST_F(ContentTypesTest, types_and_loaders_are_found_by_name_and_belong_to_who_registered_them) {
    // C-01
    {
        OwnerScope as(kTag);
        ASSERT_TRUE(types.add<Note>("note"));
    }
    ASSERT_TRUE(types.add_loader<Picture>("png", load_picture));
    const ContentType* note = types.find(Name("note"));
    ASSERT_NE(note, nullptr);
    EXPECT_EQ(note->owner, kTag);
    EXPECT_EQ(note->object_type, type_name<Note>());
    EXPECT_EQ(note->type, &type_of_record<Note>());
    EXPECT_EQ(types.find(Name("png"))->owner, Owner::process());
    EXPECT_EQ(types.find(Name("jpg")), nullptr);
    ASSERT_EQ(types.all().size(), 2u);
    EXPECT_EQ(types.all()[0]->name, Name("note"));
}

TEST_F(ContentTypesTest, a_name_that_is_taken_is_refused_and_both_places_are_named) {
    // C-01
    ASSERT_TRUE(types.add<Note>("note", Makes::Data, "game/a.cpp", 3));
    const Status refused = types.add_loader<Picture>("note", load_picture, "game/b.cpp", 4);
    EXPECT_EQ(refused.code(), StatusCode::AlreadyExists);
    EXPECT_EQ(refused.text(), "the content type note is taken: game/a.cpp:3 and game/b.cpp:4 both register it");
    EXPECT_NE(types.find(Name("note"))->type, nullptr);
}

TEST_F(ContentTypesTest, names_that_no_file_can_have_are_refused) {
    // C-02
    for (const char* name : {"", "Note", "a.b", "a/b", "a b", "toml"})
        EXPECT_EQ(types.add<Note>(name).code(), StatusCode::InvalidArgument) << name;
    EXPECT_EQ(types.add_loader<Picture>("toml", load_picture, "a.cpp", 1).text(),
              "toml (a.cpp:1) cannot be a content type: NAME.toml is content without a type");
    EXPECT_EQ(types.add({Name("deed"), &type_of_record<Deed>(), {}, {}, {}, "a.cpp:1"}).text(),
              "content type deed (a.cpp:1): no Deed can be made");
    EXPECT_EQ(types.add({Name("deed"), nullptr, {}, {}, {}, "a.cpp:1"}).text(),
              "content type deed (a.cpp:1) has neither a description nor a loader");
    EXPECT_TRUE(types.all().empty());
}

TEST_F(ContentTypesTest, one_more_than_the_bound_is_refused) {
    // C-01
    for (std::size_t i = 0; i < ContentTypes::kMaxTypes; ++i) ASSERT_TRUE(types.add<Note>(fmt::format("note_{}", i)));
    EXPECT_EQ(types.add<Note>("more").code(), StatusCode::Capacity);
}

TEST_F(ContentTypesTest, a_type_in_use_does_not_leave_and_its_users_are_named) {
    // C-01
    ASSERT_TRUE(types.add<Note>("note"));
    std::vector<std::string> in_use = {"note:one", "note:two"};
    auto hold = types.listing_uses.add([&](const ContentType& type, std::vector<std::string>& uses) {
        if (type.name == Name("note")) uses.insert(uses.end(), in_use.begin(), in_use.end());
    });
    const Status refused = types.remove(Name("note"));
    EXPECT_EQ(refused.code(), StatusCode::Refused);
    EXPECT_EQ(refused.text(), "content type note is still in use: note:one, note:two");
    in_use.assign(ContentTypes::kMaxListed + 1, "x");
    EXPECT_TRUE(types.remove(Name("note")).text().ends_with(", x and more"));
    in_use.clear();
    EXPECT_TRUE(types.remove(Name("note")));
    EXPECT_EQ(types.find(Name("note")), nullptr);
    EXPECT_EQ(types.remove(Name("note")).code(), StatusCode::NotFound);
}

TEST_F(ContentTypesTest, all_types_of_an_owner_leave_or_none) {
    // C-01
    ASSERT_TRUE(types.add<Note>("mine"));
    {
        OwnerScope as(kTag);
        ASSERT_TRUE(types.add<Note>("note"));
        ASSERT_TRUE(types.add<Note>("memo"));
    }
    bool is_used = true;
    auto hold = types.listing_uses.add([&](const ContentType& type, std::vector<std::string>& uses) {
        if (is_used && type.name == Name("note")) uses.push_back("note:one");
    });
    EXPECT_EQ(types.remove_all(kTag).text(), "content types of feature tag are still in use: note:one");
    EXPECT_EQ(types.all().size(), 3u);
    is_used = false;
    int changes = 0;
    auto heard = types.changed.add([&] { ++changes; });
    EXPECT_TRUE(types.remove_all(kTag));
    EXPECT_EQ(changes, 1);
    ASSERT_EQ(types.all().size(), 1u);
    EXPECT_EQ(types.all()[0]->name, Name("mine"));
}

TEST_F(ContentTypesTest, a_schema_stays_as_it_was_and_a_change_makes_another) {
    // C-01
    ASSERT_TRUE(types.add<Note>("note"));
    const auto before = types.schema();
    EXPECT_EQ(types.schema(), before);
    ASSERT_TRUE(types.add<Note>("memo"));
    const auto after = types.schema();
    EXPECT_NE(after, before);
    EXPECT_EQ(before->find("memo"), nullptr);
    EXPECT_NE(after->find("memo"), nullptr);
    EXPECT_EQ(after->find("a name that nobody has ever interned"), nullptr);
}

TEST_F(ContentTypesTest, a_schema_knows_a_kind_that_came_and_not_one_that_is_leaving) {
    // C-01
    const auto empty = types.schema();
    ASSERT_TRUE(registry.add<Deed>());
    ASSERT_TRUE(registry.add<Jump>());
    EXPECT_EQ(empty->kinds.find(Name("Deed"), "jump"), nullptr);
    EXPECT_EQ(types.schema()->kinds.find(Name("Deed"), "jump"), registry.find(Name("Jump")));
    bool was_known = true;
    auto first = registry.removing.add(
        [&](const Type&) { was_known = types.schema()->kinds.find(Name("Deed"), "jump") != nullptr; }, -100);
    ASSERT_TRUE(registry.remove(Name("Jump")));
    EXPECT_FALSE(was_known);
    EXPECT_EQ(types.schema()->kinds.find(Name("Deed"), "jump"), nullptr);
}

TEST_F(ContentTypesTest, an_old_schema_is_known_until_the_last_who_reads_by_it_has_let_go) {
    // F-69, F-74
    auto witness = std::make_shared<int>(1);
    const auto load = [witness](const Bytes&, const LoadedFile&) -> Result<Loaded<Picture>> {
        return Loaded<Picture>{};
    };
    {
        const OwnerScope as(kTag);
        ASSERT_TRUE(types.add_loader<Picture>("png", load));
    }
    EXPECT_EQ(types.find(Name("png"))->owner, kTag);
    ASSERT_TRUE(types.add<Note>("note"));
    EXPECT_LT(types.find(Name("png"))->registered, types.find(Name("note"))->registered);
    auto at_a_worker = types.schema();
    EXPECT_FALSE(types.has_old_schemas()) << "it is the present one";
    const long with_schema = witness.use_count();
    ASSERT_TRUE(types.remove_all(kTag));
    EXPECT_TRUE(types.has_old_schemas());
    EXPECT_NE(types.schema(), at_a_worker);
    EXPECT_EQ(witness.use_count(), with_schema - 1) << "the worker's copy of the loader";
    at_a_worker.reset();
    EXPECT_EQ(witness.use_count(), with_schema - 1) << "it goes on this thread, when it is asked for";
    EXPECT_FALSE(types.has_old_schemas());
    EXPECT_EQ(witness.use_count(), 2) << "this test's own";
    types.schema();
    ASSERT_TRUE(types.remove(Name("note")));
    EXPECT_FALSE(types.has_old_schemas()) << "one that nobody had is gone at once";
}

TEST_F(ContentTypesTest, listeners_that_throw_are_reported_and_what_they_heard_of_stands) {
    // C-01, F-74
    VirtualClock clock;
    Log log(clock);
    ContentTypes told(registry, &log);
    int heard = 0;
    auto throws = told.changed.add([] { throw std::runtime_error("on purpose"); });
    auto hears = told.changed.add([&] { ++heard; });
    ASSERT_TRUE(told.add<Note>("note"));
    EXPECT_NE(told.find(Name("note")), nullptr);
    {
        auto asked = told.listing_uses.add([](const ContentType&, std::vector<std::string>&) { throw 1; });
        EXPECT_EQ(told.remove(Name("note")).text(),
                  "content type note is still in use: somebody who was asked threw: an exception");
    }
    ASSERT_TRUE(told.remove(Name("note")));
    EXPECT_EQ(told.find(Name("note")), nullptr);
    EXPECT_EQ(heard, 2);
    EXPECT_EQ(log.count(kCallbackFailed), 3u);
    EXPECT_EQ(log.entries().front().subject, "content type note comes");
    EXPECT_EQ(log.entries().front().text, "a listener threw: on purpose");
}

}  // namespace content_types_test
}  // namespace lyre::assets
