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


def of(body, *lines, **names):
    """A scheduler of a program that is in no file, with a function of this body, or of these lines."""
    space = {"batfill": batfill, "__name__": "__main__", **names}
    source = "\n    ".join(["def key(r):", *(lines or (f"return {body}",))])
    exec(f"{source}\nclass Mine(batfill.Scheduler):\n    def decide(self, round): return key(round)\n", space)
    return space["Mine"]()


@pytest.fixture(name="settings")
def _settings(tmp_path, monkeypatch):
    """A package of the user's, not imported yet."""
    folder = tmp_path / "own_settings"
    folder.mkdir()
    (folder / "__init__.py").write_text("limit = 1\nother = 1\n")
    (folder / "deep.py").write_text("limit = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("own_settings", "own_settings.deep"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("lines", "module"), [
    (["import own_settings", "return own_settings.limit"], "own_settings"),
    (["import own_settings as q", "return q.limit"], "own_settings"),
    (["from own_settings import limit", "return limit"], "own_settings"),
    (["def inner():", "    import own_settings as q", "    return q.limit", "return inner()"], "own_settings"),
    (["import own_settings.deep as q", "return q.limit"], "own_settings.deep"),
    (["import own_settings.deep", "return own_settings.deep.limit"], "own_settings.deep"),
    (["from own_settings import deep", "return deep.limit"], "own_settings.deep"),
    (["from own_settings import deep as d", "return getattr(d, 'li' + 'mit')"], "own_settings.deep"),
    (["import own_settings as q", "return vars(q)['li' + 'mit']"], "own_settings"),
])
def test_values_of_modules_that_a_function_imports(settings, monkeypatch, lines, module):
    before = code_of(of("", *lines))
    assert code_of(of("", *lines)) == before  # the first has imported it
    monkeypatch.setattr(sys.modules[module], "limit", 2)
    assert code_of(of("", *lines)) != before
    monkeypatch.setattr(sys.modules[module], "limit", 1)
    assert code_of(of("", *lines)) == before


def test_a_random_generator_that_a_function_imports():
    lines = ["import random", "return random.random()"]
    random.seed(1)
    before = code_of(of("", *lines))
    random.seed(2)
    assert code_of(of("", *lines)) != before


class Tagged(numpy.ndarray):
    pass


class TaggedList(list):
    pass


class TaggedRandom(random.Random):
    pass


@pytest.mark.parametrize("make", [
    lambda: numpy.arange(3.0).view(Tagged),
    lambda: numpy.ma.array([1, 2], mask=[0, 1]).view(type("M", (numpy.ma.MaskedArray,), {})),
    lambda: TaggedList([1, 2]), lambda: TaggedRandom(1), lambda: type("S", (set,), {})(["a", "b"]),
    lambda: type("D", (dict,), {})(a=1), lambda: type("F", (float,), {})(1.5), lambda: type("T", (str,), {})("a"),
])  # fmt: skip
def test_attributes_of_values_of_derived_classes(make):
    def with_tag(tag):
        scheduler = OfGlobal()
        scheduler.value = make()
        scheduler.value.tag = tag
        return code_of(scheduler)

    assert with_tag([1]) == with_tag([1]) != with_tag([2])


@pytest.mark.parametrize("change", [
    lambda value: value.__setitem__(0, 9.0), lambda value: value.__setitem__(slice(1, 2), 9.0),
])
def test_the_numbers_of_a_derived_array(change):
    scheduler = OfGlobal()
    scheduler.value = numpy.arange(3.0).view(Tagged)
    before = code_of(scheduler)
    change(scheduler.value)
    assert code_of(scheduler) != before


def test_the_mask_of_an_array():
    def masked(place):
        scheduler = OfGlobal()
        scheduler.value = numpy.ma.array([7, 7], mask=[place == 0, place == 1], fill_value=7)
        return code_of(scheduler)

    assert masked(0) == masked(0) != masked(1)


