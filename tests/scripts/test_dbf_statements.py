"""What the paper on deadline-based backfilling states, decided from small inputs."""
import json
from pathlib import Path
from typing import Any, Mapping, Optional

import pytest
from common.comparison import WORDS
from common.page import EXPERIMENTS
from common.tables import read_csv, write_csv
from dbf import log_statements, sources, statements, wait_statements
from dbf.results import Results
from stand_ins import StandInJob, results_in, write

NAMES: Mapping[str, Optional[str]] = {
    "SDSC-BLUE": "SDSC-BLUE", "SDSC-DS": None, "SDSC-DS-1664": "SDSC-DS", "HPC2N": "HPC2N"}
SHARES, DRAWS = ("20", "40", "60", "80"), ("1", "2")
WAITS = {"easy": 1000.0, "conservative": 1100.0}
ALIKE = {"mean_wait": 500.0, "mean_stretch": 9.0, "max_stretch": 900.0, "mean_stretch_regular": 5.0,
         "max_stretch_regular": 800.0, "deadline_jobs": 100, "deadline_jobs_started_at_once": 48,
         "deadline_violations": 4, "deadline_violations_short": 3, "mean_deadline_usage_delayed": 0.173,
         "share_deadline_usage_above_80_percent": 0.002}


def metrics_of(run: str, share: str, draw: str) -> dict[str, float]:
    """Under dbf the mean wait of regular jobs falls from 480 in steps of 100, in the second draw from 500."""
    return {**ALIKE, "mean_wait_regular": WAITS.get(run, 460.0 + 20 * int(draw) - 5 * (int(share) - 20))}


@pytest.fixture(name="given")
def inputs_of_the_job(tmp_path: Path) -> dict[str, Any]:
    """What the rule `dbf_statements` reads."""
    places = [{"machine": machine, "repair": repair, "share": share, "draw": draw} for machine in NAMES
              for repair in ("paper", "strict") for share in SHARES for draw in DRAWS]
    runs = ("easy", "conservative", "dbf")
    contents: dict[str, list[dict[str, object]]] = {
        "metrics": [{**place, "run": run, **metrics_of(run, place["share"], place["draw"])}
                    for place in places for run in runs],
        "distribution": [{**place, "level": level, **{run: wait * (1 if run != "dbf" else 20 / int(place["share"]))
                                                      for run in runs}}
                         for place in places
                         for level, wait in (("0.0", 0.0), ("0.24", 0.0), ("0.25", 150.0), ("0.5", 900.0),
                                             ("0.75", 3600.0), ("1.0", 90_000.0))],
        "statistics": [{**place, "deadlines_missed": 4, "counted_regular_jobs": 1000, "easy_started_at_once": 244,
                        "conservative_started_at_once": 200, "dbf_started_at_once": 241 + int(place["draw"]),
                        "deadlines_missed_hopeless": 3 if place["repair"] == "paper" else 4} for place in places],
        "compressions": [{"machine": machine, "draw": draw, "variant": variant, "run": run, "mean_wait_regular": wait}
                         for machine in NAMES for draw in DRAWS
                         for variant, own in (("conservative", 1100), ("conservative-submission", 800), ("poor", 2000))
                         for run, wait in (("easy", 1000), (variant, own), ("dbf", 900))],
        "missed": [{"machine": machine, "missed": 3, "missed_submitted_under_heavy_load": 2} for machine in NAMES],
        "table_1": [{**row, "workload": machine} for machine, name in NAMES.items()
                    for row in read_csv(str(EXPERIMENTS / "dbf" / "paper-table-1.csv"))
                    if row["workload"] == (name or "SDSC-DS")],
        "table_2": [{**row, "workload": machine} for machine, name in NAMES.items()
                    for row in read_csv(str(EXPERIMENTS / "dbf" / "paper-table-2.csv"))
                    if row["workload"] == (name or "SDSC-DS")],
    }
    files: dict[str, Any] = {name: str(tmp_path / f"{name}.csv") for name in contents}
    for name, lines in contents.items():
        write_csv(files[name], lines)
    hours = "\n".join(f"{hour},{9 if 9 <= hour < 18 else 1}" for hour in range(24))
    times = "\n".join([*(f"dbf,{share},0.5" for share in SHARES), "conservative,,0.4", "easy,,0.25"])
    return {**files,
            "numbers": str(EXPERIMENTS / "dbf" / "paper-numbers.csv"),
            "paper_tables": [str(EXPERIMENTS / "dbf" / f"paper-table-{number}.csv") for number in (1, 2, 3)],
            "conversions": [write(tmp_path / f"{one}.json", json.dumps({"jobs": 96_069, "kept": 1000}))
                            for one in NAMES],
            "arrivals": [write(tmp_path / f"{one}-hours.csv", "hour,arrivals_per_hour", hours) for one in NAMES],
            "census": [write(tmp_path / f"{one}-census.csv",
                             "jobs_per_weekend_day,jobs_per_other_day,share_above_100,share_above_1000,"
                             "mean_stretch_in_log", "10,20,0.1,0.01,5.625") for one in NAMES],
            "timings": [write(tmp_path / f"{one}-times.csv", "algorithm,share,processor_seconds", times)
                        for one in NAMES]}


