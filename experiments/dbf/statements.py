"""Job of rule `dbf_statements`: what the paper states in numbers or as a relation, what is here, and the word for both;
and the paper's part of the overview.

A relation is asked of the means over the draws; where draws are compared one by one, it is said how many agree. Words
such as "similar" get a bound, which is named in the module where it is used, and shown in brackets. Judged are the
machines of the paper; those that are there besides are shown.
"""
from typing import Callable, Iterator, Sequence

from common.comparison import DIFFERS, Overview, Statement, rows_of, worst
from common.job import Job, run_job
from common.tables import write_csv
from dbf import deadline_statements, log_statements, time_statements, wait_statements
from dbf.sources import Sources

PARTS: Sequence[Callable[[Sources], Iterator[Statement]]] = (
    log_statements.logs, log_statements.regular_jobs, log_statements.arrivals, log_statements.deadline_rule,
    wait_statements.waits, wait_statements.wait_of_dbf, wait_statements.gains, wait_statements.compressions,
    wait_statements.waits_on_blue, wait_statements.distributions, wait_statements.waits_of_all,
    wait_statements.mean_stretches, wait_statements.maximum_stretches,
    deadline_statements.violations, deadline_statements.fates, deadline_statements.usage, time_statements.times,
)
OVERVIEW = [*(f"Table {number}" for number in range(1, 4)), *(f"Figure {number}" for number in range(1, 8))]


def largest_difference(sources: Sources, what: str) -> str:
    """Of the numbers that the paper's Tables 1 and 2 and ours have; nothing of what has no such numbers."""
    ours = {"Table 1": sources.anomalies, "Table 2": sources.regular_jobs}.get(what, {})
    differences = [abs(float(ours[machine][column]) / number - 1) for machine in sources.results.of_paper if ours
                   for column, number in sources.table_row(what.split()[1], machine).items() if number]
    return f"{100 * max(differences):.3f} %" if differences else ""


def overview(sources: Sources, statements: Sequence[Statement]) -> list[Overview]:
    """The paper's tables and figures: how much of what it states of each does not hold, and the worst word."""
    absent = [row["workload"] for row in sources.tables["2"] if not sources.results.machine(row["workload"])]
    lines = []
    for what in OVERVIEW:
        of_part = [one for one in statements if one.part == what]
        failed = [one for one in of_part if one.word == DIFFERS]
        reasons = [f"no log of {' and '.join(absent)}"] if absent else []
        if what == "Table 3":
            reasons.append("seconds of another program on another computer are not compared")
        difference = largest_difference(sources, what) or f"{len(failed)} of {len(of_part)} statements do not hold"
        lines.append(Overview(what, "partly" if reasons else "yes", "; ".join(reasons), difference,
                              worst(one.word for one in of_part)))
    return lines


def main(job: Job) -> None:
    """Writes `statements.csv` and `overview.csv`."""
    sources = Sources.of(job)
    found = [statement for part in PARTS for statement in part(sources)]
    write_csv(job.output.statements, rows_of(found))
    write_csv(job.output.overview, rows_of(overview(sources, found)))


if __name__ == "__main__":
    run_job(main)
