"""RLScheduler's heuristics: sequences, scores, metrics and tables from small inputs."""
import gzip
from pathlib import Path

import pytest
from common.files import write_json
from common.tables import read_csv, write_csv
from rlscheduler import replay, sequences, tables
from rlscheduler.sequences import LoggedJob
from stand_ins import StandInJob

LOG = """; MaxProcs: 4
2 20 -1 50 2 -1 -1 3 90 -1 1 1 -1 -1 -1 -1 -1 -1
1 10 -1 0 1 -1 -1 1 90 -1 1 1 -1 -1 -1 -1 -1 -1
4 40 -1 30 4 -1 -1 -1 -1 -1 1 1 -1 -1 -1 -1 -1 -1
3 30 -1 -1 1 -1 -1 1 -1 -1 1 1 -1 -1 -1 -1 -1 -1
"""
JOBS = [LoggedJob(1, 100, 20, 50, 1), LoggedJob(2, 110, 5, 60, 4), LoggedJob(3, 120, 7, 7, 2)]


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_jobs_are_those_of_the_log_by_number(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(LOG.encode()) if name.endswith(".gz") else LOG.encode())
    assert sequences.jobs_of_log(str(file)) == [
        LoggedJob(2, 20, 50, 90, 3), LoggedJob(3, 30, 10, -1, 1), LoggedJob(4, 40, 30, 30, 4)]


def test_jobs_of_a_generated_workload_have_whole_seconds(tmp_path: Path) -> None:
    file = tmp_path / "workload.json"
    write_json(str(file), {"jobs": [{"id": "1", "subtime": 1.6, "res": 2, "walltime": 9.5, "profile": "p"}],
                           "profiles": {"p": {"type": "delay", "delay": 0.2}}})
    assert sequences.jobs_of_workload(str(file)) == [LoggedJob(1, 2, 1, 10, 2)]


def test_sequences_begin_where_they_shall_and_are_complete() -> None:
    assert [[job.number for job in sequence] for sequence in sequences.sequences(JOBS, [1, 0], 2)] == [[2, 3], [1, 2]]
    with pytest.raises(ValueError, match="3 jobs, expected 4"):
        list(sequences.sequences(JOBS, [2], 2))


def test_scores_take_the_wait_that_the_program_takes() -> None:
    wide = JOBS[1]
    assert wide.wfp3 == pytest.approx((111 / 60) ** 3 * 4)
    assert wide.unicep == pytest.approx(111 / (2 * 60))
    assert JOBS[0].unicep > 1e12  # one processor: divided by nearly nothing, so last
    assert LoggedJob(5, 100, 10, -1, 1).wfp3 < 0  # a negative estimate: first


def test_a_sequence_is_a_workload_whose_walltimes_stop_no_job() -> None:
    workload = sequences.workload_of([*JOBS, LoggedJob(4, 130, 10, -1, 1)], 4)
    assert (workload["nb_res"], workload["walltimes"]) == (4, "believed")
    assert [job["walltime"] for job in workload["jobs"]] == [50, 60, 7, 0.1]
    assert workload["profiles"]["d20"] == {"type": "delay", "delay": 20}
    assert workload["jobs"][0]["id"] == "00000001"


def test_metrics_are_those_of_the_paper() -> None:
    starts = {1: 100.0, 2: 125.0, 3: 130.0}
    # 1; (15 + 5) / 10; (10 + 7) / 10
    assert replay.mean_bounded_slowdown(JOBS, starts) == pytest.approx((1 + 2 + 1.7) / 3)
    assert replay.utilisation(JOBS, starts, 4) == pytest.approx((20 + 20 + 14) / (30 * 4))


def test_published_starts_are_compared_job_by_job(tmp_path: Path) -> None:
    file = tmp_path / "starts.csv.gz"
    file.write_bytes(gzip.compress(b"trace,backfill,policy,sequence,first_index,job_id,start\n"
                                   b"A,0,f1,0,5,1,100\nA,0,f1,0,5,2,125\nA,1,f1,0,5,1,7\nB,0,f1,0,5,1,7\n"))
    published = replay.published_starts(str(file), "A", 0)
    assert published == {("f1", 0): {1: 100.0, 2: 125.0}}
    assert replay.other_starts({1: 100.0, 2: 126.0}, published[("f1", 0)]) == 1
    assert replay.other_starts({1: 100.0}, None) == ""


def line(machine: str, rule: str, policy: str, slowdown: float, other: object = "") -> dict[str, object]:
    """What is collected of one sequence."""
    return {"machine": machine, "rule": rule, "policy": policy, "sequence": 0, "jobs": 4, "bounded_slowdown": slowdown,
            "utilisation": 0.5, "other_starts": other}


def test_tables_put_means_beside_printed_numbers(tmp_path: Path) -> None:
    names = ("slowdowns", "starts", "best", "statements", "overview")
    files = {name: str(tmp_path / f"{name}.csv") for name in names}
    write_csv(str(tmp_path / "replays.csv"), [
        line("A", "none", "FCFS", 1.5, 0), line("A", "none", "FCFS", 2.5, 2), line("A", "easy", "FCFS", 1.25)])
    write_csv(str(tmp_path / "paper.csv"), [{"rule": rule, "machine": "A", "FCFS": 2.0, "RL": 1.5}
                                            for rule in ("none", "backfilling")])
    inputs = {"replays": str(tmp_path / "replays.csv"), "printed": str(tmp_path / "paper.csv")}
    tables.main(StandInJob(inputs, files, {}))
    none, easy = read_csv(files["slowdowns"])
    assert (float(none["slowdown"]), float(none["difference"]), none["word"]) == (2, 0, "same")
    assert (none["compared starts"], none["other starts"], easy["printed"]) == ("8", "2", "")
    assert read_csv(files["starts"]) == [{"rule": "none", "starts": "8", "different": "2"}]
    assert [one["below learned"] for one in read_csv(files["best"])] == ["no", "yes"]
    assert [one["word"] for one in read_csv(files["overview"])] == ["same", ""]


def test_generated_workloads_have_no_printed_numbers() -> None:
    rows = tables.slowdown_rows([{key: str(value) for key, value in line("B", "none", "F1", 3).items()}], [])
    assert rows[0]["word"] == ""
    assert tables.overview_of(rows)[0].repeated == "no"
    assert tables.best_rows(rows, [])[0]["below learned"] == ""
