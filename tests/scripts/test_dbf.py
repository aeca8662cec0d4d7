"""The paper on deadline-based backfilling: its jobs, tables and figures from small inputs."""
import csv
import json
from pathlib import Path
from typing import Optional

import pytest
from common.tables import read_csv, write_csv
from common.workbench import Replay
from dbf import arrivals, census, closer, draw, figures, results, tables, timing
from stand_ins import StandInJob, StandInProgram, lines_of, results_in, write

MACHINES = ["KTH", "CTC"]
METRICS = {
    "mean_wait": 60.0, "mean_wait_regular": 7200.0, "mean_stretch_regular": 2.0, "max_stretch_regular": 8.0,
    "deadline_jobs": 10, "deadline_jobs_started_at_once": 4, "deadline_violations": 1, "deadline_violations_short": 1,
    "deadline_violations_long": 0, "mean_deadline_usage": 0.25, "mean_deadline_usage_delayed": 0.5,
    "share_deadline_usage_above_80_percent": 0.125,
}


def metrics_of(run: str, draw_number: str) -> dict[str, object]:
    """In the first draw all runs are alike; in the second, waits under dbf are half as long, under others twice."""
    factor = 1.0 if draw_number == "1" else 0.5 if run == "dbf" else 2.0
    return {metric: value * factor if "mean_wait" in metric or "stretch" in metric else value
            for metric, value in METRICS.items()}


@pytest.fixture(name="files")
def collected_files(tmp_path: Path) -> dict[str, str]:
    """What the workflow has collected of two machines, two variants, two shares and two draws."""
    draws = [{"machine": machine, "repair": repair, "share": share, "draw": number}
             for machine in MACHINES for repair in ("paper", "strict")
             for share in ("20", "40") for number in ("1", "2")]
    runs = ("easy", "conservative", "dbf")
    contents: dict[str, list[dict[str, object]]] = {
        "metrics": [{**one, "run": run, **metrics_of(run, one["draw"])} for one in draws for run in runs],
        "distribution": [{**one, "level": level, **dict.fromkeys(runs, wait)}
                         for one in draws for level, wait in (("0.0", "0.0"), ("0.5", "0.0"), ("1.0", "7200.0"))],
        "statistics": [{**one, "drawn_jobs": one["share"], "deadlines_missed_hopeless": 1, "counted_regular_jobs": 8,
                        "easy_started_at_once": 3, "conservative_started_at_once": 2, "dbf_started_at_once": 1}
                       for one in draws],
    }
    contents["compressions"] = [
        {"machine": machine, "draw": number, "variant": variant, "run": run, "mean_wait_regular": wait}
        for machine in MACHINES for number in ("1", "2") for variant in ("conservative", "conservative-none")
        for run, wait in (("easy", 60.0), (variant, 120.0), ("dbf", 30.0))]
    files = {name: str(tmp_path / f"{name}.csv") for name in contents}
    for name, lines in contents.items():
        write_csv(files[name], lines)
    return files


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, files: dict[str, str]) -> Path:
    """The folder with all tables."""
    anomalies = [{"what": "run time <= 0", "jobs": 12}, {"what": "something else", "jobs": 3}]
    conversions = [write(tmp_path / f"{one}.json", json.dumps({"kept": 1000, "anomalies": anomalies}))
                   for one in MACHINES]
    timings = [write(tmp_path / f"timing-{one}.csv", "machine,algorithm,share,wall_seconds,processor_seconds",
                     f"{one},dbf,20,75.25,60.04", f"{one},easy,,1.5,1.25") for one in MACHINES]
    folder = tmp_path / "tables"
    folder.mkdir()
    tables.main(StandInJob({**files, "conversions": conversions, "timings": timings}, [str(folder / "table-1.csv")], {
        "machines": MACHINES, "repairs": ["paper", "strict"], "schedules": ["easy", "conservative"]}))
    return folder


