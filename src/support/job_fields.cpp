#include "src/support/job_fields.hpp"

#include <algorithm>
#include <array>
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

// Those that JobDescription has.
struct OwnField {
    std::string_view name;
    std::optional<std::string> (*of)(const JobDescription& job);
};
constexpr auto own_fields = std::to_array<OwnField>({
    {"user", [](const JobDescription& job) { return text_unless_empty(job.user); }},
    {"queue", [](const JobDescription& job) { return text_unless_empty(job.queue); }},
    {"profile", [](const JobDescription& job) { return text_unless_empty(job.profile); }},
    {"id", [](const JobDescription& job) { return std::optional(job.id.substr(job.id.find('!') + 1)); }},
    {"res", [](const JobDescription& job) { return std::optional(std::to_string(job.processors)); }},
    {"walltime", [](const JobDescription& job) { return job.walltime ? whole(*job.walltime) : std::nullopt; }},
    {"deadline",
     [](const JobDescription& job) { return job.deadline ? whole(job.deadline->since_zero()) : std::nullopt; }},
});

}  // namespace

std::optional<std::string> JobFields::operator()(const std::string& name) {
    if (const auto* const own = std::ranges::find(own_fields, name, &OwnField::name); own != own_fields.end()) {
        return own->of(job_);
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
