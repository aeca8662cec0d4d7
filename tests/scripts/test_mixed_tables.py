"""Tables and statements of the paper on mixed policies, of small results."""
import json
from pathlib import Path
from typing import Any

import decide_again
import pytest
from common.tables import read_csv, write_csv
from mixed_policies import statements, tables
from mixed_policies.named_weeks import met, named_weeks
from mixed_policies.period_values import PeriodValues
from stand_ins import StandInJob, write

ORDERS = ["fcfs", "saf", "spf", "lexp"]
# Values by policy and week.
VALUES: dict[str, dict[int, float]] = {policy: dict(zip(range(5 - len(values), 5), values)) for policy, values in {
    "fcfs": (40.0, 20.0, 30.0, 12.0),
    "saf": (20.0, 10.0, 30.0, 10.0),
    "spf": (10.0, 20.0, 40.0, 10.05),
    "lexp": (50.0, 50.0, 50.0, 50.0),
    "w-star": (10.0, 8.0, 20.0, 10.0),
    "w-train": (10.0, 10.0, 40.0, 20.0),
    "w-greedy": (8.0, 60.0, 10.0),
    "w-star-raw": (12.5, 8.0, 20.0, 10.0),
    "w-train-raw": (12.0, 10.0, 40.0, 20.0),
    **{f"xnes3-{seed}": (10.0, 8.0, 22.0 if seed % 2 else 20.0, 9.0) for seed in range(1, 7)},
    **{f"xnes6-{seed}": (5.0, 8.0, 22.0, 9.0) if seed % 2 else (5.0, 8.0, 20.0, 9.5) for seed in range(1, 7)},
}.items()}
HALVES = {"training": [1, 2], "testing": [3, 4]}
WEEKS = {**HALVES, "points": 3, "raw_points": 31, "seeds": 6, "evaluations": {"xnes3": 10, "xnes6": 100}}
SP2, OTHER = "SDSC-SP2", "drawn"
MACHINES = {SP2: {"weeks": WEEKS, "months": HALVES, "longest": True}, OTHER: {"weeks": WEEKS, "months": HALVES}}


@pytest.fixture(name="values")
def values_file(tmp_path: Path) -> str:
    """All values as `policies.csv` has them."""
    return write(tmp_path / "policies.csv", "period,policy,value", *(
        f"{week},{policy},{value}" for policy, weeks in VALUES.items() for week, value in weeks.items()))


def inputs(folder: Path, values: str, batfill: str) -> dict[str, Any]:
    """What rule `mixed_tables` is given, of two machines with the same values."""
    sums = ["log,threshold,policy,here,printed,paper,difference", *(
        f"{log},{threshold},{policy},{here},{printed if paper else ''},{paper},{difference}"
        for log, paper, difference in ((SP2, 10, 0.001), (OTHER, "", ""))
        for threshold in ("none", "200000", "72000")
        for policy, here, printed in (("SAF", 10, 20), ("FCFS", 20 if threshold == "72000" else 30, 30),
                                      ("LAF", 50, 50 if threshold == "72000" else 40)))]
    return {
        "batfill": batfill,
        "paper": write(folder / "paper.csv", "machine,policy,what,sum", *(
            f"{SP2},{policy},{half},{number}" for policy, number in (
                ("saf", 39.5), ("w-star", 20), ("w-train", 30), ("w-greedy", 60)) for half in ("training", "testing"))),
        "paper_logs": write(folder / "logs.csv", "machine,jobs,processors,months,mean_run_time,mean_size",
                            f"{SP2},1000,100,11,1230,8"),
        "paper_weeks": write(folder / "named.csv", "week,section,statement,policy,other,relation,times",
                             "3,6.2,SAF is not the best,pure,saf,clearly below,",
                             "4,7.1,quiet,fcfs,w-star,quiet,", "1,7.1,SAF is 2.02 times w*,saf,w-star,times,2.02",
                             "2,8,xnes3 is better,xnes3,xnes6,below,"),
        "splits": [write(folder / "sp2.json", json.dumps({"kept": 2000, "table_1": {
            "jobs": 1004, "mean_run_time": 1234.56, "mean_size": 7.25}})),
            write(folder / "drawn.json", json.dumps({"kept": 3000, "table_1": None}))],
        "weeks": [values] * 2, "months": [values] * 2,
        "convergence": [write(folder / f"{number}-convergence.csv", "workload,evaluation,value", f"1,1,{number + 9}",
                              "2,1,7", "1,5,3", "2,60,2") for number in range(24)],
        "sums": [write(folder / "sums.csv", *sums),
                 write(folder / "key.csv", "log,threshold,printed,row,policy", f"{SP2},none,10,SAF,SAF",
                       f"{SP2},none,30,FCFS,FCFS", f"{SP2},72000,30,LAF,FCFS", f"{SP2},72000,50,FCFS,LAF",
                       *(f"{SP2},200000,{number},{policy},{policy}" for policy, number in (
                           ("SAF", 10), ("LEXP", 20), ("SPF", 25), ("FCFS", 30)))),
                 write(folder / "differences.csv", "setting,numbers,to the digit,median,within 2 %",
                       "the paper's,9,7,0.001,1")],
        "spaces": [write(folder / "figure-4.csv", '"week","median, q <= 0","median, q >= 0",share_below_these',
                         "70,5,4,", "71,6,7,0.2")],
        "longest": [write(folder / "table-7.csv", "job,same", "1,yes", "2,no")],
    }


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, values: str, intervals_program: str) -> Path:
    """The folder with all tables."""
    folder = tmp_path / "tables"
    folder.mkdir()
    tables.main(StandInJob(inputs(tmp_path, values, intervals_program), [str(folder / "table-1.csv")],
                           {"machines": MACHINES, "orders": ORDERS, "searches": ["xnes3", "xnes6"]}))
    return folder


