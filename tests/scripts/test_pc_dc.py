"""The paper on guarantees at submission: its jobs, tables and figures from small inputs."""
import gzip
import json
from pathlib import Path

import pytest
from common.tables import read_csv, write_csv
from pc_dc import census, count, events, figures, replay, tables
from pc_dc.results import FIGURES
from stand_ins import StandInJob, StandInProgram, lines_of, results_in, write

MACHINES = ["KTH", "CTC"]
RUNS = ["conservative", "easy", "pc-spf", "dc-spf", "pc-lqf", "dc-lqf"]
# By how much the mean wait is shorter than under conservative.
IMPROVEMENTS = {
    "KTH": {"conservative": 0.0, "easy": 0.25, "pc-spf": 0.5, "dc-spf": 0.75, "pc-lqf": 0.01, "dc-lqf": -0.25},
    "CTC": {"conservative": 0.0, "easy": 0.5, "pc-spf": 0.25, "dc-spf": 0.25, "pc-lqf": -3.5, "dc-lqf": 0.05},
}
METRICS = sorted({shown.metric for shown in FIGURES.values()})


@pytest.fixture(name="files")
def collected_files(tmp_path: Path) -> dict[str, object]:
    """What the workflow has collected of two machines; on the second one, all jobs have the same width."""
    write_csv(str(tmp_path / "replays.csv"), [
        {"machine": machine, "run": run, "utilisation": 0.5, "replay_processor_seconds": 1.5,
         "job_processor_seconds": 2.25, **dict.fromkeys(METRICS, 120.0),
         **{f"{metric}_improvement": IMPROVEMENTS[machine][run] for metric in METRICS}}
        for machine in MACHINES for run in RUNS])
    columns = {"partial_or_cancelled": 7, "without_processors": 6, "run_time_unknown": 5, "counted": 2000,
               "counted_with_estimate": 1999, "run_time_0": 4, "replayed": 1990, "replayed_with_exact_estimate": 3,
               "replayed_longer_than_estimate": 2, "processors": 100}
    for machine, widths, log in (("KTH", 9, "KTH-1"), ("CTC", 1, "")):
        write_csv(str(tmp_path / f"{machine}.csv"), [{"machine": machine, "log": log, "widths": widths, **columns}])
    paper = write(tmp_path / "paper.csv", "machine,log,jobs,with_estimate_percent", "KTH,KTH-0,2001,99.9")
    return {"paper": paper, "census": [str(tmp_path / f"{machine}.csv") for machine in MACHINES],
            "replays": str(tmp_path / "replays.csv")}


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, files: dict[str, object]) -> Path:
    """The folder with all tables."""
    folder = tmp_path / "tables"
    folder.mkdir()
    tables.main(StandInJob(files, [str(folder / "figure-4.csv")], {"machines": MACHINES, "runs": RUNS}))
    return folder


def test_figure_4_compares_the_paper_and_here(written: Path) -> None:
    kth, ctc = read_csv(str(written / "figure-4.csv"))
    assert (kth["the paper's log"], kth["our log"], kth["jobs, paper"], kth["jobs, ours"]) == (
        "KTH-0", "KTH-1", "2001", "2000")
    assert (kth["with estimate, paper (%)"], kth["with estimate, ours (%)"]) == ("99.9", "99.95")
    assert (ctc["the paper's log"], ctc["our log"], ctc["jobs, paper"]) == ("", "", "")
    assert "| KTH | KTH-0 | KTH-1 | 2,001 | 2,000 | 99.90 | 99.95 |" in lines_of(written / "figure-4.md")[4]


def test_combinations_are_in_per_cent(written: Path) -> None:
    assert lines_of(written / "combinations.md")[2:] == [
        "| log | pc-spf | dc-spf | pc-lqf | dc-lqf | easy |", "|---|---:|---:|---:|---:|---:|",
        "| KTH | +50.0 | +75.0 | +1.0 | -25.0 | +25.0 |", "| CTC | +25.0 | +25.0 | -350.0 | +5.0 | +50.0 |"]


def test_summary_counts_what_the_text_says(written: Path) -> None:
    here = {row["what"]: row["here"] for row in read_csv(str(written / "summary.csv"))}
    assert here == {
        "combinations worse than conservative": "2 of 8 (25 %)",
        "of these by order": "lqf 2",
        "worse by 10 % or more": "2: dc-lqf on KTH -25 %, pc-lqf on CTC -350 %",
        "better or worse by less than 10 %": "2 of 8",
        "better or worse by less than 2 %": "1 of 8",
        "worst single value": "-350.0 % (pc-lqf on CTC)",
        "dc-spf better than conservative and EASY": "1 of 2 (KTH)",
        "dc-spf worse than both": "0 of 2 (none)",
        "dc-spf worse than EASY alone": "1 of 2 (CTC)",
        "dc-spf worse than conservative alone": "0 of 2 (none)",
    }


