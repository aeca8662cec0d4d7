"""Job of rule `user_limits_figure`: what limits do to the waits of heavy and light users, and to the machine."""
from typing import Any

from common import style
from common.job import Job, run_job
from common.tables import read_csv

PANELS = {"wait_light": "mean wait of light users, change (%)", "wait_heavy": "mean wait of heavy users, change (%)",
          "utilisation": "utilisation, change (points)", "held": "waiting for the limit (% of all)"}


def numbers_of(changes: list[dict[str, str]], means: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What is drawn, in per cent or points: changes from no limit, and the share of waiting."""
    drawn = [row for row in changes if row["measure"] in PANELS] + [row for row in means if row["measure"] == "held"]
    return [{"place": f"{row['machine']}, {row['algorithm']}", "share": row["share"], "measure": row["measure"],
             **style.scaled(row, 100)} for row in drawn]


def main(job: Job) -> None:
    """Draws the figure."""
    numbers = numbers_of(read_csv(job.input.changes), read_csv(job.input.means))
    style.save(style.draw_panels(numbers, PANELS, "share", job.params.words), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
