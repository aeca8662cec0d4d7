"""Job of rule `relaxed_tables`: the paper's Tables 1 to 6 for each log, and what the paper says in numbers."""
from pathlib import Path
from statistics import fmean
from typing import Any, Mapping, Sequence

from common.comparison import rows_of
from common.job import Job, JobError, run_job
from common.tables import Row, Show, Value, one_digit, read_csv, tenths, two_digits, write_csv, write_table
from relaxed.month_tables import MonthTables, hours, mean, shown
from relaxed.monthly import ACTUAL, ESTIMATED, PAPER_MACHINES, PAPER_OMEGAS, TIMES, papers, replayed
from relaxed.statements import STATEMENTS, average_change, below, change, overview
from relaxed.workload_jobs import QUEUES

# Where the months of a machine are from: the paper, a log with a load like that of the paper's machines, a busier log,
# or a log on a larger machine than its own.
OF_PAPER, ALIKE, BUSIER, LARGER = "paper", "alike", "busier", "larger"
# Table 1 has an actual wait in it that is ten to forty times that of any other month.
ODD_MONTH = "2002-01"


def sums_of(paper: Sequence[dict[str, str]]) -> list[Row]:
    """The totals that the paper prints, beside the sums of its months."""
    titles = {"jobs": "jobs", "log_wait": "actual wait", **{omega: shown(omega) for omega in PAPER_OMEGAS}}
    rows: list[Row] = []
    for printed in (row for row in paper if row["month"] == "total"):
        months = [row for row in paper if row["month"] != "total"
                  and (row["table"], row["estimates"]) == (printed["table"], printed["estimates"])]
        for column, title in titles.items():
            # The actual wait stands once for both rows of a month.
            if printed[column] and (column, printed["estimates"]) != ("log_wait", ACTUAL):
                added = sum(int(row[column]) for row in months)
                rows.append({"table": printed["table"], "column": title, "times": TIMES[printed["estimates"]],
                             "printed": int(printed[column]), "sum of the months": added,
                             "printed - sum": int(printed[column]) - added})
    return rows


