#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/slurm/controller.hpp"
#include "schedulers/slurm/settings.hpp"
#include "src/support/files.hpp"
#include "tests/support/lines.hpp"

// Recorded runs of real clusters, with every event that is raced for.
namespace batfill::tests {

// A task of an array, or a job, which has the number of no task.
struct SlurmTask {
    std::string job;
    int task = -1;
    auto operator<=>(const SlurmTask&) const = default;
    std::string text() const { return task < 0 ? job : job + "_" + std::to_string(task); }
};

struct SlurmStart {
    slurm::Seconds at = 0;  // since time 0
    std::set<int> nodes;
};

// One run of a recording.
struct SlurmRecording {
    struct Submission {
        std::string name;
        slurm::Job asks;
        std::vector<std::pair<slurm::Dependency::Until, std::string>> dependencies;
        std::vector<int> tasks;  // of an array
        slurm::Seconds begin_after = 0;
    };
    struct Event {
        double time = 0;  // since time 0
        std::string kind;
        std::int64_t id = 0;
        int node = -1;  // none: all
    };
    struct Recorded {
        SlurmStart start;
        double end = 0;
        bool succeeded = false;
    };

    std::string name;
    slurm::Settings settings;
    std::vector<std::string> written_settings;  // as slurm.conf has them
    std::vector<slurm::Node> nodes;
    std::vector<slurm::Partition> partitions;
    std::vector<std::string> partition_names;
    int default_partition = 0;
    std::vector<slurm::Reservation> reservations;
    slurm::Seconds zero = 0;  // Unix time of time 0
    std::vector<Submission> submissions;
    std::vector<Event> events;                // in their order
    std::map<std::int64_t, SlurmTask> tasks;  // by Slurm's ids
    std::map<SlurmTask, Recorded> starts;     // of those that started
};

namespace slurm_recordings {

inline std::string read_text(const std::filesystem::path& file) {
    return InputFile(file.string()).read_all(std::size_t{1} << 28);
}

// The cells of a line of CSV. Quotes are only around whole cells.
inline std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            cells.emplace_back();
        } else if (c != '\r') {
            cells.back() += c;
        }
    }
    return cells;
}

// The nodes of n3 or n[1-2,5], from 0. `base`: the number of the first one in the text.
inline std::set<int> nodes_of(std::string text, int base = 1) {
    std::set<int> nodes;
    std::erase_if(text, [](char c) { return c == 'n' || c == '[' || c == ']'; });
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t dash = part.find('-');
        const int first = std::stoi(part);
        const int last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
        for (int node = first; node <= last; ++node) {
            nodes.insert(node - base);
        }
    }
    return nodes;
}

inline slurm::NodeSet bits_of(const std::set<int>& nodes, std::size_t size) {
    slurm::NodeSet bits(static_cast<int>(size));
    for (const int node : nodes) {
        bits.insert(node);
    }
    return bits;
}

// The values of a line of NAME=VALUE.
inline std::map<std::string, std::string> values_of(const std::string& line) {
    std::map<std::string, std::string> values;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        const std::size_t sign = std::min(word.find('='), word.size());
        values[word.substr(0, sign)] = word.substr(std::min(sign + 1, word.size()));
    }
    return values;
}

