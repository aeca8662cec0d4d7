"""What pages show of files is what is in them."""
import csv
import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def blocks(page: str, language: str) -> list[str]:
    """The blocks of code of a page in one language."""
    text = (TOP / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_the_scheduler_of_the_protocol_is_the_example() -> None:
    example = (TOP / "examples" / "scheduler" / "scheduler.cpp").read_text(encoding="utf-8")
    assert blocks("protocol.md", "cpp") == [example]
    assert len(example.splitlines()) <= 60


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
