#include "src/campaign/campaign_workloads.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include <sys/file.h>

#include <batfill/core/error.hpp>
#include <batfill/core/window.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>

#include "src/formats/job_id.hpp"
#include "src/formats/named_platform.hpp"
#include "src/replay/log_column.hpp"
#include "src/support/command_line.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/workloads/same_jobs.hpp"
#include "src/workloads/summaries.hpp"
#include "src/workloads/workload_options.hpp"

namespace batfill::campaign {

namespace {

namespace fs = std::filesystem;

constexpr const char* made_file = "made.txt";
constexpr std::size_t max_made_size = std::size_t{1} << 26;

// Locks the folder of workloads until the file is closed: a process could remove what another has just made. Without
// locks in the file system, nobody waits.
OpenFile locked(const fs::path& folder) {
    OpenFile file(std::fopen((folder / ".lock").c_str(), "a+e"));
    while (file != nullptr && flock(fileno(file.get()), LOCK_EX) != 0 && errno == EINTR) {
    }
    return file;
}

std::vector<fs::path> workload_files(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Declares the options of `read`, gives them these values, and checks them.
template <class Read>
void set(const options::Settings& settings, void (*declare)(options::Options&, Read&), Read& read) {
    options::Options options(options::Writing::keys);
    declare(options, read);
    options.set(settings);
    options.finish();
}

// The conversion that a workload asks for, without an output.
ConversionOptions conversion_of(const CampaignWorkload& workload) {
    ConversionOptions read;
    LogConversion& conversion = read.conversion;
    conversion.log = workload.path;
    if (workload.source == "log") {
        set(workload.settings, add_swf_options, read);
    } else {
        conversion.accounting.emplace();
        conversion.accounting->format = workload.kind;
        conversion.accounting->paths = {workload.path};
        set(workload.settings, add_import_options, read);
    }
    return read;
}

// Converts the log of a workload to FOLDER/NAME.json, or to a file for each period, and writes to `out` what was
// dropped. Returns when the periods begin, in their order.
std::vector<Time> convert(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    ConversionOptions read = conversion_of(workload);
    LogConversion& conversion = read.conversion;
    conversion.output = (folder / (workload.name + ".json")).string();
    if (conversion.conversion.split) {
        conversion.output = folder.string();
        conversion.name = workload.name;
    }
    return mapped(convert_and_print(conversion, read.prints_json, out).periods, &SwfPeriod::begin);
}

// Generates a workload, FOLDER/NAME.json, and its machine, if the model has one.
void draw(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    const std::string name = workload.name + ".json";
    if (workload.draws_machine()) {
        const std::string platform = workload.platform_name();
        FarmFiles files;
        set(workload.settings, add_farm_options, files);
        files.output = (folder / name).string();
        files.platform = (folder / platform).string();
        print_farm(write_farm(files), files.model, name, platform, out);
    } else if (workload.kind == shared_hosts_model) {
        SharedHostsFiles files;
        set(workload.settings, add_shared_hosts_options, files);
        files.output = (folder / name).string();
        print_shared_hosts(write_shared_hosts(files), files.model, name, out);
    } else {
        LublinFile file;
        set(workload.settings, add_lublin_options, file);
        file.output = (folder / name).string();
        print_lublin_workload(write_lublin(file), name, out);
    }
}

// Gives jobs of the workload in this file deadlines.
void add_deadlines(const fs::path& path, const options::Settings& settings, std::ostream& out) {
    DeadlineOptions read;
    DeadlineDraw& draw = read.draw;
    draw.workload = path.string();
    draw.output = path.string();
    set(settings, add_deadline_options, read);
    print_drawn_deadlines(draw_deadlines(draw), draw.rule.floor, read.factor, path.filename().string(), out);
}

// The log's own schedule of all the jobs that a workload may have.
LogColumn log_of(const CampaignWorkload& workload, const fs::path& folder) {
    if (!workload.own_schedule.empty()) {
        return LogColumn(workload.own_schedule);
    }
    ConversionOptions read = conversion_of(workload);
    LogConversion& whole = read.conversion;
    whole.conversion.split.reset();
    whole.count_from_first_job = false;
    whole.header.reset();
    whole.platform.reset();
    const fs::path file = folder / "log.csv";
    whole.schedule = file.string();
    Schedule schedule = std::move(convert_log(whole).schedule->schedule);
    fs::remove(file);
    refuse_if<InputError>(schedule.jobs.empty(), workload.path, ": expected jobs whose starts are known, found none");
    return LogColumn(std::move(schedule));
}

// The file of the log's own schedule beside a workload.
fs::path own_schedule_of(fs::path workload_file) {
    return workload_file.replace_extension(".log.csv");
}

// Writes the log's own schedule beside each workload.
void add_own_schedules(const CampaignWorkload& workload, const fs::path& folder) {
    const LogColumn log = log_of(workload, folder);
    const std::vector<fs::path> paths = workload_files(folder);
    const std::vector<Workload> workloads = mapped(paths, [](const fs::path& path) {
        return parse_workload(read_workload_text(path.string()), path.filename().string(), "w0");
    });
    const std::vector<Schedule> schedules = log.of(mapped(workloads, [](const Workload& one) { return &one; }));
    for (std::size_t i = 0; i < paths.size(); ++i) {
        OutputFile file(own_schedule_of(paths[i]).string());
        file.write(schedule_csv_header());
        std::string line;
        for (const ScheduledJob& job : schedules[i].jobs) {
            line.clear();
            append_csv(job, line);
            file.write(line);
        }
        file.commit();
    }
}

// Makes the files of the workload in the empty `folder`, under their final names, and writes to `out` what the commands
// say. Returns when the periods of a log begin, in the order of their files.
std::vector<Time> make(const CampaignWorkload& workload, const fs::path& folder, std::ostream& out) {
    std::vector<Time> begins;
    if (workload.source == "generate") {
        draw(workload, folder, out);
    } else if (workload.source == "workload") {
        write_file((folder / (workload.name + ".json")).string(), read_workload_text(workload.path));
    } else {
        begins = convert(workload, folder, out);
    }
    if (workload.deadlines) {
        for (const fs::path& path : workload_files(folder)) {
            with_place_in_errors("deadlines", [&] { add_deadlines(path, *workload.deadlines, out); });
        }
    }
    if (workload.has_own_schedule) {
        with_place_in_errors("own-schedule", [&] { add_own_schedules(workload, folder); });
    }
    return begins;
}

// The command that makes a workload of `input`, for a shell: the arguments after "batfill".
Arguments making_command(const CampaignWorkload& workload, const std::string& input) {
    const std::map<std::string, Arguments> beginnings{{"log", {"swf", input}},
                                                      {"import", {"import", workload.kind, input}},
                                                      {"workload", {"deadlines", input}},
                                                      {"generate", {"generate", workload.kind}}};
    Arguments arguments = beginnings.at(workload.source);
    const Arguments more = arguments_of(workload.settings);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// The first lines of made.txt: a hash of the inputs, a line for each file, and a hash of these lines.
std::string description(const CampaignWorkload& workload, const fs::path& folder, const std::string& key,
                        const std::vector<Time>& begins) {
    const std::vector<fs::path> files = workload_files(folder);
    std::ostringstream lines;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const fs::path& file = files[i];
        const std::string bytes = read_workload_text(file.string());
        const Workload read = with_place_in_errors(workload.subject, [&] {
            Workload parsed = parse_workload(bytes, file.filename().string(), "w0");
            require_loadable_ids(parsed);
            return parsed;
        });
        Time last;
        for (const WorkloadJob& job : read.jobs) {
            last = std::max(last, job.description.submit);
        }
        lines << "file " << file.filename().string() << ' ' << sha256(bytes) << ' ' << read.jobs.size() << ' '
              << read.processors << ' ' << last.to_string() << ' ' << hash_of_jobs(read)
              << (begins.empty() ? "" : " " + begins[i].to_string()) << '\n';
    }
    refuse_if<InputError>(files.empty(), workload.subject, ": no job is left");
    if (workload.has_own_schedule) {
        for (const fs::path& file : files) {
            const fs::path own = own_schedule_of(file);
            const std::string bytes = InputFile(own.string()).read_all(max_own_schedule_size);
            lines << "schedule " << own.filename().string() << ' ' << sha256(bytes) << ' '
                  << std::ranges::count(bytes, '\n') - 1 << '\n';
        }
    }
    if (workload.draws_machine()) {
        const std::string name = workload.platform_name();
        lines << "platform " << name << ' ' << sha256_of_file((folder / name).string()) << '\n';
    }
    return "key " + key + "\nsha256 " + sha256(lines.str()) + '\n' + lines.str() + "\nbatfill " +
           command_line(making_command(workload, workload.path)) + "\n\n";
}

// The content of made.txt of a folder of workloads.
struct MadeFiles {
    std::string key;
    std::vector<MadeWorkload> workloads;        // what it says of them
    std::map<std::string, std::string> hashes;  // of all files, by name
};

// None if the file does not exist or has changed.
std::optional<MadeFiles> read_made_files(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder / made_file, ignored)) {
        return std::nullopt;
    }
    std::istringstream text(InputFile((folder / made_file).string()).read_all(max_made_size));
    MadeFiles made;
    std::string word;
    std::string hash;
    text >> word >> made.key >> word >> hash >> std::ws;
    std::string lines;
    std::size_t schedules = 0;
    for (std::string line; std::getline(text, line) && !line.empty();) {
        lines += line + '\n';
        std::istringstream words(line);
        std::string kind;  // "file": a workload, "platform": the machine generated with it, "schedule": the log's own
        std::string last;  // submission
        std::string begin;
        MadeWorkload one;
        words >> kind >> one.file >> one.sha256 >> one.jobs >> one.processors >> last >> one.jobs_hash >> begin;
        one.begin = Time::at(Duration::parse(begin).value_or(Duration()));
        one.last_submission = Time::at(Duration::parse(last).value_or(Duration()));
        made.hashes[one.file] = one.sha256;
        if (kind == "file") {
            made.workloads.push_back(std::move(one));
        } else if (kind == "schedule" && schedules < made.workloads.size()) {
            MadeWorkload& of = made.workloads[schedules++];  // they come in the order of the workloads
            of.own_schedule = one.file;
            of.own_schedule_sha256 = one.sha256;
            of.jobs_in_log = one.jobs;
        }
    }
    return hash == sha256(lines) ? std::optional(made) : std::nullopt;
}

// Returns the content of `folder`; nothing if it was made with another key or has changed since.
std::vector<MadeWorkload> made_in(const fs::path& folder, const std::string& key, const CampaignWorkload& workload,
                                  std::size_t entry) {
    std::optional<MadeFiles> made = read_made_files(folder);
    const auto is_as_made = [&](const auto& file) { return has_sha256((folder / file.first).string(), file.second); };
    if (!made || made->key != key || !std::ranges::all_of(made->hashes, is_as_made)) {
        return {};
    }
    const fs::path below = fs::path("workloads") / workload.name;
    for (MadeWorkload& one : made->workloads) {
        one.entry = entry;
        one.name = fs::path(one.file).stem().string();
        one.period = one.name.size() > workload.name.size() ? one.name.substr(workload.name.size() + 1) : "";
        one.file = (below / one.file).string();
        one.own_schedule = one.own_schedule.empty() ? "" : (below / one.own_schedule).string();
        one.platform = workload.draws_machine() ? (below / workload.platform_name()).string() : "";
    }
    return std::move(made->workloads);
}

// Removes the folder of a workload that must be rebuilt.
// Throws: InputError, and removes nothing, if a campaign did not make a file in it: it may be the only copy.
void remove_made(const fs::path& folder) {
    if (!fs::exists(fs::symlink_status(folder))) {
        return;
    }
    const auto refuse = [](const fs::path& path) {
        throw InputError(path.string() +
                         ": is not as a campaign has made it: move it away, or name another folder (-o)");
    };
    if (!fs::is_directory(folder)) {
        refuse(folder);
    }
    const MadeFiles made = read_made_files(folder).value_or(MadeFiles());
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const auto file = made.hashes.find(name);
        if (file == made.hashes.end() ? made.hashes.empty() || name != made_file
                                      : !has_sha256(entry.path().string(), file->second)) {
            refuse(entry.path());
        }
        if (name != made_file) {
            files.push_back(entry.path());
        }
    }
    // made.txt goes last: after a kill it still lists the remaining files.
    files.push_back(folder / made_file);
    files.push_back(folder);
    for (const fs::path& file : files) {
        std::error_code problem;
        fs::remove(file, problem);
        refuse_if<InputError>(static_cast<bool>(problem),
                              [&] { return file.string() + ": cannot be removed: " + problem.message(); });
    }
}

