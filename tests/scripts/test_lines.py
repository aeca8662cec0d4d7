"""Tables of pages have the lines that files have now."""
from pathlib import Path

import pytest

from lines import TOP, counted

PAGE = """# Files

<!-- lines of files -->
| layer or folder | file | lines | content |
|---|---|---|---|
| engine | `timeline` | 7 | old |
| engine | `gone` | 3 | |
| parts/free | `walk` | | new |
| | all | 10 | |
<!-- end of lines -->

| engine | `timeline` | 7 | not between the marks |
"""


def test_lines_are_those_of_header_and_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {"include/batfill/engine/timeline.hpp": "a\nb\n", "src/engine/timeline.cpp": "c\nd\ne\n",
                       "src/engine/timeline_inside.cpp": "f\n", "parts/free/walk.hpp": "g\n"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    page = counted(PAGE, tmp_path)
    assert page == PAGE.replace("| 7 | old |", "| 5 | old |").replace("| engine | `gone` | 3 | |\n", "").replace(
        "| `walk` | | new |", "| `walk` | 1 | new |").replace("| 10 | |", "| 6 | |")
    assert counted(page, tmp_path) == page
    assert capsys.readouterr().err == "engine/gone: there is no such file\n"


def test_the_pages_have_the_lines_of_now() -> None:
    """`.ci/lines.py` writes them."""
    pages = [page for page in TOP.glob("docs/*.md") if "<!-- lines of files -->" in page.read_text(encoding="utf-8")]
    assert pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "| all | " in text
        assert counted(text, TOP) == text, f"{page.name}: run .ci/lines.py"
