#include "src/campaign/campaign_file.hpp"

#include <filesystem>
#include <set>
#include <string_view>

#include <yaml-cpp/yaml.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/platform.hpp>

#include "src/analysis/measure_options.hpp"
#include "src/campaign/yaml_blocks.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/mapped.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill::campaign {

namespace {

constexpr std::size_t max_campaign_size = std::size_t{1} << 20;
constexpr const char* own_schedule_key = "own-schedule";

std::string suffix_of(const Swept& swept) {
    std::string suffix;
    for (const auto& [key, value] : swept) {
        suffix.append(",").append(key).append("=").append(value);
    }
    return suffix;
}

// Reads a campaign, entry by entry.
class Reader : private YamlBlocks {
 public:
    Reader(Campaign& campaign, const OwnAlgorithms& own) : YamlBlocks(campaign.path), campaign_(campaign), own_(own) {}

    void read() {
        const YAML::Node root = document(campaign_.text);
        fail_if(!root.IsMap(), root, "expected a map with workloads and schedulers");
        require_known(root, {"workloads", "machines", "schedulers", "measure", "schedules", "reports"});
        for (const auto& entry : list(root, "workloads")) {
            read_workload(entry);
        }
        require_separate_files();
        names_.clear();
        if (root["machines"].IsDefined()) {
            for (const auto& entry : list(root, "machines")) {
                read_machine(entry);
            }
        } else {
            campaign_.machines.push_back({"own", ""});
        }
        names_.clear();
        for (const auto& entry : list(root, "schedulers")) {
            read_scheduler(entry);
        }
        require_own_schedulers(root["schedulers"]);
        read_measures(root["measure"]);
        fail_if(campaign_.has_own_schedules() && campaign_.waits_from_eligible, root["measure"], own_schedule_key,
                ": waits of a log count from the submission, expected no wait-from: eligible");
        campaign_.reports = flag(root, "reports");
        campaign_.schedules = flag(root, "schedules") || campaign_.reports;
    }

 private:
    // The key that says where the workload comes from.
    std::string source_of(const YAML::Node& entry) const {
        constexpr const char* expected = "expected one of log, import, workload and generate, found ";
        std::string source;
        for (const char* key : {"log", "import", "workload", "generate"}) {
            fail_if(entry[key].IsDefined() && !source.empty(), entry[key], expected, source, " and ", key);
            source = entry[key].IsDefined() ? key : source;
        }
        fail_if(source.empty(), entry, expected, "none of them");
        return source;
    }

    // A workload without its options.
    CampaignWorkload workload_from(const std::string& source, const YAML::Node& entry) const {
        CampaignWorkload workload;
        workload.source = source;
        if (source == "generate") {
            workload.name = text(entry[source], "a model");
            const std::vector<std::string> known = {farm_model, "lublin", shared_hosts_model};
            fail_if(std::ranges::find(known, workload.name) == known.end(), entry[source],
                    [&] { return unknown_name("model", workload.name, known); });
            workload.kind = workload.name;
        } else if (source == "import") {
            workload.kind = text(entry[source], "a format");
            const std::vector<std::string> known = accounting_formats();
            fail_if(std::ranges::find(known, workload.kind) == known.end(), entry[source],
                    [&] { return unknown_name("format", workload.kind, known); });
            fail_if(!entry["file"].IsDefined(), entry, "import: expected the key file, the data of ", workload.kind);
        }
        if (source != "generate") {
            workload.path = path_of(entry[source == "import" ? "file" : source]);
            workload.name = workload_name(workload.path);
        }
        if (source == "workload") {
            require_known(entry, {"workload", "name", "deadlines", "failures", own_schedule_key});
        }
        if (entry["name"].IsDefined()) {
            workload.name = text(entry["name"], "a name");
        }
        read_own_schedule(entry, workload);
        return workload;
    }

    void read_own_schedule(const YAML::Node& entry, CampaignWorkload& workload) const {
        const YAML::Node own = entry[own_schedule_key];
        if (!own.IsDefined()) {
            return;
        }
        const std::string key = std::string(own_schedule_key) + ": ";
        constexpr const char* a_file =
            "the file of its log (.swf), or the jobs.csv that batfill import --schedule wrote";
        fail_if(!own.IsScalar(), own, key, "expected true, or ", a_file);
        if (YAML::convert<bool>::decode(own, workload.has_own_schedule)) {
            fail_if(workload.has_own_schedule && workload.source == "workload", own, key,
                    "a workload has no schedule, expected ", a_file);
        } else {
            workload.has_own_schedule = true;
            workload.own_schedule = path_of(own);
        }
        fail_if(workload.has_own_schedule && workload.source == "generate", own, key,
                "nobody has run the jobs of a model, expected it in a workload of log, import or workload");
    }

