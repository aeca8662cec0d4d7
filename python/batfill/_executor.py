"""Replays in other processes, by any executor of concurrent.futures.

What a replay needs (a workload, a machine, a scheduler in Python) is known by its hash. It goes with the first task
that needs it; a worker that lacks it says so, and gets the task again with it. So no file system is shared, and what a
worker has got is not sent to it again. Workers remember it from one call to the next.
"""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import importlib
import io
import itertools
import math
import os
import pickle
import platform
import queue
import secrets
import threading
import traceback
import types
import weakref
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Union

from . import _core
from ._arguments import shown

# How much a task replays, in jobs: many replays, so that a round trip costs little beside them, and as few as give all
# workers some. A job takes about a microsecond. Under a scheduler in Python it takes longer, and nobody knows how long.
_LEAST_WORK, _MOST_WORK = 10_000, 200_000
_FEWEST_TASKS = 64
_JOB_IN_PYTHON, _REPLAY_IN_PYTHON = 30, 5_000
_TRIES = 3  # of a task that is lost with its worker
_KEPT_BYTES = 1 << 29  # of parts in a worker, packed
_KEPT_SCENARIOS = 4

_Hash = str
# A replay, for a worker: the hashes of what it needs, that of its scheduler if that is in Python, the name of the
# scheduler, its algorithm and parameters, and its place in errors.
_Replay = tuple[tuple[_Hash, ...], Union[_Hash, None], str, str, list[tuple[str, str]], str]
Worker = tuple[str, int]  # its machine and process


# ---- What a worker does


class _Store:
    """What has been sent to this process, by hash. The parts of no task are forgotten while it runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: OrderedDict[_Hash, bytes] = OrderedDict()
        self._size = 0

    def add(self, parts: dict[_Hash, bytes]) -> None:
        """Keeps them, and forgets those that were not needed for the longest time if there is too much."""
        with self._lock:
            for name, part in parts.items():
                self._size += 0 if name in self._parts else len(part)
                self._parts[name] = part
            while self._size > _KEPT_BYTES and len(self._parts) > len(parts):
                self._size -= len(self._parts.popitem(last=False)[1])

    def get(self, name: _Hash) -> bytes | None:
        """The packed part, or None if it is not here."""
        with self._lock:
            if name in self._parts:
                self._parts.move_to_end(name)
            return self._parts.get(name)


_store = _Store()


class _Lacking(Exception):
    """The parts with these hashes are not here."""

    def __init__(self, names: list[_Hash]) -> None:
        super().__init__(names)
        self.names = names


def _unpacked(names: tuple[_Hash, ...]) -> list[bytes]:
    found = {name: _store.get(name) for name in names}
    lacking = [name for name, part in found.items() if part is None]
    if lacking:
        raise _Lacking(lacking)
    return [zlib.decompress(part) for part in found.values() if part is not None]


@functools.lru_cache(_KEPT_SCENARIOS)
def _scenario(names: tuple[_Hash, ...]) -> "_core.PreparedScenario":
    return _core.PreparedScenario(_unpacked(names))


@functools.lru_cache(_KEPT_SCENARIOS)
def _scheduler(name: _Hash) -> Any:
    [packed] = _unpacked((name,))
    return pickle.loads(packed)


def _made(replay: _Replay, how: bytes) -> tuple[str, Any]:
    """What comes of a replay: "made" with its bytes, "lacks" with hashes, or "fails" with the exception."""
    parts, own, name, algorithm, parameters, place = replay
    try:
        missing = [part for part in (*parts, *([own] if own else [])) if _store.get(part) is None]
        if missing:
            return "lacks", missing
        scheduler = None if own is None else _scheduler(own)
        return "made", _core.replay(_scenario(parts), scheduler, name, algorithm, parameters, how, place)
    except _Lacking as problem:
        return "lacks", problem.names
    except BaseException as problem:  # pylint: disable=broad-exception-caught
        return "fails", _packed_exception(problem)


def work(build: str, token: str, message: bytes) -> tuple[Worker, Union[str, list[tuple[str, Any]]]]:
    """A task: makes replays in this process. Returns which build this is if it is not the expected one.

    `token` is another one in each task, for executors that remember what came of equal calls.
    """
    del token
    here = (platform.node(), os.getpid())
    if build != _core.build():
        return here, _core.build()
    how, replays, sent = pickle.loads(message)
    _store.add(sent)
    return here, [_made(replay, how) for replay in replays]


def _packed_exception(problem: BaseException) -> tuple[bytes | None, str, str]:
    """An exception, if it can be pickled; its text; and its traceback."""
    text = " ".join(f"{type(problem).__name__}: {problem}".split())
    try:
        packed = _dumps(problem)
        pickle.loads(packed)
    except Exception:  # pylint: disable=broad-exception-caught
        packed = None
    return packed, text, "".join(traceback.format_exception(problem))


class _InWorker(Exception):
    """Where an exception was raised, in a worker."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _exception(packed: bytes | None, text: str, where: str) -> BaseException:
    try:
        problem = None if packed is None else pickle.loads(packed)
    except Exception:  # pylint: disable=broad-exception-caught
        problem = None
    if not isinstance(problem, BaseException):
        problem = _core.Error(text)
    if not isinstance(problem, _core.Error):
        problem.__cause__ = _InWorker(where)
    return problem


