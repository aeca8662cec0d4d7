"""Job of rule `pc_dc_figure`: one of the paper's Figures 5 to 9, and the numbers in it as CSV."""
from typing import Mapping, Sequence

from common import style
from common.job import Job, run_job
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pc_dc.results import FIGURES, Results

LOOKS: Mapping[str, style.Look] = {
    "pc": {"label": "PC", "color": "#0072B2"},
    "dc": {"label": "DC", "color": "#009E73"},
    "easy": {"label": "EASY", "color": style.SERIES["easy"]["color"]},
}
BAR_WIDTH = 0.28
# Bars end here, so that one log does not flatten all others; every bar has its value beside it.
LOWEST, HIGHEST = -100.0, 100.0
LABEL_HEIGHT = 0.07  # of a value, as a share of the span of the bars
Values = Mapping[str, Mapping[str, float]]


def draw(machines: Mapping[str, bool], raised: Values, cut: Values, label: str) -> Figure:
    """Bars for each machine, side by side, with a mark where each would end if estimates were cut. A machine without
    values keeps its place; one that decides nothing, which the mapping says, has its name in brackets."""
    figure = Figure(figsize=(max(0.86 * len(machines), 3) + 0.6, 3.6))
    axes = figure.subplots()
    for place, (name, look) in enumerate(LOOKS.items()):
        offsets = [machine + (place - 1) * BAR_WIDTH for machine in range(len(machines))]
        shown = [(offset, raised[machine][name]) for offset, machine in zip(offsets, machines) if machine in raised]
        axes.bar([offset for offset, _ in shown], [within(value) for _, value in shown], BAR_WIDTH, **look)
        marks = {offset: within(cut[machine][name]) for offset, machine in zip(offsets, machines) if machine in cut}
        write_values(axes, shown, marks, LABEL_HEIGHT * span(raised, cut))
        axes.plot(list(marks), list(marks.values()), linestyle="none", marker="D",
                  markersize=3, markerfacecolor="white", markeredgecolor="black", markeredgewidth=0.6,
                  label="the same with estimates cut" if place == len(LOOKS) - 1 else None)
    axes.axhline(0, color="black", linewidth=0.8)
    names = [f"({machine})" if quiet else machine for machine, quiet in machines.items()]
    axes.set_xticks(range(len(machines)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_ylabel(f"{label}:\nimprovement (%)")
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.12)
    style.legend(figure, axes)
    return figure


def within(value: float) -> float:
    """Where a bar of this value ends."""
    return min(max(value, LOWEST), HIGHEST)


def span(*values: Values) -> float:
    """From the lowest to the highest end of all bars and marks, 0 among them."""
    ends = [0.0, *(within(value) for shown in values for one in shown.values() for value in one.values())]
    return max(ends) - min(ends)


def write_values(axes: Axes, shown: Sequence[tuple[float, float]], marks: Mapping[float, float], height: float) -> None:
    """Writes the value of each bar at its end, or beyond its mark where the mark is less than this height away from the
    end; of a bar too low to be seen, 0."""
    for offset, value in shown:
        side = 1 if value >= 0 else -1
        end, mark = within(value), marks.get(offset, 0.0)
        covered = offset in marks and -height / 2 < side * (mark - end) < height
        text = f"{value:.0f}"
        axes.annotate("0" if text == "-0" else text, (offset, side * max(side * end, side * mark) if covered else end),
                      xytext=(0, side * (4 if covered else 3)), textcoords="offset points", ha="center",
                      va="bottom" if value >= 0 else "top", fontsize=6,
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.3}, zorder=4)


def main(job: Job) -> None:
    """Draws the figure that the rule asks for."""
    number = job.wildcards.figure
    results = Results(job.input.replays, job.input.census)
    readings: list[str] = job.params.readings[:2]
    values = [results.improvements(number, job.params.machines, reading) for reading in readings]
    of_one_width = [machine for machine in job.params.machines if machine not in values[0] and number == "8"]
    machines = {machine: results.is_quiet(machine, readings[0]) for machine in job.params.machines
                if machine not in of_one_width}
    numbers = [{"machine": machine, "reading": reading, "series": name,
                "improvement_percent": shown[machine][name] if machine in shown else ""}
               for reading, shown in zip(readings, values) if shown for name in LOOKS for machine in machines]
    style.save(draw(machines, values[0], values[-1], FIGURES[number].label), numbers, job.output)


if __name__ == "__main__":
    run_job(main)
