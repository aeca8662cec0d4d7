#include "src/formats/workload_writer.hpp"

#include <utility>

#include <batfill/core/error.hpp>

#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/calendar.hpp"
#include "src/support/files.hpp"
#include "src/support/interruption.hpp"
#include "src/support/json.hpp"

namespace batfill {

namespace {

void append_profile(const JobProfile& profile, WorkloadFormat format, std::string& out) {
    if (!profile.source.empty() && profile.format == format) {
        out += profile.source;
        return;
    }
    refuse_if<InputError>(!profile.source.empty() && profile.type != JobProfile::Type::delay, [&] {
        return "a profile of type " + in_quotes(profile.type_name) +
               " cannot be written in the other format, expected a delay";
    });
    JsonWriter json(out);
    json.open_object();
    json.key("type").text(format == WorkloadFormat::batsim4 ? "delay" : "DelayProfile");
    profile.delay.append_shortest_to(json.key("delay").value());
    if (profile.return_code != 0) {
        json.key("ret").integer(profile.return_code);
    }
    json.close_object();
}

void write(const Workload& workload, const WorkloadWriter::Sink& sink) {
    WorkloadWriter writer(workload.without_jobs(), sink);
    for (const WorkloadJob& job : workload.jobs) {
        writer.add(job);
    }
    writer.finish(workload.profiles);
}

}  // namespace

WorkloadWriter::WorkloadWriter(Workload frame, Sink sink) : frame_(std::move(frame)), sink_(std::move(sink)) {
    json_.open_object();
    json_.key("nb_res").integer(frame_.processors);
    if (frame_.believes_walltimes) {
        json_.key("walltimes").text("believed");
    }
    if (!frame_.more_than_log.empty()) {
        json_.key("more_than_log").open_object();
        for (const auto& [amount, share] : frame_.more_than_log) {
            json_.key(amount).number(share);
        }
        json_.close_object();
    }
    TimeZone utc("");
    std::string date = frame_.origin ? date_text(frame_.origin->since_1970, utc) : "";
    if (read_date(date, DateOrder::year_month_day, utc)) {  // not beyond the years that can be read
        date.replace(date.find('+'), 6, "Z").replace(date.find(' '), 1, "T");
        const std::string& zone = frame_.origin->time_zone;
        json_.key("origin").text(zone.empty() ? date : date + '[' + zone + ']');
    }
    json_.key("jobs").open_array();
}

void WorkloadWriter::add(const WorkloadJob& job) {
    look_for_interruption();
    json_.new_line();
    const std::string_view name = name_in_workload(frame_.name, job.description.id);
    try {
        if (frame_.format == WorkloadFormat::batsim4) {
            require_loadable_in_batsim4(name);
        }
        append_job(job.description, name, json_.value(), frame_.format);
    } catch (const InputError& error) {
        throw InputError("job " + in_quotes(job.description.id) + ": " + error.what());
    }
    sink_(line_);
    line_.clear();
}

void WorkloadWriter::finish(const std::map<std::string, JobProfile>& profiles) {
    json_.new_line();
    json_.close_array();
    json_.key("profiles").open_object();
    for (const auto& [name, profile] : profiles) {
        json_.new_line();
        json_.key(name);
        try {
            append_profile(profile, frame_.format, json_.value());
        } catch (const InputError& error) {
            throw InputError("profile " + in_quotes(name) + ": " + error.what());
        }
        sink_(line_);
        line_.clear();
    }
    json_.new_line();
    json_.close_object();
    json_.close_object();
    line_ += '\n';
    sink_(line_);
}

std::string text_of(const Workload& workload) {
    std::string text;
    write(workload, [&text](std::string_view piece) { text += piece; });
    return text;
}

void write_workload(const Workload& workload, const std::string& path) {
    OutputFile file(path);
    write(workload, [&file](std::string_view piece) { file.write(piece); });
    file.commit();
}

}  // namespace batfill
