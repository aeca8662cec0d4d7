"""The paper's Tables 1 to 6 for one log, and its utilisation, month by month."""
from statistics import fmean
from typing import Optional, Sequence

from common.tables import Row, Value, tenths
from relaxed.monthly import ESTIMATED, TIMES

Months = Sequence[dict[str, str]]


def shown(omega: str) -> str:
    """An omega as tables have it."""
    return f"omega = {'infinity' if omega == 'inf' else omega}"


def hours(seconds: float) -> int:
    """Seconds in whole hours."""
    return round(seconds / 3600)


def mean(values: Sequence[str]) -> Optional[float]:
    """The mean of a column, if it is known."""
    return fmean(float(value) for value in values) if all(values) else None


def total(values: Sequence[str]) -> Optional[int]:
    """The sum of a column of seconds in hours, if it is known."""
    return hours(sum(float(value) for value in values)) if all(values) else None


class MonthTables:
    """The tables of one machine. Rows are its whole months and what they add up to."""

    def __init__(self, log: Months, replays: Months, omegas: Sequence[str]) -> None:
        self.machine = log[0]["machine"]
        self.whole = [month for month in log if month["whole"] == "1"]
        self._log = log
        self._replays = {(row["machine"], row["group"], row["replay"], row["month"]): row for row in replays}
        self._omegas = omegas

    def column(self, group: str, replay: str, column: str, months: Optional[Months] = None) -> list[str]:
        """What a replay has in the months, by default the whole ones."""
        return [self._replays[self.machine, group, replay, month["month"]][column] for month in months or self.whole]

    def has(self, group: str, replay: str) -> bool:
        """Whether there is such a replay."""
        return (self.machine, group, replay, self.whole[0]["month"]) in self._replays

    def _groups(self) -> list[tuple[str, Months]]:
        return [*((month["month"], [month]) for month in self.whole), ("total", self.whole)]

    def waits(self) -> list[Row]:
        """Tables 1 and 4, with a last group of all jobs of the log, those of the other months too."""
        return [self._waits_of(name, months, estimates) for name, months in [*self._groups(), ("all jobs", self._log)]
                for estimates in TIMES]

    def _waits_of(self, name: str, months: Months, estimates: str) -> Row:
        utilisation = mean([month["log_utilisation"] for month in months]) if months is not self._log else None
        return {
            "month": name, "jobs": sum(int(month["jobs"]) for month in months),
            "log's utilisation": None if utilisation is None else tenths(utilisation),
            "log's wait": total([month["log_wait_seconds"] for month in months]), "times": TIMES[estimates],
            **{shown(omega): total(self.column(estimates, omega, "wait_seconds", months))
               for omega in self._omegas}}

    def backfilled(self) -> list[Row]:
        """Tables 2 and 5."""
        return [{
            "month": name, "jobs": sum(int(month["jobs"]) for month in months), "times": title,
            **{shown(omega): sum(map(int, self.column(estimates, omega, "backfilled", months)))
               for omega in self._omegas},
        } for name, months in self._groups() for estimates, title in TIMES.items()]

    def important(self) -> list[Row]:
        """Tables 3 and 6."""
        return [{
            "month": name, "jobs": sum(int(month["important_jobs"]) for month in months),
            "log's wait": total([month["log_important_wait_seconds"] for month in months]),
            **{shown(omega): total(self.column(ESTIMATED, omega, "important_wait_seconds", months))
               for omega in self._omegas},
        } for name, months in self._groups()]

    def utilisation(self, references: Sequence[str]) -> list[Row]:
        """The log's utilisation and that of the replays with estimated times."""
        ways = [("references", one, one) for one in references]
        ways += [(ESTIMATED, omega, shown(omega)) for omega in self._omegas]
        rows: list[Row] = []
        for name, months in [*self._groups()[:-1], ("mean", self.whole)]:
            row: dict[str, Value] = {"month": name, "log": mean([month["log_utilisation"] for month in months])}
            for group, replay, title in ways:
                row[title] = mean(self.column(group, replay, "utilisation", months))
            rows.append(row)
        return rows
