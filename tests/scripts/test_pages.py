"""Pages link to what exists, and show what is in the files that they name."""
import csv
import re
import subprocess
from pathlib import Path

import pytest

from links import dead_links

TOP = Path(__file__).resolve().parents[2]
PAGES = [*TOP.glob("*.md"), *TOP.glob("docs/**/*.md"), *TOP.glob("examples/*/*.md"), TOP / "experiments" / "README.md"]


def blocks(page: str, language: str) -> list[str]:
    """The blocks of code of a page in one language."""
    text = (TOP / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_the_scheduler_of_the_protocol_is_the_example() -> None:
    example = (TOP / "examples" / "scheduler" / "scheduler.cpp").read_text(encoding="utf-8")
    assert blocks("protocol.md", "cpp") == [example]
    assert len(example.splitlines()) <= 60


def test_the_algorithm_of_the_tutorial_is_the_example() -> None:
    example = (TOP / "examples" / "tutorial" / "shortest_first.cpp").read_text(encoding="utf-8")
    assert blocks("tutorial.md", "cpp") == [example]


def test_the_first_screen_is_short() -> None:
    assert len((TOP / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


def test_the_tables_of_performance_are_rows_of_its_files() -> None:
    """A table is from the last file that the page links to before it."""
    text = (TOP / "docs" / "performance.md").read_text(encoding="utf-8")
    files = {file.name: list(csv.reader(file.read_text(encoding="utf-8").splitlines()))
             for file in (TOP / "docs" / "performance").iterdir()}
    assert set(re.findall(r"\]\(performance/([^)]+)\)", text)) == set(files)
    shown = 0
    for before, table in re.findall(r"((?:^[^|\n].*\n)+)\n((?:^\|.*\n)+)", text, flags=re.MULTILINE):
        for line in table.splitlines()[2:] if "(performance/" in before else []:
            cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
            name = re.findall(r"\]\(performance/([^)]+)\)", before)[0]
            assert any(cells == row[:len(cells)] for row in files[name]), f"{name} has no row {cells}"
            shown += 1
    assert shown >= 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert not dead_links(page)


def test_a_dead_link_is_named(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A heading\n[1](page.md#a-heading) [2](none.md) [3](#b) [4](https://none.md)\n"
                    "```cpp\n[](const int&) {}\n```\n", encoding="utf-8")
    assert dead_links(page) == ["none.md is not there", "the page has no heading #b"]


def test_every_page_that_a_source_names_exists() -> None:
    folders = ["src", "include", "schedulers", "protocol", "tests", "cmake", "docker", "bench", "experiments"]
    named = subprocess.run(["git", "grep", "-hoE", r"\bdocs/[a-z0-9/-]+\.md", "--", *folders],
                           cwd=TOP, capture_output=True, text=True, check=True).stdout.split()
    assert named
    assert [name for name in set(named) if not (TOP / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_every_source_that_a_page_names_exists(page: Path) -> None:
    """By its whole path, or headers as a program includes them."""
    for name in re.findall(r"`([a-z_]+/[a-z0-9_/]+\.[a-z]+)`", page.read_text(encoding="utf-8")):
        if name.endswith((".cpp", ".hpp")):
            assert (TOP / name).exists() or (TOP / "include" / "batfill" / name).exists(), f"{name} does not exist"