// Seconds of D-HH:MM:SS.
inline slurm::Seconds seconds_of(const std::string& text) {
    slurm::Seconds days = 0;
    slurm::Seconds hours = 0;
    slurm::Seconds minutes = 0;
    slurm::Seconds seconds = 0;
    char sign = 0;
    std::istringstream(text) >> days >> sign >> hours >> sign >> minutes >> sign >> seconds;
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

inline void read_setting(const std::string& name, const std::string& value, slurm::Settings& settings) {
    if (name == "SchedulerType") {
        settings.scheduler = value == "sched/builtin" ? slurm::SchedulerType::builtin : slurm::SchedulerType::backfill;
    } else if (name == "SchedulerParameters") {
        std::istringstream parts(value);
        for (std::string part; std::getline(parts, part, ',');) {
            // These two change nothing here.
            if (part != "kill_invalid_depend" && !part.starts_with("sched_min_interval=")) {
                settings.take_scheduler_parameters(part);
            }
        }
    } else if (name == "SelectType") {
        settings.select = value == "select/linear" ? slurm::Select::linear : slurm::Select::cons_tres;
    } else if (name == "PriorityType") {
        settings.priority = value == "priority/basic" ? slurm::PriorityType::basic : slurm::PriorityType::multifactor;
    } else if (name == "AccountingStorageType") {
        settings.accounting = value == "accounting_storage/slurmdbd";
    } else if (name == "PriorityWeightAge") {
        settings.priority_weight_age = std::stoll(value);
    } else if (name == "PriorityWeightJobSize") {
        settings.priority_weight_job_size = std::stoll(value);
    } else if (name == "PriorityMaxAge") {
        settings.priority_max_age = seconds_of(value);
    } else if (name == "PriorityCalcPeriod") {
        settings.priority_calc_period = std::stoll(value) * 60;
    } else if (name == "OverTimeLimit") {
        settings.over_time_limit = std::stoll(value) * 60;
    } else if (name != "GresTypes" && name != "SelectTypeParameters" && name != "PriorityFavorSmall") {
        throw std::runtime_error("conf.txt: unknown setting " + name);
    }
}

inline void read_conf(const std::string& text, SlurmRecording& run) {
    run.settings.accounting = false;
    enum class Part { conf, gres, setup } part = Part::conf;
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with("#")) {
            part = line.starts_with("#gres.conf") ? Part::gres : line.starts_with("#setup") ? Part::setup : part;
            continue;
        }
        if (line.empty() || part == Part::gres) {
            continue;
        }
        std::map<std::string, std::string> values = values_of(line);
        const auto number = [&](const std::string& key) { return values.contains(key) ? std::stoi(values[key]) : 0; };
        if (part == Part::setup) {
            if (!values.contains("ReservationName")) {
                throw std::runtime_error("conf.txt: unknown command " + line);
            }
            const std::size_t plus = line.find("T0+") + 3;
            const slurm::Seconds begin = run.zero + std::stoll(line.substr(plus));
            const bool all = values["Nodes"] == "ALL";
            run.reservations.push_back({begin, begin + number("Duration") * 60,
                                        all ? slurm::NodeSet::all(static_cast<int>(run.nodes.size()))
                                            : bits_of(nodes_of(values["Nodes"]), run.nodes.size()),
                                        all || values["Flags"].find("MAINT") != std::string::npos});
        } else if (values.contains("NodeName")) {
            slurm::Node node{std::max(number("CPUs"), number("CoresPerSocket") * number("Sockets")),
                             {number("RealMemory")}};
            if (values.contains("Gres")) {
                node.amounts.push_back(std::stoi(values["Gres"].substr(values["Gres"].find(':') + 1)));
            }
            run.nodes.assign(nodes_of(values["NodeName"]).size(), node);
        } else if (values.contains("PartitionName")) {
            slurm::Partition partition;
            partition.nodes = values["Nodes"] == "ALL" ? slurm::NodeSet::all(static_cast<int>(run.nodes.size()))
                                                       : bits_of(nodes_of(values["Nodes"]), run.nodes.size());
            partition.tier = std::max(number("PriorityTier"), 1);
            if (values["Default"] == "YES") {
                run.default_partition = static_cast<int>(run.partitions.size());
            }
            run.partition_names.push_back(values["PartitionName"]);
            run.partitions.push_back(partition);
        } else {
            const std::size_t sign = line.find('=');
            read_setting(line.substr(0, sign), line.substr(sign + 1), run.settings);
            run.written_settings.push_back(line);
        }
    }
}

