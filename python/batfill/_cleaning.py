"""What a conversion of a log takes as keywords: .ci/options.py writes it from the declarations."""

from __future__ import annotations

from typing import Literal, TypedDict, Union

Seconds = Union[float, str]  # a number, or a text with a unit such as "90d"


class Cleaning(TypedDict, total=False):
    """The options of `batfill swf` and `batfill import`; docs/workloads.md explains each."""

    exclude_queue: Union[list[int], list[str]]
    queue_names: dict[int, str]
    partition: list[int]
    exclude_status: list[int]
    time_zone: str
    since: Seconds
    until: Seconds
    short_estimates: Literal["cut", "raise", "drop", "believe"]
    drop_longer_than_estimate: bool
    estimates: Union[Literal["log", "exact", "modal"], float, str]
    missing_walltime: Union[Literal["exact", "omit", "drop"], Seconds]
    keep_zero_run_times: bool
    size: Literal["requested", "allocated"]
    keep_unallocated: bool
    unit: int
    processors: int
    max_processors: int
    load: float
    shift: bool
    machine: str
    equal_rows: Literal["drop", "keep"]
    queue: list[str]
