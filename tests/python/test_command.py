"""The command that the package brings."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import batfill


def command(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    program = Path(sysconfig.get_path("scripts")) / "batfill"
    return subprocess.run([str(program), *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_the_package_brings_the_command(tmp_path: Path) -> None:
    assert command("--version", folder=tmp_path).stdout == f"batfill {batfill.__version__}\n"
    batfill.Workload.lublin(jobs=50, processors=240, seed=1).save(tmp_path / "w.json")
    done = command("simulate", "-p", "hpc2n", "-w", "w.json", "-a", "easy", "-o", "easy", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    batfill.simulate(tmp_path / "w.json", "hpc2n", "easy").save(tmp_path / "same")
    assert (tmp_path / "easy_jobs.csv").read_bytes() == (tmp_path / "same_jobs.csv").read_bytes()


def test_the_package_can_be_run(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "batfill"]
    done = subprocess.run([*run, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == f"batfill {batfill.__version__}\n"
    wrong = subprocess.run([*run, "simulat"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert wrong.returncode == 2 and wrong.stderr == command("simulat", folder=tmp_path).stderr


def test_the_command_says_what_is_wrong_in_one_line(tmp_path: Path) -> None:
    wrong = command("simulat", folder=tmp_path)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("batfill: unknown command 'simulat'") and wrong.stderr.count("\n") == 1
    missing = command("check", "nothing_jobs.csv", "-w", "w.json", "-p", "4", folder=tmp_path)
    assert missing.returncode == 1 and missing.stderr.count("\n") == 1


def test_the_command_ends_when_its_reader_has_gone(tmp_path: Path) -> None:
    program = Path(sysconfig.get_path("scripts")) / "batfill"
    line = f"'{program}' algorithms | head -n 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in ended.stderr
