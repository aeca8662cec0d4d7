"""When campaign() keeps the results of a scheduler in Python: until anything changes on which it can depend."""

import functools
import linecache
import os
import random
import subprocess
import sys
import threading
import warnings

import numpy
import pytest

import batfill
from batfill._fingerprint import fingerprint

LIMIT = 1
CACHE = {"limit": 1}
SET = {"a", "b", "c"}


def helper():
    return LIMIT


def outer_helper():
    return [helper() for _ in range(1)][0]


class Policy:
    limit = 1

    def __init__(self):
        self.more = [1, {"deep": (2, 3)}]


class Base(batfill.Scheduler):
    inherited = 1

    def decide(self, round):
        for job in range(len(round.waiting)):
            round.try_start(job)


def code_of(scheduler):
    code, unseen = fingerprint(scheduler)
    assert not unseen
    return code


class OfGlobal(Base):
    def decide(self, round):
        return LIMIT


class OfHelper(Base):
    def decide(self, round):
        return (lambda: [outer_helper() for _ in "a"])()


class OfContainer(Base):
    def decide(self, round):
        return CACHE["limit"], SET


class OfPolicy(Base):
    def __init__(self):
        self.policy = [{"one": Policy()}]


class OfMany(Base):
    """Holds one of each kind."""

    def __init__(self, seed=1):
        self.array = numpy.arange(9.0)
        self.kinds = [numpy.float64(1.5), numpy.argsort, numpy.add, functools.partial(helper), len, [].append,
                      threading.Lock(), random.Random(seed), numpy.random.default_rng(seed), os.path.join, Policy,
                      {"b", "a"}, frozenset({1, 2}), range(3), slice(1), 10**5000, float("nan"), b"x", "\udcff"]
        self.kinds.append(self.kinds)  # a cycle

    @property
    def prop(self):
        return self.array

    @staticmethod
    def static(one=Policy):
        return one

    @classmethod
    def of_class(cls, *, two=(1, 2)):
        return two

    @functools.lru_cache
    def cached(self):
        return LIMIT

    def decide(self, round):
        import json  # inside of a function

        return numpy.argsort, json, self.kinds


def closure(limit, default=1, keyword=1):
    class Made(Base):
        function = functools.partial(min, default)

        def decide(self, round, given=default, *, named=keyword):
            return limit, given, named

    return Made()


def test_equal_schedulers_have_equal_fingerprints():
    for make in (OfGlobal, OfHelper, OfContainer, OfPolicy, OfMany, lambda: closure(1)):
        assert code_of(make()) == code_of(make())


@pytest.mark.parametrize(("make", "where", "name", "value"), [
    (OfGlobal, sys.modules[__name__], "LIMIT", 2),
    (OfHelper, sys.modules[__name__], "LIMIT", 2),
    (OfContainer, CACHE, "limit", 2),
    (OfPolicy, Policy, "limit", 2),
    (OfGlobal, Base, "inherited", 2),
    (OfGlobal, OfGlobal, "new", 2),
    (OfMany, Policy, "limit", 2),
    (OfMany, sys.modules[__name__], "LIMIT", 2),
    (OfMany, Policy, "__init__", lambda self: None),
    (OfGlobal, Base, "begin", lambda self, round: None),
])  # fmt: skip
def test_a_change_anywhere_changes_it(monkeypatch, make, where, name, value):
    before = code_of(make())
    if isinstance(where, dict):
        monkeypatch.setitem(where, name, value)
    else:
        monkeypatch.setattr(where, name, value, raising=False)
    changed = code_of(make())
    assert changed != before
    monkeypatch.undo()
    assert code_of(make()) == before


class OfRandom(Base):
    def decide(self, round):
        return random.choice([1, 2])


class OfNumpyRandom(Base):
    def decide(self, round):
        return numpy.random.rand()


class OfNamed(Base):
    def decide(self, round):
        return getattr(batfill_of_tests, "limit")


batfill_of_tests = type(sys)("batfill_of_tests")


@pytest.mark.parametrize(("make", "seed"), [(OfRandom, random.seed), (OfNumpyRandom, numpy.random.seed)])
def test_the_state_of_random_generators(make, seed):
    seed(1)
    before = code_of(make())
    seed(2)
    assert code_of(make()) != before
    seed(1)
    assert code_of(make()) == before


def test_values_of_a_module_that_change_while_the_program_runs(tmp_path):
    (tmp_path / "own.py").write_text("limit = 1")
    batfill_of_tests.__file__ = str(tmp_path / "own.py")
    batfill_of_tests.limit = 1
    before = code_of(OfNamed())
    batfill_of_tests.limit = 2
    assert code_of(OfNamed()) != before


