"""Inputs that the tests share. They need the package, not the program."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import batfill

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program() -> str:
    """The program, for tests that compare both; $BATFILL names it."""
    found = os.environ.get("BATFILL") or shutil.which("batfill")
    if not found:
        pytest.skip("needs the program: set BATFILL to its path")
    return found


@pytest.fixture
def command(program, tmp_path):
    """Runs the program in the test's folder and returns what it prints."""

    def run(*arguments: object, status: int = 0) -> str:
        done = subprocess.run(
            [program, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def workload():
    return batfill.Workload.lublin(jobs=1500, processors=64, seed=7, load=0.95)


LOG = """; MaxProcs: 8
; a short log
1 0 5 100 2 -1 -1 2 200 -1 1 3 1 -1 1 -1 -1 -1
2 10 0 50 4 -1 -1 4 -1 -1 1 4 1 -1 2 -1 -1 -1
3 20 0 300 8 -1 -1 8 250 -1 1 3 1 -1 1 -1 -1 -1
4 30 0 0 1 -1 -1 1 60 -1 0 5 1 -1 1 -1 -1 -1
5 604900 0 70 3 -1 -1 3 100 -1 1 4 1 -1 1 -1 -1 -1
6 605000 0 90 8 -1 -1 8 100 -1 1 5 1 -1 2 -1 -1 -1
7 1209700 9 40 1 -1 -1 1 100 -1 1 5 1 -1 1 -1 -1 -1
"""


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "SMALL.swf"
    path.write_text(LOG)
    return path


@pytest.fixture(scope="session")
def shared():
    """The path of a file or folder of the data that tests share."""

    def find(name: str) -> Path:
        path = Path(os.environ.get("BATFILL_TEST_DATA", ROOT.parent / "shared")) / name
        if not path.exists():
            pytest.skip(f"needs {name} in the folder of data: set BATFILL_TEST_DATA")
        return path

    return find


@pytest.fixture(scope="session")
def traces(shared) -> Path:
    """Real logs."""
    return shared("traces")


@pytest.fixture(scope="session")
def easy():
    """The scheduler of examples/python/easy.py."""
    spec = importlib.util.spec_from_file_location("easy", ROOT / "examples" / "python" / "easy.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Easy
