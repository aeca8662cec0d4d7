"""The table of layers in docs/architecture.md is the one that the linker goes by."""

import pathlib
import re

from upwards import Layer, includes_upwards, short_includes

TOP = pathlib.Path(__file__).parents[2]


def layers_of_the_build() -> dict[str, set[str]]:
    """Each layer of cmake/Layers.cmake, with those that it stands on."""
    text = (TOP / "cmake" / "Layers.cmake").read_text(encoding="utf-8")
    layers = {}
    for call in re.findall(r"^batfill_layer\(([^)]*)\)", text, re.MULTILINE):
        words = call.split()
        below: set[str] = set()
        keyword = ""
        for word in words[1:]:
            if word in ("FOLDER", "HEADERS", "ON", "LIBRARIES", "RELEASE_FLAGS", "SOURCES_ALONE"):
                keyword = word
            elif keyword == "ON":
                below.add(word)
        layers[words[0]] = below
    return layers


def layers_of_the_page() -> dict[str, set[str]]:
    """The same as docs/architecture.md tells it."""
    text = (TOP / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text[text.index("| layer | stands on |") :].split("\n\n", 1)[0]
    layers = {}
    for line in table.splitlines()[2:]:
        name, below = (cell.strip() for cell in line.split("|")[1:3])
        layers[name] = {layer.strip() for layer in below.split(",") if layer.strip()}
    return layers


def test_the_page_shows_the_layers_as_they_are_built() -> None:
    """Every layer is there, with what it stands on and nothing else."""
    assert layers_of_the_page() == layers_of_the_build()


def test_layers_stand_only_on_what_comes_after_them_on_the_page() -> None:
    """The table is in order, from the top to the bottom."""
    names = list(layers_of_the_page())
    for name, below in layers_of_the_page().items():
        assert all(names.index(layer) > names.index(name) for layer in below)


def test_core_stands_on_nothing_and_everything_else_on_something() -> None:
    """Both readers of the table find what they look for."""
    layers = layers_of_the_build()
    assert len(layers) > 10
    assert [name for name, below in layers.items() if not below] == ["core"]


def test_an_include_upwards_is_found_in_subfolders(tmp_path: pathlib.Path) -> None:
    """Of sources, and of public headers."""
    layers = {"low": Layer("src/low", "", []), "high": Layer("parts", "", ["low"])}
    for name, text in {
        "src/low/deep/wrong.cpp": '#include "parts/deep/high.hpp"\n',
        "include/batfill/low/deep/wrong.hpp": "#include <batfill/high/deep/high.hpp>\n",
        "parts/deep/right.cpp": '#include <vector>\n#include "src/low/deep/low.hpp"\n#include "parts/other/high.hpp"\n',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    problems = list(includes_upwards(tmp_path, layers))
    assert [problem.split(" ", 1)[0] for problem in problems] == [
        "src/low/deep/wrong.cpp",
        "include/batfill/low/deep/wrong.hpp",
    ]


def test_includes_by_short_names_are_found(tmp_path: pathlib.Path) -> None:
    """A header has one name, wherever it is included."""
    for name, text in {
        "src/low/near.hpp": "",
        "src/low/right.cpp": '#include <vector>\n#include <batfill/low/a.hpp>\n#include "src/low/near.hpp"\n',
        "src/low/wrong.cpp": '#include "near.hpp"\n',
        "include/batfill/low/a.hpp": "",
        "tests/unit/wrong_test.cpp": '#include "include/batfill/low/a.hpp"\n',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    expected = 'expected its full path from the top as in "src/core/x.hpp", or <batfill/core/x.hpp>'
    assert list(short_includes(tmp_path)) == [
        f'src/low/wrong.cpp includes "near.hpp", {expected}',
        f'tests/unit/wrong_test.cpp includes "include/batfill/low/a.hpp", {expected}',
    ]
