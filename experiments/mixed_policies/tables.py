"""Job of rule `mixed_tables`: the paper's Tables 1 and 2, what its text says in numbers, and what of it holds here."""
from pathlib import Path
from statistics import fmean
from typing import Any, Mapping, Optional, Sequence

from common.comparison import rows_of, word
from common.files import read_json
from common.intervals import Intervals
from common.job import Job, run_job
from common.tables import read_csv, write_csv
from mixed_policies.cover import size
from mixed_policies.named_weeks import named_weeks
from mixed_policies.period_values import PeriodValues, shown
from mixed_policies.statements import QUIET_WEEKS, overview, statements

MIXED = ("w-star", "w-train", "w-greedy")
RAW = ("w-star-raw", "w-train-raw")
HALVES = ("training", "testing")
# Below this, two values count as the same.
SMALL = 0.10
CLOSE = 0.01
# The numbers of evaluations at which searches are compared.
STEPS = (10, 20, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10000)

Rows = Sequence[Mapping[str, Any]]


class Results:
    """What the workflow has found, by machine."""

    def __init__(self, job: Job) -> None:
        self.machines: Mapping[str, Any] = job.params.machines
        self.orders: list[str] = job.params.orders
        self.searches: list[str] = job.params.searches
        self.intervals = Intervals(job.input.batfill)
        self.paper = {(row["machine"], row["policy"], row["what"]): float(row["sum"])
                      for row in read_csv(job.input.paper)}
        self.paper_logs = {row["machine"]: row for row in read_csv(job.input.paper_logs)}
        self.splits = {machine: read_json(file) for machine, file in zip(self.machines, job.input.splits)}
        self.weeks = self._read(job.input.weeks)
        self.months = self._read(job.input.months)

    def _read(self, files: Sequence[str]) -> dict[str, PeriodValues]:
        return {machine: PeriodValues(file, self.orders) for machine, file in zip(self.machines, files)}

    def half(self, machine: str, half: str) -> list[int]:
        """The weeks of a half."""
        return self.weeks[machine].within(self.machines[machine]["weeks"][half])

    def ratio(self, machine: str, policy: str, other: str, periods: Sequence[int]) -> Optional[float]:
        """Of the sums of two policies."""
        above, below = (self.weeks[machine].sum(one, periods) for one in (policy, other))
        return above / below if above and below else None

    def named(self) -> Optional[PeriodValues]:
        """The weeks of the log that the text speaks of, if it is there."""
        return next((self.weeks[machine] for machine, settings in self.machines.items() if "longest" in settings), None)


def logs(results: Results) -> Rows:
    """Table 1."""
    rows = []
    for machine, split in results.splits.items():
        paper, ours = results.paper_logs.get(machine), split.get("table_1")
        rows.append({
            "log": machine, "jobs, paper": int(paper["jobs"]) if paper else None,
            "jobs, here": ours["jobs"] if ours else None,
            "difference": ours["jobs"] / int(paper["jobs"]) - 1 if ours and paper else None,
            "mean run time, paper": float(paper["mean_run_time"]) if paper else None,
            "mean run time, here": ours["mean_run_time"] if ours else None,
            "mean size, paper": int(paper["mean_size"]) if paper else None,
            "mean size, here": ours["mean_size"] if ours else None,
            "weeks": len(results.weeks[machine].periods), "jobs replayed": split["kept"],
        })
    return rows


def halves(results: Results) -> Rows:
    """Table 2, of all logs."""
    rows = []
    for machine, weeks in results.weeks.items():
        sums = {half: {policy: weeks.sum(policy, results.half(machine, half))
                       for policy in (*results.orders, *MIXED, *RAW)} for half in HALVES}
        by_testing = sorted((value, policy) for policy, value in sums["testing"].items()
                            if value is not None and policy not in RAW)
        places = {policy: place for place, (_, policy) in enumerate(by_testing, start=1)}
        by_training = sorted((value is None, value or 0, policy) for policy, value in sums["training"].items())
        for _, _, policy in by_training:
            row: dict[str, Any] = {"log": machine, "policy": shown(policy), "place in testing": places.get(policy)}
            for half in HALVES:
                ours = sums[half][policy]
                paper = results.paper.get((machine, policy.removesuffix("-raw"), half))
                row.update({half: ours, f"{half}, paper": paper,
                            f"{half}, ratio": ours / paper if ours and paper else None,
                            f"{half}, word": word(ours, paper) if ours and paper else None})
            rows.append(row)
    return rows


