"""Job of rule `agreement_pair`: replays a workload with the real Batsim and `batfill serve`, and with `batfill
simulate`, under each algorithm, and compares what both have written, job by job and column by column."""
import csv
import math
import statistics
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Mapping, Optional, Sequence

from common.comparison import word
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv
from common.workbench import Workbench

# Of the line about the run: who made it, and how much real time it took.
NOT_COMPARED = ("batsim_version", "scheduling_time", "simulation_time")
MICROSECOND = Fraction(1, 10**6)

HALF_DIGIT = MICROSECOND / 2
# Sums and quotients of doubles differ from exact ones by less than this part of them.
RELATIVE = Fraction(1, 10**9)
# What a job has from its workload, whatever the network does.
GIVEN = ("job_id", "workload_name", "profile", "submission_time", "requested_number_of_resources", "requested_time",
         "consumed_energy", "metadata")

DOUBLES, LATENCY, UNEXPLAINED = CLASSES = ("doubles", "latency", "unexplained")
DIFFERENCE = ("schedule", "job", "column", "batsim", "simulate", "class")

Line = Mapping[str, str]


@dataclass(frozen=True)
class Difference:
    """A column in which both sides differ about a job; `row` if only one side has the job."""

    job: str
    column: str
    batsim: str
    simulate: str
    kind: str


def is_stretch_of(text: str, line: Line) -> bool:
    """Whether a stretch is that of a job's exact times, or one that they give if the readings of a clock of doubles
    at its start and its end are each off by half a unit in the last place."""
    turnaround, execution = Fraction(line["turnaround_time"]), Fraction(line["execution_time"])
    off = Fraction(math.ulp(float(line["finish_time"])))
    return ((turnaround - off) / (execution + off) - HALF_DIGIT <= Fraction(text)
            <= (turnaround + off) / (execution - off) + HALF_DIGIT)


def processors_by_start(lines: Sequence[Line]) -> dict[str, list[int]]:
    """Of each instant that is no whole second, on which processors jobs start at it, in order. A clock of doubles has
    whole seconds exactly; another instant it may come to twice, and tell of it in two messages."""
    found: dict[str, list[int]] = {}
    for line in lines:
        if line["starting_time"] and Fraction(line["starting_time"]) % 1:
            for part in line["allocated_resources"].split():
                first, _, last = part.partition("-")
                found.setdefault(line["starting_time"], []).extend(range(int(first), int(last or first) + 1))
    return {start: sorted(processors) for start, processors in found.items()}


def kind_of(column: str, batsim: str, line: Line, has_latency: bool) -> str:
    """Why Batsim's field differs from that of a line: `doubles` if it is the stretch, which Batsim computes from
    doubles and `simulate` exactly; `latency` if the network takes time and it is about when or where a job runs or how
    it ends, which a kill on its way may change; else `unexplained`."""
    if has_latency and column not in GIVEN:
        return LATENCY
    return DOUBLES if column == "stretch" and batsim and is_stretch_of(batsim, line) else UNEXPLAINED


def run_differences(batsim: Line, simulate: Line) -> list[str]:
    """The columns in which two lines about a run differ by more than the error of doubles; not who made them, and how
    much real time that took."""
    return [column for column in batsim if column not in NOT_COMPARED
            and abs(Fraction(batsim[column]) - Fraction(simulate[column])) > RELATIVE * abs(Fraction(simulate[column]))]


def by_job(lines: Sequence[Line]) -> dict[str, Line]:
    """The lines of a schedule by workload and job."""
    return {f"{line['workload_name']}!{line['job_id']}": line for line in lines}


def differences(batsim: Sequence[Line], simulate: Sequence[Line], has_latency: bool = False) -> list[Difference]:
    """All fields in which two schedules differ, in the order of the first, then what only the second has. That a job
    has other processors is by `doubles`, too, if the jobs that start at that instant, which is no whole second, have
    the same ones among them."""
    left, right = by_job(batsim), by_job(simulate)
    exchanged = processors_by_start(batsim), processors_by_start(simulate)
    found: list[Difference] = []
    for job in dict.fromkeys([*left, *right]):
        if job not in left or job not in right:
            found.append(Difference(job, "row", "yes" if job in left else "no", "yes" if job in right else "no",
                                    UNEXPLAINED))
            continue
        start = left[job]["starting_time"]
        for column, text in left[job].items():
            if text != right[job][column]:
                kind = kind_of(column, text, right[job], has_latency)
                if column == "allocated_resources" and start and start == right[job]["starting_time"] and (
                        start in exchanged[0] and exchanged[0][start] == exchanged[1].get(start)):
                    kind = DOUBLES
                found.append(Difference(job, column, text, right[job][column], kind))
    return found


