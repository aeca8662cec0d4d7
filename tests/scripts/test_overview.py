"""The overview has every table and figure of the papers."""
import re

import publish
import pytest
from common.tables import read_csv

# How many tables and figures each paper has. The figure of a paper that only says how an algorithm goes is one, too.
CONTENTS = {"mixed-policies": (7, 15), "pc-dc": (0, 9), "dbf": (3, 7), "farms": (0, 2), "relaxed": (6, 2)}
NUMBERS = r"\d+(?:\([a-z]\))?"
PART = re.compile(rf"\b(Table|Figure)s?\s+({NUMBERS}(?:(?:, | and | to ){NUMBERS})*)")


def parts_named(text: str) -> set[str]:
    """The tables and figures in a text such as `Tables 1 and 3 to 5, Figure 2(a)`."""
    found: set[str] = set()
    for kind, numbers in PART.findall(text):
        for numbered in re.split(", | and ", numbers):
            first, *last = (int(re.sub(r"\(.*", "", number)) for number in numbered.split(" to "))
            found.update(f"{kind} {number}" for number in range(first, (last or [first])[0] + 1))
    return found


def test_parts_are_found() -> None:
    assert parts_named("Tables 1 and 3 to 5, columns sorted") == {"Table 1", "Table 3", "Table 4", "Table 5"}
    assert parts_named("Figure 2(b), first table; Figures 7, 9 and 10") == {
        "Figure 2", "Figure 7", "Figure 9", "Figure 10"}


@pytest.mark.parametrize("paper", CONTENTS)
def test_every_table_and_figure_is_in_the_overview(paper: str) -> None:
    tables, figures = CONTENTS[paper]
    wanted = {f"Table {number + 1}" for number in range(tables)} | {f"Figure {number + 1}" for number in range(figures)}
    rows = read_csv(str(publish.PUBLISHED / paper / "overview.csv"))
    named = set().union(*(parts_named(row["what"]) for row in rows))
    assert wanted - named == set()


def test_overview_has_every_paper() -> None:
    text = publish.OVERVIEW.read_text(encoding="utf-8")
    assert all(f'"{paper}": ' in text for paper in CONTENTS)