def rankings(results: Results, key: Sequence[Mapping[str, str]]) -> Rows:
    """The pure policies of each log by their sums over all weeks; the paper's by the rows of its tables, whose names
    and numbers need not belong together."""
    columns: dict[str, list[str]] = {}
    for machine, weeks in results.weeks.items():
        printed = [(float(row["printed"]), row["row"]) for row in key
                   if row["log"] == machine and row["threshold"] == "200000"]
        if printed:
            columns[f"{machine}, printed"] = [row for _, row in sorted(printed)]
        columns[f"{machine}, here"] = [shown(one) for one in weeks.ranking()]
    return [{"place": place + 1, **{column: policies[place] for column, policies in columns.items()}}
            for place in range(len(results.orders))]


def of_weeks(results: Results) -> Rows:
    """What the text says of weeks, a line for each, a column for each log."""
    columns = {machine: _of_weeks(results, machine) for machine in results.machines}
    rows = []
    for what in next(iter(columns.values())):
        values = {machine: column[what] for machine, column in columns.items()}
        known = [value for value in values.values() if value is not None]
        rows.append({"what": what, **values, "least": min(known, default=None), "most": max(known, default=None)})
    return rows


def _of_weeks(results: Results, machine: str) -> dict[str, Any]:
    weeks = results.weeks[machine]
    periods = weeks.periods
    star, saf, fcfs = (dict(zip(periods, weeks.known(policy, periods))) for policy in ("w-star", "saf", "fcfs"))
    pure = {period: weeks.best_pure(period) for period in periods}
    largest = max(periods, key=lambda one: pure[one] / star[one])
    most = max(periods, key=lambda one: saf[one] / star[one])
    following = [one for one in periods if weeks.value("w-greedy", one) is not None]
    greedy = [ours / other for ours, other in zip(weeks.known("w-greedy", following), weeks.known("saf", following))]
    training, testing = (results.half(machine, half) for half in HALVES)
    return {
        "weeks": len(periods),
        "SAF best or within 1 %": sum(saf[one] <= (1 + CLOSE) * pure[one] for one in periods),
        "SAF more than 10 % above the best": sum(saf[one] > (1 + SMALL) * pure[one] for one in periods),
        "SAF and FCFS within 10 % of w*": sum(max(saf[one], fcfs[one]) <= (1 + SMALL) * star[one] for one in periods),
        "SAF within 10 % of w*": sum(saf[one] <= (1 + SMALL) * star[one] for one in periods),
        QUIET_WEEKS: sum(map(weeks.is_quiet, [*training, *testing])),
        "weeks of training and testing": len(training) + len(testing),
        "best pure of the week / w*, sums": sum(pure.values()) / sum(star.values()),
        "best pure of the week / w*, mean": fmean(pure[one] / star[one] for one in periods),
        "best pure of the week / w*, largest": pure[largest] / star[largest],
        "week of that": largest,
        "SAF / best pure of the week, sums": sum(saf.values()) / sum(pure.values()),
        "SAF / w*, sums": sum(saf.values()) / sum(star.values()),
        "SAF / w*, mean": fmean(saf[one] / star[one] for one in periods),
        "SAF / w*, largest": saf[most] / star[most],
        "week of this": most,
        "FCFS / w*, sums": sum(fcfs.values()) / sum(star.values()),
        "w*_train / SAF, training": results.ratio(machine, "w-train", "saf", training),
        "w*_train / SAF, testing": results.ratio(machine, "w-train", "saf", testing),
        "w*_train / w*, training": results.ratio(machine, "w-train", "w-star", training),
        "w_greedy / SAF, testing": results.ratio(machine, "w-greedy", "saf", testing),
        "weeks after another": len(following),
        "w_greedy more than 10 % below SAF": sum(one < 1 - SMALL for one in greedy),
        "w_greedy more than 10 % above SAF": sum(one > 1 + SMALL for one in greedy),
    }


def of_features(results: Results) -> Rows:
    """w* and w*_train of scaled features and of features as they are."""
    rows = []
    for machine, settings in results.machines.items():
        for half in HALVES:
            periods = results.half(machine, half)
            row: dict[str, Any] = {"log": machine, "half": half, "vectors": size(settings["weeks"]["points"]),
                                   "vectors, raw": size(settings["weeks"]["raw_points"]),
                                   "SAF": results.weeks[machine].sum("saf", periods)}
            for policy in ("w-star", "w-train"):
                row[shown(policy)] = results.weeks[machine].sum(policy, periods)
                row[f"{shown(policy)}, raw"] = results.weeks[machine].sum(f"{policy}-raw", periods)
                row[f"{shown(policy)}, paper"] = results.paper.get((machine, policy, half))
            rows.append(row)
    return rows


