#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/formats/logged_conditions.hpp"
#include "src/formats/sacct_columns.hpp"
#include "src/formats/sacct_jobs.hpp"
#include "src/formats/tres.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/files.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_json_size = std::size_t{2} << 30;

RecordField field(const CsvRow& row, std::size_t column) {
    return {sacct_columns[column], row.has(column) ? row.text(column) : std::string_view()};
}

// "4Gn" is for each node, "4000Mc" for each processor. `processors` returns their number.
std::optional<long long> memory_of(const RecordField& field, long long nodes, const auto& processors) {
    const std::string_view text = field.text;
    const bool is_of_part = text.size() > 1 && !field.is_missing() && (text.ends_with('n') || text.ends_with('c'));
    const long long parts = !is_of_part ? 1 : text.back() == 'n' ? nodes : processors();
    const auto bytes = field.bytes(1 << 20, is_of_part ? 1 : 0);
    if (bytes.value_or(0) == 0 || parts <= 0) {
        return std::nullopt;
    }
    if (*bytes > most_bytes / parts) {
        field.fail("at most " + std::to_string(most_bytes) + " bytes for the job");
    }
    return *bytes * parts;
}

// An item of a list of resources, such as "mem in AllocTRES".
std::optional<std::string_view> item_of(const RecordField& list, std::string_view name) {
    return with_place_in_errors(std::string(list.name), [&] { return batfill::item_of(list.text, name); });
}
std::optional<long long> memory_in(const RecordField& list, long long nodes, const auto& processors) {
    const std::optional<std::string_view> item = item_of(list, "mem");
    return !item ? std::nullopt : with_place_in_errors(std::string(list.name), [&] {
        return memory_of(RecordField{"mem", *item}, nodes, processors);
    });
}

std::optional<Duration> run_time_of(const CsvRow& row) {
    const std::optional<Duration> run_time = field(row, sacct_column("Elapsed")).length();
    return run_time ? run_time : field(row, sacct_column("ElapsedRaw")).length();
}

std::optional<Duration> walltime_of(const CsvRow& row) {
    if (const RecordField limit = field(row, sacct_column("Timelimit")); !limit.is_missing()) {
        return limit.length();
    }
    const std::optional<Duration> minutes = field(row, sacct_column("TimelimitRaw")).limit();
    return minutes ? std::optional(*minutes * 60) : std::nullopt;
}

std::optional<long long> first_number(const CsvRow& row, std::initializer_list<std::size_t> candidates) {
    for (const std::size_t candidate : candidates) {
        if (const auto number = field(row, candidate).number()) {
            return number;
        }
    }
    return std::nullopt;
}

std::optional<long long> number_in_tres(const CsvRow& row, std::size_t tres, std::string_view name) {
    const RecordField list = field(row, tres);
    const std::optional<std::string_view> item = item_of(list, name);
    return !item ? std::nullopt : with_place_in_errors(std::string(list.name), [&] {
        return RecordField{name, *item}.number();
    });
}

// Processors from the processor time that was allocated.
long long processors_by_time(const CsvRow& row) {
    const std::optional<Duration> run_time = run_time_of(row);
    std::optional<Duration> total = field(row, sacct_column("CPUTime")).length();
    total = total ? total : field(row, sacct_column("CPUTimeRAW")).length();
    if (!run_time || *run_time <= Duration() || !total) {
        return -1;
    }
    const double processors = std::round(total->to_seconds() / run_time->to_seconds());
    return processors >= 1 && processors <= static_cast<double>(most_processors) ? std::llround(processors) : -1;
}

// Processors, -1 if unknown, and the column that has them.
struct Processors {
    long long number = -1;
    std::string_view column;
};

Processors requested_processors_in(const CsvRow& row) {
    if (const auto number = first_number(row, {sacct_column("ReqCPUS")})) {
        return {*number, "ReqCPUS"};
    }
    return {number_in_tres(row, sacct_column("ReqTRES"), "cpu").value_or(-1), "ReqTRES"};
}
long long requested_processors(const CsvRow& row) {
    return requested_processors_in(row).number;
}

