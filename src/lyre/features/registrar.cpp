#include "lyre/features/registrar.h"

namespace lyre::features {

void Registrar::command(const CommandDef& def, CommandFunction function) {
    auto hold = services_.runtime.console().add_command(def, std::move(function));
    if (hold)
        commands_.push_back(std::move(*hold));
    else
        note(hold.status());
}

void Registrar::handler(std::string_view name, framework::ExtensionHandler handler, const char* file, int line) {
    note(services_.code.add_handler(Name(name), std::move(handler), fmt::format("{}:{}", file, line)));
}

void Registrar::function(std::string_view name, RunFunction function, const char* file, int line) {
    note(services_.code.add_function(Name(name), std::move(function), fmt::format("{}:{}", file, line)));
}

Status Registrar::status() const {
    if (refused_.empty()) return Status::ok();
    if (refused_.size() == 1) return refused_[0];
    std::string all;
    for (const Status& status : refused_) all += (all.empty() ? "" : "; ") + status.to_string();
    if (more_refused_ != 0) all += fmt::format("; and {} more", more_refused_);
    return Status(StatusCode::Refused, std::move(all));
}

void Registrar::note(Status status) {
    if (status) return;
    if (refused_.size() < kMaxRefused)
        refused_.push_back(std::move(status));
    else
        ++more_refused_;
}

}  // namespace lyre::features
