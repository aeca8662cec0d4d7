"""How the cost of submissions and completions grows with the queue and the machine."""
import csv
import json
import sys
from pathlib import Path

import pytest
import queue_growth


def median(event: str, hosts: int, cores: int, waiting: int, microseconds: float) -> dict[str, object]:
    """The median of a benchmark with two running jobs for each core of a host, as Google Benchmark prints it."""
    name = f"queue/{event}/hosts:{hosts}/cores:{cores}/waiting:{waiting}/iterations:500/manual_time"
    return {"name": f"{name}_median", "run_name": name, "aggregate_name": "median", "real_time": microseconds,
            "running": 2.0 * hosts * cores}


def test_each_series_has_its_exponent(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    medians = [median("completion_easy", *sizes) for sizes in [
        (1000, 32, 2500, 40.0), (1000, 32, 625, 10.0), (1000, 32, 1250, 20.0),  # as the waiting jobs
        (125, 32, 1250, 160.0),                                                 # as one through the hosts
        (125, 64, 1250, 640.0)]]                                                # as the square of those on a host
    benchmarks = tmp_path / "benchmarks"
    benchmarks.write_text(f"#!{sys.executable}\nimport sys\nassert sys.argv[3] == '--benchmark_repetitions=4'\nprint("
                          f"{json.dumps(json.dumps({'benchmarks': [{'aggregate_name': 'mean'}, *medians]}))})\n",
                          encoding="utf-8")
    benchmarks.chmod(0o755)
    monkeypatch.setattr(sys, "argv", ["queue_growth.py", "--benchmarks", str(benchmarks), "--repetitions", "4"])
    queue_growth.main()
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [[row[name] for name in ("grows", "hosts", "cores", "waiting", "running_on_a_host", "milliseconds",
                                    "exponent")] for row in rows] == [
        ["waiting", "1000", "32", "625", "64.0", "0.010", "1.00"],
        ["waiting", "1000", "32", "1250", "64.0", "0.020", "1.00"],
        ["waiting", "1000", "32", "2500", "64.0", "0.040", "1.00"],
        ["hosts", "125", "32", "1250", "64.0", "0.160", "-1.00"],
        ["hosts", "1000", "32", "1250", "64.0", "0.020", "-1.00"],
        ["cores", "125", "32", "1250", "64.0", "0.160", "2.00"],
        ["cores", "125", "64", "1250", "128.0", "0.640", "2.00"]]
    assert {(row["algorithm"], row["event"]) for row in rows} == {("easy", "completion")}
