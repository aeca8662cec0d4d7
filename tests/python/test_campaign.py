"""Campaigns with schedulers in Python, and tuning: twins of the commands."""

import linecache
import re
import tempfile

import pytest

import batfill

CAMPAIGN = """
workloads:
  - generate: lublin
    name: small
    jobs: 120
    processors: 16
    sweep: {seed: [1, 2]}
schedulers: [fcfs, easy]
"""


def with_own(tmp_path, text="schedulers: [fcfs, easy, mine]"):
    file = tmp_path / "own.yaml"
    file.write_text(CAMPAIGN.replace("schedulers: [fcfs, easy]", text))
    return file


def results(folder):
    """The lines of the table without those of hashes, which have those of the program."""
    return [line for line in (folder / "results.csv").read_text().splitlines() if not line.startswith("#")]


def test_campaign_is_that_of_the_command(command, tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text(CAMPAIGN)
    command("campaign", file, "-o", "theirs")
    seen = []
    result = batfill.campaign(file, tmp_path / "ours", progress=lambda done, total: seen.append((done, total)))
    assert (result.made, result.kept) == (4, 0)
    assert seen[-1] == (4, 4)
    assert results(tmp_path / "ours") == results(tmp_path / "theirs")
    for made in sorted((tmp_path / "theirs" / "workloads").rglob("*.json")):
        assert made.read_bytes() == (tmp_path / "ours" / made.relative_to(tmp_path / "theirs")).read_bytes()
    again = batfill.campaign(file, tmp_path / "ours")
    assert (again.made, again.kept) == (0, 4)


def test_scheduler_in_python_in_a_campaign(tmp_path, easy):
    file = with_own(tmp_path)
    result = batfill.campaign(file, tmp_path / "out", schedulers={"mine": easy()})
    assert result.made == 6
    table = result.to_pandas().pivot_table(index=["workload", "metric"], columns="scheduler", values="value")
    assert (table["mine"].dropna() == table["easy"].dropna()).all()
    assert not (table["mine"].dropna() == table["fcfs"].dropna()).all()
    assert {row["algorithm"] for row in result.rows()} == {"fcfs", "easy", "mine"}
    assert batfill.campaign(file, tmp_path / "out", schedulers={"mine": easy()}).kept == 6


def test_results_are_kept_until_the_scheduler_changes(tmp_path):
    class Limited(batfill.Scheduler):
        def __init__(self, most):
            self.most = most

        def decide(self, round):
            for job in range(min(self.most, len(round.waiting))):
                round.try_start(job)

    def run(most):
        return batfill.campaign(file, tmp_path / "out", schedulers={"mine": Limited(most)})

    file = with_own(tmp_path, "schedulers: [mine]")
    assert run(1).made == 2
    assert run(1).kept == 2
    assert run(9).made == 2


def test_results_are_kept_until_any_function_of_a_notebook_changes(tmp_path):
    def in_cell(number, kind, most):
        """A scheduler whose code is in no file."""
        cell = f"<cell {number}>"
        source = (f"class Limited(batfill.Scheduler):\n    {kind}\n    def most(_=None):\n        return {most}\n"
                  "    def decide(self, round):\n        for job in range(len(round.waiting)):\n"
                  "            round.try_start(job)\n")
        linecache.cache[cell] = (len(source), None, source.splitlines(keepends=True), cell)
        space = {"batfill": batfill}
        exec(compile(source, cell, "exec"), space)
        return space["Limited"]()

    file = with_own(tmp_path, "schedulers: [mine]")
    number = 0
    for kind in ("", "@staticmethod", "@classmethod", "@property"):
        for most, kept in ((1, 0), (1, 2), (2, 0)):
            number += 1
            schedulers = {"mine": in_cell(number, kind, most)}
            assert batfill.campaign(file, tmp_path / f"out{kind}", schedulers=schedulers).kept == kept


def test_parameters_of_a_scheduler_in_python(tmp_path, easy):
    text = "schedulers: [{algorithm: mine, sweep: {placement: [lowest, contiguous]}}]"
    result = batfill.campaign(with_own(tmp_path, text), tmp_path / "out", schedulers={"mine": easy()})
    assert {row["scheduler"] for row in result.rows()} == {"mine,placement=lowest", "mine,placement=contiguous"}


def test_pages_of_a_campaign_with_a_scheduler_in_python(tmp_path, easy):
    file = with_own(tmp_path)
    file.write_text(file.read_text() + "reports: true\n")
    batfill.campaign(file, tmp_path / "out", schedulers={"mine": easy()})
    pages = sorted((tmp_path / "out" / "reports").rglob("*.html"))
    assert len(pages) == 2
    assert all("mine" in page.read_text() for page in pages)


def test_failed_runs_are_named(tmp_path):
    class Broken(batfill.Scheduler):
        def decide(self, round):
            raise ValueError("out of ideas")

    with pytest.raises(ValueError, match="out of ideas"):
        batfill.campaign(with_own(tmp_path), tmp_path / "out", schedulers={"mine": Broken()})


def test_refused_campaigns(tmp_path, easy):
    with pytest.raises(batfill.InputError, match='no scheduler has the algorithm "other"'):
        batfill.campaign(with_own(tmp_path), tmp_path / "out", schedulers={"mine": easy(), "other": easy()})
    with pytest.raises(batfill.InputError, match="own.yaml:8: .*unknown algorithm 'mine'"):
        batfill.campaign(with_own(tmp_path), tmp_path / "out")
    with pytest.raises(batfill.UsageError, match="mine is a name, expected an instance"):
        batfill.campaign(with_own(tmp_path), tmp_path / "out", schedulers={"mine": "easy"})


def test_an_exception_of_progress_ends_a_campaign(tmp_path, easy):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batfill.campaign(with_own(tmp_path), tmp_path / "out", schedulers={"mine": easy()}, progress=stop)


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        ({}, []),
        ({"over": "sum", "seed": 3}, ["--over", "sum", "--seed", "3"]),
        ({"method": "cover", "features": 6, "metric": "mean_wait"},
         ["--method", "cover", "--features", "6", "--metric", "mean_wait"]),
        ({"scale": {"q": -16, "wait": 3600}, "threshold": 7200},
         ["--scale", "q=-16", "--scale", "wait=3600", "-P", "threshold=7200"]),
    ],
)
def test_tune_is_that_of_the_command(workload, command, tmp_path, keywords, options):
    weeks = workload.weeks()[:2]
    for week in weeks:
        week.save(tmp_path / f"{week.name}.json")
    files = [f"{week.name}.json" for week in weeks]
    command("tune", "-p", 64, "-w", *files, "-o", "theirs", "--evaluations", 30, *options)
    best = batfill.tune(weeks, 64, evaluations=30, output=tmp_path / "ours", **keywords)
    theirs = sorted(tmp_path.glob("theirs*"))
    assert len(theirs) >= 3
    for file in theirs:
        assert file.read_bytes() == (tmp_path / file.name.replace("theirs", "ours")).read_bytes()
    assert len(best) == (1 if keywords.get("over") == "sum" else 2)
    if len(best) == 2:
        metric = keywords.get("metric", "mean_bounded_slowdown")
        for week, one in zip(weeks, best):
            assert one.workload == week.name
            assert batfill.simulate(week, 64, one.scheduler).metrics()[metric] == pytest.approx(one.value, rel=1e-12)


