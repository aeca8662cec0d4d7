"""What a result was made with: versions, hashes, JSON that is the same each time."""
import hashlib
import json
import platform
import subprocess
from pathlib import Path
from typing import Any, Mapping, Optional

import snakemake

PROJECT = Path(__file__).resolve().parents[2]


def sha256(file: str) -> str:
    """The file's SHA-256, in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_json(file: str, content: Mapping[str, Any]) -> None:
    """Writes JSON for people and programs alike."""
    Path(file).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def tool_versions(batfill: str, engine: str) -> dict[str, Any]:
    """The programs behind a result. `commit` is that of the source tree, `-dirty` if changed; null without git."""
    return {
        "batfill": _output_of(batfill, "--version"),
        "commit": _output_of("git", "-C", str(PROJECT), "describe", "--always", "--abbrev=40", "--dirty"),
        "engine": f"batsim {_output_of('batsim', '--version')}" if engine == "batsim" else engine,
        "tools": {"python": platform.python_version(), "snakemake": snakemake.__version__},
    }


def _output_of(*command: str) -> Optional[str]:
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
