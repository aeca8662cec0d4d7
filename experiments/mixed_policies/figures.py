"""Job of rule `mixed_figure`: one of the paper's Figures 1 to 3 and 5 to 15, and the numbers in it as CSV."""
from statistics import fmean, quantiles
from typing import Any, Mapping, Sequence

from common import style
from common.style import Numbers
from common.job import Job, run_job
from common.tables import Spread
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from mixed_policies.period_values import PeriodValues, shown

LOOKS: Mapping[str, style.Look] = {
    "fcfs": {"label": "FCFS", "color": "#999999", "marker": "s", "linestyle": ":"},
    "saf": {"label": "SAF", "color": "#0072B2", "marker": "^", "linestyle": "-."},
    "pure": {"label": "best pure policy", "color": "#D55E00", "marker": "o", "linestyle": "-"},
    "w-star": {"label": "w*", "color": "#009E73", "marker": "o", "linestyle": "-"},
    "w-train": {"label": "w*_train", "color": "#E69F00", "marker": "D", "linestyle": "--"},
    "w-greedy": {"label": "w_greedy", "color": "#CC79A7", "marker": "v", "linestyle": "--"},
    "xnes3": {"label": "xnes3 / w*", "color": "#0072B2", "marker": "^", "linestyle": "none"},
    "xnes6": {"label": "xnes6 / w*", "color": "#E69F00", "marker": "s", "linestyle": "none"},
}
BEST, OTHERS = "#009E73", "#cccccc"
HALVES = ("training", "testing")
SLOWDOWN = "Mean bounded slowdown"
# How far the marks of two searches stand beside their week.
ASIDE = 0.15


