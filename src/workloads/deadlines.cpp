#include <cassert>

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/deadlines.hpp>

#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill {

namespace {

// Reads the next object from `reader`, whose text is `text`. Returns its members as they are written, without
// `deadline`; `edit(key, value)` gives their values.
std::string members_without_deadline(JsonReader& reader, std::string_view text, const auto& edit) {
    std::string members;
    reader.open('{');
    while (reader.more('}')) {
        const std::size_t begin = reader.position();
        const std::string_view key = reader.key();
        const std::size_t end = reader.position();
        reader.skip();
        if (key != "deadline") {
            members.append(members.empty() ? "" : ",").append(text.substr(begin, end - begin));
            members += edit(key, text.substr(end, reader.position() - end));
        }
    }
    return members;
}

// Returns the value of a job's extra_data without the deadline that read_job() finds in it.
std::string extra_data_without_deadline(std::string_view extra_data) {
    JsonReader reader;
    const JsonValue& value = reader.parse(extra_data);
    JobDescription job;
    read_extra_data(value, "", job);
    if (!job.deadline) {
        return std::string(extra_data);
    }
    const bool is_text = value.IsString();
    const std::string object(is_text ? view(value) : extra_data);
    reader.start(object);
    const auto same = [](std::string_view, std::string_view member) { return member; };
    const std::string result = "{" + members_without_deadline(reader, object, same) + "}";
    std::string quoted;
    append_json_string(result, quoted);
    return is_text ? quoted : result;
}

// Reads the next job from `reader`, whose text is `text`, and appends it with this deadline to `out`.
void append_with_deadline(JsonReader& reader, const std::string& text, const std::optional<Time>& deadline,
                          std::string& out) {
    JsonWriter json(out);
    json.open_object();
    json.members(members_without_deadline(reader, text, [](std::string_view key, std::string_view value) {
        return key == "extra_data" ? extra_data_without_deadline(value) : std::string(value);
    }));
    if (deadline) {
        deadline->since_zero().append_shortest_to(json.key("deadline").value());
    }
    json.close_object();
}

// The positions in `workload.jobs`, in increasing order, of the jobs that can get a deadline.
std::vector<std::size_t> jobs_with_walltime(const Workload& workload) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        if (workload.jobs[i].description.walltime) {
            places.push_back(i);
        }
    }
    return places;
}

std::size_t number_to_draw(const DeadlineDraw& request, std::size_t eligible) {
    if (request.share) {
        return count_of_share(*request.share, eligible);
    }
    refuse_if(request.count > eligible, "expected a sample of at most ", eligible,
              " jobs, those that have a walltime, found ", request.count);
    return request.count;
}

Time deadline_of(const WorkloadJob& job, const DeadlineRule& rule, const std::string& path) {
    const Time deadline = job.description.submit + rule.allowance(*job.description.walltime);
    if (deadline > Time::at(Duration::longest_readable())) {
        throw InputError(path + ": job " + shown(job.description.id) + ": expected its deadline within 1e18 s, found " +
                         deadline.since_zero().to_shortest_string());
    }
    return deadline;
}

}  // namespace

std::size_t count_of_share(Decimal share, std::size_t jobs) {
    assert(share.millionths() <= Decimal::of(1).millionths());
    const Microseconds product = static_cast<Microseconds>(jobs) * share.millionths();
    return static_cast<std::size_t>(product / Decimal::of(1).millionths());
}

std::vector<std::size_t> draw(std::vector<std::size_t> places, std::size_t count, std::uint64_t seed) {
    assert(count <= places.size());
    // Boost's distributions, unlike those of the standard library, give the same draws everywhere.
    boost::random::mt19937_64 engine(seed);
    for (std::size_t i = 0; i < count; ++i) {
        const boost::random::uniform_int_distribution<std::uint64_t> one_of_the_rest(i, places.size() - 1);
        std::swap(places[i], places[one_of_the_rest(engine)]);
    }
    places.resize(count);
    std::sort(places.begin(), places.end());
    return places;
}

std::string with_deadlines(const std::string& text, const std::vector<std::optional<Time>>& deadlines) {
    JsonReader reader;
    reader.start(text);
    std::string out;
    std::size_t copied = 0;
    std::size_t job = 0;
    reader.open('{');
    while (reader.more('}')) {
        if (reader.key() != "jobs") {
            reader.skip();
            continue;
        }
        reader.open('[');
        while (reader.more(']')) {
            const std::size_t begin = text.find('{', reader.position());
            out.append(text, copied, begin - copied);
            append_with_deadline(reader, text, deadlines.at(job++), out);
            copied = reader.position();
        }
    }
    assert(job == deadlines.size());
    return out.append(text, copied);
}

DrawnDeadlines draw_deadlines(const DeadlineDraw& request) {
    const std::string text = named_workload_text(request.workload, request.note);
    Workload workload = parse_workload(text, request.workload, "w0", true);
    const std::vector<std::size_t> eligible = jobs_with_walltime(workload);
    const std::vector<std::size_t> drawn = draw(eligible, number_to_draw(request, eligible.size()), request.seed);
    DrawnDeadlines result{workload.jobs.size(), eligible.size(), drawn.size()};
    std::vector<std::optional<Time>> deadlines(workload.jobs.size());
    for (const std::size_t place : drawn) {
        const WorkloadJob& job = workload.jobs[place];
        deadlines[place] = deadline_of(job, request.rule, request.workload);
        result.at_floor += *deadlines[place] - job.description.submit == request.rule.floor ? 1U : 0U;
    }
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        result.replaced += workload.jobs[i].description.deadline.has_value() ? 1U : 0U;
        workload.jobs[i].description.deadline = deadlines[i];
    }
    const WorkloadFormat format = request.format.value_or(workload.format);
    if (format == WorkloadFormat::batsim4 && workload.format == format) {
        require_loadable_ids(workload);
        write_file(request.output, with_deadlines(text, deadlines));
    } else {
        workload.format = format;
        write_workload(workload, request.output);
    }
    return result;
}

}  // namespace batfill