def test_comparison_counts_logs(written: Path) -> None:
    rows = read_csv(str(written / "comparison.csv"))
    found = {(row["figure"], row["compared"]): (row["logs"], row["not on"]) for row in rows}
    assert len(found) == 5 * len(FIGURES)
    assert found["5", "pc-spf better than easy"] == ("1 of 2", "CTC")
    assert found["5", "dc-spf better than pc-spf"] == ("1 of 2", "CTC")
    # Where all jobs have the same width, there are no widest ones.
    assert found["8", "dc-lqf better than conservative"] == ("0 of 1", "KTH")
    assert found["9", "dc-lqf better than conservative"] == ("1 of 2", "KTH")


def test_waits_are_in_minutes(written: Path) -> None:
    assert lines_of(written / "waits.md")[4] == "| KTH | 100 | 50.0 | 2.0 | 2.0 | 2.0 | 2.0 | 2.0 |"


def test_times_are_added_up(written: Path) -> None:
    rows = read_csv(str(written / "times.csv"))
    assert [row["log"] for row in rows] == ["KTH", "CTC", "all"]
    assert [row["all replays"] for row in rows] == ["9.0", "9.0", "18.0"]
    assert rows[2]["with audits and metrics"] == "27.0"


@pytest.fixture(name="figure_job")
def job_of_figures(tmp_path: Path, files: dict[str, object]) -> StandInJob:
    """A job of rule `pc_dc_figure`, for Figure 9."""
    return StandInJob(files, results_in(tmp_path, svg="f.svg", png="f.png", csv="f.csv"), {"machines": MACHINES},
                      {"figure": "9"})


@pytest.mark.parametrize("number", FIGURES)
def test_figure_has_a_bar_for_each_log_and_series(figure_job: StandInJob, number: str) -> None:
    shown = FIGURES[number]
    machines, series = figures.percentages(figure_job, shown.metric, shown.order)
    assert machines == (["KTH"] if number == "8" else MACHINES)
    figure = figures.draw(machines, series, shown.label)
    [axes] = figure.axes
    assert axes.get_ylabel() == f"{shown.label}:\nimprovement (%)"
    assert [label.get_text() for label in axes.get_xticklabels()] == machines
    assert [text.get_text() for text in figure.legends[0].texts] == ["PC", "DC", "EASY"]
    assert len(axes.patches) == 3 * len(machines)


def test_bars_end_at_the_lowest_and_say_their_value(figure_job: StandInJob, tmp_path: Path) -> None:
    machines, series = figures.percentages(figure_job, "mean_wait", "lqf")
    [axes] = figures.draw(machines, series, "Mean wait").axes
    assert [patch.get_height() for patch in axes.patches] == [1, -100, -25, 5, 25, 50]
    assert [text.get_text() for text in axes.texts] == ["-350"]
    figures.main(figure_job)
    assert lines_of(tmp_path / "f.csv") == ["machine,series,improvement_percent", "KTH,pc,1.0", "CTC,pc,-350.0",
                                            "KTH,dc,-25.0", "CTC,dc,5.0", "KTH,easy,25.0", "CTC,easy,50.0"]


def test_a_log_where_nobody_waits_has_no_improvement(figure_job: StandInJob) -> None:
    rows = read_csv(figure_job.input.replays)
    write_csv(figure_job.input.replays, [
        {**row, "mean_wait_improvement": "" if row["machine"] == "KTH" else row["mean_wait_improvement"]}
        for row in rows])
    _, series = figures.percentages(figure_job, "mean_wait", "lqf")
    assert series == {"pc": [None, -350], "dc": [None, 5], "easy": [None, 50]}


LOG = [
    "; UnixStartTime: 0",
    #   submit  run  allocated              estimate  status
    "1  0  0    10   4  -1 -1  4            20   -1   1  1 1 1 1 1 -1 -1",
    "2  5  0     0   4  -1 -1  4            -1   -1   0  1 1 1 1 1 -1 -1",
    "3  6  0    10   4  -1 -1  4            20   -1   3  1 1 1 1 1 -1 -1",  # partial execution
    "4  7  0    -1   4  -1 -1  4            20   -1   5  1 1 1 1 1 -1 -1",  # cancelled before it started
    "5  8  0    10   4  -1 -1  4            20   -1   5  1 1 1 1 1 -1 -1",  # cancelled later: counts
    "6  9  0    10   0  -1 -1  4            20   -1   1  1 1 1 1 1 -1 -1",  # without processors
    "7  9  0    -1   4  -1 -1  4            20   -1   1  1 1 1 1 1 -1 -1",  # run time unknown
    "",
]
COUNTS = {"counted": 3, "counted_with_estimate": 2, "run_time_0": 1, "partial_or_cancelled": 2,
          "without_processors": 1, "run_time_unknown": 1}