class Tables:
    """Writes the tables from the workflow's files."""

    def __init__(self, job: Job) -> None:
        self._folder = Path(job.output[0]).parent
        self._machines: list[str] = job.params.machines
        self._omegas: list[str] = job.params.omegas
        self._references: list[str] = job.params.references
        self._variations: Mapping[str, Mapping[str, Any]] = job.params.variations
        self._paper = read_csv(job.input.paper)
        self._census = {row["machine"]: row for file in job.input.census for row in read_csv(file)}
        self._results = {(row["machine"], row["group"], row["replay"]): row for row in read_csv(job.input.results)}
        logs, months = [read_csv(file) for file in job.input.logs], read_csv(job.input.months)
        tables = {log[0]["machine"]: MonthTables(log, months, self._omegas) for log in logs}
        self._months = {machine: tables[machine] for machine in self._machines}
        self._of_all = tables
        self._loaded_alike: float = job.params.loaded_alike
        here = {log[0]["machine"]: replayed(log, months, self._omegas) for log in logs}
        for machine, monthly in here.items():
            if not monthly.months:
                raise JobError(f"{machine}: no whole month between the first submission and the last")
        self._all = {machine: papers(self._paper, machine) for machine in PAPER_MACHINES} | here

    def write_all(self) -> None:
        """Writes every table, as CSV and as Markdown."""
        for machine, tables in self._months.items():
            self._write(f"{machine}-waits", f"{machine}, as Tables 1 and 4: total wait in hours by month of submission",
                        tables.waits())
            self._write(f"{machine}-backfilled", f"{machine}, as Tables 2 and 5: number of jobs backfilled",
                        tables.backfilled())
            self._write(f"{machine}-important",
                        f"{machine}, as Tables 3 and 6: wait in hours of challenge and urgent jobs, estimated times",
                        tables.important())
            self._write(f"{machine}-utilisation", f"{machine}: utilisation by month, estimated times",
                        tables.utilisation(self._references), tenths)
        self._write("logs", "The logs", [self._log(machine) for machine in self._of_all], tenths)
        self._write("totals", "Total wait in hours: sums of the months", self._totals())
        self._write("changes", "By how much the totals of the months change, in per cent", self._changes(), one_digit)
        write_csv(str(self._folder / "statements.csv"), self._statements())
        write_csv(str(self._folder / "overview.csv"), rows_of(overview(*(
            [monthly for machine, monthly in self._all.items() if self._where(machine) == where]
            for where in (ALIKE, BUSIER)))))
        self._write("references", "Total and longest wait in hours of all jobs, estimated times", self._compared())
        self._write("queues", "Mean wait in hours of the jobs of each queue, estimated times", self._by_queue(),
                    one_digit)
        self._write("estimates", "What estimates cost: total wait with estimated over that with actual times",
                    self._estimates(), two_digits)
        self._write("variations", "Variations: total wait in hours, sums of the whole months, estimated times",
                    self._varied(), one_digit)
        self._write("paper-sums", "The totals that the paper prints, and the sums of its months", sums_of(self._paper))
        self._write("paper-averages", "What the paper's text says in numbers, from its own tables", self._averages(),
                    one_digit)

    def _write(self, name: str, title: str, rows: Sequence[Row], show: Show = str) -> None:
        write_table(str(self._folder / name), title, rows, show)

    def _log(self, machine: str) -> Row:
        census, whole = self._census[machine], self._of_all[machine].whole
        return {
            "log": machine, "where": self._where(machine),
            "processors": int(census["processors"]), "jobs": int(census["jobs"]),
            **{queue: int(census[f"{queue}_jobs"]) for queue in reversed(list(QUEUES))},
            "whole months": len(whole), "from": whole[0]["month"], "to": whole[-1]["month"],
            "jobs in these": sum(int(month["jobs"]) for month in whole),
            "log's utilisation": mean([month["log_utilisation"] for month in whole]),
            "busy at infinity": self._busy(machine),
            "run time / estimate, mean": float(census["mean_run_time_of_estimate"]),
            "of their sums": float(census["run_time_of_estimate"]),
        }

    def _totals(self) -> list[Row]:
        return [{
            "machine": machine, "where": self._where(machine), "months": len(monthly.months),
            "log's wait": None if monthly.log_waits is None else round(sum(monthly.log_waits)), "times": title,
            **{shown(omega): round(sum(monthly.waits[estimates, omega])) for omega in monthly.omegas},
        } for machine, monthly in self._all.items() for estimates, title in TIMES.items()]

    def _where(self, machine: str) -> str:
        """Whose machine it is, and whether the replay at infinity keeps it as busy as those of the paper were."""
        if machine in PAPER_MACHINES:
            return OF_PAPER
        if machine not in self._months:
            return LARGER
        return ALIKE if self._busy(machine) <= self._loaded_alike else BUSIER

    def _busy(self, machine: str) -> float:
        return fmean(map(float, self._of_all[machine].column(ESTIMATED, "inf", "utilisation")))

    def _changes(self) -> list[Row]:
        return [self._change(machine, omega, base) for machine in self._all
                for omega, base in [("2", "1"), ("4", "1"), ("inf", "1"), ("inf", "log"), ("inf", "actual")]
                if base != "log" or self._all[machine].log_waits]

    def _change(self, machine: str, omega: str, base: str) -> Row:
        monthly = self._all[machine]
        waits = monthly.waits[ESTIMATED, omega]
        bases = ((monthly.log_waits or []) if base == "log" else monthly.waits[ACTUAL, omega] if base == "actual"
                 else monthly.waits[ESTIMATED, base])
        return {"machine": machine, "where": self._where(machine), "omega": omega, "to": base,
                "total": change(sum(waits), sum(bases)), "average": average_change(waits, bases),
                "months below": below(waits, bases), "months": len(waits)}

    def _statements(self) -> list[Row]:
        return [{"part": one.part, "statement": one.paper, "bound": one.bound, "machine": machine,
                 "where": self._where(machine), "here": (one.find(monthly) or (None, "no data"))[1],
                 "word": one.word(monthly)}
                for one in STATEMENTS for machine, monthly in self._all.items() if self._where(machine) != LARGER]

    def _compared(self) -> list[Row]:
        ways = [("references", reference, reference) for reference in self._references]
        ways += [(group, omega, f"relaxed, {shown(omega)}{note}") for group, note in (
            (ESTIMATED, ""), ("first-come", ", first come first")) for omega in self._omegas
            if group == ESTIMATED or group in self._variations]
        rows: list[Row] = []
        for group, replay, title in ways:
            row: dict[str, Value] = {"algorithm": title}
            for machine in self._machines:
                found = self._results[machine, group, replay]
                row[machine] = hours(float(found["mean_wait"]) * int(found["jobs"]))
                row[f"{machine}, longest"] = hours(float(found["max_wait"]))
            rows.append(row)
        return rows

    def _by_queue(self) -> list[Row]:
        return [self._queue(machine, queue, group) for machine in self._machines for queue in self._queues_of(machine)
                for group in [ESTIMATED, *self._variations]
                if group == ESTIMATED or (self._is_of_queues(group) and len(self._queues_of(machine)) > 1)]

    def _queues_of(self, machine: str) -> list[str]:
        return [queue for queue in reversed(list(QUEUES)) if int(self._census[machine][f"{queue}_jobs"])]

    def _is_of_queues(self, group: str) -> bool:
        """Whether it is a variation of the queues' factor alone."""
        return set(self._variations.get(group, {})) == {"r"}

    def _queue(self, machine: str, queue: str, group: str) -> Row:
        census, column = self._census[machine], f"{queue}_wait_seconds"
        jobs, log = int(census[f"{queue}_jobs"]), census[f"{queue}_log_wait_seconds"]
        return {"log": machine, "queue": queue, "jobs": jobs, "the log": float(log) / 3600 / jobs if log else None,
                "priorities": self._described(group),
                **{shown(omega): float(self._results[machine, group, omega][column]) / 3600 / jobs
                   for omega in self._omegas}}

    def _described(self, variation: str) -> str:
        if variation == ESTIMATED:
            return "as the paper"
        return ", ".join(f"{key}={value}" for key, value in self._variations[variation].items())

    def _estimates(self) -> list[Row]:
        return [{"machine": machine, **{
            shown(omega): 1 + change(sum(monthly.waits[ESTIMATED, omega]), sum(monthly.waits[ACTUAL, omega])) / 100
            for omega in monthly.omegas}} for machine, monthly in self._all.items()]

    def _varied(self) -> list[Row]:
        return [self._varied_on(tables, variation) for machine, tables in self._months.items()
                for variation in [ESTIMATED, *self._variations]
                if not self._is_of_queues(variation) or len(self._queues_of(machine)) > 1]

    def _varied_on(self, tables: MonthTables, variation: str) -> Row:
        def waits(omega: str, column: str = "wait_seconds") -> list[float]:
            return [float(value) for value in tables.column(variation, omega, column)]

        found = {omega: waits(omega) for omega in self._omegas if tables.has(variation, omega)}
        important = [sum(waits(omega, "important_wait_seconds")) for omega in ("inf", "1")]
        return {
            "log": tables.machine, "where": self._where(tables.machine), "variation": self._described(variation),
            **{shown(omega): hours(sum(found[omega])) if omega in found else None for omega in self._omegas},
            "smallest": shown(min(found, key=lambda omega: sum(found[omega]))),
            "infinity to 1 (%)": change(sum(found["inf"]), sum(found["1"])),
            "on average (%)": average_change(found["inf"], found["1"]),
            "months below 1": f"{below(found['inf'], found['1'])} of {len(found['1'])}",
            "challenge and urgent (%)": change(*important) if important[1] else None,
        }

    def _averages(self) -> list[Row]:
        t3e, o3k = self._all["T3E"], self._all["O3K"]
        assert t3e.log_waits is not None and o3k.log_waits is not None
        odd = t3e.months.index(ODD_MONTH)
        odd_wait, total_wait = t3e.log_waits[odd], sum(t3e.log_waits)
        [printed] = [int(row["log_wait"]) for row in self._paper
                     if (row["table"], row["month"], row["estimates"]) == ("1", "total", ESTIMATED)]

        def without_odd(values: Sequence[float]) -> list[float]:
            return [value for place, value in enumerate(values) if place != odd]

        relaxed, relaxed_o3k = t3e.waits[ESTIMATED, "inf"], o3k.waits[ESTIMATED, "inf"]
        actual, actual_o3k = t3e.waits[ACTUAL, "inf"], o3k.waits[ACTUAL, "inf"]
        rows: list[tuple[str, str, Value]] = [
            ("T3E: infinity to the actual wait, mean of the months (%)", "46 decrease",
             average_change(relaxed, t3e.log_waits)),
            (f"the same without {ODD_MONTH} (%)", "-",
             average_change(without_odd(relaxed), without_odd(t3e.log_waits))),
            ("T3E: infinity to omega = 1, mean of the months (%)", "67 decrease",
             average_change(relaxed, t3e.waits[ESTIMATED, "1"])),
            ("O3K: infinity to the actual wait, mean of the months (%)", "87 decrease",
             average_change(relaxed_o3k, o3k.log_waits)),
            ("O3K: infinity to omega = 1, mean of the months (%)", "62 decrease",
             average_change(relaxed_o3k, o3k.waits[ESTIMATED, "1"])),
            ("O3K: infinity, estimated to actual times, mean of the months (%)", "9 more",
             average_change(relaxed_o3k, actual_o3k)),
            ("T3E: infinity, estimated to actual times, mean of the months (%)", "-", average_change(relaxed, actual)),
            ("T3E: months with less wait by estimated times at infinity", "6 of 12",
             f"{below(relaxed, actual)} of {len(t3e.months)}"),
            ("O3K: the same", "-", f"{below(relaxed_o3k, actual_o3k)} of {len(o3k.months)}"),
            (f"T3E: actual wait of all months but {ODD_MONTH} (h)", "-", round(total_wait - odd_wait)),
            (f"T3E: actual wait of {ODD_MONTH}, printed total less these (h)", str(round(odd_wait)),
             round(printed - (total_wait - odd_wait))),
            (f"T3E: {ODD_MONTH} in the total of the actual wait (%)", "-", 100 * odd_wait / total_wait),
        ]
        return [{"what": what, "printed": paper, "from the tables": value} for what, paper, value in rows]


def main(job: Job) -> None:
    """Writes all tables."""
    Tables(job).write_all()


if __name__ == "__main__":
    run_job(main)
