"""The paper on mixed policies: its jobs, tables and figures from small inputs."""
import gzip
import json
import math
from pathlib import Path
from random import Random
from typing import Any, Optional

import pytest
from common.job import JobError
from common.tables import read_csv, write_csv
from mixed_policies import audit, figures, longest, policies, pure, same_second, search, space, split, variant
from mixed_policies.cover import FEATURES, Cover, size
from mixed_policies.period_values import PeriodValues, read_values, shown
from stand_ins import StandInJob, StandInProgram, lines_of, named, results_in, write

ORDERS = ["fcfs", "saf", "spf"]
PERIODS = range(1, 5)
# Values in the weeks 1 to 4.
VALUES: dict[str, list[Optional[float]]] = {
    "fcfs": [40.0, 20.0, 30.0, 12.0],
    "saf": [20.0, 10.0, 30.0, 10.0],
    "spf": [10.0, 20.0, 40.0, 10.05],
    "w-star": [10.0, 8.0, 20.0, 10.0],
    "w-train": [10.0, 10.0, 40.0, 20.0],
    "w-greedy": [None, 8.0, 60.0, 10.0],
    "xnes3-1": [10.0, 8.0, 22.0, 9.0],
    "xnes3-2": [10.0, 8.0, 20.0, 11.0],
    "xnes6-1": [5.0, 8.0, 22.0, 9.0],
}
HALVES = {"training": [1, 2], "testing": [3, 4]}
MACHINES = {"KTH": {"figures": [2, 3, 5], "weeks": HALVES, "months": HALVES},
            "CTC": {"figures": [6, 7, 8], "weeks": HALVES, "months": HALVES}}


@pytest.fixture(name="values")
def values_file(tmp_path: Path) -> str:
    """The values of all policies in all periods of a machine."""
    file = str(tmp_path / "policies.csv")
    write_csv(file, [{"period": period, "policy": policy, "value": value} for policy, values in VALUES.items()
                     for period, value in zip(PERIODS, values) if value is not None])
    return file


def test_period_values(values: str) -> None:
    weeks = PeriodValues(values, ORDERS)
    assert weeks.periods == [1, 2, 3, 4]
    assert weeks.within([2, 3]) == [2, 3]
    assert weeks.value("w-greedy", 1) is None
    assert weeks.sum("w-greedy", [1, 2]) is None
    assert weeks.sum("w-greedy", [2, 3]) == 68
    assert weeks.known("saf", [4, 1]) == [10, 20]
    assert [weeks.best_pure(week) for week in PERIODS] == [10, 10, 30, 10]
    assert weeks.ranking() == ["saf", "spf", "fcfs"]
    assert (shown("saf"), shown("w-train"), shown("xnes3")) == ("SAF", "w*_train", "xnes3")
    assert weeks.seeds("xnes3") == ["xnes3-1", "xnes3-2"]
    assert weeks.of_seeds("xnes3", 3) == [22, 20]


def test_values_of_one_threshold(tmp_path: Path) -> None:
    file = write(tmp_path / "pure.csv", "threshold,period,policy,value", "none,1,saf,3", "72000,1,saf,4")
    assert read_values(file, threshold="72000") == {"saf": {1: 4.0}}


@pytest.fixture(name="figure_job")
def job_of_figures(tmp_path: Path, values: str) -> StandInJob:
    """A job of rule `mixed_figure`, for Figure 2."""
    return StandInJob({"weeks": [values] * 2, "months": [values] * 2},
                      results_in(tmp_path, svg="f.svg", png="f.png", csv="f.csv"),
                      {"machines": MACHINES, "orders": ORDERS}, {"number": "2"})


def labels(axes: Any) -> list[str]:
    """What the lines of a panel are called in its legend."""
    return list(axes.get_legend_handles_labels()[1])


