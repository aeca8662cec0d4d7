"""The paper on mixed policies: its jobs, tables and figures from small inputs."""
import gzip
import json
import math
from pathlib import Path
from typing import Any, Optional

import pytest
from common.job import JobError
from common.tables import read_csv, write_csv
from mixed_policies import audit, figures, policies, pure, scaled, search, space, split, tables
from mixed_policies.cover import FEATURES, Cover
from mixed_policies.period_values import PeriodValues, shown
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
    "xnes3": [10.0, 8.0, 22.0, 9.0],
    "xnes6": [5.0, 8.0, 22.0, 9.0],
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
    assert (shown("saf"), shown("w-train")) == ("SAF", "w*_train")


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, values: str) -> Path:
    """The folder with all tables, of two machines with the same values."""
    pure_values = write(tmp_path / "pure.csv", "period,policy,value", "1,saf,1", "1,fcfs,4", "1,spf,2", "2,saf,1",
                        "2,fcfs,5", "2,spf,2")
    paper = write(tmp_path / "paper.csv", "machine,policy,what,sum", "KTH,saf,testing,39.5", "KTH,saf,200000,71",
                  "KTH,spf,200000,70", "KTH,fcfs,200000,99", "KTH,saf,none,66")
    paper_logs = write(tmp_path / "paper-logs.csv", "machine,jobs,processors,months,mean_run_time,mean_size",
                       "KTH,27670,100,11,8579,8")
    whole = {"jobs": 5, "mean_run_time": 1234.56, "mean_size": 7.25}
    splits = [write(tmp_path / "kth.json", json.dumps({"kept": 2000, "whole": whole})),
              write(tmp_path / "ctc.json", json.dumps({"kept": 3000}))]
    weights = write(tmp_path / "scaled.csv", "period,vectors,w-star,w-train", "1,38,9,11", "2,38,8,9", "3,38,21,41",
                    "4,38,10,19")
    folder = tmp_path / "tables"
    folder.mkdir()
    tables.main(StandInJob(
        {"paper": paper, "paper_logs": paper_logs, "splits": splits, "weeks": [values] * 2, "months": [values] * 2,
         "scaled": [weights] * 2, "pure": [pure_values] * 4},
        [str(folder / "table-1.csv")], {"machines": MACHINES, "orders": ORDERS, "thresholds": ["none", 200000]}))
    return folder


def test_table_1_compares_the_logs(written: Path) -> None:
    assert lines_of(written / "table-1.md")[4:] == [
        "| KTH | 27,670 | 5 | 8,579.0 | 1,234.6 | 8 | 7.2 | 4 | 2,000 |",
        "| CTC | - | - | - | - | - | - | 4 | 3,000 |"]


def test_table_2_ranks_by_training(written: Path) -> None:
    rows = [row for row in read_csv(str(written / "table-2.csv")) if row["log"] == "KTH"]
    assert [(row["policy"], row["training"], row["testing"], row["place in testing"]) for row in rows] == [
        ("w*", "18.0", "30.0", "1"), ("w*_train", "20.0", "60.0", "5"), ("SAF", "30.0", "40.0", "2"),
        ("SPF", "30.0", "50.05", "4"), ("FCFS", "60.0", "42.0", "3"), ("w_greedy", "", "70.0", "6")]
    assert [row["testing, paper"] for row in rows] == ["", "", "39.5", "", "", ""]


def test_thresholds_are_beside_the_papers(written: Path) -> None:
    assert lines_of(written / "thresholds.md")[2:7] == [
        "| log | policy | none | 200000 | none, paper | 200000, paper |", "|---|---:|---:|---:|---:|---:|",
        "| KTH | SAF | 2.00 | 2.00 | 66.00 | 71.00 |", "| KTH | SPF | 4.00 | 4.00 | - | 70.00 |",
        "| KTH | FCFS | 9.00 | 9.00 | - | 99.00 |"]


def test_ranking_has_the_papers_where_there_is_one(written: Path) -> None:
    assert lines_of(written / "ranking.csv") == [
        'place,"KTH, paper","KTH, here","CTC, here"', "1,SPF,SAF,SAF", "2,SAF,SPF,SPF", "3,FCFS,FCFS,FCFS"]


