"""The jobs that all papers share."""
import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from common import collect, equal_hosts, manifest, schedule, workload
from common.files import sha256
from stand_ins import StandInJob, StandInProgram, lines_of, results_in, write


def test_collect_puts_the_paths_in_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = [write(Path(f"dbf/{machine}/draw-{draw}/x.csv"), "jobs", str(draw))
             for machine, draw in (("KTH", 2), ("CTC", 10))]
    collect.main(StandInJob(files, ["all.csv"], {"path": "dbf/(?P<machine>[^/]+)/draw-(?P<draw>[0-9]+)/"}))
    assert lines_of(Path("all.csv")) == ["machine,draw,jobs", "KTH,2,2", "CTC,10,10"]
    collect.main(StandInJob(files, ["all.csv"], {"path": "dbf/"}))
    assert lines_of(Path("all.csv")) == ["jobs", "2", "10"]


def test_collect_refuses_other_paths() -> None:
    with pytest.raises(ValueError, match="other/x.csv does not begin as dbf/"):
        collect.columns_of("other/x.csv", "dbf/")


def test_equal_hosts(tmp_path: Path) -> None:
    file = str(tmp_path / "platform.xml")
    equal_hosts.main(StandInJob(output=[file], params={"hosts": 11}, wildcards={"machine": "DAS2"}))
    hosts = [host.get("id") for host in ElementTree.parse(file).iter("host")]
    assert hosts == ["master_host", *(f"node{number:02}" for number in range(11))]
    assert sorted(hosts[1:], key=str) == hosts[1:]
    assert "DAS2: 11 equal hosts" in Path(file).read_text(encoding="utf-8")


def test_schedule_is_replayed_and_audited(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("simulate", writes={"schedule_jobs.csv": "job_id\n1\n", "schedule_guarantees.csv": "job_id\n"})
    inputs = {name: write(tmp_path / f"{name}.txt") for name in ("platform", "workload")}
    output = results_in(tmp_path, jobs="jobs.csv.gz", manifest="manifest.json")
    schedule.main(StandInJob({"batfill": str(program.file), **inputs}, output, {
        "engine": "simulate", "replay": {"algorithm": "pc", "parameters": ["order=spf"]}}))
    assert program.calls == [
        "simulate -q -p platform.xml -w workload.json -e schedule -a pc -P order=spf",
        "check schedule_jobs.csv -w workload.json -p platform.xml --guarantees schedule_guarantees.csv",
    ]
    assert gzip.decompress(Path(output["jobs"]).read_bytes()) == b"job_id\n1\n"


def workload_job(folder: Path, program: StandInProgram, logs: list[str], options: list[str]) -> StandInJob:
    """A job of rule `workload`."""
    output = results_in(folder, workload="workload.json", conversion="conversion.json", header="log-header.txt",
                        manifest="manifest.json")
    return StandInJob({"batfill": str(program.file), "logs": logs}, output, {"options": options})


def test_workload_of_a_log(tmp_path: Path, program: StandInProgram) -> None:
    log = write(tmp_path / "logs" / "KTH.swf", "; header")
    program.answer("swf", prints='{"kept": 1, "anomalies": []}',
                   writes={"workload.json": "{}", "log-header.txt": "; header\n"})
    workload.main(workload_job(tmp_path, program, [log], ["--unit", "4"]))
    assert program.calls == ["swf KTH.swf --unit 4 -o workload.json --header log-header.txt --format json"]
    assert json.loads((tmp_path / "conversion.json").read_text(encoding="utf-8")) == {"kept": 1, "anomalies": []}
    assert lines_of(tmp_path / "log-header.txt") == ["; header"]


def test_workload_that_is_drawn(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("generate", writes={"workload.json": '{"jobs": [{}, {}]}'})
    workload.main(workload_job(tmp_path, program, [], ["lublin", "--seed", "1"]))
    assert program.calls == ["generate lublin --seed 1 -o workload.json"]
    conversion = json.loads((tmp_path / "conversion.json").read_text(encoding="utf-8"))
    assert conversion == {"log": None, "kept": 2, "anomalies": []}


def test_manifest_of_a_paper(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("--version", prints="batfill 9.9\n")
    steps = [write(tmp_path / f"{step}.json", json.dumps({"inputs": inputs})) for step, inputs in (
        ("first", {"log": {"file": "z.swf", "sha256": "01"}, "batfill": {"file": "batfill", "sha256": "02"}}),
        ("second", {"p": {"file": "p.xml", "sha256": "03"}, "batfill": {"file": "batfill", "sha256": "02"}}))]
    table = write(tmp_path / "table-1.csv", "a", "1")
    output = tmp_path / "manifest.json"
    manifest.main(StandInJob({"batfill": str(program.file), "manifests": steps, "results": [table]}, [str(output)],
                             {"engine": "simulate", "settings": {"draws": 3}}))
    written = json.loads(output.read_text(encoding="utf-8"))
    assert written["batfill"] == "batfill 9.9"
    assert list(written["tools"]) == ["python", "snakemake", "matplotlib", "numpy"]
    assert written["settings"] == {"draws": 3}
    assert list(written["inputs"].items()) == [("batfill", "02"), ("p.xml", "03"), ("z.swf", "01")]
    assert written["results"] == {"table-1.csv": sha256(table)}
