#include "lyre/experience/selection.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <fmt/format.h>

#include "lyre/core/suggest.h"
#include "lyre/experience/definition.h"

namespace lyre::experience {
namespace {

constexpr std::string_view kOption = "Experience";

std::string ask_assignment(const SelectionSources& sources, std::string& note) {
    if (!sources.assignment) return {};
    std::string what = "an exception";
    try {
        return sources.assignment();
    } catch (const std::exception& error) {
        what = error.what();
    } catch (...) {
    }
    note = fmt::format("it threw: {}", in_quotes(what));
    return {};
}

std::string value_of(const SelectionSources& sources, Source source, std::string& note) {
    switch (source) {
        case Source::Assignment:
            return ask_assignment(sources, note);
        case Source::UrlOptions:
            return sources.url_experience;
        case Source::DeveloperSettings:
            return sources.developer;
        case Source::CommandLine:
            return sources.command_line;
        case Source::WorldSettings:
            return sources.world_settings;
        case Source::DedicatedServer:
            return sources.dedicated_server;
        case Source::ProjectDefault:
            return sources.project_default;
    }
    return {};
}

// The experience that a source means. None: it is unknown, and the answer says so.
assets::PrimaryAssetId find_experience(SourceAnswer& answer, const assets::AssetRegistry& registry) {
    const Name type{kExperienceType};
    const std::string_view value = answer.value;
    const std::size_t colon = value.find(':');
    const bool has_type = colon != std::string_view::npos;
    const std::string_view name = has_type ? value.substr(colon + 1) : value;
    const bool is_experience = !has_type || value.substr(0, colon) == kExperienceType;
    if (is_experience && registry.has(type, name)) return {type, Name(name)};
    answer.verdict = Verdict::Unknown;
    if (!is_experience) answer.note = fmt::format("it is of type {}", in_quotes(value.substr(0, colon)));
    const std::string near = registry.nearest(type, name);
    if (!near.empty()) answer.nearest = fmt::format("{}:{}", kExperienceType, near);
    return {};
}

bool is_same_key(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string in_brackets(const std::string& note) {
    return note.empty() ? std::string() : fmt::format(" ({})", note);
}

}  // namespace

std::string_view to_string(Source source) {
    constexpr std::string_view kNames[kSources] = {"Assignment",    "UrlOptions",    "DeveloperSettings",
                                                   "CommandLine",   "WorldSettings", "DedicatedServer",
                                                   "ProjectDefault"};
    return kNames[static_cast<std::size_t>(source)];
}

std::string_view to_string(Verdict verdict) {
    constexpr std::string_view kNames[] = {"used", "no opinion", "unknown", "not applicable", "outranked"};
    return kNames[static_cast<std::size_t>(verdict)];
}

std::string SourceAnswer::to_text() const {
    const std::string said = value.empty() ? " has" : fmt::format(": {} is", in_quotes(value));
    return fmt::format("{}{} {}{}{}", experience::to_string(source), said, experience::to_string(verdict),
                       in_brackets(note), did_you_mean(nearest));
}

std::string SelectionReport::to_text() const {
    std::string text = winner ? fmt::format("{}, chosen by {}, the first to name one\n", experience, to_string(*winner))
                              : "no source gives a known experience\n";
    for (const SourceAnswer& answer : answers) {
        const std::string said = answer.value.empty() ? std::string() : in_quotes(answer.value) + ": ";
        text += fmt::format("  {:<19}{}{}{}{}\n", to_string(answer.source), said, to_string(answer.verdict),
                            in_brackets(answer.note), did_you_mean(answer.nearest));
    }
    return text;
}

std::vector<const SourceAnswer*> SelectionReport::unknown() const {
    std::vector<const SourceAnswer*> all;
    for (const SourceAnswer& answer : answers)
        if (answer.verdict == Verdict::Unknown) all.push_back(&answer);
    return all;
}

SelectionReport select_experience(const SelectionSources& sources, const assets::AssetRegistry& registry) {
    SelectionReport report;
    for (std::size_t i = 0; i < kSources; ++i) {
        SourceAnswer& answer = report.answers.emplace_back();
        answer.source = static_cast<Source>(i);
        answer.value = value_of(sources, answer.source, answer.note);
        if (answer.source == Source::DeveloperSettings && !sources.is_development) {
            answer.verdict = Verdict::NotApplicable;
            answer.note = "not a development build";
        } else if (answer.value.empty()) {
            answer.verdict = Verdict::NoOpinion;
        } else if (report.winner) {
            answer.verdict = Verdict::Outranked;
        } else if (const auto found = find_experience(answer, registry); !found.is_none()) {
            answer.verdict = Verdict::Used;
            report.winner = answer.source;
            report.experience = found;
        }
    }
    return report;
}

Result<std::string> experience_option(std::string_view url_options) {
    if (url_options.size() > kMaxUrlOptions)
        return Status::invalid("the options of the request have {} bytes; {} are allowed", url_options.size(),
                               kMaxUrlOptions);
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (std::any_of(url_options.begin(), url_options.end(), is_control))
        return Status::invalid("the options of the request have control characters in them: {}",
                               in_quotes(url_options));
    std::optional<std::string_view> value;
    for (std::string_view rest = url_options; !rest.empty();) {
        const std::string_view option = rest.substr(0, rest.find('?'));
        rest.remove_prefix(std::min(rest.size(), option.size() + 1));
        const std::size_t equals = option.find('=');
        if (!is_same_key(option.substr(0, equals), kOption)) continue;
        const std::string_view said = equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
        if (value)
            return Status::invalid("{} stands twice in the options of the request, as {} and {}", kOption,
                                   in_quotes(*value), in_quotes(said));
        value = said;
    }
    return std::string(value.value_or(std::string_view()));
}

}  // namespace lyre::experience
