"""Confidence intervals, as experiments ask `batfill intervals` for them."""
from pathlib import Path

import pytest
from common.intervals import Bounds, Intervals
from common.job import JobError
from stand_ins import StandInProgram

BUILT = Path(__file__).resolve().parents[2] / "build" / "release" / "batfill"
DRAWS = {"low": [1.0, 2.0, 3.0, 4.0, 5.0], "high": [3.0, 4.0, 5.0, 6.0, 12.0]}
JOBS = [5.0, 0.0, *(float(5 + week % 3) for week in range(20))]
SUMS = {("easy", 1): [jobs * (10 + week % 2) for week, jobs in enumerate(JOBS)],
        ("easy", 2): [jobs * 2 * (10 + week % 2) for week, jobs in enumerate(JOBS)]}


def test_bounds_have_verdicts() -> None:
    above, below, open_, none = Bounds(2, 1, 4), Bounds(-2, -3, -1), Bounds(1, -1, 2), Bounds(9, None, None)
    assert [one.verdict("more", "less") for one in (above, below, open_, none)] == ["more", "less", "open", "open"]
    assert [one.contains_0 for one in (above, below, open_, none, Bounds(0, 0, 0))] == [
        False, False, True, False, True]
    assert Bounds(0, 0, 0).verdict("more", "less") == "open"


def test_bounds_are_shown_and_scaled() -> None:
    assert Bounds(2, 1, 4).text("{:.1f}".format) == "2.0 (1.0 to 4.0)"
    assert Bounds(2, None, None).text("{:.1f}".format) == "2.0 (no interval)"
    assert Bounds(2, 1, 4).mapped(lambda value: 10 * value) == Bounds(20, 10, 40)
    assert Bounds(2, None, None).mapped(lambda value: 10 * value) == Bounds(20, None, None)


def test_means_of_draws(intervals_program: str) -> None:
    found = Intervals(intervals_program).means(DRAWS)
    # The standard error is the square root of 2.5 / 5.
    assert list(vars(found["low"]).values()) == pytest.approx([3, 3 - 2 * 0.5 ** 0.5, 3 + 2 * 0.5 ** 0.5])
    assert found["high"].value == 6
    few = Intervals(intervals_program).means({"few": [1.0, 2.0, 6.0]})
    assert few == {"few": Bounds(3, None, None)}


def test_weeks_have_jobs(intervals_program: str) -> None:
    intervals = Intervals(intervals_program)
    means = intervals.weekly_means(JOBS, SUMS)
    jobs = sum(JOBS)
    assert means["easy", 1].value == pytest.approx(sum(SUMS["easy", 1]) / jobs)
    assert means["easy", 1].low is not None
    changes = intervals.weekly_changes(JOBS, SUMS, ("easy", 1))
    assert list(vars(changes["easy", 2]).values()) == pytest.approx([1, 1, 1])
    assert changes["easy", 1] == Bounds(0, 0, 0)
    hours = intervals.weekly_changes(JOBS, SUMS, ("easy", 2), relative=False)
    assert hours["easy", 1].value == pytest.approx(-sum(SUMS["easy", 1]) / jobs)
    assert hours["easy", 1].verdict("more", "less") == "less"


def test_weeks_without_jobs_do_not_count(intervals_program: str) -> None:
    # 20 weeks, of which one has no jobs.
    found = Intervals(intervals_program).weekly_means(JOBS[:20], {"easy": SUMS["easy", 1][:20]})
    assert (found["easy"].low, found["easy"].high) == (None, None)


def test_samples_have_the_same_length(intervals_program: str) -> None:
    with pytest.raises(ValueError, match="not of the same length"):
        Intervals(intervals_program).means({"one": [1.0, 2.0], "other": [1.0]})


def test_errors_of_the_program_are_errors(program: StandInProgram) -> None:
    program.answer("intervals", status=3)
    with pytest.raises(JobError, match="`batfill intervals` ended with status 3"):
        Intervals(str(program.file)).means(DRAWS)
    program.answer("intervals", prints="name,value,low,high,difference,difference_low,difference_high\n"
                                       "sample-0,0,,,,,\n")
    with pytest.raises(JobError, match="printed no difference"):
        Intervals(str(program.file)).weekly_changes([1.0], {"none": [0.0]}, "none")


def some_intervals(batfill: str) -> list[Bounds]:
    """Intervals of each kind."""
    ask = Intervals(batfill)
    return [*ask.means(DRAWS).values(), *ask.weekly_means(JOBS, SUMS).values(),
            ask.weekly_changes(JOBS, SUMS, ("easy", 2), relative=False)["easy", 1],
            ask.weekly_changes(JOBS, {"one": SUMS["easy", 1], "other": JOBS}, "other")["one"]]


@pytest.mark.skipif(not BUILT.exists(), reason="the program is not built")
def test_the_program_prints_what_is_read(intervals_program: str) -> None:
    found = some_intervals(str(BUILT))
    assert [one.value for one in found] == pytest.approx([one.value for one in some_intervals(intervals_program)])
    for one in found:
        assert one.low is not None and one.high is not None
        assert one.low < one.value < one.high
    assert Intervals(str(BUILT)).means({"few": [1.0, 2.0, 6.0]}) == {"few": Bounds(3, None, None)}
