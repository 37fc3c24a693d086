// All there is of init states, for people and for programs.
#include <map>
#include <nlohmann/json.hpp>

#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework::detail {

using Json = nlohmann::ordered_json;

std::vector<ActorData*> InitEngine::all_actors() const {
    std::vector<ActorData*> all;
    for (const auto& data : slots_)
        if (data->serial != 0) all.push_back(data.get());
    return in_order(std::move(all));
}

std::string InitEngine::dump() const {
    std::string text = "init states:";
    for (Name state : states_) text += fmt::format(" {}", state);
    text += "\n";
    for (const ActorData* data : all_actors()) {
        text += fmt::format("  {} ({}):", data->actor->id(), data->actor->type().name);
        for (const Feature& feature : data->features)
            text += fmt::format(" {}={}", feature.name, shown(name_of(feature.state)));
        text += fmt::format(" ({} listeners)\n", data->listeners.size());
    }
    for (const auto& [feature, listeners] : std::map(classes_.begin(), classes_.end()))
        for (const auto& listener : listeners)
            text += fmt::format("  class {} {} at {}\n", listener->class_name, feature, shown(listener->state));
    return text;
}

std::string InitEngine::dump_json() const {
    Json states = Json::array(), features = Json::array(), listening = Json::array();
    for (Name state : states_) states.push_back(state.text());
    for (const ActorData* data : all_actors())
        for (const Feature& feature : data->features)
            features.push_back({{"actor", fmt::format("{}", data->actor->id())},
                                {"class", data->actor->type().name.text()},
                                {"feature", feature.name.text()},
                                {"state", name_of(feature.state).text()}});
    for (const auto& [feature, listeners] : std::map(classes_.begin(), classes_.end()))
        for (const auto& listener : listeners)
            listening.push_back({{"class", listener->class_name.text()},
                                 {"feature", feature.text()},
                                 {"state", listener->state.text()}});
    const Json all = {{"init states", states}, {"features", features}, {"class listeners", listening}};
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lyre::framework::detail
