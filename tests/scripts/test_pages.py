"""What pages show of files is what is in them."""
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
