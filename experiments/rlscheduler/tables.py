"""Job of rule `rlscheduler_tables`: mean bounded slowdowns beside the printed ones, and what can be said of them."""
import statistics
from typing import Mapping, Optional, Sequence

from common.comparison import BY_NUMBER, Overview, Statement, relation, rows_of, word, worst
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv

LEARNED = "RL"
Lines = Sequence[Mapping[str, str]]


def printed_value(printed: Lines, rule: str, machine: str, policy: str) -> Optional[float]:
    """The printed mean bounded slowdown; none if there is none."""
    found = [line for line in printed if (line["rule"], line["machine"]) == (rule, machine)]
    return float(found[0][policy]) if found else None


def slowdown_rows(replays: Lines, printed: Lines) -> list[Row]:
    """A line for each log, rule and policy: the means over its sequences, and the printed number if there is one."""
    rows: list[Row] = []
    for machine, rule, policy in dict.fromkeys((line["machine"], line["rule"], line["policy"]) for line in replays):
        lines = [line for line in replays if (line["machine"], line["rule"], line["policy"]) == (machine, rule, policy)]
        slowdowns = [float(line["bounded_slowdown"]) for line in lines]
        here, paper = statistics.fmean(slowdowns), printed_value(printed, rule, machine, policy)
        compared = [int(line["other_starts"]) for line in lines if line["other_starts"] != ""]
        rows.append({
            "machine": machine, "rule": rule, "policy": policy, "sequences": len(lines), "slowdown": here,
            "least": min(slowdowns), "most": max(slowdowns),
            "printed": "" if paper is None else paper,
            "difference": "" if paper is None else abs(round(here, 2) - paper),
            "word": "" if paper is None else word(here, paper),
            "utilisation": statistics.fmean(float(line["utilisation"]) for line in lines),
            "compared starts": sum(int(line["jobs"]) for line in lines if line["other_starts"] != ""),
            "other starts": sum(compared) if compared else ""})
    return rows


def start_rows(rows: Sequence[Row]) -> list[Row]:
    """How many starts were compared, and how many differ, by rule."""
    compared = [row for row in rows if row["other starts"] != ""]
    return [{"rule": rule,
             "starts": sum(_number(row["compared starts"]) for row in compared if row["rule"] == rule),
             "different": sum(_number(row["other starts"]) for row in compared if row["rule"] == rule)}
            for rule in dict.fromkeys(str(row["rule"]) for row in compared)]


def best_rows(rows: Sequence[Row], printed: Lines) -> list[Row]:
    """The heuristic with the smallest mean for each log and rule, beside the number that is printed for the learned
    policy with or without backfilling."""
    found: list[Row] = []
    for machine, rule in dict.fromkeys((str(row["machine"]), str(row["rule"])) for row in rows):
        of_rule = [row for row in rows if (row["machine"], row["rule"]) == (machine, rule)]
        learned = printed_value(printed, "none" if rule.startswith("none") else "backfilling", machine, LEARNED)
        best = min(of_rule, key=lambda row: _number(row["slowdown"]))
        found.append({"machine": machine, "rule": rule, "policy": best["policy"], "slowdown": best["slowdown"],
                      "learned": "" if learned is None else learned,
                      "below learned": "" if learned is None else
                                       "yes" if _number(best["slowdown"]) < learned else "no"})
    return found


def _number(value: object) -> float:
    assert isinstance(value, (int, float))
    return value


def statements_of(rows: Sequence[Row]) -> list[Statement]:
    """Each printed number of a heuristic, in the words of all comparisons."""
    parts = {"none": "without backfilling", "backfilling": "with backfilling"}
    return [Statement(f"Tables V and VI, {parts[str(row['rule'])]}",
                      f"{row['machine']}, {row['policy']}: {_number(row['printed']):.2f}",
                      f"{_number(row['slowdown']):.2f}", str(row["word"]), BY_NUMBER)
            for row in rows if row["printed"] != ""]


def overview_of(rows: Sequence[Row]) -> list[Overview]:
    """The two tables in the overview of all papers."""
    compared = [row for row in rows if row["printed"] != ""]
    if not compared:
        return [Overview("Tables V and VI", "no", "no printed numbers for generated workloads")]
    largest = max(_number(row["difference"]) for row in compared)
    return [Overview("Tables V and VI: mean bounded slowdowns of the heuristics", "yes",
                     largest_difference=f"{largest:.2f}", word=worst(str(row["word"]) for row in compared)),
            Overview("Tables V and VI: the learned policy", "no", "batfill does not run its trained networks")]


def main(job: Job) -> None:
    """Writes all tables."""
    printed = read_csv(job.input.printed)
    rows = slowdown_rows(read_csv(job.input.replays), printed)
    write_csv(job.output.slowdowns, rows)
    write_csv(job.output.starts, start_rows(rows) or [{"rule": "", "starts": 0, "different": 0}])
    write_csv(job.output.best, best_rows(rows, printed))
    none = Statement("Tables V and VI", "no printed numbers for generated workloads", "", relation(True), BY_NUMBER)
    write_csv(job.output.statements, rows_of(statements_of(rows) or [none]))
    write_csv(job.output.overview, rows_of(overview_of(rows)))


if __name__ == "__main__":
    run_job(main)
