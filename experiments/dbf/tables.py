"""Job of rule `dbf_tables`: the paper's Tables 1 to 3, and what its text says in numbers."""
from pathlib import Path
from typing import Optional

from common.files import read_json
from common.job import Job, run_job
from common.tables import (Cell, Row, Show, Spread, Value, hundredths, one_digit, read_csv, tenths,
                           write_table)
from dbf.results import DBF, EASY, distinct, ratios, select, values

# The columns of Table 1, by what `batfill swf` calls them.
ANOMALIES = {
    "run time <= 0": "run time <= 0",
    "allocated processors < 0": "processors < 0",
    "allocated > requested processors": "processors > requested",
    "run time > requested time": "run time > walltime",
    "run time > requested time + 60 s": "run time > walltime + 1 min",
}
COMPARED = {
    "mean_wait_regular": "mean wait, regular jobs",
    "mean_stretch_regular": "mean stretch, regular jobs",
    "max_stretch_regular": "maximum stretch, regular jobs",
    "mean_wait": "mean wait, all jobs",
}
LEVELS = {"0.25": "first quartile", "0.5": "median", "0.75": "third quartile", "1.0": "maximum"}


def thousands(number: float) -> str:
    """A count, or a mean of counts."""
    return f"{number:,.1f}".removesuffix(".0")


def seconds(number: float) -> str:
    """A time as the paper's Table 3 writes it, with tenths of a second."""
    whole, rest = divmod(round(number, 1), 60)
    return f"{whole:.0f} min {rest:04.1f} s" if whole else f"{rest:.1f} s"


def cell(numbers: list[float], show: Show) -> Optional[Cell]:
    """A table's cell with the numbers' spread, if there are any."""
    return Cell(Spread.of(numbers), show) if numbers else None


