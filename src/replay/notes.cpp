#include "src/replay/notes.hpp"

#include <algorithm>

#include <batfill/engine/algorithm.hpp>

#include "src/core/properties.hpp"
#include "src/support/job_fields.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// Whether a member asks for something: its value is not 0, null, false or empty.
bool asks_for(const JsonValue* object, const char* name) {
    const JsonValue* const value = member_of(object, name);
    return value != nullptr && !value->IsNull() && !value->IsFalse() &&
           !(value->IsNumber() && value->GetDouble() == 0) && !(value->IsString() && value->GetStringLength() == 0) &&
           !(value->IsArray() && value->Empty()) && !(value->IsObject() && value->ObjectEmpty());
}

}  // namespace

void ReplayNotes::add_fields(std::string_view other_fields) {
    const auto may_have = [&](std::string_view name) { return other_fields.find(name) != std::string_view::npos; };
    if (!may_have("after") && std::ranges::none_of(fields, may_have)) {
        return;
    }
    JsonReader reader;
    const JsonValue& object = reader.parse('{' + std::string(other_fields) + '}');
    const JsonValue* const per_host = member_of(&object, "per_host");
    const JsonValue* const pools = member_of(&object, "pools");
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool is_looked_at =
            i == dependency ? asks_for(&object, "after") : asks_for(per_host, fields[i]) || asks_for(pools, fields[i]);
        unread_[i] += asks_for(&object, fields[i]) && !is_looked_at ? 1U : 0U;
        looked_at_[i] += is_looked_at ? 1U : 0U;
    }
}

void ReplayNotes::leave_out_fields(const ResourceFields& read) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool is_memory = std::string_view(fields[i]) == "memory";
        const bool is_read = i == dependency ? read.after : read.per_host || (read.memory_pool && is_memory);
        unread_[i] = is_read ? 0 : unread_[i];
    }
}

// Notes that jobs have fields that only other algorithms read.
void ReplayNotes::add_fields_of_others(const Workload& workload, const SchedulerChoice* choice) {
    const auto has_others = [](const WorkloadJob& job) { return !job.description.other_fields.empty(); };
    if (std::ranges::none_of(workload.jobs, has_others)) {
        return;
    }
    const std::vector<std::string> read =
        choice != nullptr ? choice->description().own_fields : std::vector<std::string>();
    for (const AlgorithmDescription* const algorithm : registered_algorithms()) {
        for (const std::string& field : algorithm->own_fields) {
            if (std::ranges::find(read, field) == read.end() &&
                std::ranges::any_of(workload.jobs, [&](const WorkloadJob& job) {
                    const std::string& others = job.description.other_fields.text();
                    return others.find(field) != std::string::npos &&
                           asks_for(&JsonReader().parse('{' + others + '}'), field.c_str());
                })) {
                of_other_algorithms_[algorithm->name].insert(field);
            }
        }
    }
}

void ReplayNotes::add_run(const Workload& workload, const Machine& machine, Placement placement, bool fields_are_read,
                          const SchedulerChoice* choice) {
    const Resources& resources = machine.resources();
    ReplayNotes of_fields;
    if (!fields_are_read) {
        add_fields_of_others(workload, choice);
    }
    if (choice != nullptr) {
        const std::string text = choice->description().note(choice->parameters());
        if (!text.empty()) {
            of_parameters_.insert("algorithm " + choice->algorithm() + ": " + text);
        }
    }
    add_limits(workload, machine.limits());
    for (const auto& [job, source] : workload.jobs) {
        if (!fields_are_read && !job.other_fields.empty()) {
            of_fields.add_fields(job.other_fields.text());
        }
        if (job.needs && !fields_are_read) {
            pools_ = pools_ || (!job.needs->pools.empty() && resources.pools().empty());
            per_host_ = per_host_ || (job.needs->per_host && !resources.has_shared_hosts());
            partitions_ = partitions_ || (job.needs->partition && resources.partitions().empty());
            bookings_ = bookings_ || (job.needs->booking && !machine.has_bookings());
            wrong_bookings_ = wrong_bookings_ || job.needs->wrong_booking;
        }
        licenses_ = licenses_ || (placement != Placement::machine && !job.licenses.empty());
    }
    add(of_fields);
    computes_ = computes_ || std::ranges::any_of(workload.profiles, [](const auto& profile) {
                    return profile.second.type == JobProfile::Type::parallel_homogeneous;
                });
}

void ReplayNotes::add_limits(const Workload& workload, const Limits& limits) {
    std::map<std::string, LimitsOfNobody> of_fields;
    std::map<std::string, bool> is_in_jobs;
    for (const Limit& limit : limits.all()) {
        for (const std::string& field : limit.of) {
            const auto [known, is_new] = is_in_jobs.try_emplace(field, workload.jobs.empty());
            if (is_new && !known->second) {
                known->second = std::ranges::any_of(workload.jobs, [&](const WorkloadJob& job) {
                    return JobFields(job.description)(field).has_value();
                });
            }
            if (!known->second) {
                ++of_fields.try_emplace(field, LimitsOfNobody{limit.place, 0}).first->second.lines;
            }
        }
    }
    of_nobody_.insert(of_fields.begin(), of_fields.end());
}

void ReplayNotes::add_machine(const std::vector<std::string>& notes) {
    of_machines_.insert(notes.begin(), notes.end());
}

