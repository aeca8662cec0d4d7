#!/usr/bin/env python3
"""wrench_tests.py BATFILL PROGRAM

Runs those of WRENCH's own tests that start a scheduler, with a link `batsched` to BATFILL on the PATH. PROGRAM is
WRENCH's unit_tests, in the folder where WRENCH was built with -DENABLE_BATSCHED=on. Prints a table of these tests: the
seconds, how often a scheduler was started, the name, and what is wrong. Fails if one of them does, or another test of
their groups, which may have failed before it started a scheduler.

As root, the tests run as the user nobody, who must be able to read all this: one of them expects that it cannot write
"/bogus".
"""
import os
import pwd
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

# The groups in which tests start a scheduler, and the time that one of them may take: WRENCH waits for hours for a
# scheduler that has died.
GROUPS = "Batch*:ScratchSpaceTest.*:WMSTest.*:HTCondorServiceTest.*"
SECONDS = 300


class Tested(NamedTuple):
    """What came of a test of WRENCH's."""

    name: str
    starts: int  # of the scheduler
    seconds: float
    problem: str  # empty: it passed


def tests_of(program: Path, folder: Path) -> list[str]:
    """The names of the tests in GROUPS."""
    names, group = [], ""
    listed = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={GROUPS}"], check=True, text=True,
                            cwd=folder, stdout=subprocess.PIPE).stdout
    for line in listed.splitlines():
        if line.startswith(" "):
            names.append(group + line.split("#")[0].strip())
        else:
            group = line.split("#")[0].strip()
    return names


def source_of(program: Path) -> Path:
    """The folder of WRENCH's sources, where tests look for their files."""
    for line in (program.parent / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("CMAKE_HOME_DIRECTORY:"):
            return Path(line.split("=", 1)[1])
    sys.exit(f"wrench_tests.py: {program.parent}/CMakeCache.txt names no CMAKE_HOME_DIRECTORY")


def make_link(folder: Path, batfill: Path, starts: Path) -> None:
    """Puts `batsched` into a folder: a link to batfill, started by a script that counts."""
    (folder / "link").mkdir()
    (folder / "link" / "batsched").symlink_to(batfill)
    (folder / "bin").mkdir()
    script = folder / "bin" / "batsched"
    script.write_text(f"#!/bin/sh\necho \"$@\" >>'{starts}'\nexec '{folder}/link/batsched' \"$@\"\n", encoding="utf-8")
    script.chmod(0o755)


def ordinary_user() -> int | None:
    """Somebody else, if this is root; else None."""
    return pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


def run_test(program: Path, name: str, folder: Path, starts: Path) -> Tested:
    """Runs one test."""
    starts.write_text("", encoding="utf-8")
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    begin = time.monotonic()
    with open(folder / "output", "wb") as output:
        run = subprocess.Popen([program, f"--gtest_filter={name}"], cwd=folder, env=environment, stdout=output,
                               stderr=subprocess.STDOUT, start_new_session=True, user=ordinary_user())
        try:
            status = run.wait(SECONDS)
            problem = "" if status == 0 else f"status {status}"
        except subprocess.TimeoutExpired:
            problem = f"not done after {SECONDS} s"
        finally:
            try:  # also what a test has left behind
                os.killpg(run.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            run.wait()
    if problem:
        lines = (folder / "output").read_text(encoding="utf-8", errors="replace").splitlines()
        telling = [line for line in lines if "Failure" in line or "batfill" in line or "error" in line.lower()]
        problem += ": " + " / ".join((telling or lines)[-3:])
    return Tested(name, len(starts.read_text(encoding="utf-8").splitlines()), time.monotonic() - begin, problem)


def prove_tests(program: Path, batfill: Path) -> bool:
    """Runs WRENCH's tests and prints a table of those that start a scheduler. Returns whether all of them pass."""
    tested = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        starts = folder / "starts"
        make_link(folder, batfill, starts)
        starts.touch()
        user = ordinary_user()
        if user is not None:
            os.chown(folder, user, -1)
            os.chown(starts, user, -1)
        (folder / "test").symlink_to(source_of(program) / "test")
        for name in tests_of(program, folder):
            one = run_test(program, name, folder, starts)
            if one.starts == 0 and not one.problem:
                continue  # it needs none
            tested.append(one)
            print(f"{'failed' if one.problem else 'ok    '} {one.seconds:7.1f} s {one.starts:3d} {one.name} "
                  f"{one.problem}".rstrip(), flush=True)
    starting = [one for one in tested if one.starts > 0]
    passed = sum(1 for one in starting if not one.problem)
    print(f"{passed} of {len(starting)} tests of WRENCH that start a scheduler pass")
    return 0 < passed == len(tested)


def main() -> None:
    """Does what the command line says."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    batfill, program = (Path(argument).resolve() for argument in sys.argv[1:])
    sys.exit(0 if prove_tests(program, batfill) else 1)


if __name__ == "__main__":
    main()