def of_searches(results: Results) -> Rows:
    """The sums of what xNES found, over its seeds: differences in per cent, with their intervals."""
    rows = []
    for machine, weeks in results.weeks.items():
        star = sum(weeks.known("w-star", weeks.periods))
        sums = {search: [sum(weeks.known(seed, weeks.periods)) for seed in weeks.seeds(search)]
                for search in results.searches}
        three, six = (sums[search] for search in results.searches)
        found = results.intervals.means({
            **{f"{search} above w*": [100 * (one / star - 1) for one in sums[search]] for search in results.searches},
            "xnes6 above xnes3": [100 * (one / other - 1) for one, other in zip(six, three)]})
        row: dict[str, Any] = {"log": machine, "w*": star, "seeds": len(three)}
        for name, above in found.items():
            search = name.split(" ", maxsplit=1)[0]
            if name.endswith("w*"):
                row[f"{search}, evaluations"] = results.machines[machine]["weeks"]["evaluations"][search]
            row.update({name: above.value, f"{name}, low": above.low, f"{name}, high": above.high})
        row["verdict"] = found["xnes6 above xnes3"].verdict("more", "less")
        w_star, xnes3, xnes6 = weeks.known("w-star", weeks.periods), means(weeks, "xnes3"), means(weeks, "xnes6")
        for name, ours, others in (("xnes3, w*", xnes3, w_star), ("xnes6, xnes3", xnes6, xnes3)):
            ratios = [one / other for one, other in zip(ours, others)]
            row.update({f"{name}: weeks below": sum(one < 1 - CLOSE for one in ratios),
                        f"{name}: weeks above": sum(one > 1 + CLOSE for one in ratios)})
        row["weeks"] = len(weeks.periods)
        rows.append(row)
    return rows


def means(weeks: PeriodValues, search: str) -> list[float]:
    """What a search found in each period, the mean over its seeds."""
    return [fmean(weeks.of_seeds(search, period)) for period in weeks.periods]


def convergence(results: Results, files: Sequence[str]) -> Rows:
    """The sums over all weeks of the best values after so many evaluations, mean and interval over the seeds."""
    names = iter(files)
    rows: list[dict[str, Any]] = []
    for machine, settings in results.machines.items():
        for search in results.searches:
            found = [read_csv(next(names)) for _ in range(settings["weeks"]["seeds"])]
            last = settings["weeks"]["evaluations"][search]
            sums = results.intervals.means({step: [_sum_after(lines, step) for lines in found]
                                            for step in sorted({*(one for one in STEPS if one < last), last})})
            rows += [{"log": machine, "search": search, "evaluations": step, "sum": one.value, "low": one.low,
                      "high": one.high} for step, one in sums.items()]
    return rows


def _sum_after(lines: Sequence[Mapping[str, str]], evaluations: int) -> float:
    """The sum over workloads of the best value among so many evaluations."""
    best: dict[str, float] = {}
    for line in lines:
        if int(line["evaluation"]) <= evaluations:
            best[line["workload"]] = min(float(line["value"]), best.get(line["workload"], float("inf")))
    return sum(best.values())


def monthly(results: Results) -> Rows:
    """Figure 15 in sums."""
    rows: list[dict[str, Any]] = []
    for machine, months in results.months.items():
        settings = results.machines[machine]["months"]
        for policy in ("w-star", "w-train", "w-greedy", "saf", "spf", "fcfs"):
            sums = {half: months.sum(policy, months.within(settings[half])) for half in HALVES}
            rows.append({"log": machine, "policy": shown(policy), **sums})
    return rows


def main(job: Job) -> None:
    """Writes all tables."""
    results = Results(job)
    folder = Path(job.output[0]).parent
    sums, key, differences = (read_csv(file) for file in job.input.sums)
    tables: dict[str, Rows] = {
        "table-1": logs(results), "table-2": halves(results), "ranking": rankings(results, key),
        "weeks": of_weeks(results), "named-weeks": named_weeks(read_csv(job.input.paper_weeks), results.named()),
        "months": monthly(results), "features": of_features(results), "searches": of_searches(results),
        "convergence": convergence(results, job.input.convergence)}
    read = {"sums": sums, "key": key, "differences": differences, **{
        name: [row for file in files for row in read_csv(file)]
        for name, files in (("table-7", job.input.longest), ("figure-4", job.input.spaces))}}
    said = statements(list(results.machines), tables, read)
    tables["statements"] = rows_of(said)
    tables["overview"] = rows_of(overview(tables, read, said))
    for name, rows in tables.items():
        write_csv(str(folder / f"{name}.csv"), rows)


if __name__ == "__main__":
    run_job(main)
