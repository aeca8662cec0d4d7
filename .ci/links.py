#!/usr/bin/env python3
"""links.py FOLDER

Names every link of a page of Markdown in the folder that leads to a file which is not there, and fails if there is one.
Links to other places of the network are not followed.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def dead_links(page: pathlib.Path) -> list[str]:
    """The targets of the page's links to files that are not there."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    return [target for target in targets if "://" not in target and not (page.parent / target).exists()]


def main() -> int:
    """Checks all pages of the folder."""
    pages = sorted(pathlib.Path(sys.argv[1]).rglob("*.md"))
    dead = [f"{page}: {target} is not there" for page in pages for target in dead_links(page)]
    print("\n".join(dead), file=sys.stderr, end="\n" if dead else "")
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
