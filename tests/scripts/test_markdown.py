"""How .ci/format lays out pages."""
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / ".ci" / "markdown.py"


def laid_out(page: Path, text: str) -> str:
    """The text of the page after .ci/markdown.py has laid out `text` in it."""
    page.write_text(text, encoding="utf-8")
    subprocess.run([SCRIPT, page], check=True)
    return page.read_text(encoding="utf-8")


def test_long_lines_are_wrapped_at_100_columns(tmp_path: Path) -> None:
    words = "word " * 40
    lines = laid_out(tmp_path / "page.md", f"# {words}\n\n{words}\n\n- {words}\n  1. {words}\n").splitlines()
    assert lines[0] == f"# {words}"
    assert all(len(line) <= 100 for line in lines[1:])
    assert [line for line in lines[2:] if not line.startswith(("word", "  word", "     word"))] == [
        "", "- " + " ".join(["word"] * 19), "  1. " + " ".join(["word"] * 19)]
    assert " ".join("\n".join(lines).split()).count("word") == 160


def test_no_line_begins_with_markup_or_breaks_code(tmp_path: Path) -> None:
    text = "a" * 96 + " 1. b > c - `code of many words` " + "d" * 90
    assert laid_out(tmp_path / "page.md", text).splitlines() == [
        "a" * 96 + " 1.", "b > c - `code of many words`", "d" * 90]


def test_what_is_no_prose_stays(tmp_path: Path) -> None:
    long = "x " * 80
    text = f"| {long} |\n\n    {long}\n\n```\n{long}\n```\nshort\nlines\n"
    assert laid_out(tmp_path / "page.md", text) == text


def test_cpp_files_are_laid_out_as_sources(tmp_path: Path) -> None:
    part = "```cpp\nint  part();\n```\n"
    page = laid_out(tmp_path / "page.md", "```cpp\n#include <a>\nint  whole();\n```\n" + part)
    assert page == "```cpp\n#include <a>\nint whole();\n```\n" + part


def test_check_names_the_page_and_changes_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for text, status in (("short\n", 0), ("word " * 40 + "\n", 1)):
        page.write_text(text, encoding="utf-8")
        result = subprocess.run([SCRIPT, "--check", page], check=False, capture_output=True, text=True)
        assert result.returncode == status
        assert (str(page) in result.stderr) == (status == 1)
        assert page.read_text(encoding="utf-8") == text
