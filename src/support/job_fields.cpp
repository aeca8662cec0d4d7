#include "src/support/job_fields.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace batfill {

namespace {

std::optional<std::string> text_unless_empty(const SharedText& text) {
    return text.empty() ? std::nullopt : std::optional(text.text());
}

// Seconds, if they are whole.
std::optional<std::string> whole(Duration seconds) {
    std::string text = seconds.to_shortest_string();
    return text.find('.') == std::string::npos ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::optional<std::string> JobFields::operator()(const std::string& name) {
    if (name == "user") {
        return text_unless_empty(job_.user);
    }
    if (name == "queue") {
        return text_unless_empty(job_.queue);
    }
    if (name == "profile") {
        return text_unless_empty(job_.profile);
    }
    if (name == "id") {
        return job_.id.substr(job_.id.find('!') + 1);
    }
    if (name == "res") {
        return std::to_string(job_.processors);
    }
    if (name == "walltime") {
        return job_.walltime ? whole(*job_.walltime) : std::nullopt;
    }
    if (name == "deadline") {
        return job_.deadline ? whole(job_.deadline->since_zero()) : std::nullopt;
    }
    const std::string_view fields = job_.other_fields;
    if (fields.find(name) == std::string_view::npos && fields.find('\\') == std::string_view::npos) {
        return std::nullopt;
    }
    if (!reader_) {
        others_ = &reader_.emplace().parse("{" + job_.other_fields.text() + "}");
    }
    const auto found = std::find_if(others_->MemberBegin(), others_->MemberEnd(),
                                    [&](const auto& member) { return view(member.name) == name; });
    if (found == others_->MemberEnd()) {
        return std::nullopt;
    }
    const JsonValue& value = found->value;
    return value.IsString()   ? std::optional(std::string(view(value)))
           : value.IsInt64()  ? std::optional(std::to_string(value.GetInt64()))
           : value.IsUint64() ? std::optional(std::to_string(value.GetUint64()))
                              : std::nullopt;
}

}  // namespace batfill
