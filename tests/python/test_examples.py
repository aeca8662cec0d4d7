"""The notebook and the pages run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(ROOT / "examples" / "python" / "tour.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    environment = {**os.environ, "LOG": "", "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                     resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=environment)
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in one for one in shown) == 3
    assert sum("image/svg+xml" in one.get("text/html", "") for one in shown) == 2  # the workload and the run


def test_easy_runs_as_a_script(log):
    done = subprocess.run([sys.executable, ROOT / "examples" / "python" / "easy.py", log, "8"], capture_output=True,
                          text=True, check=True)
    assert float(done.stdout) >= 1


def test_easy_is_short():
    assert len((ROOT / "examples" / "python" / "easy.py").read_text().splitlines()) <= 25


def test_learning_repeats_and_beats_submission_order(tmp_path):
    def learned(folder):
        subprocess.run([sys.executable, ROOT / "examples" / "python" / "learn.py", "--generations", "5", "--seeds", "3",
                        "--output", tmp_path / folder], capture_output=True, text=True, check=True)
        return [(tmp_path / folder / name).read_text() for name in ("curve.csv", "results.csv", "heuristics.csv")]

    curve, results, heuristics = learned("once")
    first, *_, last = [float(line.split(",")[4]) for line in curve.splitlines()[1:]]
    assert len(curve.splitlines()) == 3 and len(results.splitlines()) == 2
    [fcfs] = [line for line in heuristics.splitlines() if ",fcfs," in line]
    assert last < first == pytest.approx(float(fcfs.split(",")[3]))
    assert learned("again") == [curve, results, heuristics]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_pages_run(page, traces, tmp_path):
    blocks = re.findall(r"```python\n(import batfill\n.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert len(blocks) == 1
    for log in traces.glob("*-cln.swf.gz"):
        (tmp_path / log.name).symlink_to(log)
    done = subprocess.run([sys.executable, "-c", blocks[0]], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "[]" in done.stdout and "conservative" in done.stdout
