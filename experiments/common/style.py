"""How figures look, and how they are written: the same bytes each time."""
import re
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.tables import Spread, write_csv

Look = Mapping[str, Any]
Numbers = list[dict[str, Any]]

STEP = 0.22  # between points of a row, in rows

# Colours of Okabe and Ito, which people who see few colours can tell apart; markers and dashes for print in grey.
SERIES: Mapping[str, Look] = {
    "easy": {"label": "EASY", "color": "#E69F00", "marker": "s", "linestyle": "--"},
    "conservative": {"label": "Conservative", "color": "#0072B2", "marker": "^", "linestyle": "-."},
    "dbf": {"label": "DBF", "color": "#009E73", "marker": "o", "linestyle": "-"},
}
MACHINES: Sequence[Look] = (
    {"color": "#0072B2", "marker": "^", "linestyle": "-."},
    {"color": "#E69F00", "marker": "s", "linestyle": "--"},
    {"color": "#009E73", "marker": "o", "linestyle": "-"},
    {"color": "#CC79A7", "marker": "D", "linestyle": ":"},
    {"color": "#56B4E9", "marker": "v", "linestyle": (0, (6, 1, 1, 1, 1, 1))},
)

matplotlib.rcParams.update({
    "svg.hashsalt": "batfill",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
})


def plot_spreads(axes: Axes, places: Sequence[float], series: Sequence[tuple[Look, Sequence[Spread]]],
                 room: float = 0.06) -> None:
    """Draws each series as a line of means with whiskers from the least to the most. The series stand a little beside
    each other, so that their whiskers can be told apart: all of them together take this share of the horizontal axis at
    each place. The vertical axis starts at 0."""
    step = room * (places[-1] - places[0]) / len(series)
    for number, (look, spreads) in enumerate(series):
        shift = (number - (len(series) - 1) / 2) * step
        axes.errorbar([place + shift for place in places], [spread.mean for spread in spreads], yerr=whiskers(spreads),
                      capsize=2, elinewidth=0.9, **look)
    axes.set(xticks=places, ylim=(0, 1.05 * max(spread.most for _, spreads in series for spread in spreads) or 1))


def whiskers(spreads: Sequence[Spread]) -> list[list[float]]:
    """The distances from the means to the least and to the most, as matplotlib wants them: not below 0, where the mean
    of equal numbers is rounded away from them."""
    return [[max(spread.mean - spread.least, 0) for spread in spreads],
            [max(spread.most - spread.mean, 0) for spread in spreads]]


def scaled(row: Mapping[str, str], factor: float = 1, shift: float = 0) -> dict[str, Optional[float]]:
    """The value and the interval of a table's row, on the scale of a figure. Without an interval, both ends are
    missing."""
    return {part: shift + factor * float(row[part]) if row[part] else None for part in ("value", "low", "high")}


def plot_intervals(axes: Axes, heights: Sequence[float], rows: Sequence[Mapping[str, Any]], look: Look,
                   label: str) -> None:
    """Draws a point for the `value` of each row, and a bar from `low` to `high` for each that has an interval."""
    bars = [(height, row["low"], row["high"]) for height, row in zip(heights, rows) if row["low"] is not None]
    if bars:
        axes.hlines(*zip(*bars), color=look["color"], alpha=0.35, linewidth=4)
    axes.plot([row["value"] for row in rows], heights, color=look["color"], marker=look["marker"], linestyle="none",
              label=label)


def draw_panels(numbers: Numbers, measures: Mapping[str, str], column: str, words: Mapping[str, str]) -> Figure:
    """A panel for each of four measures, which have labels, with a row for each `place` and in it a point with its
    interval for each value of the column, which have words."""
    places = list(dict.fromkeys(row["place"] for row in numbers))
    figure = Figure(figsize=(7.2, 2 * (0.38 * len(places) + 0.9)))
    panels = figure.subplots(2, 2, sharey=True)
    for axes, (measure, label) in zip(panels.flat, measures.items()):
        for number, ((value, in_words), look) in enumerate(zip(words.items(), MACHINES)):
            shown = [row for row in numbers if (row["measure"], row[column]) == (measure, value)]
            heights = [places.index(row["place"]) + (number - (len(words) - 1) / 2) * STEP for row in shown]
            plot_intervals(axes, heights, shown, look, in_words)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_xlabel(label)
    panels[0][0].set_yticks(range(len(places)), places)
    panels[0][0].invert_yaxis()
    legend(figure, panels[0][0])
    return figure


def legend(figure: Figure, panel: Axes, rows: int = 1) -> None:
    """One legend for all panels, above them, of what is labelled in one. `save` makes room for it."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.5, 1), ncol=-(-len(labels) // rows))


def save(figure: Figure, numbers: Numbers, output: Any) -> None:
    """Writes a figure to `output.svg` and `output.png`, without the date and the version that matplotlib would put in,
    and the numbers in it, at least one line, to `output.csv`."""
    figure.savefig(output.svg, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    _shorten_numbers(Path(output.svg))
    figure.savefig(output.png, bbox_inches="tight", dpi=110, metadata={"Software": None})
    write_csv(output.csv, numbers)


def _shorten_numbers(svg: Path) -> None:
    """Tenths of a point are fine enough; matplotlib writes millionths, which doubles the size of curves. What is
    between tags is text, whose numbers people read."""
    text = svg.read_text(encoding="utf-8")
    svg.write_text(re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d+\.\d)\d+", r"\1", tag[0]), text), encoding="utf-8")
