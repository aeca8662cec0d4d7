"""Job of rule `rounds_figure`: by how much rounds for each event move the metrics of each log."""
from typing import Any, Mapping

from common import style
from common.job import Job, run_job
from common.tables import read_csv
from matplotlib.figure import Figure

LABELS = {"wait": "mean wait", "slowdown": "mean bounded slowdown"}
STEP = 0.22
# Changes up to this many per cent are drawn to scale, larger ones by their logarithm, so that one log does not flatten
# all others.
LINEAR = 5


def draw(rows: list[dict[str, str]], looks: Mapping[str, style.Look]) -> Figure:
    """A panel for each metric, with a row for each log and a point for each policy, which the looks have in words."""
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    figure = Figure(figsize=(7.2, 0.38 * len(machines) + 1))
    panels = figure.subplots(1, len(LABELS), sharey=True)
    for axes, (metric, label) in zip(panels, LABELS.items()):
        for number, (policy, look) in enumerate(looks.items()):
            shown = [row for row in rows if row["in words"] == policy]
            places = [machines.index(row["machine"]) + (number - (len(looks) - 1) / 2) * STEP for row in shown]
            axes.hlines(places, [float(row[f"{metric}, disturbed least"]) for row in shown],
                        [float(row[f"{metric}, disturbed most"]) for row in shown],
                        color=look["color"], alpha=0.35, linewidth=4)
            axes.plot([float(row[f"{metric}, change"]) for row in shown], places, color=look["color"],
                      marker=look["marker"], linestyle="none", label=policy)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_xscale("symlog", linthresh=LINEAR)
        ticks = [-50, -20, -5, -2, 0, 2, 5, 20, 50]
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.set_xlabel(f"change of the {label} (%)")
    panels[0].set_yticks(range(len(machines)), machines)
    panels[0].invert_yaxis()
    style.legend(figure, panels[0], rows=len(looks))
    return figure


def main(job: Job) -> None:
    """Draws the figure."""
    rows = read_csv(job.input[0])
    numbers: list[dict[str, Any]] = [
        {"machine": row["machine"], "policy": row["policy"], "metric": metric,
         **{part: row[f"{metric}, {part}"] for part in ("change", "disturbed least", "disturbed most")}}
        for row in rows for metric in LABELS]
    policies = dict.fromkeys(row["in words"] for row in rows)
    style.save(draw(rows, dict(zip(policies, style.MACHINES))), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
