"""Job of rule `dbf_manifest`: what all results of the paper were made with, in one file beside them."""
import json
from pathlib import Path
from typing import Any

import matplotlib
import numpy

from common.manifest import sha256, tool_versions, write_json
from common.workbench import run_job


def main(job: Any) -> None:
    """Writes the manifest of tables and figures."""
    made_with = tool_versions(job.input.batfill, job.params.engine)
    made_with["tools"].update(matplotlib=matplotlib.__version__, numpy=numpy.__version__)
    inputs: dict[str, Any] = {}
    for file in job.input.manifests:
        manifest = json.loads(Path(file).read_text(encoding="utf-8"))
        for given in manifest["inputs"].values():
            inputs.setdefault(given["file"], given["sha256"])
    write_json(job.output[0], {
        **made_with, "settings": job.params.settings, "inputs": dict(sorted(inputs.items())),
        "results": {Path(file).name: sha256(file) for file in job.input.results},
    })


run_job(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
