"""What whole replays take as processes."""
import os
import sys
from pathlib import Path

import pytest
import replays
from stand_ins import StandInProgram


def test_table_compares_with_the_first_algorithm() -> None:
    assert replays.table("logs/w.json", {"rejecter": [(1.0, 10.0), (2.0, 11.4), (4.0, 10.5)],
                                         "dbf@logs/d.json": [(2.0, 20.0), (3.0, 30.6), (16.0, 20.0)]}) == [
        ["workload", "algorithm", "processor_seconds", "ratio", "peak_memory_mib"],
        ["w.json", "rejecter", "2.000", "1.00", "11"],
        ["d.json", "dbf", "3.000", "2.00", "31"],
    ]


def test_algorithms_run_in_turn_after_a_round_that_does_not_count(
        program: StandInProgram, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    counted: dict[str, list[replays.Usage]] = {}
    monkeypatch.setattr(replays, "table", lambda _, results: counted.update(results) or [["a,b", "c"]])
    monkeypatch.setattr(sys, "argv", ["replays.py", "p.xml", "w.json", "--runs", "2", "--batfill", str(program.file),
                                      "fcfs", "dbf,repair=strict@d.json"])
    replays.main()
    calls = [call.split(" -e ") for call in program.calls]
    assert [before for before, _ in calls] == ["simulate -q -p p.xml -w w.json", "simulate -q -p p.xml -w d.json"] * 3
    assert [after.split(" ", 1)[1] for _, after in calls[:2]] == ["-a fcfs", "-a dbf -P repair=strict"]
    assert {algorithm: len(runs) for algorithm, runs in counted.items()} == {"fcfs": 2, "dbf,repair=strict@d.json": 2}
    assert capsys.readouterr().out == '"a,b",c\n'


def test_the_daemon_is_measured_where_asked(program: StandInProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["replays.py", "p.xml", "w.json", "--runs", "1", "--batfill", str(program.file),
                                      "--serve", "easy"])
    replays.main()
    commands = sorted(call.split(" ", 1)[0] for call in program.calls)
    assert commands == ["serve", "serve", "simulate", "simulate"]
    assert all(("-a easy" in call) == call.startswith("serve") for call in program.calls)


def test_a_run_that_fails_ends_all(program: StandInProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    program.answer("simulate", status=3)
    monkeypatch.setattr(sys, "argv", ["replays.py", "p.xml", "w.json", "--batfill", str(program.file)])
    with pytest.raises(SystemExit, match="replays: a run failed with status 3"):
        replays.main()


def test_usage_is_that_of_the_process(tmp_path: Path) -> None:
    burner = tmp_path / "burner"
    burner.write_text(f"#!{sys.executable}\nimport time\nblock = bytearray(80 << 20)\n"
                      "while time.process_time() < 0.3:\n    pass\n", encoding="utf-8")
    os.chmod(burner, 0o755)
    seconds, memory = replays.usage(replays.start([str(burner)]))
    assert 0.3 <= seconds < 10
    assert 80 < memory < 300
