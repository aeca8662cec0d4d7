"""How figures look and are written."""
import re
from pathlib import Path

from common import style
from common.tables import Spread
from matplotlib.figure import Figure
from stand_ins import lines_of, named, results_in


def test_series_stand_beside_each_other_with_whiskers() -> None:
    axes = Figure().subplots()
    spreads = [Spread(2, 1, 4), Spread(3, 3, 3)]
    style.plot_spreads(axes, [20, 40], [(style.SERIES["easy"], spreads), (style.SERIES["dbf"], spreads)])
    first, second = axes.containers
    assert [first.get_label(), second.get_label()] == ["EASY", "DBF"]
    assert list(first.lines[0].get_ydata()) == [2, 3]
    assert [list(line.get_xdata()) for line in (first.lines[0], second.lines[0])] == [[19.7, 39.7], [20.3, 40.3]]
    assert axes.get_ylim() == (0, 4.2)


def test_whiskers_are_never_negative() -> None:
    assert style.whiskers([Spread(0.3, 0.1 + 0.2, 0.3)]) == [[0], [0]]
    assert style.whiskers([Spread(2, 1, 4)]) == [[1], [2]]


def test_points_have_bars_where_there_is_an_interval() -> None:
    rows = [style.scaled({"value": "0.5", "low": "0.25", "high": "1"}, 100),
            style.scaled({"value": "2", "low": "", "high": ""}, shift=1)]
    assert rows == [{"value": 50, "low": 25, "high": 100}, {"value": 3, "low": None, "high": None}]
    axes = Figure().subplots()
    style.plot_intervals(axes, [0, 1], rows, style.SERIES["easy"], "EASY")
    style.plot_intervals(axes, [2], rows[1:], style.SERIES["dbf"], "DBF")
    [bars] = axes.collections
    assert [segment.tolist() for segment in bars.get_segments()] == [[[25, 0], [100, 0]]]
    assert [list(line.get_xdata()) for line in axes.lines] == [[50, 3], [3]]


def test_figures_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    outputs = [named(results_in(tmp_path, svg=f"{run}.svg", png=f"{run}.png", csv=f"{run}.csv")) for run in (1, 2)]
    for output in outputs:
        figure = Figure()
        axes = figure.subplots()
        axes.plot([0, 1], [1 / 3, 2 / 3], label="thirds")
        style.legend(figure, axes)
        style.save(figure, [{"x": 0, "y": 1 / 3}, {"x": 1, "y": 2 / 3}], output)
    first, second = outputs
    for kind in ("svg", "png", "csv"):
        assert Path(getattr(first, kind)).read_bytes() == Path(getattr(second, kind)).read_bytes()
    assert lines_of(Path(first.csv)) == ["x,y", "0,0.3333333333333333", "1,0.6666666666666666"]
    assert Path(first.png).read_bytes().startswith(b"\x89PNG")
    svg = Path(first.svg).read_text(encoding="utf-8")
    assert "thirds" in svg
    assert "<dc:date>" not in svg


def test_numbers_that_people_read_keep_their_digits(tmp_path: Path) -> None:
    output = named(results_in(tmp_path, svg="f.svg", png="f.png", csv="f.csv"))
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], [1 / 3, 2 / 3])
    axes.set_yticks([0.375, 0.625], ["0.375", "0.625"])
    style.save(figure, [{"x": 0, "y": 1}], output)
    svg = Path(output.svg).read_text(encoding="utf-8")
    assert ">0.375</text>" in svg
    assert re.search(r'd="[^"]*\d\.\d\d', svg) is None