def test_figure_1_has_a_box_for_each_pure_policy(figure_job: StandInJob) -> None:
    figure, numbers = figures.Figures(figure_job).draw(1)
    assert [axes.get_title() for axes in figure.axes if axes.get_visible()] == ["KTH", "CTC"]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["SAF", "SPF", "FCFS"]
    assert figure.axes[0].get_yscale() == "log"
    assert numbers[0] == {"machine": "KTH", "policy": "saf", "mean": 17.5, "least": 10.0, "first_quartile": 10.0,
                          "median": 15.0, "third_quartile": 22.5, "most": 30.0}
    assert len(numbers) == 6


@pytest.mark.parametrize("number, machine", [(2, "KTH"), (6, "CTC")])
def test_best_pure_policy_beside_saf(figure_job: StandInJob, number: int, machine: str) -> None:
    figure, numbers = figures.Figures(figure_job).draw(number)
    [axes] = figure.axes
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == (machine, "Week", "Mean bounded slowdown")
    assert labels(axes) == ["SAF", "best pure policy"]
    assert [list(line.get_ydata()) for line in axes.lines] == [[20, 10, 30, 10], [10, 10, 30, 10]]
    assert numbers[4] == {"machine": machine, "period": 1, "policy": "pure", "value": 10.0}


def test_figure_3_leaves_a_gap_where_nothing_was_learned(figure_job: StandInJob) -> None:
    figure, numbers = figures.Figures(figure_job).draw(3)
    assert [axes.get_title() for axes in figure.axes] == ["KTH, training", "KTH, testing"]
    assert labels(figure.axes[0]) == ["FCFS", "SAF", "w*", "w*_train", "w_greedy"]
    first, second = figure.axes[0].lines[4].get_ydata()
    assert math.isnan(first)
    assert second == 8
    assert list(figure.axes[1].lines[0].get_xdata()) == [3, 4]
    assert len(numbers) == 5 * 4


def test_figure_5_shows_searches_as_multiples(figure_job: StandInJob) -> None:
    figure, _ = figures.Figures(figure_job).draw(5)
    above, below = figure.axes
    assert list(above.lines[0].get_ydata()) == VALUES["w-star"]
    assert labels(below) == ["xnes3 / w*", "xnes6 / w*"]
    assert (above.get_yscale(), below.get_yscale()) == ("log", "log")
    marks = {container.get_label(): list(container.lines[0].get_ydata()) for container in below.containers}
    assert marks == {"xnes3 / w*": [1, 1, 1.05, 1], "xnes6 / w*": [0.5, 1, 1.1, 0.9]}


def test_figure_15_marks_where_testing_begins(figure_job: StandInJob) -> None:
    figure, numbers = figures.Figures(figure_job).draw(15)
    assert labels(figure.axes[1]) == ["FCFS", "SAF", "w*", "w*_train"]
    assert list(figure.axes[0].lines[-1].get_xdata()) == [2.5, 2.5]
    assert len(numbers) == 2 * 4 * 4


def test_there_is_no_other_figure(figure_job: StandInJob) -> None:
    with pytest.raises(ValueError, match="no figure 4"):
        figures.Figures(figure_job).draw(4)


def test_figures_are_written(figure_job: StandInJob, tmp_path: Path) -> None:
    figures.main(figure_job)
    assert lines_of(tmp_path / "f.csv")[:2] == ["machine,period,policy,value", "KTH,1,saf,20.0"]
    assert (tmp_path / "f.svg").stat().st_size > 1000


# Weights of q, p and wait with three points per dimension, and their values in two weeks.
COVER = {(0.0, -1.0, 0.0): (3.0, 5.0), (0.0, 0.0, -1.0): (9.0, 8.0), (-1.0, 0.0, 0.0): (4.0, 2.0),
         (1.0, 0.0, 0.0): (4.0, 3.0), (0.0, 0.0, 1.0): (2.0, 7.0), (0.0, 1.0, 0.0): (8.0, 9.0)}


