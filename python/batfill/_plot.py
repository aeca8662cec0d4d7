"""Charts by matplotlib, on the user's axes. What they show comes from where `batfill plot` takes it."""

from __future__ import annotations

import csv
import functools
import importlib
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy

from . import _core
from ._arguments import shown

if TYPE_CHECKING:
    import numpy.typing
    from matplotlib.axes import Axes

    Picture = numpy.typing.NDArray[numpy.uint8]

_MARKS = {"best": "*", "not_told_apart": "~"}
_units: dict[str, float] = {}  # seconds of the units that axes have, by the names of the axes


def _require_matplotlib() -> None:
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise ImportError('plot needs matplotlib, which the extra "plot" of batfill brings') from None


def _axes(given: Any, count: int) -> list["Axes"]:
    """As many axes as there are panels: those of the user, or of a new figure."""
    from matplotlib.axes import Axes

    if given is None:
        from matplotlib import pyplot

        return list(pyplot.subplots(count, 1, squeeze=False, sharex=True, layout="constrained")[1][:, 0])
    several: list[Any] = [given] if isinstance(given, Axes) or not isinstance(given, Iterable) else list(given)
    if len(several) != count or not all(isinstance(one, Axes) for one in several):
        expected = "the axes of matplotlib" if count == 1 else f"{count} axes of matplotlib, one for each panel"
        raise _core.UsageError(f"ax: expected {expected}, found {shown(given)}")
    return several


def _unit(ax: "Axes", name: str, seconds: float) -> float:
    """Names the axis of time, and returns the seconds of its unit: those of a chart that is there already."""
    _units[name] = seconds
    if ax.get_xlabel() not in _units:
        ax.set_xlabel(name)
    return _units[ax.get_xlabel()]


@functools.cache
def _picture_class() -> Any:
    """A class of pictures that are drawn anew for each view, in its pixels."""
    from matplotlib.image import AxesImage

    class GanttPicture(AxesImage):
        """The jobs of a Gantt chart."""

        def __init__(
            self, ax: "Axes", chart: "_core.Gantt", panel: int, scale: tuple[float, float], palette: "Picture"
        ) -> None:
            """`scale` has the seconds of a unit of x, and the rows of a unit of y."""
            super().__init__(ax, origin="lower", interpolation="nearest", zorder=1)
            self._chart, self._panel, self._scale, self._palette = chart, panel, scale, palette
            self._view: tuple[float, ...] = ()
            self.set_clip_path(ax.patch)
            self.set_data(palette[[[len(palette) - 1]]])  # until it is drawn

        def draw(self, renderer: Any, *more: Any, **keywords: Any) -> None:
            """Draws what the axes show now."""
            box = self.axes.get_window_extent(renderer)
            pixels = renderer.get_image_magnification()
            (left, right), (low, high) = sorted(self.axes.get_xlim()), sorted(self.axes.get_ylim())
            columns, rows = max(1, round(box.width * pixels)), max(1, round(box.height * pixels))
            if self._view != (left, right, low, high, columns, rows):
                self._view = (left, right, low, high, columns, rows)
                unit, rows_of_unit = self._scale
                cells = self._chart.picture(self._panel, left * unit, right * unit, low * rows_of_unit,
                                            high * rows_of_unit, columns, rows)
                self.set_data(self._palette[cells])
                self.set_extent((left, right, low, high))
            super().draw(renderer, *more, **keywords)

    return GanttPicture


