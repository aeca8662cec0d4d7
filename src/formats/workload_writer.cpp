#include "workload_writer.hpp"

#include <utility>

#include <batfill/core/error.hpp>

#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
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
    if (!profile.source.empty() && profile.type != JobProfile::Type::delay) {
        throw InputError("a profile of type " + in_quotes(profile.type_name) +
                         " cannot be written in the other format, expected a delay");
    }
    out += format == WorkloadFormat::batsim4 ? R"({"type":"delay","delay":)" : R"({"type":"DelayProfile","delay":)";
    profile.delay.append_shortest_to(out);
    if (profile.return_code != 0) {
        out += R"(,"ret":)" + std::to_string(profile.return_code);
    }
    out += '}';
}

void write(const Workload& workload, const WorkloadWriter::Sink& sink) {
    WorkloadWriter writer(workload.without_jobs(), sink);
    for (const WorkloadJob& job : workload.jobs) {
        writer.add(job);
    }
    writer.finish(workload.profiles);
}

}  // namespace

WorkloadWriter::WorkloadWriter(Workload frame, Sink sink)
    : frame_(std::move(frame)),
      sink_(std::move(sink)),
      line_(R"({"nb_res":)" + std::to_string(frame_.processors) +
            (frame_.believes_walltimes ? R"(,"walltimes":"believed")" : "") + ",\"jobs\":[") {}

void WorkloadWriter::add(const WorkloadJob& job) {
    look_for_interruption();
    line_ += std::exchange(is_first_, false) ? "\n" : ",\n";
    const std::string_view name = name_in_workload(frame_.name, job.description.id);
    try {
        if (frame_.format == WorkloadFormat::batsim4) {
            require_loadable_in_batsim4(name);
        }
        append_job(job.description, name, line_, frame_.format);
    } catch (const InputError& error) {
        throw InputError("job " + in_quotes(job.description.id) + ": " + error.what());
    }
    sink_(line_);
    line_.clear();
}

void WorkloadWriter::finish(const std::map<std::string, JobProfile>& profiles) {
    line_ += "\n],\"profiles\":{";
    const char* separator = "\n";
    for (const auto& [name, profile] : profiles) {
        line_ += std::exchange(separator, ",\n");
        append_json_string(name, line_);
        line_ += ':';
        try {
            append_profile(profile, frame_.format, line_);
        } catch (const InputError& error) {
            throw InputError("profile " + in_quotes(name) + ": " + error.what());
        }
        sink_(line_);
        line_.clear();
    }
    line_ += "\n}}\n";
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