def test_the_papers_filter(tmp_path: Path) -> None:
    log = write(tmp_path / "KTH.swf", *LOG)
    packed = tmp_path / "KTH.swf.gz"
    packed.write_bytes(gzip.compress(Path(log).read_bytes()))
    assert census.papers_filter(log) == COUNTS
    assert census.papers_filter(str(packed)) == COUNTS


@pytest.mark.parametrize("with_log", [True, False])
def test_census(tmp_path: Path, with_log: bool) -> None:
    workload = {"nb_res": 8, "jobs": [{"res": 4}, {"res": 4}, {"res": 1}]}
    conversion = {"noted": [{"what": "no requested time: the run time is the walltime", "jobs": 1}]} if with_log else {}
    output = tmp_path / "census.csv"
    census.main(StandInJob({
        "logs": [write(tmp_path / "KTH-1.swf", *LOG)] if with_log else [],
        "workload": write(tmp_path / "workload.json", json.dumps(workload)),
        "conversion": write(tmp_path / "conversion.json", json.dumps(conversion)),
    }, [str(output)], {}, {"machine": "KTH"}))
    [row] = read_csv(str(output))
    counts = {column: str(number) if with_log else "" for column, number in COUNTS.items()}
    assert row == {"machine": "KTH", "log": "KTH-1" if with_log else "", **counts, "replayed": "3",
                   "replayed_with_exact_estimate": "1" if with_log else "0", "replayed_longer_than_estimate": "0",
                   "widths": "2", "processors": "8"}


def test_events_are_multiples_of_those_of_conservative(tmp_path: Path) -> None:
    counted = write(tmp_path / "events.csv", "machine,run,profile_events", "KTH,conservative,1000", "KTH,pc-spf,2250",
                    "CTC,conservative,0", "CTC,pc-spf,0")
    outputs = [str(tmp_path / f"out.{kind}") for kind in ("csv", "md")]
    events.main(StandInJob([counted], outputs, {"machines": MACHINES, "orders": ["spf"]}))
    assert lines_of(tmp_path / "out.csv") == ["log,conservative,pc-spf / conservative", "KTH,1000,2.25", "CTC,0,"]
    assert lines_of(tmp_path / "out.md")[4:] == ["| KTH | 1,000 | 2.2 |", "| CTC | 0 | - |"]


def job_of_a_replay(folder: Path, program: StandInProgram) -> StandInJob:
    """A job of rules `pc_dc_replay` and `pc_dc_count`."""
    files = {name: write(folder / name) for name in ("platform", "workload", "baseline")}
    return StandInJob({"batfill": str(program.file), **files},
                      results_in(folder, results="results.csv", manifest="manifest.json"),
                      {"engine": "simulate", "replay": {"algorithm": "pc", "parameters": ["order=spf"]}},
                      {"machine": "KTH", "run": "pc-spf"})


def test_replay_is_measured_against_conservative(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("metrics", prints="run,mean_wait\nschedule,12.5\n")
    replay.main(job_of_a_replay(tmp_path, program))
    assert program.calls == [
        "simulate -q -p platform.xml -w workload.json -e schedule -a pc -P order=spf",
        "check schedule_jobs.csv -w workload.json -p platform.xml",
        "metrics schedule_jobs.csv --baseline conservative_jobs.csv.gz -p platform.xml --format csv",
    ]
    [row] = read_csv(str(tmp_path / "results.csv"))
    # The name of the run in the workflow takes the place of the file's.
    assert (row["machine"], row["run"], row["mean_wait"]) == ("KTH", "pc-spf", "12.5")
    assert 0 <= float(row["replay_processor_seconds"]) <= float(row["job_processor_seconds"])


def test_count_asks_for_events(tmp_path: Path, program: StandInProgram) -> None:
    statistics = "statistic,value\ncompressions,3\nmoves,2\nprofile_events,77\nother,1\n"
    program.answer("simulate", writes={"schedule_statistics.csv": statistics})
    count.main(job_of_a_replay(tmp_path, program))
    assert program.calls[0].endswith("-a pc -P order=spf -P count-events=yes")
    [row] = read_csv(str(tmp_path / "results.csv"))
    assert (row["compressions"], row["moves"], row["profile_events"]) == ("3", "2", "77")
    assert "other" not in row
