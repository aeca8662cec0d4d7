"""Job of rule `cirrus_tables`: mean waits and slowdowns of the centre and of all replays, and by how much the replays
differ from the centre and hosts from counted cores. Without intervals: the data cover a few days, and have one day with
most of the jobs."""
from typing import Mapping, Sequence

from cirrus.replay import CENTRE, CORES, HOSTS
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv

MEASURES = ("wait", "bounded_slowdown")

Lines = Sequence[Mapping[str, str]]
Way = tuple[str, str]  # machine and schedule


def pairs_of(ways: Sequence[Way]) -> list[tuple[Way, Way]]:
    """What is compared with what: each replay with the centre, and hosts with counted cores under the same
    algorithm."""
    [centre] = [way for way in ways if way[1] == CENTRE]
    return [(way, centre) for way in ways if way != centre] + \
           [(way, (CORES, way[1])) for way in ways if way[0] == HOSTS]


def tables_of(lines: Lines, group: str) -> tuple[list[Row], list[Row]]:
    """Means and changes of a group of jobs."""
    ways = {(line["machine"], line["schedule"]): line for line in lines if line["group"] == group}
    all_means: list[Row] = []
    changes: list[Row] = []
    for measure in MEASURES:
        means = {way: float(line[measure]) / float(line["jobs"]) for way, line in ways.items()}
        all_means += [{"group": group, "machine": machine, "schedule": schedule, "measure": measure,
                       "jobs": int(ways[machine, schedule]["jobs"]), "value": value}
                      for (machine, schedule), value in means.items()]
        changes += [{"group": group, "machine": way[0], "schedule": way[1], "than": than[0], "measure": measure,
                     "value": means[way] / means[than] - 1}
                    for way, than in pairs_of(list(ways))]
    return all_means, changes


def main(job: Job) -> None:
    """Writes both tables."""
    lines = read_csv(job.input.sums)
    found = [tables_of(lines, group) for group in dict.fromkeys(line["group"] for line in lines)]
    for place, file in enumerate((job.output.means, job.output.changes)):
        write_csv(file, [row for pair in found for row in pair[place]])


if __name__ == "__main__":
    run_job(main)
