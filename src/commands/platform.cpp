#include <iostream>
#include <optional>
#include <string>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/support/files.hpp"

namespace batfill::commands {

int platform(const Arguments& arguments) {
    Options options;
    options.group("Machine");
    options.add("hosts", Value<std::string>("N").required(), "number of hosts");
    options.group("Output");
    options.add("output,o", Value<std::string>("FILE").required(), "file to write, gzipped if it ends in .gz");
    if (!options.parse(
            arguments, "batfill platform --hosts N -o FILE.xml",
            "Writes a SimGrid platform of equal hosts for Batsim, with a master_host and without latency. The commands of batfill\n"
            "take the number itself: -p N.",
            {"platform --hosts 128 -o machine.xml", "platform --hosts 4096 -o machine.xml.gz"})) {
        return 0;
    }
    const auto word = options.get<std::string>("hosts");
    const std::optional<int> hosts = number_of_hosts(word);
    if (!hosts) {
        throw UsageError("--hosts: expected a number, found '" + word + "'");
    }
    const auto path = options.get<std::string>("output");
    require_writable_folder(path);
    write_file(path, platform_text(homogeneous_platform(*hosts),
                                   std::to_string(*hosts) + " hosts that are alike, of one processor each."));
    return 0;
}

}  // namespace batfill::commands
