"""The weeks of SDSC-SP2 that the paper's text names: what it says of each, when that holds, and what there is here."""
from typing import Any, Mapping, Optional, Sequence

from common.comparison import BY_NUMBER_FROM_1, DIFFERS, relation, word
from common.page import percent
from mixed_policies.period_values import QUIET, PeriodValues, shown

# What the paper means by a significant margin, and within which two numbers are the same.
MARGIN, BEST = 0.05, 1e-9
BOUNDS = {"times": BY_NUMBER_FROM_1, "quiet": f"both pure policies are at most {QUIET:g} above w*",
          "below": "the first is less", "clearly below": f"the first is less by more than {percent(MARGIN)}",
          "equal": "both are equal"}


def named_weeks(rows: Sequence[Mapping[str, str]], weeks: Optional[PeriodValues]) -> list[dict[str, Any]]:
    """A line for each statement; without these weeks, one that says nothing."""
    if weeks is None:
        return [dict.fromkeys(("week", "section", "statement", "bound", "here", "word"))]
    return [{"week": int(row["week"]), "section": row["section"], "statement": row["statement"],
             "bound": BOUNDS[row["relation"]], **_here(row, weeks)} for row in rows]


def _here(row: Mapping[str, str], weeks: PeriodValues) -> dict[str, str]:
    week, said = int(row["week"]), row["relation"]
    ours, other = (_value(weeks, row[name], week) for name in ("policy", "other"))
    names = [_name(weeks, row[name], week) for name in ("policy", "other")]
    here = f"{names[0]} {ours:.2f}, {names[1]} {other:.2f}"
    if said == "times":
        return {"here": f"{here}: {ours / other:.2f} times", "word": word(ours / other, float(row["times"]), 1)}
    if said == "quiet":
        return {"here": f"{here}, SAF {_value(weeks, 'saf', week):.2f}", "word": relation(weeks.is_quiet(week))}
    holds = {"below": ours < other, "clearly below": ours < (1 - MARGIN) * other,
             "equal": abs(ours - other) <= BEST * other}
    return {"here": here, "word": relation(holds[said])}


def _value(weeks: PeriodValues, policy: str, week: int) -> float:
    if policy == "pure":
        return weeks.best_pure(week)
    if policy in ("xnes3", "xnes6"):
        values = weeks.of_seeds(policy, week)
        return sum(values) / len(values)
    return weeks.known(policy, [week])[0]


def _name(weeks: PeriodValues, policy: str, week: int) -> str:
    if policy == "pure":
        best = min(weeks.orders, key=lambda one: weeks.known(one, [week])[0])
        return f"the best pure policy ({shown(best)})"
    return shown(policy)


def met(rows: Sequence[Mapping[str, Any]]) -> int:
    """How many statements do not differ."""
    return sum(row["word"] != DIFFERS for row in rows)
