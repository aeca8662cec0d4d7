"""Job of rule `cirrus_replay`: replays the centre's jobs on counted cores and on hosts that jobs share, puts the
centre's own waits beside these, compares FCFS with ElastiSim, and looks for waits that a full machine does not
explain."""
import csv
import io
from datetime import datetime, timezone
from math import fsum
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from cirrus.accounting import Given, Record, converted, given_of, lines_of, records_of, workload_of
from cirrus.room import COUNTS, Waited, follow_an_end, most_at_once, waited
from common.files import read_json, write_json
from common.job import Job, JobError, run_job
from common.tables import read_csv, write_csv
from common.weeks import bounded_slowdown, check_means
from common.workbench import Workbench

COLUMNS = "id=JobID,submit=Submit,start=Start,end=End,run-time=ElapsedRaw,processors=NCPUS,state=State"
CENTRE = "centre"  # the schedule that happened
MEASURED, CORES, HOSTS = "measured", "cores", "hosts"  # machines: the real one, counted cores, hosts that jobs share
# Counted cores with the work that the centre had when the measured time began: its queue, or all of its starts.
QUEUED, STARTED = "queued", "started"
DAY = 86400

Jobs = Sequence[Mapping[str, str]]
Rows = list[dict[str, object]]


def day_of(second: float) -> str:
    """The date of a second since 1970, in UTC, which the centre's clocks show in winter."""
    return datetime.fromtimestamp(second, timezone.utc).strftime("%Y-%m-%d")


def instant_of(day: str) -> int:
    """The first second of a date."""
    return int(datetime.fromisoformat(day).replace(tzinfo=timezone.utc).timestamp())


def of_nodes(jobs: Jobs, cores: int) -> Jobs:
    """The jobs that take at least the cores of a node."""
    return [one for one in jobs if int(one["cores"]) >= cores]


def mean_of(values: Sequence[float]) -> float:
    """The mean of at least one number."""
    return fsum(values) / len(values)


def sums_of(jobs: Jobs) -> dict[str, float]:
    """The number of jobs, and sums over them."""
    return {"jobs": len(jobs), "wait": fsum(float(one["waiting_time"]) for one in jobs),
            "bounded_slowdown": fsum(bounded_slowdown(float(one["waiting_time"]), float(one["execution_time"]))
                                     for one in jobs)}


def work_left(jobs: Jobs, first: float) -> float:
    """The core hours that these jobs take from second `first` on."""
    return fsum(int(one["cores"]) * max(0.0, float(one["finish_time"]) - max(first, float(one["starting_time"])))
                for one in jobs) / 3600


def resubmitted(workload: Mapping[str, Any], records: Sequence[Record], complete: int,
                latest: Optional[int] = None) -> dict[str, Any]:
    """The workload in which jobs from before `complete` are submitted when they started at the centre, and no later
    than `latest`. Replays start some of them much earlier, on a machine that lacks the jobs that had ended before."""
    late = {one.name: (one.start if latest is None else min(one.start, latest)) - one.submit
            for one in records if one.start is not None and one.submit < complete}
    jobs = [{**job, "subtime": job["subtime"] + late.get(job["id"], 0)} for job in workload["jobs"]]
    return {**workload, "jobs": sorted(jobs, key=lambda job: job["subtime"])}