void make_folder(const CampaignWorkload& workload, const fs::path& place, const std::string& key) {
    remove_made(place);
    OutputFolder folder(place.string());
    const std::string path = folder.file(made_file);
    const fs::path inside = fs::path(path).parent_path();
    std::ostringstream said;
    const std::vector<Time> begins =
        with_place_in_errors(workload.subject, [&] { return make(workload, inside, said); });
    write_file(path, description(workload, inside, key, begins) + said.str());
    try {
        folder.commit();
    } catch (const InputError&) {
        // Another process of the same campaign may have been faster.
        if (made_in(place, key, workload, 0).empty()) {
            throw;
        }
    }
}

// The campaign file does not name the periods of a log, so another workload may have the name of one.
void require_other_names(const Campaign& campaign, const std::vector<MadeWorkload>& all) {
    std::map<std::string, std::size_t> entries;  // by name
    for (const MadeWorkload& made : all) {
        const auto [place, is_new] = entries.emplace(made.name, made.entry);
        if (!is_new) {
            throw InputError(campaign.workloads[made.entry].subject + ": " + shown(made.name) +
                             " is also the name of a workload of " + campaign.workloads[place->second].subject +
                             ": expected another name");
        }
    }
}

}  // namespace

std::vector<MadeWorkload> make_workloads(const Campaign& campaign, const std::string& folder,
                                         const std::string& program,
                                         const std::function<void(const std::string&, std::size_t)>& told) {
    const fs::path workloads = fs::path(folder) / "workloads";
    create_folders(workloads.string());
    const OpenFile lock = locked(workloads);
    std::vector<MadeWorkload> all;
    for (std::size_t entry = 0; entry < campaign.workloads.size(); ++entry) {
        const CampaignWorkload& workload = campaign.workloads[entry];
        const std::string source = workload.path.empty() ? "" : with_place_in_errors(workload.subject, [&] {
            return sha256_of_file(workload.path);
        });
        std::string inputs = program;
        CampaignWorkload by_content = workload;  // files that have moved give the same workload
        if (std::string* const machine = by_content.machine_file()) {
            *machine = with_place_in_errors(workload.subject + ": machine", [&] { return sha256_of_file(*machine); });
        }
        inputs.append("\n").append(command_line(making_command(by_content, source)));
        inputs.append("\n").append(workload.deadlines ? command_line(arguments_of(*workload.deadlines)) : "none");
        if (workload.has_own_schedule) {
            const std::string own = workload.own_schedule.empty()
                                        ? "of the source"
                                        : with_place_in_errors(workload.subject + ": own-schedule",
                                                               [&] { return sha256_of_file(workload.own_schedule); });
            inputs.append("\nown-schedule ").append(own);
        }
        const std::string key = sha256(inputs);
        const fs::path place = workloads / workload.name;
        std::vector<MadeWorkload> made = made_in(place, key, workload, entry);
        if (made.empty()) {
            make_folder(workload, place, key);
            made = made_in(place, key, workload, entry);
            if (told) {
                told(place.string(), made.size());
            }
        }
        all.insert(all.end(), made.begin(), made.end());
    }
    require_other_names(campaign, all);
    return all;
}