Processors allocated_processors_in(const CsvRow& row) {
    for (const std::size_t column : {sacct_column("AllocCPUS"), sacct_column("NCPUS")}) {
        if (const auto number = first_number(row, {column})) {
            return {*number, sacct_columns[column]};
        }
    }
    if (const auto number = number_in_tres(row, sacct_column("AllocTRES"), "cpu")) {
        return {*number, "AllocTRES"};
    }
    return {processors_by_time(row), "CPUTime"};
}
long long allocated_processors(const CsvRow& row) {
    return allocated_processors_in(row).number;
}

long long nodes_of(const CsvRow& row) {
    return first_number(row, {sacct_column("NNodes"), sacct_column("AllocNodes")}).value_or(-1);
}

// What memory for each processor counts.
auto processors_of_request(const CsvRow& row) {
    return [&row] {
        const long long number = requested_processors(row);
        return number > 0 ? number : allocated_processors(row);
    };
}

// Whether the row says that no other job used the hosts. OverSubscribe says what `scontrol show job` does.
bool is_exclusive(const CsvRow& row) {
    constexpr auto over_subscribe = std::to_array<std::string_view>({"no", "exclusive"});
    constexpr auto exclusive = std::to_array<std::string_view>({"yes", "true", "1", "exclusive", "node"});
    return is_word_of(field(row, sacct_column("OverSubscribe")).text, over_subscribe) ||
           is_word_of(field(row, sacct_column("Exclusive")).text, exclusive) ||
           asks_for_whole_hosts(field(row, sacct_column("SubmitLine")).text);
}

void add_fields(const auto& job, const SacctResources& resources, LogBuilder& builder) {
    constexpr std::array names{"account", "qos", "name", "reservation"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        builder.add_field(names[i], job.texts[i]);
    }
    builder.add_field("dependency", job.dependency);
    builder.add_field("gpus", resources.gpus);
    builder.add_field("nodes", resources.nodes);
    builder.add_field("memory", resources.memory);
}

// Of one list of hosts. Empty: there is none.
std::string names_of(const std::vector<LoggedHosts>& hosts) {
    return hosts.empty() ? std::string() : hosts.front().names;
}

// The sum of what is known, up to a limit.
std::optional<long long> sum_of(std::optional<long long> a, std::optional<long long> b) {
    if (!a || !b) {
        return a ? a : b;
    }
    return *a <= most_bytes - *b ? *a + *b : most_bytes;
}

// Reads the rows of one file.
class SacctReader {
 public:
    SacctReader(const AccountingData& data, LogBuilder& builder) : data_(data), builder_(builder), jobs_(builder) {}

    void add(const CsvRow& row) {
        const std::string_view shown_id = field(row, sacct_column("JobID")).text;
        const std::string_view id = shown_id.empty() ? field(row, sacct_column("JobIDRaw")).text : shown_id;
        builder_.limit_array(id, id);
        builder_.limit_array(id, field(row, sacct_column("SubmitLine")).text);
        if (id.find('.') != std::string_view::npos) {
            builder_.leave_out("job step");
            return;
        }
        jobs_.add(id, row.line(), [&] { return read_job(row, id); });
    }

    // A row that cannot be split into fields.
    void lose(const CsvRow& row) {
        const std::string_view shown_id = row.text_if_certain(sacct_column("JobID"));
        jobs_.lose(shown_id.empty() ? row.text_if_certain(sacct_column("JobIDRaw")) : shown_id);
    }

