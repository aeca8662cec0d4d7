"""Tables as CSV and as Markdown, what several draws say of a number, and how numbers are shown to people."""
import csv
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Mapping, Sequence, Union

# How people want to read a number.
Show = Callable[[float], str]


@dataclass(frozen=True)
class Spread:
    """A number over several draws."""

    mean: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """The spread of at least one value."""
        known = list(values)
        return cls(statistics.fmean(known), min(known), max(known))

    def text(self, show: Show) -> str:
        """`mean (least to most)`, or just the mean where the draws agree as shown."""
        mean, least, most = (show(value) for value in (self.mean, self.least, self.most))
        return mean if least == most else f"{mean} ({least} to {most})"


@dataclass(frozen=True)
class Cell:
    """What several draws say of a number, in a table, and how people read it."""

    drawn: Spread
    show: Show

    def __str__(self) -> str:
        return self.drawn.text(self.show)


# What a table holds: text, a count, a number, a number over draws, or nothing.
Value = Union[str, int, float, Cell, None]
Row = Mapping[str, Value]
# Lines of a CSV, by the names of their columns.
Lines = Sequence[Mapping[str, str]]


def one_digit(value: float) -> str:
    """A number with one digit after the point; none is a negative 0."""
    return f"{value:z,.1f}"


def two_digits(value: float) -> str:
    """A number with two digits after the point; none is a negative 0."""
    return f"{value:z,.2f}"


def per_cent(share: float) -> str:
    """A share of 1, in per cent."""
    return f"{100 * share:.0f} %"


def tenths(share: float) -> str:
    """A share of 1, to a tenth of a per cent."""
    return f"{100 * share:.1f} %"


def hundredths(share: float) -> str:
    """A small share of 1, to a hundredth of a per cent."""
    return f"{100 * share:.2f} %"


def count(found: Sequence[object], of: Sequence[object]) -> str:
    """How many of them, in words."""
    return f"{len(found)} of {len(of)}"


def read_csv(file: str) -> list[dict[str, str]]:
    """The lines of a CSV with a header."""
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def grouped(lines: Lines, *columns: str) -> dict[tuple[str, ...], list[Mapping[str, str]]]:
    """The lines by what they have in these columns."""
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for line in lines:
        found.setdefault(tuple(line[column] for column in columns), []).append(line)
    return found


def write_csv(file: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Writes at least one row; all rows have the columns of the first."""
    with open(file, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_table(file: str, title: str, rows: Sequence[Row], show: Show = str) -> None:
    """Writes at least one row as FILE.csv with full numbers, a column for each part of a number over draws, and as
    FILE.md for people, who see a number that is neither a count nor over draws as `show` has it; the first column is to
    the left there."""
    parts = {column: list(vars(value.drawn)) for row in rows for column, value in row.items()
             if isinstance(value, Cell)}
    write_csv(f"{file}.csv", [_numbers(row, parts) for row in rows])
    columns = list(rows[0])
    lines = [title, "", _line(columns), "|---|" + "---:|" * (len(columns) - 1)]
    lines += [_line([_text(row[column], show) for column in columns]) for row in rows]
    Path(f"{file}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _numbers(row: Row, parts: Mapping[str, list[str]]) -> dict[str, object]:
    numbers: dict[str, object] = {}
    for column, value in row.items():
        if column in parts:
            for part in parts[column]:
                numbers[f"{column}, {part}"] = getattr(value.drawn, part) if isinstance(value, Cell) else None
        else:
            numbers[column] = value
    return numbers


def _text(value: Value, show: Show) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return show(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
