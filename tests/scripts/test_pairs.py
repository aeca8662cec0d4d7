"""What a scheduler and Batsim take, from stand-ins of all programs."""
import csv
import resource
import sys
from pathlib import Path
from typing import Optional

import pairs
import pytest
from stand_ins import StandInProgram

PROGRAM = """#!{python}
import sys, time
{body}
"""
WRITES = """
prefix = sys.argv[sys.argv.index("-e") + 1]
with open(prefix + "_jobs.csv", "w", encoding="utf-8") as jobs:
    jobs.write("job_id,starting_time\\n1,0.5\\n2,7.0\\n")
"""
BURNS = """
while True:
    pass
"""


def stand_in(file: Path, body: str) -> str:
    """A program that does what the body says."""
    file.write_text(PROGRAM.format(python=sys.executable, body=body), encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def run(monkeypatch: pytest.MonkeyPatch, batsim: str, batfill: Path, *words: str) -> None:
    """Runs the script with these programs."""
    # The limits are those of this process and of all that it starts: they stay as they are in the tests.
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["pairs.py", batsim, "p.xml", "w.json", "--batfill", str(batfill), *words])
    pairs.main()


def table_of(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The cells of the printed rows, without the heading."""
    return list(csv.reader(capsys.readouterr().out.splitlines()[1:]))


def test_each_scheduler_runs_with_batsim(tmp_path: Path, program: StandInProgram, monkeypatch: pytest.MonkeyPatch,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    batsched = StandInProgram(tmp_path, "batsched")
    run(monkeypatch, stand_in(tmp_path / "batsim", WRITES), program.file, "--batsched", str(batsched.file),
        "easy,order=saf", "batsched:easy_bf")
    lines = table_of(capsys)
    assert [cells[0] for cells in lines] == ["easy,order=saf", "batsched easy_bf", "batfill batsched easy_bf"]
    assert [cells[-2:] for cells in lines] == [["", "2"], ["", "2"], ["2", "2"]]
    assert all(float(cell) > 0 for cells in lines for cell in cells[1:6])
    called = [call.split(" -s ")[0] for call in program.calls]
    assert called == ["serve -l warning -a easy -P order=saf", "batsched --verbosity silent -v easy_bf"]
    assert [call.split(" -s ")[0] for call in batsched.calls] == ["--verbosity silent -v easy_bf"]


@pytest.mark.parametrize("starts, shown", [({"1": "0.5", "2": "8.0"}, "1"), ({"1": "0.5"}, "1"), (None, "")])
def test_starts_are_compared_job_by_job(starts: Optional[dict[str, str]], shown: str) -> None:
    used = pairs.Usage(1.0, 20.4)
    other = pairs.Run("batsched easy_bf", used, used, starts)
    mine = pairs.Run("batfill batsched easy_bf", used, pairs.Usage(4.0, 99.5), {"1": "0.5", "2": "7.0"})
    assert pairs.row(mine, 60, other) == [
        "batfill batsched easy_bf", "1.00", "20", "4.00", "100", "0.25", shown, "2"]


def test_a_run_at_its_limit_is_stopped_on_both_sides(tmp_path: Path) -> None:
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 2))\n"
    burns = stand_in(tmp_path / "burns", limited + BURNS)
    waits = stand_in(tmp_path / "waits", "time.sleep(600)")
    pair = [pairs.start([waits], tmp_path / "1.log"), pairs.start([burns], tmp_path / "2.log")]
    assert pairs.wait_for_both(pair) is None
    assert pairs.row(pairs.Run("pc"), 60) == ["pc", "more than 60", "", "", "", "", "", ""]


def test_a_side_that_fails_ends_all(tmp_path: Path, program: StandInProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="pairs: Batsim failed with status 3"):
        run(monkeypatch, stand_in(tmp_path / "batsim", "time.sleep(0.5)\nsys.exit(3)"), program.file, "easy")
    program.answer("serve", status=2)
    with pytest.raises(SystemExit, match="pairs: the scheduler failed with status 2"):
        run(monkeypatch, stand_in(tmp_path / "batsim", "time.sleep(600)"), program.file, "easy")


def test_a_variant_needs_batsched(program: StandInProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, "/batsim", program.file, "batsched:easy_bf")