 private:
    SacctJob read_job(const CsvRow& row, std::string_view id) const {
        SacctJob added;
        added.has_unclear_texts = row.has_unclear_texts();
        AccountedJob& job = added.job;
        job.id = id;
        job.submit = field(row, sacct_column("Submit")).instant(builder_.zone());
        if (data_.submits_when_eligible) {
            const std::optional<Instant> eligible = field(row, sacct_column("Eligible")).instant(builder_.zone());
            added.lacks_eligible = !submit_when_eligible(eligible, job);
        }
        job.start = field(row, sacct_column("Start")).instant(builder_.zone());
        job.end = field(row, sacct_column("End")).instant(builder_.zone());
        job.run_time = run_time_of(row);
        if (!row.has(sacct_column("Start")) && job.end && job.run_time && *job.run_time > Duration()) {
            job.start = job.end->first - *job.run_time;
        }
        read_size(row, job);
        job.state = field(row, sacct_column("State")).text;
        job.user = field(row, sacct_column("User")).text;
        job.queue = field(row, sacct_column("Partition")).name_or_empty();
        if (job.start) {
            job.walltime = walltime_of(row);
            read_fields(row, added);
            if (data_.fields.per_host || data_.fields.memory_pool || data_.fields.licenses) {
                read_amounts(row, data_.fields.per_host ? job.allocated : nodes_of(row), data_.fields.licenses, job);
            }
            job.partition_column = "Partition";
            const std::string_view submit_line = field(row, sacct_column("SubmitLine")).text;
            read_dependency(field(row, sacct_column("Dependency")).text, submit_line, data_.fields.after, added);
            read_begin(submit_line, data_.fields.begin, builder_.zone(), job);
            const bool is_component = data_.fields.per_host && id.find('+') != std::string_view::npos;
            if (data_.keeps_hosts || is_component) {
                job.hosts = logged_hosts(field(row, sacct_column("NodeList")).hosts());
            }
        }
        return added;
    }

    void read_size(const CsvRow& row, AccountedJob& job) const {
        if (data_.counts_nodes) {
            const auto of_tres = [&] {
                const auto number = number_in_tres(row, sacct_column("AllocTRES"), "node");
                return number ? *number : number_in_tres(row, sacct_column("ReqTRES"), "node").value_or(-1);
            };
            const long long nodes = nodes_of(row);
            job.requested = job.allocated = nodes >= 0 ? nodes : of_tres();
            if (data_.fields.per_host && job.allocated <= 0) {
                job.requested = job.allocated = hosts_in(field(row, sacct_column("NodeList")).hosts()).value_or(-1);
            }
            return;
        }
        job.requested = requested_processors(row);
        job.allocated = allocated_processors(row);
        job.allocated = job.allocated >= 0 ? job.allocated : job.requested;
    }

    static void read_fields(const CsvRow& row, SacctJob& job) {
        const auto text = [&](std::size_t column) { return field(row, column).text; };
        job.texts = {text(sacct_column("Account")), text(sacct_column("QOS")), text(sacct_column("JobName")),
                     text(sacct_column("Reservation"))};
        if (const long long nodes = nodes_of(row); nodes > 0) {
            job.resources.nodes = nodes;
        }
        read_gpus(row, job);
        read_memory(row, job);
    }

    static void read_gpus(const CsvRow& row, SacctJob& job) {
        const auto gpus = [&](std::size_t tres, std::size_t gres) {
            const auto found = gpus_in(field(row, tres).text);
            return found ? found : gpus_in(field(row, gres).text, std::max(job.resources.nodes.value_or(1), 1LL));
        };
        job.resources.gpus = gpus(sacct_column("ReqTRES"), sacct_column("ReqGRES"));
        if (!job.resources.gpus) {
            job.resources.gpus = gpus(sacct_column("AllocTRES"), sacct_column("AllocGRES"));
            const bool could_request = row.has(sacct_column("ReqTRES")) || row.has(sacct_column("ReqGRES"));
            job.allocates_more = could_request && job.resources.gpus.value_or(0) > 0;
        }
    }

