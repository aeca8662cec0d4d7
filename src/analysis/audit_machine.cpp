#include <algorithm>
#include <tuple>

#include "src/analysis/audit.hpp"
#include "src/support/interruption.hpp"

namespace batfill::analysis {

namespace {

// Calls `visit` with each processor of the job that a machine of this size has, until it returns false.
void visit_processors(const Ran& job, int size, auto visit) {
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        for (int processor = interval.first; processor <= std::min(interval.last, size - 1); ++processor) {
            if (!visit(processor)) {
                return;
            }
        }
    }
}

}  // namespace

// Walks the jobs by start and remembers the latest end on each processor. A job that starts before that end shares the
// processor. Reports each job once, for its lowest shared processor.
void Audit::check_processors() {
    std::vector<const Ran*> holders(static_cast<std::size_t>(processors()), nullptr);
    const Resources& resources = machine_.resources();
    const auto is_shared = [&](int processor) {
        return resources.has_named_hosts() && resources.kind_of(processor).is_shared;
    };
    for (const Ran& job : ran_) {
        look_for_interruption();
        const Time until = job.held_until();
        bool reported = false;
        visit_processors(job, processors(), [&](int processor) {
            if (is_shared(processor)) {
                return true;  // check_resources() looks at it
            }
            const Ran*& holder = holders[static_cast<std::size_t>(processor)];
            if (!reported && holder != nullptr && holder->held_until() > job.start + options_.tolerance) {
                violation(job.start, job, "starts at {} on processor {}, which job {} has until {}", job.start,
                          processor, shown(*holder->id), holder->finish);
                reported = true;
            }
            if (holder == nullptr || holder->held_until() < until) {
                holder = &job;
            }
            return true;
        });
    }
}

// Reports each job once, for its lowest processor with an outage.
void Audit::check_outages(const Ran& job) {
    look_for_interruption();
    const Time start = job.start;
    visit_processors(job, processors(), [&](int processor) {
        for (const Outages::Outage& outage : outages_.not_over_at(processor, start + options_.tolerance)) {
            if (outage.from <= start) {
                violation(start, job, "starts at {} on processor {}, which is unavailable {}", start, processor,
                          outage);
                return false;
            }
            if (options_.jobs_survive_losses || outage.from + options_.tolerance >= job.held_until()) {
                return true;
            }
            violation(outage.from, job, "runs until {} on processor {}, which is unavailable {}", job.finish, processor,
                      outage);
            return false;
        }
        return true;
    });
}

// Counts the used licence copies over time. As with processors, two jobs overlap only if each starts more than the
// tolerance before the other ends. So a job takes copies that much after its start, and copies are released before
// others are taken.
void Audit::check_licenses() {
    if (machine_.licenses().empty()) {
        return;
    }
    struct Change {
        Time at;
        int copies;
        const Ran* job;
        std::string license;
    };
    std::vector<Change> changes;
    for (const Ran& job : ran_) {
        const std::vector<std::string>& listed = job.description->licenses;
        const std::set<std::string> licenses(listed.begin(), listed.end());
        check_machine(job, licenses);
        const Time taken = job.start + options_.tolerance;
        if (taken < job.held_until()) {
            for (const std::string& license : licenses) {
                changes.push_back({taken, 1, &job, license});
                changes.push_back({job.held_until(), -1, &job, license});
            }
        }
    }
    std::ranges::stable_sort(changes, {}, [](const Change& change) { return std::tuple(change.at, change.copies); });
    std::map<std::string, long long> used;
    for (const Change& change : changes) {
        long long& count = used[change.license];
        count += change.copies;
        const std::optional<LicenseIndex> known = machine_.find_license(change.license);
        const long long copies = known ? machine_.licenses()[*known].copies : 0;
        if (change.copies > 0 && count > copies) {
            violation(change.job->start, *change.job, "takes copy {} of licence {}, there are {}", count,
                      shown(change.license), copies);
        }
    }
}

// A job with licences must run on one machine that can use all of them.
void Audit::check_machine(const Ran& job, const std::set<std::string>& licenses) {
    if (licenses.empty()) {
        return;
    }
    const auto can_use = [&](const Machine::Group& group, const std::string& license) {
        const std::optional<LicenseIndex> known = machine_.find_license(license);
        return known && std::ranges::binary_search(group.licenses, *known);
    };
    const Machine::Group* first = nullptr;
    visit_processors(job, processors(), [&](int processor) {
        const Machine::Group& group = machine_.group_of(processor);
        first = first == nullptr ? &group : first;
        if (group.name != first->name) {
            violation(job.start, job, "needs licences and is on machines {} and {}", shown(first->name),
                      shown(group.name));
            return false;
        }
        if (!std::ranges::all_of(licenses, [&](const std::string& license) { return can_use(group, license); })) {
            violation(job.start, job, "needs licences that processor {} does not have", processor);
            return false;
        }
        return true;
    });
}

}  // namespace batfill::analysis
