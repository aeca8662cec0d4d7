#!/usr/bin/env python3
"""markdown.py [--check] PAGE.md...

Lays out pages of Markdown: a paragraph with a line of more than 100 columns is wrapped anew, and a block of C++ that is
a whole file (it begins with a comment or an #include and has an #include) is laid out by clang-format. Tables, headings
and all other blocks stay as they are. With --check changes no page, names each that is laid out otherwise, and fails if
there is one.
"""

import pathlib
import re
import subprocess
import sys

WIDTH = 100
LIST_ITEM = re.compile(r"( *)([-*+]|\d+[.)]) +")
# A word that would begin a list, a heading, a quotation or a table if it came first in a line.
MARKUP = re.compile(r"([-*+>=]+|#+|\d+[.)]|\|.*)$")


def words(text: str) -> list[str]:
    """The words of a paragraph, with code in backticks as one word, and none that would be markup at a line's start."""
    result: list[str] = []
    for word in re.findall(r"(?:`[^`]*`|\S)+", text):
        if result and MARKUP.match(word):
            result[-1] += " " + word
        else:
            result.append(word)
    return result


def wrapped(lines: list[str]) -> list[str]:
    """The lines of a paragraph, or of one item of a list, none of them longer than WIDTH if its words allow it."""
    if all(len(line) <= WIDTH for line in lines):
        return lines
    item = LIST_ITEM.match(lines[0])
    first = item.group() if item else re.match(" *", lines[0]).group()  # type: ignore[union-attr]
    result = [first]
    for word in words(" ".join(lines)[len(first):]):
        if len(result[-1]) + 1 + len(word) > WIDTH and result[-1].strip():
            result.append(" " * len(first))
        result[-1] += word if not result[-1].strip() or result[-1] == first else " " + word
    return result


def formatted(code: list[str]) -> list[str]:
    """The lines of a block of C++ as clang-format lays them out."""
    command = ["clang-format", "--assume-filename=example.cpp"]
    text = "\n".join(code) + "\n"
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def is_whole_file(fence: str, code: list[str]) -> bool:
    """Whether a block between fences is a C++ file that could stand alone."""
    return fence == "```cpp" and any(line.startswith("#include") for line in code)


def laid_out(page: str) -> str:
    """The text of a page as it should be."""
    result: list[str] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        result.extend(wrapped(paragraph))
        paragraph.clear()

    lines = iter(page.splitlines())
    for line in lines:
        if line.startswith("```"):
            end_paragraph()
            code = []
            for inner in lines:
                if inner.startswith("```"):
                    break
                code.append(inner)
            result += [line, *(formatted(code) if is_whole_file(line, code) else code), "```"]
            continue
        is_code = line.startswith("    ") and not paragraph
        if not line.strip() or is_code or line.startswith(("|", "#")):
            end_paragraph()
            result.append(line)
            continue
        if LIST_ITEM.match(line):
            end_paragraph()
        paragraph.append(line)
    end_paragraph()
    return "\n".join(result) + "\n"


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    check = "--check" in arguments
    otherwise = []
    for path in (pathlib.Path(argument) for argument in arguments if argument != "--check"):
        text = path.read_text(encoding="utf-8")
        result = laid_out(text)
        if result != text:
            otherwise.append(path)
            if not check:
                path.write_text(result, encoding="utf-8")
    if not check:
        return 0
    for path in otherwise:
        print(f"{path}: not laid out as .ci/format does", file=sys.stderr)
    return 1 if otherwise else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
