"""Job of rule `cirrus_figure`: how long jobs of whole nodes waited, and the mean waits by width."""
from typing import Any, Mapping

from cirrus.replay import CORES, MEASURED
from common import style
from common.job import Job, run_job
from common.tables import read_csv
from matplotlib.figure import Figure

HOUR = 3600
CENTRE_LOOK: style.Look = {"color": "#000000", "marker": "o", "linestyle": "-"}


def numbers_of(longer: list[dict[str, str]], classes: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What is drawn, of the centre and of the replays on counted cores: by hours the share of jobs in per cent, and by
    class of width the mean wait in hours."""
    shares = [{"panel": "longer", "schedule": row["schedule"], "place": float(row["seconds"]) / HOUR,
               "value": 100 * float(row["share"])}
              for row in longer if row["group"] == "node" and row["machine"] in (MEASURED, CORES)]
    widths = [{"panel": "width", "schedule": row["schedule"], "place": row["class"],
               "value": float(row["mean"]) / HOUR}
              for row in classes if row["by"] == "width" and row["machine"] in (MEASURED, CORES)]
    return shares + widths


def draw(numbers: list[dict[str, Any]], words: Mapping[str, str]) -> Figure:
    """A panel for each, with a line or points for each schedule."""
    figure = Figure(figsize=(9, 3))
    left, right = figure.subplots(1, 2)
    classes = list(dict.fromkeys(row["place"] for row in numbers if row["panel"] == "width"))
    step = 0.8 / len(words)
    for number, ((schedule, label), look) in enumerate(zip(words.items(), (CENTRE_LOOK, *style.MACHINES))):
        shown = {panel: [row for row in numbers if (row["panel"], row["schedule"]) == (panel, schedule)]
                 for panel in ("longer", "width")}
        left.plot([row["place"] for row in shown["longer"]], [row["value"] for row in shown["longer"]], label=label,
                  **look)
        right.bar([classes.index(row["place"]) + (number - (len(words) - 1) / 2) * step for row in shown["width"]],
                  [row["value"] for row in shown["width"]], step, color=look["color"])
    left.set(xscale="symlog", xlabel="wait of at least (hours)", ylabel="jobs of a node or more (%)", ylim=(0, None))
    left.set_xticks(ticks := [0, 1, 3, 12, 24, 96], [str(tick) for tick in ticks])
    right.set(xlabel="cores of the job", ylabel="mean wait (hours)")
    right.set_xticks(range(len(classes)), classes, rotation=45, ha="right")
    style.legend(figure, left)
    return figure


def main(job: Job) -> None:
    """Draws the figure."""
    numbers = numbers_of(read_csv(job.input.longer), read_csv(job.input.classes))
    style.save(draw(numbers, job.params.words), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
