"""Tables as NumPy columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing
    import pandas


class Columns:
    """A table as NumPy columns, each made when it is first read.

    >>> import batfill
    >>> run = batfill.simulate(batfill.Workload.lublin(jobs=3, processors=8, seed=1), 8)
    >>> len(run.jobs), "waiting_time" in run.jobs
    (3, True)
    >>> run.jobs["requested_number_of_resources"].shape
    (3,)
    """

    def __init__(
        self,
        names: list[str],
        size: int,
        make: "Callable[[str], numpy.typing.NDArray[Any]]",
        unlisted: Sequence[str] = (),
    ) -> None:
        """Not for users. `unlisted` names columns that can be read and are not among the names."""
        self._names = names
        self._unlisted = tuple(unlisted)
        self._size = size
        self._make = make
        self._made: dict[str, "numpy.typing.NDArray[Any]"] = {}

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self._names)

    def keys(self) -> list[str]:
        """The names of the columns, in order. With this, `dict(columns)` works."""
        return list(self._names)

    def __len__(self) -> int:
        """The number of rows."""
        return self._size

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> "numpy.typing.NDArray[Any]":
        """The column of this name, shape (rows,), read-only. Raises KeyError if there is none."""
        if name not in self._names and name not in self._unlisted:
            raise KeyError(f"{name!r}, expected one of {', '.join(self._names)}")
        if name not in self._made:
            column = self._make(name)
            column.flags.writeable = False  # the next reader gets the same array
            self._made[name] = column
        return self._made[name]

    def __getstate__(self) -> dict[str, Any]:
        """All columns, as arrays."""
        made = {name: self[name] for name in (*self._names, *self._unlisted)}
        return {"names": self._names, "size": self._size, "made": made, "unlisted": self._unlisted}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made: "dict[str, numpy.typing.NDArray[Any]]" = state["made"]
        Columns.__init__(self, state["names"], state["size"], made.__getitem__, state["unlisted"])

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a pandas.DataFrame. Needs pandas."""
        import pandas

        # Copies: pandas would share the texts, which are read-only here.
        return pandas.DataFrame({name: self[name].copy() for name in self._names})

    def __repr__(self) -> str:
        return f"<{self._size} rows of {', '.join(self._names)}>"