def shifts(batsim: Sequence[Line], simulate: Sequence[Line]) -> list[float]:
    """By how many seconds each job of both schedules that ran starts later in the first."""
    left, right = by_job(batsim), by_job(simulate)
    return [float(Fraction(left[job]["starting_time"]) - Fraction(right[job]["starting_time"]))
            for job in left if job in right and left[job]["starting_time"] and right[job]["starting_time"]]


def mean_wait(lines: Sequence[Line]) -> Optional[float]:
    """The mean wait of the jobs that ran; none if none did."""
    waits = [float(line["waiting_time"]) for line in lines if line["waiting_time"]]
    return statistics.fmean(waits) if waits else None


def compare(batsim: Sequence[Line], simulate: Sequence[Line], runs: Sequence[Line], found: Sequence[Difference],
            notable: float) -> dict[str, Any]:
    """What there is to say of two schedules, of both lines about the run and of the differences that were found. Of a
    job that differs in several columns, the class that explains least counts."""
    worst: dict[str, str] = {}
    for one in found:
        worst[one.job] = max(one.kind, worst.get(one.job, CLASSES[0]), key=CLASSES.index)
    moved = [abs(shift) for shift in shifts(batsim, simulate) if shift]
    waits = mean_wait(batsim), mean_wait(simulate)
    states = [line["final_state"] for line in batsim]
    return {
        "jobs": len({*by_job(batsim), *by_job(simulate)}),
        "equal": len({*by_job(batsim), *by_job(simulate)}) - len(worst),
        **{kind: list(worst.values()).count(kind) for kind in CLASSES},
        "same order": "yes" if list(by_job(batsim)) == list(by_job(simulate)) else "no",
        "differences of the run": " ".join(run_differences(*runs)),
        "waited": sum(float(line["waiting_time"] or 0) > 0 for line in simulate),
        "stopped at walltime": states.count("COMPLETED_WALLTIME_REACHED"),
        "killed": states.count("COMPLETED_KILLED"),
        "rejected": states.count("REJECTED"),
        "resubmitted": sum("#" in line["job_id"] for line in batsim),
        "other starts": len(moved),
        "notable starts": sum(shift >= notable for shift in moved),
        "median shift": statistics.median(moved) if moved else 0.0,
        "largest shift": max(moved, default=0.0),
        "mean wait, batsim": waits[0],
        "mean wait, simulate": waits[1],
        "word": word(waits[0] or 0.0, waits[1] or 0.0),
    }


def replay_both(bench: Workbench, job: Job, name: str) -> tuple[Row, list[Difference]]:
    """Both replays under one algorithm: a line of results, and all differences."""
    schedule, scenario = job.params.schedules[name], job.params.scenario
    parameters = [*schedule["parameters"], *scenario.get("parameters", [])]
    events = ["--events", "events.json"] if bench.path("events.json").stat().st_size else []
    bench.replay("platform-batsim.xml", "workload.json", schedule["algorithm"], parameters, f"batsim-{name}",
                 [*events, *scenario.get("options", [])])
    bench.simulate("platform.xml", "workload.json", schedule["algorithm"], parameters, f"simulate-{name}", events)
    batsim, simulate = (read_csv(str(bench.path(f"{side}-{name}_jobs.csv"))) for side in ("batsim", "simulate"))
    runs = [read_csv(str(bench.path(f"{side}-{name}_schedule.csv")))[0] for side in ("batsim", "simulate")]
    found = differences(batsim, simulate, "latency" in scenario)
    return {"schedule": name, "algorithm": schedule["algorithm"],
            "events": bench.path("events.json").read_text(encoding="utf-8").count("\n"),
            **compare(batsim, simulate, runs, found, job.params.notable)}, found


def main(job: Job) -> None:
    """Makes the lines of one workload, one for each algorithm. Differences by latency are not listed: nearly every job
    has some."""
    with Workbench(job.input.batfill, job.params.batsim) as bench:
        for name, file in (("workload.json", job.input.workload), ("platform.xml", job.input.platform),
                           ("platform-batsim.xml", job.input.batsim_platform), ("events.json", job.input.events)):
            bench.link(name, file)
        rows: list[Row] = []
        listed: list[list[str]] = []
        for name in job.params.schedules:
            row, found = replay_both(bench, job, name)
            rows.append(row)
            listed += [[name, one.job, one.column, one.batsim, one.simulate, one.kind] for one in found
                       if one.kind != LATENCY]
        write_csv(str(bench.path("results.csv")), rows)
        with open(bench.path("differences.csv"), "w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([DIFFERENCE, *listed])
        bench.keep("results.csv", job.output.results)
        bench.keep("differences.csv", job.output.differences)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
