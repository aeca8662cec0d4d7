"""Job of rule `pc_dc_tables`: the paper's Figure 4, what its text says in numbers, and what the replays took."""
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence

from common.job import Job, run_job
from common.tables import Row, Show, count, one_digit, read_csv, two_digits, write_table
from pc_dc.results import FIGURES, MEAN_WAIT, Shown


def per_cent(value: float) -> str:
    """A number in per cent."""
    return f"{value:+.1f}"


def names(machines: Sequence[str]) -> str:
    """A list of machines, in words."""
    return ", ".join(machines) or "none"


class Tables:
    """Writes the tables from the workflow's files."""

    def __init__(self, job: Job) -> None:
        self._folder = Path(job.output[0]).parent
        self._machines: list[str] = job.params.machines
        self._runs: list[str] = job.params.runs
        self._combinations = [run for run in self._runs if run not in ("conservative", "easy")]
        self._paper = {row["machine"]: row for row in read_csv(job.input.paper)}
        self._census = {row["machine"]: row for file in job.input.census for row in read_csv(file)}
        self._results = {(row["machine"], row["run"]): row for row in read_csv(job.input.replays)}

    def write_all(self) -> None:
        """Writes every table, as CSV with full numbers and as Markdown."""
        self._write("figure-4", "Figure 4: the jobs of the logs, in the paper and here", self._jobs(), two_digits)
        self._write("combinations", "Mean wait: improvement over conservative in per cent", self._all_combinations(),
                    per_cent)
        self._write("summary", "What the text of the paper counts", self._summary())
        self._write("comparison", "On how many logs which algorithm is better", self._comparisons())
        self._write("waits", "What the improvements are over: waits under conservative, in minutes", self._waits(),
                    one_digit)
        self._write("times", "Processor seconds of the replays", self._times(), one_digit)

    def _write(self, name: str, title: str, rows: Sequence[Row], show: Show = str) -> None:
        write_table(str(self._folder / name), title, rows, show)

    def _jobs(self) -> Sequence[Row]:
        return [{"log": machine, **self._jobs_of(self._census[machine], self._paper.get(machine))}
                for machine in self._machines]

    @staticmethod
    def _jobs_of(census: Mapping[str, str], paper: Optional[Mapping[str, str]]) -> Row:
        def found(column: str) -> Optional[int]:
            return int(census[column]) if census[column] else None

        counted = found("counted")
        return {
            "the paper's log": paper["log"] if paper else None, "our log": census["log"] or None,
            "jobs, paper": int(paper["jobs"]) if paper else None, "jobs, ours": counted,
            "with estimate, paper (%)": float(paper["with_estimate_percent"]) if paper else None,
            "with estimate, ours (%)": 100 * int(census["counted_with_estimate"]) / counted if counted else None,
            "cancelled": found("partial_or_cancelled"), "without processors": found("without_processors"),
            "run time unknown": found("run_time_unknown"), "run time 0": found("run_time_0"),
            "replayed": found("replayed"), "with exact estimate": found("replayed_with_exact_estimate"),
            "cut at the estimate": found("replayed_longer_than_estimate"),
        }

    def _waits(self) -> Sequence[Row]:
        metrics = {shown.name: shown.metric for shown in FIGURES.values()}
        return [{"log": machine, "processors": int(self._census[machine]["processors"]),
                 "utilisation (%)": 100 * float(self._results[machine, "conservative"]["utilisation"]),
                 **{what: float(self._results[machine, "conservative"][metric]) / 60
                    for what, metric in metrics.items()},
                 "mean wait, easy": float(self._results[machine, "easy"][MEAN_WAIT]) / 60}
                for machine in self._machines]

    def _improvement(self, machine: str, run: str, metric: str = MEAN_WAIT) -> Optional[float]:
        """Over conservative, in per cent; none if nobody waits there."""
        value = self._results[machine, run][f"{metric}_improvement"]
        return 100 * float(value) if value else None

    def _all_combinations(self) -> Sequence[Row]:
        return [{"log": machine, **{run: self._improvement(machine, run) for run in [*self._combinations, "easy"]}}
                for machine in self._machines]

    def _summary(self) -> Sequence[Row]:
        values = {(machine, run): value for machine in self._machines for run in self._combinations
                  if (value := self._improvement(machine, run)) is not None}
        worse = [key for key, value in values.items() if value < 0]
        lowest = min(values, key=lambda key: values[key])
        orders: dict[str, int] = {}
        for _, run in worse:
            order = run.split("-")[1]
            orders[order] = orders.get(order, 0) + 1
        rows: list[tuple[str, str, str]] = [
            ("combinations worse than conservative", "49 of 150 (33 %)",
             f"{count(worse, list(values))} ({100 * len(worse) / len(values):.0f} %)"),
            ("of these by order", "most of the significant ones lpf, lqf",
             ", ".join(f"{order} {number}" for order, number in sorted(orders.items())) or "none"),
            ("worse by 10 % or more", "few", self._those_below(values, -10)),
            ("better or worse by less than 10 %", "generally",
             count([value for value in values.values() if abs(value) < 10], list(values))),
            ("better or worse by less than 2 %", "many",
             count([value for value in values.values() if abs(value) < 2], list(values))),
            ("worst single value", "-38 % (DC, lpf)", f"{values[lowest]:.1f} % ({lowest[1]} on {lowest[0]})"),
        ]
        return [{"what": what, "paper": paper, "here": here} for what, paper, here in rows + self._dc_shortest_first()]

    @staticmethod
    def _those_below(values: Mapping[tuple[str, str], float], limit: float) -> str:
        found = {key: value for key, value in values.items() if value <= limit}
        listed = ", ".join(f"{run} on {machine} {value:.0f} %" for (machine, run), value in found.items())
        return f"{len(found)}: {listed}" if found else "none"

    def _dc_shortest_first(self) -> list[tuple[str, str, str]]:
        if "dc-spf" not in self._combinations:
            return []
        compared = {machine: (ours, easy) for machine in self._machines
                    if (ours := self._improvement(machine, "dc-spf")) is not None
                    and (easy := self._improvement(machine, "easy")) is not None}

        def of(condition: Callable[[float, float], bool]) -> str:
            found = [machine for machine, (ours, easy) in compared.items() if condition(ours, easy)]
            return f"{count(found, list(compared))} ({names(found)})"

        return [
            ("dc-spf better than conservative and EASY", "11 of 15", of(lambda ours, easy: ours > max(0, easy))),
            ("dc-spf worse than both", "1 of 15", of(lambda ours, easy: ours < min(0, easy))),
            ("dc-spf worse than EASY alone", "3 of 15", of(lambda ours, easy: 0 <= ours < easy)),
            ("dc-spf worse than conservative alone", "none", of(lambda ours, easy: easy <= ours < 0)),
        ]

    def _comparisons(self) -> Sequence[Row]:
        return [row for figure, shown in FIGURES.items() if f"pc-{shown.order}" in self._combinations
                for row in self._comparisons_in(figure, shown)]

    def _comparisons_in(self, figure: str, shown: Shown) -> Sequence[Row]:
        machines = [machine for machine in self._machines
                    if self._improvement(machine, "easy", shown.metric) is not None
                    and (figure != "8" or self._census[machine]["widths"] != "1")]
        pc, dc = f"pc-{shown.order}", f"dc-{shown.order}"
        rows: list[Row] = []
        for ours, other in ((pc, "conservative"), (dc, "conservative"), (pc, "easy"), (dc, "easy"), (dc, pc)):
            better = [one for one in machines
                      if self._known(one, ours, shown.metric) > self._known(one, other, shown.metric)]
            rows.append({"figure": figure, "what": shown.name, "compared": f"{ours} better than {other}",
                         "logs": count(better, machines),
                         "not on": names([one for one in machines if one not in better])})
        return rows

    def _known(self, machine: str, run: str, metric: str) -> float:
        value = self._improvement(machine, run, metric)
        assert value is not None, (machine, run, metric)
        return value

    def _times(self) -> Sequence[Row]:
        rows = [self._times_of(machine) for machine in self._machines]
        total = {column: sum(row[column] for row in rows) for column in rows[0]}
        return [{"log": name, **row} for name, row in zip([*self._machines, "all"], [*rows, total])]

    def _times_of(self, machine: str) -> dict[str, float]:
        replays = {run: float(self._results[machine, run]["replay_processor_seconds"]) for run in self._runs}
        jobs = sum(float(self._results[machine, run]["job_processor_seconds"]) for run in self._runs)
        return {**replays, "all replays": sum(replays.values()), "with audits and metrics": jobs}


def main(job: Job) -> None:
    """Writes all tables."""
    Tables(job).write_all()


if __name__ == "__main__":
    run_job(main)
