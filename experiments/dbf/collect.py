"""Job of rule `dbf_collect`: the files of all draws in one, with the draw in front of each line."""
import re
from typing import Any

from common.tables import read_csv, write_csv
from common.workbench import run_job

DRAW = re.compile(r"dbf/(?P<machine>[^/]+)/dbf-(?P<repair>[^/]+)/share-(?P<share>\d+)/draw-(?P<draw>\d+)/")


def draw_of(file: str) -> dict[str, str]:
    """What the path of a draw's file says of the draw."""
    found = DRAW.match(file)
    assert found, file
    return found.groupdict()


def collect(files: list[str], output: str) -> None:
    """Writes the lines of the draws' files, in the order of the files."""
    write_csv(output, [{**draw_of(file), **row} for file in files for row in read_csv(file)])


def main(job: Any) -> None:
    """Collects the draws' files of one kind."""
    collect(job.input, job.output[0])


run_job(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
