#include "apps/lyre/live_match.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "lyre/core/utf8.h"
#include "lyre/experience/host.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/session/why.h"

#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

constexpr std::int64_t kPageUs = 50'000;      // 20 pages per second
constexpr std::int64_t kCatchUpUs = 250'000;  // further behind, the world runs slower instead
constexpr std::size_t kMaxChoices = 9;        // one per digit

bool is_unicode() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        const std::string text = value;
        return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
    }
    return false;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

// What a command calls the argument that stands behind these words, its own name the first: "feature" of <feature>;
// empty: it takes none.
std::string argument_of(const Console& console, const std::vector<std::string>& words) {
    const auto commands = console.commands();
    const auto is_it = [&](const CommandInfo& one) { return one.name.text() == words.front(); };
    const auto command = std::find_if(commands.begin(), commands.end(), is_it);
    if (command == commands.end()) return {};
    std::string_view rest = command->arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t open = rest.find_first_of("<[");
        if (open == std::string_view::npos) return {};
        rest.remove_prefix(open + 1);
    }
    return std::string(rest.substr(0, rest.find_first_of(">].")));
}

bool has_color() {
    const char* no_color = std::getenv("NO_COLOR");
    return no_color == nullptr || *no_color == '\0';
}

}  // namespace

LiveMatch::LiveMatch(MatchRun& run)
    : run_(run), view_(has_color(), is_unicode()), line_([this](const auto& words) { return names_behind(words); }) {
    warnings_ = run_.runtime().log().reported().add([this](const LogEntry& entry) {
        if (entry.level >= LogLevel::Warning)
            tell(fmt::format("{}: {}: {}", entry.kind, entry.subject, entry.text.substr(0, entry.text.find('\n'))),
                 true);
    });
}

// Most starts take a frame or two: the screen is left alone then.
bool LiveMatch::await_start() {
    const Clock& clock = run_.wall();
    const std::int64_t begin = clock.now_us();
    std::optional<Terminal> terminal;
    next_tick_ = begin;
    while (run_.is_starting() && !is_end_requested() && !is_over_) {
        const std::int64_t now = clock.now_us();
        next_tick_ = std::max(next_tick_, now - kCatchUpUs);
        for (; next_tick_ <= now && run_.is_starting(); next_tick_ += run_.tick_us()) run_.frame();
        if (!terminal && now - begin > kPageUs) terminal.emplace();
        if (!terminal) continue;
        terminal->show(view_.start_page(run_.project(), terminal->size()));
        is_over_ = terminal->wait_for_key(kPageUs) == 'q';
    }
    return !is_over_ && !is_end_requested();
}

void LiveMatch::play(double seconds, double pause_at, const std::vector<std::string>& asked) {
    Terminal terminal;
    const Clock& clock = run_.wall();
    const session::Standalone& game = run_.game();
    add_commands();
    next_tick_ = next_page_ = clock.now_us();
    while (!is_over_ && !is_end_requested() && game.world() != nullptr) {
        const std::int64_t now = clock.now_us();
        run_frames(now, seconds, pause_at, asked);
        if (next_page_ <= clock.now_us() && game.world() != nullptr) draw(terminal);
        take_keys(terminal, std::max<std::int64_t>(std::min(next_tick_, next_page_) - clock.now_us(), 0));
    }
    commands_.clear();
}

void LiveMatch::draw(Terminal& terminal) {
    note_.commands = commands_of_features();
    const bool ticks = has_ticked_ && !run_.game().is_paused();
    terminal.show(view_.page(run_.game(), news_, terminal.size(), ticks ? tick_ms_ : -1, note_));
    next_page_ = run_.wall().now_us() + kPageUs;
}