inline void read_option(const std::string& option, SlurmRecording::Submission& submission, std::size_t kinds) {
    const std::size_t sign = option.find('=');
    const std::string name = option.substr(0, sign);
    const std::string value = option.substr(sign + 1);
    if (name == "--begin") {
        submission.begin_after = std::stoll(value.substr(4));  // now+SECONDS
    } else if (name == "--nice") {
        submission.asks.nice = std::stoi(value);
    } else if (name == "--gres") {
        submission.asks.amounts.resize(kinds);
        submission.asks.amounts.back() = std::stoll(value.substr(value.find(':') + 1));
    } else if (name == "--dependency") {
        const std::string other = value.substr(value.find('{') + 1, value.find('}') - value.find('{') - 1);
        const bool ok = value.starts_with("afterok:");
        if (!ok && !value.starts_with("afterany:")) {
            throw std::runtime_error("jobs.csv: unknown dependency " + value);
        }
        submission.dependencies.emplace_back(ok ? slurm::Dependency::Until::succeeded : slurm::Dependency::Until::ended,
                                             other);
    } else if (name == "--array") {
        const std::size_t percent = value.find('%');
        const std::size_t dash = value.find('-');
        for (int task = std::stoi(value); task <= std::stoi(value.substr(dash + 1)); ++task) {
            submission.tasks.push_back(task);
        }
        if (percent != std::string::npos) {
            submission.asks.array_limit = std::stoi(value.substr(percent + 1));
        }
    } else {
        throw std::runtime_error("jobs.csv: unknown option " + option);
    }
}

inline void read_jobs(const std::string& text, SlurmRecording& run) {
    const bool has_cores = run.settings.select == slurm::Select::cons_tres;
    const std::vector<std::string> lines = lines_of(text);
    int arrays = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string> cells = cells_of(lines[i]);  // id,submit,nodes,cores,mem,limit,runtime,user,...
        SlurmRecording::Submission& submission = run.submissions.emplace_back();
        submission.name = cells.at(0);
        submission.asks.nodes = std::stoi(cells.at(2));
        submission.asks.tasks = cells.at(3).empty() ? submission.asks.nodes : std::stoi(cells[3]);
        if (has_cores && !cells.at(4).empty()) {
            submission.asks.amounts.assign(run.nodes.front().amounts.size(), 0);
            submission.asks.amounts.front() = std::stoll(cells[4]);
        }
        submission.asks.limit = std::stoll(cells.at(5)) * 60;
        submission.asks.user = cells.at(7).empty() ? 0 : std::stoi(cells[7]);
        const auto named = std::find(run.partition_names.begin(), run.partition_names.end(), cells.at(8));
        submission.asks.partitions = {cells[8].empty() ? run.default_partition
                                                       : static_cast<int>(named - run.partition_names.begin())};
        std::istringstream options(cells.at(9));
        for (std::string option; options >> option;) {
            read_option(option, submission, run.nodes.front().amounts.size());
        }
        if (!submission.tasks.empty()) {
            submission.asks.array = arrays++;
        }
    }
}

inline void read_starts(const std::string& text, SlurmRecording& run) {
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        // job,slurm_id,task,submit,eligible,start,end,nodes,scheduler,state,priority,lasteval
        const std::vector<std::string> cells = cells_of(lines[i]);
        const SlurmTask task{cells.at(0), cells.at(2).empty() ? -1 : std::stoi(cells[2])};
        run.tasks[std::stoll(cells.at(1))] = task;
        if (!cells.at(7).empty()) {
            run.starts[task] = {
                {std::stoll(cells.at(5)), nodes_of(cells[7])}, std::stod(cells.at(6)), cells.at(9) == "COMPLETED"};
        }
    }
}

