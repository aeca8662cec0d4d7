"""What the paper's Figures 5 to 9 show."""
from typing import NamedTuple

MEAN_WAIT = "mean_wait"


class Shown(NamedTuple):
    """A metric's improvement over conservative with one order, and the metric's name on an axis and in a table."""

    metric: str
    order: str
    label: str
    name: str


FIGURES = {
    "5": Shown(MEAN_WAIT, "spf", "Mean wait", "mean wait"),
    "6": Shown("mean_wait_worst_5_percent", "spf", "Longest 5 % of waits", "longest 5 % of waits"),
    "7": Shown("mean_wait_worst_1_percent", "spf", "Longest 1 % of waits", "longest 1 % of waits"),
    "8": Shown("mean_wait_widest_10_percent", "lqf", "Mean wait of the widest 10 %", "wait of the widest 10 %"),
    "9": Shown(MEAN_WAIT, "lqf", "Mean wait", "mean wait"),
}
