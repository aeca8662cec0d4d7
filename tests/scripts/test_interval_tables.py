"""The tables of docs/metrics.md on how often intervals err: they are those of the files, and within their bounds."""
import interval_tables
import pytest

OF_MEANS = 0.07
OF_PERCENTILES = 0.08


def test_the_page_has_the_tables_of_the_files() -> None:
    page = interval_tables.PAGE.read_text(encoding="utf-8")
    assert interval_tables.with_tables(page) == page


@pytest.mark.parametrize("name", ["workloads", "weeks", "logs"])
def test_intervals_of_differences_err_as_seldom_as_promised(name: str) -> None:
    for row in interval_tables.read(name):
        bound = OF_MEANS if row["metric"] in interval_tables.MEANS else OF_PERCENTILES
        assert float(row["without_truth"]) <= bound, row


def test_tables_of_equal_schedulers_have_few_marks() -> None:
    for row in interval_tables.read("tables"):
        assert float(row["with_a_mark"]) <= 0.05, row


@pytest.mark.parametrize("name, fewest, least", [("workloads", 8, 40), ("workloads", 12, 50), ("weeks", 20, 40)])
def test_intervals_find_half_of_what_a_test_with_known_variance_finds(name: str, fewest: int, least: int) -> None:
    """That test finds 80 %."""
    assert interval_tables.least_found(interval_tables.read(name), fewest, 100) >= least
