"""Job of rule `mixed_tables`: the paper's Tables 1 to 6, and what its text says in numbers."""
from pathlib import Path
from statistics import fmean
from typing import Any, Mapping, Optional, Sequence

from common.files import read_json
from common.job import Job, run_job
from common.tables import Row, Show, Value, count, one_digit, read_csv, two_digits, write_table
from mixed_policies.period_values import PeriodValues, shown

MIXED = ("w-star", "w-train", "w-greedy")
# Below this, two values count as the same.
SMALL = 0.10
CLOSE = 0.01


class Tables:
    """Writes the tables from the workflow's files."""

    def __init__(self, job: Job) -> None:
        self._folder = Path(job.output[0]).parent
        self._machines: Mapping[str, Any] = job.params.machines
        self._orders: list[str] = job.params.orders
        self._thresholds = [str(threshold) for threshold in job.params.thresholds]
        self._paper = {(row["machine"], row["policy"], row["what"]): float(row["sum"])
                       for row in read_csv(job.input.paper)}
        self._paper_logs = {row["machine"]: row for row in read_csv(job.input.paper_logs)}
        self._splits = {machine: read_json(file) for machine, file in zip(self._machines, job.input.splits)}
        self._weeks = self._read(job.input.weeks)
        self._months = self._read(job.input.months)
        self._scaled = {machine: read_csv(file) for machine, file in zip(self._machines, job.input.scaled)}
        files = iter(job.input.pure)
        self._pure = {(machine, threshold): self._sums(next(files))
                      for machine in self._machines for threshold in self._thresholds}

    def write_all(self) -> None:
        """Writes every table, as CSV with full numbers and as Markdown."""
        self._write("table-1", "Table 1: the jobs of the logs, in the paper and here", self._logs(), one_digit)
        self._write("table-2", "Table 2: sums of the weekly mean bounded slowdowns", self._halves(), two_digits)
        self._write("thresholds", "Tables 3 to 6: sums of the weekly mean bounded slowdowns by threshold",
                    self._by_threshold(), two_digits)
        self._write("ranking", "The pure policies by their sums over all weeks, the smallest first", self._rankings())
        self._write("weeks", "What the text says of weeks", self._statements(), two_digits)
        self._write("months", "Figure 15: sums of the monthly mean bounded slowdowns", self._monthly(), two_digits)
        self._write("scaled", "Weights for features between 0 and 1: sums of the weekly mean bounded slowdowns",
                    self._with_scales(), two_digits)

    def _read(self, files: Sequence[str]) -> dict[str, PeriodValues]:
        return {machine: PeriodValues(file, self._orders) for machine, file in zip(self._machines, files)}

    @staticmethod
    def _sums(file: str) -> dict[str, float]:
        sums: dict[str, float] = {}
        for row in read_csv(file):
            sums[row["policy"]] = sums.get(row["policy"], 0) + float(row["value"])
        return sums

    def _write(self, name: str, title: str, rows: Sequence[Row], show: Show = str) -> None:
        write_table(str(self._folder / name), title, rows, show)

    def _logs(self) -> Sequence[Row]:
        rows = []
        for machine, split in self._splits.items():
            paper, whole = self._paper_logs.get(machine), split.get("whole")
            rows.append({
                "log": machine, "jobs, paper": int(paper["jobs"]) if paper else None,
                "jobs, here": whole["jobs"] if whole else None,
                "mean run time, paper (s)": float(paper["mean_run_time"]) if paper else None,
                "mean run time, here (s)": whole["mean_run_time"] if whole else None,
                "mean size, paper": int(paper["mean_size"]) if paper else None,
                "mean size, here": whole["mean_size"] if whole else None,
                "weeks replayed": len(self._weeks[machine].periods), "jobs replayed": split["kept"],
            })
        return rows

    def _halves(self) -> Sequence[Row]:
        return [row for machine in self._machines for row in self._halves_of(machine)]

    def _halves_of(self, machine: str) -> Sequence[Row]:
        weeks = self._weeks[machine]
        sums = {half: {policy: weeks.sum(policy, weeks.within(self._machines[machine]["weeks"][half]))
                       for policy in (*self._orders, *MIXED)} for half in ("training", "testing")}

        def by_sum(half: str) -> list[str]:
            return sorted(sums[half], key=lambda policy: (sums[half][policy] is None, sums[half][policy] or 0))

        testing = by_sum("testing")
        return [{
            "log": machine, "policy": shown(policy),
            "training": sums["training"][policy], "testing": sums["testing"][policy],
            "training, paper": self._paper.get((machine, policy, "training")),
            "testing, paper": self._paper.get((machine, policy, "testing")),
            "place in testing": testing.index(policy) + 1,
        } for policy in by_sum("training")]

    def _by_threshold(self) -> Sequence[Row]:
        return [row for machine in self._machines for row in self._by_threshold_of(machine)]

    def _by_threshold_of(self, machine: str) -> Sequence[Row]:
        sums = {threshold: self._pure[machine, threshold] for threshold in self._thresholds}
        first = sums[self._thresholds[0]]
        return [{
            "log": machine, "policy": shown(policy), **{threshold: sums[threshold][policy] for threshold in sums},
            **{f"{threshold}, paper": self._paper.get((machine, policy, threshold)) for threshold in sums},
        } for policy in sorted(first, key=lambda one: first[one])]

    def _rankings(self) -> Sequence[Row]:
        columns: dict[str, list[str]] = {}
        for machine, weeks in self._weeks.items():
            paper = sorted((value, policy) for (of, policy, what), value in self._paper.items()
                           if of == machine and what == "200000")
            if paper:
                columns[f"{machine}, paper"] = [shown(policy) for _, policy in paper]
            columns[f"{machine}, here"] = [shown(one) for one in weeks.ranking()]
        return [{"place": place + 1, **{column: policies[place] for column, policies in columns.items()}}
                for place in range(len(self._orders))]

    def _statements(self) -> Sequence[Row]:
        of_machines = {machine: self._statements_of(machine) for machine in self._machines}
        rows = next(iter(of_machines.values()))
        return [{"what": what, **{machine: of[what] for machine, of in of_machines.items()}} for what in rows]

    def _statements_of(self, machine: str) -> Row:
        weeks = self._weeks[machine]
        periods = weeks.periods
        star = dict(zip(periods, weeks.known("w-star", periods)))
        saf = dict(zip(periods, weeks.known("saf", periods)))
        fcfs = dict(zip(periods, weeks.known("fcfs", periods)))
        pure = {period: weeks.best_pure(period) for period in periods}
        return {
            "weeks": len(periods),
            "SAF is the best pure policy, or within 1 % of it": count(
                [one for one in periods if saf[one] <= (1 + CLOSE) * pure[one]], periods),
            "SAF more than 10 % above the best pure policy": count(
                [one for one in periods if saf[one] > (1 + SMALL) * pure[one]], periods),
            "no policy matters: SAF and FCFS within 10 % of w*": count(
                [one for one in periods if max(saf[one], fcfs[one]) <= (1 + SMALL) * star[one]], periods),
            "SAF within 10 % of w*": count(
                [one for one in periods if saf[one] <= (1 + SMALL) * star[one]], periods),
            "best pure / w*, sums": sum(pure.values()) / sum(star.values()),
            "best pure / w*, mean": fmean(pure[one] / star[one] for one in periods),
            "best pure / w*, largest": self._largest(pure, star),
            "SAF / w*, sums": sum(saf.values()) / sum(star.values()),
            "SAF / w*, mean": fmean(saf[one] / star[one] for one in periods),
            "SAF / w*, largest": self._largest(saf, star),
            "FCFS / w*, sums": sum(fcfs.values()) / sum(star.values()),
            **self._learned(machine), **self._searches(weeks),
        }

    @staticmethod
    def _largest(values: Mapping[int, float], star: Mapping[int, float]) -> str:
        largest = max(values, key=lambda period: values[period] / star[period])
        return f"{values[largest] / star[largest]:.2f} (week {largest})"

    def _learned(self, machine: str) -> Row:
        weeks = self._weeks[machine]
        settings = self._machines[machine]["weeks"]
        training, testing = weeks.within(settings["training"]), weeks.within(settings["testing"])

        def ratio(policy: str, other: str, periods: Sequence[int]) -> Optional[float]:
            above, below = weeks.sum(policy, periods), weeks.sum(other, periods)
            return above / below if above and below else None

        following = [one for one in weeks.periods if weeks.value("w-greedy", one) is not None]
        greedy, saf = weeks.known("w-greedy", following), weeks.known("saf", following)
        compared = [ours / others for ours, others in zip(greedy, saf)]
        return {
            "w*_train / SAF, training": ratio("w-train", "saf", training),
            "w*_train / SAF, testing": ratio("w-train", "saf", testing),
            "w*_train / w*, training": ratio("w-train", "w-star", training),
            "w*_train / w*, testing": ratio("w-train", "w-star", testing),
            "w_greedy / SAF, testing": ratio("w-greedy", "saf", testing),
            "w_greedy more than 10 % below SAF": count([one for one in compared if one < 1 - SMALL], compared),
            "w_greedy more than 10 % above SAF": count([one for one in compared if one > 1 + SMALL], compared),
        }

    @staticmethod
    def _searches(weeks: PeriodValues) -> Row:
        star, three, six = (weeks.known(policy, weeks.periods) for policy in ("w-star", "xnes3", "xnes6"))

        def compare(ours: Sequence[float], others: Sequence[float]) -> str:
            ratios = [one / other for one, other in zip(ours, others)]
            return (f"{sum(one < 1 - CLOSE for one in ratios)} below, "
                    f"{sum(one > 1 + CLOSE for one in ratios)} above")

        return {
            "xnes3 / w*, sums": sum(three) / sum(star),
            "xnes3 by more than 1 % from w*": compare(three, star),
            "xnes6 / xnes3, sums": sum(six) / sum(three),
            "xnes6 by more than 1 % from xnes3": compare(six, three),
        }

    def _monthly(self) -> Sequence[Row]:
        rows: list[Row] = []
        for machine, months in self._months.items():
            settings = self._machines[machine]["months"]
            for policy in ("w-star", "w-train", "w-greedy", "saf", "spf", "fcfs"):
                sums = {half: months.sum(policy, months.within(settings[half])) for half in ("training", "testing")}
                rows.append({"log": machine, "policy": shown(policy), **sums})
        return rows

    def _with_scales(self) -> Sequence[Row]:
        return [{"log": machine, "half": half, "vectors": int(rows[0]["vectors"]),
                 **self._with_scales_of(machine, self._weeks[machine].within(self._machines[machine]["weeks"][half]))}
                for machine, rows in self._scaled.items() for half in ("training", "testing")]

    def _with_scales_of(self, machine: str, periods: Sequence[int]) -> Row:
        rows = [row for row in self._scaled[machine] if int(row["period"]) in periods]
        sums: dict[str, Value] = {"SAF": self._weeks[machine].sum("saf", periods)}
        for policy in ("w-star", "w-train"):
            sums[shown(policy)] = self._weeks[machine].sum(policy, periods)
            sums[f"{shown(policy)}, scaled"] = sum(float(row[policy]) for row in rows)
        return sums


def main(job: Job) -> None:
    """Writes all tables."""
    Tables(job).write_all()


if __name__ == "__main__":
    run_job(main)