    static void read_memory(const CsvRow& row, SacctJob& job) {
        const auto processors = processors_of_request(row);
        const long long nodes = job.resources.nodes.value_or(-1);
        const auto in_tres = [&](std::size_t tres) { return memory_in(field(row, tres), nodes, processors); };
        job.resources.memory = memory_of(field(row, sacct_column("ReqMem")), nodes, processors);
        if (!job.resources.memory) {
            job.resources.memory = in_tres(sacct_column("ReqTRES"));
        }
        if (!job.resources.memory) {  // --mem=0 requests all of a node
            job.resources.memory = in_tres(sacct_column("AllocTRES"));
            const bool could_request = row.has(sacct_column("ReqTRES")) || row.has(sacct_column("ReqMem"));
            job.allocates_more = job.allocates_more || (could_request && job.resources.memory);
        }
    }

    // What was allocated counts before what was requested.
    static void read_amounts(const CsvRow& row, long long nodes, bool keeps_pools, AccountedJob& job) {
        constexpr auto allocation = HostAmounts::Source::allocation;
        constexpr auto request = HostAmounts::Source::request;
        const auto text = [&](std::size_t column) { return field(row, column).text; };
        HostAmounts amounts(nodes);
        const Processors allocated = allocated_processors_in(row);
        amounts.set_cores(allocated.number, allocated.column);
        if (!amounts.has_cores()) {
            const Processors requested = requested_processors_in(row);
            amounts.set_cores(requested.number, requested.column, request);
        }
        const auto set_gpus = [&](std::size_t tres, std::size_t gres, HostAmounts::Source source) {
            if (!amounts.has_gpus()) {
                amounts.set_gpus(count_gpus(text(tres)), sacct_columns[tres], source);
            }
            if (!amounts.has_gpus()) {
                amounts.set_gpus(count_gpus(text(gres), std::max(nodes, 1LL)), sacct_columns[gres], source);
            }
        };
        set_gpus(sacct_column("AllocTRES"), sacct_column("AllocGRES"), allocation);
        set_gpus(sacct_column("ReqTRES"), sacct_column("ReqGRES"), request);
        const auto processors = processors_of_request(row);
        const auto set_memory = [&](std::optional<long long> memory, std::string_view column, auto source) {
            if (!amounts.whole_memory()) {
                amounts.set_memory(memory, column, source);
            }
        };
        set_memory(memory_in(field(row, sacct_column("AllocTRES")), nodes, processors), "AllocTRES", allocation);
        set_memory(memory_of(field(row, sacct_column("ReqMem")), nodes, processors), "ReqMem", request);
        set_memory(memory_in(field(row, sacct_column("ReqTRES")), nodes, processors), "ReqTRES", request);
        const auto set_further = [&](std::size_t tres, std::size_t gres, HostAmounts::Source source) {
            amounts.set_further(further_resources(text(tres)), keeps_pools, source);
            amounts.set_further(further_resources(text(gres), std::max(nodes, 1LL)), keeps_pools, source);
        };
        set_further(sacct_column("AllocTRES"), sacct_column("AllocGRES"), allocation);
        set_further(sacct_column("ReqTRES"), sacct_column("ReqGRES"), request);
        if (is_exclusive(row)) {
            amounts.take_whole_hosts();
        }
        job.amounts = std::move(amounts);
    }

    const AccountingData& data_;
    LogBuilder& builder_;
    SacctJobs jobs_;
};

}  // namespace

std::vector<LoggedHosts> logged_hosts(std::string_view list) {
    std::string names = list_of(names_of_hosts(list), " ");
    return names.empty() ? std::vector<LoggedHosts>() : std::vector<LoggedHosts>{{std::move(names), {}, {}}};
}

void read_dependency(std::string_view dependency, std::string_view submit_line, bool as_conditions, SacctJob& added) {
    dependency = trimmed(dependency);
    const bool is_stated = dependency != "0" && !RecordField{"", dependency}.is_missing();
    if (as_conditions) {
        added.job.conditions = conditions_of_slurm(
            is_stated ? std::string(dependency) : value_in(submit_line, SubmitOption::dependency), added.job.id);
        added.job.conditions_column = is_stated ? "Dependency" : "SubmitLine";
    } else if (is_stated) {
        added.dependency = dependency;
    }
}

