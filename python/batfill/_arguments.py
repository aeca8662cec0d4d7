"""Arguments of any kind: paths, numbers, and errors that say what was expected."""

from __future__ import annotations

import json
import operator
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex, TypeGuard, TypeVar, Union

import numpy

from . import _core

_Made = TypeVar("_Made")

AnyPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def shown(value: Any) -> str:
    """A value on the one line of an error."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # pylint: disable=broad-exception-caught
        text = ""
    return text if 0 < len(text) <= 200 else f"a value of type {type(value).__name__}"


def is_path(value: Any) -> TypeGuard[AnyPath]:
    """Whether it is of a kind that paths have."""
    return isinstance(value, (str, bytes, os.PathLike))


def path_text(path: Any, name: str = "path", what: str = "a path") -> str:
    """A path as a str, with surrogates for bytes that are not UTF-8. Raises ValueError for a zero byte, as open().

    Raises UsageError for what is no path, and for an empty one, which is no file.
    """
    text = os.fsdecode(path) if is_path(path) else ""
    if not text:
        raise _core.UsageError(f"{name}: expected {what}, found {shown(path)}")
    if "\0" in text:
        raise ValueError("embedded null byte")
    return text


def path_texts(paths: Union[AnyPath, Iterable[AnyPath]], name: str) -> list[str]:
    """One path or several."""
    if is_path(paths):
        return [path_text(paths, name)]
    if not isinstance(paths, Iterable):
        raise _core.UsageError(f"{name}: expected a path or a list of paths, found {shown(paths)}")
    return [path_text(path, name) for path in paths]


# Conversions that are written in Python are theirs.
_CONVERTING = frozenset({*sys.stdlib_module_names, "batfill", "numpy", "pandas"})


def is_refusal(problem: BaseException) -> bool:
    """Whether a conversion has raised it, and not code that the value brings along, such as the user's __index__()."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "batfill" if trace is None else str(trace.tb_frame.f_globals.get("__name__"))
    return module.partition(".")[0] in _CONVERTING


def converted(convert: Callable[..., _Made], value: Any) -> _Made | None:
    """What `convert` makes of a value, or None if it refuses the value.

    An exception of code that the value brings along reaches the caller.
    """
    try:
        return convert(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as problem:
        if not is_refusal(problem):
            raise
    return None


def whole_number(value: Any) -> int | None:
    """A whole number, also one of NumPy; None for another value."""
    return converted(operator.index, value)


def _plain(value: Any) -> Any:
    """A number of NumPy or of a class with __index__(), or an array, as JSON knows it."""
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        return value.tolist()
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    raise TypeError


def json_text(value: Any) -> str | None:
    """A value as JSON, or None for one that JSON does not know."""
    return converted(
        lambda one: json.dumps(one, separators=(",", ":"), allow_nan=False, default=_plain), value
    )


def threads_of(threads: Any) -> int:
    """A number of threads; 0 for as many as there are cores. Raises UsageError."""
    number = 0 if threads is None else whole_number(threads)
    if number is None or not 0 <= number < 2**31:
        raise _core.UsageError(f"threads: expected a whole number from 0 or None, found {shown(threads)}")
    return number


def utf8(text: str) -> str:
    """A text that UTF-8 can have: with escapes for lone surrogates, as os.fsdecode() makes them."""
    return text.encode("utf-8", "backslashreplace").decode()


def checked_progress(progress: Callable[[int, int], object] | None) -> Callable[[int, int], object] | None:
    """The function, or None. Raises UsageError for anything else."""
    if progress is not None and not callable(progress):
        raise _core.UsageError(f"progress: expected a function of two numbers, found {shown(progress)}")
    return progress
