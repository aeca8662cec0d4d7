"""Job of rule `farms_figure`: the paper's Figure 1 or a half of its Figure 2, and the numbers in it as CSV."""
from typing import Callable, Mapping, Sequence

from common import style
from common.intervals import Bounds
from common.job import Job, run_job
from common.style import Numbers
from common.tables import Spread
from farms.results import MEASURES, NAMES, Results
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Points without lines: they stand beside each other, and between such points lines would cross where nothing does.
LOOKS: Mapping[str, style.Look] = {
    scheduler: {"color": color, "marker": marker, "linestyle": "none", "label": NAMES[scheduler]}
    for scheduler, color, marker in zip(NAMES, ("#CC79A7", "#E69F00", "#0072B2", "#009E73"), "Ds^o")}
# The measure, the label of the horizontal axis, the places on it, and what is at a place for a scheduler.
Panel = tuple[str, str, Sequence[str], Callable[[str, str], Bounds]]


def spread_of(one: Bounds) -> Spread:
    """What is drawn of a mean: its interval, or only the mean if it has none."""
    return Spread(one.value, *(one.value if end is None else end for end in (one.low, one.high)))


def plot(axes: Axes, places: Sequence[str], series: Mapping[str, Sequence[Bounds]]) -> None:
    """Means with their confidence intervals, over places at equal distances, in columns beside each other."""
    style.plot_spreads(axes, range(len(places)), [
        (LOOKS[scheduler], [spread_of(one) for one in intervals])
        for scheduler, intervals in series.items()], room=0.7 / max(len(places) - 1, 1))
    axes.set_xticks(range(len(places)), places)


def rate_panel(results: Results, measure: str) -> Panel:
    """A measure of the paper's scenario, by inter-arrival time."""
    return (measure, "Mean inter-arrival time (s)", results.interarrivals(),
            lambda scheduler, rate: results.mean(measure, scheduler, rate))


def ratio_panel(results: Results, measure: str, rate: str) -> Panel:
    """A measure at one inter-arrival time, by licence ratio."""
    return (measure, f"Licence ratio (%), inter-arrival time {rate} s", results.ratios(),
            lambda scheduler, ratio: results.mean(measure, scheduler, rate, f"ratio-{ratio}"))


def panels(results: Results, part: str) -> list[Panel]:
    """The panels of a figure, row by row."""
    if part == "2b":
        rates = results.interarrivals(f"ratio-{results.ratios()[0]}")
        return [ratio_panel(results, measure, rate) for rate in rates for measure in ("license_usage", "late")]
    measures = {"1": ("late", "system_usage", "system_usage_requested"), "2a": ("wait", "slowdown")}
    return [rate_panel(results, measure) for measure in measures[part]]


def draw(shown: Sequence[Panel], columns: int) -> tuple[Figure, Numbers]:
    """All panels, row by row."""
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(3.6 * columns + 0.2, 2.9 * rows))
    numbers: Numbers = []
    axes_of_panels = figure.subplots(rows, columns, squeeze=False)
    for (measure, label, places, interval), axes in zip(shown, axes_of_panels.flat):
        series = {scheduler: [interval(scheduler, place) for place in places] for scheduler in NAMES}
        plot(axes, places, series)
        axes.set(xlabel=label, ylabel=MEASURES[measure].label)
        if measure == "wait":
            # The shortest are a thousandth of the longest.
            means = [one.value for intervals in series.values() for one in intervals]
            axes.set(yscale="log", ylim=(min(means) / 3, 3 * max(means)))
        numbers += [{"measure": measure, "axis": label, "place": place, "scheduler": scheduler, **vars(one)}
                    for scheduler, intervals in series.items() for place, one in zip(places, intervals)]
    style.legend(figure, axes_of_panels[0][0])
    return figure, numbers


def main(job: Job) -> None:
    """Draws the figure that the rule asks for."""
    part = job.wildcards.part
    results = Results(job.input.replays, job.input.batfill)
    figure, numbers = draw(panels(results, part), {"1": 3, "2a": 2, "2b": 2}[part])
    style.save(figure, numbers, job.output)


if __name__ == "__main__":
    run_job(main)
