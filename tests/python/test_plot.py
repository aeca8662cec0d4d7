"""Charts on axes of matplotlib, and objects in a notebook."""

import base64
import re
import sys
import xml.etree.ElementTree

import numpy
import pytest

import batfill
from batfill import _core

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402  pylint: disable=wrong-import-position

LEVELS = ("utilisation", "queue", "usage")
NODES = {"id": ["a", "b", "c"], "submit": [0, 5, 5], "processors": [1, 2, 1], "run_time": [100, 50, 70],
         "per_host_cores": [2, 4, 1], "per_host_gpus": [1, 0, 2]}


@pytest.fixture(scope="module")
def run(workload):
    return batfill.simulate(workload, 64, "easy")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def curve_of(svg):
    """The points of the only curve of a chart, in units of the picture."""
    [path] = [element for element in xml.etree.ElementTree.fromstring(svg).iter() if element.get("class") == "curve"]
    x, y, points = 0.0, 0.0, []
    for word, first, second in re.findall(r"([MLHV])(-?[\d.]+)(?: (-?[\d.]+))?", path.get("d")):
        x, y = (x, float(first)) if word == "V" else (float(first), float(second) if second else y)
        points.append((x, y))
    return numpy.array(points)


def require_one_scale(places, values):
    """Places in a picture, of two decimals, are these values at some scale."""
    low, high = int(values.argmin()), int(values.argmax())
    scale = (places[high] - places[low]) / (values[high] - values[low])
    assert numpy.abs(places - places[low] - (values - values[low]) * scale).max() < 0.02


@pytest.mark.parametrize("kind", ["utilisation", "queue"])
def test_levels_are_those_of_the_command(run, kind):
    [line] = run.plot(kind).lines
    points = curve_of(_core.svg(run._core, kind, 7.5, 4))
    require_one_scale(points[:, 0], line.get_xdata())
    require_one_scale(points[:, 1], line.get_ydata())


@pytest.mark.parametrize("kind", ["waits", "slowdowns"])
def test_distributions_are_those_of_the_command(run, kind):
    axes = run.plot(kind)
    assert axes.get_xscale() == "log" and axes.get_ylabel() == "jobs (%)"
    [line] = axes.lines
    values, shares = line.get_xdata()[1:], line.get_ydata()[1:]
    points = curve_of(_core.svg(run._core, kind, 7.5, 4))
    corners = points[2:-1:2]  # each value has a step across and one upwards
    require_one_scale(corners[:, 0], numpy.log(values))
    require_one_scale(corners[:, 1], shares)
    waits = numpy.sort(run.jobs["waiting_time"])
    if kind == "waits":
        assert shares[-1] == 100 and values[-1] == waits[-1]


def test_pictures_show_the_jobs():
    jobs = batfill.Workload.lublin(60, 16, 3, load=0.9)
    run = batfill.simulate(jobs, 16, "easy")
    chart = _core.Gantt(run._core, None, None)
    _, _, first, last = chart.time
    assert [panel[:3] for panel in chart.panels] == [("processors", 16, 16)]
    columns = 97
    cells = chart.picture(0, first, last, 0, 16, columns, 16)
    covered, most, classes = numpy.zeros((16, columns)), numpy.zeros((16, columns)), numpy.full((16, columns), 6)
    edges = numpy.linspace(first, last, columns + 1)
    for start, end, wait, hosts in zip(run.jobs["starting_time"], run.jobs["finish_time"], run.jobs["waiting_time"],
                                       run.jobs["allocated_resources"]):
        share = (numpy.minimum(end, edges[1:]) - numpy.maximum(start, edges[:-1])).clip(0) / (edges[1] - edges[0])
        for part in hosts.split():
            low, high = (part.split("-") * 2)[:2]
            for row in range(int(low), int(high) + 1):
                covered[row] += share
                is_most = share > most[row]
                most[row][is_most] = share[is_most]
                classes[row][is_most] = numpy.searchsorted([0, 60, 600, 3600, 86400], wait)
    is_clear = numpy.abs(covered - 0.5) > 1e-6
    assert (cells == numpy.where(covered < 0.5, 6, classes))[is_clear].all() and (cells < 6).any() and (cells == 6).any()
    # A part of it, row by row and in larger cells.
    assert (chart.picture(0, edges[10], edges[20], 4, 9, 10, 5) == cells[4:9, 10:20])[is_clear[4:9, 10:20]].all()
    with pytest.raises(batfill.UsageError):
        chart.picture(0, 5, 5, 0, 16, 10, 10)


