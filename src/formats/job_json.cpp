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

SharedText shared_text(std::string_view text, TextPool* texts) {
    return texts != nullptr ? texts->shared(text) : SharedText(text);
}

// Logs number their users and queues, so workloads made from them often have numbers here.
void read_name(Fields& fields, std::string_view name, SharedText& result, TextPool* texts) {
    const JsonValue* value = fields.find(name);
    if (value == nullptr) {
        return;
    }
    if (value->IsString()) {
        result = shared_text(view(*value), texts);
    } else if (value->IsNumber()) {
        std::string number;
        append_json(*value, number);
        result = shared_text(number, texts);
    } else {
        fields.fail(name, "a text or a number");
    }
}

void read_licenses(Fields& fields, std::vector<std::string>& licenses) {
    if (fields.find("licenses") == nullptr) {
        return;
    }
    licenses.clear();
    for (const auto& license : fields.array("licenses").GetArray()) {
        if (!license.IsString()) {
            fields.fail("licenses", "an array of texts");
        }
        licenses.emplace_back(view(license));
    }
}

// Reads the fields that only this program defines. Absent ones keep their value in `job`.
void read_own_fields(Fields& fields, JobDescription& job, TextPool* texts) {
    if (fields.find("deadline") != nullptr) {
        job.deadline = fields.time("deadline");
    }
    read_name(fields, "queue", job.queue, texts);
    read_name(fields, "user", job.user, texts);
    read_licenses(fields, job.licenses);
}

// Each field begins with a comma.
void append_own_fields(const JobDescription& job, std::string& out) {
    const auto append_text_field = [&out](const char* name, std::string_view value) {
        if (!value.empty()) {
            out.append(",\"").append(name).append("\":");
            append_json_string(value, out);
        }
    };
    if (job.deadline) {
        out += R"(,"deadline":)";
        job.deadline->since_zero().append_shortest_to(out);
    }
    append_text_field("queue", job.queue);
    append_text_field("user", job.user);
    char separator = '[';
    for (const std::string& license : job.licenses) {
        out += separator == '[' ? R"(,"licenses":[)" : ",";
        separator = ',';
        append_json_string(license, out);
    }
    out += job.licenses.empty() ? "" : "]";
}

}  // namespace

JobDescription read_job(const JsonValue& object, std::string_view path, TextPool* texts) {
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
    if (const JsonValue* extra_data = fields.find("extra_data")) {
        read_extra_data(*extra_data, std::string(path) + "extra_data.", job, texts);
    }
    read_own_fields(fields, job, texts);
    job.profile = shared_text(fields.text("profile"), texts);
    return job;
}

void read_extra_data(const JsonValue& extra_data, std::string_view path, JobDescription& job, TextPool* texts) {
    if (extra_data.IsObject()) {
        Fields fields(extra_data, path);
        read_own_fields(fields, job, texts);
        return;
    }
    if (!extra_data.IsString() || !view(extra_data).starts_with('{')) {
        return;
    }
    JsonReader reader;
    const JsonValue* object = nullptr;
    try {
        object = &reader.parse(view(extra_data));
    } catch (const InputError&) {
        return;  // a text that only looks like JSON
    }
    Fields fields(*object, path);
    read_own_fields(fields, job, texts);
}

void append_extra_data(const JobDescription& job, std::string& out) {
    const std::size_t begin = out.size();
    append_own_fields(job, out);
    if (out.size() > begin) {
        out[begin] = '{';
        out += '}';
    }
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
    if (!job.profile.empty()) {
        out += R"(,"profile":)";
        append_json_string(job.profile, out);
    }
    append_own_fields(job, out);
    out += '}';
}

}  // namespace batfill
