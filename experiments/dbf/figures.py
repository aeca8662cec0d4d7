"""Job of rule `dbf_figure`: one of the paper's Figures 1 to 7, and the numbers in it as CSV."""
from typing import Any, Callable, Optional, Sequence

from common import style
from common.style import Numbers
from common.job import Job, run_job
from common.tables import Spread, read_csv
from dbf.results import Rows, distinct, select, values
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter, StrMethodFormatter

MINUTE, HOUR, DAY = 60, 3600, 86400
WAIT_TICKS = {0: "0", MINUTE: "1 min", 10 * MINUTE: "10 min", HOUR: "1 h", 6 * HOUR: "6 h", DAY: "1 d", 7 * DAY: "7 d"}
SHARE_LABEL = "Deadline-driven jobs (%)"
BANDS = {"easy": "////", "conservative": r"\\\\", "dbf": "...."}  # hatches of the spans of the draws


class Figures:
    """Draws the figures from the workflow's files. Each method draws one and returns it with its numbers."""

    def __init__(self, job: Job) -> None:
        self._names: dict[str, Optional[str]] = job.params.names
        self._machines = list(self._names)
        self._repairs: list[str] = job.params.repairs
        self._arrivals = {machine: read_csv(file) for machine, file in zip(self._machines, job.input.arrivals)}
        self._metrics = read_csv(job.input.metrics)
        self._distribution_file = job.input.distribution
        self._shares = distinct(self._metrics, "share")

    def daily_arrivals(self) -> tuple[Figure, Numbers]:
        """Figure 1: arrivals by hour of the day; hours above the mean are shaded."""
        # A log that is replayed on machines of two sizes has one panel.
        shown = {machine: name for machine, name in self._names.items() if name}
        figure, panels = _row_of_panels(list(shown.values()), height=2.3)
        numbers: Numbers = []
        for machine, axes in zip(shown, panels):
            rates = values(self._arrivals[machine], "arrivals_per_hour")
            mean = sum(rates) / len(rates)
            above = False
            for hour, rate in enumerate(rates):
                if rate > mean:
                    axes.axvspan(hour, hour + 1, color="#dddddd", linewidth=0,
                                 label=None if above else "hours above the mean")
                    above = True
                numbers.append({"machine": shown[machine], "hour": hour, "arrivals_per_hour": rate,
                                "peak": int(rate > mean)})
            axes.stairs(rates, range(25), color=style.SERIES["conservative"]["color"], linewidth=1.6,
                        baseline=None, label="arrivals")
            axes.axhline(mean, color="black", linewidth=0.8, label="mean")
            axes.set(xlim=(0, 24), xticks=range(0, 25, 4), ylim=(0, None), xlabel="Hour of the day")
        panels[0].set_ylabel("Jobs per hour")
        style.legend(figure, panels[0])
        return figure, numbers

    def wait_of_regular_jobs(self) -> tuple[Figure, Numbers]:
        """Figure 2: mean wait of the regular jobs that count."""
        return self._by_algorithm("mean_wait_regular", 1 / HOUR, "Mean wait, regular jobs (h)")

    def distribution_of_waits(self) -> tuple[Figure, Numbers]:
        """Figure 3: distribution of the waits of the regular jobs that count."""
        distribution = select(read_csv(self._distribution_file), repair=self._repairs[0])
        rows, columns = len(self._machines), len(self._shares)
        figure = Figure(figsize=(2.3 * columns, 1.9 * rows + 0.5))
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        numbers: Numbers = []
        for machine, row in zip(self._machines, panels):
            for share, axes in zip(self._shares, row):
                axes.set_title(f"{machine}, {share} %")
                draws = select(distribution, machine=machine, share=share)
                for run in style.SERIES:
                    numbers += [{"machine": machine, "share": share, **level}
                                for level in _plot_distribution(axes, draws, run)]
        _scale_of_waits(panels)
        style.legend(figure, panels[0][0])
        return figure, numbers

    def wait_of_all_jobs(self) -> tuple[Figure, Numbers]:
        """Figure 4: mean wait of all jobs."""
        return self._by_algorithm("mean_wait", 1 / MINUTE, "Mean wait, all jobs (min)")

    def stretch_of_regular_jobs(self) -> tuple[Figure, Numbers]:
        """Figure 5: maximum stretch of the regular jobs, logarithmic: single draws are far above the others."""
        figure, numbers = self._by_algorithm("max_stretch_regular", 1, "Maximum stretch, regular jobs")
        for axes in figure.axes:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
            known = [float(number[part]) for number in numbers for part in ("least", "most")
                     if number["machine"] == axes.get_title() and number[part] > 0]
            axes.set_ylim(0.8 * min(known, default=1), 1.25 * max(known, default=10))
        return figure, numbers

    def violations(self) -> tuple[Figure, Numbers]:
        """Figure 6: missed deadlines of short jobs, with the least deadline there is, and of long ones. Hatched bars
        are those of variants; a bar of no height has its number."""
        figure, panels = _row_of_panels(self._machines, height=2.6)
        kinds = {"deadline_violations_short": ("short", "#56B4E9"), "deadline_violations_long": ("long", "#D55E00")}
        numbers: Numbers = []
        width = 0.8 / (len(kinds) * len(self._repairs))
        for machine, axes in zip(self._machines, panels):
            series = [(repair, metric) for repair in self._repairs for metric in kinds]
            for place, (repair, metric) in enumerate(series):
                kind, colour = kinds[metric]
                spreads = self._spreads(machine, "dbf", metric, 1, repair)
                offsets = [share + (place - (len(series) - 1) / 2) * width for share in range(len(self._shares))]
                name = f"dbf (repair={repair})"
                first = repair == self._repairs[0]
                axes.bar(offsets, [spread.mean for spread in spreads], width, label=f"{name}, {kind} jobs",
                         facecolor=colour if first else "white", edgecolor=colour, linewidth=0.6,
                         hatch=None if first else "//////", yerr=style.whiskers(spreads),
                         error_kw={"linewidth": 0.8, "capsize": 1.5})
                for offset, spread in zip(offsets, spreads):
                    if spread.most == 0:
                        axes.annotate("0", (offset, 0), (0, 1), textcoords="offset points", ha="center", fontsize=6,
                                      color=colour)
                numbers += self._numbers(machine, f"{name}, {kind}", spreads)
            axes.set(xticks=range(len(self._shares)), xticklabels=self._shares, ylim=(0, max(1, axes.get_ylim()[1])),
                     xlabel=SHARE_LABEL)
            axes.grid(axis="x", visible=False)
        panels[0].set_ylabel("Missed deadlines")
        style.legend(figure, panels[0], rows=len(self._repairs))
        return figure, numbers

    def deadline_usage(self) -> tuple[Figure, Numbers]:
        """Figure 7: how much of the time to the deadline the delayed deadline-driven jobs use."""
        figure = Figure(figsize=(5.6, 2.8))
        axes = figure.subplots()
        usages = {machine: self._spreads(machine, "dbf", "mean_deadline_usage_delayed", 100, self._repairs[0])
                  for machine in self._machines}
        style.plot_spreads(axes, self._places(), [({**look, "label": machine}, usages[machine])
                                                  for machine, look in zip(self._machines, style.MACHINES)])
        axes.set(xlabel=SHARE_LABEL, ylabel="Mean deadline usage (%)")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        return figure, [number for machine, spreads in usages.items()
                        for number in self._numbers(machine, "dbf", spreads)]

    def _by_algorithm(self, metric: str, factor: float, label: str) -> tuple[Figure, Numbers]:
        figure, panels = _row_of_panels(self._machines, height=2.6)
        numbers: Numbers = []
        for machine, axes in zip(self._machines, panels):
            spreads = {run: self._spreads(machine, run, metric, factor, self._repairs[0]) for run in style.SERIES}
            style.plot_spreads(axes, self._places(), [(look, spreads[run]) for run, look in style.SERIES.items()])
            axes.set_xlabel(SHARE_LABEL)
            numbers += [number for run in spreads for number in self._numbers(machine, run, spreads[run])]
        panels[0].set_ylabel(label)
        style.legend(figure, panels[0])
        return figure, numbers

    def _places(self) -> list[int]:
        return [int(share) for share in self._shares]

    def _spreads(self, machine: str, run: str, metric: str, factor: float, repair: str) -> list[Spread]:
        rows = select(self._metrics, machine=machine, run=run, repair=repair)
        return [Spread.of(factor * value for value in values(select(rows, share=share), metric) or [0.0])
                for share in self._shares]

    def _numbers(self, machine: str, series: str, spreads: list[Spread]) -> Numbers:
        return [{"machine": machine, "series": series, "share": share, **vars(spread)}
                for share, spread in zip(self._shares, spreads)]


