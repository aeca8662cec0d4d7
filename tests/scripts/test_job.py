"""How a job's script ends."""
import os
import signal
import sys

import pytest
from common.job import Job, JobError, run_job
from stand_ins import StandInJob


@pytest.fixture(name="job")
def job_of_this_process(monkeypatch: pytest.MonkeyPatch) -> StandInJob:
    """The job that Snakemake has left in the main module."""
    job = StandInJob(params={"order": "spf"})
    monkeypatch.setattr(sys.modules["__main__"], "snakemake", job, raising=False)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return job


def test_gets_the_job_of_the_main_module(job: StandInJob) -> None:
    seen: list[Job] = []
    run_job(seen.append)
    assert seen == [job]


@pytest.mark.usefixtures("job")
def test_an_error_of_the_job_is_one_line() -> None:
    def fail(_: Job) -> None:
        raise JobError("no such log")

    with pytest.raises(SystemExit) as ended:
        run_job(fail)
    assert ended.value.code == "experiments: no such log"


@pytest.mark.usefixtures("job")
def test_termination_unwinds_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(sys.modules["__main__"], "snakemake", StandInJob(), raising=False)
    unwound = []

    def wait(_: Job) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()
        finally:
            unwound.append(True)

    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit, match="terminated"):
            run_job(wait)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert unwound
