#include "src/formats/job_json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "src/support/json_writer.hpp"
#include "src/support/mapped.hpp"
#include "src/support/place_in_errors.hpp"

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
    const bool is_beyond = id != nullptr && id->IsInt64() && id->GetInt64() > std::numeric_limits<int>::max();
    fields.fail("id", "a text or an integer", id, is_beyond ? ", above the largest, 2147483647" : "");
}

SharedText shared_text(std::string_view text, JobsInCommon* common) {
    return common != nullptr ? common->text(text) : SharedText(text);
}

// Logs number their users and queues, so workloads made from them often have numbers here.
void read_name(Fields& fields, std::string_view name, SharedText& result, JobsInCommon* common) {
    const JsonValue* value = fields.find(name);
    if (value == nullptr) {
        return;
    }
    if (value->IsString()) {
        result = shared_text(view(*value), common);
    } else if (value->IsNumber()) {
        std::string number;
        append_json(*value, number);
        result = shared_text(number, common);
    } else {
        fields.fail(name, "a text or a number");
    }
}

// Reads the fields that only this program defines. Absent ones keep their value in `job`.
void read_own_fields(Fields& fields, JobDescription& job, JobsInCommon* common) {
    if (fields.find("deadline") != nullptr) {
        job.deadline = fields.time("deadline");
    }
    read_name(fields, "queue", job.queue, common);
    read_name(fields, "user", job.user, common);
    if (fields.find("licenses") != nullptr) {
        job.licenses.clear();
        for (const auto& license : fields.array("licenses").GetArray()) {
            fields.fail_if(!license.IsString(), "licenses", "an array of texts");
            job.licenses.emplace_back(view(license));
        }
    }
}

void write_own_fields(const JobDescription& job, JsonWriter& json) {
    if (job.deadline) {
        job.deadline->since_zero().append_shortest_to(json.key("deadline").value());
    }
    json.member_if_any("queue", job.queue);
    json.member_if_any("user", job.user);
    json.member_if_any("licenses", job.licenses);
}

std::vector<Dependency> read_dependencies(Fields& fields) {
    std::vector<Dependency> after;
    for (const auto& text : fields.array("after").GetArray()) {
        std::optional<Dependency> dependency = text.IsString() ? Dependency::parse(view(text)) : std::nullopt;
        if (!dependency) {
            const std::string_view said = text.IsString() ? view(text) : "";
            const std::size_t plus = said.rfind('+');
            const auto delay = plus == std::string_view::npos ? std::nullopt : Duration::parse(said.substr(plus + 1));
            const bool is_rounded = delay && !Duration::parse_exactly(said.substr(plus + 1));
            fields.fail("after",
                        is_rounded ? "a delay of at most six decimals"
                                   : R"(texts such as "ok:12", "any:12", "start:12" or "any:12+600")",
                        &text);
        }
        after.push_back(std::move(*dependency));
    }
    return after;
}

// The field, unless it is missing or null.
const JsonValue* find_set(Fields& fields, std::string_view name) {
    const JsonValue* const value = fields.find(name);
    return value == nullptr || value->IsNull() ? nullptr : value;
}

// When the job may be eligible, beside the jobs that it waits for.
void read_begin_and_array(Fields& fields, StatedNeeds& needs) {
    if (const JsonValue* const begin = find_set(fields, "begin")) {
        std::string number;
        append_exact_json(*begin, number);
        const std::optional<Duration> exact = begin->IsNumber() ? Duration::parse_exactly(number) : std::nullopt;
        fields.fail_if(!exact || *exact < Duration(), "begin", "a time from 0 on, of at most six decimals");
        needs.begin = fields.time("begin");
    }
    if (find_set(fields, "array") != nullptr) {
        needs.array = fields.text("array");
    }
    if (const JsonValue* const limit = find_set(fields, "array_limit")) {
        fields.fail_if(!limit->IsUint64() || limit->GetUint64() == 0, "array_limit", "a whole number from 1 on");
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<Amount>::max());
        needs.array_limit = static_cast<Amount>(std::min(limit->GetUint64(), largest));
    }
}

// What an object says of pools, hosts, partitions, and of jobs and instants to wait for. These fields also stay among
// the other fields.
Shared<StatedNeeds> read_needs(const JsonValue& object, std::string_view path) {
    Fields fields(object, path);
    StatedNeeds needs;
    if (fields.find("pools") != nullptr) {
        needs.pools = read_amounts(fields.object("pools"), std::string(path) + "pools.");
    }
    if (fields.find("per_host") != nullptr) {
        needs.per_host = read_amounts(fields.object("per_host"), std::string(path) + "per_host.");
    }
    if (find_set(fields, "partition") != nullptr) {
        needs.partition = fields.text("partition");
        fields.fail_if(std::ranges::count(partitions_in(*needs.partition), "") > 0, "partition",
                       "names of partitions with commas between them");
    }
    if (const JsonValue* const value = find_set(fields, "reservation")) {
        if (value->IsString() && value->GetStringLength() > 0) {
            needs.booking = view(*value);
        } else {
            append_exact_json(*value, needs.wrong_booking.emplace());
        }
    }
    if (fields.find("after") != nullptr) {
        needs.after = read_dependencies(fields);
    }
    read_begin_and_array(fields, needs);
    static const StatedNeeds nothing;
    return needs == nothing ? Shared<StatedNeeds>() : Shared<StatedNeeds>(std::move(needs));
}

