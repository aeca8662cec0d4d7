#include <filesystem>
#include <ostream>

#include "parsers.hpp"

namespace batfill::commands {

namespace {

namespace fs = std::filesystem;

using namespace campaign;

// Parses the arguments, with the options that the campaign file adds.
template <class Parse>
auto parsed(Parse parse, Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse(arguments, OptionsFrom::file).value();
}

void convert(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    const std::string file = (folder / (workload.name + ".json")).string();
    ConversionOptions options =
        workload.format.empty()
            ? parsed(parse_swf_options, {workload.path, "-o", file}, workload.options)
            : parsed(parse_import_options, {workload.format, workload.path, "-o", file}, workload.options);
    if (options.conversion.conversion.split) {
        options.conversion.output = folder.string();
        options.conversion.name = workload.name;
    }
    convert_and_print(options, out);
}

void draw(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    const std::string file = (folder / (workload.name + ".json")).string();
    const Arguments model_options(workload.options.begin() + 1, workload.options.end());
    const std::string name = workload.name + ".json";
    if (workload.draws_machine()) {
        const std::string platform = workload.platform_name();
        const FarmFiles options =
            parsed(parse_farm_options, model_options, {"-o", file, "--platform", (folder / platform).string()});
        print_farm(write_farm(options), options.model, name, platform, out);
    } else {
        const LublinFile options = parsed(parse_lublin_options, model_options, {"-o", file});
        print_lublin_workload(write_lublin(options), name, out);
    }
}

}  // namespace

Makers makers() {
    Makers makers;
    makers.convert_log = convert;
    makers.draw = draw;
    makers.draw_deadlines = [](const fs::path& file, const Arguments& more, std::ostream& out) {
        const DeadlineOptions options = parsed(parse_deadline_options, {file.string(), "-o", file.string()}, more);
        print_drawn_deadlines(draw_deadlines(options.draw), options, file.filename().string(), out);
    };
    makers.draw_failures = [](const Arguments& arguments) {
        const FailureOptions options = parsed(parse_failure_options, arguments, {});
        write_events(generate_failures(options.model), options.output);
    };
    return makers;
}

}  // namespace batfill::commands