@pytest.fixture(name="cover_file")
def cover_as_written_by_tune(tmp_path: Path) -> str:
    """A file as `batfill tune --method cover --values` writes it."""
    lines = ["workload,evaluation,value," + ",".join(f"w_{feature}" for feature in FEATURES)]
    for week in (1, 2):
        lines += [f'"{week:03}",{number},{values[week - 1]},' + ",".join(map(str, (*weights, 0, 0, 0)))
                  for number, (weights, values) in enumerate(COVER.items(), start=1)]
    file = tmp_path / "cover.csv.gz"
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return str(file)


def test_cover(cover_file: str) -> None:
    cover = Cover(cover_file)
    assert cover.periods == [1, 2]
    assert cover.weights == [(*weights, 0, 0, 0) for weights in COVER]
    assert list(cover.values(2)) == [values[1] for values in COVER.values()]
    assert [cover.best(periods) for periods in ([1], [2], [1, 2])] == [4, 2, 2]


def test_greedy_follows_the_week_before(cover_file: str) -> None:
    assert policies.greedy_values(Cover(cover_file)) == {2: 7.0}


RAW = {feature: 1 for feature in FEATURES}


def corner_values() -> dict[str, dict[int, float]]:
    """The values of the pure policies that are in the cover."""
    return {policy: {week: COVER[float(q), float(p), float(wait)][week - 1] for week in (1, 2)}
            for policy, (q, p, wait) in policies.CORNERS.items()}


def test_corners_of_the_cover_are_the_pure_policies(cover_file: str) -> None:
    values = corner_values()
    policies.require_corners(Cover(cover_file), values, RAW)
    values["fcfs"][2] = 7.5
    with pytest.raises(JobError, match="period 2: fcfs is 7.5, but 7.0 as weights"):
        policies.require_corners(Cover(cover_file), values, RAW)


def test_a_negative_scale_turns_corners(cover_file: str) -> None:
    values = corner_values()
    for one, other in (("sqf", "lqf"), ("spf", "lpf")):
        values[one], values[other] = values[other], values[one]
    policies.require_corners(Cover(cover_file), values, {**RAW, "q": -128, "p": -64800, "wait": 200000})


def test_best_and_trained_weights_of_raw_features(cover_file: str) -> None:
    assert policies.of_raw_features(cover_file, [1, 2]) == {"w-star-raw": {1: 2.0, 2: 2.0},
                                                            "w-train-raw": {1: 4.0, 2: 2.0}}


def policies_job(folder: Path, program: StandInProgram, cover_file: str) -> StandInJob:
    """A job of rule `mixed_policies_of`, with one search besides the cover."""
    write(folder / "workloads" / "001.json", "{}")
    pure_values = write(folder / "pure.csv", "threshold,period,policy,value", "none,1,fcfs,1000", *(
        f"200000,{week},{policy},{value}" for policy, values in corner_values().items()
        for week, value in values.items()))
    found = "workload,value," + ",".join(f"w_{feature}" for feature in FEATURES)
    best = write(folder / "best.csv", found, '"001",2,0,0,1,0,0,0', '"002",2,-1,0,0,0,0,0')
    xnes = write(folder / "xnes.csv", found, '"001",1.5,0,0.5,0.5,0,0,0', '"002",1.75,0,0,1,0,0,0')
    return StandInJob(
        {"batfill": str(program.file), "platform": write(folder / "platform.xml"), "pure": pure_values,
         "workloads": str(folder / "workloads"), "cover": cover_file, "best": best, "searches": [xnes],
         "raw": [cover_file]},
        results_in(folder, policies="p.csv", weights="w.csv", w_train="w.json", manifest="m.json"),
        {"searches": ["xnes3-1"], "training": [1, 2], "parameters": {"ties": "last"}, "threshold": 200000, "tau": 60,
         "scales": RAW},
        {"machine": "KTH"}, threads=2)


