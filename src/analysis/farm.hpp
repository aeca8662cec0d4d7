#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <batfill/platform.hpp>

namespace batfill::analysis {

// What the properties of a platform say of licences and machines.
struct Farm {
    struct Host {
        std::string machine;             // property `machine`; empty if there is none
        std::set<std::string> licenses;  // those that can be used on it: property `licenses`
    };
    std::map<std::string, long long> copies;  // how many of each licence: property `licenses` of the zones
    std::vector<Host> hosts;                  // by number

    bool has_licenses() const { return !copies.empty(); }
};

// Throws InputError if a zone's property is not like "name:copies,name:copies" or two zones disagree on a licence.
Farm read_farm(const Platform& platform);

}  // namespace batfill::analysis