class Tables:
    """Writes the tables from the workflow's files."""

    def __init__(self, job: Job) -> None:
        self._folder = Path(job.output[0]).parent
        self._machines = job.params.machines
        self._schedules = job.params.schedules
        self._repairs = job.params.repairs
        self._conversions = [read_json(file) for file in job.input.conversions]
        self._timings = [row for file in job.input.timings for row in read_csv(file)]
        self._all_metrics = read_csv(job.input.metrics)
        self._metrics = select(self._all_metrics, repair=self._repairs[0])
        self._all_statistics = read_csv(job.input.statistics)
        self._distribution = select(read_csv(job.input.distribution), repair=self._repairs[0])
        self._compressions = read_csv(job.input.compressions)
        self._shares = distinct(self._metrics, "share")

    def write_all(self) -> None:
        """Writes every table, as CSV and as Markdown."""
        self._write("table-1", "Table 1: anomalies in the logs", self._anomalies())
        self._write("table-2", "Table 2: regular jobs by share of deadline-driven jobs", self._regular_jobs())
        self._write("table-3", "Table 3: time of a replay", self._times())
        self._write("comparison", "DBF as a fraction of the others, mean (least to most) of the draws",
                    self._comparison())
        self._write("deadlines", "What became of the deadlines, mean (least to most) of the draws", self._deadlines())
        self._write("wait-quantiles", "Waits of regular jobs that count, in minutes, mean (least to most) of the draws",
                    self._wait_quantiles())
        self._write("compressions", "CBF with other compressions of its plan: mean wait of regular jobs that count, in "
                    "minutes, mean (least to most) of the draws", self._with_compressions())

    def _write(self, name: str, title: str, rows: list[Row]) -> None:
        write_table(str(self._folder / name), title, rows)

    def _anomalies(self) -> list[Row]:
        rows: list[Row] = []
        for machine, conversion in zip(self._machines, self._conversions):
            counts = {anomaly["what"]: anomaly["jobs"] for anomaly in conversion["anomalies"]}
            rows.append({"workload": machine, **{title: counts.get(what) for what, title in ANOMALIES.items()}})
        return rows

    def _regular_jobs(self) -> list[Row]:
        rows: list[Row] = []
        for machine, conversion in zip(self._machines, self._conversions):
            row: dict[str, Value] = {"workload": machine, "total": conversion["kept"]}
            for share in self._shares:
                drawn = select(self._all_statistics, machine=machine, share=share)[0]["drawn_jobs"]
                row[f"{share} %"] = conversion["kept"] - int(drawn)
            rows.append(row)
        return rows

    def _times(self) -> list[Row]:
        rows: list[Row] = []
        for machine in self._machines:
            for kind in ("wall", "processor"):
                row: dict[str, Value] = {"workload": machine, "time": kind}
                for timing in select(self._timings, machine=machine):
                    title = f"{timing['algorithm']} {timing['share']} %" if timing["share"] else timing["algorithm"]
                    row[title] = cell([float(timing[f"{kind}_seconds"])], seconds)
                rows.append(row)
        return rows

    def _comparison(self) -> list[Row]:
        return [{"metric": title, "workload": machine, "share": f"{share} %",
                 **self._against_others(metric, machine, share)}
                for metric, title in COMPARED.items() for machine in self._machines for share in self._shares]

    def _against_others(self, metric: str, machine: str, share: str) -> Row:
        runs = select(self._metrics, machine=machine, share=share)
        ours = values(select(runs, run="dbf"), metric)
        row: dict[str, Value] = {}
        for other in self._schedules:
            theirs = values(select(runs, run=other), metric)
            row[f"dbf / {other}"] = cell(ratios(ours, theirs), "{:.2f}".format)
            row[f"draws below {other}"] = f"{sum(a < b for a, b in zip(ours, theirs))} of {len(ours)}"
        return row

    def _with_compressions(self) -> list[Row]:
        rows: list[Row] = []
        for machine in self._machines:
            of_machine = select(self._compressions, machine=machine)
            for variant in distinct(of_machine, "variant"):
                draws = select(of_machine, variant=variant)
                easy, cbf, dbf = (values(select(draws, run=run), "mean_wait_regular") for run in (EASY, variant, DBF))
                rows.append({"workload": machine, "variant": variant,
                             **{name: cell([wait / 60 for wait in waits], one_digit)
                                for name, waits in (("CBF", cbf), ("EASY", easy), ("DBF", dbf))},
                             "CBF / EASY": cell(ratios(cbf, easy), "{:.2f}".format),
                             "DBF / CBF": cell(ratios(dbf, cbf), "{:.2f}".format)})
        return rows

    def _deadlines(self) -> list[Row]:
        return [{"workload": machine, "repair": repair, "share": f"{share} %", **self._fates(machine, repair, share)}
                for machine in self._machines for repair in self._repairs for share in self._shares]

    def _fates(self, machine: str, repair: str, share: str) -> Row:
        runs = select(self._all_metrics, machine=machine, repair=repair, share=share, run="dbf")
        statistics = select(self._all_statistics, machine=machine, repair=repair, share=share)
        jobs = values(runs, "deadline_jobs")
        return {
            "deadline-driven": cell(jobs, thousands),
            "missed": cell(ratios(values(runs, "deadline_violations"), jobs), hundredths),
            "missed, short": cell(values(runs, "deadline_violations_short"), thousands),
            "missed, long": cell(values(runs, "deadline_violations_long"), thousands),
            "of these certain at submission": cell(values(statistics, "deadlines_missed_hopeless"), thousands),
            "started at once": cell(ratios(values(runs, "deadline_jobs_started_at_once"), jobs), tenths),
            "usage": cell(values(runs, "mean_deadline_usage"), tenths),
            "usage if delayed": cell(values(runs, "mean_deadline_usage_delayed"), tenths),
            "usage above 80 %": cell(values(runs, "share_deadline_usage_above_80_percent"), hundredths),
        }

    def _wait_quantiles(self) -> list[Row]:
        return [{"workload": machine, "share": f"{share} %", "algorithm": run, **self._quantiles(machine, share, run)}
                for machine in self._machines for share in self._shares for run in [*self._schedules, "dbf"]]

    def _quantiles(self, machine: str, share: str, run: str) -> Row:
        draws = select(self._distribution, machine=machine, share=share)
        counts = select(self._all_statistics, machine=machine, share=share, repair=self._repairs[0])
        at_once = ratios(values(counts, f"{run}_started_at_once"), values(counts, "counted_regular_jobs"))
        return {"no wait": cell(at_once, tenths), **{
            title: cell([wait / 60 for wait in values(select(draws, level=level), run)], one_digit)
            for level, title in LEVELS.items()}}


def main(job: Job) -> None:
    """Writes all tables."""
    Tables(job).write_all()


if __name__ == "__main__":
    run_job(main)
