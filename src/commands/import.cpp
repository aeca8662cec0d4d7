#include <algorithm>
#include <iostream>

#include "src/commands/inputs.hpp"
#include "src/replay/notes.hpp"
#include "src/workloads/summaries.hpp"
#include "src/workloads/workload_options.hpp"

namespace batfill::commands {

void import(const Arguments& arguments) {
    ConversionOptions read;
    AccountingData& data = read.conversion.accounting.emplace();
    Options options;
    options.add_positional("kind", text(data.format));
    options.add_positional("files", text(data.paths));
    options.group("Output");
    options.add(
        "output,o", text(read.conversion.output, "PATH"),
        "the workload (Batsim JSON, gzipped if it ends in .gz), or with --split a folder; without -o, import only prints the table");
    add_import_options(options, read);
    parse(
        options, arguments,
        {"batfill import FORMAT FILE... [-o WORKLOAD.json[.gz]] [OPTION]...",
         "Converts accounting data of a batch system to a Batsim workload, and prints what was left out, dropped and changed.\n"
         "FORMAT is sacct (Slurm: sacct --parsable2 or --json), pbs (accounting logs of PBS and TORQUE), csv (any table, with\n"
         "--map), or a published data set: pm100, f-data, frontier, philly, helios, kestrel. Several files are read one after the\n"
         "other.",
         {"import sacct jobs.txt -o jobs.json", "import pbs 2024*.log --nodes -o jobs.json"}});
    const ConvertedLog converted = convert_and_print(read.conversion, read.prints_json, std::cout);
    ReplayNotes notes;
    for (std::size_t i = 0; i < converted.log.other_fields.size(); ++i) {
        notes.add_fields(converted.log.other_fields[i]);
    }
    notes.leave_out_fields(converted.log.read_fields);
    std::ranges::for_each(notes.texts(), note);
    note(warning_of_misfits(converted.summary));
    note(warning_of_conditions(converted.summary));
}

}  // namespace batfill::commands