    void read_workload(const YAML::Node& entry) {
        fail_if(!entry.IsMap(), entry, "expected a workload: log, import, workload or generate, and options");
        const std::string source = source_of(entry);
        const CampaignWorkload workload = workload_from(source, entry);
        for (Variant& own : variants(entry, {source, source == "import" ? "file" : "name", "name", "deadlines",
                                             "failures", own_schedule_key})) {
            for (Setting& setting : *own.settings) {
                const bool is_path =
                    setting.name == "header" || setting.name == "schedule" || setting.name == "platform";
                if (is_path && setting.value) {
                    setting.value = path_of(std::filesystem::path(*setting.value));
                    take_output(entry, *setting.value);
                }
            }
            for (const Variant& deadlines : variants_of_part(entry, "deadlines")) {
                for (const Variant& failures : variants_of_part(entry, "failures")) {
                    CampaignWorkload one = workload;
                    one.settings = *own.settings;
                    if (std::string* const machine = one.machine_file()) {
                        *machine = path_of(std::filesystem::path(*machine));
                    }
                    one.deadlines = deadlines.settings;
                    one.failures = failures.settings;
                    for (const Swept& swept : {own.swept, deadlines.swept, failures.swept}) {
                        one.swept.insert(one.swept.end(), swept.begin(), swept.end());
                    }
                    add_workload(entry, std::move(one));
                }
            }
        }
    }

    // Notes a file that the entry writes beside its workloads. A sweep may write it again.
    void take_output(const YAML::Node& entry, const std::string& path) {
        const auto [other, is_new] = outputs_.emplace(canonical_path(path), entry);
        fail_if(!is_new && !other->second.is(entry), entry, "another workload writes ", path,
                " already: expected another file");
    }

    void require_separate_files() const {
        std::set<std::string> inputs{campaign_.path};
        for (CampaignWorkload& workload : campaign_.workloads) {
            inputs.insert(workload.path);
            inputs.insert(workload.own_schedule);
            if (const std::string* const machine = workload.machine_file()) {
                inputs.insert(*machine);
            }
        }
        for (const std::string& input : inputs) {
            if (const auto output = outputs_.find(canonical_path(input)); output != outputs_.end()) {
                fail(output->second, "would write over the input " + input + ": expected another file");
            }
        }
    }

    void add_workload(const YAML::Node& entry, CampaignWorkload workload) {
        workload.entry_name = workload.name;
        workload.name = file_name_of(workload.name + suffix_of(workload.swept));
        workload.subject =
            campaign_.path + ':' + std::to_string(entry.Mark().line + 1) + ": workload " + shown(workload.name);
        fail_if(workload.has_own_schedule &&
                    std::ranges::find(workload.settings, "load", &Setting::name) != workload.settings.end(),
                entry, own_schedule_key, ": load moves submissions, so the log's schedule is of another ",
                "workload: expected only one of the two");
        take_name(entry, workload.name, "a workload " + shown(workload.name) + " already: expected another name");
        campaign_.workloads.push_back(std::move(workload));
        require_few_runs(entry);
    }

    // A machine of its name alone.
    CampaignMachine machine_named(const YAML::Node& node) const {
        const std::string word = text(node, "a machine");
        if (word == "own") {
            return {word, ""};
        }
        return at(node, [&] {
            const bool is_number = number_of_hosts(word).has_value();
            const bool is_path = !is_number && word.find_first_of("./") != std::string::npos;
            if (!is_number && !is_path) {
                platform_file(word);
            }
            return CampaignMachine{is_path ? workload_name(word) : word, is_path ? path_of(node) : word};
        });
    }

    void read_machine(const YAML::Node& entry) {
        if (!entry.IsMap()) {
            add_machine(entry, machine_named(entry));
            return;
        }
        fail_if(entry["sweep"].IsDefined(), entry["sweep"],
                "sweep: expected it inside of pools or capacity, as in capacity: {sweep: {gpus: [4, 8]}}");
        require_known(entry, {"platform", "name", "pools", "capacity", "windows", "limits"});
        CampaignMachine machine{"own", ""};
        if (entry["platform"].IsDefined()) {
            machine = machine_named(entry["platform"]);
        }
        if (entry["name"].IsDefined()) {
            machine.name = text(entry["name"], "a name");
        }
        for (const Variant& pools : variants_of_part(entry, "pools")) {
            for (const Variant& capacity : variants_of_part(entry, "capacity")) {
                CampaignMachine one = machine;
                one.swept = pools.swept;
                one.swept.insert(one.swept.end(), capacity.swept.begin(), capacity.swept.end());
                at(entry, [&] { one.details = details_of(pools, capacity); });
                add_machines_with_windows(entry, one);
            }
        }
    }