// Those that are due by now; no more than fit between two pages, so that a slow world is seen and hears keys.
void LiveMatch::run_frames(std::int64_t now, double seconds, double& pause_at, const std::vector<std::string>& asked) {
    const Clock& clock = run_.wall();
    session::Standalone& game = run_.game();
    next_tick_ = std::max(next_tick_, now - kCatchUpUs);
    for (bool is_first = true; next_tick_ <= now && !is_over_; next_tick_ += run_.tick_us(), is_first = false) {
        const std::int64_t begin = clock.now_us();
        if (!is_first && (begin >= next_page_ || is_end_requested())) return;
        const std::uint64_t tick = game.world()->tick_number();
        run_.frame();
        if (game.world() == nullptr) return;
        news_.hear(game);
        has_loaded_ |= game.host() != nullptr && game.host()->is_experience_loaded();
        tell_awaited();
        has_ticked_ = game.world()->tick_number() != tick;
        if (has_ticked_) tick_ms_ += (static_cast<double>(clock.now_us() - begin) / 1000 - tick_ms_) * 0.05;
        const double time = game.world()->time();
        if (seconds >= 0 && !game.is_loading() && time >= seconds - 1e-9) is_over_ = true;
        if (pause_at >= 0 && run_.is_due(pause_at, MatchRun::OnStall::Stop)) {
            pause_at = -1;
            game.set_paused(true);
            if (!asked.empty()) ask(asked);
        }
    }
}

// All that have been pressed.
void LiveMatch::take_keys(Terminal& terminal, std::int64_t us) {
    char pressed = terminal.wait_for_key(us);
    while (pressed != 0 && !is_over_ && !is_end_requested()) {
        is_writing_ ? line_key(pressed) : key(pressed);
        next_page_ = 0;
        if (!note_.lines.empty()) draw(terminal);  // what the next key means depends on what is shown
        pressed = terminal.wait_for_key(0);
    }
}

void LiveMatch::add_commands() {
    const auto add = [this](std::string_view name, std::string_view arguments, std::string_view help,
                            CommandFunction function) {
        auto hold = run_.runtime().console().add_command({name, arguments, help}, std::move(function));
        if (hold) commands_.push_back(std::move(*hold));
    };
    const auto overlay = [this](const std::string& name, bool is_on) -> CommandResult {
        const auto id = run_.project().find("feature", name);
        return {id ? put(*id, is_on) : id.status(), ""};
    };
    add("why", "<topic> [who] [component]", "explains: experience, actor ID, component ID NAME, feature NAME",
        [this](CommandArguments words) -> CommandResult {
            const auto answer = session::why(run_.game(), words);
            return answer ? CommandResult{{}, answer->text} : CommandResult{answer.status(), ""};
        });
    add("experience", "<experience>", "switches to another experience",
        [this](CommandArguments words) -> CommandResult {
            return {set(words[0]), ""};
        });
    add("with", "<feature>", "puts a feature on top",
        [overlay](CommandArguments words) { return overlay(words[0], true); });
    add("without", "<feature>", "takes a feature off that was put on top",
        [overlay](CommandArguments words) { return overlay(words[0], false); });
}

