"""compare(log=...): the log's own schedule beside the schedulers."""
from pathlib import Path

import batfill
import pytest

THREE_JOBS = """; MaxProcs: 4
1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1
2 40 60 50 2 -1 -1 2 100 -1 1 2 1 1 1 1 -1 -1
3 80 30 40 2 -1 -1 2 100 -1 1 2 1 1 1 1 -1 -1
"""


def test_the_log_is_one_more_scheduler(tmp_path: Path) -> None:
    file = tmp_path / "log.swf"
    file.write_text(THREE_JOBS, encoding="utf-8")
    workload = batfill.Workload.from_swf(file)
    comparison = batfill.compare(workload, ["fcfs"], log=file)
    assert comparison.schedulers == ["fcfs", "log"]
    assert comparison.values("mean_wait").tolist() == [[pytest.approx(80 / 3), 30]]
    assert batfill.compare(workload, ["fcfs"]).schedulers == ["fcfs"]


def test_jobs_that_did_not_start_in_the_log_are_left_out_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "log.swf"
    file.write_text(THREE_JOBS + "4 90 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n", encoding="utf-8")
    workload = batfill.Workload.from_swf(file)
    with pytest.warns(UserWarning, match="1 of 4 jobs did not start in .*log.swf, and no column counts them"):
        comparison = batfill.compare(workload, ["fcfs"], log=str(file))
    assert comparison.values("jobs").tolist() == [[3, 3]]
    with pytest.raises(batfill.InputError, match="nosuch.swf"):
        batfill.compare(workload, ["fcfs"], log=tmp_path / "nosuch.swf")