    // Adds the machine once for each file of windows that the entry names.
    void add_machines_with_windows(const YAML::Node& entry, const CampaignMachine& machine) {
        const YAML::Node windows = entry["windows"];
        const bool is_swept = windows.IsDefined() && windows.IsSequence();
        const std::vector<YAML::Node> files = is_swept ? nodes_of(list(entry, "windows")) : std::vector{windows};
        for (const YAML::Node& file : files) {
            CampaignMachine one = machine;
            if (file.IsDefined() && text(file, "a file of windows, or none") != "none") {
                one.details.windows = path_of(file);
            }
            if (is_swept) {
                one.swept.emplace_back("windows", file.Scalar());
            }
            add_machines_with_limits(entry, one);
        }
    }

    // Adds the machine once for each file or list of limits that the entry names.
    void add_machines_with_limits(const YAML::Node& entry, const CampaignMachine& machine) {
        const YAML::Node limits = entry["limits"];
        const bool is_swept = limits.IsDefined() && limits.IsSequence() && (limits.size() == 0 || !limits[0].IsMap());
        const std::vector<YAML::Node> all = is_swept ? nodes_of(list(entry, "limits")) : std::vector{limits};
        for (std::size_t i = 0; i < all.size(); ++i) {
            const YAML::Node& one_of_them = all[i];
            CampaignMachine one = machine;
            const bool are_lines = one_of_them.IsDefined() && one_of_them.IsSequence();
            if (are_lines) {
                one.details.limits_text = lines_of_limits(one_of_them);
            } else if (one_of_them.IsDefined() && text(one_of_them, "a file of limits, or none") != "none") {
                one.details.limits = path_of(one_of_them);
            }
            if (is_swept) {
                one.swept.emplace_back("limits", are_lines ? std::to_string(i + 1) : one_of_them.Scalar());
            }
            one.name += suffix_of(one.swept);
            add_machine(entry, std::move(one));
        }
    }

    // The lines of a file with these limits.
    std::string lines_of_limits(const YAML::Node& limits) const {
        std::string lines;
        for (const YAML::Node& limit : limits) {
            std::string line;
            append_json(limit, line);
            at(limit, [&] {
                try {
                    parse_limits(line, "");
                } catch (const InputError& problem) {
                    throw UsageError("limits" + std::string(problem.what()).substr(std::string(":1").size()));
                }
            });
            lines += line + '\n';
        }
        return lines;
    }

    static std::vector<YAML::Node> nodes_of(const YAML::Node& list) { return {list.begin(), list.end()}; }

    // A list gives one setting for each of its values.
    static void refuse_lists(const char* key, const Settings& settings) {
        for (std::size_t i = 1; i < settings.size(); ++i) {
            const std::string& name = settings[i].name;
            refuse_if(name == settings[i - 1].name, key, ": ", shown(name), " has several values, expected one; for a ",
                      "machine of each value write ", key, ": {sweep: {", shown(name), ": [VALUE, VALUE]}}");
        }
    }

    static MachineDetails details_of(const Variant& pools, const Variant& capacity) {
        refuse_lists("pools", pools.settings.value_or(Settings()));
        refuse_lists("capacity", capacity.settings.value_or(Settings()));
        MachineDetails details;
        for (const Setting& pool : pools.settings.value_or(Settings())) {
            details.pools.push_back(parse_pool(pool.name + '=' + pool.value.value_or("")));
        }
        if (capacity.settings) {
            const auto text = [](const Setting& amount) { return amount.name + ':' + amount.value.value_or(""); };
            details.capacity = checked_capacity(list_of(mapped(*capacity.settings, text), ","));
        }
        return details;
    }

