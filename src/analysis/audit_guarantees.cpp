#include <unordered_set>

#include "src/analysis/audit.hpp"

namespace batfill::analysis {

// Each job of the schedule must have one guarantee, and each guarantee must belong to such a job.
void Audit::check_guarantees() {
    std::unordered_map<std::string_view, const Started*> scheduled;  // the first one of each id
    for (const Started& job : started_) {
        scheduled.emplace(job.id, &job);
    }
    std::unordered_set<std::string_view> listed;
    for (const Guarantee& guarantee : *guarantees_) {
        const auto job = scheduled.find(guarantee.job_id);
        if (!listed.insert(guarantee.job_id).second) {
            violation(Time(), guarantee.job_id, "among the guarantees more than once");
        } else if (job == scheduled.end()) {
            violation(Time(), guarantee.job_id, "among the guarantees, but not in the schedule");
        } else {
            check_guarantee(guarantee, *job->second);
        }
    }
    for (const Started& job : started_) {
        expect(listed.contains(job.id), job.submit, job.id, "not among the guarantees");
    }
    for (const auto& [id, broken] : broken_) {
        expect(listed.contains(id), broken.front()->lost_at, std::string(id),
               "has a broken guarantee, but is not among the guarantees");
    }
}

void Audit::check_guarantee(const Guarantee& guarantee, const Started& job) {
    const std::optional<Time>& start = job.start;
    expect(agree_or_none(start, guarantee.actual_start), start.value_or(job.submit), job.id,
           "actual_start is {}, starting_time {}", guarantee.actual_start, start);
    if (!guarantee.guaranteed_start) {
        expect(!broken_.contains(job.id), job.submit, job.id, "has a broken guarantee, but was guaranteed nothing");
        return;
    }
    const Time guaranteed = *guarantee.guaranteed_start;
    ++report_.guarantees;
    expect(guaranteed + options_.tolerance >= job.submit, job.submit, job.id,
           "was guaranteed a start at {}, before its submission at {}", guaranteed, job.submit);
    const auto is_kept = [&](Time by) { return start && *start <= by + options_.tolerance; };
    const std::optional<Time> last = last_guarantee(guaranteed, job);
    if (!is_kept(guaranteed)) {
        ++report_.broken_guarantees;
        report_.listed_broken_guarantees += broken_.contains(job.id) ? 1U : 0U;
    }
    if (last && !is_kept(*last)) {
        violation(start.value_or(*last), job.id, "was guaranteed a start at {} and {}", last,
                  start ? "starts at " + start->to_string() : "never starts");
    }
}

// The job's guarantee after all processor losses that broke it; none if the last loss left none. Each loss must break
// the guarantee before it, in the order of time.
std::optional<Time> Audit::last_guarantee(Time guaranteed, const Started& job) {
    const auto broken = broken_.find(job.id);
    std::optional<Time> last = guaranteed;
    if (broken == broken_.end()) {
        return last;
    }
    Time before = job.submit;
    for (const BrokenGuarantee* one : broken->second) {
        if (!last || !agree(one->guaranteed_start, *last)) {
            violation(one->lost_at, job.id, "its guarantee broken at {} was a start at {}, expected {}", one->lost_at,
                      one->guaranteed_start, last);
            return guaranteed;
        }
        if (one->lost_at + options_.tolerance < before || one->lost_at > *last + options_.tolerance) {
            violation(one->lost_at, job.id, "its guarantee broken at {}: expected a time from {} to {}", one->lost_at,
                      before, last);
            return guaranteed;
        }
        if (one->new_start && *one->new_start <= *last) {
            violation(one->lost_at, job.id, "its guarantee broken at {} is now {}, which is not later", one->lost_at,
                      one->new_start);
            return guaranteed;
        }
        before = one->lost_at;
        last = one->new_start;
    }
    return last;
}

}  // namespace batfill::analysis
