#include <string>
#include <string_view>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/formats/logged_conditions.hpp"
#include "src/formats/pbs_record.hpp"
#include "src/support/json.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

// Accounting logs of PBS, TORQUE and Cobalt.
namespace batfill {

namespace {

constexpr std::size_t max_pbs_line = 16 << 20;  // a job on all nodes of a large machine names each of them

// Whether the record has what the batch system writes to its end.
bool is_complete(const PbsAttributes& attributes) {
    const auto seconds = [&](std::string_view key) { return number_in<double>(attributes[key].text).value_or(0); };
    return seconds("end") > 0 && seconds("end") >= seconds("start");
}

// What the job has, else what its request has.
std::string_view own_or_requested(const PbsAttributes& attributes, std::string_view own, std::string_view requested) {
    return attributes[attributes[own].is_missing() ? requested : own].text;
}

// The size of the job: of processors, of nodes, or of hosts and what it took of them.
void read_size(const PbsAttributes& attributes, const AccountingData& data, AccountedJob& job) {
    if (data.fields.per_host || data.fields.memory_pool) {
        PbsHosts hosts = hosts_of(attributes);
        job.requested = job.allocated = hosts.hosts;
        job.amounts = std::move(hosts.amounts);
    }
    if (data.keeps_hosts) {
        HostAmounts amounts = job.amounts;
        if (data.fields.memory_pool) {
            amounts.leave_out_memory();  // it is none of the hosts
        }
        job.hosts = logged_hosts_of(attributes, amounts);
    }
    if (data.fields.per_host) {
        return;
    }
    if (data.counts_nodes) {
        job.requested = job.allocated = nodes_of(attributes);
    } else {
        job.requested = requested_processors(attributes);
        job.allocated = allocated_processors(attributes, job.requested);
    }
}

// A booking has a queue of its own, which says nothing of hosts.
void read_booking(const PbsAttributes& attributes, AccountedJob& job, LogBuilder& builder) {
    const std::string_view queue_of_it = cut(attributes["resvID"].text, '.').first;
    const RecordField name = attributes["resvname"];
    builder.add_field("reservation", name.is_missing() ? queue_of_it : name.text);
    if (!queue_of_it.empty() && job.queue == queue_of_it && builder.fields().partition) {
        job.partition = "";
        builder.note(host_rules::queue_of_booking);
    }
}

void add_end_record(std::string_view id, const PbsAttributes& attributes, const AccountingData& data, std::size_t line,
                    LogBuilder& builder) {
    AccountedJob job;
    job.id = cut(id, '.').first;
    job.submit = attributes["qtime"].instant(builder.zone());
    if (const auto created = attributes["ctime"].instant(builder.zone())) {
        job.submit = created;
    }
    const bool knows_eligible =
        !data.submits_when_eligible || submit_when_eligible(attributes["etime"].instant(builder.zone()), job);
    job.start = attributes["start"].instant(builder.zone());
    job.end = attributes["end"].instant(builder.zone());
    if (!job.start) {
        builder.leave_out("never started");
        return;
    }
    if (!knows_eligible) {
        builder.note("etime unknown: the submission is ctime");
    }
    job.walltime = attributes["Resource_List.walltime"].length();
    read_size(attributes, data, job);
    const std::string_view status = attributes["Exit_status"].text;
    job.state = status.empty() ? "" : status == "0" ? "completed" : "failed";
    job.user = attributes["user"].text;
    job.queue = attributes["queue"].text;
    job.partition_column = "queue";
    read_booking(attributes, job, builder);
    builder.add_field("account", attributes["account"].text);
    builder.add_field("qos", own_or_requested(attributes, "qos", "Resource_List.qos"));
    const std::string_view project = attributes["project"].text;
    builder.add_field("project", project == "_pbs_project_default" ? "" : project);
    if (const std::string_view gpus = attributes["Resource_List.ngpus"].text; !gpus.empty()) {
        builder.add_field("gpus", gpus);
    } else if (const long long found = gpus_of_record(attributes); found > 0) {
        builder.add_field("gpus", found);
    }
    builder.add_field("nodes", attributes["Resource_List.nodect"].text);
    builder.add_field("memory", attributes["Resource_List.mem"].bytes(1));
    const std::string_view depend = own_or_requested(attributes, "depend", "Resource_List.depend");
    if (data.fields.after) {
        job.conditions = conditions_of_pbs(depend);
        job.conditions_column = "depend";
    } else {
        builder.add_field("dependency", depend);
    }
    builder.add(job, line);
}

// Returns whether the record is complete, as far as this can be told.
bool add_record(std::string_view line, const AccountingData& data, std::size_t number, LogBuilder& builder) {
    const auto [date, rest] = cut(line, ';');
    const auto [type, record] = cut(rest, ';');
    const auto [id, attributes] = cut(record, ';');
    if (type.size() != 1 || id.end() == line.end()) {
        throw InputError("expected DATE;TYPE;ID;ATTRIBUTES as PBS and TORQUE write it, found " + in_quotes(line));
    }
    if (type != "E") {
        builder.leave_out("record that is not the end (E) of a job");
        return true;
    }
    PbsAttributes read(attributes);
    leave_out_login_node(read);
    if (id.find("[]") != std::string_view::npos) {
        builder.leave_out("array, whose jobs have records of their own");
    } else {
        add_end_record(id, read, data, number, builder);
    }
    return is_complete(read);
}

}  // namespace

void read_pbs(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    const std::string place = path + ":";
    std::size_t incomplete = 0;  // the number of the last line, if its record is incomplete
    std::size_t jobs_before = 0;
    const bool ends_with_line =
        for_each_line(path, max_pbs_line, "an accounting log of PBS or TORQUE", {FileKind::table, FileKind::empty},
                      [&](std::string_view line, std::size_t number) {
                          const std::string_view record = trimmed(line);
                          jobs_before = builder.jobs();
                          incomplete = 0;
                          builder.read_row(place, number, [&] {
                              const bool is_whole = record.empty() || add_record(record, data, number, builder);
                              incomplete = is_whole ? 0 : number;
                          });
                      });
    if (incomplete == 0 || ends_with_line) {
        return;
    }
    with_place_in_errors(place + std::to_string(incomplete), [&] {
        builder.add_bad_row(place, incomplete,
                            "expected the end of a record, with end=SECONDS, found the end of the file");
    });
    builder.take_back(jobs_before);
}

}  // namespace batfill
