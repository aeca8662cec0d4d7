"""The environment of RLScheduler again (Zhang, Dai, He, Bao, Xie, SC 2020), on batfill's engine.

docs/results/rlscheduler.md explains the rule of its program, by which its learned policy and heuristics were compared.
"""

from __future__ import annotations

import gzip
import math
import os
from typing import TYPE_CHECKING, Any, Literal

import numpy

from . import _core, gym
from ._arguments import AnyPath, is_path, path_text, shown
from ._learning import LEAST, episode_of, require_no_rendering, seed_of, truth, whole
from ._workload import Workload

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEEN = 128
FEATURES = 8
_LONGEST_WAIT = 12 * 3600
_ALMOST_1 = 1 - 1e-5
_FAILED_RUN = 10  # what a negative run time becomes
_LEAST = 0.1  # in logarithms and as a walltime, in place of what is not positive
_TINY = 1e-15  # what UNICEP adds, so that it divides by no 0

Policy = Literal["fcfs", "wfp3", "unicep", "sjf", "f1"]
_SCORES = ("bounded_slowdown", "wait", "turnaround", "utilisation", "slowdown")


class Log:
    """A log in the Standard Workload Format, as the program reads it: the jobs that ran, by number.

    A negative run time becomes 10 s. A job has the larger of its allocated and requested processors, in whole nodes.
    Without a requested time, it is the run time. Jobs may outlive it. Raises InputError for what is not a log.
    """

    def __init__(self, path: AnyPath) -> None:
        if not is_path(path):
            raise _core.UsageError(f"log: expected a path or a batfill.rlscheduler.Log, found {shown(path)}")
        name = path_text(path)
        fields, header = _read(name)
        with numpy.errstate(all="ignore"):
            self._prepare(fields, header)
        width = len(str(int(fields[:, 0].max())))
        self.workload = Workload.from_dataframe(
            {
                "id": [f"{int(number):0{width}}" for number in self.number],
                "submit": self.submit,
                "processors": self.nodes * self.processors_per_node,
                "walltime": numpy.where(self.requested_time > 0, self.requested_time, _LEAST),
                "run_time": self.run_time,
            },
            processors=self.max_nodes * self.processors_per_node,
            walltimes="believed",
            name=os.path.basename(name),
        )
        """The jobs that ran, for simulate()."""

    def _prepare(self, fields: NDArray[Any], header: dict[str, str]) -> None:
        longest = fields[:, 3].max()
        largest = {column: max(fields[:, column].max(), 1) for column in (9, 11, 12, 13)}
        fields = fields[fields[:, 3] != 0]
        fields = fields[numpy.argsort(fields[:, 0], kind="stable")]
        self.number, self.submit = fields[:, 0], fields[:, 1]
        if (numpy.diff(self.submit) < 0).any():
            raise _core.InputError("expected a log whose jobs are numbered in the order of submission")
        self.requested_time = numpy.where(fields[:, 8] == -1, fields[:, 3], fields[:, 8])
        self.run_time = numpy.where(fields[:, 3] < 0, _FAILED_RUN, fields[:, 3])
        self.processors = numpy.maximum(fields[:, 4], fields[:, 7])
        nodes, processors = header.get("MaxNodes", ""), header.get("MaxProcs", "")
        self.max_nodes = int(nodes) if nodes.isdigit() else 0
        self.max_processors = (int(processors) if processors.isdigit() else 0) or self.max_nodes
        if not 0 < self.max_nodes <= self.max_processors:
            raise _core.InputError("expected a log with MaxNodes in its header, at most MaxProcs")
        self.processors_per_node = self.max_processors // self.max_nodes
        self.nodes = numpy.ceil(self.processors / (self.max_processors / self.max_nodes))
        self.by_f1 = self.scores("f1")
        self.by_f2 = numpy.sqrt(self.requested_time) * self.processors + 25600 * numpy.log10(self.submit)
        # What does not change while a job waits; columns 0 and 7 do.
        self.features = numpy.zeros((len(fields), FEATURES))
        self.features[:, 1] = numpy.minimum(self.requested_time / longest, _ALMOST_1)
        self.features[:, 2] = numpy.minimum(self.processors / self.max_processors, _ALMOST_1)
        for feature, column in enumerate((9, 11, 12, 13), 3):
            value = numpy.minimum(fields[:, column] / largest[column], _ALMOST_1)
            self.features[:, feature] = numpy.where(fields[:, column] == -1, 1, value)

    def scores(self, policy: Policy) -> NDArray[numpy.float64]:
        """The score of each job under a heuristic; the smallest goes first. Shape (jobs).

        WFP3 and UNICEP see the wait `-1 - submit`: the program keeps the start of a waiting job as -1.
        """
        wait = -1 - self.submit
        found: dict[str, Any] = {"fcfs": self.submit, "sjf": self.requested_time}
        with numpy.errstate(all="ignore"):
            found["wfp3"] = -((wait / self.requested_time) ** 3) * self.processors
            found["unicep"] = -(wait + _TINY) / (numpy.log2(self.processors + _TINY) * self.requested_time)
            logarithms = numpy.log10(_positive(self.requested_time)), numpy.log10(_positive(self.submit))
            found["f1"] = logarithms[0] * self.processors + 870 * logarithms[1]
        if policy in found:
            scores: NDArray[numpy.float64] = found[policy]
            return scores
        raise _core.UsageError(f"policy: expected fcfs, wfp3, unicep, sjf or f1, found {policy!r}")


