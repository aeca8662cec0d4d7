#!/usr/bin/env python3
"""wrench_peer.py [--all] BATFILL DATA

Lets `batfill batsched` serve a peer that speaks as WRENCH does and checks every answer: DATA/wrench/peer.py plays
random jobs by seed, and sends conversations that WRENCH had with batsched (DATA/wrench/conversations). Each of them is
to be answered as batsched answered it, unless the table PARTS says otherwise. Without --all, some seeds only.

Prints a line for each run, and fails if one of them does. Ends with status 77 if something is missing: DATA, or a
Python with pyzmq (this one, the one that BATFILL_ZMQ_PYTHON names, or Debian's).
"""
import argparse
import gzip
import os
import random
import re
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, NamedTuple

SKIPPED = 77
SECONDS = 300  # that a run may take
WORKERS = 8    # runs at once; each waits most of the time, as WRENCH waits a second for its scheduler

VARIANTS = ("conservative_bf", "fast_conservative_bf", "easy_bf", "easy_bf_fast", "fcfs_fast", "filler")
ORDERS = ("lcfs", "desc_bounded_slowdown", "desc_slowdown", "asc_size", "desc_size", "asc_walltime", "desc_walltime")

# Conversations that go on in another way: after how many messages at the earliest, and why (docs/serve.md).
PARTS = {
    "TerminateStandardJobsTest-1": (5, "batsched starts a job that a user has ended"),
}


class Result(NamedTuple):
    """What came of a run."""

    name: str
    text: str
    holds: bool


class Ports:
    """Ports for runs at the same time. They are below those that the system gives to connections."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = random.randrange(20000, 30000)

    def take(self) -> int:
        """A port that is free, as is the next one."""
        with self._lock:
            while True:
                self._next = self._next + 2 if self._next < 32000 else 20000
                if all(self._is_free(port) for port in (self._next, self._next + 1)):
                    return self._next

    @staticmethod
    def _is_free(port: int) -> bool:
        with socket.socket() as one:
            try:
                one.bind(("", port))
            except OSError:
                return False
            return True


def python_with_zmq() -> str | None:
    """The first of the interpreters that has pyzmq."""
    for python in (os.environ.get("BATFILL_ZMQ_PYTHON", ""), sys.executable, "/usr/bin/python3"):
        if python and Path(python).exists() and subprocess.run([python, "-c", "import zmq"], check=False,
                                                               stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


class Peer:
    """DATA/wrench/peer.py, in front of `batfill batsched`."""

    def __init__(self, python: str, peer: Path, batfill: str) -> None:
        self._start = [python, str(peer)]
        self._scheduler = [batfill, "batsched"]
        self._ports = Ports()

    def _run(self, *arguments: str) -> tuple[int, list[str]]:
        command = [*self._start, "--port", str(self._ports.take()), *arguments, *self._scheduler]
        try:
            run = subprocess.run(command, check=False, text=True, timeout=SECONDS, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return 1, [f"not done after {SECONDS} s"]
        return run.returncode, run.stdout.splitlines() or ["said nothing"]

    def play(self, *arguments: str) -> Result:
        """Random jobs."""
        status, lines = self._run(*arguments)
        return Result(" ".join(arguments), lines[-1], status == 0)

    def replay(self, conversation: Path) -> Result:
        """A recorded conversation."""
        name = conversation.name.removesuffix(".jsonl.gz")
        status, lines = self._run("--replay", str(conversation))
        same = re.match(r"(\d+) of (\d+) messages the same.*, (\d+) differ", lines[0])
        if same is None:
            return Result(name, lines[-1], False)
        messages, all_messages, other_answers = map(int, same.groups())
        if name in PARTS:
            at_least, why = PARTS[name]
            return Result(name, f"{lines[0]} ({why})", messages >= at_least and len(lines) == 1)
        is_complete = messages == all_messages and other_answers == 0
        # In one of the tests WRENCH does not say that the simulation ends.
        ends = status == 0 or (not says_end(conversation) and "still there" in lines[-1])
        return Result(name, lines[0] if is_complete and ends else " / ".join(lines), is_complete and ends)


def says_end(conversation: Path) -> bool:
    """Whether the simulation ends in a conversation."""
    with gzip.open(conversation, "rt", encoding="utf-8") as file:
        return "SIMULATION_ENDS" in file.read()


def runs_of(peer: Peer, conversations: list[Path], has_all: bool) -> list[Callable[[], Result]]:
    """Those that take longest come first."""
    runs: list[list[str]] = []
    if has_all:
        runs += [["--variant", variant, "--nap", "6", "--jobs", "60"] for variant in ("conservative_bf", "easy_bf")]
        for seed in range(1, 11):
            for variant in VARIANTS:
                runs += [["--variant", variant, "--seed", str(seed)],
                         ["--variant", variant, "--seed", str(seed), "--ends-early"]]
        runs += [["--variant", variant, "--order", order] for variant in ("conservative_bf", "easy_bf", "filler")
                 for order in ORDERS]
    else:
        for variant in VARIANTS:
            runs += [["--variant", variant, "--seed", "1"], ["--variant", variant, "--seed", "2", "--ends-early"]]
        runs += [["--variant", "conservative_bf", "--order", "asc_size"]]
    played = [lambda arguments=run: peer.play(*arguments) for run in runs]
    by_size = sorted(conversations, key=lambda path: -path.stat().st_size)
    return [*(lambda path=path: peer.replay(path) for path in by_size), *played]


def main() -> int:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("batfill")
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    data = options.data / "wrench"
    conversations = sorted((data / "conversations").glob("*.jsonl.gz"))
    python = python_with_zmq()
    for lacking, what in ((not (data / "peer.py").exists() or not conversations, f"wrench in {options.data}"),
                          (python is None, "a Python with pyzmq")):
        if lacking:
            print(f"[skipped] End to end: peers of WRENCH: needs {what}")
            return SKIPPED
    peer = Peer(str(python), data / "peer.py", options.batfill)
    failed = 0
    with ThreadPoolExecutor(WORKERS) as pool:
        runs = runs_of(peer, conversations, options.all)
        for result in pool.map(lambda run: run(), runs):
            print(f"{'ok    ' if result.holds else 'failed'} {result.name}: {result.text}", flush=True)
            failed += 0 if result.holds else 1
    print(f"{len(runs) - failed} of {len(runs)} runs with peers of WRENCH are as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
