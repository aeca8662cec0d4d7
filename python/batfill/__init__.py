"""Replay HPC job logs under backfilling schedulers, measure and compare schedules, write schedulers in Python.

>>> import batfill
>>> workload = batfill.Workload.lublin(jobs=500, processors=64, seed=1, load=0.9)
>>> run = batfill.simulate(workload, 64, "easy", order="saf")
>>> run.check().violations
[]
>>> round(run.metrics()["utilisation"], 2)
0.71

All times are seconds. Errors are `batfill.Error` and its subclasses; their text is one line.
"""

from pathlib import Path as _Path

from . import _core
from ._campaign import CampaignResult, Tuned, campaign, merge_campaign, tune
from ._columns import Columns
from ._comparison import Comparison, compare
from ._core import (
    DecisionError,
    Ended,
    Error,
    Free,
    InputError,
    Profile,
    Reservation,
    Round,
    Running,
    UsageError,
    Waiting,
    Window,
)
from ._run import CheckReport, Explanation, Run, report, simulate
from ._scheduler import Scheduler, serve
from ._workload import Workload

__version__: str = _core.version
for _class in (Error, UsageError, InputError, DecisionError, Round, Waiting, Running, Ended, Reservation, Profile,
               Free, Window):
    _class.__module__ = "batfill"  # where users find it
_core.add_platform_folder(str(_Path(__file__).parent / "platforms"))

__all__ = [
    "CampaignResult",
    "CheckReport",
    "Columns",
    "Comparison",
    "DecisionError",
    "Ended",
    "Error",
    "Explanation",
    "Free",
    "InputError",
    "Profile",
    "Reservation",
    "Round",
    "Run",
    "Running",
    "Scheduler",
    "Tuned",
    "UsageError",
    "Waiting",
    "Window",
    "Workload",
    "__version__",
    "campaign",
    "compare",
    "merge_campaign",
    "report",
    "serve",
    "simulate",
    "tune",
]
