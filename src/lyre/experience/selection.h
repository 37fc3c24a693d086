// experience/selection.h: which experience a server plays: seven sources are asked, the first with a known one wins.
//
//     SelectionSources sources{.url_experience = *experience_option(travel.options), .project_default = "arena"};
//     SelectionReport report = select_experience(sources, registry);
//     log(report.to_text());
//
//     experience:tag, chosen by WorldSettings
//       Assignment         no opinion
//       UrlOptions         "tga": unknown; did you mean "experience:tag"?
//       DeveloperSettings  no opinion
//       CommandLine        no opinion
//       WorldSettings      "tag": used
//       DedicatedServer    no opinion
//       ProjectDefault     "arena": outranked
//
// A source says `name` or `experience:name`. What it says is unknown if no such experience is registered, or if it is
// of another type; then the next is asked. What sources below the winner say is not looked up. The report has all
// seven, whatever happened, and is all that is ever told about a choice: in the log, in a failure, and by
// explain_selection(). A pure function but for the call of `assignment`. Text from outside is never interned. Frame's
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/assets/registry.h"

namespace lyre::experience {

// Highest first.
enum class Source : std::uint8_t {
    Assignment,         // matchmaking or an operator
    UrlOptions,         // Experience= of the request to travel
    DeveloperSettings,  // lyre.toml: [developer] experience
    CommandLine,        // --experience
    WorldSettings,      // the level's default
    DedicatedServer,    // what a dedicated server hosts by itself
    ProjectDefault,     // lyre.toml: default_experience
};
inline constexpr std::size_t kSources = 7;
std::string_view to_string(Source source);

enum class Verdict : std::uint8_t {
    Used,
    NoOpinion,
    Unknown,
    NotApplicable,  // it has no say in a build or on a side like this
    Outranked,      // one above it was used
};
std::string_view to_string(Verdict verdict);  // "no opinion"

// What each has to say; empty: no opinion.
struct SelectionSources {
    std::function<std::string()> assignment{};  // asked once; if it throws it has no opinion, and the text is noted
    std::string url_experience{};               // see experience_option; nobody fills it until hosting is there
    std::string developer{};
    std::string command_line{};
    std::string world_settings{};
    std::string dedicated_server{};
    std::string project_default{};
    bool is_development = true;  // else developer settings do not apply
};

struct SourceAnswer {
    Source source = Source::Assignment;
    std::string value{};  // as it was said
    Verdict verdict = Verdict::NoOpinion;
    std::string nearest{};        // of an unknown one: "experience:tag"; empty: none is near
    std::string note{};           // what else there is to say: "it is no experience but of type map"
    std::string to_text() const;  // `UrlOptions: "tga" is unknown; did you mean "experience:tag"?`
};

struct SelectionReport {
    assets::PrimaryAssetId experience{};  // none: nobody gave a known one
    std::optional<Source> winner{};
    std::vector<SourceAnswer> answers{};  // always kSources, in order

    std::string to_text() const;                       // as above, lines ended by \n
    std::vector<const SourceAnswer*> unknown() const;  // to be reported one by one
};

SelectionReport select_experience(const SelectionSources& sources, const assets::AssetRegistry& registry);

// The value of Experience in the options of a request to travel: `?Experience=tag?NumBots=3?DemoRec`. Each option
// follows a '?' (which the first may lack) and is `Key` or `Key=Value`; case does not matter in keys, nothing is
// escaped. Not there, or without value: empty. Refused: Experience twice, control characters, more than
// kMaxUrlOptions bytes.
inline constexpr std::size_t kMaxUrlOptions = 4096;
Result<std::string> experience_option(std::string_view url_options);

}  // namespace lyre::experience
