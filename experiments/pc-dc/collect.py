"""Job of rule `pc_dc_collect`: the lines of all replays in one file."""
from typing import Any

from common.tables import read_csv, write_csv
from common.workbench import run_job


def main(job: Any) -> None:
    """Writes the lines in the order of the files."""
    write_csv(job.output[0], [row for file in job.input for row in read_csv(file)])


run_job(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
