"""What the configuration says of papers, machines and logs."""
from pathlib import Path
from typing import Any

import pytest
import yaml
from common.settings import Settings
from snakemake.exceptions import WorkflowError
from stand_ins import write

PROJECT = Path(__file__).resolve().parents[2]
MACHINES: dict[str, dict[str, Any]] = {
    "KTH": {"logs": ["KTH-*-cln.swf*", "KTH-*.swf*"], "options": "--exclude-status 2 --unit 4", "platform": "kth-sp2"},
    "DAS2": {"logs": ["DAS2-*.swf*"], "options": "", "hosts": 64},
}
GENERATED = {"Lublin": {"options": "lublin --seed 1", "hosts": 32}}


def settings(folder: Path, **changes: Any) -> Settings:
    """Settings of one paper, with a program in the folder."""
    program = Path(write(folder / "batfill"))
    program.chmod(0o755)
    easy = {"algorithm": "easy", "parameters": []}
    config = {"batfill": str(program), "batsim": "", "engine": "simulate", "logs": "",
              "paper": {"machines": MACHINES, "generated": GENERATED, "schedules": {"easy": easy}}}
    return Settings({**config, **changes}, PROJECT, {})


def test_workloads_are_generated_without_logs(tmp_path: Path) -> None:
    known = settings(tmp_path)
    assert not known.has_logs
    assert known.machines("paper") == ["Lublin"]
    assert known.logs("paper", "Lublin") == []
    assert known.workload_options("paper", "Lublin") == ["lublin", "--seed", "1"]
    assert known.hosts("paper", "Lublin") == 32
    assert known.platform("paper", "Lublin") == "paper/Lublin/platform.xml"
    assert known.schedule("paper", "easy")["algorithm"] == "easy"


def test_machines_are_those_whose_logs_are_there(tmp_path: Path) -> None:
    for name in ("KTH-1.swf", "KTH-2.swf.gz", "other.swf"):
        write(tmp_path / "logs" / name)
    known = settings(tmp_path, logs=str(tmp_path / "logs"))
    assert known.has_logs
    assert known.machines("paper") == ["KTH"]
    assert known.logs("paper", "KTH") == [str(tmp_path / "logs" / "KTH-2.swf.gz")]
    assert known.platform("paper", "KTH") == str(PROJECT / "platforms" / "kth-sp2.xml")


def test_the_first_pattern_that_fits_wins(tmp_path: Path) -> None:
    for name in ("KTH-1-cln.swf", "KTH-2.swf"):
        write(tmp_path / "logs" / name)
    known = settings(tmp_path, logs=str(tmp_path / "logs"))
    assert known.logs("paper", "KTH") == [str(tmp_path / "logs" / "KTH-1-cln.swf")]


def test_a_folder_without_any_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    known = settings(tmp_path, logs=str(tmp_path / "logs"))
    with pytest.raises(WorkflowError, match=r"no log of paper in .*; expected one of KTH-\*-cln"):
        known.papers_without_logs(["paper"])


def test_papers_without_logs_are_named_and_refused_only_when_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "KTH-1-cln.swf")
    known = settings(tmp_path, logs=str(tmp_path / "logs"),
                     other={"machines": {"SDSC": {"logs": ["SDSC-*.swf"], "options": "", "platform": "kth-sp2"}}},
                     drawn={"farms": 3})
    lacking = known.papers_without_logs(["paper", "other", "drawn"])
    assert list(lacking) == ["other"]
    assert not known.machines("other")
    with pytest.raises(WorkflowError, match=r"no log of other in .*; expected one of SDSC-\*.swf"):
        known.refusal(lacking["other"])(None)
    assert not settings(tmp_path).papers_without_logs(["paper"])


@pytest.mark.parametrize("change, message", [
    ({"logs": "/nowhere"}, "/nowhere is not a folder"),
    ({"engine": "other"}, "unknown engine 'other'; it is one of simulate, batsim"),
    ({"batsim": "/nowhere/batsim"}, "batsim: no program '/nowhere/batsim'"),
    ({"batfill": "/nowhere/batfill"}, "no program '/nowhere/batfill'"),
])
def test_what_cannot_be_followed_is_refused_at_once(tmp_path: Path, change: dict[str, str], message: str) -> None:
    with pytest.raises(WorkflowError, match=message):
        settings(tmp_path, **change)


def test_batsim_is_the_one_that_is_named_or_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert settings(tmp_path).batsim is None
    with pytest.raises(WorkflowError, match="engine is batsim, but no batsim is on the PATH"):
        settings(tmp_path, engine="batsim")
    for folder in ("bin", "mine"):
        Path(write(tmp_path / folder / "batsim")).chmod(0o755)
    assert settings(tmp_path).batsim == str(tmp_path / "bin" / "batsim")
    assert settings(tmp_path).engine == "simulate"
    mine = str(tmp_path / "mine" / "batsim")
    assert settings(tmp_path, batsim=mine, engine="batsim").engine == mine


def test_the_configuration_names_platforms_that_are_there(tmp_path: Path) -> None:
    config = yaml.safe_load((PROJECT / "experiments" / "config.yaml").read_text(encoding="utf-8"))
    program = Path(write(tmp_path / "batfill"))
    program.chmod(0o755)
    # Farms are drawn with their platforms, and a real centre is not generated.
    papers = [name for name, section in config.items() if isinstance(section, dict) and name not in ("farms", "cirrus")]
    assert papers == ["dbf", "pc-dc", "mixed-policies", "relaxed", "rounds", "maintenance", "user-limits",
                      "shared-hosts", "online-tuning", "rlscheduler", "batsim-agreement"]
    for paper in papers:
        for machine in (*config[paper]["machines"].values(), *config[paper]["generated"].values()):
            assert "hosts" in machine or (PROJECT / "platforms" / f"{machine['platform']}.xml").exists()
        assert Settings({**config, "batfill": str(program)}, PROJECT, {}).machines(paper)


def test_readings_make_one_machine_of_each(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "KTH-1.swf")
    write(tmp_path / "logs" / "DAS2-1.swf")
    one_reading: dict[str, Any] = {**MACHINES["DAS2"], "readings": ["raised"]}
    paper: dict[str, Any] = {
        "machines": {**MACHINES, "DAS2": one_reading}, "generated": GENERATED,
        "readings": {"raised": {"options": "--raise"}, "cut": {"options": "--cut"},
                     "other": {"options": "", "machines": ["DAS2"]}}}
    known = settings(tmp_path, logs=str(tmp_path / "logs"), paper=paper)
    assert known.readings("paper") == {"KTH-raised": ("KTH", "raised"), "KTH-cut": ("KTH", "cut"),
                                       "DAS2-raised": ("DAS2", "raised")}
    assert known.workload_options("paper", "KTH-cut") == ["--exclude-status", "2", "--unit", "4", "--cut"]
    assert known.platform("paper", "DAS2-raised") == "paper/DAS2-raised/platform.xml"
    assert settings(tmp_path, paper=paper).readings("paper") == {"Lublin": ("Lublin", "raised")}
