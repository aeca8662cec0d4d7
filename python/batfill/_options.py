"""Options of the commands, made of keywords."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy

from . import _core
from ._arguments import path_text, shown

# Options whose names are no keywords, or say less in a call.
_NAMES = {
    "since": "from", "days": "split", "mapping": "map", "lambda_": "lambda", "partition_limits": "partition-limit"
}

_FLAGS = ("shift", "nodes", "keep_zero_run_times", "keep_unallocated")


def arguments_of(keywords: Mapping[str, Any]) -> list[str]:
    """The arguments of a command: until="90d" is --until=90d, shift=True is --shift, unit=None is nothing.

    A list repeats the option; a dict becomes KEY=VALUE,KEY=VALUE. Raises UsageError for a value that is no flag's or
    only a flag's, and for an empty dict.
    """
    arguments = []
    for keyword, value in keywords.items():
        _require_kind(keyword, value)
        option = "--" + _NAMES.get(keyword, keyword.replace("_", "-"))
        if isinstance(value, (list, tuple, set, numpy.ndarray)):
            arguments += [f"{option}={text_of(one)}" for one in value]
        elif isinstance(value, Mapping):
            arguments.append(f"{option}=" + ",".join(f"{text_of(key)}={text_of(one)}" for key, one in value.items()))
        elif isinstance(value, (bool, numpy.bool_)):
            arguments += [option] if value else []
        elif value is not None:
            arguments.append(f"{option}={text_of(value)}")
    return arguments


def _require_kind(keyword: str, value: Any) -> None:
    is_truth = isinstance(value, (bool, numpy.bool_))
    if keyword in _FLAGS and not is_truth and value is not None:
        raise _core.UsageError(f"{keyword}: expected True or False, found {shown(value)}")
    if keyword not in _FLAGS and is_truth and value:
        raise _core.UsageError(f"{keyword}: expected a value, found {shown(value)}")
    if isinstance(value, Mapping) and not value:
        raise _core.UsageError(f"{keyword}: expected a dict with an entry, found {shown(value)}")


@contextmanager
def errors_in_keywords() -> Iterator[None]:
    """Errors about options become errors about the keywords that made them: `unit` for `--unit`, and no usage."""
    keywords = {option: keyword for keyword, option in _NAMES.items()}

    def keyword_of(option: "re.Match[str]") -> str:
        return keywords.get(option[1], option[1].replace("-", "_"))

    try:
        yield
    except _core.UsageError as problem:
        text = str(problem).partition(" (usage: ")[0]
        raise _core.UsageError(re.sub("--([a-z-]+)", keyword_of, text)) from None


def text_of(value: Any) -> str:
    """A value as commands read it: numbers in full, without an exponent."""
    if isinstance(value, (float, numpy.floating)):
        return str(numpy.format_float_positional(value, trim="-"))
    return path_text(value) if isinstance(value, (bytes, os.PathLike)) else str(value)