inline void read_events(const std::string& text, SlurmRecording& run) {
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string> cells = cells_of(lines[i]);  // time,event,slurm_id,node
        run.events.push_back({std::stod(cells.at(0)), cells.at(1), cells.at(2).empty() ? 0 : std::stoll(cells[2]),
                              cells.at(3).empty() ? -1 : *nodes_of(cells[3]).begin()});
    }
}

// Puts each release where it belongs: the log dates it up to a second late, but a node is released before the run that
// starts the next job on it. A release of all nodes of a job is dated by the run that sees the last of them, and stands
// before it.
inline void put_releases_in_place(SlurmRecording& run) {
    const auto is_run = [](const SlurmRecording::Event& event) {
        return event.kind.starts_with("main") || event.kind == "backfill";
    };
    std::vector<SlurmRecording::Event> placed;
    for (const SlurmRecording::Event& event : run.events) {
        const auto task = run.tasks.find(event.id);
        if (event.kind != "release" || task == run.tasks.end() || !run.starts.contains(task->second)) {
            placed.push_back(event);
            continue;
        }
        const SlurmRecording::Recorded& ended = run.starts.at(task->second);
        const bool is_exact = event.node < 0 && ended.start.nodes.size() == 1;
        for (const int node : event.node < 0 ? ended.start.nodes : std::set<int>{event.node}) {
            std::optional<slurm::Seconds> next_start;
            for (const auto& [other, started] : run.starts) {
                const slurm::Seconds at = started.start.at;
                if (started.start.nodes.contains(node) && static_cast<double>(at) >= std::floor(ended.end) &&
                    other != task->second && (!next_start || at < *next_start)) {
                    next_start = at;
                }
            }
            auto to = placed.end();
            for (auto before = placed.end(); before != placed.begin();) {
                --before;
                if (before->kind == "end" && before->id == event.id) {
                    break;
                }
                const bool sees_it = event.node < 0 && before->time == event.time;
                const bool starts_next = next_start && before->time >= static_cast<double>(*next_start);
                if (is_run(*before) && (sees_it || (starts_next && !is_exact))) {
                    to = before;
                }
            }
            placed.insert(to, {event.time, event.kind, event.id, node});
        }
    }
    run.events = std::move(placed);
}

// A field of a job: NAME=VALUE.
inline void read_field(const std::string& word, SlurmRecording::Submission& submission) {
    slurm::Job& job = submission.asks;
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    const std::string value = word.substr(sign + 1);
    if (name == "afterok" || name == "afterany") {
        submission.dependencies.emplace_back(
            name == "afterok" ? slurm::Dependency::Until::succeeded : slurm::Dependency::Until::ended, value);
        return;
    }
    const int number = std::stoi(value);
    if (name == "partition") {
        job.partitions = {number};
    } else if (name == "memory" || name == "gpus") {
        job.amounts.push_back(number);
    } else if (name == "user") {
        job.user = number;
    } else if (name == "nice") {
        job.nice = number;
    } else if (name == "begin") {
        submission.begin_after = number;
    } else if (name == "tasks") {
        for (int task = 0; task < number; ++task) {
            submission.tasks.push_back(task);
        }
    } else if (name == "at_once") {
        job.array_limit = number;
    } else {
        throw std::runtime_error("unknown field " + word);
    }
}

}  // namespace slurm_recordings

// Run `number` of the recording in `folder`.
inline SlurmRecording read_slurm_recording(const std::filesystem::path& folder, int number) {
    using namespace slurm_recordings;
    SlurmRecording run;
    const std::string suffix = "-" + std::to_string(number);
    run.name = folder.filename().string() + suffix;
    const std::string log = read_text(folder / ("log" + suffix + ".txt"));
    run.zero = std::stoll(log.substr(log.find("t0 ") + 3));
    read_conf(read_text(folder / "conf.txt"), run);
    read_jobs(read_text(folder / "jobs.csv"), run);
    read_starts(read_text(folder / ("starts" + suffix + ".csv")), run);
    read_events(read_text(folder / ("events" + suffix + ".csv")), run);
    put_releases_in_place(run);
    return run;
}

