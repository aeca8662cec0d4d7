#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedulers/slurm/backfill.hpp"
#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/job_queue.hpp"
#include "schedulers/slurm/settings.hpp"
#include "src/support/json.hpp"

// Queues and what Slurm's backfill makes of them, in one cycle or in several.
namespace batfill::tests {

// One case. Times are in seconds since its first cycle, except in jobs, which have Unix time. A decision is a line:
//   ID started START NODES [CORES]   on these nodes (0-4,17); the cores of each if the job shares them
//   ID planned START NODES
//   ID none [START]                  without a plan, perhaps with an estimate of its start
struct SlurmCase {
    struct Running {
        slurm::Job job;
        slurm::Seconds start = 0;
        std::string nodes;
        std::vector<int> cores;  // empty: all
    };
    struct Cycle {
        slurm::Seconds at = 0;
        std::vector<std::int64_t> ended;  // ids of jobs that end before it
        std::vector<slurm::Job> submitted;
        std::vector<std::string> decisions;
    };

    std::string name;
    slurm::Settings settings;
    int nodes = 0;
    int cores = 1;  // of each node
    bool whole_nodes = true;
    slurm::Seconds now = 0;
    std::vector<std::pair<std::string, int>> licenses;
    std::vector<Running> running;
    std::vector<Cycle> cycles;

    // The places of these licences. Throws: std::runtime_error if there is no such licence.
    std::vector<slurm::LicenseCount> counts_of(const std::vector<std::pair<std::string, int>>& named) const {
        std::vector<slurm::LicenseCount> counts;
        for (const auto& [license, count] : named) {
            const auto known = std::find_if(licenses.begin(), licenses.end(),
                                            [&, &name = license](const auto& pair) { return pair.first == name; });
            if (known == licenses.end()) {
                throw std::runtime_error("unknown licence " + license);
            }
            counts.push_back({static_cast<int>(known - licenses.begin()), count});
        }
        return counts;
    }
};

// "0-4,17".
inline std::string text_of_nodes(const slurm::NodeSet& nodes) {
    std::string text;
    for (int begin = nodes.next(0); begin < nodes.size();) {
        const int end = nodes.next_missing(begin);
        text += (text.empty() ? "" : ",") + std::to_string(begin);
        if (end - begin > 1) {
            text += "-" + std::to_string(end - 1);
        }
        begin = nodes.next(end);
    }
    return text;
}

inline slurm::NodeSet nodes_of_text(const std::string& text, int size) {
    slurm::NodeSet nodes(size);
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t dash = part.find('-');
        const int first = std::stoi(part);
        const int last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
        for (int node = first; node <= last; ++node) {
            nodes.insert(node);
        }
    }
    return nodes;
}

inline std::string text_of_cores(const std::vector<int>& cores) {
    std::string text;
    for (const int one : cores) {
        text += (text.empty() ? "" : ",") + std::to_string(one);
    }
    return text;
}

inline std::vector<int> cores_of_text(const std::string& text) {
    std::vector<int> cores;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        cores.push_back(std::stoi(part));
    }
    return cores;
}

// Puts the case through Backfill. Returns the decisions of each cycle.
inline std::vector<std::vector<std::string>> decide(const SlurmCase& one) {
    using slurm::JobPlace;
    std::vector<int> copies;
    for (const auto& [name, count] : one.licenses) {
        copies.push_back(count);
    }
    slurm::Cluster cluster(std::vector<slurm::Node>(static_cast<std::size_t>(one.nodes), slurm::Node{one.cores, {}}),
                           {slurm::Partition{slurm::NodeSet::all(one.nodes), one.whole_nodes}}, copies);
    slurm::Backfill backfill(one.settings, cluster);
    for (const SlurmCase::Running& running : one.running) {
        slurm::Choice choice{nodes_of_text(running.nodes, one.nodes), running.cores};
        choice.cores.resize(static_cast<std::size_t>(choice.nodes.count()), one.cores);
        cluster.start({cluster.submit(running.job), 0}, one.now + running.start, choice);
    }

    slurm::JobQueue queue(one.settings, cluster);
    std::map<std::int64_t, JobPlace> present;  // by id
    std::vector<std::vector<std::string>> result;
    for (const SlurmCase::Cycle& cycle : one.cycles) {
        for (const std::int64_t id : cycle.ended) {
            const JobPlace place = present.at(id);
            present.erase(id);
            if (cluster.state(place) == slurm::JobState::running) {  // it does if it started as the case says
                cluster.end(place);
                cluster.release(place);
            } else {
                cluster.cancel(place);
            }
        }
        for (const slurm::Job& job : cycle.submitted) {
            queue.add(present.emplace(job.id, cluster.submit(job)).first->second);
        }
        const slurm::Seconds now = one.now + cycle.at;
        std::map<JobPlace, std::string> planned;
        for (const slurm::PlannedStart& plan : backfill.run(queue.eligible(now), now).planned) {
            planned[plan.job] = (plan.is_planned ? " planned " : " none ") + std::to_string(plan.start - one.now) +
                                (plan.is_planned ? " " + text_of_nodes(plan.nodes) : "");
        }
        std::vector<std::string>& decisions = result.emplace_back();
        for (const auto& [id, place] : present) {
            std::string decision = " none";
            if (planned.contains(place)) {
                decision = planned.at(place);
            } else if (cluster.state(place) == slurm::JobState::running) {
                const slurm::RunningJob& running = cluster.running(place);
                decision = " started " + std::to_string(running.start - one.now) + " " + text_of_nodes(running.nodes) +
                           (running.whole_nodes ? "" : " " + text_of_cores(running.cores));
            }
            decisions.push_back(std::to_string(id) + decision);
        }
    }
    return result;
}

