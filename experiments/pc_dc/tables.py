"""Job of rule `pc_dc_tables`: the paper's Figure 4, the numbers behind Figures 5 to 9, what its text says, and what the
replays took."""
from pathlib import Path
from typing import Mapping, Optional, Sequence

from common.comparison import BY_NUMBER_FROM_1, Overview, relation, rows_of, word, worst
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv
from pc_dc.results import FIGURES, MEAN_WAIT, QUIET, Results
from pc_dc.statements import sizes, statements

SIZES = ("CTC-SP2", "CTC-SP2-338")  # one log on machines of two sizes
# What is counted as an event of the profile, and where: by pc, and by conservative.
COUNTS = {
    "instants": ("profile_events", "profile_events"),
    "starts and ends": ("profile_starts_and_ends", "profile_starts_and_ends"),
    "starts and ends, placed anew": ("profile_starts_and_ends", "profile_starts_and_ends_anew"),
}


class Tables:
    """Writes the tables from the workflow's files."""

    def __init__(self, job: Job) -> None:
        self._folder = Path(job.output[0]).parent
        self._machines: list[str] = job.params.machines
        self._readings: list[str] = job.params.readings
        self._main = self._readings[0]
        self._orders: list[str] = job.params.orders
        self._combinations = [f"{algorithm}-{order}" for algorithm in ("pc", "dc") for order in self._orders]
        self._paper = {row["machine"]: row for row in read_csv(job.input.paper)}
        self._numbers = {row["what"]: float(row["value"]) for row in read_csv(job.input.statements)}
        self._results = Results(job.input.replays, job.input.census)
        self._events = {(row["machine"], row["run"]): row for row in read_csv(job.input.events)}
        self._statements = [
            *statements(self._results, self._machines, self._readings, self._orders, job.input.statements),
            *self._event_statements()]

    def write_all(self) -> None:
        """Writes every table, with full numbers."""
        self._write("figure-4", self._jobs())
        self._write("improvements", self._improvements())
        self._write("combinations", self._all_combinations())
        self._write("waits", self._waits())
        self._write("times", self._times())
        self._write("events", self._event_rows())
        self._write("statements", self._statements)
        self._write("sizes", sizes(self._results, self._main, SIZES))
        self._write("overview", rows_of(self._overview()))

    def _write(self, name: str, rows: Sequence[Row]) -> None:
        write_csv(str(self._folder / f"{name}.csv"), rows or [{"none": ""}])

    def _jobs(self) -> Sequence[Row]:
        return [self._jobs_of(machine, self._results.census(machine, self._main), self._paper.get(machine))
                for machine in self._machines]

    def _jobs_of(self, machine: str, census: Mapping[str, str], paper: Optional[Mapping[str, str]]) -> Row:
        def found(column: str) -> Optional[int]:
            return int(census[column]) if census[column] else None

        counted = found("counted")
        return {
            "log": machine, "paper_log": paper["log"] if paper else None, "our_log": census["log"] or None,
            "paper_jobs": int(paper["jobs"]) if paper else None, "jobs": counted,
            "difference": counted - int(paper["jobs"]) if paper and counted is not None else None,
            "word": word(counted, int(paper["jobs"])) if paper and counted is not None else None,
            "paper_with_estimate_percent": float(paper["with_estimate_percent"]) if paper else None,
            "with_estimate_percent": 100 * int(census["counted_with_estimate"]) / counted if counted else None,
            "partial_or_cancelled": found("partial_or_cancelled"), "without_processors": found("without_processors"),
            "run_time_unknown": found("run_time_unknown"), "run_time_0": found("run_time_0"),
            "longer_than_estimate": found("replayed_longer_than_estimate"), "replayed": found("replayed"),
            "processors": found("processors"),
        }

    def _improvements(self) -> Sequence[Row]:
        return [{"figure": int(figure), "machine": machine, "reading": reading, **values}
                for figure in FIGURES for machine, reading in self._results.cases()
                for values in self._results.improvements(figure, [machine], reading).values()]

    def _all_combinations(self) -> Sequence[Row]:
        return [{"machine": machine, "reading": reading,
                 **{run: self._results.improvement(machine, reading, run) for run in [*self._combinations, "easy"]}}
                for machine, reading in self._results.cases()]

    def _waits(self) -> Sequence[Row]:
        metrics = dict.fromkeys(shown.metric for shown in FIGURES.values())

        def minutes(machine: str, reading: str, run: str, metric: str) -> float:
            return self._results.number(machine, reading, run, metric) / 60

        return [{"machine": machine, "reading": reading,
                 "processors": int(self._results.census(machine, reading)["processors"]),
                 "jobs": int(self._results.census(machine, reading)["replayed"]),
                 "utilisation": self._results.number(machine, reading, "conservative", "utilisation"),
                 **{f"{metric}_minutes": minutes(machine, reading, "conservative", metric) for metric in metrics},
                 "mean_wait_easy_minutes": minutes(machine, reading, "easy", MEAN_WAIT),
                 "quiet_below_seconds": QUIET, "quiet": int(self._results.is_quiet(machine, reading))}
                for machine, reading in self._results.cases()]

    def _times(self) -> Sequence[Row]:
        runs = ["conservative", "easy", *self._combinations]

        def total(machine: str, reading: str, column: str) -> float:
            return sum(self._results.number(machine, reading, run, column) for run in runs)

        return [{"machine": machine, "reading": reading, "runs": len(runs),
                 "replays": total(machine, reading, "replay_processor_seconds"),
                 "slowest": max(self._results.number(machine, reading, run, "replay_processor_seconds")
                                for run in runs),
                 "with_audits_and_metrics": total(machine, reading, "job_processor_seconds")}
                for machine, reading in self._results.cases()]

    def _event_rows(self) -> Sequence[Row]:
        return [{"machine": machine, "counted": name,
                 "conservative": int(self._events[machine, "conservative"][conservative]),
                 **{order: self._multiple(machine, order, name) for order in self._orders}}
                for name, (_, conservative) in COUNTS.items() for machine in self._machines
                if (machine, "conservative") in self._events]

    def _multiple(self, machine: str, order: str, name: str) -> Optional[float]:
        """Of the events that conservative examines, if it examines any and those of pc are counted."""
        ours, conservative = COUNTS[name]
        yardstick = int(self._events[machine, "conservative"][conservative])
        counted = self._events.get((machine, f"pc-{order}"))
        return int(counted[ours]) / yardstick if counted and yardstick else None

    def _largest(self, name: str) -> dict[str, tuple[float, str]]:
        """The largest multiple of each log that decides something, and its order."""
        found: dict[str, tuple[float, str]] = {}
        for machine in self._machines:
            if (machine, "conservative") in self._events and not self._results.is_quiet(machine, self._main):
                multiples = [(value, order) for order in self._orders
                             if (value := self._multiple(machine, order, name)) is not None]
                if multiples:
                    found[machine] = max(multiples)
        return found

    def _event_statements(self) -> list[Row]:
        rows: list[Row] = []
        for name in COUNTS:
            largest = self._largest(name)
            if not largest:
                continue
            in_all = [machine for machine in largest
                      if all((machine, f"pc-{order}") in self._events for order in self._orders)]
            longest = [machine for machine in in_all if largest[machine][1] == "lpf"]
            above = {machine: value for machine, (value, _) in largest.items()
                     if machine != "HPC2N" and value > self._numbers["bound on all other traces"]}
            most, order, log = max((value, order, machine) for machine, (value, order) in largest.items())
            rows.append(self._event_statement(
                name, "Longest first is the worst case",
                f"on {len(longest)} of {len(in_all)} logs with all orders; the largest of all is {order} on {log}, "
                f"{most:.0f} times",
                relation(order == "lpf"), "the largest of all is with lpf"))
            if "HPC2N" in largest:
                value = largest["HPC2N"][0]
                rows.append(self._event_statement(
                    name, "On HPC2N PC examines 127 times as many events", f"{value:.0f} times",
                    word(value, self._numbers["multiple on HPC2N"], 1), BY_NUMBER_FROM_1))
            rows.append(self._event_statement(
                name, "On no other log than DAS2-fs0, DAS2-fs3 and HPC2N more than 43 times",
                ", ".join(f"{value:.0f} times on {machine}" for machine, value in above.items()) or "on none",
                relation(not above), "on none of the others"))
        return rows

    @staticmethod
    def _event_statement(counted: str, statement: str, here: str, its_word: str, bound: str) -> Row:
        return {"part": f"section 4.3, {counted}", "statement": statement, "bound": bound, "here": here,
                "word": its_word, "cut": "", "cut_word": ""}

    def _parts(self) -> dict[str, str]:
        """What the statements are about, and its name in the overview; of the counts of events, those as the public
        simulator of the paper's authors goes about it."""
        parts = dict.fromkeys(str(row["part"]) for row in self._statements)
        names = {"section 4.1": "Section 4.1", "section 4.3, starts and ends, placed anew": "Section 4.3"}
        return {part: names.get(part, part) for part in parts if part.startswith("Figure") or part in names}

    def _overview(self) -> list[Overview]:
        jobs = {row["log"]: row for row in read_csv(str(self._folder / "figure-4.csv")) if row["word"]}
        logs = f"{len(self._machines)} of the paper's {self._numbers['traces']:.0f} logs are at hand"
        lines = [Overview(f"Figure {number}", "no", "it is a drawing that explains the algorithms") for number in "123"]
        if jobs:
            differences = {log: (int(row["difference"]), int(row["paper_jobs"])) for log, row in jobs.items()}
            furthest = max(jobs, key=lambda log: abs(differences[log][0]) / differences[log][1])
            difference, of = differences[furthest]
            lines.append(Overview("Figure 4", "partly", logs, f"{difference:+,} of {of:,} jobs ({furthest})",
                                  worst(row["word"] for row in jobs.values())))
        for part, what in self._parts().items():
            rows = [row for row in self._statements if row["part"] == part and row["word"]]
            failed = [row for row in rows if row["word"] == "differs"]
            why = f"{logs}; its bars have no numbers, so that its statements are compared" if "Figure" in part else logs
            lines.append(Overview(what, "partly", why,
                                  f"{len(failed)} of {len(rows)} statements differ"
                                  + (f": {failed[0]['statement']} (here: {failed[0]['here']})" if failed else ""),
                                  worst(str(row["word"]) for row in rows)))
        return lines


def main(job: Job) -> None:
    """Writes all tables."""
    Tables(job).write_all()


if __name__ == "__main__":
    run_job(main)