def _gantt(core: "_core.Run", ax: Any, since: Any, until: Any, colours: Sequence[str] | None) -> list["Axes"]:
    from matplotlib.colors import to_rgba_array
    from matplotlib.patches import Patch, Rectangle

    classes = _core.wait_colours()
    chosen = [colour for _, colour in classes] if colours is None else list(colours)
    if len(chosen) != len(classes):
        raise _core.UsageError(f"colours: expected {len(classes)}, one for each class of wait, found {len(chosen)}")
    palette = numpy.concatenate([numpy.round(to_rgba_array(chosen) * 255), [[0, 0, 0, 0]]]).astype(numpy.uint8)
    chart = _core.Gantt(core, since, until)
    name, seconds, first, last = chart.time
    several = _axes(ax, len(chart.panels))
    for number, (one, (upwards, rows, highest, windows)) in enumerate(zip(several, chart.panels)):
        unit = _unit(one, name, seconds)
        one.add_image(_picture_class()(one, chart, number, (unit, rows / highest), palette))
        for label, begin, end, of_rows in windows:
            for low, high in of_rows:
                place, height = low * highest / rows, (high + 1 - low) * highest / rows
                one.add_patch(Rectangle((begin / unit, place), (end - begin) / unit, height, fill=False, hatch="///",
                                        label="_nolegend_"))
            one.text((begin + end) / 2 / unit, of_rows[0][0] * highest / rows, label, ha="center", va="top",
                     clip_on=True)
        one.set_xlim(first / unit, max(last, first + 1e-6) / unit)
        one.set_ylim(highest, 0)
        one.set_ylabel(upwards)
    several[0].legend(handles=[Patch(color=colour, label=label) for colour, (label, _) in zip(chosen, classes)],
                      title="wait", loc="upper left", bbox_to_anchor=(1, 1))
    return several


def _lines(core: "_core.Run", panels: list[Any], ax: Any, style: dict[str, Any]) -> list["Axes"]:
    several = _axes(ax, len(panels))
    for one, (time, across, upwards, highest, places, values) in zip(several, panels):
        given = {"label": core.label, **style}
        top = max([highest, *([one.get_ylim()[1]] if one.lines else [])])
        if across:
            one.set_xscale("log")
            places = numpy.maximum(places, 1)  # as on an axis that begins there
            one.step(numpy.concatenate([places[:1], places]), numpy.concatenate([[0.0], values]), where="post",
                     **given)
            one.set_xlabel(across)
        else:
            one.plot(places / _unit(one, *time[:2]), values, **given)
        one.set_ylabel(upwards)
        one.set_ylim(0, top)
        if len([line for line in one.lines if not str(line.get_label()).startswith("_")]) > 1:
            one.legend()
    return several


def plot_run(
    core: "_core.Run",
    kind: str,
    ax: Any,
    tau: Any,
    since: Any,
    until: Any,
    colours: Sequence[str] | None,
    style: dict[str, Any],
) -> Union["Axes", list["Axes"]]:
    """Draws a chart of a run. Returns its axes: a list if the chart has several panels."""
    _require_matplotlib()
    if kind == "gantt":
        if style:
            raise _core.UsageError(f"plot: a Gantt chart takes no {next(iter(style))}, expected colours")
        several = _gantt(core, ax, since, until, colours)
    else:
        if colours is not None:
            raise _core.UsageError("colours: expected a Gantt chart; lines take color")
        several = _lines(core, _core.plotted(core, kind, tau, since, until), ax, style)
    return several[0] if len(several) == 1 else several


def means_of(table: str, metric: str) -> list[tuple[str, float, float, float]]:
    """The schedulers in the csv of a comparison: each with its mark, the mean of a metric, and the interval of it.

    Without an interval both ends are the mean.
    """
    return [
        (f"{row['scheduler']} {_MARKS.get(row['mark'], '')}".rstrip(), float(row["mean"]),
         float(row["low"] or row["mean"]), float(row["high"] or row["mean"]))
        for row in csv.DictReader(io.StringIO(table))
        if row["metric"] == metric and row["mean"]
    ]


def plot_comparison(table: str, metric: str, title: str, ax: Any, style: dict[str, Any]) -> "Axes":
    """Draws the means of a metric, with intervals and marks as the csv of a comparison has them."""
    _require_matplotlib()
    rows = means_of(table, metric)
    [one] = _axes(ax, 1)
    ends = numpy.array([(mean - low, high - mean) for _, mean, low, high in rows]).reshape(-1, 2)
    one.errorbar([mean for _, mean, *_ in rows], range(len(rows)), xerr=ends.T.clip(0),
                 **{"fmt": "o", "capsize": 3, **style})
    one.set_yticks(range(len(rows)), [name for name, *_ in rows])
    one.set_ylim(len(rows) - 0.5, -0.5)
    one.set_xlabel(title)
    return one
