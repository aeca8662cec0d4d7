"""Each word on a page of results stands beside the bound that decides it."""
from pathlib import Path
from typing import Mapping, Sequence

import publish
import pytest
from common.comparison import BY_NUMBER, LIMITS
from common.tables import read_csv

# Tables of statements with words.
TABLES = {file: f"{file.parent.name}/{file.name}" for file in sorted(publish.PUBLISHED.glob("*/*.csv"))
          if {"statement", "word"} <= set(file.read_text(encoding="utf-8").splitlines()[0].split(","))}


def unprinted(page: str, rows: Sequence[Mapping[str, str]]) -> list[str]:
    """The rows whose bound is missing, or is not in the page: beside what is here and, of a number, in LIMITS."""
    lines = [line.replace("\\|", "|") for line in page.splitlines() if line.startswith("|")]

    def printed(row: Mapping[str, str]) -> bool:
        bound = row.get("bound", "")
        if bound.startswith(BY_NUMBER) and LIMITS not in page:
            return False
        return bound == BY_NUMBER or bool(bound) and any(bound in line and row["here"] in line for line in lines)

    return [row["here"] for row in rows if row["word"] and not printed(row)]


def test_bounds_that_are_not_printed_are_found() -> None:
    rows = [{"here": "7 of 10", "word": "differs", "bound": "in all"},
            {"here": "5 %", "word": "close", "bound": BY_NUMBER},
            {"here": "8 of 10", "word": "differs", "bound": ""},
            {"here": "no data", "word": "", "bound": "in all"}]
    assert unprinted("| PC wins | in all | 7 of 10 |\n\n" + LIMITS, rows) == ["8 of 10"]
    assert unprinted("| PC wins | 7 of 10 |\n\nin all", rows) == ["7 of 10", "5 %", "8 of 10"]
    assert unprinted("| in all |\n| 7 of 10 |", rows[:1]) == ["7 of 10"]


@pytest.mark.parametrize("file", TABLES, ids=TABLES.get)
def test_bounds_are_printed(file: Path) -> None:
    page = (publish.PUBLISHED / f"{file.parent.name}.md").read_text(encoding="utf-8")
    assert unprinted(page, read_csv(str(file))) == []
