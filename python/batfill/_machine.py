"""Machines as calls name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _core
from ._arguments import AnyPath, is_path, path_text, shown, utf8, whole_number

Platform = Union[int, AnyPath]
Amounts = Mapping[str, int]
Lines = Union[AnyPath, Iterable[Mapping[str, Any]]]
"""Windows or limits: a file, or the objects of its lines."""

A_PLATFORM = "a number of hosts, the name of a platform or a file"


def platform_text(platform: Platform) -> str:
    """A platform as the option --platform takes it."""
    if is_path(platform):
        return path_text(platform, "platform")
    return str(_whole(platform, f"platform: expected {A_PLATFORM}"))


def machine_of(
    platform: Platform | None,
    pools: Amounts | None = None,
    capacity: Amounts | None = None,
    windows: Lines | None = None,
    limits: Lines | None = None,
    master_host: str = "master_host",
) -> _core.Machine:
    """The machine of these keywords; without a platform it has as many hosts as the workload says."""
    if not isinstance(master_host, str):
        raise _core.UsageError(f"master_host: expected the name of a host, found {shown(master_host)}")
    each = _amounts(capacity, "capacity")
    return _core.Machine(
        None if platform is None else platform_text(platform),
        utf8(master_host),
        [f"{name}={amount}" for name, amount in _amounts(pools, "pools")],
        ",".join(f"{name}:{amount}" for name, amount in each) if each else None,
        *_file_or_lines(windows, "windows"),
        *_file_or_lines(limits, "limits"),
    )


def _file_or_lines(given: Any, what: str) -> tuple[str | None, list[dict[str, Any]]]:
    """A file, or the objects of its lines."""
    if given is None:
        return None, []
    if is_path(given):
        return path_text(given, what), []
    expected = f"{what}: expected a path or a list of dicts, found"
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise _core.UsageError(f"{expected} {shown(given)}")
    several = list(given)
    for one in several:
        if not isinstance(one, Mapping):
            raise _core.UsageError(f"{expected} {shown(one)} in it")
    return None, [dict(one) for one in several]


def _amounts(given: Amounts | None, what: str) -> list[tuple[str, int]]:
    if given is None:
        return []
    expected = f"{what}: expected a dict of whole numbers by name"
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise _core.UsageError(f"{expected}, found {shown(given)}")
    return [(utf8(name), _whole(amount, f"{expected}, found {shown(name)}:")) for name, amount in given.items()]


def _whole(value: object, expected: str) -> int:
    number = None if isinstance(value, bool) else whole_number(value)
    if number is None:
        raise _core.UsageError(f"{expected}{'' if expected.endswith(':') else ', found'} {shown(value)}")
    return number
