"""Job of rule `agreement_tables`: all comparisons in one table, and sums by scenario and by algorithm."""
import csv
from pathlib import Path
from typing import Iterable, Mapping, Sequence

from agreement.pair import CLASSES, DIFFERENCE
from common.comparison import worst
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv

COUNTED = ("jobs", "equal", *CLASSES, "waited", "stopped at walltime", "killed", "rejected", "resubmitted",
           "other starts", "notable starts")

Line = Mapping[str, str]


def placed(file: str) -> list[dict[str, str]]:
    """The lines of a file, behind the machine and the scenario of its folder."""
    machine, scenario = Path(file).parts[-3:-1]
    return [{"machine": machine, "scenario": scenario, **line} for line in read_csv(file)]


def total(lines: Sequence[Line]) -> Row:
    """What several comparisons say together: in how many all jobs are equal, the sums, the largest shift, the worst
    word."""
    return {
        "comparisons": len(lines), "machines": len({line["machine"] for line in lines}),
        "schedules": len({line["schedule"] for line in lines}),
        "all equal": sum(line["jobs"] == line["equal"] for line in lines),
        "other order": sum(line["same order"] == "no" for line in lines),
        "other run": sum(bool(line["differences of the run"]) for line in lines),
        **{name: sum(int(line[name]) for line in lines) for name in COUNTED},
        "largest shift": max(float(line["largest shift"]) for line in lines),
        "word": worst(line["word"] for line in lines),
    }


def grouped(lines: Sequence[Line], column: str) -> list[Row]:
    """The totals by the values of a column."""
    return [{column: value, **total([line for line in lines if line[column] == value])}
            for value in dict.fromkeys(line[column] for line in lines)]


def write_differences(file: str, lines: Iterable[Line]) -> None:
    """Writes the lines, and the header if there are none."""
    with open(file, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ["machine", "scenario", *DIFFERENCE], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def main(job: Job) -> None:
    """Writes all tables."""
    lines = [line for file in job.input.results for line in placed(file)]
    write_csv(job.output.agreement, lines)
    write_csv(job.output.scenarios, grouped(lines, "scenario"))
    write_csv(job.output.algorithms, grouped([line for line in lines if line["scenario"] != "latency"], "algorithm"))
    write_differences(job.output.differences, [line for file in job.input.differences for line in placed(file)])


if __name__ == "__main__":
    run_job(main)