void LiveMatch::key(char key) {
    for (const Key of_line : {kHome, kLeft, kDelete, kEnd, kRight, kDown, kUp})
        if (key == of_line) return;  // a mouse's wheel, too: nobody wants to go back by it
    const bool was_shown = !note_.lines.empty();
    if (key == ' ' && was_shown && view_.note_read() != 0) {
        note_.first += view_.note_read();
        return;
    }
    note_ = {};
    const std::vector<Choice> choices = std::exchange(choices_, {});
    if (key >= '1' && static_cast<std::size_t>(key - '1') < choices.size() && run_.game().host() != nullptr)
        return choices[static_cast<std::size_t>(key - '1')].choose();
    if (was_shown && key != ':') return;
    session::Standalone& game = run_.game();
    if (game.host() == nullptr && key != 'q') return say("the match has lost its GameState");
    switch (key) {
        case 'q':
            is_over_ = true;
            return;
        case ' ':
            return game.set_paused(!game.is_paused());
        case '.':
            game.set_paused(true);
            return game.step();
        case 'n':
            return view_.follow_next(game);
        case 'z':
            return view_.zoom();
        case 'e':
            return offer_experiences();
        case 't':
            return offer_features();
        case 'w':
            return offer_topics();
        case 'x':
            return offer_faults();
        case 'f':
            return say_feed();
        case ':':
            is_writing_ = true;
            line_.begin();
            return show_line();
        case '?':
            return say(
                "q      quit\nspace  pause, and go on\n.      one tick\nn      follow the next player\nz      closer, "
                "or all of it\n"
                "e      another experience\nt      a feature on or off\nw      why?\n"
                ":      a console line: a variable or a command; help lists them, Tab completes,\n       up and down "
                "bring earlier ones back\n"
                "f      the feed: what was said lately\n"
                "x      something goes wrong while the next thing loads\n\n"
                "On the map a bold number is a player, the same as in the list, in the colour of the team, or its own "
                "(in the list without colours: the first letter); dots are the edge of a zone; other signs lie about. "
                "> in the list is who is followed, reversed on the map; * is the team that leads.\n");
        default:
            return;
    }
}

void LiveMatch::line_key(char key) {
    const bool is_over = key == '\n' || key == '\r';
    if (is_over || key == kEscape) {
        is_writing_ = false;
        note_ = {};
        if (is_over) execute(line_.take());
        return;
    }
    line_.press(key);
    show_line();
}

void LiveMatch::show_line() {
    note_.prompt = ":" + line_.text();
    note_.is_line = true;
    note_.cursor = 1 + line_.cursor();
    std::string choices;
    for (const std::string& one : line_.choices()) choices += (choices.empty() ? "" : "  ") + one;
    note_.lines.clear();
    if (!choices.empty()) note_.lines = {choices};
}

// Commands and variables, and behind a command what its arguments are called by: <feature>, [name], ...
std::vector<std::string> LiveMatch::names_behind(const std::vector<std::string>& words) const {
    std::vector<std::string> names;
    const Console& console = run_.runtime().console();
    const auto add_variables = [&] {
        for (const VariableInfo& info : run_.runtime().variables().list()) names.emplace_back(info.name.text());
    };
    const auto add_commands = [&] {
        for (const CommandInfo& info : console.commands()) names.emplace_back(info.name.text());
    };
    const auto add_experiences = [&] {
        const Name type(experience::kExperienceType);
        for (const auto& id : run_.project().assets().registry().of_type(type)) names.emplace_back(id.name.text());
    };
    const auto add_features = [&] {
        for (const Name id : run_.project().features().known()) names.emplace_back(id.text());
    };
    const std::string argument = words.empty() ? "name" : argument_of(console, words);
    if (argument == "name") {
        add_commands();
        add_variables();
    } else if (argument == "variable") {
        add_variables();
    } else if (argument == "topic") {
        for (const std::string_view topic : session::why_topics()) names.emplace_back(topic);
    } else if (argument == "feature") {
        add_features();
    } else if (!argument.empty()) {
        add_experiences();
        if (argument != "experience") add_features();
        if (argument != "experience" && run_.game().state() != nullptr)
            for (const auto* player : run_.game().state()->players()) names.push_back(player->player_name());
    }
    return names;
}

void LiveMatch::say(std::string_view text) {
    note_.lines = lines_of(text);
    if (note_.lines.empty()) note_.lines = {"nothing to say"};
    note_.prompt = "any key goes back";
}

void LiveMatch::say_feed() {
    std::string text;
    for (const MatchNews::Line& line : news_.lines()) text += news_text(line) + "\n";
    say(text.empty() ? "nothing has been said" : text);
}

