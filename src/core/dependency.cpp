#include <array>
#include <utility>

#include <batfill/core/dependency.hpp>

namespace batfill {

namespace {

constexpr std::array kinds{std::pair("ok", Dependency::Kind::ok), std::pair("any", Dependency::Kind::any),
                           std::pair("start", Dependency::Kind::start)};

}  // namespace

const char* to_string(Dependency::Kind kind) {
    return kinds.at(static_cast<std::size_t>(kind)).first;
}

std::optional<Dependency> Dependency::parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    Dependency dependency;
    std::string_view job = text.substr(colon + 1);
    if (const std::size_t plus = job.rfind('+'); plus != std::string_view::npos) {
        const std::optional<Duration> delay = Duration::parse_exactly(job.substr(plus + 1));
        if (!delay || *delay < Duration()) {
            return std::nullopt;
        }
        dependency.delay = *delay;
        job = job.substr(0, plus);
    }
    dependency.job = job;
    for (const auto& [word, kind] : kinds) {
        if (text.substr(0, colon) == word && !job.empty()) {
            dependency.kind = kind;
            return dependency;
        }
    }
    return std::nullopt;
}

std::string Dependency::to_string() const {
    std::string text = batfill::to_string(kind) + (':' + job);
    if (delay > Duration() || job.find('+') != std::string::npos) {
        text += '+' + delay.to_shortest_string();
    }
    return text;
}

std::string Dependency::full_id(const std::string& waiting) const {
    return waiting.substr(0, waiting.find('!') + 1) + job;
}

}  // namespace batfill