class Replays:
    """The replays of the centre's jobs, each with the lines that it adds to the tables. Jobs that the centre's users
    submitted before `complete` are replayed and not measured."""

    def __init__(self, bench: Workbench, settings: Mapping[str, Any], machine: Mapping[str, Any],
                 records: Sequence[Record]) -> None:
        self._bench, self._settings, self._machine = bench, settings, machine
        self._cores_of = {one.name: one.cores for one in records}
        complete = instant_of(settings["complete"])
        self._early = {one.name for one in records if one.submit < complete}
        # batfill counts from the midnight before the first submission.
        self._zero = instant_of(day_of(min(one.submit for one in records)))
        self._first = complete - self._zero
        self.tables: dict[str, Rows] = {name: [] for name in ("results", "classes", "longer", "days", "sums")}

    def add(self, machine: str, schedule: str, file: str) -> None:
        """Measures a schedule."""
        everything = [{**one, "cores": str(self._cores_of[one["job_id"]])}
                      for one in read_csv(str(self._bench.path(file)))]
        early = [one for one in everything if one["job_id"] in self._early]
        jobs = [one for one in everything if one["job_id"] not in self._early]
        kept = f"measured-{file}"
        write_csv(str(self._bench.path(kept)), [{name: value for name, value in one.items() if name != "cores"}
                                                for one in jobs])
        what = {"machine": machine, "schedule": schedule}
        groups = {"all": jobs, "node": of_nodes(jobs, self._machine["cores"])}
        check_means([sums_of(jobs)], self._bench.metrics(kept))
        self.tables["sums"] += [{**what, "group": group, **sums_of(found)} for group, found in groups.items()]
        self.tables["results"].append({**what, "jobs": len(everything), "measured": len(jobs),
                                       "wait_of_all": mean_of([float(one["waiting_time"]) for one in everything]),
                                       "left": work_left(early, self._first)})
        for kind in ("width", "length"):
            self.tables["classes"] += [{**what, "by": kind, "class": line[kind], "jobs": line["jobs"],
                                        **{name: line[f"{name}_wait"] for name in ("mean", "median", "max")}}
                                       for line in self._by(kept, kind)]
        for least in self._settings["longer"]:
            self.tables["longer"] += [
                {**what, "group": group, "seconds": least,
                 "share": sum(float(one["waiting_time"]) >= least for one in found) / len(found)}
                for group, found in groups.items()]
        self._add_days(what, groups)

    def _by(self, file: str, kind: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self._bench.run("metrics", file, "--by", kind, "--format", "csv"))))

    def _add_days(self, what: Mapping[str, str], groups: Mapping[str, Jobs]) -> None:
        for group, jobs in groups.items():
            days: dict[str, list[float]] = {}
            for one in jobs:
                day = day_of(self._zero + float(one["submission_time"]))
                days.setdefault(day, []).append(float(one["waiting_time"]))
            self.tables["days"] += [{**what, "group": group, "day": day, "jobs": len(waits), "wait": mean_of(waits)}
                                    for day, waits in sorted(days.items())]


def replay_all(bench: Workbench, log: str, settings: Mapping[str, Any], machine: Mapping[str, Any],
               records: Sequence[Record]) -> dict[str, Rows]:
    """Converts the data twice, audits and measures the centre's own schedule and all replays."""
    total = machine["hosts"] * machine["cores"]
    bench.run("import", "csv", log, "--map", COLUMNS, "--processors", str(total), "-o", "cores.json", "--schedule",
              "centre_jobs.csv")
    bench.run("import", "csv", log, "--map", f"{COLUMNS},nodes=NNodes,cores=NCPUS", "--fields", "per-host",
              "--processors", str(machine["hosts"]), "-o", "hosts.json")
    replays = Replays(bench, settings, machine, records)
    bench.audit(CENTRE, "cores.json", str(total))
    replays.add(MEASURED, CENTRE, "centre_jobs.csv")
    imported, complete = read_json(str(bench.path("cores.json"))), instant_of(settings["complete"])
    for kind, latest in ((QUEUED, complete), (STARTED, None)):
        write_json(str(bench.path(f"{kind}.json")), resubmitted(imported, records, complete, latest))
    machines: list[tuple[str, int, list[str]]] = [
        (CORES, total, []), (HOSTS, machine["hosts"], ["--capacity", f"cores:{machine['cores']}"]),
        (QUEUED, total, []), (STARTED, total, [])]
    for kind, size, options in machines:
        for schedule, setting in settings["schedules"].items():
            name = f"{kind}-{schedule}"
            bench.simulate(str(size), f"{kind}.json", setting["algorithm"], setting["parameters"], name, options)
            bench.audit(name, f"{kind}.json", str(size), options)
            replays.add(kind, schedule, f"{name}_jobs.csv")
    return replays.tables


def starts_of(bench: Workbench, jobs: Sequence[Given], processors: int, name: str) -> list[float]:
    """The starts under FCFS, in the order of the jobs."""
    write_json(str(bench.path(f"{name}.json")), workload_of(jobs, processors))
    bench.simulate(str(processors), f"{name}.json", "fcfs", [], name)
    bench.audit(name, f"{name}.json", str(processors))
    starts = {int(line["job_id"]): float(line["starting_time"])
              for line in read_csv(str(bench.path(f"{name}_jobs.csv")))}
    return [starts[place] for place in range(len(jobs))]