// What features have brought to type: the match's own commands.
std::string LiveMatch::commands_of_features() const {
    std::string text;
    for (const CommandInfo& one : run_.runtime().console().commands())
        if (one.owner.kind == OwnerKind::Feature) text += fmt::format("  :{} {}", one.name, one.arguments);
    return text;
}

void LiveMatch::report(const Status& status, std::string done) {
    if (!status) return say(status.text());
    tell(std::move(done));
}

void LiveMatch::tell(std::string news, bool is_warning) {
    news_.tell(std::move(news), is_warning);
    note_.has_news = true;
}

void LiveMatch::offer(std::string title, std::vector<Choice> choices) {
    if (choices.empty()) return say(fmt::format("{}: there is none", title));
    const std::size_t more = choices.size() > kMaxChoices ? choices.size() - kMaxChoices : 0;
    choices.resize(choices.size() - more);
    note_.lines = {std::move(title)};
    for (std::size_t i = 0; i < choices.size(); ++i)
        note_.lines.push_back(fmt::format("  {}  {}", i + 1, choices[i].text));
    if (more != 0) note_.lines.push_back(fmt::format("     and {} more; a console line (:help) reaches them", more));
    note_.prompt = "a digit chooses, any other key goes back";
    choices_ = std::move(choices);
}

Status LiveMatch::set(const std::string& experience) {
    experience::Host* host = run_.game().host();
    if (host == nullptr) return Status::failed("the match has lost its GameState");
    const auto id = run_.project().find(experience::kExperienceType, experience);
    if (!id) return id.status();
    const auto ticket = host->set_experience(id->name.text());
    if (ticket) tell(fmt::format("on to {}", id->name));
    return ticket.status();
}

Status LiveMatch::put(const assets::PrimaryAssetId& feature, bool is_on) {
    experience::Host* host = run_.game().host();
    if (host == nullptr) return Status::failed("the match has lost its GameState");
    const auto set = host->is_experience_loaded()
                         ? is_on ? host->add_action_set(feature) : host->remove_action_set(feature)
                         : put_while_loading(*host, feature, is_on);
    if (!set) return set.status();
    awaited_ = feature;
    is_awaited_on_ = is_on;
    return Status::ok();
}

void LiveMatch::offer_experiences() {
    std::vector<Choice> choices;
    const Name now = run_.game().host()->experience_id().name;
    for (const auto& id : run_.game().project().assets().registry().of_type(Name(experience::kExperienceType)))
        choices.push_back({fmt::format("{}{}", id.name, id.name == now ? "  (now)" : ""), [this, id] {
                               if (const Status status = set(std::string(id.name.text())); !status) say(status.text());
                           }});
    offer("switch to experience", std::move(choices));
}

// What is on top changes with a loaded experience; one that is on its way, or has failed, is chosen anew, with other
// things on top. What was played before comes back if that fails.
Result<experience::SetTicket> LiveMatch::put_while_loading(experience::Host& host,
                                                           const assets::PrimaryAssetId& feature, bool is_on) {
    if (host.state() == experience::LoadState::Deactivating)
        return Status::refused("the experience is just leaving; try again when the next one is there");
    experience::SetOptions options{.overlays = host.overlays()};
    const auto at = std::find(options.overlays.begin(), options.overlays.end(), feature);
    if (is_on == (at != options.overlays.end()))
        return Status::refused("{} is {} top already", feature.name, is_on ? "on" : "not on");
    if (!is_on &&
        std::find(run_.def().overlays.begin(), run_.def().overlays.end(), feature) != run_.def().overlays.end())
        return Status::refused("{} was put on top by --with, and goes with the match", feature.name);
    is_on ? options.overlays.push_back(feature) : void(options.overlays.erase(at));
    if (has_loaded_) options.failure = experience::Host::to_previous();
    return host.set_experience(host.experience_id(), options);
}