@pytest.mark.parametrize(("lines", "names", "seen"), [
    (['return globals()["A"]'], {"A": 1}, "globals()"),
    (['return eval("A")'], {"A": 1}, "eval()"),
    (['exec("pass")'], {}, "exec()"),
    (["import sys", "return sys.argv"], {}, "sys.argv"),
    (["import sys as s", "return s.argv[1]"], {}, "sys.argv"),
    (["from sys import argv", "return argv"], {}, "sys.argv"),
    (["return sys.argv"], {"sys": sys}, "sys.argv"),
    (["return argv"], {"argv": sys.argv}, "sys.argv"),
    (["return getattr(s, 'argv')"], {"s": sys}, "sys.argv"),
    (["return sys.modules['x']"], {"sys": sys}, "sys.modules"),
    (["return os.environ['A']"], {"os": os}, "os.environ"),
    (["return environ['A']"], {"environ": os.environ}, "os.environ"),
    (["return getenv('A')"], {"getenv": os.getenv}, "os.getenv"),
    (["return open('x').read()"], {}, "open()"),
    (["return read('x')"], {"read": open}, "open()"),
    (["import pathlib", "return pathlib.Path('x').read_text()"], {}, "read_text()"),
    (["return numpy.loadtxt('x')"], {"numpy": numpy}, "numpy.loadtxt"),
    (["return load('x')"], {"load": numpy.load}, "numpy.load"),
    (["import time", "return time.time()"], {}, "time.time"),
    (["import datetime", "return datetime.datetime.now()"], {}, "datetime.now()"),
    (["from datetime import date", "return date.today()"], {}, "date.today()"),
    (["return __import__('x')"], {}, "__import__()"),
    (["import importlib", "return importlib.import_module('x')"], {}, "importlib.import_module"),
    (["import subprocess", "return subprocess.run('x')"], {}, "subprocess.run"),
])  # fmt: skip
def test_what_no_code_shows_is_named(lines, names, seen):
    code, unseen = fingerprint(of("", *lines, **names))
    assert unseen == [seen]
    assert fingerprint(of("", *lines, **names))[0] == code


def test_what_only_looks_like_that_is_kept():
    class Plain(Base):
        def __init__(self):
            self.load = self.environ = 1
            with open(os.devnull) as file:  # it has run when the campaign begins
                self.text = file.read()

        def decide(self, round):
            return round.now, self.load, self.environ, numpy.argsort, os.path.join("a", "b"), self.time()

        def time(self):
            return 1

    assert code_of(Plain()) == code_of(Plain())


class Model:
    def __init__(self):
        self.numbers = numpy.fromfile(os.devnull)


class OtherModel(Model):
    pass


def test_what_a_held_object_has_read_is_in_its_attributes():
    class Holds(Base):
        def __init__(self):
            super().__init__()
            self.model = OtherModel()

        def decide(self, round):
            super().decide(round)
            return self.model.numbers

    class Makes(Holds):
        def decide(self, round):
            return OtherModel().numbers

    scheduler = Holds()
    before = code_of(scheduler)
    scheduler.model.numbers = numpy.arange(2)
    assert code_of(scheduler) != before
    assert fingerprint(Makes())[1] == ["numpy.fromfile"]


def test_a_copy_that_makes_itself_reads_again():
    class Again(Base):
        def __init__(self):
            self.text = open(os.devnull).read()

        def __deepcopy__(self, memo):
            return type(self)()

    assert fingerprint(Again())[1] == ["open()"]


def test_one_note_and_no_kept_result(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("workloads: [{generate: lublin, jobs: 50, processors: 8, seed: 1}]\nschedulers: [mine]\n")

    class Blind(Base):
        def decide(self, round):
            assert isinstance(globals()["LIMIT"], int) and eval("LIMIT") == LIMIT and sys.argv
            super().decide(round)

    for _ in range(2):
        with pytest.warns(UserWarning, match=r"on what cannot .* eval\(\), globals\(\), sys.argv; an attr") as notes:
            assert batfill.campaign(file, tmp_path / "out", schedulers={"mine": Blind()}).kept == 0
        assert len(notes) == 1
