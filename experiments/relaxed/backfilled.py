"""Which jobs of a schedule of `relaxed` were backfilled, found from the schedule alone."""
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from relaxed.months import Numbers
from relaxed.workload_jobs import QUEUES, ScheduledJobs, WorkloadJobs


def rounded(scores: Numbers) -> Numbers:
    """Scores as batfill's algorithms compare them: those that differ in their last bits are the same, rounded to a
    multiple of 2^-40 of a power of two, which changes at 1 / 1.37, far from what scores often are."""
    large = 6144 * 0.5 * 2.0 ** numpy.frexp(1.37 * scores)[1]
    rounded_scores: Numbers = (scores + large) - large
    return rounded_scores


@dataclass(frozen=True)
class Priorities:
    """The priority of the paper's equation 1 with its parameters alpha = 1, beta = -1, gamma = 1 and r = 10."""

    submits: Numbers
    rates: Numbers  # priority for each hour of waiting
    period: float  # seconds between calculations; 0: they are always those of the instant

    @classmethod
    def of(cls, jobs: WorkloadJobs, times: Numbers, period: float) -> "Priorities":
        """The priorities of jobs with these run times, estimated or actual."""
        queues = numpy.array([10.0 ** QUEUES[queue] for queue in jobs.queues])
        return cls(jobs.submits, 1 / (times / 3600) * (jobs.sizes / 32) * queues, period)

    def of_jobs(self, instant: float, jobs: NDArray[numpy.int64]) -> Numbers:
        """The priorities of some of the jobs, by number."""
        calculated = instant // self.period * self.period if self.period else instant
        return rounded(numpy.maximum(calculated - self.submits[jobs], 0) / 3600 * self.rates[jobs])


def backfilled(jobs: WorkloadJobs, schedule: ScheduledJobs, priorities: Priorities) -> NDArray[numpy.bool_]:
    """Which jobs started before one of higher priority that went on waiting. Of equal priorities that of the job
    submitted first is the higher one. O(starts x length of the queue)."""
    starts = schedule.starts
    found = numpy.zeros(len(jobs.ids), dtype=bool)
    by_start = numpy.argsort(starts, kind="stable")
    instants, first = numpy.unique(starts[by_start], return_index=True)
    queue = numpy.empty(0, dtype=numpy.int64)
    arrived = 0
    for instant, started in zip(instants, numpy.split(by_start, first[1:])):
        arriving = arrived
        arrived = int(numpy.searchsorted(jobs.submits, instant, "right"))
        queue = numpy.concatenate([queue, numpy.arange(arriving, arrived)])
        queue = queue[starts[queue] > instant]
        if queue.size:
            waiting = priorities.of_jobs(instant, queue)
            top = int(numpy.argmax(waiting))
            ours = priorities.of_jobs(instant, started)
            found[started] = (ours < waiting[top]) | ((ours == waiting[top]) & (started > queue[top]))
    return found