def test_a_gantt_chart_is_drawn_anew_for_each_view(run):
    figure, axes = pyplot.subplots(figsize=(4, 3), dpi=100)
    assert run.plot(ax=axes) is axes and axes.get_ylim() == (64, 0)
    [image] = axes.images
    views = []
    for size, limits in (((4, 3), axes.get_xlim()), ((4, 3), (1, 2)), ((8, 3), (1, 2))):
        figure.set_size_inches(size)
        axes.set_xlim(limits)
        figure.canvas.draw()
        box = axes.get_window_extent()
        pixels = image.get_array()
        assert pixels.shape == (round(box.height), round(box.width), 4)
        assert tuple(image.get_extent()) == (*limits, 0, 64)
        views.append(numpy.asarray(pixels).tobytes())
    assert len(set(views)) == 3
    colours = {tuple(colour) for colour in numpy.asarray(image.get_array()).reshape(-1, 4)}
    known = {tuple(round(255 * part) for part in matplotlib.colors.to_rgba(colour)) for _, colour in _core.wait_colours()}
    assert len(colours) > 2 and colours <= known | {(0, 0, 0, 0)}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [name for name, _ in _core.wait_colours()]


def test_windows_and_shared_hosts_are_shown(workload):
    service = {"name": "service", "from": 100000, "until": 200000, "hosts": "0-3 8"}
    axes = batfill.simulate(workload, 64, "easy", windows=[service]).plot("gantt", until="30d")
    unit = {"time (days)": 86400}[axes.get_xlabel()]
    assert [(patch.get_x() * unit, patch.get_y(), patch.get_height()) for patch in axes.patches] == [
        (pytest.approx(100000), 0, 4), (pytest.approx(100000), 8, 1)]
    assert [text.get_text() for text in axes.texts] == ["service"]
    nodes = batfill.simulate(batfill.Workload.from_dataframe(NODES), 2, "easy", capacity={"cores": 4, "gpus": 2})
    charts = nodes.plot()
    assert [one.get_ylabel() for one in charts] == ["hosts, by cores", "gpus"]
    assert charts[0].get_ylim() == (2, 0)
    charts[0].figure.canvas.draw()
    figure, (first, second) = pyplot.subplots(2)
    usage = nodes.plot("usage", ax=[first, second])
    assert usage == [first, second] and first.get_ylabel() == "cores (of 8)"
    assert max(first.lines[0].get_ydata()) <= 8
    with pytest.raises(batfill.UsageError, match="^ax: expected 2 axes of matplotlib, one for each panel, found "):
        nodes.plot("usage", ax=first)
    figure.canvas.draw()


