#include "schedulers/start_history.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace batfill {

namespace {

// Whether `a` counts before `b` in this round with extra=needed-latest, if both jobs have the same estimated end. The
// simulator behind the paper keeps a list of running jobs, which begins with the jobs of its latest round. Within a
// round, backfilled jobs stand first, in the order in which they started; the others follow in reverse order. Jobs that
// the present round has started come after the list, in the order in which they started.
bool counts_before(const Start& a, const Start& b, std::uint64_t round) {
    const bool a_is_new = a.round == round;
    const bool b_is_new = b.round == round;
    if (a_is_new != b_is_new) {
        return b_is_new;
    }
    if (a.round != b.round) {
        return a.round > b.round;
    }
    if (a.backfilled != b.backfilled) {
        return a.backfilled;
    }
    return a_is_new || a.backfilled ? a.number < b.number : a.number > b.number;
}

}  // namespace

Parameter extra_parameter() {
    return Parameter::choice(
               "extra", {"all", "needed", "needed-latest", "none"}, "all",
               "extra processors: from all jobs that end by the reserved start, only from those that the reserved job needs, or none")
        .used_with({"reservations=1"})
        .used_with(placements_that_count());
}

std::vector<std::string> placements_that_count() {
    return {"placement=lowest", "placement=best-effort-contiguous"};
}

void keep_counted(std::vector<RunningJob>& running, int needed, Extra extra, const StartHistory& starts) {
    if (extra == Extra::all || extra == Extra::none) {
        return;
    }
    std::sort(running.begin(), running.end(), [&](const RunningJob& a, const RunningJob& b) {
        if (a.end != b.end) {
            return a.end < b.end;
        }
        const Start& start_a = starts.of(a.job);
        const Start& start_b = starts.of(b.job);
        return extra == Extra::needed ? start_a.number < start_b.number
                                      : counts_before(start_a, start_b, starts.round());
    });
    int sum = 0;
    const auto last = std::find_if(running.begin(), running.end(), [&](const RunningJob& job) {
        sum += job.processors;
        return sum >= needed;
    });
    running.erase(last == running.end() ? last : std::next(last), running.end());
}

}  // namespace batfill
