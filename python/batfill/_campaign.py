"""Campaigns, and the search for weights."""

from __future__ import annotations

import csv
import operator
import os
import secrets
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _core
from ._arguments import AnyPath, checked_progress, converted, path_text, path_texts, shown, threads_of
from ._comparison import Workloads, workloads_of
from ._executor import elsewhere
from ._fingerprint import fingerprint
from ._machine import Amounts, Lines, Platform, machine_of
from ._scheduler import Scheduler, as_core, parameters_of
from ._cleaning import Seconds

if TYPE_CHECKING:
    import concurrent.futures

    import pandas


@dataclass(frozen=True)
class CampaignResult:
    """What came of a campaign. Its files are in `folder`, as `batfill campaign` writes them."""

    folder: str
    made: int
    """Runs that this call replayed."""
    kept: int
    """Runs whose results were there already."""

    @property
    def path(self) -> str:
        """The table of results: a line for each metric of each run."""
        return os.path.join(self.folder, "results.csv")

    def rows(self) -> list[dict[str, str]]:
        """The table of results as dicts by column: workload, period, machine, scheduler, ..., metric, value."""
        with open(self.path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def to_pandas(self) -> "pandas.DataFrame":
        """The table of results. Needs pandas."""
        import pandas

        return pandas.read_csv(self.path, comment="#")


def campaign(
    file: AnyPath,
    folder: AnyPath | None = None,
    *,
    schedulers: Mapping[str, Scheduler] | None = None,
    shard: str | tuple[int, int] | None = None,
    threads: int | None = None,
    executor: "concurrent.futures.Executor | None" = None,
    progress: Callable[[int, int], object] | None = None,
) -> CampaignResult:
    """Runs the campaign of a YAML file, as `batfill campaign FILE -o FOLDER`: replays what is missing or has changed.

    `schedulers` has instances of batfill.Scheduler by name; the file lists such a name like one of batfill's own
    ("- mine", or "algorithm: mine" with parameters). A run under one is kept until code or a value changes on which the
    scheduler can depend; docs/campaign.md lists what is seen. `folder` is by default the name of the file without its
    ending, in the working directory. `progress(done, total)` is called after each run.

    `shard="1/4"` is `--shard 1/4`: every fourth run, beginning with the first, without table and pages. Once all shards
    are done, merge_campaign() writes the table and the pages.

    With `executor`, any of concurrent.futures, its workers replay in place of `threads`: processes, or those of a
    cluster, with the same files. They need this build of batfill, and no common file system: all files are written
    here. If the executor breaks, results are kept, and the same call goes on from there.

    Raises InputError if a run fails, after all others; the text has one line for each that failed.
    """
    path = path_text(file, "file")
    by_name = os.path.splitext(os.path.basename(path))[0]
    into = by_name if folder is None else path_text(folder, "folder", "the name of a folder")
    if not isinstance(schedulers, (Mapping, type(None))):
        raise _core.UsageError(f"schedulers: expected a dict of instances by name, found {shown(schedulers)}")
    own = [(name, as_core(scheduler)) for name, scheduler in (schedulers or {}).items()]
    for name, scheduler in own:
        if isinstance(scheduler, str):
            raise _core.UsageError(f"schedulers: {name} is a name, expected an instance: the file lists names")
    with_code = [(name, scheduler, _code_of(name, scheduler)) for name, scheduler in own]
    counts = _core.campaign(path, into, with_code, _shard(shard), threads_of(threads), checked_progress(progress),
                            elsewhere(executor, threads, dict(own)))
    if counts.problems:
        raise _core.InputError("\n".join(counts.problems))
    return CampaignResult(into, counts.made, counts.kept)


def _shard(shard: Any) -> tuple[int, int]:
    """Which part of the runs, from 1, and of how many."""
    parts = shard.split("/") if isinstance(shard, str) else (1, 1) if shard is None else shard
    number, count = converted(_two_numbers, parts) or (0, 0)
    if not 1 <= number <= count < 2**31:
        raise _core.UsageError(f"shard: expected I/N with I in 1..N, such as '1/4', found {shown(shard)}")
    return number, count


def _two_numbers(parts: Any) -> tuple[int, int]:
    number, count = (int(part) if isinstance(part, str) else operator.index(part) for part in parts)
    return number, count


def merge_campaign(folders: Union[AnyPath, Iterable[AnyPath]], output: AnyPath) -> CampaignResult:
    """Puts together what shards have divided, as `batfill campaign merge FOLDER... -o OUTPUT`.

    Writes the table and the pages. Raises InputError, which names missing runs.
    """
    into = path_text(output, "output", "the name of a folder")
    parts = path_texts(folders, "folders")
    if not parts:
        raise _core.UsageError("folders: expected at least one, found none")
    return CampaignResult(into, 0, _core.merge_shards(parts, into))


def _code_of(name: str, scheduler: Scheduler) -> str:
    """A text that changes with the scheduler: results under another text are not kept."""
    code, unseen = fingerprint(scheduler)
    version = scheduler.version
    if unseen and version is None:
        warnings.warn(
            f"schedulers: {name}: its results will not be kept, because it depends on what cannot be compared from run "
            f"to run: {', '.join(unseen)}; an attribute 'version', which you change with it, keeps them",
            stacklevel=3,
        )
        code += secrets.token_hex()
    return code if version is None else f"{code} version {version!r}"


@dataclass(frozen=True)
class Tuned:
    """The best weights that tune() found for one workload, or for all together."""

    workload: str
    """Its name; "sum" for all together."""
    value: float
    """Of the metric, under these weights."""
    weights: tuple[float, ...]
    """Of q, p, wait, ratio, expansion and area."""
    scheduler: str
    """The policy with these weights, as simulate() and compare() take it."""
    found_at: int
    """Number of the evaluation that found them, from 1."""


def _checked_name(name: Any) -> str:
    """The name of a workload. Raises UsageError for one that cannot be part of the name of a file."""
    try:
        file = os.fsencode(f"{name}.json")
    except UnicodeEncodeError:
        file = b"/"
    if b"/" in file or b"\0" in file or len(file) > 255:
        raise _core.UsageError(
            f"workloads: the name {name!r} is part of names of files, expected at most 250 bytes without /"
        )
    return str(name)


def tune(
    workloads: Workloads,
    platform: Platform,
    algorithm: str = "easy",
    *,
    metric: str = "mean_bounded_slowdown",
    over: Literal["each", "sum"] = "each",
    method: Literal["xnes", "cover"] = "xnes",
    features: Literal[3, 6] = 3,
    scale: Mapping[str, float] | None = None,
    evaluations: int | None = None,
    points: int | None = None,
    lambda_: float | None = None,
    seed: int = 1,
    tau: Seconds = _core.DEFAULT_TAU,
    output: AnyPath | None = None,
    pools: Amounts | None = None,
    capacity: Amounts | None = None,
    windows: Lines | None = None,
    limits: Lines | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **parameters: Any,
) -> list[Tuned]:
    """Searches for the weights of a mixed policy under which a metric is smallest, as `batfill tune`.

    Keywords are the options of the command; others are parameters of the algorithm. With `output`, a prefix, writes
    the files of the command, and a search that was stopped goes on from where it was. `progress(done, total)` counts
    replays.

    >>> import batfill
    >>> weeks = batfill.Workload.lublin(jobs=400, processors=64, seed=1, load=0.9).weeks()
    >>> [best] = batfill.tune(weeks[:1], 64, evaluations=20)
    >>> batfill.simulate(weeks[0], 64, best.scheduler).metrics()["mean_bounded_slowdown"] == best.value
    True
    """
    if not isinstance(scale, (Mapping, type(None))):
        raise _core.UsageError(f"scale: expected a dict of numbers by feature, found {shown(scale)}")
    keywords = {"algorithm": algorithm, "metric": metric, "over": over, "method": method, "features": features,
                "scale": scale or None, "evaluations": evaluations, "points": points, "lambda_": lambda_, "seed": seed,
                "tau": tau, "parameter": [f"{name}={value}" for name, value in parameters_of(parameters)]}
    outcome, policy = _core.tune(
        [(_checked_name(workload.name), workload._core) for workload in workloads_of(workloads)],
        machine_of(platform, pools, capacity, windows, limits),
        None if output is None else path_text(output, "output"),
        threads_of(threads),
        checked_progress(progress),
        keywords,
    )
    return [
        Tuned(one.workload, one.value, tuple(one.weights), f"{policy},weights={_core.weights_text(one.weights)}",
              one.found_at)
        for one in outcome.best
    ]
