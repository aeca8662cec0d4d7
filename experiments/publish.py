#!/usr/bin/python3
"""publish.py [--results FOLDER] [PAPER...]

Publishes the results of papers: copies what rule `page` has put together (FOLDER/pages/PAPER, with its manifest, tables
and figures; FOLDER is build/experiments unless told otherwise) to docs/results/PAPER, in the place of what was there.
Then renders their pages and the overview from what is published. Without a PAPER, renders all pages that have a
template.
"""
import argparse
import shutil
import sys
from pathlib import Path
from typing import Iterable

from common.page import EXPERIMENTS, TEMPLATE, PageError, check_hashes, paper_of, render, template_of

PUBLISHED = EXPERIMENTS.parent / "docs" / "results"
OVERVIEW = EXPERIMENTS / "overview.md"


def papers() -> list[str]:
    """The papers whose pages have a template."""
    return [paper_of(template.parent) for template in sorted(EXPERIMENTS.glob(f"*/{TEMPLATE}"))]


def page_of(name: str) -> str:
    """The page of this name, as its template and the published results make it: a paper's or, with the overviews of all
    of them, README."""
    return render(OVERVIEW, PUBLISHED) if name == "README" else render(template_of(name), PUBLISHED / name)


def take_over(paper: str, results: Path, published: Path = PUBLISHED) -> None:
    """Puts the results of a paper in the place of those that are published."""
    source = results / "pages" / paper
    if not source.is_dir():
        raise PageError(f"no {source}: `./experiments/run.sh --logs FOLDER pages/{paper}.md` makes it")
    check_hashes(source)
    shutil.rmtree(published / paper, ignore_errors=True)
    shutil.copytree(source, published / paper, ignore=shutil.ignore_patterns(".*"))


def write_pages(names: Iterable[str]) -> None:
    """Renders these pages from what is published."""
    for name in names:
        (PUBLISHED / f"{name}.md").write_text(page_of(name), encoding="utf-8")


def main() -> None:
    """Publishes what the command line says."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--results", type=Path, default=EXPERIMENTS.parent / "build" / "experiments")
    parser.add_argument("papers", nargs="*")
    asked = parser.parse_args()
    try:
        for paper in asked.papers:
            take_over(paper, asked.results)
        write_pages([*(asked.papers or papers()), "README"])
    except PageError as error:
        sys.exit(f"publish.py: {error}")


if __name__ == "__main__":
    main()
