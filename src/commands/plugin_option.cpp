#include "plugin_option.hpp"

#include <string>
#include <vector>

#include <batfill/engine/algorithm.hpp>

#include "options.hpp"

namespace batfill::commands {

void add_plugin_option(Options& options) {
    options.add("plugin", Value<std::vector<std::string>>("FILE"), "shared object with further algorithms; repeatable");
}

void load_plugins(const Options& options) {
    for (const std::string& path : options.get<std::vector<std::string>>("plugin")) {
        load_plugin(path);
    }
}

}  // namespace batfill::commands