def test_policies_are_brought_together(tmp_path: Path, program: StandInProgram, cover_file: str) -> None:
    program.answer("compare", writes={"compare.csv": 'workload,w-train\n"001",4\n"002",2\n'})
    policies.main(policies_job(tmp_path, program, cover_file))
    assert program.calls == [
        "compare w-train.json -p platform.xml -o compare.csv --tau 60 --threads 2 -w workloads/001.json"]
    values = {(row["policy"], row["period"]): float(row["value"]) for row in read_csv(str(tmp_path / "p.csv"))}
    assert [values[policy, "2"] for policy in ("fcfs", "w-greedy", "w-train", "w-star", "xnes3-1")] == [
        7, 7, 2, 2, 1.75]
    assert ("w-greedy", "1") not in values
    weights = read_csv(str(tmp_path / "w.csv"))
    assert [(row["policy"], row["period"], row["q"]) for row in weights[:3]] == [
        ("w-train", "", "-1.0"), ("w-star", "1", "0"), ("w-star", "2", "-1")]
    assert float(weights[0]["value"]) == 6
    assert json.loads((tmp_path / "w.json").read_text(encoding="utf-8")) == {"algorithm": "easy", "params": {
        "order": "mixed", "ties": "last", "threshold": 200000, "scales": [1] * 6, "weights": [-1, 0, 0, 0, 0, 0]}}


def test_a_policy_that_gives_other_values_than_the_cover_is_refused(tmp_path: Path, program: StandInProgram,
                                                                    cover_file: str) -> None:
    program.answer("compare", writes={"compare.csv": 'workload,w-train\n"001",4.1\n'})
    with pytest.raises(JobError, match="period 1: w.*_train is 4.1, but 4.0 in the cover"):
        policies.main(policies_job(tmp_path, program, cover_file))


