"""The sums of the paper on mixed policies: whose its printed numbers are, and what is left of the differences."""
from pathlib import Path

import pytest
from common.tables import read_csv
from mixed_policies import sums
from mixed_policies.sums import Paper, Printed, Sums, to_the_digit, whose
from stand_ins import StandInJob, write

# Two weeks of three policies; the paper prints their sums 5.00, 7.00 and 9.00, sorted, in the rows of spf, saf, fcfs.
WEEKS = {"none": {"saf": {1: 2.0, 2: 3.0004}, "spf": {1: 3.0, 2: 4.5}, "fcfs": {1: 4.0, 2: 5.0}}}
PAPER = ("machine,policy,what,sum", "KTH,spf,none,5.00", "KTH,saf,none,7.00", "KTH,fcfs,none,9.00")


@pytest.fixture(name="paper")
def papers_table(tmp_path: Path) -> Paper:
    """The paper's table."""
    return Paper(write(tmp_path / "paper.csv", *PAPER))


def test_the_smallest_number_belongs_to_the_policy_with_the_smallest_sum() -> None:
    column = [Printed("saf", 1.0), Printed("fcfs", 3.0), Printed("lrf", 2.0)]
    assert whose(column, {"fcfs": 2.1, "lrf": 3.2, "saf": 0.9}) == {
        "saf": Printed("saf", 1.0), "fcfs": Printed("lrf", 2.0), "lrf": Printed("fcfs", 3.0)}
    assert not whose([], {"saf": 1.0})


def test_weeks_are_rounded_before_they_are_added() -> None:
    assert to_the_digit([1.0004] * 100, 100.0)
    assert not to_the_digit([1.0006] * 100, 100.06)
    assert [to_the_digit([1.0], printed) for printed in (0.98, 0.99, 1.01, 1.02)] == [False, True, True, False]


def test_key_tells_whose_a_number_is_and_whether_that_is_sure(paper: Paper) -> None:
    key = {row["policy"]: row for row in Sums({"KTH": WEEKS}, paper).key()}
    assert {policy: (row["row"], row["printed"], row["moved"], row["sure"]) for policy, row in key.items()} == {
        "SAF": ("SPF", 5.0, "yes", "yes"), "SPF": ("SAF", 7.0, "yes", "yes"), "FCFS": ("FCFS", 9.0, "no", "yes")}
    close = {"none": {**WEEKS["none"], "fcfs": {1: 4.0, 2: 3.6}}}
    key = {row["policy"]: row for row in Sums({"KTH": close}, paper).key()}
    # 7.00 is nearest to 7.5, but 9.00 is 1.4 from 7.6 and 1.5 from 7.5.
    assert [key[policy]["sure"] for policy in ("SAF", "SPF", "FCFS")] == ["yes", "yes", "yes"]
    closer = {"none": {**WEEKS["none"], "spf": {1: 3.0, 2: 5.9}, "fcfs": {1: 4.0, 2: 4.8}}}
    key = {row["policy"]: row for row in Sums({"KTH": closer}, paper).key()}
    assert {policy: row["sure"] for policy, row in key.items()} == {"SAF": "yes", "FCFS": "yes", "SPF": "yes"}
    assert key["FCFS"]["row"] == "SAF"


def test_a_number_nearer_to_another_policy_is_not_sure(paper: Paper) -> None:
    weeks = {"none": {"saf": {1: 5.0}, "spf": {1: 8.7}, "fcfs": {1: 9.9}}}
    key = {row["policy"]: row["sure"] for row in Sums({"KTH": weeks}, paper).key()}
    assert key == {"SAF": "yes", "SPF": "yes", "FCFS": "no"}


def test_summary_of_differences() -> None:
    of = {("KTH", "none", "saf"): 0.001, ("KTH", "none", "spf"): -0.03, ("KTH", "none", "fcfs"): 0.02}
    summary = sums.summary("other", of)
    assert (summary["numbers"], summary["median"], summary["largest"], summary["where"]) == (
        3, 0.02, -0.03, "KTH, none, SPF")
    assert (summary["within 2 %"], summary["within 2 %, count"]) == (2 / 3, 2)
    assert sums.summary("none", {})["median"] is None


@pytest.fixture(name="written")
def sums_as_written(tmp_path: Path) -> Path:
    """The folder with what the job has written."""
    def values(name: str, *head: str) -> str:
        return write(tmp_path / name, *head, *(
            ("1," if "draw" in head[0] else "") + f"none,{week},{policy},{value}"
            for policy, weeks in WEEKS["none"].items() for week, value in weeks.items()))

    pure = values("pure.csv", "threshold,period,policy,value")
    drawn = values("drawn.csv", "draw,threshold,period,policy,value", "2,none,1,saf,2.0", "2,none,2,saf,3.1",
                   "2,none,1,spf,2.5", "2,none,2,spf,4.3", "2,none,1,fcfs,4", "2,none,2,fcfs,5")
    (tmp_path / "tables").mkdir()
    sums.main(StandInJob(
        {"paper": write(tmp_path / "paper.csv", *PAPER), "pure": [pure, pure], "same_second": [drawn, drawn],
         "variants": [write(tmp_path / "other.csv", "threshold,period,policy,value", "none,1,saf,5.0", "none,1,spf,7.7",
                            "none,1,fcfs,8.91"), pure]},
        [str(tmp_path / "tables" / "sums.csv")],
        {"machines": ["KTH", "other"], "variants": ["tau-10"], "thresholds": ["none"]}))
    return tmp_path / "tables"


def test_sums_are_beside_the_papers_and_the_draws(written: Path) -> None:
    rows = {(row["log"], row["policy"]): row for row in read_csv(str(written / "sums.csv"))}
    saf, spf, unknown = rows["KTH", "SAF"], rows["KTH", "SPF"], rows["other", "SAF"]
    assert (saf["printed"], saf["paper"], saf["to the digit"], saf["notable"]) == ("7.0", "5.0", "yes", "no")
    assert (spf["printed"], spf["paper"], spf["to the digit"], spf["notable"]) == ("5.0", "7.0", "no", "yes")
    assert [float(spf[name]) for name in ("least", "most", "week, least", "week, most")] == [6.8, 7.5, 2.5, 3.0]
    assert (spf["week"], spf["in draws"], saf["draws"]) == ("1", "yes", "2")
    assert (unknown["paper"], unknown["difference"], unknown["in draws"]) == ("", "", "no")


def test_settings_are_compared_by_their_differences(written: Path) -> None:
    rows = read_csv(str(written / "differences.csv"))
    assert [(row["setting"], row["numbers"], row["to the digit"]) for row in rows] == [
        ("the paper's", "3", "2"), ("the same, numbers by the row in which they are printed", "3", ""),
        ("tau-10", "3", "1")]
    assert [float(row["largest"]) for row in rows] == pytest.approx([0.5 / 7, 0.5, 0.1])


def test_without_a_log_of_the_paper_nothing_is_known(tmp_path: Path) -> None:
    other = Sums({"generated": WEEKS}, Paper(write(tmp_path / "paper.csv", *PAPER)))
    assert [row["log"] for row in other.key()] == [None]
    assert other.digits() == 0
