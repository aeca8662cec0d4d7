#include <string>
#include <vector>

#include "src/commands/inputs.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/files.hpp"
#include "src/support/text.hpp"

namespace batfill::commands {

namespace {

// Hosts that are alike, as their properties have it.
struct HostGroup {
    int hosts = 0;
    std::string capacity;    // empty: they are not shared
    std::string partitions;  // empty: none
};

// "8:cores=64,gpus=4,partition=gpu"; several partitions stand one after the other. "8" has neither.
HostGroup parse_group(const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    HostGroup group;
    group.hosts = number_in<int>(std::string_view(text).substr(0, colon)).value_or(0);
    const std::string expected = "expected HOSTS:NAME=AMOUNT,...,partition=NAME, found '" + text + "'";
    refuse_if(group.hosts < 1 || colon + 1 == text.size(), expected);
    const std::string_view rest = std::string_view(text).substr(std::min(colon + 1, text.size()));
    for (const std::string_view entry : rest.empty() ? std::vector<std::string_view>() : split(rest, ',')) {
        const std::size_t sign = entry.find('=');
        refuse_if(sign == std::string_view::npos && !group.partitions.empty(), expected,
                  ": several partitions are written partition=a,partition=b");
        refuse_if(sign == std::string_view::npos || sign == 0 || sign + 1 == entry.size(), expected);
        const std::string name(entry.substr(0, sign));
        const std::string value(entry.substr(sign + 1));
        std::string& list = name == "partition" ? group.partitions : group.capacity;
        list.append(list.empty() ? "" : ",").append(name == "partition" ? "" : name + ':').append(value);
    }
    checked_capacity(group.capacity);
    return group;
}

// The groups one after the other.
Platform platform_of(const std::vector<HostGroup>& groups) {
    long long hosts = 0;
    for (const HostGroup& group : groups) {
        hosts += group.hosts;
    }
    Platform platform = homogeneous_platform(*number_of_hosts(std::to_string(hosts)));
    auto host = platform.hosts.begin();
    for (const HostGroup& group : groups) {
        for (int i = 0; i < group.hosts; ++i, ++host) {
            if (!group.capacity.empty()) {
                host->properties["capacity"] = group.capacity;
            }
            if (!group.partitions.empty()) {
                host->properties["partitions"] = group.partitions;
            }
        }
    }
    return platform;
}

}  // namespace

void platform(const Arguments& arguments) {
    int hosts = 0;
    std::vector<HostGroup> groups;
    MachineDetails details;
    std::string path;
    Options options;
    options.group("Machine");
    options.add("hosts", value(hosts, "N", number_of_hosts, "a number"), "number of hosts, which are alike");
    options.add(
        "group", value(groups, "N:NAME=AMOUNT,...", parse_group),
        "so many hosts that are alike, with what each has for the jobs that share it, and its partitions (partition=NAME); instead of --hosts, repeatable");
    options.add("pool", value(details.pools, "NAME=TOTAL", parse_pool),
                "pool of the whole machine that jobs take of; repeatable");
    options.group("Output");
    add_output_option(options, path, "file to write, gzipped if it ends in .gz");
    parse(
        options, arguments,
        {"batfill platform (--hosts N | --group N:NAME=AMOUNT,...) -o FILE.xml",
         "Writes a SimGrid platform for Batsim, with a master_host and without latency. The commands of batfill take the\n"
         "number of equal hosts itself: -p N.",
         {"platform --hosts 128 -o machine.xml",
          "platform --group 100:cores=32,memory=256000 --group 8:cores=64,gpus=4,partition=gpu -o machine.xml"}});
    refuse_if(options.given("hosts") == options.given("group"),
              "expected the number of hosts (--hosts N), or hosts of several kinds (--group ...)");
    require_writable_folder(path);
    Platform machine = groups.empty() ? homogeneous_platform(hosts) : platform_of(groups);
    add_resources(machine.hosts, details);
    write_file(path,
               platform_text(machine, std::to_string(machine.hosts.size()) +
                                          (groups.empty() ? " hosts that are alike, of one processor each."
                                                          : " hosts of " + std::to_string(groups.size()) + " kinds.")));
}

}  // namespace batfill::commands
