"""Jobs that waited although the machine had room for them during the whole wait.

How full the machine was depends on how jobs are counted. By cores, jobs share nodes without any loss. By nodes, each
job has all its nodes to itself. The truth is between the two.
"""
from bisect import bisect_left
from dataclasses import dataclass
from typing import Callable, Sequence

from cirrus.accounting import Record

SOON = 60  # within so many seconds one thing follows another
Size = Callable[[Record], int]
COUNTS: dict[str, Size] = {"cores": lambda record: record.cores, "nodes": lambda record: record.nodes}


@dataclass(frozen=True)
class Waited:
    """A job that ran, and whether there was room during its whole wait: for it alone, and for it with all waiting jobs
    that were submitted before it. In the latter case, FCFS starts it at once, and so does every other algorithm that
    keeps no processors idle on purpose."""

    record: Record
    wait: int
    alone: bool
    with_earlier: bool


def waited(records: Sequence[Record], size: Size, total: int) -> list[Waited]:
    """All jobs that ran, in the order of submission. Jobs that never started waited until their end, so they count
    among the earlier ones."""
    ordered = sorted(records, key=lambda record: record.submit)  # stable: equal ones stay in the file's order
    instants = sorted({instant for one in ordered for instant in (one.submit, one.start, one.end)
                       if instant is not None})
    place = {instant: number for number, instant in enumerate(instants)}
    busy = busy_from(ordered, size, instants)
    wanted = [0] * len(instants)
    found = []
    for one in ordered:
        begin, end = place[one.submit], place[one.end if one.start is None else one.start]
        if one.ran and one.start is not None:
            found.append(Waited(
                one, one.start - one.submit,
                all(busy[step] + size(one) <= total for step in range(begin, end)),
                all(busy[step] + wanted[step] + size(one) <= total for step in range(begin, end))))
        for step in range(begin, end):
            wanted[step] += size(one)
    return found


def busy_from(records: Sequence[Record], size: Size, instants: Sequence[int]) -> list[int]:
    """How much is taken from each instant to the next. `instants` are sorted and have all starts and ends."""
    changes = [0] * len(instants)
    for one in records:
        if one.ran and one.start is not None:
            changes[bisect_left(instants, one.start)] += size(one)
            changes[bisect_left(instants, one.end)] -= size(one)
    taken, now = [], 0
    for change in changes:
        now += change
        taken.append(now)
    return taken


def most_at_once(records: Sequence[Record], size: Size) -> int:
    """The most that is taken at any instant."""
    instants = sorted({instant for one in records if one.start is not None for instant in (one.start, one.end)})
    return max(busy_from(records, size, instants), default=0)


def follow_an_end(jobs: Sequence[Record], records: Sequence[Record]) -> int:
    """How many of these jobs started at the end of another job of the same size, or soon after it."""
    ends: dict[tuple[int, int], list[int]] = {}
    for one in records:
        if one.ran:
            ends.setdefault(one.size, []).append(one.end)
    for of_size in ends.values():
        of_size.sort()

    def follows(one: Record) -> bool:
        if one.start is None:
            return False
        of_size = ends.get(one.size, [])
        first = bisect_left(of_size, one.start - SOON)
        return first < len(of_size) and of_size[first] <= one.start

    return sum(map(follows, jobs))