    void add_machine(const YAML::Node& entry, CampaignMachine machine) {
        machine.name = file_name_of(machine.name);
        machine.subject =
            campaign_.path + ':' + std::to_string(entry.Mark().line + 1) + ": machine " + shown(machine.name);
        if (machine.details.limits_text) {
            machine.details.limits = (std::filesystem::path("limits") / (machine.name + ".jsonl")).string();
        } else if (!machine.details.limits.empty()) {
            with_place_in_errors(machine.subject, [&] { read_limits(machine.details.limits); });
        }
        if (!machine.details.windows.empty()) {
            with_place_in_errors(machine.subject, [&] { read_windows(machine.details.windows); });
        }
        take_name(entry, machine.name, "a machine " + shown(machine.name) + " already: expected another name");
        campaign_.machines.push_back(std::move(machine));
        require_few_runs(entry);
    }

    void read_scheduler(const YAML::Node& entry) {
        if (entry.IsScalar()) {
            const std::string word = text(entry, "a scheduler");
            const auto scheduler = [&] {
                return word.ends_with(".json") ? batfill::read_scheduler(path_of(entry)) : scheduler_from(word, {});
            };
            add_scheduler(entry, at(entry, scheduler), {});
            return;
        }
        fail_if(!entry.IsMap() || !entry["algorithm"].IsDefined(), entry,
                "expected a scheduler: NAME[,KEY=VALUE]..., or a map with algorithm and parameters");
        const std::string algorithm = text(entry["algorithm"], "an algorithm");
        for (const Variant& variant : variants(entry, {"algorithm", "name"})) {
            Parameters::Given given;
            for (const Setting& setting : *variant.settings) {
                const std::string value = setting.value.value_or("true");
                if (!given.empty() && given.back().first == setting.name) {
                    given.back().second += ',' + value;  // a list
                } else {
                    given.emplace_back(setting.name, value);
                }
            }
            NamedScheduler scheduler = at(entry, [&] { return scheduler_from(algorithm, given); });
            scheduler.name = entry["name"].IsDefined()
                                 ? text(entry["name"], "a name") + suffix_of(variant.swept)
                                 : scheduler.choice.algorithm() + suffix_of(scheduler.choice.parameters().given());
            add_scheduler(entry, std::move(scheduler), variant.swept);
        }
    }

    // The scheduler of this text, with more parameters, under the text as its name.
    // Throws: UsageError.
    NamedScheduler scheduler_from(const std::string& text, const Parameters::Given& parameters) const {
        WrittenScheduler written = parse_scheduler(text);
        add_parameters(written, parameters, "the map");
        if (const auto own = own_.find(written.algorithm); own != own_.end()) {
            written.own = own->second.description;
        }
        return {text, choice_of(written)};
    }

    void require_own_schedulers(const YAML::Node& schedulers) const {
        for (const auto& [name, own] : own_) {
            if (std::ranges::none_of(campaign_.schedulers, [&name = name](const CampaignScheduler& scheduler) {
                    return scheduler.scheduler.choice.algorithm() == name;
                })) {
                fail(schedulers, "no scheduler has the algorithm " + in_quotes(name) +
                                     ", which the program brings: expected it in the list");
            }
        }
    }

    void add_scheduler(const YAML::Node& entry, NamedScheduler scheduler, Swept swept) {
        const std::string file = file_name_of(scheduler.name);
        if (campaign_.has_own_schedules()) {
            fail_if(file == log_name, entry, "the name ", log_name, " is that of ", own_schedule_key,
                    ": expected another name");
            fail_if(scheduler.choice.submits_jobs(), entry, [&] {
                return "scheduler " + shown(scheduler.name) +
                       " submits jobs of its own, which no log has: expected none such beside " + own_schedule_key;
            });
        }
        take_name(entry, file, "a scheduler " + shown(scheduler.name) + " already: expected another name");
        // The broken guarantees of "a" would be in the file of the guarantees of "a_broken".
        const std::string broken = "_broken";
        const std::string without = file.ends_with(broken) ? file.substr(0, file.size() - broken.size()) : file;
        const std::string& first = names_.contains(without) ? without : file;
        fail_if(names_.contains(first + broken), entry, "the schedulers ", first, " and ", first, broken,
                " would share the file ", first, broken, "_guarantees.csv: expected another name");
        const auto own = own_.find(scheduler.choice.algorithm());
        campaign_.schedulers.push_back(
            {std::move(scheduler), std::move(swept), own == own_.end() ? "" : own->second.code});
        require_few_runs(entry);
    }

    // `what` names the entry, in the message that the name of its files is taken.
    void take_name(const YAML::Node& entry, const std::string& name, const std::string& what) {
        fail_if(!names_.insert(name).second, entry, "there is ", what);
    }

