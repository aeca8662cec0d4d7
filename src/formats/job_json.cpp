#include "src/formats/job_json.hpp"

#include <utility>

#include "src/support/exact_json.hpp"

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

void append_other_fields(const JobDescription& job, std::string& out) {
    if (!job.other_fields.empty()) {
        out.append(",").append(job.other_fields.text());
    }
}

// Compares with names of the same size only: this is done for each field of each job.
bool is_known(std::string_view name) {
    switch (name.size()) {
        case 2:
            return name == "id";
        case 3:
            return name == "res";
        case 4:
            return name == "user";
        case 5:
            return name == "queue";
        case 7:
            return name == "subtime" || name == "profile";
        case 8:
            return name == "walltime" || name == "deadline" || name == "licenses";
        case 10:
            return name == "extra_data";
        default:
            return false;
    }
}

// Appends the members of `object` that read_job() does not know, each after a comma unless it is the first.
void append_unknown_members(const JsonValue& object, std::string& out) {
    for (const auto& member : object.GetObject()) {
        if (!is_known(view(member.name))) {
            out += out.empty() ? "" : ",";
            append_json_string(view(member.name), out);
            out += ':';
            append_exact_json(member.value, out);
        }
    }
}

// Calls `read` with `extra_data` as an object. Returns false if it is none, nor the text of one.
template <class Read>
bool with_object(const JsonValue& extra_data, Read read) {
    if (extra_data.IsObject()) {
        read(extra_data);
        return true;
    }
    if (!extra_data.IsString() || !view(extra_data).starts_with('{')) {
        return false;
    }
    JsonReader reader;
    const JsonValue* object = nullptr;
    try {
        object = &reader.parse(view(extra_data));
    } catch (const InputError&) {
        return false;  // a text that only looks like JSON
    }
    read(*object);
    return true;
}

constexpr std::string_view extra_data_member = R"("extra_data":)";

// Reads `extra_data`, and adds its fields that are not known to `others`.
void read_extra_data(const JsonValue& extra_data, std::string_view path, JobDescription& job, TextPool* texts,
                     std::string& others) {
    const bool is_object = with_object(extra_data, [&](const JsonValue& object) {
        Fields fields(object, path);
        read_own_fields(fields, job, texts);
        append_unknown_members(object, others);
    });
    if (!is_object && !extra_data.IsNull()) {
        others += extra_data_member;
        append_exact_json(extra_data, others);
    }
}

}  // namespace

JobDescription read_job(const JsonValue& object, std::string_view path, TextPool* texts) {
    if (!object.IsObject()) {
        throw InputError("expected a job object");
    }
    Fields fields(object, path);
    JobDescription job;
    std::string others;
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
        read_extra_data(*extra_data, std::string(path) + "extra_data.", job, texts, others);
    }
    read_own_fields(fields, job, texts);
    job.profile = shared_text(fields.text("profile"), texts);
    append_unknown_members(object, others);
    job.other_fields = shared_text(others, texts);
    return job;
}

void read_extra_data(const JsonValue& extra_data, std::string_view path, JobDescription& job, TextPool* texts) {
    std::string others;
    read_extra_data(extra_data, path, job, texts, others);
    job.other_fields = shared_text(others, texts);
}

void append_extra_data(const JobDescription& job, std::string& out) {
    const std::size_t begin = out.size();
    append_other_fields(job, out);
    append_own_fields(job, out);
    if (out.size() == begin) {
        return;
    }
    const std::string_view others = job.other_fields;
    if (!others.starts_with(extra_data_member)) {
        out[begin] = '{';
        out += '}';
        return;
    }
    JsonReader reader;
    if (out.size() - begin > others.size() + 1 || reader.parse("{" + std::string(others) + "}").MemberCount() > 1) {
        throw InputError(
            "its extra_data is not an object, expected one: in this format it holds the job's other fields");
    }
    out.resize(begin);
    out += others.substr(extra_data_member.size());
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
    append_other_fields(job, out);
    out += '}';
}

}  // namespace batfill