# ---- How schedulers in Python travel


class _Pickler(pickle.Pickler):
    """Refuses what other processes would look for in a module __main__ of theirs."""

    def reducer_override(self, obj: Any) -> Any:
        """Called by pickle for each object but plain ones."""
        if isinstance(obj, (type, types.FunctionType)) and obj.__module__ == "__main__":
            raise pickle.PicklingError(f"{obj.__qualname__} was made in __main__, and cloudpickle is not installed")
        return NotImplemented


def _dumps(value: Any) -> bytes:
    try:
        cloudpickle = importlib.import_module("cloudpickle")
    except ImportError:
        file = io.BytesIO()
        _Pickler(file).dump(value)
        return file.getvalue()
    packed: bytes = cloudpickle.dumps(value)
    return packed


def _pickled(name: str, scheduler: Any) -> bytes:
    try:
        return _dumps(scheduler)
    except (pickle.PicklingError, TypeError, AttributeError) as problem:
        raise _core.UsageError(
            f"schedulers: {name} cannot be sent to a worker: {' '.join(str(problem).split())}"
        ) from problem


# ---- What the caller does


@dataclass
class _Task:
    """Some replays, by their places, and what goes with them."""

    replays: list[int]
    sent: set[_Hash] = field(default_factory=set)
    tries: int = 0
    has_bounced: bool = False  # it went without what a worker lacked, as that was on its way to this worker


# What went to the workers of an executor in earlier calls.
_sent_before: "weakref.WeakKeyDictionary[concurrent.futures.Executor, set[_Hash]]" = weakref.WeakKeyDictionary()