def test_statements_on_weeks(written: Path) -> None:
    found = {row["what"]: row["KTH"] for row in read_csv(str(written / "weeks.csv"))}
    texts = {
        "weeks": "4",
        "SAF is the best pure policy, or within 1 % of it": "3 of 4",
        "SAF more than 10 % above the best pure policy": "1 of 4",
        "no policy matters: SAF and FCFS within 10 % of w*": "0 of 4",
        "SAF within 10 % of w*": "1 of 4",
        "SAF / w*, largest": "2.00 (week 1)",
        "best pure / w*, largest": "1.50 (week 3)",
        "w_greedy more than 10 % below SAF": "1 of 3",
        "w_greedy more than 10 % above SAF": "1 of 3",
        "xnes3 by more than 1 % from w*": "1 below, 1 above",
        "xnes6 by more than 1 % from xnes3": "1 below, 0 above",
    }
    numbers = {
        "best pure / w*, sums": 60 / 48, "SAF / w*, sums": 70 / 48, "SAF / w*, mean": (2 + 1.25 + 1.5 + 1) / 4,
        "FCFS / w*, sums": 102 / 48, "w*_train / SAF, training": 20 / 30, "w*_train / w*, testing": 2,
        "w_greedy / SAF, testing": 70 / 40, "xnes3 / w*, sums": 49 / 48, "xnes6 / xnes3, sums": 44 / 49,
    }
    assert {what: found[what] for what in texts} == texts
    assert {what: float(found[what]) for what in numbers} == pytest.approx(numbers)


def test_months_and_scales_are_sums_of_halves(written: Path) -> None:
    assert lines_of(written / "months.csv")[:4] == ["log,policy,training,testing", "KTH,w*,18.0,30.0",
                                                    "KTH,w*_train,20.0,60.0", "KTH,w_greedy,,70.0"]
    assert lines_of(written / "scaled.csv")[:3] == [
        'log,half,vectors,SAF,w*,"w*, scaled",w*_train,"w*_train, scaled"',
        "KTH,training,38,30.0,18.0,17.0,20.0,20.0", "KTH,testing,38,40.0,30.0,31.0,60.0,60.0"]


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
    assert list(below.lines[1].get_ydata()) == [0.5, 1, 1.1, 0.9]


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


def test_corners_of_the_cover_are_the_pure_policies(cover_file: str) -> None:
    values = {policy: {week: COVER[corner][week - 1] for week in (1, 2)} for policy, corner in (
        ("spf", (0.0, -1.0, 0.0)), ("lpf", (0.0, 1.0, 0.0)), ("lcfs", (0.0, 0.0, -1.0)), ("fcfs", (0.0, 0.0, 1.0)))}
    policies.require_corners(Cover(cover_file), values)
    values["fcfs"][2] = 7.5
    with pytest.raises(JobError, match="period 2: fcfs is 7.5, but 7.0 as weights"):
        policies.require_corners(Cover(cover_file), values)


def policies_job(folder: Path, program: StandInProgram, cover_file: str) -> StandInJob:
    """A job of rule `mixed_policies_of`, with one search besides the cover."""
    write(folder / "workloads" / "001.json", "{}")
    corners = (("spf", (0.0, -1.0, 0.0)), ("lpf", (0.0, 1.0, 0.0)), ("lcfs", (0.0, 0.0, -1.0)),
               ("fcfs", (0.0, 0.0, 1.0)))
    pure_values = write(folder / "pure.csv", "period,policy,value", *(
        f"{week},{policy},{COVER[corner][week - 1]}" for policy, corner in corners for week in (1, 2)))
    found = "workload,value," + ",".join(f"w_{feature}" for feature in FEATURES)
    best = write(folder / "best.csv", found, '"001",2,0,0,1,0,0,0', '"002",2,-1,0,0,0,0,0')
    xnes = write(folder / "xnes.csv", found, '"001",1.5,0,0.5,0.5,0,0,0', '"002",1.75,0,0,1,0,0,0')
    return StandInJob(
        {"batfill": str(program.file), "platform": write(folder / "platform.xml"), "pure": pure_values,
         "workloads": str(folder / "workloads"), "cover": cover_file, "best": best, "searches": [xnes]},
        results_in(folder, policies="p.csv", weights="w.csv", w_train="w.json", manifest="m.json"),
        {"searches": ["xnes3"], "training": [1, 2], "backfill_order": "spf", "threshold": 200000},
        {"machine": "KTH"}, threads=2)


