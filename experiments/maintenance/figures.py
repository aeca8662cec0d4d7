"""Job of rule `maintenance_figure`: what maintenance does to waits and slowdowns, and what it takes of the machine."""
from typing import Any, Mapping

from common import style
from common.job import Job, run_job
from common.tables import read_csv
from maintenance.replay import NONE
from matplotlib.figure import Figure

STEP = 0.22
PANELS = {"wait": "mean wait, change (%)", "bounded_slowdown": "mean bounded slowdown, change (%)",
          "drained": "drained before each (hours)", "lost": "lost in killed jobs (hours)"}


def numbers_of(changes: list[dict[str, str]], means: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What is drawn: of jobs the change from no maintenance, in per cent, and of windows the means."""
    drawn = [(row, 100) for row in changes if row["than"] == NONE] + [(row, 1) for row in means]
    return [{"place": f"{row['machine']}, {row['algorithm']}", "announced": row["announced"],
             "measure": row["measure"], **style.scaled(row, scale)}
            for row, scale in drawn
            if row["measure"] in PANELS and (scale == 100 or row["measure"] in ("drained", "lost"))]


def draw(numbers: list[dict[str, Any]], labels: Mapping[str, str]) -> Figure:
    """A panel for each measure, with a row for each log and algorithm, and a point for each announcement."""
    places = list(dict.fromkeys(row["place"] for row in numbers))
    figure = Figure(figsize=(7.2, 2 * (0.38 * len(places) + 0.9)))
    panels = figure.subplots(2, 2, sharey=True)
    for axes, (measure, label) in zip(panels.flat, PANELS.items()):
        for number, ((announced, words), look) in enumerate(zip(labels.items(), style.MACHINES)):
            shown = [row for row in numbers if (row["measure"], row["announced"]) == (measure, announced)]
            heights = [places.index(row["place"]) + (number - (len(labels) - 1) / 2) * STEP for row in shown]
            style.plot_intervals(axes, heights, shown, look, words)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_xlabel(label)
    panels[0][0].set_yticks(range(len(places)), places)
    panels[0][0].invert_yaxis()
    style.legend(figure, panels[0][0])
    return figure


def main(job: Job) -> None:
    """Draws the figure."""
    numbers = numbers_of(read_csv(job.input.changes), read_csv(job.input.means))
    style.save(draw(numbers, job.params.words), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
