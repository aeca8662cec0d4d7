#include "src/formats/job_json.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

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

// Reads the fields that only this program defines. Absent ones keep their value in `job`.
void read_own_fields(Fields& fields, JobDescription& job, TextPool* texts) {
    if (fields.find("deadline") != nullptr) {
        job.deadline = fields.time("deadline");
    }
    read_name(fields, "queue", job.queue, texts);
    read_name(fields, "user", job.user, texts);
    if (fields.find("licenses") != nullptr) {
        job.licenses.clear();
        for (const auto& license : fields.array("licenses").GetArray()) {
            if (!license.IsString()) {
                fields.fail("licenses", "an array of texts");
            }
            job.licenses.emplace_back(view(license));
        }
    }
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

// Throws: InputError for a field that the object has twice, as read_job() would see only the first.
// Cost: O(fields * log(fields)).
void require_different_fields(const JsonValue& object) {
    std::vector<std::string_view> names;
    for (const auto& member : object.GetObject()) {
        names.push_back(view(member.name));
    }
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
        throw InputError("field " + in_quotes(*twice) + ": expected once");
    }
}

// Appends the members of `object` that read_job() does not know, each after a comma unless it is the first.
void append_unknown_members(const JsonValue& object, std::string& out) {
    for (const auto& member : object.GetObject()) {
        if (!is_known_field(view(member.name))) {
            out += out.empty() ? "" : ",";
            append_json_string(view(member.name), out);
            out += ':';
            append_exact_json(member.value, out);
        }
    }
}

constexpr std::string_view extra_data_member = R"("extra_data":)";

}  // namespace

bool is_known_field(std::string_view name) {
    constexpr std::array<std::string_view, 10> known = {"id",    "subtime", "res",      "profile",  "walltime",
                                                        "queue", "user",    "deadline", "licenses", "extra_data"};
    return std::ranges::find(known, name) != known.end();
}

std::string read_extra_data(const JsonValue& extra_data, std::string_view path, JobDescription& job, TextPool* texts) {
    std::string others;
    std::optional<JsonReader> reader;
    const JsonValue* object = &extra_data;
    if (extra_data.IsString() && view(extra_data).starts_with('{')) {
        try {
            object = &reader.emplace().parse(view(extra_data));
        } catch (const InputError&) {
            object = &extra_data;  // a text that only looks like JSON
        }
    }
    if (object->IsObject()) {
        Fields fields(*object, path);
        read_own_fields(fields, job, texts);
        append_unknown_members(*object, others);
    } else if (!extra_data.IsNull()) {
        others += extra_data_member;
        append_exact_json(extra_data, others);
    }
    return others;
}

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
        others = read_extra_data(*extra_data, std::string(path) + "extra_data.", job, texts);
    }
    read_own_fields(fields, job, texts);
    job.profile = shared_text(fields.text("profile"), texts);
    if (!fields.all_requested()) {
        require_different_fields(object);
        append_unknown_members(object, others);
    }
    job.other_fields = shared_text(others, texts);
    return job;
}

void append_extra_data(const JobDescription& job, std::string& out) {
    std::string fields;
    fields.append(job.other_fields.empty() ? "" : ",").append(job.other_fields.text());
    append_own_fields(job, fields);
    const std::string_view others = job.other_fields;
    if (!others.starts_with(extra_data_member)) {
        out += fields.empty() ? "" : "{" + fields.substr(1) + "}";
        return;
    }
    JsonReader reader;
    if (fields.size() > others.size() + 1 || reader.parse("{" + std::string(others) + "}").MemberCount() > 1) {
        throw InputError(
            "its extra_data is not an object, expected one: in this format it holds the job's other fields");
    }
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

void append_job(const JobDescription& job, std::string_view id, std::string& out, WorkloadFormat format) {
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
    if (format == WorkloadFormat::batsim4) {
        append_own_fields(job, out);
        out.append(job.other_fields.empty() ? "" : ",").append(job.other_fields.text());
    } else {
        std::string extra_data;
        append_extra_data(job, extra_data);
        out.append(extra_data.empty() ? "" : ",\"extra_data\":").append(extra_data);
    }
    out += '}';
}

}  // namespace batfill
