#include <algorithm>
#include <array>
#include <cstdio>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

// Each in its own file.
constexpr std::array models = {
    Command{"failures", "no workload, but when the nodes of a machine fail and are repaired", failures},
    Command{"farm", "the random farms with licences of the paper on computational farms (CoreGRID 2007)", farm},
    Command{"lublin", "the model of Lublin and Feitelson (JPDC 2003)", lublin},
};

std::vector<std::string> known_models() {
    std::vector<std::string> names;
    names.reserve(models.size());
    for (const Command& model : models) {
        names.emplace_back(model.name);
    }
    return names;
}

void print_help() {
    std::printf(
        "Usage: batfill generate MODEL [OPTION]...\n  or:  batfill generate MODEL --help\n\n"
        "Writes a synthetic workload, the same for the same seed.\n\nModels:\n");
    for (const Command& model : models) {
        std::printf("  %-11s %s\n", model.name, model.summary);
    }
}

}  // namespace

int generate(const Arguments& arguments) {
    if (arguments.empty()) {
        throw UsageError("expected a model, known models: " + list_of(known_models()) +
                         " (usage: batfill generate MODEL [OPTION]...)");
    }
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h") {
        print_help();
        return 0;
    }
    const auto* const model =
        std::find_if(models.begin(), models.end(), [&](const Command& known) { return name == known.name; });
    if (model == models.end()) {
        throw UsageError(unknown_name("model", name, known_models()));
    }
    return model->run({arguments.begin() + 1, arguments.end()});
}

}  // namespace batfill::commands