bool has_sha256(const std::string& path, const std::string& sha256) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && sha256_of_file(path) == sha256;
}

std::string platform_of(const MadeWorkload& made, const CampaignMachine& machine, const std::string& folder) {
    if (!machine.word.empty()) {
        return machine.word;
    }
    return made.platform.empty() ? std::to_string(made.processors) : (fs::path(folder) / made.platform).string();
}

std::string cut_windows(const MadeWorkload& made, const CampaignMachine& machine, const std::string& folder) {
    if (made.period.empty() || machine.details.windows.empty()) {
        return "";
    }
    const fs::path windows = fs::path("windows") / made.name;
    std::string file = (windows / (machine.name + ".jsonl")).string();
    create_folders((fs::path(folder) / windows).string());
    with_place_in_errors(machine.subject, [&] {
        write_windows(windows_since(read_windows(machine.details.windows), made.begin),
                      (fs::path(folder) / file).string());
    });
    return file;
}

void write_limits(const CampaignMachine& machine, const std::string& folder) {
    if (machine.details.limits_text) {
        create_folders((fs::path(folder) / "limits").string());
        write_file((fs::path(folder) / machine.details.limits).string(), *machine.details.limits_text);
    }
}

std::string make_failures(const Campaign& campaign, const MadeWorkload& made, const CampaignMachine& machine,
                          const std::string& folder) {
    const CampaignWorkload& workload = campaign.workloads[made.entry];
    if (!workload.failures) {
        return "";
    }
    const fs::path events = fs::path("events") / made.name;
    std::string file = (events / (machine.name + ".txt")).string();
    create_folders((fs::path(folder) / events).string());
    with_place_in_errors(workload.subject + ": failures", [&] {
        FailureModel model;
        options::Options options(options::Writing::keys);
        add_failure_options(options, model);
        model.processors = static_cast<int>(named_platform(platform_of(made, machine, folder)).hosts.size());
        options.set(*workload.failures);
        if (!options.given("until")) {
            options.set("until", std::max(made.last_submission, Time::seconds(1)).to_string());
        }
        options.finish();
        write_events(generate_failures(model), (fs::path(folder) / file).string());
    });
    return file;
}

}  // namespace batfill::campaign
