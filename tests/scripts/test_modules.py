"""Every script can be imported without the workflow, and the workflow runs every script that is a job."""
import importlib
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
EXPERIMENTS = PROJECT / "experiments"
SCRIPTS = sorted([*EXPERIMENTS.glob("*.py"), *EXPERIMENTS.glob("*/*.py"), *PROJECT.glob("bench/*.py")])


def module_name(script: Path) -> str:
    """As other scripts import it."""
    return script.stem if script.parent.name in ("bench", "experiments") else f"{script.parent.name}.{script.stem}"


@pytest.mark.parametrize("script", SCRIPTS, ids=module_name)
def test_is_imported_without_a_job(script: Path) -> None:
    module = importlib.import_module(module_name(script))
    assert module.__file__ == str(script)
    assert module.__doc__


def test_rules_run_all_jobs() -> None:
    run_by_rules = {(rules.parent / script).resolve() for rules in EXPERIMENTS.glob("*/rules.smk")
                    for script in re.findall(r'script:\s*"([^"]+)"', rules.read_text(encoding="utf-8"))}
    jobs = {script for script in SCRIPTS if "run_job(main)" in script.read_text(encoding="utf-8")}
    assert len(jobs) > 20
    assert run_by_rules == jobs