// Reads cases as tests/unit/schedulers/slurm_cases.txt has them; its head says how.
// Throws: std::exception if the text is of another form.
inline std::vector<SlurmCase> read_slurm_cases(const std::string& text) {
    std::vector<SlurmCase> cases;
    const auto licenses_of = [&](const std::string& words) {  // a=1,b=2
        std::vector<std::pair<std::string, int>> licenses;
        std::istringstream parts(words);
        for (std::string part; std::getline(parts, part, ',');) {
            const std::size_t sign = part.find('=');
            licenses.emplace_back(part.substr(0, sign), std::stoi(part.substr(sign + 1)));
        }
        return licenses;
    };
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        if (!(words >> kind) || kind == "#") {
            continue;
        }
        if (kind == "case") {
            SlurmCase& one = cases.emplace_back();
            std::string version;
            std::string share;
            std::string settings;
            words >> one.name >> version >> one.nodes >> one.cores >> share >> one.now >> settings;
            one.settings.version = version == "22.05" ? slurm::Version::v22_05 : slurm::Version::v26_11;
            one.settings.select = slurm::Select::cons_tres;
            one.settings.take_scheduler_parameters(settings == "-" ? "" : settings);
            one.whole_nodes = share == "whole";
            if (std::string licenses; words >> licenses) {
                one.licenses = licenses_of(licenses);
            }
            continue;
        }
        SlurmCase& one = cases.at(cases.size() - 1);
        if (kind == "at") {
            SlurmCase::Cycle& cycle = one.cycles.emplace_back();
            words >> cycle.at;
            for (std::int64_t id = 0; words >> id;) {
                cycle.ended.push_back(id);
            }
            continue;
        }
        if (kind == ">") {
            one.cycles.at(one.cycles.size() - 1).decisions.push_back(line.substr(2));
            continue;
        }
        if (kind != "running" && kind != "job") {
            throw std::runtime_error("expected case, running, job, at or >: " + line);
        }
        slurm::Job job;
        SlurmCase::Running running;
        words >> job.id >> job.limit >> job.tasks;
        job.limit *= 60;
        if (kind == "running") {
            words >> running.start >> running.nodes;
            job.nodes = nodes_of_text(running.nodes, one.nodes).count();
        } else {
            words >> job.nodes >> job.priority;
        }
        if (!words) {
            throw std::runtime_error("too few words: " + line);
        }
        for (std::string word; words >> word;) {
            const std::string value = word.substr(std::min(word.find('=') + 1, word.size()));
            if (word == "whole") {
                job.whole_nodes = true;
            } else if (word.starts_with("user=")) {
                job.user = std::stoi(value);
            } else if (word.starts_with("submit=")) {
                job.submitted = one.now + std::stoll(value);
                job.eligible = job.submitted;
            } else if (word.starts_with("cores=")) {
                running.cores = cores_of_text(value);
            } else {
                job.licenses = one.counts_of(licenses_of(word));
            }
        }
        if (kind == "running") {
            running.job = job;
            one.running.push_back(running);
        } else {
            one.cycles.at(one.cycles.size() - 1).submitted.push_back(job);
        }
    }
    return cases;
}

