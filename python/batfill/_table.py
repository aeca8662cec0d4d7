"""Workloads of tables: what rows may have, and the errors about what they may not."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy

from . import _core
from ._arguments import converted, is_refusal, json_text, shown, utf8

# Columns that from_dataframe() reads; it keeps others as fields of the jobs.
_OWN_COLUMNS = ("id", "submit", "processors", "walltime", "run_time", "user", "queue", "deadline", "licenses")


def _fail(label: str, name: str, value: Any, expected: str) -> _core.InputError:
    return _core.InputError(f"row {label}: {name} is {value!r}, expected {expected}")


def _is_missing(value: Any) -> bool:
    """Whether it is None, NaN, or pandas.NA or NaT."""
    return value is None or (not isinstance(value, str) and str(value) in ("nan", "<NA>", "NaT"))


def _plain(value: Any) -> Any:
    """A value as JSON knows it: that of a NumPy scalar or a small array; dates and lengths of time as texts."""
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, numpy.datetime64):
        return str(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (datetime.timedelta, numpy.timedelta64)):
        return _length(value)
    return value.item() if hasattr(value, "item") else value


def _text(value: Any, name: str, label: str) -> str:
    """A value as text. Empty for a missing one."""
    if _is_missing(value):
        return ""
    plain = _plain(value)
    if not isinstance(plain, (str, int, float)) or (isinstance(plain, float) and not math.isfinite(plain)):
        raise _fail(label, name, value, "a text or a number")
    return utf8(str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain))


def _ids(column: Iterable[Any], labels: list[str]) -> list[str]:
    ids = []
    for value, label in zip(column, labels):
        if _is_missing(value) or value == "":
            raise _core.InputError(f"row {label}: the id is {value!r}, expected a text or a number")
        ids.append(_text(value, "the id", label))
    return ids


def _licenses(column: list[Any], labels: list[str]) -> list[list[str]]:
    """The licences of each row: a list of names, or a text with commas between names."""
    rows = []
    for value, label in zip(column, labels):
        value = value.tolist() if isinstance(value, numpy.ndarray) else value
        names = [] if _is_missing(value) else value.split(",") if isinstance(value, str) else value
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
            raise _fail(label, "licenses", value, "a list of names or a text such as 'matlab,abaqus'")
        rows.append([utf8(name.strip()) for name in names if name.strip()])
    return rows


def _numbers(column: list[Any], name: str, labels: list[str], missing: float | None) -> Any:
    values = numpy.empty(len(column))
    for row, value in enumerate(column):
        if _is_missing(value) and missing is not None:
            values[row] = missing
            continue
        number = converted(float, value)
        if number is None:
            raise _fail(labels[row], name, value, "a number")
        values[row] = number
    return values


def _length(value: Any) -> float:
    """The seconds of a timedelta."""
    if isinstance(value, numpy.timedelta64):
        return float(value / numpy.timedelta64(1, "us")) / 1e6
    return float(value / datetime.timedelta(microseconds=1)) / 1e6


def _lengths(column: list[Any], name: str, labels: list[str], missing: float | None) -> Any:
    """Lengths of time in seconds: numbers, timedelta, or texts as `import` reads them."""
    read: dict[str, float | None] = {}
    numbers = list(column)
    for row, value in enumerate(column):
        if isinstance(value, (datetime.timedelta, numpy.timedelta64)) and not _is_missing(value):
            numbers[row] = _length(value)
        elif isinstance(value, str):
            if value not in read:
                try:
                    read[value] = _core.length_of(name, utf8(value))
                except _core.InputError:
                    raise _fail(labels[row], name, value, "a length of time such as 90, '1h' or '1-12:00:00'") from None
            numbers[row] = read[value]
    return _numbers(numbers, name, labels, missing)


def _microseconds(value: Any, name: str) -> int | None:
    """Microseconds since 1970 of a date and time; None for a value that is none."""
    epoch = datetime.datetime(1970, 1, 1)
    if isinstance(value, numpy.datetime64):
        return int(value.astype("datetime64[us]").astype(numpy.int64))
    if isinstance(value, datetime.datetime):
        # In UTC, because the difference of two instants of one zone is that of their clocks.
        utc = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return (utc - epoch) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (datetime.datetime(value.year, value.month, value.day) - epoch) // datetime.timedelta(microseconds=1)
    if isinstance(value, str) and converted(float, value) is None:
        return _core.instant_of(name, utf8(value))
    return None


_DAY = 86_400_000_000  # microseconds
_OFFSET = re.compile(r"(Z|UTC|[+-]\d{1,4}(:\d{1,2})?)\s*$")  # at the end of a text that `import` reads


def _has_zone(value: Any) -> bool:
    """Whether a date and time says its time zone or offset."""
    if isinstance(value, str):
        return _OFFSET.search(value, len("2024-03-01")) is not None
    return isinstance(value, datetime.datetime) and value.tzinfo is not None


def _instants(columns: dict[str, list[Any]], labels: list[str]) -> "tuple[Any, Any]":
    """The columns submit and deadline in seconds, from the midnight before the first submission if they are dates."""
    dates: dict[str, list[int | None]] = {"submit": [], "deadline": []}
    numbers = {"submit": columns["submit"], "deadline": columns.get("deadline", [None] * len(labels))}
    for name, column in numbers.items():
        for label, value in zip(labels, column):
            try:
                dates[name].append(None if _is_missing(value) else _microseconds(value, name))
            except (_core.InputError, OverflowError) as problem:
                if not is_refusal(problem):
                    raise
                raise _fail(label, name, value, "a number of seconds, or a date and time") from None
    known = [number for number in dates["submit"] if number is not None]
    if known:
        zero = min(known) // _DAY * _DAY  # midnight in UTC, as in `import`
        clocks: set[bool] = set()
        for name, column in numbers.items():
            for row, (value, date) in enumerate(zip(column, dates[name])):
                if date is None and not (_is_missing(value) and name == "deadline"):
                    raise _fail(labels[row], name, value, "a date and time, as other rows have")
                clocks.update([] if date is None else [_has_zone(value)])
                if len(clocks) > 1:
                    raise _fail(labels[row], name, value, "a date and time with a time zone in all rows or in none")
            numbers[name] = [None if date is None else (date - zero) / 1e6 for date in dates[name]]
    elif any(date is not None for date in dates["deadline"]):
        row = next(row for row, date in enumerate(dates["deadline"]) if date is not None)
        raise _fail(labels[row], "deadline", numbers["deadline"][row], "a number of seconds, as submit has")
    return (_numbers(numbers["submit"], "submit", labels, None),
            _numbers(numbers["deadline"], "deadline", labels, float("nan")))


def _is_whole_text(text: str) -> bool:
    """Whether JSON has no half of a character that is no half of a pair."""
    if "\\ud" not in text:
        return True
    return converted(lambda one: json.dumps(json.loads(one), ensure_ascii=False).encode(), text) is not None


def _others(columns: dict[str, list[Any]], labels: list[str]) -> list[str]:
    """For each row, the members of a JSON object."""
    rows = []
    for row, label in enumerate(labels):
        members = []
        for name, column in columns.items():
            value = _plain(column[row])
            if isinstance(value, (list, tuple, dict)) or not _is_missing(value):
                text = json_text(value)
                if text is None or not _is_whole_text(text):
                    raise _fail(label, name, column[row], "a value that JSON knows")
                members.append(f"{json.dumps(utf8(name))}:{text}")
        rows.append(",".join(members))
    return rows


def _amount(value: Any, name: str, label: str) -> int:
    """A whole number from 0."""
    plain = _plain(value)
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)  # a column with missing values has no other numbers
    if isinstance(plain, bool) or not isinstance(plain, int) or plain < 0:
        raise _fail(label, name, value, "a whole number from 0")
    return plain


def _needs(others: dict[str, list[Any]], labels: list[str]) -> dict[str, list[Any]]:
    """The columns, with those of amounts, such as per_host_gpus and pool_power, in the fields per_host and pools."""
    result = dict(others)
    for prefix, field in (("per_host_", "per_host"), ("pool_", "pools")):
        columns = {key: result.pop(key) for key in others if key.startswith(prefix) and key != prefix}
        if not columns:
            continue
        merged: list[Any] = []
        for row, (label, before) in enumerate(zip(labels, others.get(field, [None] * len(labels)))):
            stated = {key: column[row] for key, column in columns.items() if not _is_missing(column[row])}
            if not stated:
                merged.append(before)
                continue
            if not (_is_missing(before) or isinstance(before, dict)):
                raise _fail(label, field, before, "an object of names and whole numbers")
            amounts = dict(before) if isinstance(before, dict) else {}
            for key, value in stated.items():
                amount, name = _amount(value, key, label), key[len(prefix):]
                if amounts.setdefault(name, amount) != amount:
                    raise _fail(label, key, value, f"{amounts[name]}, as {field} says")
            merged.append(amounts)
        result[field] = merged
    return result


def _columns(table: Any) -> dict[str, list[Any]]:
    """The columns of a table by name: all that are needed, and none that a job cannot have."""
    if not hasattr(table, "keys") or not hasattr(table, "__getitem__"):
        raise _core.UsageError(f"table: expected a pandas.DataFrame or a dict of columns, found {shown(table)}")
    columns: dict[str, list[Any]] = {}
    for key in table.keys():
        column = table[key]
        if str(key) in columns or getattr(column, "ndim", 1) == 2:
            raise _core.InputError(f"expected one column {str(key)!r}, found several")
        if isinstance(column, (str, bytes)) or not hasattr(column, "__iter__"):
            raise _core.InputError(f"column {str(key)!r}: expected a list or an array, found {shown(column)}")
        columns[str(key)] = list(column)
    for needed in ("submit", "processors", "run_time"):
        if needed not in columns:
            raise _core.InputError(f"expected a column {needed!r}, found {', '.join(columns) or 'no column'}")
    rows = len(columns["submit"])
    for key, column in columns.items():
        if len(column) != rows:
            raise _core.InputError(f"column {key!r} has {len(column)} rows, expected {rows} as in 'submit'")
        if key not in _OWN_COLUMNS and _core.is_field_of_jobs(utf8(key)):
            raise _core.InputError(
                f"column {key!r}: jobs have a field {key} of their own, expected another name, or one of "
                f"{', '.join(_OWN_COLUMNS)}"
            )
    return columns


def from_table(table: Any, processors: int | None, believed: bool, name: str) -> "tuple[_core.Jobs, int]":
    """The workload of a table, and the number of ids that had to be changed."""
    columns = _columns(table)
    rows = len(columns["submit"])
    labels = [utf8(str(label)) for label in getattr(table, "index", range(rows))]
    others = _needs({key: column for key, column in columns.items() if key not in _OWN_COLUMNS}, labels)
    submit, deadline = _instants(columns, labels)
    run_time = _lengths(columns["run_time"], "run_time", labels, None)
    walltime = _lengths(columns["walltime"], "walltime", labels, float("nan")) if "walltime" in columns else run_time
    return _core.from_table(
        _ids(columns.get("id", range(1, rows + 1)), labels),
        submit,
        _numbers(columns["processors"], "processors", labels, None),
        walltime,
        run_time,
        deadline,
        [_text(value, "user", label) for value, label in zip(columns.get("user", []), labels)],
        [_text(value, "queue", label) for value, label in zip(columns.get("queue", []), labels)],
        _licenses(columns.get("licenses", []), labels),
        _others(others, labels) if others else [],
        labels,
        processors,
        believed,
        utf8(name),
    )