    // Counts the entries that were read so far.
    void require_few_runs(const YAML::Node& entry) const {
        const std::size_t machines = std::max<std::size_t>(campaign_.machines.size(), 1);
        const std::size_t schedulers =
            std::max<std::size_t>(campaign_.schedulers.size(), 1) + (campaign_.has_own_schedules() ? 1 : 0);
        fail_if(campaign_.workloads.size() * machines * schedulers > max_campaign_runs, entry,
                "expected at most 100,000 runs");
    }

    void read_measures(const YAML::Node& measure) {
        if (!measure.IsDefined()) {
            return;
        }
        fail_if(!measure.IsMap(), measure, "measure: expected options and their values");
        options::Options options(options::Writing::keys);
        add_measure_options(options, campaign_.metrics.tau, campaign_.metrics.short_deadline);
        add_wait_from_option(options, campaign_.waits_from_eligible, "");
        options.add("warm-up", options::length(campaign_.warm_up, "SECONDS", Duration()), "");
        options.add("cool-down", options::length(campaign_.cool_down, "SECONDS", Duration()), "");
        for (const auto& member : measure) {
            const std::string name = text(member.first, "an option");
            at(member.second, [&] { options.set(name, text(member.second, "the value of " + name)); });
        }
    }

    Campaign& campaign_;
    const OwnAlgorithms& own_;
    std::map<std::string, YAML::Node> outputs_;  // by canonical path
    std::set<std::string> names_;                // of files of the present list, each once
};

constexpr const char* before_log =
    R"(# A campaign of batfill: every workload on every machine under every scheduler.
# Run it with: batfill campaign THIS_FILE.yaml -o results
# Paths are seen from the folder of this file; lengths of time are in seconds.

workloads:
  # The options are those of `batfill swf`.
  - log: )";

constexpr const char* after_log =
    R"(
    split: 7                # weeks; without this and the next two lines the log is one workload
    count-from: first-job   # the first week is that of the first job
    periods: 4              # the first four of them; without this line all
    short-estimates: raise  # jobs that ran longer than they asked for
    # deadlines: {share: 0.2, seed: 1}    # the options of `batfill deadlines`
    # failures: {mtbf: 2592000, mttr: 86400, seed: 1}  # of `batfill generate failures`
  # A model instead of a log, with the options of `batfill generate lublin`:
  # - generate: lublin
  #   jobs: 1000
  #   processors: 128
  #   sweep: {load: [0.7, 0.9], seed: 1..5}  # every load with every seed

# own: as many processors as the workload says. Others: a number of hosts, a platform file, or
# the name of a platform that comes with batfill.
machines: [own]

schedulers:
  - fcfs
  - easy
  - conservative
  - algorithm: easy
    sweep: {order: [saf, spf]}

measure:
  tau: 10           # bound of the bounded slowdown
  warm-up: 0        # jobs submitted in this time after the first one do not count
  cool-down: 0      # nor those submitted in this time before the last one

schedules: false    # true keeps the jobs.csv of each run
reports: true       # a page for a browser for each workload; keeps the schedules, too
)";

}  // namespace

Campaign read_campaign(const std::string& path, const OwnAlgorithms& own) {
    Campaign campaign;
    campaign.path = path;
    campaign.text = read_file(path, max_campaign_size, "a campaign (YAML)", {FileKind::campaign, FileKind::json});
    try {
        Reader(campaign, own).read();
    } catch (const YAML::Exception& problem) {
        throw InputError(path + ':' + std::to_string(problem.mark.line + 1) + ": " + one_line(problem.msg));
    }
    return campaign;
}

std::string example_campaign(const std::string& log) {
    refuse_if<InputError>(!std::filesystem::is_regular_file(log), log,
                          ": there is no such file, expected a log (.swf or .swf.gz)");
    std::string example = before_log;
    append_json_string(log, example);  // YAML has the escapes of JSON
    return example + after_log;
}

std::string file_name_of(const std::string& name) {
    constexpr std::size_t longest = 120;  // file systems take 255 bytes, with the ending
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,+-";
    std::string result = name;
    std::ranges::replace_if(
        result, [=](char c) { return plain.find(c) == std::string_view::npos; }, '_');
    // Names that differ must not become the same, be hidden, or be "..".
    const bool changed = result != name || result.size() > longest || result.front() == '.';
    return changed ? "_" + result.substr(0, longest) + '-' + sha256(name).substr(0, 8) : result;
}

}  // namespace batfill::campaign