void read_begin(std::string_view submit_line, bool is_wanted, TimeZone& zone, AccountedJob& job) {
    const std::string text = is_wanted ? value_in(submit_line, SubmitOption::begin) : std::string();
    if (text.empty() || !job.submit) {
        return;
    }
    job.conditions.begin = begin_of_slurm(text, job.submit->first, zone);
    job.begin_column = "SubmitLine";
    if (!job.conditions.begin) {
        job.conditions.left_out.push_back(condition_rules::unreadable_begin);
    }
}

void SacctJobs::add(std::string_view id, std::size_t line, const std::function<SacctJob()>& read) {
    const std::string_view whole = cut(id, '+').first;
    if (whole == id) {
        add_run(read(), line);
        return;
    }
    std::vector<Run>& runs = heterogeneous_[std::string(whole)];
    const std::size_t run = rows_of_component_[std::string(id)]++;
    try {
        SacctJob added = read();
        added.job.id = whole;
        add_component(added, runs, run, line);
    } catch (const InputError&) {
        lose_run(runs, run);
        throw;
    }
}

void SacctJobs::lose(std::string_view id) {
    if (const std::string_view whole = cut(id, '+').first; whole != id) {
        lose_run(heterogeneous_[std::string(whole)], rows_of_component_[std::string(id)]++);
    }
}

void SacctJobs::lose_run(std::vector<Run>& runs, std::size_t run) {
    if (run >= runs.size()) {
        runs.emplace_back();  // its other components are left out
    } else if (const std::optional<std::size_t> place = std::exchange(runs[run].place, std::nullopt)) {
        builder_.leave_out_later(*place, "heterogeneous job with a component that cannot be read");
    }
}

void SacctJobs::add_component(const SacctJob& added, std::vector<Run>& runs, std::size_t run, std::size_t line) {
    if (run >= runs.size()) {
        Run& added_run = runs.emplace_back();
        std::ranges::copy(added.texts, added_run.texts.begin());
        added_run.dependency = added.dependency;
        added_run.resources = added.resources;
        added_run.amounts = added.job.amounts;
        added_run.amounts.forget_notes(builder_.fields().memory_pool);
        added_run.partition = added.job.queue;
        added_run.components.push_back({names_of(added.job.hosts), added.job.amounts});
        added_run.place = add_run(added, line);
    } else if (runs[run].place && (!added.job.start || times_of(added.job).missing != nullptr)) {
        builder_.leave_out("component of a heterogeneous job that never started");
    } else if (runs[run].place) {
        join(added, runs[run]);
    } else {
        builder_.leave_out("component of a heterogeneous job that is left out");
    }
}

std::optional<std::size_t> SacctJobs::add_run(const SacctJob& added, std::size_t line) {
    const AccountedJob& job = added.job;
    if (!job.start) {
        builder_.leave_out("never started");
        return std::nullopt;
    }
    if (!job.walltime && !builder_.has_limit(job.queue)) {
        builder_.note("time limit missing, UNLIMITED or Partition_Limit: unknown");
    }
    if (added.has_unclear_texts) {
        builder_.note(
            "separator that may be in one of several columns of any text: these count as empty (also --exclusive)");
    }
    if (added.lacks_eligible) {
        builder_.note("Eligible unknown: the submission is Submit");
    }
    if (added.allocates_more) {
        builder_.note("GPUs or memory not in the request: those of the allocation");
    }
    add_fields(added, added.resources, builder_);
    return builder_.add(job, line);
}

std::optional<long long> SacctJobs::count_shared_hosts(Run& run) {
    std::map<std::string_view, std::vector<const HostAmounts*>> on_host;
    for (const Component& component : run.components) {
        if (component.hosts.empty()) {
            return std::nullopt;
        }
        for (const std::string_view host : split(component.hosts, ' ')) {
            on_host[host].push_back(&component.amounts);
        }
    }
    std::map<StatedNeeds::Amounts, HostAmounts> different;
    for (const auto& [host, parts] : on_host) {
        HostAmounts of_host = HostAmounts::together(parts);
        StatedNeeds::Amounts amounts = of_host.amounts();
        different.emplace(std::move(amounts), std::move(of_host));
    }
    for (const auto& [amounts, of_host] : different) {
        run.amounts.raise_to(of_host, different.size() > 1);
    }
    return static_cast<long long>(on_host.size());
}