// ---- The form of the tests, tests/unit/schedulers/slurm_recordings.txt: a line for each fact, events in their order.

namespace slurm_recordings {

inline std::string text_of(const std::set<int>& nodes, int from) {
    std::string text;
    for (const int node : nodes) {
        text += (text.empty() ? "" : ",") + std::to_string(node + from);
    }
    return text;
}

inline std::set<int> set_of(const slurm::NodeSet& bits) {
    std::set<int> nodes;
    bits.for_each([&](int node) { nodes.insert(node); });
    return nodes;
}

inline std::string text_of(const SlurmRecording::Submission& submission) {
    const slurm::Job& job = submission.asks;
    std::ostringstream line;
    line << "job " << submission.name << ' ' << job.limit << ' ' << job.nodes << ' ' << job.tasks
         << " partition=" << job.partitions.front();
    for (std::size_t kind = 0; kind < job.amounts.size(); ++kind) {
        line << (kind == 0 ? " memory=" : " gpus=") << job.amounts[kind];
    }
    if (job.user != 0) {
        line << " user=" << job.user;
    }
    if (job.nice != 0) {
        line << " nice=" << job.nice;
    }
    if (submission.begin_after != 0) {
        line << " begin=" << submission.begin_after;
    }
    for (const auto& [until, other] : submission.dependencies) {
        line << (until == slurm::Dependency::Until::succeeded ? " afterok=" : " afterany=") << other;
    }
    if (!submission.tasks.empty()) {
        line << " tasks=" << submission.tasks.size();
        if (job.array_limit < std::numeric_limits<int>::max()) {
            line << " at_once=" << job.array_limit;
        }
    }
    return line.str() + '\n';
}

}  // namespace slurm_recordings

inline std::string text_of(const SlurmRecording& run) {
    using namespace slurm_recordings;
    std::ostringstream text;
    text << "recording " << run.name << ' ' << run.zero << '\n';
    for (const std::string& setting : run.written_settings) {
        text << "set " << setting << '\n';
    }
    for (const slurm::Node& node : run.nodes) {
        text << "node " << node.cores;
        for (const Amount amount : node.amounts) {
            text << ' ' << amount;
        }
        text << '\n';
    }
    for (const slurm::Partition& partition : run.partitions) {
        text << "partition " << partition.tier << ' ' << text_of(set_of(partition.nodes), 0) << '\n';
    }
    for (const slurm::Reservation& reservation : run.reservations) {
        text << "reservation " << reservation.begin - run.zero << ' ' << reservation.end - run.zero << ' '
             << text_of(set_of(reservation.nodes), 0) << (reservation.whole ? " whole" : "") << '\n';
    }
    for (const SlurmRecording::Submission& submission : run.submissions) {
        text << text_of(submission);
    }
    for (const auto& [id, task] : run.tasks) {
        text << "id " << id << ' ' << task.job << ' ' << task.task;
        if (run.starts.contains(task)) {
            const SlurmRecording::Recorded& recorded = run.starts.at(task);
            text << ' ' << recorded.start.at << ' ' << text_of(recorded.start.nodes, 0)
                 << (recorded.succeeded ? "" : " failed");
        }
        text << '\n';
    }
    text << std::fixed << std::setprecision(3);
    for (const SlurmRecording::Event& event : run.events) {
        text << event.time << ' ' << event.kind;
        if (event.id != 0) {
            text << ' ' << event.id;
        }
        if (event.node >= 0) {
            text << ' ' << event.node;
        }
        text << '\n';
    }
    return text.str();
}

