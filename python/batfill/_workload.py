"""Workloads: of logs, accounting data, tables and models."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy

from . import _core, _notebook
from ._arguments import AnyPath, path_text, path_texts, shown, whole_number
from ._cleaning import Cleaning, Seconds
from ._columns import Columns
from ._table import from_table

if TYPE_CHECKING:
    import numpy.typing
    import pandas
    from typing_extensions import Unpack

_MOST_PROCESSORS = 2**31 - 2


class Workload:
    """Jobs to replay, and the size of the machine that they are for. Never changes.

    >>> import batfill
    >>> workload = batfill.Workload.lublin(jobs=100, processors=64, seed=1)
    >>> len(workload), workload.processors
    (100, 64)
    >>> workload.jobs["run_time"].dtype
    dtype('float64')
    """

    def __init__(self, core: "_core.Jobs", name: str, cleaning: Mapping[str, Any] | None = None) -> None:
        """Not for users: see the class methods."""
        self._core = core
        self.name = name
        """Name in tables."""
        self.cleaning = dict(cleaning or {})
        """What the conversion of a log did: numbers of jobs kept, dropped and noted, by rule."""

    # ---- Making one

    @classmethod
    def from_swf(
        cls, path: AnyPath, *, fields: Union[str, Sequence[str], None] = None, **cleaning: "Unpack[Cleaning]"
    ) -> "Workload":
        """The workload that `batfill swf` makes of a log of the Parallel Workloads Archive, plain or gzipped.

        The keywords are the options of `batfill swf`, with _ for -: `until="90d"`, `max_processors=64`,
        `short_estimates="drop"`. `since` is its `--from`; `estimates=2.0` is `--estimates factor:2`. With
        `fields="after"` jobs wait for the jobs that precede them in the log; `cleaning["conditions"]` counts these.

        Raises InputError, which names the line, for what is not a log; UsageError for a wrong option.
        """
        name = path_text(path)
        [(_, core)], summary = _core.convert("", [name], False, {**cleaning, "fields": fields})
        return cls(core, _core.workload_name(name), summary)

    @classmethod
    def weeks_from_swf(
        cls,
        path: AnyPath,
        *,
        days: float = 7,
        skip: int = 0,
        periods: int | None = None,
        crossing: Literal["drop", "keep"] = "drop",
        count_from: Literal["zero", "first-job"] = "zero",
        fields: Union[str, Sequence[str], None] = None,
        **cleaning: "Unpack[Cleaning]",
    ) -> list["Workload"]:
        """The workloads that `batfill swf --split 7` makes of a log: a period per workload, times from its beginning.

        The keywords are the options of `batfill swf`; `days` is its `--split`. Drops jobs that started in one period
        and ended in another unless `crossing="keep"`.
        """
        name = path_text(path)
        split = {"days": days, "skip": skip, "periods": periods, "crossing": crossing, "count_from": count_from,
                 "fields": fields}
        found, summary = _core.convert("", [name], True, {**cleaning, **split})
        word = {7: "week", 30: "month"}.get(int(days) if days == int(days) else 0, "period")
        return [cls(core, f"{_core.workload_name(name)}-{word}-{number}", summary) for number, core in found]

    @classmethod
    def from_accounting(
        cls,
        paths: Union[AnyPath, Iterable[AnyPath]],
        format: str,
        *,
        mapping: Mapping[str, str] | None = None,
        map: Mapping[str, str] | None = None,
        times: str | None = None,
        separator: str | None = None,
        nodes: bool = False,
        bad_rows: Literal["error", "drop"] | None = None,
        partition_limits: Mapping[str, Seconds] | None = None,
        fields: Union[str, Sequence[str], None] = None,
        submit: Literal["submission", "eligible"] | None = None,
        **cleaning: "Unpack[Cleaning]",
    ) -> "Workload":
        """The workload that `batfill import` makes of accounting data.

        `format` is sacct, pbs, csv or the name of a published data set; `mapping` names the columns of a csv, such as
        {"id": "JobID", "submit": "Submit", ...}; `map` is another name for it. `bad_rows="drop"` leaves out rows that
        cannot be read; `cleaning` then counts them, and shows the first of each kind. `partition_limits`, such as
        {"debug": "1h"}, are the walltimes of jobs without a time limit. `fields=["per-host", "partition"]`, or as one
        text, gives jobs what they took of each host, and their partition; `cleaning["capacity"]` is then the least that
        hosts had, as `simulate` takes it. Among them, "after" gives them the jobs that they waited for, which
        `cleaning["conditions"]` counts; `submit="eligible"` submits them when they had none left. `machine="nodes.txt"`
        is what `scontrol show node`, `sinfo` or `pbsnodes` prints: jobs that do not fit there are dropped, and
        `cleaning["machine"]` has the hosts that it lacks. The other keywords are the options of `batfill import`.
        """
        if not isinstance(format, str) or format.startswith("-"):
            raise _core.UsageError(
                f"format: expected sacct, pbs, csv or the name of a published data set, found {shown(format)}"
            )
        names = path_texts(paths, "paths")
        if not names:
            raise _core.UsageError("paths: expected at least one file, found none")
        if mapping is not None and map is not None:
            raise _core.UsageError("mapping and map are one option, expected only one of them")
        keyword = "map" if mapping is None else "mapping"
        mapping = map if mapping is None else mapping
        if not isinstance(mapping, (Mapping, type(None))):
            raise _core.UsageError(f"{keyword}: expected a dict of columns by field, found {shown(mapping)}")
        how = {keyword: mapping, "times": times, "separator": separator, "nodes": nodes, "bad_rows": bad_rows,
               "partition_limits": partition_limits, "fields": fields, "submit": submit}
        [(_, core)], summary = _core.convert(format, names, False, {**cleaning, **how})
        return cls(core, _core.workload_name(names[0]), summary)

    @classmethod
    def from_json(cls, path: AnyPath) -> "Workload":
        """Reads a workload of Batsim 4 or 5, plain or gzipped.

        Raises InputError, which names the job, for what Batsim would refuse.
        """
        name = path_text(path)
        return cls(_core.read_json(name), _core.workload_name(name))

    @classmethod
    def lublin(
        cls,
        jobs: int,
        processors: int,
        seed: int,
        *,
        load: float | None = None,
        kind: Literal["batch", "interactive", "both", "undivided"] = "batch",
        estimates: Union[Literal["modal", "exact"], float, str] = "modal",
    ) -> "Workload":
        """Samples a workload from the model of Lublin and Feitelson, as `batfill generate lublin`.

        `load` is the offered load, a share of the machine in 0.001..10. The same arguments give the same workload.
        """
        model = {"jobs": jobs, "processors": processors, "seed": seed, "load": load, "kind": kind,
                 "estimates": estimates}
        return cls(_core.lublin(model), f"lublin-{seed}")

    @classmethod
    def from_dataframe(
        cls,
        table: "Union[pandas.DataFrame, Mapping[str, Any]]",
        *,
        processors: int | None = None,
        walltimes: Literal["enforced", "believed"] = "enforced",
        name: str = "table",
    ) -> "Workload":
        """The workload of a table with a job per row: a pandas.DataFrame, or a dict of columns.

        Columns: `submit`, `run_time` and `processors`; if known `id` (otherwise the row's number from 1), `walltime`
        (otherwise the run time), `user`, `queue`, `deadline` (an instant as `submit`), `licenses` (lists of names, or
        texts with commas between names). Lengths of time are seconds, timedelta, or texts such as "1-12:00:00", as
        `import` reads them. Instants are seconds, or dates and times: datetime, datetime64, or texts such as
        "2024-03-01 12:00:00", all with a time zone or all without. Then time 0 is the midnight in UTC before the first
        submission, as in `import`. A job with a walltime of NaN or None has none: schedulers reject it without
        `default_walltime`. `per_host_gpus`, `pool_power` and the like are what jobs take of each host and of pools,
        whole numbers, or NaN or None where a job does not name it; `partition` is a text. The workload keeps all other
        columns as fields of the jobs, for schedulers that read them. `processors` is the size of the machine, by
        default that of the widest job. With `walltimes="believed"` nothing stops a job at its walltime, which is only
        an estimate.

        Ids change if a workload of Batsim cannot have them: `w0` becomes `w_0`; `!`, `,`, parentheses, `|`, `}`, `"`,
        backslashes and control characters become `_`. `cleaning` counts them.

        Raises InputError, which names row and column, for a value that a job cannot have, and for a column with the
        name of another field of jobs (`res`, `subtime`, `profile`, `extra_data`).

        >>> import batfill
        >>> table = {"submit": [0, 5], "processors": [2, 4], "run_time": [60, 30.5], "gpus": [1, 0]}
        >>> workload = batfill.Workload.from_dataframe(table, processors=4)
        >>> batfill.simulate(workload, 4, "fcfs").jobs["waiting_time"]
        array([ 0., 55.])
        """
        if walltimes not in ("enforced", "believed"):
            raise _core.UsageError(f"walltimes: expected 'enforced' or 'believed', found {shown(walltimes)}")
        if not isinstance(name, str):
            raise _core.UsageError(f"name: expected a text, found {shown(name)}")
        core, changed = from_table(table, _size_of_machine(processors), walltimes == "believed", name)
        noted = {"id that Batsim would misread: changed": changed} if changed else {}
        return cls(core, name, {"kept": len(core), "dropped": {}, "noted": noted} if changed else None)

    # ---- Looking at it

    def __len__(self) -> int:
        """The number of jobs."""
        return len(self._core)

    @property
    def processors(self) -> int:
        """The size of the machine that it is for."""
        return self._core.processors

    @property
    def jobs(self) -> Columns:
        """Columns id, submit, processors, walltime (NaN: none), run_time (NaN: not a delay), user, queue.

        Also, where jobs have them: deadline (NaN: none), licenses (tuples of names), and each field that batfill does
        not know, such as "gpus". A field of numbers is NaN where a job has none, any other is None there.

        Where jobs name amounts, also what they take of each host (`per_host_gpus`) and of pools (`pool_power`), NaN
        where a job does not name it; and `partition`, None where a job asks for none.
        """
        return self._jobs

    @functools.cached_property
    def _jobs(self) -> Columns:
        names = ["id", "submit", "processors", "walltime", "run_time", "user", "queue"]
        names += [name for name in ("deadline", "licenses") if self._core.has(name)]
        others = _fields_of(self._core.column("other_fields")) if self._core.has("other_fields") else {}
        amounts = self._core.amount_columns()
        others = {name: column for name, column in others.items() if name not in names and name not in amounts}

        def column(name: str) -> "numpy.typing.NDArray[Any]":
            if name in amounts:
                return self._core.amount_column(name)
            return others[name] if name in others else self._core.column(name)

        unlisted = {"deadline", "licenses"} - set(names) - set(others)
        return Columns([*names, *others, *amounts], len(self), column, sorted(unlisted))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_jobs"}

    @property
    def offered_load(self) -> float:
        """The work of all jobs, divided by what the machine can do from time 0 to the last submission.

        Run times count up to the walltime, also if walltimes are believed. `scale_load` follows other rules.
        """
        return self._core.offered_load()

    # ---- Making another of it

    def weeks(self, days: float = 7) -> list["Workload"]:
        """Splits it by submission into periods, each with times from its beginning, as `batfill compare --weeks` does.

        Keeps jobs that run into the next period: a workload does not say when jobs ran. `weeks_from_swf` drops them.
        Conditions on jobs of other periods (field `after`) hold.
        """
        periods = self._core.periods(days)
        return [Workload(core, f"{self.name}-week-{number}", self.cleaning) for number, core in periods]

    def scale_load(self, load: float) -> "Workload":
        """Scales the gaps between submissions so that the offered load is `load`, a share of the machine in 0.001..10.

        `load` is the load to reach, not a factor: 1.2 offers 20 % more than the machine can do. As the option `--load`
        of `batfill swf`, it counts from the first submission to the last, only jobs that fit on the machine, and whole
        run times if walltimes are believed.
        """
        return Workload(self._core.scaled(load), self.name, self.cleaning)

    def save(self, path: AnyPath, format: Literal["batsim4", "batsim5"] = "batsim4") -> None:
        """Writes it as a workload of Batsim, gzipped if the name ends in .gz. The file appears whole or not at all.

        Raises InputError, in the format batsim4, for an id that Batsim 4 cannot load.
        """
        self._core.save(path_text(path), format)

    def __repr__(self) -> str:
        return f"<Workload {self.name}: {len(self)} jobs for {self.processors} processors>"

    def _repr_html_(self) -> str:
        submit = self.jobs["submit"]
        rows = [("jobs", str(len(self))), ("processors", str(self.processors))]
        if len(self) == 0:
            return _notebook.table(rows, ["", self.name])
        first, last = float(submit.min()), float(submit.max())
        rows += [("days", f"{(last - first) / 86400:.6g}"), ("offered load", f"{self._core.offered_load():.6g}")]
        counts = numpy.histogram(submit, 60, (first, max(last, first + 1)))[0]
        return _notebook.table(rows, ["", self.name]) + _notebook.bars(counts.tolist(), "jobs submitted over time")


def _size_of_machine(processors: Any) -> int | None:
    """A number of processors, or None. Raises UsageError."""
    if processors is None:
        return None
    number = whole_number(processors)
    if isinstance(processors, bool) or number is None or not 1 <= number <= _MOST_PROCESSORS:
        raise _core.UsageError(
            f"processors: expected a whole number in 1..{_MOST_PROCESSORS} or None, found {shown(processors)}"
        )
    return number


def _fields_of(texts: Iterable[str]) -> "dict[str, numpy.typing.NDArray[Any]]":
    """Columns of the fields that batfill does not know, by name; of each job there are the members of an object."""
    read: dict[str, dict[str, Any]] = {}  # many jobs have the same
    rows = []
    for text in texts:
        if text not in read:
            read[text] = json.loads(f"{{{text}}}")
        rows.append(read[text])
    names = {name: None for row in read.values() for name in row}
    return {name: _field([row.get(name) for row in rows]) for name in names}


def _field(values: list[Any]) -> "numpy.typing.NDArray[Any]":
    """Whole numbers, numbers with NaN where there is none, or objects."""
    kinds = {type(value) for value in values}
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values):
        return numpy.array(values, dtype=numpy.int64)
    if kinds == {bool}:
        return numpy.array(values, dtype=bool)
    if kinds - {type(None)} and kinds <= {int, float, type(None)}:
        return numpy.array([numpy.nan if value is None else float(value) for value in values])
    column = numpy.empty(len(values), dtype=object)
    column[:] = values
    return column
