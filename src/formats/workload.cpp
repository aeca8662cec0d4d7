#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <unordered_set>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/formats/workload.hpp>

#include "src/formats/job_json.hpp"
#include "src/formats/profile_index.hpp"
#include "src/support/calendar.hpp"
#include "src/support/files.hpp"
#include "src/support/interruption.hpp"
#include "src/support/json.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_workload_size = std::size_t{2} << 30;

// After this many jobs, the number of jobs in the text is estimated.
constexpr std::size_t jobs_looked_at = 1000;

// Types that Batsim knows but this program does not run.
constexpr auto other_types = std::to_array<std::string_view>(
    {"parallel", "parallel_homogeneous_total", "parallel_homogeneous_pfs", "composed", "data_staging", "send", "recv",
     "smpi", "usage_trace", "ParallelTaskProfile", "SequentialCompositionProfile",
     "ParallelTaskOnStorageHomogeneousProfile", "ParallelTaskDataStagingBetweenStoragesProfile", "TraceReplayProfile"});

// What a type of Batsim 1 to 3 is called today. Empty if it is none of them.
std::string_view renamed_type(std::string_view type) {
    constexpr auto renamed = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"msg_par", "parallel"},
         {"msg_par_hg", "parallel_homogeneous"},
         {"msg_par_hg_tot", "parallel_homogeneous_total"},
         {"msg_par_hg_pfs", "parallel_homogeneous_pfs"},
         {"msg_par_hg_pfs0", "parallel_homogeneous_pfs"},
         {"msg_par_hg_pfs_tiers", "parallel_homogeneous_pfs"},
         {"ptask", "parallel"},
         {"ptask_homogeneous", "parallel_homogeneous"},
         {"ptask_homogeneous_total", "parallel_homogeneous_total"},
         {"seq", "composed"},
         {"sequence", "composed"},
         {"sequential", "composed"}});
    const auto* const found = std::ranges::find(renamed, type, &std::pair<std::string_view, std::string_view>::first);
    return found == renamed.end() ? std::string_view() : found->second;
}

// Whether each host gets the amounts unchanged.
bool is_homogeneous(Fields& fields, std::string_view type) {
    constexpr std::string_view unchanged = "DefinedAmountsUsedForEachValue";
    if (type == "ParallelTaskHomogeneousProfile") {
        return fields.text("generation_strategy", unchanged) == unchanged;
    }
    return type == "parallel_homogeneous";
}

double not_negative(Fields& fields, std::string_view name) {
    const double value = fields.number(name);
    fields.fail_if(!(value >= 0), name, "a number from 0");
    return value;
}

JobProfile read_profile(const JsonValue& object, bool keep_source) {
    refuse_if<InputError>(!object.IsObject(), "expected an object");
    Fields fields(object, "");
    JobProfile profile;
    profile.type_name = fields.text("type");
    profile.return_code = fields.integer("ret", 0);
    if (profile.type_name.ends_with("Profile")) {
        profile.format = WorkloadFormat::batsim5;
    }
    if (profile.type_name == "delay" || profile.type_name == "DelayProfile") {
        profile.type = JobProfile::Type::delay;
        profile.delay = fields.seconds("delay");
        fields.fail_if(!(fields.number("delay") > 0), "delay", "a number of seconds above 0");
    } else if (is_homogeneous(fields, profile.type_name)) {
        profile.type = JobProfile::Type::parallel_homogeneous;
        profile.cpu = not_negative(fields, "cpu");
        profile.com = not_negative(fields, "com");
    } else if (profile.type_name != "ParallelTaskHomogeneousProfile" &&
               std::ranges::find(other_types, profile.type_name) == other_types.end()) {
        const std::string_view today = renamed_type(profile.type_name);
        fields.fail("type", today.empty() ? "a profile type of Batsim"
                                          : in_quotes(today) + ", as Batsim calls this type since version 4");
    }
    if (keep_source) {
        append_json(object, profile.source);
    }
    return profile;
}

// Batsim prefixes an id with the workload's name, unless the id contains it already.
std::string full_id(const std::string& id, const std::string& workload) {
    refuse_if<InputError>(id.find('\0') != std::string::npos, [&] {
        return "field \"id\": expected no zero byte, at which Batsim would cut it off, found " + in_quotes(id);
    });
    if (id.find(workload) == std::string::npos) {
        refuse_if<InputError>(id.find('!') != std::string::npos,
                              [&] { return "field \"id\": expected no '!', found " + in_quotes(id); });
        return workload + "!" + id;
    }
    if (!id.starts_with(workload + "!") || id.find('!') != id.rfind('!')) {
        throw InputError(R"(field "id": expected it not to contain the workload's name, or to begin with ")" +
                         workload + "!\", found " + in_quotes(id));
    }
    return id;
}