// Throws: std::exception if the text is of another form.
inline std::vector<SlurmRecording> read_slurm_recordings_text(const std::string& text) {
    using namespace slurm_recordings;
    std::vector<SlurmRecording> runs;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        if (!(words >> kind) || kind == "#") {
            continue;
        }
        if (kind == "recording") {
            runs.emplace_back().settings.accounting = false;
            words >> runs.back().name >> runs.back().zero;
            continue;
        }
        SlurmRecording& run = runs.at(runs.size() - 1);
        std::string nodes;
        if (kind == "set") {
            std::string setting;
            words >> setting;
            const std::size_t sign = setting.find('=');
            read_setting(setting.substr(0, sign), setting.substr(sign + 1), run.settings);
        } else if (kind == "node") {
            slurm::Node& node = run.nodes.emplace_back();
            words >> node.cores;
            for (Amount amount = 0; words >> amount;) {
                node.amounts.push_back(amount);
            }
        } else if (kind == "partition") {
            slurm::Partition& partition = run.partitions.emplace_back();
            words >> partition.tier >> nodes;
            partition.nodes = bits_of(nodes_of(nodes, 0), run.nodes.size());
        } else if (kind == "reservation") {
            std::string whole;
            slurm::Reservation reservation{};
            words >> reservation.begin >> reservation.end >> nodes >> whole;
            reservation.begin += run.zero;
            reservation.end += run.zero;
            reservation.nodes = bits_of(nodes_of(nodes, 0), run.nodes.size());
            reservation.whole = whole == "whole";
            run.reservations.push_back(reservation);
        } else if (kind == "job") {
            SlurmRecording::Submission& submission = run.submissions.emplace_back();
            words >> submission.name >> submission.asks.limit >> submission.asks.nodes >> submission.asks.tasks;
            for (std::string word; words >> word;) {
                read_field(word, submission);
            }
            if (!submission.tasks.empty()) {
                submission.asks.array = static_cast<int>(run.submissions.size());
            }
        } else if (kind == "id") {
            std::int64_t id = 0;
            SlurmTask task;
            SlurmRecording::Recorded recorded;
            std::string failed;
            words >> id >> task.job >> task.task;
            run.tasks[id] = task;
            if (words >> recorded.start.at >> nodes) {
                recorded.start.nodes = nodes_of(nodes, 0);
                recorded.succeeded = !(words >> failed);
                run.starts[task] = recorded;
            }
        } else {
            SlurmRecording::Event& event = run.events.emplace_back();
            event.time = std::stod(kind);
            words >> event.kind >> event.id >> event.node;
            if (!words) {
                event.node = -1;
            }
        }
    }
    return runs;
}

// What the controller decides if all that is recorded but the starts happens.
inline std::map<SlurmTask, SlurmStart> replay(const SlurmRecording& run) {
    using slurm::JobPlace;
    slurm::Controller controller(run.settings, run.nodes, run.partitions, {});
    slurm::Cluster& cluster = controller.cluster();
    for (const slurm::Reservation& reservation : run.reservations) {
        cluster.add(reservation);
    }
    std::map<SlurmTask, JobPlace> places;
    std::map<JobPlace, SlurmTask> tasks;
    std::map<SlurmTask, SlurmStart> starts;
    std::size_t submitted = 0;
    std::optional<slurm::Seconds> next_priorities;
    for (const SlurmRecording::Event& event : run.events) {
        const auto now = run.zero + static_cast<slurm::Seconds>(std::floor(event.time));
        const auto note = [&](const std::vector<JobPlace>& started) {
            for (const JobPlace place : started) {
                std::set<int> nodes;
                cluster.running(place).nodes.for_each([&](int node) { nodes.insert(node); });
                starts[tasks.at(place)] = {now - run.zero, nodes};
            }
        };
        if (event.kind == "submit") {
            const SlurmRecording::Submission& submission = run.submissions.at(submitted++);
            slurm::Job job = submission.asks;
            job.id = event.id;
            job.begin = submission.begin_after > 0 ? now + submission.begin_after : 0;
            for (const auto& [until, other] : submission.dependencies) {
                job.dependencies.push_back({places.at({other, -1}), until});
            }
            for (const int number : submission.tasks.empty() ? std::vector<int>{-1} : submission.tasks) {
                job.task = std::max(number, 0);
                const JobPlace place = controller.submit(job, now);
                places[{submission.name, number}] = place;
                tasks[place] = {submission.name, number};
            }
        } else if (event.kind == "end" || event.kind == "release") {
            const SlurmTask& task = run.tasks.at(event.id);
            const JobPlace place = places.at(task);
            if (event.kind == "release") {
                event.node < 0 ? cluster.release(place) : cluster.release(place, event.node);
            } else if (cluster.state(place) == slurm::JobState::running) {
                cluster.end(place, run.starts.contains(task) && run.starts.at(task).succeeded);
            } else if (cluster.state(place) == slurm::JobState::waiting) {
                cluster.cancel(place);
            }
        } else if (event.kind == "backfill") {
            note(controller.run_backfill(now).started);
        } else {
            const bool is_full = event.kind == "main-full";
            if (is_full && !next_priorities) {
                next_priorities = now;
            }
            while (next_priorities && *next_priorities <= now) {
                controller.compute_priorities(*next_priorities);
                *next_priorities += run.settings.priority_calc_period;
            }
            note(controller.run_main(now, is_full).started);
        }
    }
    return starts;
}

