"""Runs the commands of one job of the workflow, and writes down what it ran."""
import csv
import gzip
import hashlib
import io
import json
import re
import resource
import shlex
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

from common.files import sha256, write_json
from common.job import JobError
from common.manifest import tool_versions
from common.tables import read_csv

# How long one side of a simulation may outlive the other: the daemon has answered the last message then, or never will.
GRACE_SECONDS = 60
POLL_SECONDS = 0.002


@dataclass
class Replay:
    """A replay that has ended: wall-clock seconds, processor seconds (user and system) of all its processes, and what
    the algorithm counted, if it counts."""

    wall_seconds: float
    processor_seconds: float
    statistics: dict[str, int]


class Workbench:
    """A temporary folder in which a job runs its commands.

    Inputs are links with short names there, so that the commands in the manifest are the very ones that ran and name no
    path of this machine. What is not kept with `keep` is gone at the end, whichever end it is. `engine` is `simulate`
    or Batsim's program.
    """

    def __init__(self, batfill: str, engine: str = "simulate") -> None:
        self._batfill = batfill
        self._engine = engine
        self._folder = tempfile.TemporaryDirectory(prefix="batfill-")
        self._commands: list[str] = []
        self._inputs = {"batfill": {"file": Path(batfill).name, "sha256": sha256(batfill)}}
        self._results: dict[str, str] = {}

    def __enter__(self) -> "Workbench":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def path(self, name: str) -> Path:
        """Where a file of the folder is."""
        return Path(self._folder.name) / name

    def link(self, name: str, file: str) -> None:
        """Makes an input known as `name` in the folder."""
        self.path(name).symlink_to(Path(file).resolve())
        shown = file if not Path(file).is_absolute() else Path(file).name
        self._inputs[name] = {"file": shown, "sha256": sha256(file)}

    def link_folder(self, name: str, folder: str) -> list[str]:
        """Makes a folder of inputs known as `name`; returns the names of its files, without hidden ones, in order."""
        self.path(name).symlink_to(Path(folder).resolve())
        files = sorted(file for file in Path(folder).iterdir() if not file.name.startswith("."))
        lines = "".join(f"{sha256(str(file))}  {file.name}\n" for file in files)
        self._inputs[name] = {"file": folder, "sha256": hashlib.sha256(lines.encode()).hexdigest()}
        return [f"{name}/{file.name}" for file in files]

    def link_unfinished(self, name: str, folder: str) -> None:
        """Makes a folder known as `name` that is still there when the job is broken off, for a command that goes on
        where it was."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.path(name).symlink_to(Path(folder).resolve())

    def run(self, *arguments: str) -> str:
        """Runs `batfill` with these arguments and returns what it printed; fails with that if the command does."""
        self._note("batfill", arguments)
        done = subprocess.run([self._batfill, *arguments], cwd=self._folder.name, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise _error(self._commands[-1], f"ended with status {done.returncode}", done.stdout + done.stderr)
        return done.stdout

    def run_json(self, *arguments: str) -> dict[str, Any]:
        """Runs `batfill` with these arguments and `--format json`; returns the object that it printed."""
        return json.loads(self.run(*arguments, "--format", "json"))

    def metrics(self, *arguments: str) -> dict[str, str]:
        """Runs `batfill metrics` with these arguments and returns what it printed of the one schedule among them."""
        [measured] = csv.DictReader(io.StringIO(self.run("metrics", *arguments, "--format", "csv")))
        return measured

    def replay(self, platform: str, workload: str, algorithm: str, parameters: Sequence[str], prefix: str,
               options: Sequence[str] = ()) -> Replay:
        """Replays a workload with the engine of the configuration and writes PREFIX_jobs.csv and PREFIX_schedule.csv.
        `options` are further ones that both engines have."""
        if self._engine == "simulate":
            return self.simulate(platform, workload, algorithm, parameters, prefix, options)
        endpoint = f"ipc://{prefix}.socket"
        wall, processor, outputs = self._run_together([
            ("batfill", ["serve", *_scheduler(algorithm, parameters), "-s", endpoint]),
            ("batsim", ["-q", "-p", platform, "-w", workload, "-e", prefix, "-s", endpoint,
                        "--disable-schedule-tracing", "--disable-machine-state-tracing", *options]),
        ])
        return Replay(wall, processor, _statistics_of_log(outputs[0]))

    def simulate(self, platform: str, workload: str, algorithm: str, parameters: Sequence[str], prefix: str,
                 options: Sequence[str] = ()) -> Replay:
        """The same with the embedded simulator, whatever the engine."""
        wall, processor, _ = self._run_together([
            ("batfill", ["simulate", "-q", "-p", platform, "-w", workload, "-e", prefix,
                         *_scheduler(algorithm, parameters), *options])])
        return Replay(wall, processor, _statistics_of_file(self.path(f"{prefix}_statistics.csv")))

    def audit(self, prefix: str, workload: str, platform: str, options: Sequence[str] = ()) -> None:
        """Fails if a schedule of the folder is not sound or breaks a guarantee that it does not list as broken; Batsim
        writes no guarantees. `options` are further ones of the check."""
        promised: list[str] = []
        for kind in ("guarantees", "broken-guarantees"):
            file = f"{prefix}_{kind.replace('-', '_')}.csv"
            if self.path(file).exists():
                promised += [f"--{kind}", file]
        self.run("check", f"{prefix}_jobs.csv", "-w", workload, "-p", platform, *promised, *options)

    def keep(self, name: str, file: str) -> None:
        """Makes a file of the folder a result; gzipped, the same bytes each time, if only `file` ends in .gz."""
        if file.endswith(".gz") and not name.endswith(".gz"):
            with open(self.path(name), "rb") as source, open(file, "wb") as target:
                with gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=0) as packed:
                    shutil.copyfileobj(source, packed)
        else:
            shutil.copyfile(self.path(name), file)
        self._results[Path(file).name] = sha256(file)

    def write_manifest(self, file: str) -> None:
        """Writes what ran, from what, with what: enough to repeat it by hand."""
        write_json(file, {
            **tool_versions(self._batfill, self._engine),
            "inputs": self._inputs, "commands": self._commands, "results": self._results,
        })

    def _start(self, program: str, arguments: Sequence[str]) -> "Process":
        self._note(program, arguments)
        output = self.path(f"{len(self._commands)}.log")
        executable = self._batfill if program == "batfill" else self._engine
        with open(output, "w", encoding="utf-8") as log:
            running = subprocess.Popen([executable, *arguments], cwd=self._folder.name, stdout=log, stderr=log)
        return Process(self._commands[-1], output, running)

    def _run_together(self, commands: Sequence[tuple[str, Sequence[str]]]) -> tuple[float, float, list[str]]:
        """Runs commands that talk to each other; if one fails or is left waiting, ends the others. Returns wall-clock
        seconds, processor seconds and what each command printed."""
        before = _processor_seconds_of_children()
        start = time.monotonic()
        processes: list[Process] = []
        try:
            for program, arguments in commands:
                processes.append(self._start(program, arguments))
            _wait_for_all(processes)
        finally:
            for process in processes:
                process.running.kill()
                process.running.wait()
        wall = time.monotonic() - start
        return wall, _processor_seconds_of_children() - before, [process.printed() for process in processes]

    def _note(self, program: str, arguments: Sequence[str]) -> None:
        self._commands.append(shlex.join([program, *arguments]))


@dataclass
class Process:
    """A command that runs, and where it writes to."""

    command: str
    output: Path
    running: subprocess.Popen[bytes]

    def printed(self) -> str:
        """What it has printed so far."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def error(self, what: str) -> JobError:
        """The error of a command that, in the words of `what`, did not do its part."""
        return _error(self.command, what, self.printed())