WorkloadJob read_workload_job(const JsonValue& object, const std::string& workload, bool keep_source,
                              JobsInCommon& common) {
    WorkloadJob job;
    job.description = read_job(object, "", &common);
    if (job.description.walltime == Duration()) {
        Fields(object, "").fail("walltime", "a number of seconds above 0, or below 0 for none");
    }
    job.description.id = full_id(job.description.id, workload);
    leave_out_workload(job.description);
    if (keep_source) {
        std::string source;
        append_job(object, job.description.id, source);
        job.source = std::move(source);
    }
    return job;
}

class WorkloadReader {
 public:
    WorkloadReader(std::string text, const std::string& path, const std::string& name, bool keep_source)
        : keep_source_(keep_source) {
        workload_.name = name;
        workload_.path = path;
        json_.start(std::move(text));
    }

    Workload read() {
        refuse_if<InputError>(!json_.open('{'), "expected a JSON object with nb_res, jobs and profiles");
        struct Field {
            std::string_view name;
            void (WorkloadReader::*read)();
            bool required = true;
            bool seen = false;
        };
        std::array<Field, 6> fields{{{"nb_res", &WorkloadReader::read_processors},
                                     {"jobs", &WorkloadReader::read_jobs},
                                     {"profiles", &WorkloadReader::read_profiles},
                                     {"walltimes", &WorkloadReader::read_walltimes, false},
                                     {"more_than_log", &WorkloadReader::read_growth, false},
                                     {"origin", &WorkloadReader::read_origin, false}}};
        while (json_.more('}')) {
            auto* const field = std::ranges::find(fields, json_.key(), &Field::name);
            if (field == fields.end()) {
                json_.skip();
                continue;
            }
            refuse_if<InputError>(std::exchange(field->seen, true),
                                  [&] { return "field \"" + std::string(field->name) + "\": expected once"; });
            (this->*field->read)();
        }
        json_.finish();
        for (const Field& field : fields) {
            refuse_if<InputError>(field.required && !field.seen, "field \"", field.name, "\": expected, found none");
        }
        check_jobs();
        return std::move(workload_);
    }

 private:
    void read_processors() {
        const JsonValue& value = json_.value();
        if (!value.IsInt() || value.GetInt() <= 0) {
            const bool is_beyond = value.IsInt64() && value.GetInt64() > std::numeric_limits<int>::max();
            throw InputError("field \"nb_res\": expected an integer above 0" +
                             std::string(is_beyond ? ", up to 2147483647" : ""));
        }
        workload_.processors = value.GetInt();
    }

    void read_walltimes() {
        const JsonValue& value = json_.value();
        const std::string_view word = value.IsString() ? view(value) : "";
        refuse_if<InputError>(word != "enforced" && word != "believed",
                              R"(field "walltimes": expected "enforced" (omit it for that) or "believed")");
        workload_.believes_walltimes = word == "believed";
    }

    void read_growth() {
        const JsonValue& value = json_.value();
        refuse_if<InputError>(!value.IsObject(),
                              R"(field "more_than_log": expected an object of shares, such as {"cores": 0.114})");
        for (const auto& member : value.GetObject()) {
            if (!member.value.IsNumber()) {
                throw InputError(R"(field "more_than_log": expected a share of )" + std::string(view(member.name)));
            }
            workload_.more_than_log.emplace_back(view(member.name), member.value.GetDouble());
        }
    }

    void read_origin() {
        const JsonValue& value = json_.value();
        const std::string_view text = value.IsString() ? view(value) : "";
        const auto [date, zone] = cut(text, '[');
        TimeZone utc("");
        const auto instant = read_date(date, DateOrder::year_month_day, utc);
        refuse_if<InputError>(!instant || (date != text && !zone.ends_with(']')),
                              R"(field "origin": expected a date such as "2024-03-01T00:00:00Z" or )"
                              R"("2024-03-01T00:00:00+01:00[Europe/Berlin]")");
        workload_.origin = Origin{instant->first, std::string(zone.substr(0, zone.find(']')))};
    }

    void read_jobs() {
        refuse_if<InputError>(!json_.open('['), "field \"jobs\": expected an array");
        while (json_.more(']')) {
            if (workload_.jobs.size() == jobs_looked_at) {
                // Growing the vector step by step would need twice the memory. Reserved memory that stays unused costs
                // nothing.
                const std::size_t bytes_of_a_job = json_.position() / jobs_looked_at + 1;
                workload_.jobs.reserve(json_.size() / bytes_of_a_job * 5 / 4);
            }
            look_for_interruption();
            const JsonValue& object = json_.value();
            try {
                workload_.jobs.push_back(read_workload_job(object, workload_.name, keep_source_, common_));
            } catch (const InputError& error) {
                throw InputError(job_place(object) + ": " + error.what());
            }
        }
    }

