"""Job of rule `maintenance_figure`: what maintenance does to waits and slowdowns, and what it takes of the machine."""
from typing import Any

from common import style
from common.job import Job, run_job
from common.tables import read_csv
from maintenance.replay import NONE

PANELS = {"wait": "mean wait, change (%)", "bounded_slowdown": "mean bounded slowdown, change (%)",
          "drained": "drained before each (hours)", "lost": "lost in killed jobs (hours)"}


def numbers_of(changes: list[dict[str, str]], means: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What is drawn: of jobs the change from no maintenance, in per cent, and of windows the means."""
    drawn = [(row, 100) for row in changes if row["than"] == NONE] + [(row, 1) for row in means]
    return [{"place": f"{row['machine']}, {row['algorithm']}", "announced": row["announced"],
             "measure": row["measure"], **style.scaled(row, scale)}
            for row, scale in drawn
            if row["measure"] in PANELS and (scale == 100 or row["measure"] in ("drained", "lost"))]


def main(job: Job) -> None:
    """Draws the figure."""
    numbers = numbers_of(read_csv(job.input.changes), read_csv(job.input.means))
    style.save(style.draw_panels(numbers, PANELS, "announced", job.params.words), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
