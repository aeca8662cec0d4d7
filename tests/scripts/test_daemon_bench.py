"""What the daemon takes beside a loop that only talks."""
import sys

import daemon
import pytest
from stand_ins import StandInProgram


def test_a_row_has_the_medians_and_the_median_of_the_ratios() -> None:
    assert daemon.row("ipc", "easy", [(1.0, 2.0), (2.0, 2.0), (4.0, 12.0)]) == ["ipc", "easy", "2.000", "2.000", "2.00"]


def test_replies_are_recorded_and_then_both_answer_in_turn(
        program: StandInProgram, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(program.file)
    monkeypatch.setattr(sys, "argv", ["daemon.py", "p.xml", "w.json", "--runs", "2", "--batfill", file, "--bare-loop",
                                      file, "--transports", "tcp", "easy,order=saf"])
    daemon.main()
    words = sorted(call.split(" ", 1)[0] for call in program.calls)
    assert words == ["answer"] * 2 + ["record"] + ["serve"] * 3 + ["simulate"] * 5
    assert all("-a easy -P order=saf" in call for call in program.calls if call.startswith("serve"))
    recorded = {call.split(" ")[-1] for call in program.calls if call.startswith(("record", "answer"))}
    assert len(recorded) == 1
    assert capsys.readouterr().out.splitlines()[1].startswith('tcp,"easy,order=saf",')


def test_a_side_that_fails_ends_all(program: StandInProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    program.answer("answer", status=3)
    file = str(program.file)
    monkeypatch.setattr(sys, "argv", ["daemon.py", "p.xml", "w.json", "--batfill", file, "--bare-loop", file, "easy"])
    with pytest.raises(SystemExit, match="status 3"):
        daemon.main()
