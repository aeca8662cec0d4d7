"""Job of rule `pc_dc_figure`: one of the paper's Figures 5 to 9, and the numbers in it as CSV."""
from typing import Mapping, Optional

from common import style
from common.job import Job, run_job
from common.tables import read_csv
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pc_dc.results import FIGURES

LOOKS: Mapping[str, style.Look] = {
    "pc": {"label": "PC", "color": "#0072B2"},
    "dc": {"label": "DC", "color": "#009E73"},
    "easy": {"label": "EASY", "color": style.SERIES["easy"]["color"]},
}
BAR_WIDTH = 0.26
# Bars end here, and their value is written beside them, so that one log does not flatten all others.
LOWEST, HIGHEST = -100.0, 100.0
Percentages = dict[str, list[Optional[float]]]


def percentages(job: Job, metric: str, order: str) -> tuple[list[str], Percentages]:
    """The figure's machines, and for each series its improvement over conservative there; none if nobody waits."""
    widths = {row["machine"]: int(row["widths"]) for file in job.input.census for row in read_csv(file)}
    machines = [one for one in job.params.machines if "widest" not in metric or widths[one] > 1]
    results = {(row["machine"], row["run"]): row[f"{metric}_improvement"] for row in read_csv(job.input.replays)}
    runs = {"pc": f"pc-{order}", "dc": f"dc-{order}", "easy": "easy"}
    return machines, {
        series: [100 * float(results[one, run]) if results[one, run] else None for one in machines]
        for series, run in runs.items()}


def draw(machines: list[str], series: Percentages, label: str) -> Figure:
    """Bars for each machine, side by side."""
    figure = Figure(figsize=(max(0.72 * len(machines), 3) + 0.6, 3.2))
    axes = figure.subplots()
    for place, (name, improvements) in enumerate(series.items()):
        offsets = [machine + (place - 1) * BAR_WIDTH for machine in range(len(machines))]
        heights = [0 if one is None else min(max(one, LOWEST), HIGHEST) for one in improvements]
        axes.bar(offsets, heights, BAR_WIDTH, **LOOKS[name])
        write_values_cut_off(axes, offsets, improvements)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(machines)), machines, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_ylabel(f"{label}:\nimprovement (%)")
    axes.grid(axis="x", visible=False)
    style.legend(figure, axes)
    return figure


def write_values_cut_off(axes: Axes, offsets: list[float], improvements: list[Optional[float]]) -> None:
    """Writes the value of each bar that ends before it."""
    for offset, value in zip(offsets, improvements):
        if value is not None and value < LOWEST:
            axes.annotate(f"{value:.0f}", (offset, LOWEST), xytext=(0, -2), textcoords="offset points", ha="center",
                          va="top", fontsize=6)


def main(job: Job) -> None:
    """Draws the figure that the rule asks for."""
    shown = FIGURES[job.wildcards.figure]
    machines, series = percentages(job, shown.metric, shown.order)
    numbers = [{"machine": machine, "series": name, "improvement_percent": "" if value is None else value}
               for name, improvements in series.items() for machine, value in zip(machines, improvements)]
    style.save(draw(machines, series, shown.label), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
