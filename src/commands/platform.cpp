#include <iostream>
#include <string>

#include <batfill/error.hpp>
#include <batfill/platform.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "platform_option.hpp"
#include "src/core/files.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

int platform(const Arguments& arguments) {
    po::options_description options;
    auto add = options.add_options();
    add("hosts", po::value<std::string>()->required()->value_name("N"), "number of hosts, which are alike");
    add("output,o", po::value<std::string>()->required()->value_name("FILE"),
        "file to write, gzipped if it ends in .gz");
    po::variables_map values;
    if (!parse(arguments, "batfill platform --hosts N -o FILE.xml",
               "Writes the SimGrid platform of a machine of hosts that are alike, for Batsim: with a master_host, and "
               "without\nlatency. Commands of batfill take the number itself: -p N.",
               options, {}, values)) {
        return 0;
    }
    const std::string word = values["hosts"].as<std::string>();
    const std::optional<int> hosts = number_of_hosts(word);
    if (!hosts) {
        throw UsageError("--hosts: expected a number, found '" + word + "'");
    }
    const std::string path = values["output"].as<std::string>();
    require_writable_folder(path);
    OutputFile file(path);
    file.write(platform_text(homogeneous_platform(*hosts),
                             std::to_string(*hosts) + " hosts that are alike, of one processor each."));
    file.commit();
    return 0;
}

}  // namespace batfill::commands