def test_policies_are_brought_together(tmp_path: Path, program: StandInProgram, cover_file: str) -> None:
    program.answer("compare", writes={"compare.csv": 'workload,w-train\n"001",4\n"002",2\n'})
    policies.main(policies_job(tmp_path, program, cover_file))
    assert program.calls == [
        "compare w-train.json -p platform.xml -o compare.csv --threads 2 -w workloads/001.json"]
    values = {(row["policy"], row["period"]): float(row["value"]) for row in read_csv(str(tmp_path / "p.csv"))}
    assert [values[policy, "2"] for policy in ("fcfs", "w-greedy", "w-train", "w-star", "xnes3")] == [7, 7, 2, 2, 1.75]
    assert ("w-greedy", "1") not in values
    weights = read_csv(str(tmp_path / "w.csv"))
    assert [(row["policy"], row["period"], row["q"]) for row in weights[:3]] == [
        ("w-train", "", "-1.0"), ("w-star", "1", "0"), ("w-star", "2", "-1")]
    assert float(weights[0]["value"]) == 6
    assert json.loads((tmp_path / "w.json").read_text(encoding="utf-8")) == {"algorithm": "easy", "params": {
        "order": "mixed", "backfill-order": "spf", "threshold": 200000, "weights": [-1, 0, 0, 0, 0, 0]}}


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
         "share_within_5_percent": str(1 / 6)}]


def test_cover_of_scaled_weights() -> None:
    weights = list(scaled.cover(3))
    assert weights == [(0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0),
                       (0.0, 1.0, 0.0)]
    assert all(abs(q) + abs(p) + abs(wait) == pytest.approx(1) for q, p, wait in scaled.cover(7))


def periods_job(folder: Path, program: StandInProgram, outputs: dict[str, str], params: dict[str, Any],
                wildcards: dict[str, str]) -> StandInJob:
    """A job that replays the periods of a machine."""
    for number in (1, 2):
        jobs = [{"walltime": 100 * number}, {"walltime": 50}]
        write(folder / "workloads" / f"{number:03}.json", json.dumps({"nb_res": 8, "jobs": jobs}))
    return StandInJob({"batfill": str(program.file), "platform": write(folder / "platform.xml"),
                       "workloads": str(folder / "workloads")}, outputs,
                      {"backfill_order": "spf", "threshold": 1000, **params}, wildcards)


def test_scaled_weights_are_divided_by_the_largest_feature(tmp_path: Path, program: StandInProgram) -> None:
    names = [f"{number:05}" for number in range(6)]
    program.answer("compare", writes={"compare.csv": "\n".join([
        "workload," + ",".join(names), "1,9,8,7,6,5,4", "2,1,2,3,4,5,6", "3,1,1,1,1,1,1"]) + "\n"})
    scaled.main(periods_job(tmp_path, program, results_in(tmp_path, values="v.csv", w_train="w.json", manifest="m"),
                            {"periods": {"scaled_points": 3, "training": [1, 1]}}, {}))
    assert lines_of(tmp_path / "v.csv") == ["period,vectors,w-star,w-train", "1,6,4.0,4.0", "2,6,1.0,6.0",
                                            "3,6,1.0,1.0"]
    policy = json.loads((tmp_path / "w.json").read_text(encoding="utf-8"))
    assert policy["params"]["weights"] == [0, 1 / 200, 0, 0, 0, 0]
    assert scaled.scales([str(tmp_path / "workloads/001.json")], 1000) == (8, 100, 1000)


@pytest.mark.parametrize("threshold, option", [("none", ""), ("200000", ",threshold=200000")])
def test_pure_policies_are_compared(tmp_path: Path, program: StandInProgram, threshold: str, option: str) -> None:
    schedulers = [f"easy,order={order},backfill-order=spf{option}" for order in ("saf", "fcfs")]
    head = ",".join(f'"{scheduler}"' for scheduler in schedulers)
    program.answer("compare", writes={"compare.csv": f'workload,{head}\n"001",1.5,2\n"002",3,4\n'})
    pure.main(periods_job(tmp_path, program, results_in(tmp_path, values="v.csv", manifest="m"),
                          {"orders": ["saf", "fcfs"]}, {"threshold": threshold}))
    assert program.calls == [f"compare {' '.join(schedulers)} -p platform.xml -o compare.csv --threads 1 "
                             "-w workloads/001.json workloads/002.json"]
    assert lines_of(tmp_path / "v.csv") == ["period,policy,value", "1,saf,1.5", "1,fcfs,2", "2,saf,3", "2,fcfs,4"]


