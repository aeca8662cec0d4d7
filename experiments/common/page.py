"""Pages of results: rendered from a template and the tables beside them, so that no number is typed. As a script: the
job of rule `page`, which puts a paper's page, tables and figures together as they are published.

README.md says how a page is written. What a template can call are the methods of `Data` that `render` hands over.
"""
import re
import shutil
import traceback
from pathlib import Path
from typing import Mapping, Optional, Sequence, Union

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, TemplateSyntaxError

from common.comparison import LIMITS, word
from common.files import read_json, sha256
from common.intervals import LEVEL
from common.job import Job, JobError, run_job
from common.tables import count, read_csv

EXPERIMENTS = Path(__file__).resolve().parents[1]
TEMPLATE, MANIFEST = "page.md", "manifest.json"
# Of the results, tables are published, and of the figures those that the page shows.
SHOWN = re.compile(r"!\[[^]]*\]\([^)]*/([^)/]+)\)")

WHOLE = re.compile(r"[-+]?\d+")
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

# A field of a CSV: a number if it reads as one, None if it is empty.
Field = Union[int, float, str, None]
Line = dict[str, Field]


class PageError(JobError):
    """A page cannot be rendered; the message says why and, if known, at which line of its template."""


# Folders of experiments whose pages have another name, because among the results theirs would say too little.
NAMES = {"agreement": "batsim-agreement"}
FOLDERS = {name: folder for folder, name in NAMES.items()}


def folder_of(paper: str) -> Path:
    """The experiment of the page `docs/results/PAPER.md`."""
    return EXPERIMENTS / FOLDERS.get(paper, paper.replace("-", "_"))


def paper_of(folder: Path) -> str:
    """What the page of an experiment is called, and its results."""
    return NAMES.get(folder.name, folder.name.replace("_", "-"))


def template_of(paper: str) -> Path:
    """The template of the page `docs/results/PAPER.md`."""
    return folder_of(paper) / TEMPLATE


class Data:
    """The tables that a template may read: those of its paper's results and, beside the template, `paper-*.csv` with
    the numbers of the paper itself."""

    def __init__(self, results: Path, template: Path) -> None:
        self._folders = (results, template.parent)

    def files(self, pattern: str) -> list[str]:
        """The names of the results' files that fit the pattern, in order."""
        return sorted(str(file.relative_to(self._folders[0])) for file in self._folders[0].glob(pattern))

    def rows(self, file: str, /, **where: object) -> list[Line]:
        """The rows of a table in which the columns have these values, maybe none."""
        lines = self._read(file)
        for column in where:
            _expect_column(file, lines, column)
        return [line for line in lines if all(str(line[column]) == str(wanted) for column, wanted in where.items())]

    def row(self, file: str, /, **where: object) -> Line:
        """The one row in which the columns have these values."""
        found = self.rows(file, **where)
        if len(found) != 1:
            raise PageError(f"{file}: {len(found)} rows, not one, where {where}")
        return found[0]

    def value(self, file: str, column: str, /, **where: object) -> Union[int, float, str]:
        """What the column has in that one row; an empty field is an error."""
        line = self.row(file, **where)
        _expect_column(file, [line], column)
        field = line[column]
        if field is None:
            raise PageError(f"{file}: {column} is empty where {where}")
        return field

    def table(self, of: Union[str, Sequence[Line]], /, columns: Optional[Mapping[str, str]] = None,
              digits: Union[int, Mapping[str, int]] = 1, **where: object) -> str:
        """A table in Markdown, of a file's rows or of given ones. `columns` has, by heading, the name of a column or a
        text with columns in braces, `{wait, mean:.1f} ({wait, least:.1f} to {wait, most:.1f})`; without it all are
        shown. `digits` are those after the point, one number or one for each heading (1 if not named), of columns that
        have any."""
        file = of if isinstance(of, str) else "table"
        lines = self.rows(of, **where) if isinstance(of, str) else of
        if not lines:
            raise PageError(f"{file}: no rows where {where}")
        shown = [_column(file, lines, heading, source, digits if isinstance(digits, int) else digits.get(heading, 1))
                 for heading, source in (columns or {name: name for name in lines[0]}).items()]
        rows = [[column[place] for column in shown] for place in range(len(lines) + 2)]
        return "\n".join("|" + "|".join(row) + "|" if place == 1 else "| " + " | ".join(row) + " |"
                         for place, row in enumerate(rows))

    def statements(self, part: str) -> str:
        """The table of what `statements.csv` has of a part of the paper, with the bounds."""
        return self.table("statements.csv", {"the paper": "statement", "holds if": "bound", "here": "here", "": "word"},
                          part=part)

    def _read(self, file: str) -> list[Line]:
        found = [folder / file for folder in self._folders if (folder / file).is_file()]
        if len(found) != 1:
            raise PageError(f"{file}: in {len(found)} folders of {', '.join(map(str, self._folders))}")
        return [{column: _field(text) for column, text in row.items()} for row in read_csv(str(found[0]))]


def _field(text: str) -> Field:
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else text or None


def _expect_column(file: str, lines: Sequence[Line], column: str) -> None:
    if lines and column not in lines[0]:
        raise PageError(f"{file}: no column '{column}' among {', '.join(lines[0])}")


