"""How objects show themselves in a notebook: a small table, and a chart. Needs no other package."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence

_COLOUR = "#0072b2"


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """A table of texts, of which none is markup; the first of a row is its name."""
    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>")
    for name, *cells in rows:
        lines.append(f"<tr><th>{html.escape(name)}</th>" + "".join(f"<td>{html.escape(one)}</td>" for one in cells)
                     + "</tr>")
    return "".join([*lines, "</table>"])


def number(value: float | None) -> str:
    """A value of a metric as a person reads it: six digits, without an exponent where it is large."""
    if value is None:
        return "-"
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"


def picture(svg: str) -> str:
    """A chart, which keeps its styles to itself."""
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"/>'


def bars(values: Sequence[float], title: str) -> str:
    """A bar beside the other for each value."""
    most = max([*values, 0.0]) or 1.0
    width, height = 400, 80
    step = width / max(len(values), 1)
    shapes = "".join(
        f'<rect x="{place * step:.2f}" y="{height - value / most * height:.2f}" width="{step * 0.9:.2f}" '
        f'height="{value / most * height:.2f}" fill="{_COLOUR}"/>'
        for place, value in enumerate(values)
    )
    return picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 16}"><title>{html.escape(title)}'
        f'</title>{shapes}<text x="0" y="{height + 12}" font-size="11" font-family="sans-serif">{html.escape(title)}'
        "</text></svg>"
    )


def intervals(rows: Sequence[tuple[str, float, float, float]], title: str) -> str:
    """A line for each name: from the second number to the third, with a point at the first."""
    most = max([*(high for *_, high in rows), 0.0]) or 1.0
    left, width, step = 160, 300, 18
    shapes = "".join(
        f'<text x="{left - 8}" y="{place * step + 13}" text-anchor="end">{html.escape(name)}</text>'
        f'<path d="M{left + low / most * width:.2f} {place * step + 9}H{left + high / most * width:.2f}" '
        f'stroke="{_COLOUR}" stroke-width="2"/>'
        f'<circle cx="{left + mean / most * width:.2f}" cy="{place * step + 9}" r="4" fill="{_COLOUR}"/>'
        for place, (name, mean, low, high) in enumerate(rows)
    )
    height = len(rows) * step
    return picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 10}" height="{height + 18}" font-size="11" '
        f'font-family="sans-serif">{shapes}<text x="{left}" y="{height + 12}">{html.escape(title)}</text></svg>'
    )
