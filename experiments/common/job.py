"""What Snakemake tells a job's script, and how the script ends."""
import signal
import sys
from typing import Any, Callable, Protocol


class Job(Protocol):
    """One job of the workflow, as its rule describes it: inputs, outputs and parameters by name or by place, wildcards
    by name, and the number of threads that it may use."""

    input: Any
    output: Any
    params: Any
    wildcards: Any
    threads: int


class JobError(Exception):
    """A job cannot be done; the message says why."""


def run_job(main: Callable[[Job], None]) -> None:
    """Runs a job's script. To be called where the script is the main module, in which Snakemake leaves its object.

    A JobError ends the script with its message and without a traceback, and so does SIGTERM, but not before the job's
    processes and folder are gone.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    try:
        main(getattr(sys.modules["__main__"], "snakemake"))
    except JobError as error:
        sys.exit(f"experiments: {error}")