def _row_of_panels(titles: Sequence[str], height: float) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(2.6 * len(titles) + 0.4, height))
    panels = figure.subplots(1, len(titles), squeeze=False)[0]
    for title, axes in zip(titles, panels):
        axes.set_title(title)
    return figure, list(panels)


def _plot_distribution(axes: Axes, draws: Rows, run: str) -> Numbers:
    """Draws the share of jobs that wait at most so long: mean of the draws, and a band from least to most."""
    numbers: Numbers = []
    for level in distinct(draws, "level"):
        waits = values(select(draws, level=level), run)
        if waits:
            numbers.append({"series": run, "level": float(level), **vars(Spread.of(waits))})
    levels = [number["level"] for number in numbers]
    look = style.SERIES[run]
    axes.fill_betweenx(levels, [number["least"] for number in numbers], [number["most"] for number in numbers],
                       facecolor=look["color"], alpha=0.25, edgecolor=look["color"], hatch=BANDS[run], linewidth=0)
    # Markers, each algorithm's at levels of its own, tell curves apart that lie on each other.
    axes.plot([number["mean"] for number in numbers], levels, color=look["color"], linestyle=look["linestyle"],
              label=look["label"], marker=look["marker"], markersize=3,
              markevery=(6 * list(style.SERIES).index(run), 18))
    return numbers


def _scale_of_waits(panels: Any) -> None:
    """Waits from none to days: linear up to a minute, logarithmic above."""
    for axes in panels.flat:
        axes.set_xscale("symlog", linthresh=MINUTE, linscale=0.5)
        axes.set_xticks(list(WAIT_TICKS), list(WAIT_TICKS.values()), rotation=45, fontsize=7)
        axes.minorticks_off()
        axes.set(xlim=(-5, None), ylim=(0, 1))
        axes.yaxis.set_major_formatter(PercentFormatter(1))
    for axes in panels[-1]:
        axes.set_xlabel("Wait")
    for axes in panels[:, 0]:
        axes.set_ylabel("Regular jobs")


FIGURES: dict[str, Callable[[Figures], tuple[Figure, Numbers]]] = {
    "1": Figures.daily_arrivals,
    "2": Figures.wait_of_regular_jobs,
    "3": Figures.distribution_of_waits,
    "4": Figures.wait_of_all_jobs,
    "5": Figures.stretch_of_regular_jobs,
    "6": Figures.violations,
    "7": Figures.deadline_usage,
}


def main(job: Job) -> None:
    """Draws the figure that the rule asks for."""
    figure, numbers = FIGURES[job.wildcards.figure](Figures(job))
    style.save(figure, numbers, job.output)


if __name__ == "__main__":
    run_job(main)