def rows(folder: Path, table: str, **where: str) -> list[dict[str, str]]:
    """The rows of a table in which columns have these values."""
    return [row for row in read_csv(str(folder / f"{table}.csv")) if all(row[one] == of for one, of in where.items())]


def test_table_1_compares_the_logs(written: Path) -> None:
    paper, drawn = rows(written, "table-1")
    assert (paper["jobs, paper"], paper["jobs, here"], paper["weeks"]) == ("1000", "1004", "4")
    assert float(paper["difference"]) == pytest.approx(0.004)
    assert (drawn["jobs, here"], drawn["jobs replayed"]) == ("", "3000")


def test_table_2_ranks_by_training_and_has_words(written: Path) -> None:
    found = rows(written, "table-2", log=SP2)
    assert [(row["policy"], row["training"], row["testing"], row["place in testing"]) for row in found][:4] == [
        ("w*", "18.0", "30.0", "1"), ("w*_train", "20.0", "60.0", "5"), ("w*, raw features", "20.5", "30.0", ""),
        ("w*_train, raw features", "22.0", "60.0", "")]
    [saf] = rows(written, "table-2", log=SP2, policy="SAF")
    assert (saf["testing, paper"], saf["testing, word"], saf["training, word"]) == ("39.5", "close", "differs")
    assert rows(written, "table-2", log=OTHER, policy="SAF")[0]["testing, word"] == ""


def test_numbers_of_weeks(written: Path) -> None:
    found = {row["what"]: row[SP2] for row in rows(written, "weeks")}
    numbers = {
        "weeks": 4, "SAF best or within 1 %": 3, "SAF more than 10 % above the best": 1,
        "SAF and FCFS within 10 % of w*": 0, "SAF within 10 % of w*": 1,
        "FCFS and SAF at most 5 above w*": 1, "weeks of training and testing": 4,
        "best pure of the week / w*, sums": 60 / 48, "best pure of the week / w*, largest": 1.5, "week of that": 3,
        "SAF / best pure of the week, sums": 70 / 60, "SAF / w*, largest": 2, "week of this": 1,
        "w*_train / SAF, training": 20 / 30, "w_greedy / SAF, testing": 70 / 40, "weeks after another": 3,
        "w_greedy more than 10 % below SAF": 1, "w_greedy more than 10 % above SAF": 1}
    assert {what: float(found[what]) for what in numbers} == pytest.approx(numbers)


def test_features_scaled_and_raw(written: Path) -> None:
    [row] = rows(written, "features", log=SP2, half="training")
    assert [row[name] for name in ("vectors", "vectors, raw", "w*", "w*, raw", "w*, paper", "w*_train, raw")] == [
        "6", "902", "18.0", "20.5", "20.0", "22.0"]


def test_searches_have_intervals_over_seeds(written: Path) -> None:
    [row] = rows(written, "searches", log=SP2)
    # Three times 49 and 47 beside 48; 44 and 42.5 beside them: differences of -5/49 and -4.5/47.
    assert float(row["xnes3 above w*"]) == pytest.approx(0)
    assert float(row["xnes6 above xnes3"]) == pytest.approx(100 * (-5 / 49 - 4.5 / 47) / 2)
    assert float(row["xnes6 above xnes3, low"]) < float(row["xnes6 above xnes3"]) < float(
        row["xnes6 above xnes3, high"]) < 0
    assert row["verdict"] == "less"
    assert (row["xnes3, w*: weeks below"], row["xnes3, w*: weeks above"]) == ("1", "1")
    assert (row["xnes6, xnes3: weeks below"], row["xnes6, xnes3: weeks above"]) == ("1", "1")