def test_maps_of_the_space(cover_file: str) -> None:
    cover = Cover(cover_file)
    below, above = space.sides(cover, 1)
    # Down by the weight of wait, across by that of p; in the middle, q is all that counts.
    assert (below[1, 1], above[1, 1]) == (4, 4)
    assert (below[0, 1], below[2, 1], below[1, 0], below[1, 2]) == (9, 2, 3, 8)
    assert math.isnan(below[0, 0])
    figure = space.draw(cover, [1, 2])
    maps = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title() for axes in maps] == ["week 1, q \u2264 0", "week 1, q \u2265 0", "week 2, q \u2264 0",
                                                   "week 2, q \u2265 0"]
    # The best weights: in week 1 with q at 0, which is in both maps; in week 2 with q below.
    assert [[(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines] for axes in maps] == [
        [([0], [1])], [([0], [1])], [([0], [0])], []]


def test_figure_4_is_written(tmp_path: Path, cover_file: str) -> None:
    space.main(StandInJob([cover_file], results_in(tmp_path, svg="f.svg", png="f.png", csv="f.csv"),
                          {"weeks": [[2, 3]]}))
    assert read_csv(str(tmp_path / "f.csv")) == [
        {"week": "2", "least": "2.0", "most": "9.0", "w_q": "-1.0", "w_p": "0.0", "w_wait": "0.0",
         "median, q <= 0": "7.0", "median, q >= 0": "7.0", "share_within_5_percent": str(1 / 6),
         "weights_of_week_before": "7.0", "share_below_these": "0.5"}]


def test_size_of_a_cover() -> None:
    assert [size(points) for points in (3, 31, 51, 100, 101)] == [len(COVER), 902, 2502, 9800, 10002]


SCALES = {"q": -8, "p": -100, "wait": 1000, "ratio": -100, "expansion": 1, "area": -800}


def periods_job(folder: Path, program: StandInProgram, outputs: dict[str, str], params: dict[str, Any],
                wildcards: dict[str, str]) -> StandInJob:
    """A job that replays the periods of a machine."""
    for number in (1, 2):
        jobs = [{"id": "1", "subtime": 0, "walltime": 100 * number}, {"id": "2", "subtime": 0, "walltime": 50}]
        write(folder / "workloads" / f"{number:03}.json", json.dumps({"nb_res": 8, "jobs": jobs}))
    return StandInJob({"batfill": str(program.file), "platform": write(folder / "platform.xml"),
                       "workloads": str(folder / "workloads")}, outputs,
                      {"parameters": {"backfill-order": "spf"}, "threshold": 1000, "tau": 60, **params}, wildcards)


SETTINGS = {"orders": ["saf", "fcfs"], "parameters": {"backfill-order": "spf", "ties": "last"}, "tau": 60,
            "thresholds": {"none": None, "72000": 72000}}


def compared(*thresholds: str) -> str:
    """What `batfill compare` writes of the two policies with each threshold; the stand-in answers alike each time."""
    heads = [f'"easy,order={order},backfill-order=spf,ties=last{threshold}"' for threshold in thresholds
             for order in ("saf", "fcfs")]
    values = ",".join(map(str, range(1, len(heads) + 1)))
    return f'workload,{",".join(heads)}\n"001",{values}\n'


def test_pure_policies_are_compared(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("compare", writes={"compare.csv": compared("", ",threshold=72000")})
    pure.main(periods_job(tmp_path, program, results_in(tmp_path, values="v.csv", manifest="m"),
                          {"settings": SETTINGS}, {}))
    common = "-p platform.xml --tau 60 -o compare.csv --threads 1 -w workloads/001.json workloads/002.json"
    policy = "easy,order={},backfill-order=spf,ties=last"
    assert program.calls == [
        f"compare {policy.format('saf')} {policy.format('fcfs')} {common}",
        f"compare {policy.format('saf')},threshold=72000 {policy.format('fcfs')},threshold=72000 {common}"]
    assert lines_of(tmp_path / "v.csv") == ["threshold,period,policy,value", "none,1,saf,1", "none,1,fcfs,2",
                                            "72000,1,saf,3", "72000,1,fcfs,4"]


def test_changes_are_laid_over_settings() -> None:
    settings = {"tau": 60, "parameters": {"ties": "last", "extra": "needed"}, "weeks": {"skip": 3, "count": 2}}
    assert variant.lay_over(settings, {"tau": 10, "parameters": {"ties": "first"}, "weeks": {"skip": 1}}) == {
        "tau": 10, "parameters": {"ties": "first", "extra": "needed"}, "weeks": {"skip": 1, "count": 2}}
    assert variant.lay_over(settings, {}) == settings


def test_a_variant_makes_its_own_weeks(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("generate", writes={"workloads/001.json": "{}"})
    program.answer("compare", writes={"compare.csv": compared("")})
    job = StandInJob({"batfill": str(program.file), "platform": write(tmp_path / "platform.xml"), "logs": []},
                     results_in(tmp_path, values="v.csv", manifest="m"),
                     {"settings": {**SETTINGS, "thresholds": {"none": 604800}}, "options": ["lublin"],
                      "periods": {"count": 1, "jobs": 5}, "changes": {"tau": 10, "thresholds": {"none": None}}})
    variant.main(job)
    assert program.calls[1] == ("compare easy,order=saf,backfill-order=spf,ties=last "
                                "easy,order=fcfs,backfill-order=spf,ties=last -p platform.xml --tau 10 "
                                "-o compare.csv --threads 1 -w workloads/001.json")
    assert lines_of(tmp_path / "v.csv")[1:] == ["none,1,saf,1", "none,1,fcfs,2"]


def test_only_jobs_of_one_second_change_places() -> None:
    jobs = [{"id": str(number), "subtime": number // 4, "profile": str(number)} for number in range(12)]
    workload: dict[str, Any] = {"nb_res": 4, "jobs": jobs}
    shuffled = same_second.shuffle(workload, Random(1))
    assert [job["profile"] for job in shuffled["jobs"]] == [job["profile"] for job in workload["jobs"]]
    ids = [job["id"] for job in shuffled["jobs"]]
    assert ids != [job["id"] for job in workload["jobs"]]
    for second in range(3):
        together = slice(4 * second, 4 * second + 4)
        assert sorted(ids[together]) == sorted(job["id"] for job in workload["jobs"][together])
    assert same_second.shuffle(workload, Random(1)) == shuffled


def test_each_draw_replays_shuffled_weeks(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("compare", writes={"compare.csv": compared("")})
    job = periods_job(tmp_path, program, results_in(tmp_path, values="v.csv", manifest="m"),
                      {"settings": {**SETTINGS, "thresholds": {"none": None}}, "draws": 2}, {})
    same_second.main(job)
    assert [call.split(" -w ")[1] for call in program.calls] == ["shuffled/001.json shuffled/002.json"] * 2
    assert lines_of(tmp_path / "v.csv")[:3] == ["draw,threshold,period,policy,value", "1,none,1,saf,1",
                                                "1,none,1,fcfs,2"]


def test_longest_jobs_of_a_log(tmp_path: Path, program: StandInProgram) -> None:
    jobs = {"profiles": {"a": {"delay": 30}, "b": {"delay": 50}, "c": {"delay": 50}},
            "jobs": [{"id": "01", "subtime": 1, "res": 3, "walltime": 40, "profile": "a"},
                     {"id": "03", "subtime": 3, "res": 1, "walltime": 40, "profile": "b"},
                     {"id": "02-2", "subtime": 2, "res": 2, "walltime": 60, "profile": "c"}]}
    program.answer("swf", writes={"log.json": json.dumps(jobs)})
    longest.main(StandInJob(
        {"batfill": str(program.file), "log": write(tmp_path / "log.swf"),
         "paper": write(tmp_path / "paper.csv", "job,run_time,processors", "2,50,2", "3,50,9")},
        results_in(tmp_path, table="t.csv", manifest="m")))
    assert program.calls == ["swf log.swf -o log.json"]
    assert [(row["job"], row["longer"], row["same"]) for row in read_csv(str(tmp_path / "t.csv"))] == [
        ("2", "no", "yes"), ("3", "yes", "no")]


def test_search_keeps_what_it_found_and_forgets_the_unfinished(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("tune", writes={"search/found_results.csv": "a\n1\n", "search/found_values.csv.gz": "packed"})
    search.main(periods_job(tmp_path, program,
                            results_in(tmp_path, results="cover.csv", values="cover-values.csv.gz", manifest="m"),
                            {"search": ["--method", "cover", "--features", "3"], "scales": SCALES}, {}))
    assert program.calls == [
        "tune --method cover --features 3 --scale q=-8 --scale p=-100 --scale wait=1000 "
        "--values search/found_values.csv.gz "
        "-P backfill-order=spf -P threshold=1000 --tau 60 -p platform.xml -o search/found --threads 1 "
        "-w workloads/001.json workloads/002.json"]
    assert (lines_of(tmp_path / "cover.csv"), lines_of(tmp_path / "cover-values.csv.gz")) == (["a", "1"], ["packed"])
    assert not list((tmp_path / "unfinished").iterdir())


def test_search_that_fails_leaves_the_unfinished(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("tune", writes={"search/found_convergence.csv": "half"}, status=1)
    with pytest.raises(JobError, match="batfill tune"):
        search.main(periods_job(tmp_path, program, results_in(tmp_path, results="xnes3.csv", manifest="m"),
                                {"search": ["--method", "xnes", "--features", "6"], "scales": SCALES}, {}))
    assert lines_of(tmp_path / "unfinished" / "xnes3" / "found_convergence.csv") == ["half"]
    assert "--scale wait=1000 --scale ratio=-100" in program.calls[0]


def audit_job(folder: Path, program: StandInProgram, in_memory: str) -> StandInJob:
    """A job of rule `mixed_audit` that looks at the first of two periods."""
    weights = write(folder / "w.csv", "policy,period,value,q,p,wait,ratio,expansion,area", "w-train,,9,1,0,0,0,0,0",
                    "w-star,1,9,0,1,0,0,0,0", "w-star,2,9,0,0,1,0,0,0")
    values = write(folder / "p.csv", "period,policy,value", *(
        f"{period},{policy},{in_memory}" for period in (1, 2) for policy in ("saf", "w-train", "w-star")))
    job = periods_job(folder, program, results_in(folder, audit="audit.csv", manifest="m"),
                      {"engine": "simulate", "every": 2, "scales": SCALES, "policies": ["saf", "w-train", "w-star"]},
                      {})
    job.input = named({**dict(job.input.items()), "policies": values, "weights": weights})
    return job


def test_audit_replays_with_the_weights_of_the_period(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("metrics", prints="run,mean_bounded_slowdown\nschedule,2.500000001\n")
    audit.main(audit_job(tmp_path, program, "2.5"))
    chosen = [call.split(" -a easy -P ")[1] for call in program.calls if call.startswith("simulate")]
    common = " -P backfill-order=spf -P threshold=1000"
    scales = " -P scales=-8,-100,1000,-100,1,-800"
    assert chosen == [f"order=saf{common}", f"order=mixed -P weights=1,0,0,0,0,0{scales}{common}",
                      f"order=mixed -P weights=0,1,0,0,0,0{scales}{common}"]
    assert [call for call in program.calls if call.startswith("metrics")][0].endswith("--tau 60 --format csv")
    assert sum(call.startswith("check schedule_jobs.csv -w workloads/001.json") for call in program.calls) == 3
    assert lines_of(tmp_path / "audit.csv")[:2] == ["period,policy,value", "1,saf,2.500000001"]


def test_audit_refuses_other_values_than_in_memory(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("metrics", prints="run,mean_bounded_slowdown\nschedule,2.5001\n")
    with pytest.raises(JobError, match="001.json: saf is 2.5001 with the engine, 2.5 in memory"):
        audit.main(audit_job(tmp_path, program, "2.5"))


def test_a_log_is_split_into_numbered_periods(tmp_path: Path, program: StandInProgram) -> None:
    log = write(tmp_path / "logs" / "KTH.swf")
    whole = {"profiles": {"a": {"delay": 10}, "b": {"delay": 20}},
             "jobs": [{"profile": "a", "res": 1}, {"profile": "b", "res": 4}]}
    # One answer for both calls: the folder of periods and the whole log.
    program.answer("swf", prints='{"kept": 2}', writes={
        "split/KTH-2.json": "second", "split/KTH-3.json": "third", "whole.json": json.dumps(whole)})
    output = results_in(tmp_path, workloads="workloads", conversion="split.json", manifest="m")
    split.main(StandInJob({"batfill": str(program.file), "logs": [log]}, output, {
        "options": ["--keep"],
        "periods": {"days": 7, "skip": 1, "crossing": "keep", "count": 2, "table_1": [2, 5]}}))
    assert program.calls == [
        "swf KTH.swf --keep --count-from first-job --split 7 --skip 1 --crossing keep --periods 2 -o split "
        "--format json",
        "swf KTH.swf --keep --from 604800 --until 3024000 -o whole.json --format json"]
    assert {file.name: lines_of(file) for file in (tmp_path / "workloads").iterdir()} == {
        "001.json": ["second"], "002.json": ["third"]}
    assert json.loads((tmp_path / "split.json").read_text(encoding="utf-8")) == {
        "kept": 2, "table_1": {"jobs": 2, "mean_run_time": 15, "mean_size": 2.5}}


def test_periods_are_drawn_where_there_is_no_log(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("generate", writes={f"workloads/00{number}.json": "{}" for number in (1, 2)})
    split.main(StandInJob({"batfill": str(program.file), "logs": []},
                          results_in(tmp_path, workloads="workloads", conversion="split.json", manifest="m"),
                          {"options": ["lublin"], "periods": {"count": 2, "jobs": 50}}))
    assert program.calls == [f"generate lublin --jobs 50 --seed {number} -o workloads/00{number}.json"
                             for number in (1, 2)]
    assert sorted(file.name for file in (tmp_path / "workloads").iterdir()) == ["001.json", "002.json"]
    assert json.loads((tmp_path / "split.json").read_text(encoding="utf-8"))["kept"] == 100
