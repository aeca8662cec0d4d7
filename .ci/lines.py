#!/usr/bin/env python3
"""lines.py [--check]

Counts the lines of the files that a table of a page lists between `<!-- lines of files -->` and
`<!-- end of lines -->`, and writes them into its third column. A row has a layer, or a folder, and a name: its files
are the header and the source of this name. A row whose files are gone leaves the table; a new row needs no number. The
last row is the sum. With --check it writes nothing, names the pages that have fallen behind, and fails if there is one.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
TABLE = re.compile(r"(?<=<!-- lines of files -->\n)(\|.*\n\|.*\n)((?:\|.*\n)*)(?=<!-- end of lines -->)")


def lines_of(top: pathlib.Path, part: str, name: str) -> int | None:
    """The lines of a header and a source together; None if there is neither."""
    folders = [top / part] if "/" in part else [top / "include/batfill" / part, top / "src" / part]
    files = [folder / f"{name}{ending}" for folder in folders for ending in (".hpp", ".cpp")]
    counts = [len(file.read_bytes().splitlines()) for file in files if file.exists()]
    return sum(counts) if counts else None


def counted(text: str, top: pathlib.Path) -> str:
    """The page with the lines as they are now."""
    def written(table: re.Match[str]) -> str:
        rows = []
        total = 0
        for row in table[2].splitlines():
            part, name, _, content = (cell.strip() for cell in row.strip("|").split("|"))
            lines = lines_of(top, part, name.strip("`")) if part else None
            if lines is not None:
                rows.append(f"| {part} | {name} | {lines} | {content} |\n")
                total += lines
            elif part:
                print(f"{part}/{name.strip('`')}: there is no such file", file=sys.stderr)
        return table[1] + "".join(rows) + f"| | all | {total} | |\n"

    return TABLE.sub(written, text)


def main() -> int:
    """Writes what has changed, or names it."""
    checks = "--check" in sys.argv
    behind = False
    for page in sorted(TOP.glob("docs/*.md")):
        text = page.read_text(encoding="utf-8")
        if (now := counted(text, TOP)) != text:
            behind = True
            if checks:
                print(f"{page.relative_to(TOP)}: not the lines that files have now; .ci/lines.py writes them anew",
                      file=sys.stderr)
            else:
                page.write_text(now, encoding="utf-8")
                print(page.relative_to(TOP))
    return 1 if checks and behind else 0


if __name__ == "__main__":
    sys.exit(main())
