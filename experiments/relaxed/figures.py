"""Job of rule `relaxed_figure`: total waits by omega, or waits month by month, and the numbers in it as CSV."""
from itertools import cycle
from typing import Mapping, Sequence

from common import style
from common.job import Job, run_job
from common.tables import read_csv
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from relaxed.monthly import ACTUAL, ESTIMATED, Monthly, papers, replayed

TITLES = {ESTIMATED: "Estimated run times", ACTUAL: "Actual run times"}
PAPER: Mapping[str, style.Look] = {
    "T3E": {"color": "#999999", "marker": "v", "linestyle": "-", "label": "T3E, the paper"},
    "O3K": {"color": "#555555", "marker": "x", "linestyle": "-", "label": "O3K, the paper"},
}
LOGS: Sequence[style.Look] = [{**look, "linestyle": "--"} for look in style.MACHINES]
MONTHLY: Mapping[str, style.Look] = {
    "0": {"color": "#D55E00", "linestyle": ":", "label": "omega = 0"},
    "1": {"color": "#E69F00", "linestyle": "--", "label": "omega = 1"},
    "inf": {"color": "#009E73", "linestyle": "-", "label": "omega = infinity"},
    "log": {"color": "#555555", "linestyle": "-.", "label": "the log's own"},
}


def by_omega(machines: Sequence[Monthly]) -> tuple[Figure, style.Numbers]:
    """Total waits as multiples of that with omega = 1, a panel for each kind of times."""
    figure = Figure(figsize=(7.2, 3.0))
    numbers: style.Numbers = []
    panels = figure.subplots(1, len(TITLES), sharey=True)
    omegas = sorted({omega for one in machines for omega in one.omegas}, key=float)
    looks = cycle(LOGS)
    of_machine = {one.machine: PAPER.get(one.machine) or {"label": one.machine, **next(looks)} for one in machines}
    for axes, (estimates, title) in zip(panels, TITLES.items()):
        for one in machines:
            base = sum(one.waits[estimates, "1"])
            values = [sum(one.waits[estimates, omega]) / base for omega in one.omegas]
            axes.plot([omegas.index(omega) for omega in one.omegas], values, **of_machine[one.machine])
            numbers += [{"machine": one.machine, "times": estimates, "omega": omega, "wait_of_omega_1": value}
                        for omega, value in zip(one.omegas, values)]
        axes.set_yscale("log")
        axes.set_title(title)
        axes.set_xticks(range(len(omegas)), ["∞" if omega == "inf" else omega for omega in omegas])
        axes.set_xlabel("omega")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panels[0].set_ylabel("Total wait\n(omega = 1: 1)")
    style.legend(figure, panels[0], rows=2)
    return figure, numbers


def by_month(machines: Sequence[Monthly]) -> tuple[Figure, style.Numbers]:
    """Hours of waiting in each month, with estimated times, a panel for each machine."""
    figure = Figure(figsize=(7.2, 1.9 * len(machines)))
    numbers: style.Numbers = []
    panels = figure.subplots(len(machines), 1, squeeze=False)[:, 0]
    for axes, one in zip(panels, machines):
        series = {omega: one.waits[ESTIMATED, omega] for omega in ("0", "1", "inf")}
        if one.log_waits is not None:
            series["log"] = one.log_waits
        for name, waits in series.items():
            axes.plot(range(len(one.months)), waits, **MONTHLY[name])
            numbers += [{"machine": one.machine, "month": month, "series": name, "wait_hours": hours}
                        for month, hours in zip(one.months, waits)]
        axes.set_yscale("log")
        axes.set_title(one.machine)
        every = -(-len(one.months) // 8)
        axes.set_xticks(range(0, len(one.months), every), one.months[::every])
        axes.set_ylabel("Wait (h)")
    style.legend(figure, panels[0])
    return figure, numbers


def main(job: Job) -> None:
    """Draws the figure that the rule asks for."""
    omegas, months = job.params.omegas, read_csv(job.input.months)
    logs = [replayed(read_csv(file), months, omegas) for file in job.input.logs]
    if job.wildcards.figure == "1":
        paper = read_csv(job.input.paper)
        figure, numbers = by_omega([*logs, *(papers(paper, machine) for machine in PAPER)])
    else:
        figure, numbers = by_month([one for one in logs if one.log_waits is not None] or logs)
    style.save(figure, numbers, job.output)


if __name__ == "__main__":
    run_job(main)
