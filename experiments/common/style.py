"""How figures look, and how they are written: the same bytes each time."""
from typing import Mapping, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.tables import Spread

Look = Mapping[str, str]

# Colours of Okabe and Ito, which people who see few colours can tell apart; markers and dashes for print without colour.
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


def plot_spreads(axes: Axes, places: Sequence[str], spreads: Sequence[Spread], look: Look) -> None:
    """Draws the means as a line, and a band from the least to the most."""
    axes.fill_between(places, [spread.least for spread in spreads], [spread.most for spread in spreads],
                      color=look["color"], alpha=0.2, linewidth=0)
    axes.plot(places, [spread.mean for spread in spreads], **look)


def legend(figure: Figure, panel: Axes) -> None:
    """One legend for all panels, above them, of what is labelled in one. `save` makes room for it."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.5, 1), ncol=len(labels))


def save(figure: Figure, svg: str, png: str) -> None:
    """Writes a figure as SVG and as PNG, without the date and the version that matplotlib would put in."""
    figure.savefig(svg, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    figure.savefig(png, bbox_inches="tight", dpi=130, metadata={"Software": None})
