"""Tables as CSV and as Markdown."""
from pathlib import Path

import pytest
from common.tables import Cell, Row, Spread, count, grouped, one_digit, read_csv, two_digits, write_csv, write_table
from stand_ins import lines_of


def test_spread() -> None:
    assert Spread.of(iter([2.0, 1.0, 6.0])) == Spread(mean=3.0, least=1.0, most=6.0)


def test_cell_names_the_span_only_where_it_can_be_seen() -> None:
    assert str(Cell(Spread(3, 1, 6), one_digit)) == "3.0 (1.0 to 6.0)"
    assert str(Cell(Spread(3, 2.99, 3.01), one_digit)) == "3.0"


def test_numbers_for_people() -> None:
    assert (one_digit(1234.56), two_digits(1234.567)) == ("1,234.6", "1,234.57")
    assert count([1, 2], [1, 2, 3]) == "2 of 3"


def test_csv_is_read_as_written(tmp_path: Path) -> None:
    file = str(tmp_path / "some.csv")
    write_csv(file, [{"a": 1, "b": "x, y"}, {"a": None, "b": 0.1}])
    assert Path(file).read_bytes() == b'a,b\n1,"x, y"\n,0.1\n'
    assert read_csv(file) == [{"a": "1", "b": "x, y"}, {"a": "", "b": "0.1"}]


def test_rows_with_other_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'c'"):
        write_csv(str(tmp_path / "some.csv"), [{"a": 1}, {"c": 2}])


def test_lines_are_grouped_in_their_order() -> None:
    lines = [{"log": log, "week": week} for log, week in (("KTH", "1"), ("CTC", "1"), ("KTH", "0"))]
    found = grouped(lines, "log")
    assert list(found.items()) == [(("KTH",), [lines[0], lines[2]]), (("CTC",), [lines[1]])]
    assert list(grouped(lines, "log", "week")) == [("KTH", "1"), ("CTC", "1"), ("KTH", "0")]


def test_table_has_full_numbers_and_readable_ones(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"log": "KTH", "jobs": 28489, "ratio": 1 / 3, "wait": Cell(Spread(1.25, 1, 1.5), two_digits)},
        {"log": "CTC", "jobs": None, "ratio": None, "wait": None},
    ]
    write_table(str(tmp_path / "table-1"), "Table 1: logs", rows, two_digits)
    assert lines_of(tmp_path / "table-1.csv") == [
        'log,jobs,ratio,"wait, mean","wait, least","wait, most"',
        "KTH,28489,0.3333333333333333,1.25,1,1.5",
        "CTC,,,,,",
    ]
    assert lines_of(tmp_path / "table-1.md") == [
        "Table 1: logs",
        "",
        "| log | jobs | ratio | wait |",
        "|---|---:|---:|---:|",
        "| KTH | 28,489 | 0.33 | 1.25 (1.00 to 1.50) |",
        "| CTC | - | - | - |",
    ]