def _column(file: str, lines: Sequence[Line], heading: str, source: str, digits: int) -> list[str]:
    """A column of a table: heading, rule and fields."""
    if "{" in source:
        return [heading, "---:", *(_filled(file, line, source) for line in lines)]
    _expect_column(file, lines, source)
    fields = [line[source] for line in lines]
    has_digits = any(isinstance(field, float) for field in fields)
    is_text = any(isinstance(field, str) for field in fields)
    return [heading, "---" if is_text else "---:", *(_shown(field, digits if has_digits else 0) for field in fields)]


def _shown(field: Field, digits: int) -> str:
    if field is None:
        return "-"
    return field.replace("|", "\\|") if isinstance(field, str) else number(field, digits)


def _filled(file: str, line: Line, text: str) -> str:
    """The text with the columns that it names; `-` where one of them is empty."""
    for name in re.findall(r"\{([^:}]+)", text):
        _expect_column(file, [line], name)
        if line[name] is None:
            return "-"
    return text.format(**line)


def number(value: float, digits: int = 0) -> str:
    """A number with so many digits after the point and commas between thousands; nothing is a negative 0."""
    text = f"{value:,.{digits}f}"
    return text.lstrip("-") if not text.strip("-0,.") else text


def signed(value: float, digits: int = 0) -> str:
    """The same with a sign, but for 0."""
    text = number(value, digits)
    return f"+{text}" if value > 0 and text.strip("0,.") else text


def minutes(seconds: float, digits: int = 1) -> str:
    """Seconds as minutes."""
    return number(seconds / 60, digits)


def percent(share: float, digits: int = 0) -> str:
    """A share as per cent: 0.25 is `25 %`."""
    return f"{number(100 * share, digits)} %"


def interval(one: Line, digits: int = 1, scale: float = 1, unit: str = "", has_sign: bool = False) -> str:
    """`value (low to high)` of a row with these columns, each times `scale`; the unit is only behind the value."""
    show = signed if has_sign else number
    value, low, high = (one[part] for part in ("value", "low", "high"))
    if not isinstance(value, (int, float)):
        raise PageError("a row without a value has no interval")
    shown = show(scale * value, digits) + unit
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return f"{shown} (no interval)"
    return f"{shown} ({show(scale * low, digits)} to {show(scale * high, digits)})"


def by_chance(lines: Sequence[object]) -> str:
    """How many of these intervals are expected to leave out the truth, if each does so in 5 % of the cases."""
    expected = (1 - LEVEL) * len(lines)
    return number(expected, 1 if expected < 10 else 0)


def spelled(value: int) -> str:
    """A count up to twelve in words, a larger one in digits."""
    return SMALL[value] if 0 <= value < len(SMALL) else number(value)


def listed(names: Sequence[object]) -> str:
    """`A, B and C`; `none` of nothing."""
    texts = [str(name) for name in names]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts) or "none"


def render(template: Path, results: Path) -> str:
    """The page that a template makes of a folder of results. Names, columns and rows that are not there are errors."""
    environment = Environment(loader=FileSystemLoader(template.parent), undefined=StrictUndefined, autoescape=False,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    data = Data(results, template)
    environment.globals.update(files=data.files, rows=data.rows, row=data.row, value=data.value, table=data.table,
                               statements=data.statements, word=word, limits=LIMITS, count=count)
    environment.filters.update(digits=number, signed=signed, minutes=minutes, percent=percent, spelled=spelled,
                               listed=listed, interval=interval, by_chance=by_chance)
    if (results / MANIFEST).is_file():
        environment.globals["manifest"] = read_json(str(results / MANIFEST))
    try:
        return environment.get_template(template.name).render()
    except TemplateSyntaxError as error:
        raise PageError(f"{template}:{error.lineno}: {error.message}") from error
    except (PageError, TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(template)]
        raise PageError(f"{template}:{lines[-1] if lines else '?'}: {error}") from error


def check_hashes(folder: Path) -> None:
    """Fails unless the folder's manifest has every other file of the folder, with its hash. Hidden files do not count:
    Snakemake leaves one in a folder that it makes."""
    hashes = read_json(str(folder / MANIFEST))["results"]
    for file in sorted(folder.iterdir()):
        if file.name != MANIFEST and not file.name.startswith(".") and hashes.get(file.name) != sha256(str(file)):
            raise PageError(f"{file}: {'not as' if file.name in hashes else 'not'} in the manifest")


def main(job: Job) -> None:
    """Writes a paper's page, and beside it the folder with its manifest, its tables and the figures that it shows."""
    page, folder = Path(job.output.page), Path(job.output.folder)
    shown = SHOWN.findall(Path(job.input.template).read_text(encoding="utf-8"))
    folder.mkdir(parents=True)
    for file in map(Path, [job.input.manifest, *job.input.results]):
        if file.suffix in (".csv", ".json") or file.name in shown:
            shutil.copyfile(file, folder / file.name)
    check_hashes(folder)
    page.write_text(render(Path(job.input.template), folder), encoding="utf-8")


if __name__ == "__main__":
    run_job(main)