// Appends the members that read_job() does not know. Of those that it knows, some may not have been requested.
void append_unknown_members(const Fields& fields, std::string& members) {
    JsonWriter json = JsonWriter::behind(members);
    fields.for_each_unread([&](const auto& member) {
        if (!is_known_field(view(member.name))) {
            append_exact_json(member.value, json.key(view(member.name)).value());
        }
    });
}

constexpr std::string_view extra_data_member = R"("extra_data":)";

}  // namespace

StatedNeeds::Amounts read_amounts(const JsonValue& object, const std::string& path) {
    Fields fields(object, path);
    StatedNeeds::Amounts amounts;
    amounts.reserve(object.MemberCount());
    std::set<std::string_view> names;
    for (const auto& member : object.GetObject()) {
        if (!member.value.IsInt64() || member.value.GetInt64() < 0) {
            constexpr Amount largest = std::numeric_limits<Amount>::max();
            const bool is_beyond = member.value.IsNumber() && member.value.GetDouble() >= static_cast<double>(largest);
            fields.fail(view(member.name), "a whole number from 0 on", &member.value,
                        is_beyond ? ", above the largest, " + std::to_string(largest) : "");
        }
        refuse_if<InputError>(!fields.surely_differ() && !names.insert(view(member.name)).second, [&] {
            return "field " + in_quotes(path + std::string(view(member.name))) + ": expected once";
        });
        amounts.emplace_back(view(member.name), member.value.GetInt64());
    }
    return amounts;
}

bool is_known_field(std::string_view name) {
    constexpr std::array<std::string_view, 10> known = {"id",    "subtime", "res",      "profile",  "walltime",
                                                        "queue", "user",    "deadline", "licenses", "extra_data"};
    return std::ranges::find(known, name) != known.end();
}

std::string read_extra_data(const JsonValue& extra_data, std::string_view path, JobDescription& job,
                            JobsInCommon* common) {
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
        read_own_fields(fields, job, common);
        if (Shared<StatedNeeds> needs = read_needs(*object, path)) {
            job.needs = std::move(needs);
        }
        append_unknown_members(fields, others);
    } else if (!extra_data.IsNull()) {
        others += extra_data_member;
        append_exact_json(extra_data, others);
    }
    return others;
}

void read_needs_of_other_fields(JobDescription& job) {
    constexpr auto names =
        std::to_array<std::string_view>({R"("pools")", R"("per_host")", R"("partition")", R"("after")",
                                         R"("reservation")", R"("begin")", R"("array")", R"("array_limit")"});
    const std::string_view fields = job.other_fields;
    const auto may_have = [&](std::string_view name) { return fields.find(name) != std::string_view::npos; };
    if (std::ranges::any_of(names, may_have)) {
        JsonReader reader;
        job.needs = read_needs(reader.parse('{' + std::string(fields) + '}'), "");
    }
}

std::string members_of(const StatedNeeds& needs) {
    std::string members;
    JsonWriter json = JsonWriter::behind(members);
    const auto write = [&json](std::string_view name, const StatedNeeds::Amounts& amounts) {
        json.key(name).integers(amounts);
    };
    if (needs.per_host) {
        write("per_host", *needs.per_host);
    }
    if (!needs.pools.empty()) {
        write("pools", needs.pools);
    }
    json.member_if_any("partition", needs.partition);
    return members;
}

void set_conditions(JobDescription& job, const StatedNeeds& needs) {
    constexpr auto names = std::to_array<std::string_view>({"after", "begin", "array", "array_limit"});
    std::string others;
    JsonReader reader;
    JsonWriter json = JsonWriter::behind(others);
    const JsonValue& before = reader.parse("{" + std::string(job.other_fields.text()) + "}");
    for (const auto& member : before.GetObject()) {
        if (std::ranges::find(names, view(member.name)) == names.end()) {
            append_exact_json(member.value, json.key(view(member.name)).value());
        }
    }
    if (!needs.after.empty()) {
        json.key("after").texts(mapped(needs.after, &Dependency::to_string));
    }
    if (needs.begin) {
        needs.begin->since_zero().append_shortest_to(json.key("begin").value());
    }
    if (needs.array) {
        json.key("array").text(*needs.array);
    }
    if (needs.array_limit) {
        json.key("array_limit").integer(*needs.array_limit);
    }
    job.other_fields = others;
    StatedNeeds changed = job.needs ? *job.needs : StatedNeeds();
    std::tie(changed.after, changed.begin) = std::tie(needs.after, needs.begin);
    std::tie(changed.array, changed.array_limit) = std::tie(needs.array, needs.array_limit);
    job.needs = changed == StatedNeeds() ? Shared<StatedNeeds>() : Shared<StatedNeeds>(std::move(changed));
}

