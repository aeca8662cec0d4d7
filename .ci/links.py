#!/usr/bin/env python3
"""links.py FOLDER

Names every link of a page of Markdown in the folder that leads to a file which is not there, or to a heading which the
page has not, and fails if there is one. Links to other places of the network are not followed.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")


def prose(page: pathlib.Path) -> str:
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: pathlib.Path) -> set[str]:
    """What a link can name after the # of a page: its headings, as GitHub writes them."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", prose(page))
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)}


def dead_links(page: pathlib.Path) -> list[str]:
    """What is wrong with the page's links."""
    dead = []
    for name, anchor in LINK.findall(prose(page)):
        target = page.parent / name if name else page
        if "://" in name:
            continue
        if not target.exists():
            dead.append(f"{name} is not there")
        elif anchor and anchor not in anchors(target):
            dead.append(f"{name or 'the page'} has no heading #{anchor}")
    return dead


def main() -> int:
    """Checks all pages of the folder."""
    pages = sorted(pathlib.Path(sys.argv[1]).rglob("*.md"))
    dead = [f"{page}: {problem}" for page in pages for problem in dead_links(page)]
    print("\n".join(dead), file=sys.stderr, end="\n" if dead else "")
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