class Figures:
    """Draws the figures from the workflow's files. Each method draws one and returns it with its numbers."""

    def __init__(self, job: Job) -> None:
        self._machines: Mapping[str, Any] = job.params.machines
        self._weeks, self._months = (
            {machine: PeriodValues(file, job.params.orders) for machine, file in zip(self._machines, files)}
            for files in (job.input.weeks, job.input.months))

    def draw(self, number: int) -> tuple[Figure, Numbers]:
        """The figure with this number in the paper."""
        if number == 1:
            return self.distributions()
        if number == 15:
            return self.months()
        for machine, settings in self._machines.items():
            for figure, method in zip(settings["figures"], (self.best_pure, self.mixed, self.searches)):
                if figure == number:
                    return method(machine)
        raise ValueError(f"no figure {number}")

    def distributions(self) -> tuple[Figure, Numbers]:
        """Figure 1: the weeks under each pure policy; quartiles, extremes and mean."""
        figure, panels = self._panels()
        numbers: Numbers = []
        for axes, (machine, weeks) in zip(panels, self._weeks.items()):
            ranking = weeks.ranking()
            for place, policy in enumerate(ranking):
                values = weeks.known(policy, weeks.periods)
                axes.boxplot([values], positions=[place], widths=0.65, patch_artist=True, showmeans=True,
                             boxprops={"facecolor": BEST if place < 3 else OTHERS, "linewidth": 0.7},
                             medianprops={"color": "black"}, flierprops={"marker": ".", "markersize": 3},
                             meanprops={"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black",
                                        "markersize": 3.5})
                quarters = quantiles(values, n=4, method="inclusive")
                numbers.append({"machine": machine, "policy": policy, "mean": fmean(values), "least": min(values),
                                "first_quartile": quarters[0], "median": quarters[1], "third_quartile": quarters[2],
                                "most": max(values)})
            axes.set_xticks(range(len(ranking)), [shown(policy) for policy in ranking], rotation=60)
            axes.set_title(machine)
            axes.grid(axis="x", visible=False)
            scale(axes)
        return figure, numbers

    def best_pure(self, machine: str) -> tuple[Figure, Numbers]:
        """Figures 2, 6, 9, 12: SAF beside the best pure policy of each week."""
        weeks = self._weeks[machine]
        figure = Figure(figsize=(8, 2.6))
        axes = figure.subplots()
        series = {"saf": weeks.known("saf", weeks.periods), "pure": [weeks.best_pure(one) for one in weeks.periods]}
        plot(axes, weeks.periods, series)
        axes.vlines(weeks.periods, series["pure"], series["saf"], color="#bbbbbb", linewidth=1)
        axes.set(title=machine, xlabel="Week", ylabel=SLOWDOWN)
        style.legend(figure, axes)
        return figure, numbers_of(machine, weeks.periods, series)

    def mixed(self, machine: str) -> tuple[Figure, Numbers]:
        """Figures 3, 7, 10, 13: mixed policies in the weeks of training and of testing."""
        weeks = self._weeks[machine]
        policies = ("fcfs", "saf", "w-star", "w-train", "w-greedy")
        figure = Figure(figsize=(8, 4.6))
        numbers: Numbers = []
        panels = figure.subplots(2, 1, sharey=True)
        for half, axes in zip(HALVES, panels):
            periods = weeks.within(self._machines[machine]["weeks"][half])
            series = {policy: [weeks.value(policy, period) for period in periods] for policy in policies}
            plot(axes, periods, series)
            axes.set(title=f"{machine}, {half}", ylabel=SLOWDOWN)
            numbers += numbers_of(machine, periods, series)
        panels[-1].set_xlabel("Week")
        style.legend(figure, panels[-1])
        return figure, numbers

    def searches(self, machine: str) -> tuple[Figure, Numbers]:
        """Figures 5, 8, 11, 14: what the searches have found: the best of the cover, and xNES as its multiples, the
        mean of its seeds with the least and the most."""
        weeks = self._weeks[machine]
        star = weeks.known("w-star", weeks.periods)
        figure = Figure(figsize=(8, 4.2))
        above, below = figure.subplots(2, 1, sharex=True)
        plot(above, weeks.periods, {"w-star": star})
        above.set(title=machine, ylabel=f"{SLOWDOWN}, w*")
        numbers = numbers_of(machine, weeks.periods, {"w-star": star})
        for shift, search in ((-ASIDE, "xnes3"), (ASIDE, "xnes6")):
            spreads = [Spread.of(value / one for value in weeks.of_seeds(search, period))
                       for period, one in zip(weeks.periods, star)]
            below.errorbar([period + shift for period in weeks.periods], [spread.mean for spread in spreads],
                           yerr=style.whiskers(spreads), elinewidth=0.7, markerfacecolor="none", **LOOKS[search])
            numbers += [{"machine": machine, "period": period, "policy": seed, "value": value}
                        for seed in weeks.seeds(search) for period, value in
                        zip(weeks.periods, weeks.known(seed, weeks.periods))]
        below.axhline(1, color="black", linewidth=0.8)
        below.set(xlabel="Week", ylabel="Multiple of w*")
        scale(below)
        style.legend(figure, below)
        return figure, numbers

    def months(self) -> tuple[Figure, Numbers]:
        """Figure 15: months instead of weeks."""
        figure, panels = self._panels()
        numbers: Numbers = []
        for axes, (machine, months) in zip(panels, self._months.items()):
            series = {policy: months.known(policy, months.periods) for policy in ("fcfs", "saf", "w-star", "w-train")}
            plot(axes, months.periods, series)
            axes.axvline(self._machines[machine]["months"]["testing"][0] - 0.5, color="black", linewidth=0.8)
            axes.set(title=machine, xlabel="Month")
            numbers += numbers_of(machine, months.periods, series)
        style.legend(figure, panels[0])
        return figure, numbers

    def _panels(self) -> tuple[Figure, list[Axes]]:
        """A panel for each machine, two in a row."""
        rows = (len(self._machines) + 1) // 2
        figure = Figure(figsize=(8, 2.7 * rows))
        panels = figure.subplots(rows, 2, squeeze=False)
        for row in panels:
            row[0].set_ylabel(SLOWDOWN)
        for axes in panels.flat[len(self._machines):]:
            axes.set_visible(False)
        return figure, list(panels.flat[:len(self._machines)])


def plot(axes: Axes, periods: Sequence[int], series: Mapping[str, Sequence[Any]]) -> None:
    """Draws each series as a thin line with markers; None is a gap."""
    for policy, values in series.items():
        axes.plot(periods, [float("nan") if value is None else value for value in values], linewidth=0.8, markersize=3,
                  **LOOKS[policy])
    axes.margins(x=0.015)
    axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    scale(axes)


def scale(axes: Axes) -> None:
    """Logarithmic, with plain numbers, also where there is less than a decade."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)) if high > 5 * low else MaxNLocator(6, steps=(1, 2, 5, 10)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def numbers_of(machine: str, periods: Sequence[int], series: Mapping[str, Sequence[Any]]) -> Numbers:
    """A line for each policy and period."""
    return [{"machine": machine, "period": period, "policy": policy, "value": value}
            for policy, values in series.items() for period, value in zip(periods, values)]


def main(job: Job) -> None:
    """Draws the figure that the rule asks for."""
    figure, numbers = Figures(job).draw(int(job.wildcards.number))
    style.save(figure, numbers, job.output)


if __name__ == "__main__":
    run_job(main)