void set_dependencies(JobDescription& job, std::vector<Dependency> after) {
    StatedNeeds needs = job.needs ? *job.needs : StatedNeeds();
    needs.after = std::move(after);
    set_conditions(job, needs);
}

void leave_out_workload(JobDescription& job) {
    const std::string_view prefix = std::string_view(job.id).substr(0, job.id.find('!') + 1);
    const auto has_prefix = [&](const Dependency& dependency) { return dependency.job.starts_with(prefix); };
    if (prefix.empty() || !job.needs || std::ranges::none_of(job.needs->after, has_prefix)) {
        return;
    }
    std::vector<Dependency> after = job.needs->after;
    for (Dependency& dependency : after) {
        dependency.job.erase(0, has_prefix(dependency) ? prefix.size() : 0);
    }
    set_dependencies(job, std::move(after));
}

void require_bookings(const Workload& workload, std::span<const Window> windows) {
    if (!are_for_bookings(windows)) {
        return;
    }
    for (const WorkloadJob& job : workload.jobs) {
        if (job.description.needs && job.description.needs->wrong_booking) {
            with_place_in_errors(workload.path + ": job " + shown(job.description.id),
                                 [&] { require_booking(*job.description.needs); });
        }
    }
}

JobDescription read_job(const JsonValue& object, std::string_view path, JobsInCommon* common) {
    refuse_if<InputError>(!object.IsObject(), "expected a job object");
    Fields fields(object, path);
    JobDescription job;
    std::string others;
    job.id = read_id(fields);
    job.submit = fields.time("subtime");
    job.processors = fields.integer("res");
    fields.fail_if(job.processors < 0, "res", "an integer from 0");
    if (fields.find("walltime") != nullptr) {
        const Duration walltime = fields.seconds("walltime");
        if (walltime >= Duration()) {
            job.walltime = walltime;
        }
    }
    if (const JsonValue* extra_data = fields.find("extra_data")) {
        others = read_extra_data(*extra_data, std::string(path) + "extra_data.", job, common);
    }
    read_own_fields(fields, job, common);
    job.profile = shared_text(fields.text("profile"), common);
    if (!fields.all_requested()) {
        if (!fields.surely_differ()) {
            require_different_fields(object);
        }
        append_unknown_members(fields, others);
    }
    if (others.empty()) {
        return job;
    }
    // No two jobs wait for the same jobs.
    const bool is_alone = others.find(R"("after":)") != std::string::npos;
    if (common != nullptr && !is_alone && fields.find("extra_data") == nullptr) {
        std::tie(job.other_fields, job.needs) = common->others(others, [&] { return read_needs(object, path); });
        return job;
    }
    if (Shared<StatedNeeds> needs = read_needs(object, path)) {
        job.needs = std::move(needs);
    }
    job.other_fields = shared_text(others, is_alone ? nullptr : common);
    return job;
}

void append_extra_data(const JobDescription& job, std::string& out) {
    const std::string_view others = job.other_fields;
    JsonWriter json;
    json.members(others);
    write_own_fields(job, json);
    const std::string& fields = json.written();
    if (!others.starts_with(extra_data_member)) {
        out += fields.empty() ? "" : "{" + fields + "}";
        return;
    }
    JsonReader reader;
    refuse_if<InputError>(
        fields.size() > others.size() || reader.parse("{" + std::string(others) + "}").MemberCount() > 1,
        "its extra_data is not an object, expected one: in this format it holds the job's other fields");
    out += others.substr(extra_data_member.size());
}

void append_job(const JsonValue& object, std::string_view id, std::string& out) {
    JsonWriter json(out);
    json.open_object();
    for (const auto& member : object.GetObject()) {
        json.key(view(member.name));
        if (view(member.name) == "id") {
            json.text(id);
        } else {
            append_json(member.value, json.value());
        }
    }
    json.close_object();
}

void append_job(const JobDescription& job, std::string_view id, std::string& out, WorkloadFormat format) {
    JsonWriter json(out);
    json.open_object();
    json.key("id").text(id);
    job.submit.since_zero().append_shortest_to(json.key("subtime").value());
    json.key("res").integer(job.processors);
    if (job.walltime) {
        job.walltime->append_shortest_to(json.key("walltime").value());
    }
    json.member_if_any("profile", job.profile);
    if (format == WorkloadFormat::batsim4) {
        write_own_fields(job, json);
        json.members(job.other_fields);
    } else {
        std::string extra_data;
        append_extra_data(job, extra_data);
        json.members(extra_data.empty() ? "" : std::string(extra_data_member) + extra_data);
    }
    json.close_object();
}

}  // namespace batfill