def rows(file: Path) -> list[list[str]]:
    """The cells of a table in Markdown, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines_of(file)[4:]]


def test_table_1_counts_anomalies(written: Path) -> None:
    assert lines_of(written / "table-1.csv")[:2] == [
        "workload,run time <= 0,processors < 0,processors > requested,run time > walltime,run time > walltime + 1 min",
        "KTH,12,,,,"]


def test_table_2_counts_regular_jobs(written: Path) -> None:
    assert lines_of(written / "table-2.csv") == ["workload,total,20 %,40 %", "KTH,1000,980,960", "CTC,1000,980,960"]
    assert rows(written / "table-2.md")[0] == ["KTH", "1,000", "980", "960"]


def test_table_3_is_in_minutes_and_seconds(written: Path) -> None:
    assert rows(written / "table-3.md")[:2] == [["KTH", "wall", "1 min 15.2 s", "1.5 s"],
                                                ["KTH", "processor", "1 min 00.0 s", "1.2 s"]]


def test_comparison_is_draw_by_draw(written: Path) -> None:
    first = read_csv(str(written / "comparison.csv"))[0]
    assert (first["metric"], first["workload"], first["share"]) == ("mean wait, regular jobs", "KTH", "20 %")
    assert [float(first[f"dbf / easy, {part}"]) for part in ("mean", "least", "most")] == [0.625, 0.25, 1.0]
    assert first["draws below easy"] == "1 of 2"
    assert len(read_csv(str(written / "comparison.csv"))) == 4 * 2 * 2


def test_fates_of_deadlines(written: Path) -> None:
    assert rows(written / "deadlines.md")[0] == [
        "KTH", "paper", "20 %", "10", "10.00 %", "1", "0", "1", "40.0 %", "25.0 %", "50.0 %", "12.50 %"]
    assert len(rows(written / "deadlines.md")) == 2 * 2 * 2


def test_compressions_are_compared(written: Path) -> None:
    assert rows(written / "compressions.md")[1] == ["KTH", "conservative-none", "2.0", "1.0", "0.5", "2.00", "0.25"]


def test_quantiles_of_waits_are_in_minutes(written: Path) -> None:
    assert rows(written / "wait-quantiles.md")[0] == ["KTH", "20 %", "easy", "37.5 %", "-", "0.0", "-", "120.0"]


FIGURES = {  # by number: panels, label of the vertical axis, lines of numbers
    "1": (2, "Jobs per hour", 48),
    "2": (2, "Mean wait, regular jobs (h)", 12),
    "3": (4, "Regular jobs", 36),
    "4": (2, "Mean wait, all jobs (min)", 12),
    "5": (2, "Maximum stretch, regular jobs", 12),
    "6": (2, "Missed deadlines", 16),
    "7": (1, "Mean deadline usage (%)", 4),
}


@pytest.fixture(name="figure_job")
def job_of_figures(tmp_path: Path, files: dict[str, str]) -> StandInJob:
    """A job of rule `dbf_figure`, without the number of the figure."""
    by_hour = [write(tmp_path / f"{one}-arrivals.csv", "hour,arrivals_per_hour",
                     *(f"{hour},{10 if hour >= 12 else 2}" for hour in range(24))) for one in MACHINES]
    return StandInJob({**files, "arrivals": by_hour}, results_in(tmp_path, svg="f.svg", png="f.png", csv="f.csv"),
                      {"names": dict(zip(MACHINES, MACHINES)), "repairs": ["paper", "strict"]}, {"figure": "1"})


@pytest.mark.parametrize("number", FIGURES)
def test_figure_has_its_panels_and_numbers(figure_job: StandInJob, number: str) -> None:
    figure, numbers = figures.FIGURES[number](figures.Figures(figure_job))
    panels, label, lines = FIGURES[number]
    assert len(figure.axes) == panels
    assert figure.axes[0].get_ylabel() == label
    assert len(numbers) == lines


def test_all_figures_are_tested() -> None:
    assert FIGURES.keys() == figures.FIGURES.keys()


def test_figure_1_shades_the_hours_above_the_mean(figure_job: StandInJob) -> None:
    figure, numbers = figures.Figures(figure_job).daily_arrivals()
    assert [axes.get_title() for axes in figure.axes] == MACHINES
    assert [one["hour"] for one in numbers if one["peak"] and one["machine"] == "KTH"] == list(range(12, 24))
    shaded = [patch for patch in figure.axes[0].patches if patch.get_facecolor()[:3] == pytest.approx((13 / 15,) * 3)]
    assert len(shaded) == 12
    assert [text.get_text() for text in figure.legends[0].texts] == ["hours above the mean", "arrivals", "mean"]


def test_figure_1_has_one_panel_for_a_log_on_two_machines(figure_job: StandInJob) -> None:
    figure_job.params.names["KTH"], figure_job.params.names["CTC"] = None, "the log's name"
    figure, numbers = figures.Figures(figure_job).daily_arrivals()
    assert [axes.get_title() for axes in figure.axes] == ["the log's name"]
    assert len(numbers) == 24


def test_figure_2_is_in_hours_and_shows_the_first_variant(figure_job: StandInJob) -> None:
    figure, numbers = figures.Figures(figure_job).wait_of_regular_jobs()
    labels = [container.get_label() for container in figure.axes[0].containers]
    assert labels == ["EASY", "Conservative", "DBF"]
    assert figure.axes[1].get_xlabel() == "Deadline-driven jobs (%)"
    of_dbf = [one for one in numbers if one["series"] == "dbf"]
    assert of_dbf[0] == {"machine": "KTH", "series": "dbf", "share": "20", "mean": 1.5, "least": 1.0, "most": 2.0}
    assert [text.get_text() for text in figure.legends[0].texts] == labels


def test_figure_3_has_a_curve_for_each_algorithm(figure_job: StandInJob) -> None:
    figure, numbers = figures.Figures(figure_job).distribution_of_waits()
    assert [axes.get_title() for axes in figure.axes] == ["KTH, 20 %", "KTH, 40 %", "CTC, 20 %", "CTC, 40 %"]
    assert [list(line.get_xdata()) for line in figure.axes[0].lines] == [[0, 0, 7200]] * 3
    assert numbers[2] == {"machine": "KTH", "share": "20", "series": "easy", "level": 1.0, "mean": 7200.0,
                          "least": 7200.0, "most": 7200.0}


def test_figure_5_is_logarithmic(figure_job: StandInJob) -> None:
    figure, _ = figures.Figures(figure_job).stretch_of_regular_jobs()
    assert [axes.get_yscale() for axes in figure.axes] == ["log", "log"]
    assert figure.axes[0].get_ylim() == pytest.approx((0.8 * 4, 1.25 * 16))


def test_figure_6_has_bars_for_both_variants(figure_job: StandInJob) -> None:
    figure, numbers = figures.Figures(figure_job).violations()
    assert [text.get_text() for text in figure.legends[0].texts] == [
        "dbf (repair=paper), short jobs", "dbf (repair=paper), long jobs", "dbf (repair=strict), short jobs",
        "dbf (repair=strict), long jobs"]
    assert [patch.get_height() for patch in figure.axes[0].patches] == [1, 1, 0, 0, 1, 1, 0, 0]
    assert [text.get_text() for text in figure.axes[0].texts] == ["0"] * 4
    assert numbers[0]["series"] == "dbf (repair=paper), short"


def test_figure_7_has_a_line_for_each_machine(figure_job: StandInJob) -> None:
    figure, _ = figures.Figures(figure_job).deadline_usage()
    assert [container.get_label() for container in figure.axes[0].containers] == MACHINES
    assert list(figure.axes[0].containers[0].lines[0].get_ydata()) == [50, 50]


def test_figures_are_written(figure_job: StandInJob, tmp_path: Path) -> None:
    figures.main(figure_job)
    assert lines_of(tmp_path / "f.csv")[:2] == ["machine,hour,arrivals_per_hour,peak", "KTH,0,2.0,0"]
    assert (tmp_path / "f.svg").stat().st_size > 1000
    assert (tmp_path / "f.png").stat().st_size > 1000


def test_seconds_of_table_3() -> None:
    assert [tables.seconds(one) for one in (0.04, 59.94, 59.96, 3600)] == ["0.0 s", "59.9 s", "1 min 00.0 s",
                                                                           "60 min 00.0 s"]


def test_rows_are_selected_by_several_columns() -> None:
    some = [{"a": "1", "b": "x"}, {"a": "1", "b": ""}, {"a": "2", "b": "3.5"}]
    assert results.select(some, a="1", b="x") == [some[0]]
    assert results.distinct(some, "a") == ["1", "2"]
    assert results.values(some[1:], "b") == [3.5]


def test_arrivals_are_in_local_time_with_daylight_saving() -> None:
    header = "; UnixStartTime: 1017536400\n; TimeZone: 3600\n; TimeZoneString: Europe/Stockholm\n"
    # From 02:00 on the day when clocks went from 2 to 3: the second job comes an hour later, at 4.
    counted = arrivals.arrivals([0, 3600], header)
    assert [one["hour"] for one in counted if one["arrivals_per_hour"]] == [3, 4]


@pytest.mark.parametrize("header, hour", [
    ("", 1), ("; TimeZone: -7200\n", 23), ("; TimeZoneString: Nowhere/None\n; TimeZone: 3600\n", 2)])
def test_arrivals_without_a_known_zone(header: str, hour: int) -> None:
    assert [one["hour"] for one in arrivals.arrivals([3600], header) if one["arrivals_per_hour"]] == [hour]


def test_arrivals_are_means_of_the_days(tmp_path: Path) -> None:
    day = 86400
    workload = write(tmp_path / "w.json", json.dumps({"jobs": [{"subtime": at} for at in (0, 10, day + 5, 2 * day)]}))
    output = tmp_path / "arrivals.csv"
    arrivals.main(StandInJob({"workload": workload, "header": write(tmp_path / "header.txt")}, [str(output)]))
    assert lines_of(output)[:3] == ["hour,arrivals_per_hour", f"0,{4 / 3}", "1,0.0"]


def test_distribution_is_of_regular_jobs_that_count() -> None:
    def job(kind: str, counted: str, wait: int) -> dict[str, str]:
        return {"kind": kind, "counted": counted, "dbf_wait": str(wait)}

    counted = [job("regular", "1", wait) for wait in (40, 10, 30, 20)]
    others = [job("regular", "0", 999), job("deadline", "1", 999)]
    assert draw.counted_regular([*counted, *others]) == counted
    levels = draw.distribution(counted, ["dbf"])
    waits: dict[Optional[float], Optional[float]] = {one["level"]: one["dbf"] for one in levels}
    assert len(waits) == 101
    assert [waits[level] for level in (0.0, 0.25, 0.26, 0.5, 1.0)] == [10, 10, 20, 20, 40]
    assert draw.distribution([], ["dbf"]) == [{"level": None, "dbf": None}]


def test_jobs_without_a_wait_are_counted_for_each_run() -> None:
    jobs = [{"easy_wait": easy, "dbf_wait": dbf} for easy, dbf in (("0.0", "5"), ("0", "0"), ("0.000001", "7"))]
    assert draw.started_at_once(jobs, ["easy", "dbf"]) == {
        "counted_regular_jobs": 3, "easy_started_at_once": 2, "dbf_started_at_once": 1}


def test_draw_measures_dbf_beside_the_others(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("deadlines", writes={"deadlines.json": '[{"deadline": 1}, {"deadline": 2}, {}]'})
    program.answer("simulate", writes={"dbf_statistics.csv": "statistic,value\nrepairs,3\n"})
    program.answer("metrics", prints="run\ndbf\n",
                   writes={"per-job.csv": "kind,counted,easy_wait,dbf_wait\nregular,1,5,6\n"})
    inputs = {name: write(tmp_path / name) for name in ("platform", "workload", "easy.csv.gz")}
    output = results_in(tmp_path, metrics="m.csv", distribution="d.csv", statistics="s.csv", manifest="m.json")
    draw.main(StandInJob(
        {"batfill": str(program.file), "platform": inputs["platform"], "workload": inputs["workload"],
         "schedules": [inputs["easy.csv.gz"]]},
        output, {"engine": "simulate", "names": ["easy"]}, {"share": "20", "draw": "7", "repair": "strict"}))
    assert program.calls == [
        "deadlines workload.json -o deadlines.json --share 0.2 --seed 7",
        "simulate -q -p platform.xml -w deadlines.json -e dbf -a dbf -P repair=strict",
        "check dbf_jobs.csv -w deadlines.json -p platform.xml",
        "metrics easy_jobs.csv.gz dbf_jobs.csv -w deadlines.json -p platform.xml --waited-in-any-run "
        "--per-job per-job.csv --format csv",
    ]
    assert lines_of(tmp_path / "s.csv") == [
        "drawn_jobs,counted_regular_jobs,easy_started_at_once,dbf_started_at_once,repairs", "2,1,0,0,3"]
    assert lines_of(tmp_path / "d.csv")[:2] == ["level,easy,dbf", "0.0,5.0,6.0"]
    assert lines_of(tmp_path / "m.csv") == ["run", "dbf"]


def test_timing_is_the_median_of_replays_in_turn(tmp_path: Path, program: StandInProgram) -> None:
    files = {name: write(tmp_path / name) for name in ("platform", "workload")}
    output = results_in(tmp_path, times="times.csv", manifest="manifest.json")
    timing.main(StandInJob({"batfill": str(program.file), **files}, output, {
        "engine": "simulate", "shares": [20], "repair": "paper", "runs": 3,
        "schedules": {"easy": {"algorithm": "easy", "parameters": []}}}, {"machine": "KTH"}))
    assert [call.split("-a ")[1] for call in program.calls[1:]] == ["dbf -P repair=paper", "easy"] * 3
    with (tmp_path / "times.csv").open(encoding="utf-8") as stream:
        times = list(csv.DictReader(stream))
    assert [(one["machine"], one["algorithm"], one["share"], one["runs"]) for one in times] == [
        ("KTH", "dbf", "20", "3"), ("KTH", "easy", "", "3")]
    seconds = [Replay(wall, wall / 2, {}) for wall in (9.0, 1.0, 2.0)]
    assert timing.summary(("easy", ""), seconds)["wall_seconds"] == 2
    assert timing.summary(("easy", ""), seconds)["processor_seconds"] == 1


def test_closer_look_puts_each_schedule_in_the_place_of_conservative(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("deadlines", writes={"deadlines.json": '{"jobs": [{"id": "1", "deadline": 5}, {"id": "2"}]}'})
    head = "job_id,submission_time,requested_number_of_resources,final_state,finish_time"
    program.answer("simulate", writes={"dbf_jobs.csv": f"{head}\n1,0,4,COMPLETED_SUCCESSFULLY,9\n2,1,9,REJECTED,\n"})
    program.answer("metrics", prints="run,mean_wait_regular,mean_stretch_regular,max_stretch_regular,regular_jobs\n"
                                     "dbf,1,2,3,4\n")
    inputs = {name: write(tmp_path / name) for name in ("platform", "workload", "a.gz", "b.gz", "c.gz")}
    output = results_in(tmp_path, compressions="c.csv", missed="m.csv", manifest="m.json")
    closer.main(StandInJob(
        {"batfill": str(program.file), "platform": inputs["platform"], "workload": inputs["workload"],
         "schedules": [inputs["a.gz"], inputs["b.gz"], inputs["c.gz"]]}, output,
        {"engine": "simulate", "share": 20, "repair": "paper", "names": ["easy", "cbf", "other"],
         "compared": ["easy", "cbf"]}, {"draw": "7"}))
    assert program.calls[0] == "deadlines workload.json -o deadlines.json --share 0.2 --seed 7"
    assert program.calls[-1] == ("metrics easy_jobs.csv.gz other_jobs.csv.gz dbf_jobs.csv -w deadlines.json "
                                 "--waited-in-any-run --format csv")
    assert lines_of(tmp_path / "c.csv")[1:] == ["cbf,cbf,dbf,1,2,3,4", "cbf,other,dbf,1,2,3,4"]
    assert lines_of(tmp_path / "m.csv") == ["missed,missed_submitted_under_heavy_load,mean_processors_asked_for",
                                            "1,0,4.0"]


def test_load_is_heavy_if_more_is_asked_for_than_on_average() -> None:
    def job(name: str, submitted: float, processors: int, ended: float) -> dict[str, str]:
        return {"job_id": name, "submission_time": str(submitted), "requested_number_of_resources": str(processors),
                "finish_time": str(ended)}

    # 8 processors from 0 to 2, 10 from 2 to 4, 2 from 4 to 10: 4.8 on average. `b` comes while 8 are asked for, `c`
    # when only 2 are.
    jobs = [job("a", 0, 8, 4), job("b", 2, 2, 10), job("c", 6, 0, 9)]
    assert [list(numbers) for numbers in closer.load_over_time(jobs)] == [[0, 2, 4, 6, 9, 10], [8, 10, 2, 2, 2, 0]]
    assert closer.missed_under_load(jobs, {"a": 4, "b": 9.5, "c": 7}) == {
        "missed": 2, "missed_submitted_under_heavy_load": 1, "mean_processors_asked_for": 4.8}
    assert closer.missed_under_load(jobs, {"a": 1})["missed_submitted_under_heavy_load"] == 0


def test_census_of_weekends_and_estimates() -> None:
    header = "; UnixStartTime: 1017619200\n"  # Monday, 1 April 2002, 0 h
    day = 86400
    found = census.weekend([0, 1, 5 * day, 6 * day + 1, 6 * day + 2, 7 * day], header)
    assert found == {"jobs_per_weekend_day": 1.5, "jobs_per_other_day": 0.5}
    profiles = {"short": {"delay": 10}, "long": {"delay": 100}}
    jobs = [{"profile": "short", "walltime": 10_010}, {"profile": "short", "walltime": 100},
            {"profile": "long", "walltime": 2000}, {"profile": "long"}]
    assert census.overestimates({"jobs": jobs, "profiles": profiles}) == {
        "share_above_10": pytest.approx(2 / 3), "share_above_100": pytest.approx(1 / 3),
        "share_above_1000": pytest.approx(1 / 3), "largest": 1001.0}


def test_stretch_in_the_log_is_by_walltime(tmp_path: Path) -> None:
    lines = ["; a comment", "1 0 30 10 1 -1 -1 1 20", "2 5 -1 10 1 -1 -1 1 20", "2 7 60 10 1 -1 -1 1 20"]
    workload = {"profiles": {"p": {"delay": 10}},
                "jobs": [{"id": "1", "subtime": 0, "profile": "p", "walltime": 20},
                         {"id": "2", "subtime": 5, "profile": "p", "walltime": 20},
                         {"id": "2-2", "subtime": 7, "profile": "p", "walltime": 10}]}
    assert census.mean_stretch(workload, write(tmp_path / "log.swf", *lines)) == pytest.approx((2.5 + 7) / 2)
    lines[1:] = [line.replace(" 30 ", " -1 ").replace(" 60 ", " -1 ") for line in lines[1:]]
    assert census.mean_stretch(workload, write(tmp_path / "log.swf", *lines)) is None
