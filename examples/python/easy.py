"""EASY backfilling in Python: the schedule of `easy`, job by job."""

import sys

import numpy

import batfill


class Easy(batfill.Scheduler):
    """Starts jobs by submission; others may start before the first that waits, if they do not delay it."""

    def decide(self, round):
        waiting, first = round.waiting, 0
        while first < len(waiting) and round.try_start(first):
            first += 1
        if first + 1 < len(waiting) and round.idle > 0:
            reservation = round.reserve(first)
            for job in numpy.flatnonzero(waiting.processors <= round.idle):
                if job > first:
                    reservation.try_start(job)


if __name__ == "__main__":  # easy.py LOG.swf.gz PROCESSORS
    print(batfill.simulate(sys.argv[1], sys.argv[2], Easy()).metrics()["mean_bounded_slowdown"])
