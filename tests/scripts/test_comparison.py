"""The words that say how a number compares with the paper's."""
import pytest
from common.comparison import DIFFERS, Overview, Statement, relation, rows_of, word, worst


@pytest.mark.parametrize("ours, paper, found", [
    (100, 100, "same"), (101, 100, "same"), (99, 100, "same"), (1.01, 1, "same"), (-1.01, -1, "same"),
    (101.1, 100, "close"), (105, 100, "close"), (95, 100, "close"), (-38.5, -38, "close"),
    (105.1, 100, "differs"), (-100, 100, "differs"),
    (0, 0, "same"), (1e-9, 0, "differs"), (0, 1e-9, "differs"),
])
def test_word_of_a_number(ours: float, paper: float, found: str) -> None:
    assert word(ours, paper) == found


@pytest.mark.parametrize("ours, paper, baseline, found", [
    (100.5, 100, 200, "same"),        # what is near is not asked for its side
    (99.5, 100, 99.8, "same"),
    (10, 20, 0, "same direction"), (-10, -20, 0, "same direction"), (-10, 20, 0, "differs"),
    (0, 20, 0, "differs"), (20, 0, 0, "differs"), (0, 0, 0, "same"),  # on the baseline is on no side
    (3, 2, 1, "same direction"), (0.5, 2, 1, "differs"),
])
def test_word_with_a_baseline(ours: float, paper: float, baseline: float, found: str) -> None:
    assert word(ours, paper, baseline) == found


def test_word_of_a_relation() -> None:
    assert (relation(True), relation(False)) == ("same direction", "differs")


def test_the_worst_word_is_that_of_all() -> None:
    assert worst(["same", "close", "same"]) == "close"
    assert worst(iter(["differs", "same direction"])) == "differs"


def test_statements_take_the_fixed_words_only() -> None:
    assert rows_of([Statement("Figure 5", "PC is better", "on 7 of 10", DIFFERS, "on all")]) == [
        {"part": "Figure 5", "statement": "PC is better", "here": "on 7 of 10", "word": "differs", "bound": "on all"}]
    with pytest.raises(ValueError, match="'agrees' is none of same, close"):
        Statement("Figure 5", "PC is better", "on 7 of 10", "agrees", "on all")


def test_overview_says_why_something_is_not_repeated() -> None:
    assert rows_of([Overview("Table 1", "yes", largest_difference="0.1 %", word="same")]) == [
        {"what": "Table 1", "repeated": "yes", "why_not": "", "largest_difference": "0.1 %", "word": "same"}]
    assert Overview("Table 2", "no", "its log is not public").word == ""
    for repeated, why_not, found, message in (
            ("no", "", "", "why it is not repeated"), ("partly", "", "same", "why it is not repeated"),
            ("yes", "", "", "'' does not fit"), ("no", "no log", "same", "'same' does not fit"),
            ("yes", "", "agrees", "'agrees' does not fit"), ("almost", "", "same", "not yes, partly or no")):
        with pytest.raises(ValueError, match=f"^Table 3: .*{message}"):
            Overview("Table 3", repeated, why_not, word=found)
