"""upwards.py PROJECT NM LAYER,FOLDER,ARCHIVE[,LAYER BELOW]...: checks that each layer stands on those below it alone:
its files include no header of another layer, and its archive needs no symbol that only another layer defines. Also
checks that the sources of the project include its headers by their full names."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple


class Layer(NamedTuple):
    """What CMake says of a layer."""

    folder: str
    archive: str
    below: list[str]


def symbols(lister: str, archive: str, kind: str) -> set[str]:
    """Those that an archive defines or lacks."""
    command = [lister, "--format=just-symbols", f"--{kind}-only", archive]
    run = subprocess.run(command, check=True, text=True, capture_output=True)
    return {line for line in run.stdout.splitlines() if line and not line.endswith(":")}


def calls_upwards(lister: str, layers: dict[str, Layer]) -> Iterator[str]:
    """The symbols that a layer needs and that are defined only where it must not call."""
    defined = {name: symbols(lister, layer.archive, "defined") for name, layer in layers.items()}
    for name, layer in layers.items():
        if not defined[name]:
            yield f"{name} defines nothing"
        seen = set().union(defined[name], *(defined[other] for other in layer.below))
        for symbol in sorted(symbols(lister, layer.archive, "undefined") - seen):
            if others := [other for other in layers if symbol in defined[other]]:
                yield f"{name} stands on {layer.below} and calls {symbol} of {others}"


def layer_of(header: str, layers: dict[str, Layer]) -> str | None:
    """The layer whose header is included by this name, "src/core/x.hpp" or "batfill/core/x.hpp"."""
    for name, layer in layers.items():
        if header.startswith((f"{layer.folder}/", f"batfill/{name}/")):
            return name
    return None


def includes_upwards(project: Path, layers: dict[str, Layer]) -> Iterator[str]:
    """The headers that a layer includes and that belong where it must not look."""
    for name, layer in layers.items():
        for folder in (project / layer.folder, project / "include/batfill" / name):
            for file in sorted(folder.rglob("*.[ch]pp")):
                for header in re.findall(r'^#include [<"](.+)[>"]$', file.read_text(encoding="utf-8"), re.MULTILINE):
                    other = layer_of(header, layers)
                    if other not in (None, name, *layer.below):
                        yield f"{file.relative_to(project)} includes {header}, and {name} stands on {layer.below} only"


def short_includes(project: Path) -> Iterator[str]:
    """The includes of the project's headers by other names than "src/core/x.hpp" or <batfill/core/x.hpp>."""
    for folder in ("include", "src", "protocol", "schedulers", "python/src", "bench", "tests"):
        for file in sorted((project / folder).rglob("*.[ch]pp")):
            for header in re.findall(r'^#include "(.+)"$', file.read_text(encoding="utf-8"), re.MULTILINE):
                if header.startswith("include/") or not (project / header).is_file():
                    yield (f'{file.relative_to(project)} includes "{header}", expected its full path from the top as '
                           'in "src/core/x.hpp", or <batfill/core/x.hpp>')


def main() -> int:
    """Names each problem, and returns whether there is one."""
    project, lister = Path(sys.argv[1]), sys.argv[2]
    layers = {}
    for argument in sys.argv[3:]:
        name, folder, archive, *below = argument.split(",")
        layers[name] = Layer(folder, archive, below)
    problems = [*includes_upwards(project, layers), *calls_upwards(lister, layers), *short_includes(project)]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(layers)} layers, {len(problems)} steps upwards or includes by short names")
    return 1 if problems or not layers else 0


if __name__ == "__main__":
    sys.exit(main())