void ReplayNotes::add_log(const Schedule& of_log, const Machine& machine) {
    if (machine.resources().has_shared_hosts()) {
        shares_hosts_of_log_ = true;
    } else {
        add_log(of_log, machine.processors());
    }
}

void ReplayNotes::add_log(const Schedule& of_log, int processors) {
    int most = 0;
    for (const ScheduledJob& job : of_log.jobs) {
        most = job.allocation.empty() ? most : std::max(most, job.allocation.last() + 1);
    }
    if (most - processors > processors_of_log_ - processors_of_machine_) {
        processors_of_log_ = most;
        processors_of_machine_ = processors;
    }
}

void ReplayNotes::add(const ReplayNotes& others) {
    shares_hosts_of_log_ = shares_hosts_of_log_ || others.shares_hosts_of_log_;
    if (others.processors_of_log_ - others.processors_of_machine_ > processors_of_log_ - processors_of_machine_) {
        processors_of_log_ = others.processors_of_log_;
        processors_of_machine_ = others.processors_of_machine_;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        unread_[i] = std::max(unread_[i], others.unread_[i]);
        looked_at_[i] = std::max(looked_at_[i], others.looked_at_[i]);
    }
    of_machines_.insert(others.of_machines_.begin(), others.of_machines_.end());
    for (const auto& [algorithm, read] : others.of_other_algorithms_) {
        of_other_algorithms_[algorithm].insert(read.begin(), read.end());
    }
    of_parameters_.insert(others.of_parameters_.begin(), others.of_parameters_.end());
    of_nobody_.insert(others.of_nobody_.begin(), others.of_nobody_.end());
    licenses_ = licenses_ || others.licenses_;
    pools_ = pools_ || others.pools_;
    per_host_ = per_host_ || others.per_host_;
    partitions_ = partitions_ || others.partitions_;
    bookings_ = bookings_ || others.bookings_;
    wrong_bookings_ = wrong_bookings_ || others.wrong_bookings_;
    computes_ = computes_ || others.computes_;
}

std::vector<std::string> ReplayNotes::texts(std::size_t rounded_run_times) const {
    std::vector<std::string> texts(of_machines_.begin(), of_machines_.end());
    texts.insert(texts.end(), of_parameters_.begin(), of_parameters_.end());
    std::vector<std::string> unread;
    std::vector<std::string> outside;
    std::vector<std::string> instead;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (unread_[i] > 0 && looked_at_[i] == 0) {
            unread.emplace_back(fields[i]);
            if (i == dependency) {
                instead.emplace_back("after");
            } else if (instead.empty()) {
                instead = {"per_host", "pools", "partition"};
            }
        } else if (unread_[i] > 0 && i != dependency) {
            outside.push_back(std::string(fields[i]) + " (" + counted(unread_[i], "job") + ')');
        }
    }
    if (!unread.empty()) {
        texts.push_back("jobs ask for " + enumeration(unread) +
                        ", which no algorithm of batfill looks at; they look at " + enumeration(instead) +
                        ", which import --fields makes");
    }
    if (!outside.empty()) {
        texts.push_back("some jobs ask for " + enumeration(outside) +
                        " but not in per_host, as other jobs do; a job without per_host takes whole hosts");
    }
    if (unread_[dependency] > 0 && looked_at_[dependency] > 0) {
        texts.emplace_back("some jobs have a dependency but no after, as other jobs do; they wait for no other job");
    }
    for (const auto& [algorithm, read] : of_other_algorithms_) {
        texts.push_back("jobs have the fields " + enumeration({read.begin(), read.end()}) + ", which only algorithm " +
                        algorithm + " reads");
    }
    if (licenses_) {
        texts.emplace_back("jobs ask for licences, which only placement=machine looks at");
    }
    if (pools_) {
        texts.emplace_back("jobs take of pools, and the machine has none (--pool NAME=TOTAL gives it one)");
    }
    if (per_host_) {
        texts.emplace_back("jobs take a part of each host, and hosts have no capacity (--capacity gives them one)");
    }
    if (partitions_) {
        texts.emplace_back("jobs ask for partitions, and the machine has none");
    }
    if (bookings_) {
        texts.emplace_back("jobs have a reservation, and no window is for one (--windows FILE with the field for)");
    }
    if (wrong_bookings_) {
        texts.emplace_back("jobs have a field reservation that is no name, and nobody looks at it");
    }
    for (const auto& [field, limits] : of_nobody_) {
        texts.push_back("no job has the field " + clear_name(field) + ", so " +
                        (limits.lines == 1
                             ? limits.first + " limits"
                             : counted(limits.lines, "line") + " of limits, from " + limits.first + " on, limit") +
                        " nobody");
    }
    if (computes_) {
        const std::string rounded =
            rounded_run_times == 0 ? ""
                                   : "; computing times rounded to microseconds: " + std::to_string(rounded_run_times);
        texts.push_back("jobs compute (parallel_homogeneous" + rounded +
                        "): Batsim may start jobs at other times, and end them in other states");
    }
    if (shares_hosts_of_log_) {
        texts.emplace_back(
            "the log does not say how its jobs shared hosts: it has waits, but no use of hosts, and is on no page");
    }
    if (processors_of_log_ > 0) {
        texts.push_back("the log has up to " + std::to_string(processors_of_log_) +
                        " processors in use, and the machine has " + std::to_string(processors_of_machine_) +
                        ": schedulers have fewer than the log had, and its shares of the machine may exceed 100 %");
    }
    return texts;
}

}  // namespace batfill