// Reads a case as a line of JSON: an object with the fields `version`, `settings`, `nodes`, `cores`, `exclusive`,
// `licenses`, `now`, `running`, `jobs`, `steps` and `result`.
// Throws: InputError or std::exception if it is none.
class SlurmCaseReader {
 public:
    SlurmCase read(std::string_view line) {
        const JsonValue& json = reader_.parse(line);
        SlurmCase one;
        one.name = text_in(&json, "id");
        one.settings.version = text_in(&json, "version") == "22.05" ? slurm::Version::v22_05 : slurm::Version::v26_11;
        one.settings.select = slurm::Select::cons_tres;
        one.settings.take_scheduler_parameters(text_in(&json, "settings"));
        one.nodes = static_cast<int>(number(json, "nodes"));
        one.cores = static_cast<int>(number(json, "cores", 1));
        const JsonValue* exclusive = member_of(&json, "exclusive");
        one.whole_nodes = exclusive == nullptr || exclusive->GetBool();
        one.now = number(json, "now");
        one.licenses = licenses_of(json);
        for (const JsonValue& running : elements(json, "running")) {
            one.running.push_back({job_of(running, one), number(running, "start_s"),
                                   std::string(text_in(&running, "nodes")),
                                   cores_of_text(std::string(text_in(&running, "cores")))});
        }
        add_cycle(json, "jobs", 0, one);
        for (const JsonValue& step : elements(json, "steps")) {
            add_cycle(step, "submit", number(step, "t"), one);
        }
        return one;
    }

 private:
    static std::int64_t number(const JsonValue& object, const char* name, std::optional<std::int64_t> otherwise = {}) {
        const JsonValue* value = member_of(&object, name);
        if (value == nullptr && otherwise) {
            return *otherwise;
        }
        if (value == nullptr || !value->IsInt64()) {
            throw std::runtime_error(std::string(name) + ": expected a whole number");
        }
        return value->GetInt64();
    }
    static std::vector<std::reference_wrapper<const JsonValue>> elements(const JsonValue& object, const char* name) {
        std::vector<std::reference_wrapper<const JsonValue>> values;
        if (const JsonValue* array = member_of(&object, name)) {
            for (const JsonValue& value : array->GetArray()) {
                values.emplace_back(value);
            }
        }
        return values;
    }

    static std::vector<std::pair<std::string, int>> licenses_of(const JsonValue& json) {
        std::vector<std::pair<std::string, int>> named;
        if (const JsonValue* licenses = member_of(&json, "licenses")) {
            for (const auto& license : licenses->GetObject()) {
                named.emplace_back(view(license.name), license.value.GetInt());
            }
        }
        return named;
    }

    static slurm::Job job_of(const JsonValue& json, const SlurmCase& one) {
        slurm::Job job;
        job.id = number(json, "id");
        const JsonValue* nodes = member_of(&json, "nodes");
        job.nodes = nodes->IsInt() ? nodes->GetInt() : nodes_of_text(nodes->GetString(), one.nodes).count();
        job.tasks = static_cast<int>(number(json, "tasks", job.nodes));
        const JsonValue* whole = member_of(&json, "whole");
        job.whole_nodes = whole != nullptr && whole->GetBool();
        job.licenses = one.counts_of(licenses_of(json));
        job.limit = number(json, "limit_min") * 60;
        job.priority = number(json, "priority", 1);
        job.user = static_cast<int>(number(json, "user", 0));
        return job;
    }

    static void add_cycle(const JsonValue& json, const char* jobs, slurm::Seconds at, SlurmCase& one) {
        SlurmCase::Cycle cycle;
        cycle.at = at;
        for (const JsonValue& id : elements(json, "end")) {
            cycle.ended.push_back(id.GetInt64());
        }
        for (const JsonValue& submitted : elements(json, jobs)) {
            cycle.submitted.push_back(job_of(submitted, one));
            if (at == 0 && member_of(&submitted, "submit_s") != nullptr) {
                cycle.submitted.back().submitted = one.now + number(submitted, "submit_s");
                cycle.submitted.back().eligible = cycle.submitted.back().submitted;
            }
        }
        for (const JsonValue& result : elements(json, "result")) {
            std::string decision = std::to_string(number(result, "id")) + " " + std::string(text_in(&result, "state"));
            if (member_of(&result, "start_s") != nullptr) {
                decision += " " + std::to_string(number(result, "start_s"));
            }
            for (const char* name : {"nodes", "cores"}) {
                if (const std::string_view text = text_in(&result, name); !text.empty()) {
                    decision.append(" ").append(text);
                }
            }
            cycle.decisions.push_back(decision);
        }
        one.cycles.push_back(std::move(cycle));
    }

    JsonReader reader_;
};

}  // namespace batfill::tests