@pytest.fixture(name="read")
def read_sources(given: dict[str, Any]) -> sources.Sources:
    """The same, read."""
    return sources.Sources.of(StandInJob(given, params={"names": NAMES}))


def found(read: sources.Sources, text: str) -> tuple[str, str]:
    """What is here, and the word, of the one statement with this text."""
    [one] = [one for part in statements.PARTS for one in part(read) if text in one.statement]
    assert one.bound
    return one.here, one.word


def test_statements_and_overview_are_written(given: dict[str, Any], tmp_path: Path) -> None:
    output = results_in(tmp_path, statements="s.csv", overview="o.csv")
    statements.main(StandInJob(given, output, {"names": NAMES}))
    lines = read_csv(output["statements"])
    assert {"same", "same direction", "differs"} <= {line["word"] for line in lines} <= set(WORDS)
    assert all(line["statement"] and line["here"] and line["bound"] for line in lines)
    parts = {line["part"] for line in lines}
    assert parts == {*statements.OVERVIEW, "section 5", "CBF", "mean stretch"}
    tables_and_figures = read_csv(output["overview"])
    assert [line["what"] for line in tables_and_figures] == statements.OVERVIEW
    assert tables_and_figures[1] == {"what": "Table 2", "repeated": "partly", "why_not": "no log of ANL-Intrepid",
                                     "largest_difference": "0.000 %", "word": "same"}


