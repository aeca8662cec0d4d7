"""Confidence intervals of means over few draws."""
import statistics
from random import Random

import pytest
from common.confidence import Interval, student_t


# As tables of the distribution have them.
@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (19, 2.093),
                                                   (120, 1.980)])
def test_quantiles_of_student_t(degrees: int, quantile: float) -> None:
    assert student_t(degrees) == pytest.approx(quantile, abs=0.0006)


def test_interval_by_hand() -> None:
    # Deviation 2, so the standard error of four values is 1; t for three degrees is 3.182.
    interval = Interval.of([8 - 3 ** 0.5, 8 - 3 ** 0.5, 8 + 3 ** 0.5, 8 + 3 ** 0.5])
    assert [interval.mean, interval.half_width] == pytest.approx([8, 3.182], abs=0.001)
    assert [interval.low, interval.high] == pytest.approx([4.818, 11.182], abs=0.001)
    assert interval.text("{:.1f}".format) == "8.0 ± 3.2"


def test_difference_is_taken_draw_by_draw() -> None:
    low, high = [1.0, 20.0, 300.0], [2.0, 21.0, 301.0]
    assert Interval.of_difference(high, low) == Interval(1, 0)
    assert Interval.of_difference(high, low).differs
    assert Interval.of_difference(low, high).differs
    assert not Interval.of_difference(low, low).differs
    assert not Interval.of_difference([0.0, 2.0], [1.0, 0.0]).differs
    with pytest.raises(ValueError, match="not pairs"):
        Interval.of_difference([1.0], low)


def test_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    random = Random(1)
    hits = [Interval.of([random.gauss(3, 2) for _ in range(5)]) for _ in range(4000)]
    share = statistics.fmean(interval.low <= 3 <= interval.high for interval in hits)
    assert share == pytest.approx(0.95, abs=0.015)