def test_tune_writes_nothing_unless_asked(workload, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    counts = []
    [best] = batfill.tune(workload, 64, evaluations=10, progress=lambda done, total: counts.append((done, total)))
    assert counts[-1] == (10, 10)
    assert re.fullmatch(r"easy,order=mixed,.*weights=[-0-9.e]+(,[-0-9.e]+){5}", best.scheduler)
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


def test_refused_tuning(workload):
    with pytest.raises(batfill.UsageError, match="parameter weights is what tune looks for"):
        batfill.tune(workload, 64, evaluations=10, weights=[1, 0, 0])
    with pytest.raises(batfill.UsageError, match="^lambda_: expected a number"):
        batfill.tune(workload, 64, evaluations=10, method="cover", lambda_="much")
    with pytest.raises(batfill.UsageError, match="scale: expected FEATURE=NUMBER"):
        batfill.tune(workload, 64, evaluations=10, scale={"colour": 3})
    with pytest.raises(batfill.UsageError, match="two workloads are called"):
        batfill.tune([workload, workload], 64, evaluations=10)


def test_an_exception_of_progress_ends_a_search(workload):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batfill.tune(workload, 64, evaluations=5000, progress=stop)


@pytest.mark.parametrize("name", ["../x", "a/b", "/x", "a\0b", "x" * 251])
def test_tuning_writes_only_its_own_files(name, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    table = {"submit": [0, 5], "processors": [2, 4], "run_time": [60, 30]}
    with pytest.raises(batfill.UsageError, match=r"^workloads: the name .* expected at most 250 bytes without /$"):
        batfill.tune(batfill.Workload.from_dataframe(table, name=name), 4, evaluations=2)
    assert list(tmp_path.iterdir()) == []
    [best] = batfill.tune(batfill.Workload.from_dataframe(table, name="-é 1.5"), 4, evaluations=2)
    assert best.workload == "-é 1.5"
