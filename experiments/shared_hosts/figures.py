"""Job of rule `shared_hosts_figure`: how many times as long waits are with what is planned."""
from typing import Any

from common import style
from common.job import Job, run_job
from common.tables import read_csv
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

STEP = 0.3
PANELS = {"wait": "mean wait", "bounded_slowdown": "mean bounded slowdown", "wait_of_large": "mean wait of large jobs"}
ALGORITHMS = ("easy", "conservative")
# The pairs of ways that are drawn, with words: of drawn machines, and of a log for each size of its pool.
OF_DRAWN = {("hosts", "counted"): "hosts against counted cores",
            ("planned", "hosts"): "buffer planned against ignored",
            ("unplanned", "planned"): "buffer unplanned against planned"}
OF_LOG = {("{} planned", "ignored"): "memory {} %, planned against ignored",
          ("{} unplanned", "{} planned"): "memory {} %, unplanned against planned"}


def words_of(way: str, than: str) -> str:
    """What a pair of ways is called; nothing if it is not drawn."""
    share = way.split(" ", maxsplit=1)[0]
    of_log = {(ours.format(share), theirs.format(share)): words.format(share)
              for (ours, theirs), words in OF_LOG.items()}
    return {**OF_DRAWN, **of_log}.get((way, than), "")


def numbers_of(changes: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What is drawn: how many times as long as in the other way."""
    return [{"place": f"{row['machine'].replace('-', ' ')}: {words_of(row['way'], row['than'])}",
             "algorithm": row["algorithm"],
             "measure": row["measure"], **style.scaled(row, shift=1)}
            for row in changes if row["measure"] in PANELS and words_of(row["way"], row["than"])]


def draw(numbers: list[dict[str, Any]]) -> Figure:
    """A panel for each measure, with a row for each pair of ways, and a point for each algorithm."""
    places = list(dict.fromkeys(row["place"] for row in numbers))
    figure = Figure(figsize=(9, 0.34 * len(places) + 0.8))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (measure, label) in zip(panels.flat, PANELS.items()):
        axes.set_xscale("log")
        for number, algorithm in enumerate(ALGORITHMS):
            look = style.SERIES[algorithm]
            shown = [row for row in numbers if (row["measure"], row["algorithm"]) == (measure, algorithm)]
            heights = [places.index(row["place"]) + (number - (len(ALGORITHMS) - 1) / 2) * STEP for row in shown]
            style.plot_intervals(axes, heights, shown, look, look["label"])
        axes.axvline(1, color="black", linewidth=0.8)
        axes.xaxis.set_major_locator(LogLocator(numticks=6))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel(f"{label},\nratio")
    panels[0].set_yticks(range(len(places)), places)
    panels[0].invert_yaxis()
    style.legend(figure, panels[0])
    return figure


def main(job: Job) -> None:
    """Draws the figure."""
    numbers = numbers_of(read_csv(job.input.changes))
    style.save(draw(numbers), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