def test_values_of_closures_defaults_and_attributes():
    codes = {code_of(closure(*values)) for values in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2))}
    assert len(codes) == 4
    scheduler = OfPolicy()
    before = code_of(scheduler)
    scheduler.policy[0]["one"].more[1]["deep"] = (2, 4)
    assert code_of(scheduler) != before
    assert code_of(OfMany(1)) != code_of(OfMany(2))
    scheduler = OfMany()
    before = code_of(scheduler)
    scheduler.array[3] = 7
    assert code_of(scheduler) != before


def test_two_containers_that_are_one():
    one, two = OfGlobal(), OfGlobal()
    one.pair = [[], []]
    two.pair = [[]] * 2
    assert code_of(one) != code_of(two)


def test_a_workload_that_it_holds():
    one, other, third = OfGlobal(), OfGlobal(), OfGlobal()
    one.jobs, other.jobs, third.jobs = (batfill.Workload.lublin(9, 4, seed) for seed in (1, 1, 2))
    assert len(one.jobs.jobs["id"]) == 9
    assert code_of(one) == code_of(other) != code_of(third)


@pytest.mark.parametrize(("value", "name"), [((one for one in "ab"), "generator"), (sys.__stdout__, "TextIO")],
                         ids=["generator", "file"])
def test_what_cannot_be_seen_is_not_kept_without_a_version(tmp_path, value, name):
    class Blind(Base):
        held = [value]

    file = tmp_path / "c.yaml"
    file.write_text("workloads: [{generate: lublin, jobs: 50, processors: 8, seed: 1}]\nschedulers: [mine]\n")
    scheduler = Blind()
    for _ in range(2):
        with pytest.warns(UserWarning, match=f"mine: its results will not be kept.*{name}"):
            assert batfill.campaign(file, tmp_path / "out", schedulers={"mine": scheduler}).kept == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for version, kept in ((1, 0), (1, 1), ("b", 0), ("b", 1)):
            Blind.version = version
            assert batfill.campaign(file, tmp_path / "out", schedulers={"mine": scheduler}).kept == kept


def test_a_version_decides_besides_the_code():
    class Versioned(Base):
        version = 1

    file_of = batfill._campaign._code_of
    first = file_of("mine", Versioned())
    assert file_of("mine", Versioned()) == first
    Versioned.version = 2
    assert file_of("mine", Versioned()) != first


def test_a_class_attribute_in_a_cell_of_a_notebook():
    def run(number, limit, comment=""):
        cell = f"<ipython-input-{number}>"
        source = (f"class M(batfill.Scheduler):{comment}\n    limit = {limit}\n    def decide(self, round):\n"
                  "        return min(self.limit, OTHER)\n")
        linecache.cache[cell] = (len(source), None, source.splitlines(keepends=True), cell)
        space = {"batfill": batfill, "__name__": "__main__", "OTHER": 1}
        exec(compile(source, cell, "exec"), space)
        return code_of(space["M"]())

    assert run(1, 1) == run(2, 1) != run(3, 1000)


RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from batfill._fingerprint import fingerprint
import mine
code, unseen = fingerprint(mine.Mine())
assert not unseen, unseen
print(code)
"""

FILES = {
    "mine.py": """
import batfill, numpy, json, functools, enum
import helper
from package import part as p, VALUE
from package.inner import deepest

class Kind(enum.Enum):
    one = "a"
    two = {"x", "y", "z"}

class Mine(batfill.Scheduler):
    names = {"a", "b", "c", "d"}
    def __init__(self):
        self.seen = {"u", "v", "w"}
        self.kind = Kind.two
        self.call = functools.partial(helper.sign, 1)
    def decide(self, round):
        import lazy
        if "q" in {"q", "r", "s"} and round.now in {"t": 1, "u": 2}:
            return p.f(helper.sign() * numpy.argsort(lazy.x)), VALUE, deepest.g, json.loads
""",
    "helper.py": "import below\ndef sign(_=None): return below.one()\n",
    "below.py": "def one(): return 1\n",
    "lazy.py": "x = 1\n",
    "package/__init__.py": "VALUE = 1\n",
    "package/part.py": "from .inner import deepest\ndef f(x): return deepest.g(x)\n",
    "package/inner/__init__.py": "",
    "package/inner/deepest.py": "def g(x): return x\n",
    "unrelated.py": "y = 1\n",
}


def test_modules_of_the_users_and_the_same_in_every_process(tmp_path):
    folder = tmp_path / "code"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)

    def run(seed):
        return subprocess.run([sys.executable, "-c", RUN, folder], capture_output=True, text=True, check=True,
                              cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": str(seed)}).stdout

    before = run(1)
    assert run(2) == run(3) == before  # the second reads compiled files
    for name, text in FILES.items():
        (folder / name).write_text(text + "# new\n")
        assert (run(4) == before) == (name == "unrelated.py"), name
        (folder / name).write_text(text)
        os.utime(folder / name, (0, 0))
    assert run(5) == before