    // How an error names an unreadable job: by its index, and by its id if that can be read.
    std::string job_place(const JsonValue& object) const {
        const JsonValue* const id = member_of(&object, "id");
        const bool has_id = id != nullptr && id->IsString();
        return "jobs[" + std::to_string(workload_.jobs.size()) + "]" +
               (has_id ? " (id " + in_quotes(view(*id)) + ")" : "");
    }

    void read_profiles() {
        refuse_if<InputError>(!json_.open('{'), "field \"profiles\": expected an object");
        while (json_.more('}')) {
            const std::string name(json_.key());
            try {
                const auto [profile, is_new] =
                    workload_.profiles.emplace(name, read_profile(json_.value(), keep_source_));
                refuse_if<InputError>(!is_new, "another one has this name");
                if (profile->second.format == WorkloadFormat::batsim5) {
                    workload_.format = WorkloadFormat::batsim5;
                }
            } catch (const InputError& error) {
                throw InputError("profile " + in_quotes(name) + ": " + error.what());
            }
        }
    }

    void check_jobs() const {
        check_ids();
        ProfileIndex profiles(workload_);
        for (const WorkloadJob& job : workload_.jobs) {
            look_for_interruption();
            if (profiles.find(job.description.profile) == nullptr) {
                throw InputError("job " + in_quotes(job.description.id) + ": its profile " +
                                 in_quotes(job.description.profile) + " is not among the profiles");
            }
        }
    }

    void check_ids() const {
        // Most files order the jobs by number. Then comparing neighbours suffices.
        const auto not_before = [](const WorkloadJob& a, const WorkloadJob& b) {
            const std::string& x = a.description.id;
            const std::string& y = b.description.id;
            return x.size() != y.size() ? x.size() > y.size() : x >= y;
        };
        const std::vector<WorkloadJob>& jobs = workload_.jobs;
        if (std::ranges::adjacent_find(jobs, not_before) == jobs.end()) {
            return;
        }
        std::unordered_set<std::string_view> ids;
        ids.reserve(jobs.size());
        for (const WorkloadJob& job : jobs) {
            refuse_if<InputError>(!ids.insert(job.description.id).second,
                                  [&] { return "job " + in_quotes(job.description.id) + ": another job has this id"; });
        }
    }

    bool keep_source_;
    JsonReader json_;
    JobsInCommon common_;
    Workload workload_;
};

}  // namespace

JobProfile parse_profile(std::string_view text) {
    JsonReader json;
    return read_profile(json.parse(text), true);
}

double computing_seconds(const Platform& platform, const JobProfile& profile, const ResourceSet& processors) {
    assert(!processors.empty());
    double slowest = platform.hosts[static_cast<std::size_t>(processors.last())].speed;
    for (const ResourceSet::Interval& interval : processors.intervals()) {
        for (int host = interval.first; host <= interval.last; ++host) {
            slowest = std::min(slowest, platform.hosts[static_cast<std::size_t>(host)].speed);
        }
    }
    return profile.cpu / slowest;
}

std::string read_workload_text(const std::string& path) {
    return read_file(path, max_workload_size, "a workload in JSON", {FileKind::workload, FileKind::json});
}

Workload read_workload(const std::string& path, const std::string& name, bool keep_source) {
    return parse_workload(read_workload_text(path), path, name, keep_source);
}

Workload parse_workload(std::string text, const std::string& path, const std::string& name, bool keep_source) {
    return with_place_in_errors(path, [&] { return WorkloadReader(std::move(text), path, name, keep_source).read(); });
}

void submit_at(JobDescription& job, Time submit) {
    const Duration moved = submit - std::exchange(job.submit, submit);
    if (job.deadline) {
        job.deadline = *job.deadline + moved;
    }
    if (job.needs && job.needs->begin && moved != Duration()) {
        StatedNeeds needs = *job.needs;
        needs.begin = std::max(*needs.begin + moved, Time());
        set_conditions(job, needs);
    }
}

std::size_t drop_unknown_dependencies(Workload& workload) {
    const auto has_conditions = [](const WorkloadJob& job) {
        return job.description.needs && !job.description.needs->after.empty();
    };
    if (std::ranges::none_of(workload.jobs, has_conditions)) {
        return 0;
    }
    std::unordered_set<std::string> ids;  // only looked up
    for (const WorkloadJob& job : workload.jobs) {
        ids.insert(job.description.id.substr(job.description.id.find('!') + 1));
    }
    std::size_t dropped = 0;
    for (WorkloadJob& job : workload.jobs) {
        if (!has_conditions(job)) {
            continue;
        }
        std::vector<Dependency> after = job.description.needs->after;
        if (const auto unknown =
                std::erase_if(after, [&](const Dependency& dependency) { return !ids.contains(dependency.job); });
            unknown > 0) {
            dropped += unknown;
            set_dependencies(job.description, std::move(after));
        }
    }
    return dropped;
}

}  // namespace batfill