@pytest.mark.parametrize("text, here, word", [
    ("The log of SDSC-DS has 96,089 jobs", "96,069", "same"),
    ("The log of HPC2N has 202,871 jobs", "96,069", "differs"),
    ("roughly 9 to 18 h", "SDSC-BLUE 9 to 18 h; SDSC-DS-1664 9 to 18 h; HPC2N 9 to 18 h", "same direction"),
    ("begins a little earlier", "SDSC-BLUE 9 h; SDSC-DS-1664 9 h; HPC2N 9 h", "differs"),
    ("rate falls sharply", "SDSC-BLUE up to 0.25 times the mean; SDSC-DS-1664 up to 0.25 times the mean; "
     "HPC2N up to 0.25 times the mean", "same direction"),
    ("mean stretch in the logs is about 10", "SDSC-BLUE 5.62; SDSC-DS-1664 5.62; HPC2N 5.62", "same direction"),
    ("walltimes of less than 3 hours", "at most 2.4 hours", "same direction"),
    ("EASY waits less than CBF everywhere", "EASY / CBF: SDSC-BLUE 0.91; SDSC-DS 0.91; SDSC-DS-1664 0.91; HPC2N 0.91",
     "same direction"),
    ("compresses by submission", "EASY / CBF, in the draws with all forms of CBF: SDSC-BLUE 1.25; SDSC-DS 1.25; "
     "SDSC-DS-1664 1.25; HPC2N 1.25", "differs"),
    ("DBF waits less than EASY and CBF", "in 22 of 22 draws elsewhere", "same direction"),
    ("HPC2N, 20 %: DBF is 25 % below EASY", "51 % (50 % to 52 %)", "same direction"),
    ("reduces CBF's mean wait", "SDSC-DS by 2.25 (2.20 to 2.29); SDSC-DS-1664 by 2.25 (2.20 to 2.29); by more in "
     "2 of 2 draws", "same direction"),
    ("`conservative`: CBF is poor", "1.10 times as long as EASY, 1.22 times as long as DBF", "differs"),
    ("`poor`: CBF is poor", "2.00 times as long as EASY, 2.22 times as long as DBF", "same direction"),
    ("more than 25 % of the regular jobs start at once", "24.4 %", "differs"),
    ("these are more than under DBF", "24.4 %, 24.2 % (24.2 % to 24.3 %); more in 2 of 2 draws", "same direction"),
    ("first quartile of DBF is 2.5 min", "2.5 min", "same"),
    ("EASY is ahead by less than 30.0 min", "DBF - EASY: 0.0 min", "differs"),
    ("SDSC-BLUE: the vast majority", "75 %; at 20 %: 75 %; 40 %: 75 %; 60 %: 75 %; 80 %: 75 %", "same direction"),
    ("more deadlines of long jobs", "25 % of those missed are of long jobs; of short ones at 20 %: 75 %; 40 %: 75 %; "
     "60 %: 75 %; 80 %: 75 %", "differs"),
    ("SDSC-BLUE, 20 %: 17.3 %", "17.3 %", "same"),
    ("almost half", "48.0 %", "same direction"),
    ("as SDSC-BLUE, per job", "1.00 times", "differs"),
    ("1.25 times as long as CBF", "1.25 times (by the paper's table 1.24)", "same"),
    ("2.00 times as long as EASY", "2.00 times (by the paper's table 2.11)", "same"),
])
def test_statement(read: sources.Sources, text: str, here: str, word: str) -> None:
    assert found(read, text) == (here, word)


def test_a_log_that_is_not_there_is_not_spoken_of(given: dict[str, Any], tmp_path: Path) -> None:
    output = results_in(tmp_path, statements="s.csv", overview="o.csv")
    for name, lines in ((name, read_csv(given[name])) for name in ("metrics", "distribution", "statistics")):
        write_csv(given[name], [line for line in lines if line["machine"] == "HPC2N"])
    for name in ("conversions", "arrivals", "census", "timings"):
        given[name] = given[name][3:]
    statements.main(StandInJob(given, output, {"names": {"HPC2N": "HPC2N"}}))
    text = Path(output["statements"]).read_text(encoding="utf-8")
    assert "HPC2N" in text
    assert "SDSC-DS" not in text
    assert "no log of SDSC-BLUE and SDSC-DS and ANL-Intrepid" in Path(output["overview"]).read_text(encoding="utf-8")


def test_peak_is_the_longest_run_of_busy_hours() -> None:
    hours = [{"arrivals_per_hour": "9" if hour in (2, 3, 10, 11, 12) else "1"} for hour in range(24)]
    assert log_statements.peak(hours) == (10, 13)


def test_machines_know_their_names_in_the_paper() -> None:
    place = {"machine": "SDSC-DS-1664", "repair": "paper", "share": "20", "draw": "1"}
    some = Results([{**place, "run": "dbf", "mean_wait": "6"}], [{**place, "level": "0.5", "dbf": "7"}],
                   [{**place, "runs": "8"}], NAMES)
    assert some.of_paper == ["SDSC-BLUE", "SDSC-DS-1664", "HPC2N"]
    assert (some.machine("SDSC-DS"), some.machine("ANL-Intrepid")) == ("SDSC-DS-1664", None)
    assert some.of("mean_wait", "SDSC-DS-1664", "20", "dbf") == [6]
    assert some.quantile("0.5", "SDSC-DS-1664", "20", "dbf") == [7]
    assert some.counted("runs", "SDSC-DS-1664", "20") == [8]
    assert wait_statements.change([2, 3, 2.5]) == 0.5
