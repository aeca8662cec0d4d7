#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/formats/logged_conditions.hpp"
#include "src/formats/sacct_jobs.hpp"
#include "src/formats/tres.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

// The output of `sacct --json` of Slurm 20.11 and later. Its versions write numbers as such, or as
// {"set": true, "infinite": false, "number": 5}.
namespace batfill {

namespace {

// Slurm before 21.08 adds this to a memory for each processor.
constexpr std::uint64_t for_each_processor = std::uint64_t{1} << 63;

// None for a number that is missing, not set or infinite.
// Throws: InputError for anything else than a number.
std::optional<std::uint64_t> count_in(const JsonValue* object, const char* name) {
    const JsonValue* value = member_of(object, name);
    if (value != nullptr && value->IsObject()) {
        const JsonValue* const is_set = member_of(value, "set");
        const JsonValue* const is_infinite = member_of(value, "infinite");
        const bool has_number = (is_set == nullptr || !is_set->IsBool() || is_set->GetBool()) &&
                                (is_infinite == nullptr || !is_infinite->IsBool() || !is_infinite->GetBool());
        value = has_number ? member_of(value, "number") : nullptr;
    }
    if (value == nullptr || (value->IsInt64() && value->GetInt64() < 0)) {
        return std::nullopt;
    }
    if (value->IsUint64()) {
        return value->GetUint64();
    }
    if (value->IsNumber() && value->GetDouble() >= 0 && value->GetDouble() < 1e18) {
        return static_cast<std::uint64_t>(value->GetDouble());
    }
    throw InputError(std::string(name) + ": expected a whole number, or an object with set and number");
}

// As above; none also from 2^32 - 2 on.
std::optional<long long> small_number_in(const JsonValue* object, const char* name) {
    const std::optional<std::uint64_t> number = count_in(object, name);
    return number && *number < std::uint64_t{slurm_no_number} ? std::optional(static_cast<long long>(*number))
                                                              : std::nullopt;
}

// What a list of TRES says. The numbers of memory are mebibytes.
struct Tres {
    std::optional<long long> processors;
    std::optional<long long> nodes;
    std::optional<long long> memory;
    GpuCount gpus;
    FurtherResources further;
};

Tres tres_in(const JsonValue* list) {
    Tres found;
    std::string others;  // as sacct's tables have them
    if (list == nullptr || !list->IsArray()) {
        return found;
    }
    for (const JsonValue& item : list->GetArray()) {
        const std::string_view type = text_in(&item, "type");
        const std::optional<std::uint64_t> count = count_in(&item, "count");
        if (!count || *count > static_cast<std::uint64_t>(most_bytes / mebibyte)) {
            continue;
        }
        const auto number = static_cast<long long>(*count);
        if (type == "cpu") {
            found.processors = number;
        } else if (type == "node") {
            found.nodes = number;
        } else if (type == "mem") {
            found.memory = number;
        } else {
            const std::string_view name = text_in(&item, "name");
            if (type.starts_with("gres")) {
                found.gpus.add(name.empty() ? type : name, number);
            }
            others.append(others.empty() ? "" : ",").append(type).append(name.empty() ? "" : "/").append(name);
            others.append("=").append(std::to_string(number));
        }
    }
    found.further = further_resources(others);
    return found;
}

// The memory of a job in bytes, which it requests for each processor, each node, or as a whole.
std::optional<long long> requested_memory(const JsonValue& job, const Tres& requested, long long processors,
                                          long long nodes) {
    const auto bytes = [](std::uint64_t number, long long parts) {
        const auto most = static_cast<std::uint64_t>(most_bytes / mebibyte / std::max(parts, 1LL));
        return number > 0 && number <= most && parts > 0
                   ? std::optional(static_cast<long long>(number) * mebibyte * parts)
                   : std::nullopt;
    };
    if (requested.memory) {
        return bytes(static_cast<std::uint64_t>(*requested.memory), 1);
    }
    const JsonValue* const required = member_of(&job, "required");
    if (const auto each = count_in(required, "memory_per_cpu"); each && *each > 0) {
        return bytes(*each, processors);
    }
    if (const auto each = count_in(required, "memory_per_node"); each && *each > 0) {
        return bytes(*each, nodes);
    }
    const std::uint64_t memory = count_in(required, "memory").value_or(0);
    return memory >= for_each_processor ? bytes(memory - for_each_processor, processors) : bytes(memory, nodes);
}

// The first state: "COMPLETED", {"current": "COMPLETED"} or {"current": ["COMPLETED"]}.
std::string_view state_of(const JsonValue& job) {
    const JsonValue* state = member_of(&job, "state");
    if (state != nullptr && state->IsObject()) {
        state = member_of(state, "current");
    }
    if (state != nullptr && state->IsArray()) {
        state = state->Empty() ? nullptr : state->Begin();
    }
    return state != nullptr && state->IsString() ? view(*state) : std::string_view();
}

// The id as sacct shows it: of a component of a heterogeneous job (10+1), of a task of an array (7_3), or of a job.
std::string id_of(const JsonValue& job) {
    const JsonValue* const het = member_of(&job, "het");
    const auto whole = small_number_in(het, "job_id");
    const auto offset = small_number_in(het, "job_offset");
    if (whole.value_or(0) > 0 && offset) {
        return std::to_string(*whole) + '+' + std::to_string(*offset);
    }
    const JsonValue* const array = member_of(&job, "array");
    const auto array_id = small_number_in(array, "job_id");
    const auto task = small_number_in(array, "task_id");
    if (array_id.value_or(0) > 0 && task) {
        return std::to_string(*array_id) + '_' + std::to_string(*task);
    }
    const auto id = small_number_in(&job, "job_id");
    refuse_if<InputError>(!id, "expected a job with job_id, as sacct --json writes it");
    return std::to_string(*id);
}

void read_times(const JsonValue& object, const AccountingData& data, SacctJob& added) {
    AccountedJob& job = added.job;
    const JsonValue* const time = member_of(&object, "time");
    const auto instant = [&](const char* name) {
        const auto seconds = count_in(time, name);
        return seconds.value_or(0) > 0 && *seconds < 1'000'000'000'000
                   ? std::optional<Instant>(Duration::seconds(static_cast<long long>(*seconds)))
                   : std::nullopt;
    };
    job.submit = instant("submission");
    if (data.submits_when_eligible) {
        added.lacks_eligible = !submit_when_eligible(instant("eligible"), added.job);
    }
    job.start = instant("start");
    job.end = instant("end");
    if (const auto elapsed = small_number_in(time, "elapsed")) {
        job.run_time = Duration::seconds(*elapsed);
    }
    if (const auto minutes = small_number_in(time, "limit")) {
        job.walltime = Duration::seconds(*minutes * 60);
    }
}

// What the job took of each of its hosts: what was allocated counts before what was requested.
HostAmounts amounts_of(const JsonValue& object, const Tres& requested, const Tres& allocated, const SacctJob& job,
                       long long nodes, bool keeps_pools) {
    constexpr auto request = HostAmounts::Source::request;
    HostAmounts amounts(nodes);
    amounts.set_cores(allocated.processors, "tres.allocated");
    if (!amounts.has_cores()) {
        amounts.set_cores(job.job.requested, "required.CPUs", request);
    }
    amounts.set_gpus(allocated.gpus, "tres.allocated");
    if (!amounts.has_gpus()) {
        amounts.set_gpus(requested.gpus, "tres.requested", request);
    }
    if (allocated.memory.value_or(0) > 0) {
        amounts.set_memory(*allocated.memory * mebibyte, "tres.allocated");
    } else {
        amounts.set_memory(job.resources.memory, requested.memory ? "tres.requested" : "required", request);
    }
    amounts.set_further(allocated.further, keeps_pools);
    amounts.set_further(requested.further, keeps_pools, request);
    if (asks_for_whole_hosts(text_in(&object, "submit_line"))) {
        amounts.take_whole_hosts();
    }
    return amounts;
}

void read_resources(const JsonValue& object, const AccountingData& data, SacctJob& added) {
    const JsonValue* const tres = member_of(&object, "tres");
    const Tres requested = tres_in(member_of(tres, "requested"));
    const Tres allocated = tres_in(member_of(tres, "allocated"));
    AccountedJob& job = added.job;
    const auto wanted = small_number_in(member_of(&object, "required"), "CPUs");
    job.requested = wanted ? *wanted : requested.processors.value_or(-1);
    job.allocated = allocated.processors.value_or(job.requested);
    const auto allocated_nodes = small_number_in(&object, "allocation_nodes");
    const long long nodes =
        allocated_nodes.value_or(0) > 0 ? *allocated_nodes : allocated.nodes.value_or(requested.nodes.value_or(-1));
    SacctResources& resources = added.resources;
    if (nodes > 0) {
        resources.nodes = nodes;
    }
    const long long processors = job.requested > 0 ? job.requested : job.allocated;
    resources.memory = requested_memory(object, requested, processors, nodes);
    if (!resources.memory && allocated.memory.value_or(0) > 0) {
        resources.memory = *allocated.memory * mebibyte;
        added.allocates_more = true;
    }
    resources.gpus = requested.gpus.total();
    if (!resources.gpus) {
        resources.gpus = allocated.gpus.total();
        added.allocates_more = added.allocates_more || resources.gpus.value_or(0) > 0;
    }
    const RecordField list{"nodes", text_in(&object, "nodes")};
    if (data.fields.per_host || data.fields.memory_pool || data.fields.licenses) {
        const long long hosts = nodes > 0 ? nodes : hosts_in(list.hosts()).value_or(-1);
        job.amounts = amounts_of(object, requested, allocated, added, hosts, data.fields.licenses);
        if (data.fields.per_host) {
            job.requested = job.allocated = hosts;
        }
    }
    if (data.keeps_hosts || (data.fields.per_host && job.id.find('+') != std::string_view::npos)) {
        job.hosts = logged_hosts(list.hosts());
    }
    if (data.counts_nodes && !data.fields.per_host) {
        job.requested = job.allocated = nodes;
    }
}

SacctJob read_job(const JsonValue& object, const std::string& id, const AccountingData& data, LogBuilder& builder) {
    SacctJob added;
    added.job.id = id;
    read_times(object, data, added);
    read_resources(object, data, added);
    added.job.state = state_of(object);
    const std::string_view user = text_in(&object, "user");
    added.job.user = user.empty() ? text_in(member_of(&object, "association"), "user") : user;
    added.job.queue = text_in(&object, "partition");
    added.job.partition_column = "partition";
    added.texts = {text_in(&object, "account"), text_in(&object, "qos"), text_in(&object, "name"),
                   text_in(member_of(&object, "reservation"), "name")};
    const std::string_view submit_line = text_in(&object, "submit_line");
    read_dependency(text_in(&object, "dependency"), submit_line, data.fields.after, added);
    read_begin(submit_line, data.fields.begin, builder.zone(), added.job);
    return added;
}

void add_job(const JsonValue& object, const AccountingData& data, std::size_t number, SacctJobs& jobs,
             LogBuilder& builder) {
    refuse_if<InputError>(!object.IsObject(), "expected an object");
    const std::string id = id_of(object);
    const JsonValue* const most = member_of(member_of(member_of(&object, "array"), "limits"), "max");
    const long long tasks = small_number_in(member_of(most, "running"), "tasks").value_or(0);
    builder.limit_array(id, tasks > 0 ? '%' + std::to_string(tasks) : text_in(&object, "submit_line"));
    jobs.add(id, number, [&] { return read_job(object, id, data, builder); });
}

}  // namespace

void read_sacct_json(std::string text, const std::string& path, const AccountingData& data, LogBuilder& builder) {
    SacctJobs jobs(builder);
    const std::string place = path + ": job ";
    std::size_t number = 0;
    bool has_jobs = false;
    try {
        JsonReader json;
        json.start(std::move(text));
        for (bool is_object = json.open('{'); is_object && json.more('}');) {
            const std::string_view key = json.key();
            refuse_if<InputError>(
                key == "nb_res" || key == "profiles",
                "expected the jobs of sacct --json, found a workload; `batfill simulate -p PLATFORM -w ", path,
                " -a NAME` replays it");
            if (key != "jobs" || has_jobs) {
                json.skip();
                continue;
            }
            has_jobs = true;
            for (bool is_array = json.open('['); is_array && json.more(']');) {
                const JsonValue& job = json.value();
                ++number;
                builder.read_row(place, number, [&] { add_job(job, data, number, jobs, builder); });
            }
        }
        refuse_if<InputError>(!has_jobs, "expected an object with an array jobs, as sacct --json writes it");
        json.finish();
    } catch (const InputError& error) {
        throw InputError(number > 0 ? place + std::to_string(number) + ": " + error.what()
                                    : path + ": " + error.what());
    }
}

}  // namespace batfill
