// Tags as a game asks for them: one in a set of 16, and a designer's condition on such a set.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "lyre/core/tag_query.h"
#include "lyre/core/tags.h"

namespace lyre {
namespace {

struct Tags {
    Tags() {
        for (int i = 0; i < 16; ++i) {
            names.push_back(fmt::format("Gameplay.Group{}.Effect{}", i % 4, i));
            table.declare(names.back()).ignore();
            set.add(tag(names.back()));
            counts.add(tag(names.back()));
        }
        for (const char* text : {"Gameplay.Absent", "Gameplay.Group9.Effect9"}) table.declare(text).ignore();
    }
    GameplayTag tag(std::string_view text) const { return *table.find(text); }

    TagTable table;
    std::vector<std::string> names;
    TagContainer set;
    TagCounts counts;
};

void tag_matches_parent(benchmark::State& state) {
    const Tags tags;
    GameplayTag low = tags.tag(tags.names[7]), high = tags.tag("Gameplay.Group3");
    for (auto _ : state) {
        benchmark::DoNotOptimize(low);
        benchmark::DoNotOptimize(low.matches(high));
    }
}
BENCHMARK(tag_matches_parent);

template <class Ask>
void ask_each(benchmark::State& state, const Tags& tags, std::initializer_list<const char*> texts, Ask ask) {
    std::vector<GameplayTag> wanted;
    for (const char* text : texts) wanted.push_back(tags.tag(text));
    for (auto _ : state)
        for (GameplayTag tag : wanted) benchmark::DoNotOptimize(ask(tag));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(wanted.size()));
}

void tag_set_of_16_has(benchmark::State& state) {
    const Tags tags;
    ask_each(state, tags,
             {"Gameplay.Group0", "Gameplay.Group2", "Gameplay.Group3.Effect15", "Gameplay.Absent", "Gameplay"},
             [&](GameplayTag tag) { return tags.set.has(tag); });
}
BENCHMARK(tag_set_of_16_has);

void tag_set_of_16_has_exact(benchmark::State& state) {
    const Tags tags;
    ask_each(state, tags, {"Gameplay.Group0", "Gameplay.Group1.Effect5", "Gameplay.Group3.Effect15", "Gameplay.Absent"},
             [&](GameplayTag tag) { return tags.set.has_exact(tag); });
}
BENCHMARK(tag_set_of_16_has_exact);

void tag_query_of_6_on_16(benchmark::State& state) {
    const Tags tags;
    const TagQuery query = *TagQuery::parse(
        "all(Gameplay.Group0, Gameplay.Group1.Effect5, any(Gameplay.Absent, Gameplay.Group2), "
        "none(Gameplay.Group9, Gameplay.Absent))",
        tags.table);
    for (auto _ : state) benchmark::DoNotOptimize(query.evaluate(tags.set));
}
BENCHMARK(tag_query_of_6_on_16);

void tag_counts_of_16_add_and_remove_a_known_tag(benchmark::State& state) {
    Tags tags;
    const GameplayTag tag = tags.tag(tags.names[7]);
    for (auto _ : state) {
        benchmark::DoNotOptimize(tags.counts.add(tag));
        benchmark::DoNotOptimize(tags.counts.remove(tag));
    }
}
BENCHMARK(tag_counts_of_16_add_and_remove_a_known_tag);

void tag_counts_of_16_add_and_remove_with_edges_told(benchmark::State& state) {
    Tags tags;
    const GameplayTag tag = tags.tag("Gameplay.Group9.Effect9");
    for (auto _ : state) {
        for (GameplayTag edge : tags.counts.add(tag)) benchmark::DoNotOptimize(edge);
        for (GameplayTag edge : tags.counts.remove(tag)) benchmark::DoNotOptimize(edge);
    }
}
BENCHMARK(tag_counts_of_16_add_and_remove_with_edges_told);

void tag_find_with_suggestion_among_65000(benchmark::State& state) {
    TagTable table;
    for (int i = 0; i < 65000; ++i) table.declare(fmt::format("Gameplay.Effect{}", i)).ignore();
    for (auto _ : state) benchmark::DoNotOptimize(table.find("Gameplay.Efect7x21"));
}
BENCHMARK(tag_find_with_suggestion_among_65000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lyre
