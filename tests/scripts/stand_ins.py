"""What tests put in the place of Snakemake's jobs and of the program, and how they write and read small files."""
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from common.tables import read_csv, write_csv
from snakemake.io import Namedlist


def named(content: Mapping[str, Any]) -> Any:
    """What Snakemake gives a script for inputs, outputs, parameters or wildcards: values by name and by place."""
    return Namedlist(fromdict=dict(content))


def unnamed(content: Sequence[str]) -> Any:
    """The same where the rule gives no names."""
    return Namedlist(toclone=list(content))


@dataclass
class StandInJob:
    """A job of the workflow. Each part is a mapping or, for inputs and outputs without names, a sequence."""

    input: Any = ()
    output: Any = ()
    params: Any = field(default_factory=dict)
    wildcards: Any = field(default_factory=dict)
    threads: int = 1

    def __post_init__(self) -> None:
        for part in ("input", "output", "params", "wildcards"):
            content = getattr(self, part)
            setattr(self, part, named(content) if isinstance(content, Mapping) else unnamed(content))


def results_in(folder: Path, **names: str) -> dict[str, str]:
    """Outputs of a job by their names, as files of a folder."""
    return {name: str(folder / file) for name, file in names.items()}


def tables_job(folder: Path, batfill: str, weeks: Sequence[Mapping[str, object]],
               results: Sequence[Mapping[str, object]]) -> StandInJob:
    """A job that makes tables in a folder of lines of weeks and of whole schedules."""
    files = results_in(folder, weeks="weeks.csv", results="results.csv")
    write_csv(files["weeks"], weeks)
    write_csv(files["results"], results)
    return StandInJob({**files, "batfill": batfill}, [str(folder / "machines.csv")])


def write(file: Path, *lines: str) -> str:
    """Writes the lines and returns the file's path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(file)


def lines_where(folder: Path, table: str, **where: str) -> list[dict[str, str]]:
    """The lines of a table with these values."""
    return [row for row in read_csv(str(folder / f"{table}.csv"))
            if all(row[column] == value for column, value in where.items())]


def lines_of(file: Path) -> list[str]:
    """The lines of a file."""
    return file.read_text(encoding="utf-8").splitlines()


PROGRAM = """#!{python}
import json, sys
from pathlib import Path
answers, calls = Path({answers!r}), Path({calls!r})
with calls.open("a", encoding="utf-8") as stream:
    print(json.dumps(sys.argv[1:]), file=stream)
answer = json.loads(answers.read_text(encoding="utf-8")).get(sys.argv[1], {{}})
for name, text in answer.get("writes", {{}}).items():
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
sys.stdout.write(answer.get("prints", ""))
sys.exit(answer.get("status", 0))
"""


class StandInProgram:
    """A program that answers each command (its first argument) as told: with what it prints, with the files that it
    writes in the folder in which it runs, with a status. It remembers how it was called."""

    def __init__(self, folder: Path, name: str = "batfill") -> None:
        self.file = folder / name
        self._answers = folder / f"{name}-answers.json"
        self._calls = folder / f"{name}-calls"
        self._answers.write_text("{}", encoding="utf-8")
        self._calls.touch()
        self.file.write_text(PROGRAM.format(python=sys.executable, answers=str(self._answers), calls=str(self._calls)),
                             encoding="utf-8")
        self.file.chmod(0o755)

    def answer(self, command: str, prints: str = "", writes: Optional[Mapping[str, str]] = None,
               status: int = 0) -> None:
        """What the program does from now on when it is called with this command."""
        answers = json.loads(self._answers.read_text(encoding="utf-8"))
        answers[command] = {"prints": prints, "writes": dict(writes or {}), "status": status}
        self._answers.write_text(json.dumps(answers), encoding="utf-8")

    @property
    def calls(self) -> list[str]:
        """The arguments of each call, in order, with a space between them; without those for versions."""
        return [" ".join(call) for call in map(json.loads, lines_of(self._calls)) if not call[0].endswith("version")]


INTERVALS = """#!{python}
import csv, math, statistics, sys
arguments = sys.argv[3:]
weeks = "--weeks" in arguments
option = {{name: arguments[arguments.index(name) + 1] for name in ("--jobs", "--baseline") if name in arguments}}
with open(sys.argv[2], encoding="utf-8", newline="") as stream:
    header, *rows = csv.reader(stream)
columns = {{name: [float(row[place]) for row in rows] for place, name in enumerate(header) if place > 0}}
jobs = columns.pop(option["--jobs"]) if "--jobs" in option else [1.0] * len(rows)
baseline = columns[option.get("--baseline", next(iter(columns)))]

def mean(column, without):
    return sum(column[:without] + column[without + 1:]) / sum(jobs[:without] + jobs[without + 1:])

def difference(column, without):
    ours, theirs = mean(column, without), mean(baseline, without)
    return ours / theirs - 1 if "--relative" in arguments else ours - theirs

def bounds(statistic, column):
    count = len(rows)
    value = statistic(column, count)
    if count < (20 if weeks else 5):
        return [value, "", ""]
    error = statistics.stdev((count - 1) * statistic(column, row) for row in range(count)) / math.sqrt(count)
    return [value, value - 2 * error, value + 2 * error]

print("name,rows,value,low,high,difference,difference_low,difference_high")
for name, column in columns.items():
    print(name, len(rows), *bounds(mean, column), *bounds(difference, column), sep=",")
"""


def intervals_stand_in(folder: Path) -> str:
    """A program in the place of `batfill intervals`. Its intervals are two standard errors of the jackknife to either
    side, with at least 5 rows, or 20 weeks."""
    file = Path(write(folder / "batfill-intervals", INTERVALS.format(python=sys.executable)))
    file.chmod(0o755)
    return str(file)
