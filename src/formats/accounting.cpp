#include <algorithm>
#include <array>
#include <cassert>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// A format, and for a data set in CSV its columns and the zone of its machine.
struct KnownFormat {
    const char* name;
    void (*read)(const std::string&, const AccountingData&, LogBuilder&);
    const char* mapping = "";
    const char* time_zone = "";
    bool has_own_zero = false;  // its times count from there
    const char* amounts = "";   // further columns, if jobs get what they take of their hosts
    long long memory_unit = 0;  // see AccountingData
    bool memory_is_of_host = false;
};

constexpr long long gibibyte = 1LL << 30;

constexpr std::array<KnownFormat, 9> formats = {{
    {"sacct", read_sacct},
    {"pbs", read_pbs},
    {"csv", read_table},
    {"pm100", read_table,
     "id=job_id,submit=submit_time,start=start_time,end=end_time,run-time=run_time,walltime-minutes=time_limit,"
     "processors=num_nodes_alloc,state=job_state,user=user_id,queue=partition,qos=qos,cores=num_cores_alloc,"
     "gpus=num_gpus_alloc,memory=mem_alloc",
     "", false, "", gibibyte},
    {"f-data", read_table,
     "id=jid,submit=adt,start=sdt,end=edt,run-time=duration,walltime=elpl,requested-processors=nnumr,"
     "allocated-processors=nnuma,state=exit state,user=usr,cores=cnumr,memory=mszl",
     "Asia/Tokyo", false, "", 1, true},  // a limit such as pjsub's node-mem
    {"frontier", read_frontier, "", "", true},
    {"philly", read_philly, "", "America/Los_Angeles"},
    {"helios", read_table,
     "id=job_id,submit=submit_time,start=start_time,end=end_time,run-time=duration,wait=queue,processors=gpu_num,"
     "state=state,user=user,queue=vc,cores=cpu_num,nodes=node_num",
     "Asia/Shanghai", false, "gpus=gpu_num"},
    {"kestrel", read_table,
     "id=id,submit=submit_time,start=start_time,end=end_time,run-time=wallclock_used,walltime=wallclock_req,"
     "requested-processors=processors_req,allocated-processors=processors_used,state=state,user=user_hash,"
     "queue=partition,account=account_hash,qos=qos,nodes=nodes_req,gpus=gpus_requested,memory=memory_req"},
}};

// Fields of a table that say the same: the first says it instead of the second.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> alternatives = {{
    {"walltime", "walltime-minutes"},
    {"walltime-minutes", "walltime"},
    {"processors", "requested-processors"},
    {"processors", "allocated-processors"},
}};

bool maps(const ColumnMapping& mapping, std::string_view field) {
    return std::ranges::find(mapping, field, &ColumnMapping::value_type::first) != mapping.end();
}

void require_usable(const ColumnMapping& mapping) {
    const std::vector<std::string> known = table_fields();
    const auto own = std::ranges::find_if(mapping, [&](const auto& entry) {
        const bool is_own = is_known_field(entry.first) || entry.first == "per_host" || entry.first == "pools";
        return is_own && std::ranges::find(known, entry.first) == known.end();
    });
    refuse_if(own != mapping.end(), [&] {
        return "jobs have a field " + own->first + " of their own, expected another name for column " + own->second;
    });
    for (const auto& [field, other] : alternatives) {
        refuse_if(maps(mapping, field) && maps(mapping, other), "expected one of ", field, " and ", other,
                  ", found both");
    }
}

void add_columns(const char* columns, ColumnMapping& mapping) {
    if (*columns != '\0') {
        for (const std::string_view entry : split(columns, ',')) {
            mapping.emplace_back(cut(entry, '=').first, cut(entry, '=').second);
        }
    }
}

// The data with what the format says of itself, unless the user says otherwise.
AccountingData completed(const AccountingData& data, const KnownFormat& format) {
    AccountingData result = data;
    result.mapping.clear();
    add_columns(format.mapping, result.mapping);
    result.memory_unit = format.memory_unit;
    result.memory_is_of_host = format.memory_is_of_host;
    if (data.fields.per_host) {
        add_columns(format.amounts, result.mapping);
        result.counts_nodes = true;
    }
    for (const auto& [field, other] : alternatives) {
        if (maps(data.mapping, field)) {
            std::erase_if(result.mapping, [&same = other](const auto& entry) { return entry.first == same; });
        }
    }
    for (const auto& [field, column] : data.mapping) {
        const auto same = std::ranges::find(result.mapping, field, &ColumnMapping::value_type::first);
        if (same == result.mapping.end()) {
            result.mapping.emplace_back(field, column);
        } else {
            same->second = column;
        }
    }
    if (data.fields.as_far_as_known && format.read == read_table) {
        ResourceFields& fields = result.fields;
        fields.per_host = maps(result.mapping, "nodes") || maps(result.mapping, "cores");
        fields.after = maps(result.mapping, "dependency");
        fields.memory_pool = !fields.per_host && maps(result.mapping, "memory");
    }
    result.fields.begin = result.fields.begin || maps(result.mapping, "begin");
    result.fields.array = result.fields.array || maps(result.mapping, "array");
    result.time_zone = data.time_zone.empty() ? format.time_zone : data.time_zone;
    return result;
}

}  // namespace

std::vector<std::string> accounting_formats() {
    return mapped(formats, [](const KnownFormat& format) { return std::string(format.name); });
}

void add_column(ColumnMapping& mapping, const std::string& field, const std::string& column) {
    refuse_if(maps(mapping, field), "expected one column for ", field, ", found two");
    mapping.emplace_back(field, column);
    require_usable(mapping);
}

SwfLog read_accounting(const AccountingData& data) {
    assert(!data.paths.empty());
    const auto* const format = std::ranges::find(formats, data.format, &KnownFormat::name);
    assert(format != formats.end());
    const AccountingData whole = completed(data, *format);
    LogBuilder builder(data.paths.size() == 1
                           ? data.paths.front()
                           : data.paths.front() + " and " + std::to_string(data.paths.size() - 1) + " more",
                       whole);
    std::size_t lines = 0;
    for (const std::string& path : data.paths) {
        lines += estimated_lines(path);
    }
    builder.reserve(lines);
    for (const std::string& path : data.paths) {
        builder.begin_file();
        format->read(path, whole, builder);
    }
    SwfLog log = builder.finish(!format->has_own_zero);
    refuse_if<InputError>(log.jobs.empty() && log.left_out.empty(), log.path, ": expected jobs, found none");
    return log;
}

}  // namespace batfill