// What somebody put on top can be taken off; what the experience itself names cannot.
void LiveMatch::offer_features() {
    std::vector<Choice> choices;
    experience::Host& host = *run_.game().host();
    const auto& overlays = host.overlays();
    features::Features& features = run_.game().project().features();
    for (const Name id : features.known()) {
        const assets::PrimaryAssetId overlay{Name("feature"), id};
        const bool is_on = std::find(overlays.begin(), overlays.end(), overlay) != overlays.end();
        if (!is_on && features.is_attached(id, *run_.game().world())) continue;
        choices.push_back({fmt::format("{:<20} {}", id.text(), is_on ? "on" : "off"), [this, overlay, is_on] {
                               if (const Status status = put(overlay, !is_on); !status) say(status.text());
                           }});
    }
    offer("feature on or off", std::move(choices));
}

// What was asked for is told when it is there, or when it turns out that it will not be.
void LiveMatch::tell_awaited() {
    const experience::Host* host = run_.game().host();
    if (awaited_.is_none() || host == nullptr || host->state() < experience::LoadState::Loaded) return;
    const auto& overlays = host->overlays();
    const bool is_on =
        host->is_experience_loaded() && std::find(overlays.begin(), overlays.end(), awaited_) != overlays.end();
    if (host->state() == experience::LoadState::Deactivating) return;
    const assets::PrimaryAssetId what = std::exchange(awaited_, {});
    for (const features::Degraded& one : host->degraded())
        if (one.feature == what.name) return tell(fmt::format("{} is left out: {}", what.name, one.reason));
    if (is_on == is_awaited_on_) return tell(fmt::format("{} {}", what.name, is_on ? "on" : "off"));
    const experience::FailureReport report = host->explain_failure();
    const std::string cause = !report.cause.is_none()   ? report.cause.to_string()
                              : report.attempts.empty() ? "the match went back to what it had"
                                                        : report.attempts.back().cause;
    tell(fmt::format("{} failed: {}", what.name, cause), true);
}

void LiveMatch::offer_topics() {
    std::vector<Choice> choices;
    const auto add = [&](std::vector<std::string> topic) {
        std::string text = "why";
        for (const std::string& word : topic) text += " " + word;
        choices.push_back({std::move(text), [this, topic] { ask(topic); }});
    };
    add({"experience"});
    if (const std::string name = view_.followed_name(run_.game()); !name.empty()) add({"actor", name});
    const features::Features& features = run_.game().project().features();
    for (const Name id : features.known())
        if (features.state(id) != features::FeatureState::Installed) add({"feature", std::string(id.text())});
    offer("ask (more with :why TOPIC)", std::move(choices));
}

void LiveMatch::offer_faults() {
    const auto add = [this](FaultEffect effect, double seconds, std::string done) {
        return [this, effect, seconds, done = std::move(done)] {
            FaultRule rule;
            rule.stage = FaultStage::FeatureLoad;
            rule.nth = 1;
            rule.name = fmt::format("key {}", run_.faults().asked());
            rule.effect = effect;
            if (effect == FaultEffect::Delay) rule.seconds = seconds;
            report(run_.faults().add(std::move(rule)), done);
        };
    };
    offer("the next feature that is loaded (t or e loads one)",
          {{"comes 8 seconds late", add(FaultEffect::Delay, 8, "the next feature will come late")},
           {"fails", add(FaultEffect::Fail, 0, "the next feature will fail")},
           {"never answers", add(FaultEffect::Never, 0, "the next feature will never answer")}});
}

void LiveMatch::ask(const std::vector<std::string>& topic) {
    const auto answer = session::why(run_.game(), topic);
    say(answer ? answer->text : answer.status().text());
}

void LiveMatch::execute(const std::string& line) {
    if (line.find_first_not_of(' ') == std::string::npos) return;
    const CommandResult result = run_.runtime().console().execute(line);
    if (!result.status) return say(result.status.text());
    if (!result.text.empty() || !note_.has_news) say(result.text.empty() ? "done" : result.text);
}

}  // namespace lyre::app
