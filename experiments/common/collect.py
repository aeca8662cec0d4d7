"""Job of the rules that put the CSVs of many jobs into one."""
import re

from common.job import Job, run_job
from common.tables import read_csv, write_csv


def columns_of(file: str, pattern: str) -> dict[str, str]:
    """What the path of a file says of its lines: the named groups of a regular expression that fits its beginning."""
    found = re.match(pattern, file)
    if found is None:
        raise ValueError(f"{file} does not begin as {pattern}")
    return found.groupdict()


def main(job: Job) -> None:
    """Writes the lines in the order of the files, behind what their paths say."""
    write_csv(job.output[0], [{**columns_of(file, job.params.path), **row}
                              for file in job.input for row in read_csv(file)])


if __name__ == "__main__":
    run_job(main)
