#include "src/formats/job_json.hpp"

#include <utility>

namespace batfill {

namespace {

std::string read_id(Fields& fields) {
    const JsonValue* id = fields.find("id");
    if (id != nullptr && id->IsString()) {
        return std::string(view(*id));
    }
    if (id != nullptr && id->IsInt()) {
        return std::to_string(id->GetInt());
    }
    fields.fail("id", "a text or an integer");
}

// Logs have numbers for users and queues, so workloads made of them often have numbers, too.
std::string read_name(Fields& fields, std::string_view name) {
    const JsonValue* value = fields.find(name);
    if (value == nullptr) {
        return {};
    }
    if (value->IsString()) {
        return std::string(view(*value));
    }
    if (!value->IsNumber()) {
        fields.fail(name, "a text or a number");
    }
    std::string number;
    append_json(*value, number);
    return number;
}

std::vector<std::string> read_licenses(Fields& fields) {
    std::vector<std::string> licenses;
    if (fields.find("licenses") == nullptr) {
        return licenses;
    }
    for (const auto& license : fields.array("licenses").GetArray()) {
        if (!license.IsString()) {
            fields.fail("licenses", "an array of texts");
        }
        licenses.emplace_back(view(license));
    }
    return licenses;
}

void append_text_field(const char* name, std::string_view value, std::string& out) {
    if (!value.empty()) {
        out.append(",\"").append(name).append("\":");
        append_json_string(value, out);
    }
}

}  // namespace

JobDescription read_job(const JsonValue& object, std::string_view path) {
    if (!object.IsObject()) {
        throw InputError("expected a job object");
    }
    Fields fields(object, path);
    JobDescription job;
    job.id = read_id(fields);
    job.submit = fields.time("subtime");
    job.processors = fields.integer("res");
    if (job.processors < 0) {
        fields.fail("res", "an integer from 0");
    }
    if (fields.find("walltime") != nullptr) {
        const Duration walltime = fields.seconds("walltime");
        if (walltime >= Duration()) {
            job.walltime = walltime;
        }
    }
    if (fields.find("deadline") != nullptr) {
        job.deadline = fields.time("deadline");
    }
    job.queue = read_name(fields, "queue");
    job.user = read_name(fields, "user");
    job.licenses = read_licenses(fields);
    job.profile = fields.text("profile");
    return job;
}

void append_job(const JsonValue& object, std::string_view id, std::string& out) {
    char separator = '{';
    for (const auto& member : object.GetObject()) {
        out += std::exchange(separator, ',');
        append_json_string(view(member.name), out);
        out += ':';
        if (view(member.name) == "id") {
            append_json_string(id, out);
        } else {
            append_json(member.value, out);
        }
    }
    out += '}';
}

void append_job(const JobDescription& job, std::string_view id, std::string& out) {
    out += R"({"id":)";
    append_json_string(id, out);
    out += R"(,"subtime":)";
    job.submit.since_zero().append_shortest_to(out);
    out += R"(,"res":)" + std::to_string(job.processors);
    if (job.walltime) {
        out += R"(,"walltime":)";
        job.walltime->append_shortest_to(out);
    }
    append_text_field("profile", job.profile, out);
    if (job.deadline) {
        out += R"(,"deadline":)";
        job.deadline->since_zero().append_shortest_to(out);
    }
    append_text_field("queue", job.queue, out);
    append_text_field("user", job.user, out);
    char separator = '[';
    for (const std::string& license : job.licenses) {
        out += separator == '[' ? R"(,"licenses":[)" : ",";
        separator = ',';
        append_json_string(license, out);
    }
    out += job.licenses.empty() ? "}" : "]}";
}

}  // namespace batfill