def _positive(values: NDArray[Any]) -> NDArray[Any]:
    return numpy.where(values > 0, values, _LEAST)


def _read(path: str) -> tuple[NDArray[Any], dict[str, str]]:
    """The numbers of all jobs, shape (jobs, 18), and the header."""
    Workload.from_swf(path)  # its errors name the line
    opened: Any = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", errors="replace") as lines:
        comments = [line[1:].partition(":") for line in lines if line.startswith(";")]
    return numpy.loadtxt(path, comments=";", ndmin=2), {name.strip(): value.strip() for name, _, value in comments}


class RLSchedulerEnv(gym._Base):  # type: ignore[misc,unused-ignore]
    """An episode is a sequence of consecutive jobs on an empty machine: a gymnasium.Env, if gymnasium is installed.

    Whenever no job is first and some wait, the agent picks one, which stays first until it starts
    (batfill.gym.PickEnv with `head="kept"`). An action is the place of a job among the seen ones: all waiting ones, or
    128 of them, in turn the next by requested time and the next by processors. `info["action_mask"]` tells which places
    hold a job. `invalid` is as in batfill.gym.PickEnv.

    Observation: 128 rows of 8 features, float64, flat; shape (1024).

    - 0: wait / 12 h, 1: requested time / longest run time of the log, 2: processors / those of the machine
    - 3 to 6: requested memory, user, group, executable, each divided by its largest; 1 if unknown
    - 7: 1 - 1e-5 if the job can start now, otherwise 1e-5

    All are at most 1 - 1e-5. The row of a place without a job is 0, 1, 1, 1, 1, 1, 1, 0.

    The reward comes with the last step: minus the mean `score` of all jobs, or the utilisation. Episodes are drawn by
    seed, others than those of the program; reset(options={"episode": 1981}) begins at that job, counted from 0.

    >>> import batfill.rlscheduler
    >>> env = batfill.rlscheduler.RLSchedulerEnv("lublin_256.swf", backfilling=True)  # doctest: +SKIP
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(
        self,
        log: "Log | AnyPath",
        *,
        jobs: int = 256,
        backfilling: bool = False,
        score: Literal["bounded_slowdown", "wait", "turnaround", "utilisation", "slowdown"] = "bounded_slowdown",
        invalid: Literal["first", "error"] = "first",
        seed: int | None = None,
        render_mode: None = None,
    ) -> None:
        require_no_rendering(render_mode)
        if not isinstance(score, str) or score not in _SCORES:
            raise _core.UsageError(f"score: expected one of {', '.join(_SCORES)}, found {shown(score)}")
        if not isinstance(invalid, str) or invalid not in ("first", "error"):
            raise _core.UsageError(f"invalid: expected first or error, found {shown(invalid)}")
        self._jobs, self._score = whole("jobs", jobs, 1, 10**6), score
        self.log = log if isinstance(log, Log) else Log(log)
        self._env = gym.PickEnv(
            self.log.workload,
            head="kept",
            backfilling="easy" if truth("backfilling", backfilling) else "none",
            queue=self._jobs,
            window=self._jobs,
            reward=score,
            reward_at_end=True,
            invalid="error",
            seed=seed,
        )
        self._takes_first = invalid == "first"
        self._invalid_actions = 0  # in this episode
        self._first = 0  # job of the episode
        self._order = self._seen = numpy.empty(0, numpy.int64)
        self._empty = numpy.array([0.0] + [1.0] * (FEATURES - 2) + [0.0])
        if gym._gymnasium is not None:
            self.observation_space = gym._gymnasium.spaces.Box(-1, 1, (SEEN * FEATURES,), numpy.float64)
            self.action_space = gym._gymnasium.spaces.Discrete(SEEN)

    @property
    def episodes(self) -> int:
        """The number of different episodes."""
        return self._env.episodes

    @property
    def starts(self) -> NDArray[numpy.float64]:
        """When the jobs of the ended episode started; seconds from the submission of the first."""
        return self._env.starts

    @property
    def now(self) -> float:
        """The time of the decision; seconds in the log. NaN if the episode has ended."""
        return self._env.now + float(self.log.submit[self._first])

    @property
    def idle(self) -> int:
        """The number of processors that jobs may use now. 0 if the episode has ended."""
        return self._env.idle

    @property
    def waiting(self) -> NDArray[numpy.int64]:
        """All waiting jobs by submission, as places in the log: for heuristics, which see more than the agent."""
        return self._env.seen + self._first

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[numpy.float64], dict[str, Any]]:
        """Begins an episode, of a draw or that of options={"episode": number}; returns observation and info."""
        episode_of(options)
        seed = seed_of(seed)
        if gym._gymnasium is not None:
            super().reset(seed=seed)
        _, info = self._env.reset(seed=seed, options=options)
        self._first = info["episode_number"]
        self._invalid_actions = 0
        self._order = self._order[:0]
        return self._observe()

    def step(self, action: Any) -> tuple[NDArray[numpy.float64], float, bool, bool, dict[str, Any]]:
        """Picks a job; returns observation, reward, whether the episode has ended, False, and info."""
        place = whole("action", action, LEAST)
        if len(self._seen) == 0:
            raise _core.UsageError("step: no episode is under way, call reset()")
        if not 0 <= place < len(self._seen):
            if self._takes_first:
                self._invalid_actions += 1
                return self.start(int(self._seen[0]))
            expected = f"0 to {len(self._seen) - 1}, as the action mask says"
            raise _core.UsageError(f"action: expected {expected}, found {place}")
        return self.start(int(self._seen[place]))

    def start(self, job: int) -> tuple[NDArray[numpy.float64], float, bool, bool, dict[str, Any]]:
        """Picks a waiting job by its place in the log, even if the agent does not see it."""
        waiting = self.waiting
        place = int(numpy.searchsorted(waiting, job))
        if len(waiting) > 0 and job not in waiting[place : place + 1]:
            raise _core.UsageError(f"job: expected a waiting one, found {shown(job)}")
        reward, ended = self._step(place)
        observation, info = self._observe()
        return observation, reward, ended, False, info

    def _step(self, place: int) -> tuple[float, bool]:
        _, reward, ended, _, _ = self._env.step(place)
        if ended and self._score == "utilisation":  # of what jobs request, not of whole nodes
            log, jobs = self.log, slice(self._first, self._first + self._jobs)
            area = float((log.run_time[jobs] * log.processors[jobs]).sum())
            reward = area / (float(self.starts.max()) * log.max_processors)
        return reward, ended

    def play(self, policy: Policy, episode: int) -> float:
        """Plays an episode under a heuristic of the program, and returns the reward."""
        scores = self.log.scores(policy)
        self._first = self._env.reset(options={"episode": episode})[1]["episode_number"]
        self._order = self._seen = self._order[:0]
        ended = False
        while not ended:
            reward, ended = self._step(int(numpy.argmin(scores[self.waiting])))
        return reward

    def _observe(self) -> tuple[NDArray[numpy.float64], dict[str, Any]]:
        seen = self._seen = self._see()
        observation = numpy.empty((SEEN, FEATURES))
        observation[: len(seen)] = self.log.features[seen]
        observation[len(seen) :] = self._empty
        if len(seen) > 0:
            waits = self.now - self.log.submit[seen]
            observation[: len(seen), 0] = numpy.minimum(waits / _LONGEST_WAIT, _ALMOST_1)
            fits = self.log.nodes[seen] * self.log.processors_per_node <= self.idle
            observation[: len(seen), 7] = numpy.where(fits, _ALMOST_1, 1e-5)
        info = {
            "action_mask": self._mask(), "episode_number": self._first, "invalid_actions": self._invalid_actions
        }
        return observation.reshape(-1), info

    def _mask(self) -> NDArray[numpy.bool_]:
        return numpy.arange(SEEN) < len(self._seen)

    def action_masks(self) -> NDArray[numpy.bool_]:
        """Which actions are possible now: `info["action_mask"]`, as MaskablePPO of sb3-contrib asks for it."""
        if math.isnan(self._env.now):  # raises UsageError before the first reset()
            return numpy.zeros(SEEN, numpy.bool_)
        return self._mask()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Raises TypeError: an episode under way cannot be copied."""
        return gym._refuse_copies(self)

    def _see(self) -> NDArray[numpy.int64]:
        """The jobs that the agent sees. Equal jobs keep the order in which the last step left them, as the program
        sorts one list again and again."""
        log, waiting = self.log, self.waiting
        stay = self._order[numpy.isin(self._order, waiting)]
        order = numpy.concatenate([stay, numpy.setdiff1d(waiting, stay)])
        order = order[numpy.argsort(log.submit[order], kind="stable")]
        if len(order) <= SEEN:
            self._order = order
            return order
        for keys in ((log.by_f1,), (log.by_f2,), (log.submit, log.requested_time), (log.submit, log.processors)):
            by_time, order = order, order[numpy.lexsort([key[order] for key in keys])]
        self._order = order
        return self._in_turn(by_time, order)

    @staticmethod
    def _in_turn(first: NDArray[numpy.int64], second: NDArray[numpy.int64]) -> NDArray[numpy.int64]:
        """The first jobs of both, in turn, each once."""
        both = numpy.stack([first[:SEEN], second[:SEEN]], axis=1).reshape(-1)
        _, places = numpy.unique(both, return_index=True)
        return both[numpy.sort(places)[:SEEN]]
