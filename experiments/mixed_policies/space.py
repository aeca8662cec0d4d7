"""Job of rule `mixed_space`: the paper's Figure 4, the value of all weights in a few weeks."""
from statistics import median
from typing import Any

import numpy
from common import style
from common.job import Job, run_job
from mixed_policies.cover import Cover
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

# Weights whose value is at most so much above the smallest.
CLOSE = 0.05


def sides(cover: Cover, week: int) -> tuple[Any, Any]:
    """The values by the weights of wait (down) and p (across), from -1 to 1, where that of q is at most and at least 0.
    Not a number where there are no such weights."""
    steps = sorted({weights[1] for weights in cover.weights})
    place = {weight: index for index, weight in enumerate(steps)}
    below, above = (numpy.full((len(steps), len(steps)), numpy.nan) for _ in range(2))
    for weights, value in zip(cover.weights, cover.values(week)):
        for side, belongs in ((below, weights[0] <= 0), (above, weights[0] >= 0)):
            if belongs:
                side[place[weights[2]], place[weights[1]]] = value
    return below, above


def draw(cover: Cover, weeks: list[int]) -> Figure:
    """Two maps for each week, with one scale of colours."""
    figure = Figure(figsize=(8, 1.9 * ((len(weeks) + 1) // 2)))
    panels = figure.subplots((len(weeks) + 1) // 2, 4, squeeze=False, sharex=True, sharey=True)
    for number, week in enumerate(weeks):
        pair = panels[number // 2, 2 * (number % 2):2 * (number % 2) + 2]
        values = cover.values(week)
        least, most = min(values), max(values)
        norm = LogNorm(least, max(most, least * 1.001))
        best = cover.weights[cover.best([week])]
        for axes, side, sign in zip(pair, sides(cover, week), "\u2264\u2265"):
            image = axes.imshow(side, origin="lower", extent=(-1, 1, -1, 1), cmap="viridis_r", norm=norm)
            axes.set_title(f"week {week}, q {sign} 0")
            axes.grid(visible=False)
            if best[0] == 0 or (best[0] < 0) == (sign == "\u2264"):
                axes.plot(best[1], best[2], "o", color="red", markersize=5)
        scale = figure.colorbar(image, ax=list(pair), shrink=0.8, ticks=LogLocator(subs=(1, 2, 5)), format="%g")
        scale.ax.minorticks_off()
        scale.set_label("Mean bounded slowdown", fontsize=8)
    for axes in panels[-1]:
        axes.set_xlabel("weight of p")
    for row in panels:
        row[0].set_ylabel("weight of wait")
    return figure


def numbers(cover: Cover, week: int) -> dict[str, Any]:
    """What there is to say of a week's map, and of the best weights of the week before in it."""
    values = cover.values(week)
    best = cover.best([week])
    names = dict(zip(("w_q", "w_p", "w_wait"), cover.weights[best]))
    of_sides = {f"median, q {name} 0": median(value for weights, value in zip(cover.weights, values)
                                            if sign * weights[0] >= 0) for name, sign in (("<=", -1), (">=", 1))}
    before = values[cover.best([week - 1])] if week - 1 in cover.periods else None
    return {"week": week, "least": values[best], "most": max(values), **names, **of_sides,
            "share_within_5_percent": sum(one <= (1 + CLOSE) * values[best] for one in values) / len(values),
            "weights_of_week_before": before,
            "share_below_these": None if before is None else sum(one < before for one in values) / len(values)}


def main(job: Job) -> None:
    """Draws the weeks of the configuration."""
    cover = Cover(job.input[0])
    [[first, last]] = job.params.weeks
    weeks = [week for week in cover.periods if first <= week <= last]
    style.save(draw(cover, weeks), [numbers(cover, week) for week in weeks], job.output)


if __name__ == "__main__":
    run_job(main)
