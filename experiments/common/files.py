"""Files of JSON that are the same bytes each time, and hashes of files."""
import hashlib
import json
from pathlib import Path
from typing import Any, Mapping


def sha256(file: str) -> str:
    """The file's SHA-256, in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read_json(file: str) -> dict[str, Any]:
    """The object in a file of JSON."""
    return json.loads(Path(file).read_text(encoding="utf-8"))


def write_json(file: str, content: Mapping[str, Any]) -> None:
    """Writes JSON for people and programs alike."""
    Path(file).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
