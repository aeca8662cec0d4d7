"""How jobs run commands, and what they write down of it."""
import gzip
import hashlib
import json
import os
import time
from pathlib import Path

import pytest
from common.job import JobError
from common.workbench import Workbench
from stand_ins import StandInProgram, write


def hash_of(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def test_manifest_repeats_the_job(tmp_path: Path, program: StandInProgram) -> None:
    workload = write(tmp_path / "some" / "workload.json", "{}")
    program.answer("generate", writes={"out.csv": "a\n1\n"})
    with Workbench(str(program.file)) as bench:
        bench.link("workload.json", workload)
        bench.run("generate", "-o", "a file")
        bench.keep("out.csv", str(tmp_path / "kept.csv"))
        bench.write_manifest(str(tmp_path / "manifest.json"))
        folder = bench.path("")
    assert not folder.exists()
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["commands"] == ["batfill generate -o 'a file'"]
    assert manifest["inputs"]["workload.json"] == {"file": "workload.json", "sha256": hash_of("{}\n")}
    assert manifest["inputs"]["batfill"]["file"] == "batfill"
    assert manifest["results"] == {"kept.csv": hash_of("a\n1\n")}
    assert manifest["engine"] == "simulate"
    assert set(manifest["tools"]) == {"python", "snakemake"}
    assert str(tmp_path) not in json.dumps(manifest)


def test_a_folder_of_inputs_is_linked_in_order(tmp_path: Path, program: StandInProgram) -> None:
    for name in ("002.json", "001.json", ".snakemake_timestamp"):
        write(tmp_path / "workloads" / name, name)
    with Workbench(str(program.file)) as bench:
        assert bench.link_folder("workloads", str(tmp_path / "workloads")) == [
            "workloads/001.json", "workloads/002.json"]
        assert bench.path("workloads/001.json").read_text(encoding="utf-8") == "001.json\n"


def test_packed_results_are_the_same_bytes_each_time(tmp_path: Path, program: StandInProgram) -> None:
    with Workbench(str(program.file)) as bench:
        write(bench.path("jobs.csv"), "a", "1")
        bench.keep("jobs.csv", str(tmp_path / "first.csv.gz"))
        os.utime(bench.path("jobs.csv"), (0, 0))
        bench.keep("jobs.csv", str(tmp_path / "second.csv.gz"))
    packed = (tmp_path / "first.csv.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # the time of packing
    assert packed == (tmp_path / "second.csv.gz").read_bytes()
    assert gzip.decompress(packed) == b"a\n1\n"


def test_a_failing_command_is_named_with_what_it_said(program: StandInProgram) -> None:
    program.answer("check", prints="job 3 starts twice\n", status=1)
    with Workbench(str(program.file)) as bench:
        with pytest.raises(JobError, match=r"`batfill check jobs.csv` ended with status 1\njob 3 starts twice"):
            bench.run("check", "jobs.csv")


def test_printed_objects_and_metrics(program: StandInProgram) -> None:
    program.answer("swf", prints='{"kept": 3}')
    program.answer("metrics", prints="run,mean_wait\nschedule,1.5\n")
    with Workbench(str(program.file)) as bench:
        assert bench.run_json("swf", "log.swf") == {"kept": 3}
        assert bench.metrics("jobs.csv") == {"run": "schedule", "mean_wait": "1.5"}
    assert program.calls == ["swf log.swf --format json", "metrics jobs.csv --format csv"]


def test_replay_by_the_embedded_simulator(program: StandInProgram) -> None:
    program.answer("simulate", writes={"out_statistics.csv": "statistic,value\nmoves,7\n"})
    with Workbench(str(program.file)) as bench:
        done = bench.replay("platform.xml", "workload.json", "pc", ["order=spf"], "out")
    assert done.statistics == {"moves": 7}
    assert done.wall_seconds > 0
    assert program.calls == ["simulate -q -p platform.xml -w workload.json -e out -a pc -P order=spf"]


@pytest.fixture(name="batsim")
def batsim_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandInProgram:
    """A program in the place of Batsim, on the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return StandInProgram(tmp_path, "batsim")


def test_replay_by_batsim(program: StandInProgram, batsim: StandInProgram) -> None:
    program.answer("serve", prints="info: statistics: moves 7, runs 2\n")
    with Workbench(str(program.file), "batsim") as bench:
        done = bench.replay("platform.xml", "workload.json", "easy", [], "out")
    assert done.statistics == {"moves": 7, "runs": 2}
    assert program.calls == ["serve -a easy -s ipc://out.socket"]
    assert batsim.calls == ["-q -p platform.xml -w workload.json -e out -s ipc://out.socket "
                            "--disable-schedule-tracing --disable-machine-state-tracing"]


def test_both_engines_take_further_options(program: StandInProgram, batsim: StandInProgram) -> None:
    with Workbench(str(program.file), str(batsim.file)) as bench:
        bench.replay("platform.xml", "workload.json", "easy", [], "out", ["--events", "events.json"])
        bench.simulate("platform.xml", "workload.json", "easy", [], "other", ["--events", "events.json"])
        bench.write_manifest(str(bench.path("manifest.json")))
        manifest = json.loads(bench.path("manifest.json").read_text(encoding="utf-8"))
    [called] = batsim.calls
    assert called.endswith("--disable-machine-state-tracing --events events.json")
    assert program.calls[-1].startswith("simulate -q -p platform.xml -w workload.json -e other -a easy")
    assert program.calls[-1].endswith("--events events.json")
    assert manifest["engine"].startswith("batsim")
    assert manifest["commands"][1].startswith("batsim -q")  # by its name, not by its path


def test_if_one_side_fails_the_other_is_ended(program: StandInProgram, batsim: StandInProgram) -> None:
    batsim.answer("-q", prints="no such platform\n", status=3)
    program.file.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    start = time.monotonic()
    with Workbench(str(program.file), "batsim") as bench:
        with pytest.raises(JobError, match="`batsim .*` ended with status 3\nno such platform"):
            bench.replay("platform.xml", "workload.json", "easy", [], "out")
    assert time.monotonic() - start < 30


def test_a_side_that_is_left_waiting_is_ended(program: StandInProgram, batsim: StandInProgram,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("common.workbench.GRACE_SECONDS", 0.05)
    batsim.answer("-q")
    program.file.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    with Workbench(str(program.file), "batsim") as bench:
        with pytest.raises(JobError, match="`batfill serve .*` was still there 0.05 s after the other side"):
            bench.replay("platform.xml", "workload.json", "easy", [], "out")


def test_audits_hold_a_schedule_to_its_guarantees_if_there_are_any(program: StandInProgram) -> None:
    with Workbench(str(program.file)) as bench:
        bench.audit("out", "workload.json", "platform.xml")
        write(bench.path("out_guarantees.csv"), "job_id,guaranteed_start")
        bench.audit("out", "workload.json", "platform.xml")
    plain = "check out_jobs.csv -w workload.json -p platform.xml"
    assert program.calls == [plain, f"{plain} --guarantees out_guarantees.csv"]