def compare_elastisim(bench: Workbench, lines: Jobs, records: Sequence[Record], settings: Mapping[str, Any]) -> Rows:
    """FCFS against ElastiSim: on the jobs in ElastiSim's file, and on those that are converted here from the accounting
    data. `measured`: what these waited at the centre; empty if the data do not have all of them."""
    unit = settings["unit"]
    given, own = given_of(lines), converted(records, unit)
    theirs = {line["jobid"]: float(line["start"]) for line in lines}
    waits = {one.name: one.start - one.submit for one in records if one.start is not None}
    if set(own) - set(given):
        raise JobError(f"{len(set(own) - set(given))} converted jobs are not those of ElastiSim")
    rows: Rows = []
    for source, jobs in (("elastisim", given), ("accounting", own)):
        for processors in settings["processors"]:
            starts = starts_of(bench, jobs, processors, f"{source}-{processors}")
            rows.append({
                "jobs_of": source, "processors": processors, "jobs": len(jobs),
                "other_starts": sum(start != theirs[job.name] for job, start in zip(jobs, starts)),
                "wait": unit * mean_of([start - job.submit for job, start in zip(jobs, starts)]),
                "wait_elastisim": unit * mean_of([theirs[job.name] - job.submit for job in jobs]),
                "wait_measured": mean_of([waits[job.name] for job in jobs]) if source == "accounting" else ""})
    return rows


def judged(found: Sequence[Waited], first: int, last: int) -> list[Waited]:
    """The jobs whose whole wait is in the time of which the data have all jobs."""
    return [one for one in found if one.record.submit >= first and one.record.submit + one.wait <= last]


def room_tables(records: Sequence[Record], settings: Mapping[str, Any],
                machine: Mapping[str, Any]) -> tuple[Rows, Rows]:
    """How many jobs waited though there was room, by each count; and the sizes of those that a full machine does not
    explain by any count, with what may hint at a limit."""
    first, last = instant_of(settings["complete"]), max(one.submit for one in records)
    totals = {"cores": machine["hosts"] * machine["cores"], "nodes": machine["hosts"]}
    found = {count: judged(waited(records, size, totals[count]), first, last) for count, size in COUNTS.items()}
    by_any = [Waited(one.record, one.wait, one.alone and other.alone, one.with_earlier and other.with_earlier)
              for one, other in zip(found["cores"], found["nodes"])]
    rows: Rows = []
    for least in settings["least"]:
        for count, jobs in (*found.items(), ("any", by_any)):
            long = [one for one in jobs if one.wait >= least]
            rows.append({"seconds": least, "count": count, "judged": len(jobs), "waited": len(long),
                         **{part: sum(getattr(one, part) for one in long) for part in ("alone", "with_earlier")},
                         "hours": sum(one.wait for one in long if one.alone) / 3600})
    unexplained = [one.record for one in by_any if one.wait >= settings["series"] and one.alone]
    series: Rows = []
    for cores, nodes in sorted({one.size for one in unexplained}):
        of_size = [one for one in unexplained if one.size == (cores, nodes)]
        ran = [one for one in records if one.size == (cores, nodes) and one.ran]
        series.append({"cores": cores, "nodes": nodes, "jobs": len(of_size), "of": len(ran),
                       "follow": follow_an_end(of_size, records), "together": most_at_once(ran, lambda _: 1)})
    return rows, series


def log_row(records: Sequence[Record], settings: Mapping[str, Any], machine: Mapping[str, Any]) -> dict[str, object]:
    """What the data have."""
    ran = [one for one in records if one.ran]
    first, last = instant_of(settings["complete"]), max(one.submit for one in records)
    return {"rows": len(records), "never_started": sum(one.start is None for one in records), "ran": len(ran),
            "before": sum(one.submit < first for one in ran),
            "one_core": sum(one.cores == 1 for one in ran if one.submit >= first),
            "first_submit": day_of(min(one.submit for one in records)), "last_submit": day_of(last),
            "first_end": day_of(min(one.end for one in ran)), "days": (last - first) / DAY,
            "hosts": machine["hosts"], "cores": machine["cores"], "processors": machine["hosts"] * machine["cores"],
            "most_cores": most_at_once(ran, COUNTS["cores"]), "most_nodes": most_at_once(ran, COUNTS["nodes"])}


def main(job: Job) -> None:
    """Makes all lines."""
    settings, machine = job.params.settings, job.params.machine
    [log] = [job.input.log] if isinstance(job.input.log, str) else job.input.log
    [elastisim] = [job.input.elastisim] if isinstance(job.input.elastisim, str) else job.input.elastisim
    records = records_of(log)
    with Workbench(job.input.batfill) as bench:
        for file in (log, elastisim):
            bench.link(Path(file).name, file)
        tables = replay_all(bench, Path(log).name, settings, machine, records)
        tables["elastisim"] = compare_elastisim(bench, lines_of(elastisim), records, settings["elastisim"])
        tables["room"], tables["series"] = room_tables(records, settings, machine)
        tables["log"] = [log_row(records, settings, machine)]
        for name, rows in tables.items():
            table = f"table-{name}.csv"  # no input is called so
            write_csv(str(bench.path(table)), rows)
            bench.keep(table, getattr(job.output, name))
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
