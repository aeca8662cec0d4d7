"""The form of a commit's message, which .ci/hooks/commit-msg checks."""
import subprocess
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[2] / ".ci" / "hooks" / "commit-msg"
GOOD = "Keep a line short\n\nIt was too long.\n"


@pytest.fixture(name="repository")
def staged_change(tmp_path: Path) -> Path:
    """A repository in which a page is about to be committed."""
    (tmp_path / "page.md").write_text("text\n", encoding="utf-8")
    for command in (["init", "--quiet"], ["add", "page.md"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def problem(repository: Path, message: str) -> str:
    """The one line with which the hook refuses the message; empty if it takes it."""
    file = repository / "message.txt"
    file.write_text(message, encoding="utf-8")
    result = subprocess.run([HOOK, file], cwd=repository, check=False, capture_output=True, text=True)
    assert result.stdout == ""
    assert (result.returncode == 0) == (result.stderr == "")
    assert result.stderr.count("\n") <= 1
    return result.stderr.removeprefix("commit-msg: ").removesuffix("\n")


@pytest.mark.parametrize("message", [
    GOOD,
    "Pass on what a job has\n\nWhy.\n",
    "Feed the plan\n\nWhy.\n\nSchedules: same\n",
    "# a comment\n\n" + GOOD + "# another\n",
    GOOD + "# ------------------------ >8 ------------------------\ndiff --git a/x.cpp\nSchedules:\nSchedules:\n",
    "Merge branch 'main'\n",
    'Revert "Keep a line short"\n\nThis reverts commit 1234.\n',
    "fixup! Keep a line short\n",
    "squash! Keep a line short\n",
])
def test_a_good_message_passes(repository: Path, message: str) -> None:
    assert problem(repository, message) == ""


@pytest.mark.parametrize(("message", "expected"), [
    ("", "the message is empty, expected a subject and why"),
    ("# only a comment\n", "the message is empty, expected a subject and why"),
    ("K" * 73 + "\n\nWhy.\n", "the subject has 73 columns, expected at most 72"),
    ("keep a line short\n\nWhy.\n", "the subject begins with 'k', expected a capital letter"),
    ("Keep a line short.\n\nWhy.\n", "the subject ends with a full stop, expected none"),
    ("Added a test\n\nWhy.\n", "the subject begins with 'Added', expected an imperative such as Add, Mend or Keep"),
    ("Adding a test\n\nWhy.\n", "the subject begins with 'Adding', expected an imperative such as Add, Mend or Keep"),
    ("Adds a test\n\nWhy.\n", "the subject begins with 'Adds', expected an imperative such as Add, Mend or Keep"),
    ("Keep a line short\n", "the message has only a subject, expected why in the body"),
    ("Keep a line\nshort\n\nWhy.\n", "the second line has text, expected a blank line"),
    (GOOD + "\nSchedules: same\nSchedules: same\n", "the message has 2 lines 'Schedules: ...', expected one"),
    (GOOD + "\nSchedules:\n", "'Schedules:' says nothing, expected 'same' or what differs"),
    ("Keep a line short\n\nSchedules: same\n", "the body has only 'Schedules:', expected why before it"),
])
def test_a_wrong_message_is_refused_in_one_line(repository: Path, message: str, expected: str) -> None:
    assert problem(repository, message) == expected


def test_a_change_of_cpp_says_what_becomes_of_schedules(repository: Path) -> None:
    (repository / "source.cpp").write_text("int x;\n", encoding="utf-8")
    subprocess.run(["git", "add", "source.cpp"], cwd=repository, check=True)
    assert problem(repository, GOOD) == (
        "the change has C++, expected a line 'Schedules: same' or 'Schedules: ' and what differs")
    assert problem(repository, GOOD + "\nSchedules: jobs of one user start earlier\n") == ""
    assert problem(repository, "Merge branch 'main'\n") == ""
