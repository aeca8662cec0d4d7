"""Arguments of any kind: paths, and errors that say what was expected."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeGuard, Union

from . import _core

if TYPE_CHECKING:
    from collections.abc import Callable

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


def path_text(path: Any, name: str = "path") -> str:
    """A path as a str, with surrogates for bytes that are not UTF-8. Raises ValueError for a zero byte, as open()."""
    if not is_path(path):
        raise _core.UsageError(f"{name}: expected a path, found {shown(path)}")
    text = os.fsdecode(path)
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


def utf8(text: str) -> str:
    """A text that UTF-8 can have: with escapes for lone surrogates, as os.fsdecode() makes them."""
    return text.encode("utf-8", "backslashreplace").decode()


def checked_progress(progress: "Callable[[int, int], object] | None") -> "Callable[[int, int], object] | None":
    """The function, or None. Raises UsageError for anything else."""
    if progress is not None and not callable(progress):
        raise _core.UsageError(f"progress: expected a function of two numbers, found {shown(progress)}")
    return progress
