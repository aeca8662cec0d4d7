#include "protocol/codec.hpp"

#include <map>
#include <stdexcept>
#include <utility>

#include <batfill/error.hpp>

namespace batfill::protocol {

namespace {

using MakeCodec = std::function<std::unique_ptr<Codec>()>;

std::map<std::string, MakeCodec>& registry() {
    static std::map<std::string, MakeCodec> protocols;
    return protocols;
}

}  // namespace

ProtocolRegistration::ProtocolRegistration(std::string name, MakeCodec make) {
    if (!registry().emplace(std::move(name), std::move(make)).second) {
        throw std::logic_error("two protocols have one name");
    }
}

std::unique_ptr<Codec> make_codec(const std::string& protocol) {
    const auto found = registry().find(protocol);
    if (found == registry().end()) {
        throw UsageError("unknown protocol '" + protocol + "', known: " + known_protocols());
    }
    return found->second();
}

std::string known_protocols() {
    std::string names;
    for (const auto& [name, make] : registry()) {
        names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

}  // namespace batfill::protocol
