#!/usr/bin/python3
"""decide_again.py

Decides the published statements on mixed policies again, from the published tables: their replays take hours. Writes
statements.csv and overview.csv in docs/results/mixed-policies, with their hashes and the commit in the manifest, and
renders the page and the overview.
"""
import subprocess
from pathlib import Path
from typing import Mapping, Sequence

from common.comparison import rows_of
from common.files import read_json, sha256, write_json
from common.page import MANIFEST, Data, template_of
from common.tables import Row, read_csv, write_csv
from mixed_policies.statements import overview, statements
from publish import PUBLISHED, write_pages

FOLDER = PUBLISHED / "mixed-policies"
# Tables that the statements read as numbers, and as they are written.
NUMBERS = ("table-1", "table-2", "ranking", "weeks", "named-weeks", "months", "features", "searches", "convergence")
TEXTS = ("sums", "key", "differences", "table-7", "figure-4")


def decide(folder: Path) -> Mapping[str, Sequence[Row]]:
    """The tables of statements and for the overview, of the tables in a folder."""
    data = Data(folder, template_of("mixed-policies"))
    tables = {name: data.rows(f"{name}.csv") for name in NUMBERS}
    texts = {name: read_csv(str(folder / f"{name}.csv")) for name in TEXTS}
    machines = list(read_json(str(folder / MANIFEST))["settings"]["machines"])
    said = statements(machines, tables, texts)
    return {"statements": rows_of(said), "overview": rows_of(overview(tables, texts, said))}


def main() -> None:
    """Writes what is decided, and the pages."""
    manifest = read_json(str(FOLDER / MANIFEST))
    for name, rows in decide(FOLDER).items():
        file = FOLDER / f"{name}.csv"
        write_csv(str(file), rows)
        manifest["results"][file.name] = sha256(str(file))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=FOLDER, text=True, stdout=subprocess.PIPE, check=True)
    again = manifest.setdefault("decided_again", {"files": []})
    again["commit"] = commit.stdout.strip()
    again["files"] = sorted({*again["files"], "overview.csv", "statements.csv"})
    write_json(str(FOLDER / MANIFEST), manifest)
    write_pages(["mixed-policies", "README"])


if __name__ == "__main__":
    main()
