"""How a number or a statement of a paper compares with what is here: four fixed words, and tables that hold them with
the bounds that decide them."""
from dataclasses import dataclass
from typing import Iterable, Optional, Sequence

from common.tables import Row

SAME, CLOSE, SAME_DIRECTION, DIFFERS = WORDS = ("same", "close", "same direction", "differs")
SAME_WITHIN, CLOSE_WITHIN = 0.01, 0.05
BY_NUMBER = "by the number"  # the bound of a statement with a number of the paper: that of `word`
LIMITS = (f"*Same* is within {100 * SAME_WITHIN:g} % of the paper's number, *close* within {100 * CLOSE_WITHIN:g} %. "
          "Beyond that, *same direction* is on the same side of the baseline, and *differs* is not. A statement "
          "without a number is *same direction* where it holds, and *differs* elsewhere.")
# The same where the paper's number has a baseline.
BY_NUMBER_FROM_0, BY_NUMBER_FROM_1 = (f"{BY_NUMBER} (baseline {baseline})" for baseline in (0, 1))
ROUNDING = 1e-9  # 1.01 is within 1 % of 1, although its difference is a little more than 0.01 as a binary number


def word(ours: float, paper: float, baseline: Optional[float] = None) -> str:
    """`same` within 1 % of the paper's number, `close` within 5 %; beyond, `same direction` if there is a baseline (the
    value at which there would be nothing to tell) and both are on the same side of it, else `differs`.

    A paper's 0 is met by 0 only: no other number is within some per cent of it.
    """
    difference = abs(ours - paper)
    for limit, within in ((SAME_WITHIN, SAME), (CLOSE_WITHIN, CLOSE)):
        if difference <= (limit + ROUNDING) * abs(paper):
            return within
    if baseline is not None and (ours - baseline) * (paper - baseline) > 0:
        return SAME_DIRECTION
    return DIFFERS


def relation(holds: bool) -> str:
    """The word for a statement without a number, by whether it holds here."""
    return SAME_DIRECTION if holds else DIFFERS


def worst(words: Iterable[str]) -> str:
    """That of at least one word which promises least."""
    return max(words, key=WORDS.index)


@dataclass(frozen=True)
class Statement:
    """What a paper states in some part of it ("Figure 5", "section 4.3"), what is here in numbers, and the word.
    `bound` decides the word: it says when the statement holds, or is BY_NUMBER."""

    part: str
    statement: str
    here: str
    word: str
    bound: str

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise ValueError(f"'{self.word}' is none of {', '.join(WORDS)}")


@dataclass(frozen=True)
class Overview:
    """A table or figure of a paper in the overview of all: whether it is repeated (yes, partly, no), why not or not
    wholly, the largest difference as text made from numbers, and the word for all of it, if it is repeated."""

    what: str
    repeated: str
    why_not: str = ""
    largest_difference: str = ""
    word: str = ""

    def __post_init__(self) -> None:
        if self.repeated not in ("yes", "partly", "no"):
            raise ValueError(f"{self.what}: repeated is '{self.repeated}', not yes, partly or no")
        if self.repeated != "yes" and not self.why_not:
            raise ValueError(f"{self.what}: why it is not repeated, or not wholly, is missing")
        if self.word not in (*WORDS, "") or bool(self.word) == (self.repeated == "no"):
            raise ValueError(f"{self.what}: '{self.word}' does not fit what is repeated: {self.repeated}")


def rows_of(lines: Sequence[Statement] | Sequence[Overview]) -> list[Row]:
    """The lines of `statements.csv` or `overview.csv`, for `write_csv`."""
    return [vars(line) for line in lines]