// The tasks that start otherwise than recorded: more than a second apart, on other nodes, or in another order than a
// task whose recorded start differs.
inline std::vector<std::string> differences(const SlurmRecording& run, const std::map<SlurmTask, SlurmStart>& starts) {
    std::vector<std::string> differing;
    const auto nodes_text = [](const std::set<int>& nodes) { return "nodes " + slurm_recordings::text_of(nodes, 1); };
    std::vector<std::pair<slurm::Seconds, SlurmTask>> by_recorded_start;
    for (const auto& [task, recorded] : run.starts) {
        by_recorded_start.emplace_back(recorded.start.at, task);
    }
    std::sort(by_recorded_start.begin(), by_recorded_start.end());
    slurm::Seconds latest_before = std::numeric_limits<slurm::Seconds>::min();  // of those recorded before
    slurm::Seconds latest = latest_before;
    for (std::size_t i = 0; i < by_recorded_start.size(); ++i) {
        const auto& [at, task] = by_recorded_start[i];
        if (i > 0 && by_recorded_start[i - 1].first < at) {
            latest_before = latest;
        }
        const SlurmStart& recorded = run.starts.at(task).start;
        const std::string expected = task.text() + " at " + std::to_string(at) + " on " + nodes_text(recorded.nodes);
        if (!starts.contains(task)) {
            differing.push_back(expected + ", here never");
            continue;
        }
        const SlurmStart& here = starts.at(task);
        if (std::abs(here.at - at) > 1 || here.nodes != recorded.nodes || here.at < latest_before) {
            differing.push_back(expected + ", here at " + std::to_string(here.at) + " on " + nodes_text(here.nodes));
        }
        latest = std::max(latest, here.at);
    }
    for (const auto& [task, here] : starts) {
        if (!run.starts.contains(task)) {
            differing.push_back(task.text() + " never, here at " + std::to_string(here.at));
        }
    }
    return differing;
}

// The runs in a folder: those of starts-1.csv, starts-2.csv, and so on.
inline std::vector<SlurmRecording> read_slurm_recordings(const std::filesystem::path& folder) {
    std::vector<SlurmRecording> runs;
    for (int number = 1; std::filesystem::exists(folder / ("starts-" + std::to_string(number) + ".csv")); ++number) {
        runs.push_back(read_slurm_recording(folder, number));
    }
    if (runs.empty()) {
        throw std::runtime_error(folder.string() + ": expected a recording, with starts-1.csv");
    }
    return runs;
}

}  // namespace batfill::tests