def test_search_keeps_what_it_found_and_forgets_the_unfinished(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("tune", writes={"search/found_results.csv": "a\n1\n", "search/found_values.csv.gz": "packed"})
    search.main(periods_job(tmp_path, program,
                            results_in(tmp_path, results="cover.csv", values="cover-values.csv.gz", manifest="m"),
                            {"search": ["--method", "cover"]}, {}))
    assert program.calls == [
        "tune --method cover --values search/found_values.csv.gz -P backfill-order=spf -P threshold=1000 "
        "-p platform.xml -o search/found --threads 1 -w workloads/001.json workloads/002.json"]
    assert (lines_of(tmp_path / "cover.csv"), lines_of(tmp_path / "cover-values.csv.gz")) == (["a", "1"], ["packed"])
    assert not list((tmp_path / "unfinished").iterdir())


def test_search_that_fails_leaves_the_unfinished(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("tune", writes={"search/found_convergence.csv": "half"}, status=1)
    with pytest.raises(JobError, match="batfill tune"):
        search.main(periods_job(tmp_path, program, results_in(tmp_path, results="xnes3.csv", manifest="m"),
                                {"search": ["--method", "xnes"]}, {}))
    assert lines_of(tmp_path / "unfinished" / "method-xnes" / "found_convergence.csv") == ["half"]


def audit_job(folder: Path, program: StandInProgram, in_memory: str) -> StandInJob:
    """A job of rule `mixed_audit` that looks at the first of two periods."""
    weights = write(folder / "w.csv", "policy,period,value,q,p,wait,ratio,expansion,area", "w-train,,9,1,0,0,0,0,0",
                    "w-star,1,9,0,1,0,0,0,0", "w-star,2,9,0,0,1,0,0,0")
    values = write(folder / "p.csv", "period,policy,value", *(
        f"{period},{policy},{in_memory}" for period in (1, 2) for policy in ("saf", "w-train", "w-star")))
    job = periods_job(folder, program, results_in(folder, audit="audit.csv", manifest="m"),
                      {"engine": "simulate", "every": 2, "policies": ["saf", "w-train", "w-star"]}, {})
    job.input = named({**dict(job.input.items()), "policies": values, "weights": weights})
    return job


def test_audit_replays_with_the_weights_of_the_period(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("metrics", prints="run,mean_bounded_slowdown\nschedule,2.500000001\n")
    audit.main(audit_job(tmp_path, program, "2.5"))
    chosen = [call.split(" -a easy -P ")[1] for call in program.calls if call.startswith("simulate")]
    common = " -P backfill-order=spf -P threshold=1000"
    assert chosen == [f"order=saf{common}", f"order=mixed -P weights=1,0,0,0,0,0{common}",
                      f"order=mixed -P weights=0,1,0,0,0,0{common}"]
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
    program.file.write_text(program.file.read_text(encoding="utf-8").replace(
        "answer = ", 'Path("split").mkdir(exist_ok=True)\nanswer = '), encoding="utf-8")
    program.answer("swf", prints='{"kept": 2}', writes={
        "split/KTH-2.json": "second", "split/KTH-3.json": "third", "whole.json": json.dumps(whole)})
    output = results_in(tmp_path, workloads="workloads", conversion="split.json", manifest="m")
    split.main(StandInJob({"batfill": str(program.file), "logs": [log]}, output, {
        "options": ["--keep"], "periods": {"days": 7, "skip": 1, "count": 2, "whole": 5}}))
    assert program.calls == [
        "swf KTH.swf --keep --split 7 --skip 1 --periods 2 -o split --format json",
        "swf KTH.swf --keep --from 604800 --until 3024000 -o whole.json --format json"]
    assert {file.name: lines_of(file) for file in (tmp_path / "workloads").iterdir()} == {
        "001.json": ["second"], "002.json": ["third"]}
    assert json.loads((tmp_path / "split.json").read_text(encoding="utf-8")) == {
        "kept": 2, "whole": {"jobs": 2, "mean_run_time": 15, "mean_size": 2.5}}


def test_periods_are_drawn_where_there_is_no_log(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("generate", writes={f"workloads/00{number}.json": "{}" for number in (1, 2)})
    split.main(StandInJob({"batfill": str(program.file), "logs": []},
                          results_in(tmp_path, workloads="workloads", conversion="split.json", manifest="m"),
                          {"options": ["lublin"], "periods": {"count": 2, "jobs": 50}}))
    assert program.calls == [f"generate lublin --jobs 50 --seed {number} -o workloads/00{number}.json"
                             for number in (1, 2)]
    assert sorted(file.name for file in (tmp_path / "workloads").iterdir()) == ["001.json", "002.json"]
    assert json.loads((tmp_path / "split.json").read_text(encoding="utf-8"))["kept"] == 100
