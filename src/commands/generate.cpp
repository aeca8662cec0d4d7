#include <cstdio>

#include "src/commands/command.hpp"
#include "src/options/values.hpp"

namespace batfill::commands {

namespace {

const options::Words<Command> models = {
    {"failures", {"no workload, but when the nodes of a machine fail and are repaired", failures}},
    {"farm", {"the random farms with licences of the paper on computational farms (CoreGRID 2007)", farm}},
    {"lublin", {"the model of Lublin and Feitelson (JPDC 2003)", lublin}},
};

void print_help() {
    std::printf(
        "Usage: batfill generate MODEL [OPTION]...\n  or:  batfill generate MODEL --help\n\n"
        "Writes a synthetic workload, the same for the same seed.\n\nModels:\n");
    for (const auto& [name, model] : models) {
        std::printf("  %-11s %s\n", name.c_str(), model.summary);
    }
}

}  // namespace

int generate(const Arguments& arguments) {
    if (arguments.empty()) {
        throw UsageError("expected a model, known models: " + list_of(options::names_of(models)) +
                         " (usage: batfill generate MODEL [OPTION]...)");
    }
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h" || name == "--help=json") {
        print_help();
        return 0;
    }
    return options::meaning_of(name, models, "model").run({arguments.begin() + 1, arguments.end()});
}

}  // namespace batfill::commands
