"""The reference: what is published is what the program gives."""
import subprocess
import sys
from pathlib import Path

import pytest
import verify_reference as reference
from common.tables import read_csv

PROGRAM = reference.TOP / "build" / "release" / "batfill"


@pytest.mark.skipif(not PROGRAM.exists(), reason="needs build/release/batfill")
def test_generated_workloads_give_what_is_published() -> None:
    done = subprocess.run([sys.executable, str(Path(reference.__file__))], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" 63 replays of 6 workloads, 0 differences; 11 logs are not there\n")


def test_a_difference_is_a_line() -> None:
    published = read_csv(str(reference.PUBLISHED / "reference.csv"))[0]
    assert reference.differences("reference.csv", ["workload", "scheduler"], [published]) == []
    found = reference.differences("reference.csv", ["workload", "scheduler"], [{**published, "mean_wait": "1.0"}])
    place = f"{published['workload']}, {published['scheduler']}"
    assert found == [f"{place}: mean_wait is 1.0, published {published['mean_wait']}"]


def test_starts_are_sorted_and_leave_out_rejected_jobs(tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text("job_id,starting_time\nb,2.000000\nc,\na,10.500000\n", encoding="utf-8")
    assert reference.starts(file) == ["a 10.500000\n", "b 2.000000\n"]


def test_every_workload_and_scheduler_is_published() -> None:
    works = {row["workload"] for row in read_csv(str(reference.PUBLISHED / "workloads.csv"))}
    assert works == {*reference.LOGS, *reference.DRAWN}
    rows = read_csv(str(reference.PUBLISHED / "reference.csv"))
    assert len(rows) == (len(works) - 1) * len(reference.SCHEDULERS) + len(reference.ON_FARM)
