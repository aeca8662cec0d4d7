"""What happened month by month on one machine: by the paper's tables, or by the replays of a log."""
from dataclasses import dataclass, field
from typing import Optional, Sequence

Rows = Sequence[dict[str, str]]
# A way of scheduling: run times that were estimated (`requested`) or `actual`, and omega.
Way = tuple[str, str]
ESTIMATED, ACTUAL = "requested", "actual"
TIMES = {ESTIMATED: "estimated", ACTUAL: "actual"}
PAPER_MACHINES = ("T3E", "O3K")
PAPER_OMEGAS = ("0", "1", "2", "4", "inf")


@dataclass
class Monthly:
    """Hours of waiting and numbers of jobs in each of the months, lists in their order.

    `backfilled` is of `backfilled_months`, which in the paper are only some; `important` is empty if there are no such
    jobs, and a log's own waits are None if the log does not have them."""

    machine: str
    omegas: Sequence[str]  # from the smallest to infinity, `inf`
    months: list[str]
    waits: dict[Way, list[float]]
    log_waits: Optional[list[float]]
    backfilled_months: list[str] = field(default_factory=list)
    backfilled: dict[Way, list[float]] = field(default_factory=dict)
    important: dict[str, list[float]] = field(default_factory=dict)
    log_important: Optional[list[float]] = None


def papers(rows: Rows, machine: str) -> Monthly:
    """A machine of the paper, by its tables without their totals."""
    monthly = [row for row in rows if row["machine"] == machine and row["month"] != "total"]
    tables = {"waits": ("1", "4"), "backfilled": ("2", "5"), "important": ("3", "6")}

    def table(name: str, estimates: str) -> Rows:
        return [row for row in monthly if row["table"] in tables[name] and row["estimates"] == estimates]

    def columns(name: str, estimates: str, first: int = 0) -> dict[Way, list[float]]:
        return {(estimates, omega): [float(row[omega]) for row in table(name, estimates)]
                for omega in PAPER_OMEGAS[first:]}

    waits, important = table("waits", ESTIMATED), table("important", ESTIMATED)
    return Monthly(
        machine, PAPER_OMEGAS, [row["month"] for row in waits], columns("waits", ESTIMATED) | columns("waits", ACTUAL),
        [float(row["log_wait"]) for row in waits],
        [row["month"] for row in table("backfilled", ESTIMATED)],
        columns("backfilled", ESTIMATED, 1) | columns("backfilled", ACTUAL, 1),
        {omega: hours for (_, omega), hours in columns("important", ESTIMATED).items()},
        [float(row["log_wait"]) for row in important])


def replayed(log: Rows, rows: Rows, omegas: Sequence[str]) -> Monthly:
    """A machine by its log month by month and by the replays' months; of these only whole ones."""
    machine, months = log[0]["machine"], [row["month"] for row in log if row["whole"] == "1"]
    found = {(row["group"], row["replay"], row["month"]): row for row in rows if row["machine"] == machine}
    has_waits = all(row["log_wait_seconds"] for row in log)
    has_important = any(int(row["important_jobs"]) for row in log)

    def columns(name: str, unit: float, estimates: Sequence[str] = tuple(TIMES)) -> dict[Way, list[float]]:
        return {(one, omega): [float(found[one, omega, month][name]) / unit for month in months]
                for one in estimates for omega in omegas}

    def logged(name: str) -> Optional[list[float]]:
        return [float(row[name]) / 3600 for row in log if row["whole"] == "1"] if has_waits else None

    important = columns("important_wait_seconds", 3600, [ESTIMATED]) if has_important else {}
    return Monthly(machine, omegas, months, columns("wait_seconds", 3600), logged("log_wait_seconds"),
                   months, columns("backfilled", 1), {omega: hours for (_, omega), hours in important.items()},
                   logged("log_important_wait_seconds") if has_important else None)