def test_convergence_is_the_sum_of_the_best_so_far(written: Path) -> None:
    found = rows(written, "convergence", log=SP2)
    # The first six files are those of the seeds of xnes3; the next six those of xnes6.
    assert [(row["search"], row["evaluations"], row["sum"]) for row in found] == [
        ("xnes3", "10", "10.0"), ("xnes6", "10", "10.0"), ("xnes6", "20", "10.0"), ("xnes6", "50", "10.0"),
        ("xnes6", "100", "5.0")]
    assert all(row["low"] == row["sum"] == row["high"] for row in found)


def test_named_weeks_have_words(written: Path) -> None:
    found = rows(written, "named-weeks")
    assert [row["word"] for row in found] == ["differs", "same direction", "same", "differs"]
    assert found[0]["here"] == "the best pure policy (FCFS) 30.00, SAF 30.00"
    assert found[1]["here"] == "FCFS 12.00, w* 10.00, SAF 10.00"
    assert [row["bound"] for row in found] == [
        "the first is less by more than 5 %", "both pure policies are at most 5 above w*", "by the number (baseline 1)",
        "the first is less"]
    assert found[2]["here"] == "SAF 20.00, w* 10.00: 2.00 times"
    assert met(found) == 2


def test_without_the_log_no_week_is_named() -> None:
    assert [row["week"] for row in named_weeks([{"week": "1"}], None)] == [None]


def test_statements_have_their_words(written: Path) -> None:
    said = {row["statement"]: (row["here"], row["word"]) for row in rows(written, "statements")}
    assert said["SAF is the best pure policy on all logs"] == (f"place {SP2} 1, {OTHER} 1", "same direction")
    assert said["FCFS is always among the worst"] == (f"place {SP2} 3, {OTHER} 3", "same direction")
    assert said["In rare weeks xnes3 is better than xnes6"][1] == "same direction"
    assert said["The half with q >= 0 has the lower slowdowns"] == (
        "medians of both halves: week 70 5.00 and 4.00, week 71 6.00 and 7.00", "differs")
    assert said["The optimum of a week is poor in the next"] == (
        "share of the weights that are better: week 71 20.0 %", "same direction")
    assert said["A threshold cannot change FCFS; in its row the numbers differ on SDSC-SP2"] == (
        "by the key they differ on none", "same direction")
    assert all(row["bound"] for row in rows(written, "statements"))
    [trained] = [text for text in said if text.startswith("w*_train is slightly better")]
    assert trained.endswith("0.76 on SDSC-SP2")
    assert said[trained][1] == "same direction"


def test_statements_are_asked_of_the_papers_own_tables(written: Path) -> None:
    said = {row["statement"]: (row["word"], row["own"], row["own_word"]) for row in rows(written, "statements")}
    assert said["SPF and LEXP follow"] == (
        "differs", f"places of SPF and LEXP: {SP2} 3 and 2", "same direction")
    assert said["With 20 hours all come closer to FCFS"] == (
        "differs", f"{SP2} 0 of 2 policies; mean distance with 200,000 and 72,000 s: {SP2} 33.3 % and 50.0 %",
        "differs")
    assert said["Without a threshold the policies differ most"] == (
        "same direction", f"LAF / SAF without and with 72,000 s: {SP2} 2.00 and 2.50", "differs")
    assert said["In testing w*_train is the best or the second best on all logs (beside w*)"][1:] == (
        f"place {SP2} 1", "same direction")
    assert said["w_greedy is sometimes better and sometimes worse than SAF"][1:] == ("", "")


def test_overview_has_a_line_for_each_table_and_figure(written: Path) -> None:
    found = {row["what"]: row for row in rows(written, "overview")}
    assert found["Tables 3 to 6, columns sorted"]["largest_difference"] == (
        "9 sums: median 0.100 %, 100.0 % within 2 %, 7 to 0.01")
    assert found["Table 1"]["largest_difference"] == "jobs +0.40 % (SDSC-SP2)"
    assert (found["Table 4"]["repeated"], found["Table 4"]["why_not"]) == ("no", "its log was not there")
    assert found["Table 7"]["largest_difference"] == "1 of 2 rows are the paper's"
    assert found["Table 2, pure policies"]["largest_difference"] == "-24.05 % (SAF, training)"
    assert {"Figure 1", "Figure 4", "Figure 15", "weeks that the text names"} <= set(found)


def test_drawn_workloads_have_no_overview() -> None:
    [line] = statements.overview({}, {"sums": [{"paper": ""}]}, [])
    assert (line.repeated, line.word) == ("no", "")


def test_seeds_of_a_search(values: str) -> None:
    assert tables.means(PeriodValues(values, ORDERS), "xnes3") == [10, 8, 21, 9]


def test_published_statements_are_those_of_the_published_tables(tmp_path: Path) -> None:
    for name, decided in decide_again.decide(decide_again.FOLDER).items():
        again = tmp_path / f"{name}.csv"
        write_csv(str(again), decided)
        assert again.read_text() == (decide_again.FOLDER / again.name).read_text()
