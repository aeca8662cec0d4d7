#include "protocol/codec.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::protocol {

namespace {

struct Protocol {
    std::function<std::unique_ptr<Codec>()> make;
    std::function<bool(std::string_view frame)> opens_simulation;
};

std::map<std::string, Protocol>& registry() {
    static std::map<std::string, Protocol> protocols;
    return protocols;
}

}  // namespace

JobNumber JobIds::number_of(std::string_view id) {
    if (const auto known = numbers_.find(id); known != numbers_.end()) {
        return known->second;
    }
    const auto number = static_cast<JobNumber>(ids_.size());
    ids_.push_back(&numbers_.emplace(id, number).first->first);
    return number;
}

std::optional<JobNumber> JobIds::find(std::string_view id) const {
    const auto known = numbers_.find(id);
    return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

void JobIds::shrink(std::size_t size) {
    for (; ids_.size() > size; ids_.pop_back()) {
        numbers_.erase(numbers_.find(*ids_.back()));
    }
}

ProtocolRegistration::ProtocolRegistration(std::string name, std::function<std::unique_ptr<Codec>()> make,
                                           std::function<bool(std::string_view frame)> opens_simulation) {
    refuse_if<std::logic_error>(
        !registry().emplace(std::move(name), Protocol{std::move(make), std::move(opens_simulation)}).second,
        "two protocols have one name");
}

std::unique_ptr<Codec> make_codec(const std::string& protocol) {
    const auto found = registry().find(protocol);
    refuse_if(found == registry().end(), "unknown protocol '", protocol, "', known: ", known_protocols());
    return found->second.make();
}

std::optional<std::string> protocol_opened_by(std::string_view frame) {
    const auto found =
        std::ranges::find_if(registry(), [&](const auto& each) { return each.second.opens_simulation(frame); });
    return found == registry().end() ? std::nullopt : std::optional(found->first);
}

std::string known_protocols() {
    return list_of(mapped(registry(), [](const auto& each) { return each.first; }));
}

}  // namespace batfill::protocol