def _wait_for_all(processes: Sequence[Process]) -> None:
    """Returns when all have ended well. Fails if one does not, or is left waiting by the others."""
    grace_ends = None
    while True:
        states = [process.running.poll() for process in processes]
        for process, state in zip(processes, states):
            if state not in (None, 0):
                raise process.error(f"ended with status {state}")
            if state is None and grace_ends and time.monotonic() > grace_ends:
                raise process.error(f"was still there {GRACE_SECONDS} s after the other side")
        if None not in states:
            return
        if 0 in states and not grace_ends:
            grace_ends = time.monotonic() + GRACE_SECONDS
        time.sleep(POLL_SECONDS)


def _error(command: str, what: str, output: str) -> JobError:
    return JobError(f"`{command}` {what}\n{output[-2000:].rstrip()}")


def _scheduler(algorithm: str, parameters: Sequence[str]) -> list[str]:
    return ["-a", algorithm] + [word for parameter in parameters for word in ("-P", parameter)]


def _statistics_of_file(file: Path) -> dict[str, int]:
    return {row["statistic"]: int(row["value"]) for row in read_csv(str(file))} if file.exists() else {}


def _statistics_of_log(log: str) -> dict[str, int]:
    """The statistics that `batfill serve` prints as `statistics: name value, name value`."""
    line = re.search(r"statistics: (.*)", log)
    return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", line[1])} if line else {}


def _processor_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
