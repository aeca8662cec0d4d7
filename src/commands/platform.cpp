#include <string>

#include "src/commands/inputs.hpp"
#include "src/support/files.hpp"

namespace batfill::commands {

int platform(const Arguments& arguments) {
    int hosts = 0;
    std::string path;
    Options options;
    options.group("Machine");
    options.add("hosts", value(hosts, "N", number_of_hosts, "a number").required(), "number of hosts");
    options.group("Output");
    add_output_option(options, path, "file to write, gzipped if it ends in .gz");
    if (!parse(
            options, arguments,
            {"batfill platform --hosts N -o FILE.xml",
             "Writes a SimGrid platform of equal hosts for Batsim, with a master_host and without latency. The commands of batfill\n"
             "take the number itself: -p N.",
             {"platform --hosts 128 -o machine.xml", "platform --hosts 4096 -o machine.xml.gz"}})) {
        return 0;
    }
    require_writable_folder(path);
    write_file(path, platform_text(homogeneous_platform(hosts),
                                   std::to_string(hosts) + " hosts that are alike, of one processor each."));
    return 0;
}

}  // namespace batfill::commands
