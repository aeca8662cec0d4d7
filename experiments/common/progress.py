"""Log handler of Snakemake for run.sh: one line for every twentieth of the jobs that is done."""
import sys
from typing import Any, Mapping

_twentieths_shown = 0


def log_handler(message: Mapping[str, Any]) -> None:
    """Called by Snakemake with everything it logs."""
    global _twentieths_shown
    if message["level"] != "progress":
        return
    twentieths = 20 * message["done"] // message["total"]
    if twentieths > _twentieths_shown:
        _twentieths_shown = twentieths
        print(f"{message['done']} of {message['total']} jobs done", file=sys.stderr)
