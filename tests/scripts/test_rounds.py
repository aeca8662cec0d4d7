"""Rounds for each instant or each event: disturbances, changes, tables and the figure from small inputs."""
from pathlib import Path
from typing import Any

import pytest
from common.files import read_json, write_json
from common.tables import read_csv, write_csv
from rounds import figures, replay, tables
from rounds.words import in_words
from stand_ins import StandInJob, results_in

RUNS = {"instant": 100.0, "event": 110.0, "disturbed-1": 98.0, "disturbed-2": 105.0}


def lines(machine: str, policy: str, waits: dict[str, float]) -> list[dict[str, object]]:
    """What is collected of one log and one policy."""
    return [{"machine": machine, "policy": policy, "run": run, "jobs": 40, "mean_wait": wait,
             "mean_bounded_slowdown": 1 + wait / 100, "other_starts": 4 if run == "event" else ""}
            for run, wait in waits.items()]


@pytest.fixture(name="written")
def both_tables(tmp_path: Path) -> Path:
    """The folder with both tables of two logs: one that rounds for each event change, one that they do not."""
    collected = str(tmp_path / "replays.csv")
    write_csv(collected, lines("A", "fcfs", RUNS) + lines("B", "fcfs", {run: 0.0 for run in RUNS}))
    tables.main(StandInJob([collected], [str(tmp_path / "rounds.csv")],
                           {"policies": {"fcfs": ["order=fcfs", "backfill-order=spf", "threshold=7200"]}}))
    return tmp_path


def test_a_change_is_in_per_cent_and_beyond_what_disturbances_do(written: Path) -> None:
    first, second = read_csv(str(written / "rounds.csv"))
    assert float(first["wait, change"]) == pytest.approx(10)
    assert float(first["wait, disturbed least"]) == pytest.approx(-2)
    assert float(first["wait, disturbed most"]) == pytest.approx(5)
    assert (first["wait, beyond"], first["other starts"]) == ("yes", "4")
    assert float(first["slowdown, change"]) == pytest.approx(5)
    assert (float(second["wait, change"]), second["wait, beyond"]) == (0, "no")


def test_a_change_among_the_disturbances_is_not_beyond_them() -> None:
    assert not tables.Change(100, 104, [-1, 5]).is_beyond
    assert not tables.Change(100, 101, [2, 5]).is_beyond  # between nothing and what they do
    assert tables.Change(100, 99, [2, 5]).is_beyond


def test_the_summary_counts_logs_and_names_the_largest_change(written: Path) -> None:
    waits, _ = read_csv(str(written / "summary.csv"))
    assert (waits["logs"], waits["larger"], waits["smaller"]) == ("2", "1", "0")
    assert (waits["notable"], waits["notable from, per cent"], waits["beyond disturbances"]) == ("1", "1.0", "1")
    assert waits["in words"] == "first come, first served (threshold 7,200 s), backfilling shortest first"
    assert waits["log of the largest change"] == "A"
    assert float(waits["largest change"]) == pytest.approx(10)


def test_a_disturbed_workload_has_the_same_jobs_up_to_a_second_later(tmp_path: Path) -> None:
    jobs: list[dict[str, Any]] = [{"id": f"{number:03}", "subtime": number // 3, "res": 1} for number in range(200)]
    workload, disturbed = tmp_path / "workload.json", tmp_path / "disturbed.json"
    write_json(str(workload), {"jobs": jobs})
    replay.disturb(workload, disturbed, 1)
    after = read_json(str(disturbed))["jobs"]
    moved = {job["id"]: job["subtime"] - jobs[int(job["id"])]["subtime"] for job in after}
    assert len(moved) == len(jobs) and set(moved.values()) == {0, 1}
    assert [job["subtime"] for job in after] == sorted(job["subtime"] for job in after)
    first = disturbed.read_bytes()
    replay.disturb(workload, disturbed, 1)
    assert disturbed.read_bytes() == first
    replay.disturb(workload, disturbed, 2)
    assert disturbed.read_bytes() != first


def test_the_figure_has_each_change_as_a_number(written: Path) -> None:
    output = results_in(written, svg="figure.svg", png="figure.png", csv="figure.csv")
    figures.main(StandInJob([str(written / "rounds.csv")], output, {}))
    numbers = read_csv(output["csv"])
    assert [(row["machine"], row["metric"]) for row in numbers] == [
        ("A", "wait"), ("A", "slowdown"), ("B", "wait"), ("B", "slowdown")]
    text = Path(output["svg"]).read_text(encoding="utf-8")
    assert "mean bounded slowdown" in text
    assert "first come, first served (threshold 7,200 s), backfilling shortest first" in text


def test_policies_in_words() -> None:
    assert in_words(["order=fcfs", "backfill-order=fcfs"]) == "first come, first served in both queues"
    assert in_words(["order=wfp3", "backfill-order=spf"]) == "wfp3, backfilling shortest first"
