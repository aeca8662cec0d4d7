"""Job of rule `user_limits_figure`: what limits do to the waits of heavy and light users, and to the machine."""
from typing import Any, Mapping

from common import style
from common.job import Job, run_job
from common.tables import read_csv
from matplotlib.figure import Figure

STEP = 0.22
PANELS = {"wait_light": "mean wait of light users, change (%)", "wait_heavy": "mean wait of heavy users, change (%)",
          "utilisation": "utilisation, change (points)", "held": "waiting for the limit (% of all)"}


def numbers_of(changes: list[dict[str, str]], means: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What is drawn, in per cent or points: changes from no limit, and the share of waiting."""
    drawn = [row for row in changes if row["measure"] in PANELS] + [row for row in means if row["measure"] == "held"]
    return [{"place": f"{row['machine']}, {row['algorithm']}", "share": row["share"], "measure": row["measure"],
             **style.scaled(row, 100)} for row in drawn]


def draw(numbers: list[dict[str, Any]], labels: Mapping[str, str]) -> Figure:
    """A panel for each measure, with a row for each log and algorithm, and a point for each limit."""
    places = list(dict.fromkeys(row["place"] for row in numbers))
    figure = Figure(figsize=(7.2, 2 * (0.38 * len(places) + 0.9)))
    panels = figure.subplots(2, 2, sharey=True)
    for axes, (measure, label) in zip(panels.flat, PANELS.items()):
        for number, ((share, words), look) in enumerate(zip(labels.items(), style.MACHINES)):
            shown = [row for row in numbers if (row["measure"], row["share"]) == (measure, share)]
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
