#!/usr/bin/env python3
"""options.py [--check] BATFILL

Writes what the declarations of options say in other places: the page docs/options.md, the tables of other pages
between `<!-- options of COMMAND -->` and `<!-- end of options -->`, and the keywords in python/batfill/_cleaning.py.
With --check it writes nothing, names what has fallen behind, and fails if there is something.
"""

import json
import pathlib
import re
import subprocess
import sys
from typing import Any

TOP = pathlib.Path(__file__).resolve().parent.parent
Option = dict[str, Any]

PAGE = """# Options

Every command with its options, as `batfill help COMMAND` shows them. `batfill help COMMAND --json`
says the same to programs.
"""

CLEANING = '''"""What a conversion of a log takes as keywords: .ci/options.py writes it from the declarations."""

from __future__ import annotations

from typing import Literal, TypedDict, Union

Seconds = Union[float, str]  # a number, or a text with a unit such as "90d"


class Cleaning(TypedDict, total=False):
    """The options of `batfill swf` and `batfill import`; docs/workloads.md explains each."""

'''

# Keywords that stand in the signatures of the calls themselves.
IN_SIGNATURES = {"days", "count_from", "skip", "periods", "crossing", "mapping", "separator", "times", "nodes",
                 "bad_rows", "partition_limits", "fields", "submit"}


class Batfill:
    """The program, which knows its options."""

    def __init__(self, path: str) -> None:
        self.path = path

    def help(self, *words: str) -> str:
        """What it says of a command."""
        return subprocess.run([self.path, "help", *words], check=True, text=True, capture_output=True).stdout

    def names(self, *words: str) -> list[str]:
        """The commands, or the models of a command."""
        return re.findall(r"^  ([a-z]+) {2,}", self.help(*words), re.MULTILINE)

    def options(self, command: str) -> list[Option]:
        """Those of a command, in the order of its help."""
        options: list[Option] = self.described(command)["options"]
        return [option for option in options if not option["positional"]]

    def described(self, command: str) -> dict[str, Any]:
        """What it says of a command to programs."""
        description: dict[str, Any] = json.loads(self.help(*command.split(), "--json"))
        return description

    def commands(self) -> list[str]:
        """All of them, with their models."""
        names = []
        for name in self.names():
            names += [f"{name} {model}" for model in self.names(name)] if name == "generate" else [name]
            names += ["campaign merge"] if name == "campaign" else []
        return names


def table(options: list[Option]) -> str:
    """The options as a table in Markdown."""
    def cell(text: str) -> str:
        return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")

    rows = ["| option | default | meaning |", "|---|---|---|"]
    for option in options:
        shown = f"--{option['name']}" + (f" {option['value']}" if "value" in option else "")
        letter = f", `-{option['letter']}`" if "letter" in option else ""
        default = "required" if option.get("required") else f"`{option['default']}`" if option.get("default") else ""
        rows.append(f"| `{cell(shown)}`{letter} | {cell(default)} | {cell(option['help'])} |")
    return "\n".join(rows)


def page(batfill: Batfill) -> str:
    """docs/options.md."""
    def usage(command: str) -> str:
        return re.sub("^ *", "    ", batfill.described(command)["usage"], flags=re.MULTILINE)

    return PAGE + "".join(f"\n## `batfill {command}`\n\n{usage(command)}\n\n{table(batfill.options(command))}\n"
                          for command in batfill.commands())


def with_tables(text: str, batfill: Batfill) -> str:
    """A page with its tables of options written anew."""
    def written(block: re.Match[str]) -> str:
        return f"{block[1]}\n{table(batfill.options(block[2]))}\n{block[3]}"

    return re.sub(r"(<!-- options of ([a-z ]+) -->)\n.*?(<!-- end of options -->)", written, text, flags=re.DOTALL)


def annotation(option: Option) -> str:
    """The type of a keyword."""
    scalars = {"text": "str", "whole number": "int", "number": "float", "length of time": "Seconds"}
    if "value" not in option:
        return "bool"
    words = [f"Literal[{', '.join(json.dumps(word) for word in option['words'])}]"] if option["words"] else []
    scalar = [scalars[option["type"]]] if option["type"] in scalars else []
    if words and scalar:
        scalar = [*scalar, "str"] if scalar != ["Seconds"] else scalar
    kinds = words + scalar
    one = kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"
    if "entries by" in option:
        return f"dict[{scalars[option['entries by']]}, {one}]"
    return f"list[{one}]" if option["repeatable"] else one


def cleaning(batfill: Batfill) -> str:
    """python/batfill/_cleaning.py."""
    kinds: dict[str, list[str]] = {}
    for command in ("swf", "import"):
        for option in batfill.options(command):
            name = option["keyword"]
            if name and name not in IN_SIGNATURES and option["name"] != "output":
                kind = annotation(option)
                if kind not in kinds.setdefault(name, []):
                    kinds[name].append(kind)
    lines = [f"    {name}: {kind[0] if len(kind) == 1 else f'Union[{chr(44).join(kind)}]'.replace(',', ', ')}"
             for name, kind in kinds.items()]
    return CLEANING + "\n".join(lines) + "\n"


def main() -> int:
    """Writes what has changed, or names it."""
    checks = sys.argv[1] == "--check"
    batfill = Batfill(sys.argv[-1])
    texts = {TOP / "docs/options.md": page(batfill), TOP / "python/batfill/_cleaning.py": cleaning(batfill)}
    for path in sorted(TOP.glob("docs/*.md")):
        if path.name != "options.md":
            texts[path] = with_tables(path.read_text(encoding="utf-8"), batfill)
    behind = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in behind:
        if checks:
            print(f"{path.relative_to(TOP)}: not what the options are now; .ci/options.py BATFILL writes it anew",
                  file=sys.stderr)
        else:
            path.write_text(texts[path], encoding="utf-8")
            print(path.relative_to(TOP))
    return 1 if checks and behind else 0


if __name__ == "__main__":
    sys.exit(main())
