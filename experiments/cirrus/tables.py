"""Job of rule `cirrus_tables`: mean waits and slowdowns of the centre and of all replays, and by how much the replays
differ from the centre and hosts from counted cores; with intervals over stretches of time, in pairs."""
from typing import Any, Mapping, Sequence

from cirrus.replay import CENTRE, CORES, HOSTS
from common.bootstrap import Bounds, Resamples, mean, means
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv

MEASURES = ("wait", "bounded_slowdown")

Lines = Sequence[Mapping[str, str]]
Way = tuple[str, str]  # machine and schedule


def ways_of(lines: Lines) -> dict[Way, list[Mapping[str, str]]]:
    """The lines by machine and schedule."""
    found: dict[Way, list[Mapping[str, str]]] = {}
    for line in lines:
        found.setdefault((line["machine"], line["schedule"]), []).append(line)
    return found


def pairs_of(ways: Sequence[Way]) -> list[tuple[Way, Way]]:
    """What is compared with what: each replay with the centre, and hosts with counted cores under the same
    algorithm."""
    [centre] = [way for way in ways if way[1] == CENTRE]
    return [(way, centre) for way in ways if way != centre] + \
           [(way, (CORES, way[1])) for way in ways if way[0] == HOSTS]


def tables_of(lines: Lines, group: str, bootstrap: Mapping[str, Any]) -> tuple[list[Row], list[Row]]:
    """Means and changes of a group of jobs, with the same draws for everything."""
    ways = ways_of([line for line in lines if line["group"] == group])
    resamples = Resamples(len(next(iter(ways.values()))), 1, **bootstrap)
    all_means: list[Row] = []
    changes: list[Row] = []
    for measure in MEASURES:
        measured = {}
        for way, periods in ways.items():
            sums, jobs = [[float(one[measure]) for one in periods]], [float(one["jobs"]) for one in periods]
            measured[way] = mean(sums, jobs), means(sums, jobs, resamples)
            all_means.append({"group": group, "machine": way[0], "schedule": way[1], "measure": measure,
                              "jobs": int(sum(jobs)), **vars(Bounds.of(*measured[way]))})
        for way, than in pairs_of(list(ways)):
            change = Bounds.of(measured[way][0] / measured[than][0] - 1,
                               [one / other - 1 for one, other in zip(measured[way][1], measured[than][1])])
            changes.append({"group": group, "machine": way[0], "schedule": way[1], "than": than[0], "measure": measure,
                            **vars(change),
                            "verdict": "more" if change.low > 0 else "less" if change.high < 0 else "open"})
    return all_means, changes


def main(job: Job) -> None:
    """Writes both tables."""
    lines = read_csv(job.input.periods)
    found = [tables_of(lines, group, job.params.bootstrap) for group in dict.fromkeys(line["group"] for line in lines)]
    for place, file in enumerate((job.output.means, job.output.changes)):
        write_csv(file, [row for pair in found for row in pair[place]])


if __name__ == "__main__":
    run_job(main)
