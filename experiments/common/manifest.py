"""What results were made with. As a script: the job of the papers' manifest rules, which puts the manifests of a
paper's steps together into one beside its tables and figures."""
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any, Optional

from common.files import read_json, sha256, write_json
from common.job import Job, run_job

PROJECT = Path(__file__).resolve().parents[2]


def tool_versions(batfill: str, engine: str, *packages: str) -> dict[str, Any]:
    """The programs behind a result, and Python packages that it needs besides Snakemake. `engine` is `simulate` or
    Batsim's program. `commit` is that of the source
    tree, `-dirty` if changed; null without git."""
    return {
        "batfill": _output_of(batfill, "--version"),
        "commit": _output_of("git", "-C", str(PROJECT), "describe", "--always", "--abbrev=40", "--dirty"),
        "engine": engine if engine == "simulate" else
                  f"batsim {_output_of(engine, '--version')}, SimGrid {_output_of(engine, '--simgrid-version')}",
        "tools": {"python": platform.python_version(),
                  **{package: metadata.version(package) for package in ("snakemake", *packages)}},
    }


def _output_of(*command: str) -> Optional[str]:
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def inputs_of(manifests: list[str]) -> dict[str, str]:
    """The hashes of all that the steps have read, by name of the file, in the order of the names."""
    inputs: dict[str, str] = {}
    for file in manifests:
        for given in read_json(file)["inputs"].values():
            inputs.setdefault(given["file"], given["sha256"])
    return dict(sorted(inputs.items()))


def main(job: Job) -> None:
    """Writes the manifest of a paper's tables and figures."""
    write_json(job.output[0], {
        **tool_versions(job.input.batfill, job.params.engine, "matplotlib", "numpy"),
        "settings": job.params.settings, "inputs": inputs_of(job.input.manifests),
        "results": {Path(file).name: sha256(file) for file in job.input.results},
    })


if __name__ == "__main__":
    run_job(main)