void SacctJobs::join(const SacctJob& component, Run& run) {
    const SacctResources& more = component.resources;
    const SacctResources sum{sum_of(run.resources.gpus, more.gpus), sum_of(run.resources.nodes, more.nodes),
                             sum_of(run.resources.memory, more.memory)};
    add_fields(run, sum, builder_);
    run.amounts.join(component.job.amounts);
    if (run.partition != component.job.queue) {
        if (builder_.fields().partition && !run.partition.empty()) {
            builder_.note(host_rules::components_apart);
        }
        run.partition.clear();
    }
    run.components.push_back({names_of(component.job.hosts), component.job.amounts});
    const std::optional<long long> hosts = builder_.fields().per_host ? count_shared_hosts(run) : std::nullopt;
    builder_.join(*run.place, component.job, run.amounts, run.partition, hosts);
    run.resources = sum;
    run.amounts.forget_notes(builder_.fields().memory_pool);
}

void read_sacct(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    SacctReader reader(data, builder);
    const auto require_ids = [&](const CsvRow& row) {
        refuse_if<InputError>(
            !row.has(sacct_column("JobID")) && !row.has(sacct_column("JobIDRaw")), path,
            ":1: no column JobID or JobIDRaw, expected a table of jobs as sacct --parsable2 writes it");
        const auto has_one_of = [&](std::initializer_list<std::size_t> columns) {
            return std::ranges::any_of(columns, [&](std::size_t column) { return row.has(column); });
        };
        const ResourceFields& fields = data.fields;
        if (fields.after && !fields.as_far_as_known &&
            !has_one_of({sacct_column("Dependency"), sacct_column("SubmitLine")})) {
            throw InputError(path + ":1: no column SubmitLine or Dependency, expected one of them for the field after");
        }
        refuse_if<InputError>(fields.begin && !fields.as_far_as_known && !row.has(sacct_column("SubmitLine")), path,
                              ":1: no column SubmitLine, expected it for the field begin");
        if (fields.as_far_as_known &&
            !has_one_of({sacct_column("NNodes"), sacct_column("AllocNodes"), sacct_column("NodeList"),
                         sacct_column("AllocTRES"), sacct_column("ReqTRES")})) {
            throw InputError(
                path +
                ":1: no column NNodes, NodeList or AllocTRES, expected one of them for all fields; --fields can name others");
        }
        if (fields.memory_pool &&
            !has_one_of({sacct_column("ReqMem"), sacct_column("AllocTRES"), sacct_column("ReqTRES")})) {
            throw InputError(path +
                             ":1: no column ReqMem or AllocTRES, expected one of them for the field memory-pool");
        }
        refuse_if<InputError>(data.submits_when_eligible && !row.has(sacct_column("Eligible")), path,
                              ":1: no column Eligible, expected it for submissions when jobs became eligible");
    };
    const std::function<bool(InputFile&, std::string_view)> read_json = [&](InputFile& file,
                                                                            std::string_view beginning) {
        const bool is_json = trimmed(beginning).starts_with('{');
        if (is_json) {
            read_sacct_json(file.read_all(max_json_size, std::string(beginning)), path, data, builder);
        }
        return is_json;
    };
    CsvFormat format{"table of jobs",          "sacct --parsable2",          sacct_columns,
                     sacct_columns.size() - 1, data.separator.value_or('|'), false};
    format.ignores_case = true;
    format.free_texts = sacct_free_texts;
    format.may_stand_in = may_stand_in_sacct;
    format.usually_begins = usually_begins_in_sacct;
    format.read_other_kind = &read_json;
    for_each_row(
        path, format, builder, require_ids, [&](const CsvRow& row) { reader.add(row); },
        [&](const CsvRow& row) { reader.lose(row); });
}

}  // namespace batfill