class _Call:
    """Replays for one call of compare() or campaign()."""

    def __init__(self, executor: concurrent.futures.Executor, own: dict[str, Any], asked: "_core.Elsewhere") -> None:
        self._executor = executor
        self._asked = asked
        self._how = asked.how
        self._tasks = asked.tasks()
        self._own = own
        self._known = _sent_before.setdefault(executor, set())
        self._hashes: dict[Union[int, str], _Hash] = {}  # of parts, and of schedulers in Python
        self._makers: dict[_Hash, Callable[[], bytes]] = {}
        self._unsent: dict[_Hash, bytes] = {}  # compressed parts that go with the next task
        self._asking: dict[_Hash, set[Worker]] = {}  # workers that have lacked a part
        self._running: dict["concurrent.futures.Future[Any]", _Task] = {}
        self._done: "queue.SimpleQueue[concurrent.futures.Future[Any]]" = queue.SimpleQueue()
        self._problem: tuple[int, BaseException] | None = None  # that of the first replay that fails

    def run(self) -> None:
        """Makes all replays. Raises the exception of the first one that ends the call."""
        try:
            for replays in self._batches():
                self._submit(_Task(replays))
            while self._running:
                future = self._done.get()
                task = self._running.pop(future, None)
                if task is not None:
                    self._collect(future, task)
        finally:
            for future in list(self._running):
                future.cancel()
        if self._problem is not None:
            raise self._problem[1]

    def _batches(self) -> Iterator[list[int]]:
        """The replays in order, in tasks of about the same work. Those of a workload stay together, if they are few."""
        work_of = [
            _REPLAY_IN_PYTHON + jobs * _JOB_IN_PYTHON if own else jobs for _, jobs, *_, own, _ in self._tasks
        ]
        most = min(max(sum(work_of) / _FEWEST_TASKS, _LEAST_WORK), _MOST_WORK)
        batch: list[int] = []
        room = most
        for _, same in itertools.groupby(range(len(self._tasks)), lambda number: self._tasks[number][0]):
            numbers = list(same)
            work_of_all = sum(work_of[number] for number in numbers)
            share = work_of_all / math.ceil(work_of_all / most) if work_of_all > 0 else 0
            if batch and room < min(work_of_all, share):
                yield batch
                batch, room = [], most
            for number in numbers:
                if batch and (room < work_of[number] / 2 or (work_of_all > most and most - room >= share)):
                    yield batch
                    batch, room = [], most
                batch.append(number)
                room -= work_of[number]
        if batch:
            yield batch

    def _hash(self, key: Union[int, str], make: Callable[[], bytes]) -> _Hash:
        if key not in self._hashes:
            part = make()
            name = hashlib.sha256(part).hexdigest()
            self._hashes[key] = name
            self._makers.setdefault(name, make)
            if name not in self._known:
                self._unsent[name] = _compressed(part)
        return self._hashes[key]

    def _replay(self, number: int) -> _Replay:
        parts, _, name, algorithm, parameters, key, place = self._tasks[number]
        hashes = tuple(self._hash(part, functools.partial(self._asked.packed, part)) for part in parts)
        own = self._hash(key, functools.partial(_pickled, name, self._own[key])) if key else None
        return hashes, own, name, algorithm, parameters, place

    def _submit(self, task: _Task) -> None:
        replays = [self._replay(number) for number in task.replays]
        names = {name for parts, own, *_ in replays for name in (*parts, *([own] if own else []))}
        task.sent |= names - self._known
        self._known |= names
        sent = {name: self._unsent.pop(name, b"") or _compressed(self._makers[name]()) for name in sorted(task.sent)}
        message = pickle.dumps((self._how, replays, sent), protocol=pickle.HIGHEST_PROTOCOL)
        try:
            future = self._executor.submit(work, _core.build(), secrets.token_hex(), message)
        except Exception as problem:  # it is shut down, closed or broken
            raise _failed(problem) from problem
        self._running[future] = task
        future.add_done_callback(self._done.put)

    def _collect(self, future: "concurrent.futures.Future[Any]", task: _Task) -> None:
        try:
            worker, made = future.result()
        except concurrent.futures.BrokenExecutor as problem:
            raise _failed(problem) from problem
        except (Exception, concurrent.futures.CancelledError) as problem:  # pylint: disable=broad-exception-caught
            task.tries += 1
            if task.tries == _TRIES:
                raise _failed(problem) from problem
            self._submit(task)
            return
        if isinstance(made, str):
            raise _core.UsageError(
                f"executor: the worker {worker[1]} on {worker[0]} has batfill {made}, expected {_core.build()}"
            )
        lacking: set[_Hash] = set()
        again: list[int] = []
        for number, (word, found) in zip(task.replays, made):
            if word == "made":
                self._asked.take(number, found)
            elif word == "lacks":
                lacking.update(found)
                again.append(number)
            else:
                self._note_failure(number, _exception(*found))
        if again:
            self._submit_again(worker, _Task(again, has_bounced=task.has_bounced), lacking)

    def _submit_again(self, worker: Worker, task: _Task, lacking: set[_Hash]) -> None:
        """Submits with what the worker lacks, unless that is on its way to this worker with another task."""
        for name in lacking:
            asking = self._asking.setdefault(name, set())
            if worker not in asking or task.has_bounced:
                asking.add(worker)
                task.sent.add(name)
        task.has_bounced = not task.sent
        self._submit(task)

    def _note_failure(self, number: int, problem: BaseException) -> None:
        is_recorded = self._asked.fail(number, str(problem))
        is_own = self._tasks[number][5] != ""  # then it may be an exception of the user's code
        if is_recorded and (isinstance(problem, _core.InputError) or not is_own):
            return
        if self._problem is None or number < self._problem[0]:
            self._problem = (number, problem)
        if not is_recorded:
            # As with threads, the first failure counts: no later replay is needed any more.
            first = self._problem[0]
            for future, task in list(self._running.items()):
                if task.replays[0] > first:
                    del self._running[future]
                    future.cancel()


def _compressed(part: bytes) -> bytes:
    return zlib.compress(part, 1)


def _failed(problem: BaseException) -> _core.Error:
    text = " ".join(str(problem).split())
    return _core.Error(f"executor: {type(problem).__name__}{': ' if text else ''}{text}")


def elsewhere(executor: Any, threads: Any, own: dict[str, Any]) -> "Callable[[_core.Elsewhere], None] | None":
    """What makes the replays of a call by this executor; None without one. `own` has the schedulers in Python, by the
    names that the tasks have for them.

    Raises UsageError for what is no executor, and beside `threads`.
    """
    if executor is None:
        return None
    if not isinstance(executor, concurrent.futures.Executor):
        raise _core.UsageError(f"executor: expected one of concurrent.futures, found {shown(executor)}")
    if threads is not None:
        raise _core.UsageError("executor: expected it without threads; its workers replay")
    return lambda asked: _Call(executor, own, asked).run()
