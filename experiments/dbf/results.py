"""The workflow's collected numbers, as tables and figures ask for them."""
from typing import Iterable

Rows = list[dict[str, str]]


def select(rows: Rows, **wanted: str) -> Rows:
    """The rows in which the columns have these values."""
    return [row for row in rows if all(row[column] == value for column, value in wanted.items())]


def values(rows: Rows, column: str) -> list[float]:
    """A column as numbers, without the rows in which it is empty."""
    return [float(row[column]) for row in rows if row[column]]


def distinct(rows: Iterable[dict[str, str]], column: str) -> list[str]:
    """The column's values in the order in which they come first."""
    return list(dict.fromkeys(row[column] for row in rows))