def test_the_axes_and_the_style_are_those_of_the_user(run, workload):
    with matplotlib.rc_context({"axes.prop_cycle": matplotlib.cycler(color=["#123456", "#abcdef"])}):
        _, axes = pyplot.subplots()
        axes.set_title("mine")
        run.plot("queue", ax=axes)
        batfill.simulate(workload, 64, "fcfs").plot("queue", ax=axes, linewidth=3)
    assert [line.get_color() for line in axes.lines] == ["#123456", "#abcdef"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["easy", "fcfs"]
    assert axes.get_title() == "mine" and axes.lines[1].get_linewidth() == 3
    short = batfill.simulate(batfill.Workload.lublin(5, 64, 1), 64)
    before = axes.get_xlabel()
    short.plot("queue", ax=axes, label="other unit", color="k")
    assert axes.get_xlabel() == before and max(axes.lines[2].get_xdata()) < max(axes.lines[0].get_xdata())
    colours = ["r", "g", "b", "c", "m", "y"]
    patches = run.plot(colours=colours).get_legend().get_patches()
    assert [patch.get_facecolor() for patch in patches] == [matplotlib.colors.to_rgba(one) for one in colours]


@pytest.mark.parametrize("call, text", [
    (lambda run: run.plot("pie"), "^kind: unknown value 'pie'"),
    (lambda run: run.plot("usage"), "^kind: expected a machine with pools or capacities for usage"),
    (lambda run: run.plot("queue", ax=4), "^ax: expected the axes of matplotlib, found 4$"),
    (lambda run: run.plot("queue", colours=["r"]), "^colours: expected a Gantt chart"),
    (lambda run: run.plot(colours=["r"]), "^colours: expected 6, one for each class of wait, found 1$"),
    (lambda run: run.plot(linewidth=3), "^plot: a Gantt chart takes no linewidth"),
    (lambda run: run.plot(since=5, until=5), "^until: expected a time after since$"),
])
def test_what_cannot_be_plotted_is_refused(run, call, text):
    with pytest.raises(batfill.UsageError, match=text):
        call(run)


def test_the_extra_is_named_where_matplotlib_is_missing(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match='^plot needs matplotlib, which the extra "plot" of batfill brings$'):
        run.plot()


def test_a_comparison_is_plotted_as_its_table_has_it(workload):
    weeks = [batfill.Workload.lublin(400, 64, seed, load=0.9) for seed in range(8)]
    comparison = batfill.compare(weeks, ["fcfs", "easy", "easy,order=saf"])
    axes = comparison.plot("mean_wait")
    assert axes.get_xlabel() == "mean wait (s)"
    [container] = axes.containers
    assert numpy.allclose(container.lines[0].get_xdata(), comparison.values("mean_wait").mean(axis=0), rtol=1e-12)
    line = next(line for line in str(comparison).splitlines() if line.startswith("mean wait (s)"))
    for place, (cell, label) in enumerate(zip(re.findall(r"([\d.]+) \[([\d.]+), ([\d.]+)\](?: ([*~]))?", line),
                                              axes.get_yticklabels())):
        [low, high] = container.lines[2][0].get_segments()[place][:, 0]
        assert [f"{low:.1f}", f"{high:.1f}"] == list(cell[1:3])
        assert label.get_text() == f"{comparison.schedulers[place]} {cell[3]}".rstrip()
    assert any("*" in label.get_text() for label in axes.get_yticklabels())
    single = batfill.compare(workload, ["easy"], "mean_stretch")
    assert single.plot(color="k").get_xlabel() == "mean stretch"
    with pytest.raises(batfill.UsageError, match="mean_wait was not computed"):
        single.plot("mean_wait")


def pictures_of(shown):
    """The charts of what a notebook shows, which must be XML."""
    texts = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', shown)
    return [xml.etree.ElementTree.fromstring(base64.b64decode(text)) for text in texts]


def test_objects_show_themselves_in_a_notebook(workload, run):
    class Odd(batfill.Scheduler):
        def decide(self, round):
            for job in range(len(round.waiting)):
                round.try_start(job)

    comparison = batfill.compare(workload.weeks(), {"<b>": Odd(), "easy": "easy"})
    for one, number in ((workload, "1500"), (run, f"{run.metrics()['mean_wait']:.6g}"), (run.check(), "1500"),
                        (comparison, f"{comparison.values('mean_wait').mean(axis=0)[1]:.6g}")):
        shown = one._repr_html_()
        assert shown.startswith("<table>") and f"<td>{number}</td>" in shown
        assert len(pictures_of(shown)) == 1
    assert "&lt;b&gt;" in comparison._repr_html_() and "<b>" not in comparison._repr_html_()
    assert f"<th>makespan (s)</th><td>{run.metrics()['makespan']:.0f}</td>" in run._repr_html_()  # no exponent
    empty = batfill.Workload.from_dataframe({"submit": [], "processors": [], "run_time": []}, processors=4)
    nothing = batfill.simulate(empty, 4)
    for one in (empty, nothing, nothing.check(), batfill.compare(empty, ["easy"])):
        assert "<table>" in one._repr_html_()
    with pytest.raises(batfill.InputError, match="no job finished, there is nothing to plot"):
        nothing.plot()
