"""Pages of results: what templates can say, and that the published pages are what their data give."""
import json
import re
import shutil
from pathlib import Path

import publish
import pytest
from common import page
from common.files import sha256
from stand_ins import StandInJob, lines_of, write

# Pages that are still written by hand. Each is to be rendered; then it is not listed any more.
BY_HAND: list[str] = []
RENDERED = sorted({file.stem for file in publish.PUBLISHED.glob("*.md")} - set(BY_HAND))
# What a template has besides text to print: its own language, code, links, and names with a number in them.
NO_TEXT = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|```.*?```|`[^`]*`|\]\([^)]*\)|^    .*?$",
                     re.DOTALL | re.MULTILINE)
PART = r"\d+(?:\(\w\)|\.\d+)*"
NAMED = re.compile(rf"\b(?:Figures?|Tables?|[Ss]ections?)\s+{PART}(?:(?:, | and | to ){PART})*")
TYPED = re.compile(r"(?<![\w.-])\d[\d,.]*")


@pytest.fixture(name="results")
def some_results(tmp_path: Path) -> Path:
    """A paper's results, beside the folder of its template."""
    write(tmp_path / "results" / "waits.csv", "log,processors,wait,\"gain, mean\",\"gain, least\",note",
          "KTH,100,7200.5,0.25,-0.04,a|b", "CTC,1338,60,,,", "SDSC,128,0.25,1.5,1,")
    write(tmp_path / "paper" / "paper-table-1.csv", "log,wait", "KTH,7200", "CTC,59")
    return tmp_path / "results"


def rendered(results: Path, *lines: str) -> list[str]:
    """The lines of the page of a template with these lines."""
    template = Path(write(results.parent / "paper" / "page.md", *lines))
    return page.render(template, results).splitlines()


def test_values_rows_and_words(results: Path) -> None:
    assert rendered(
        results,
        '{% set kth = row("waits.csv", log="KTH") %}',
        '{% set paper = value("paper-table-1.csv", "wait", log="KTH") %}',
        "KTH waits {{ kth.wait | minutes }} min ({{ paper | digits }} s): {{ word(kth.wait, paper) }}.",
        "{% for one in rows(\"waits.csv\", processors=128) %}",
        "- {{ one.log }}: {{ one[\"gain, mean\"] | signed(1) }}, {{ one.wait | percent }}",
        "{% endfor %}",
        '{% set all = rows("waits.csv") %}',
        '{{ count(rows("waits.csv", log="CTC"), all) }}; {{ rows("waits.csv", log="x") | length | spelled }};'
        ' {{ all | map(attribute="log") | listed }}',
    ) == ["KTH waits 120.0 min (7,200 s): same.", "- SDSC: +1.5, 25 %", "1 of 3; no; KTH, CTC and SDSC"]


def test_tables(results: Path) -> None:
    assert rendered(results, '{{ table("paper-table-1.csv") }}', "", "end") == [
        "| log | wait |", "|---|---:|", "| KTH | 7,200 |", "| CTC | 59 |", "", "end"]
    columns = ('{"log": "log", "wait (s)": "wait", "processors": "processors",'
               ' "gain": "{gain, mean:.1f} ({gain, least:.1f})", "note": "note"}')
    assert rendered(results, '{{ table("waits.csv", ' + columns + ', {"wait (s)": 2}) }}') == [
        "| log | wait (s) | processors | gain | note |", "|---|---:|---:|---:|---|",
        "| KTH | 7,200.50 | 100 | 0.2 (-0.0) | a\\|b |", "| CTC | 60.00 | 1,338 | - | - |",
        "| SDSC | 0.25 | 128 | 1.5 (1.0) | - |"]
    assert rendered(results, '{{ table(rows("waits.csv") | rejectattr("log", "equalto", "KTH") | list,'
                             ' {"log": "log"}) }}') == ["| log |", "|---|", "| CTC |", "| SDSC |"]


def test_statements_are_shown_with_their_words(results: Path) -> None:
    write(results / "statements.csv", "part,statement,here,word,bound", "Figure 5,PC wins,on 7 of 10,differs,on all",
          "Figure 6,EASY wins,on none,differs,on one")
    assert rendered(results, '{{ statements("Figure 5") }}') == [
        "| the paper | holds if | here |  |", "|---|---|---|---|", "| PC wins | on all | on 7 of 10 | differs |"]


def test_manifest_and_files_of_the_results(results: Path) -> None:
    write(results / "manifest.json", json.dumps({"settings": {"draws": 3}}))
    assert rendered(results, '{{ manifest.settings.draws }} {{ files("w*.csv") | listed }} {{ files("x*") | listed }}'
                    ) == ["3 waits.csv none"]


@pytest.mark.parametrize("text, message", [
    ("{{ unknown }}", "'unknown' is undefined"),
    ("{{ unknown + 1 }}", "'unknown' is undefined"),
    ('{{ row("waits.csv", log="KTH").weight }}', "no attribute 'weight'"),
    ('{{ value("waits.csv", "weight", log="KTH") }}', "waits.csv: no column 'weight' among log, processors"),
    ('{{ rows("waits.csv", weight=3) }}', "waits.csv: no column 'weight'"),
    ('{{ rows("waits.csv", log="none", weight=3) }}', "waits.csv: no column 'weight'"),
    ('{{ value("waits.csv", "wait", log="DAS2") }}', "waits.csv: 0 rows, not one, where {'log': 'DAS2'}"),
    ('{{ value("waits.csv", "wait") }}', "waits.csv: 3 rows, not one"),
    ('{{ value("waits.csv", "note", log="CTC") }}', "waits.csv: note is empty"),
    ('{{ value("other.csv", "wait") }}', "other.csv: in 0 folders"),
    ('{{ table("waits.csv", {"weight": "weight"}) }}', "no column 'weight'"),
    ('{{ table("waits.csv", {"weight": "{weight:.1f}"}) }}', "no column 'weight'"),
    ('{{ table("waits.csv", log="DAS2") }}', "waits.csv: no rows where"),
    ('{{ "text" | digits }}', "format code 'f'"),
    ("{{ 1 / 0 }}", "division by zero"),
    ("{{ manifest.settings }}", "'manifest' is undefined"),
    ("{% if %}", "Expected an expression"),
])
def test_errors_name_the_line(results: Path, text: str, message: str) -> None:
    with pytest.raises(page.PageError, match=re.escape("page.md:2: ") + ".*" + re.escape(message)):
        rendered(results, "first", text)


def test_intervals_and_how_many_miss(results: Path) -> None:
    write(results / "changes.csv", "log,value,low,high", "KTH,0.25,-0.04,0.5", "CTC,-2,,")
    assert rendered(
        results,
        '{% set kth, ctc = rows("changes.csv") %}',
        '{{ kth | interval }}; {{ kth | interval(0, 100, " %", true) }}; {{ ctc | interval(2) }}',
        '{{ rows("changes.csv") | by_chance }}, {{ ([kth] * 300) | by_chance }}',
    ) == ["0.2 (0.0 to 0.5); +25 % (-4 to +50); -2.00 (no interval)", "0.1, 15"]
    write(results / "none.csv", "log,value,low,high", "KTH,,,")
    with pytest.raises(page.PageError, match="a row without a value has no interval"):
        rendered(results, '{{ row("none.csv") | interval }}')


def test_a_table_is_in_one_place_only(results: Path) -> None:
    shutil.copyfile(results.parent / "paper" / "paper-table-1.csv", results / "paper-table-1.csv")
    with pytest.raises(page.PageError, match="paper-table-1.csv: in 2 folders"):
        rendered(results, '{{ table("paper-table-1.csv") }}')


def test_numbers_for_people() -> None:
    assert [page.number(1234.5, 1), page.number(-0.04, 1), page.number(-0.05, 2), page.number(1e6)] == [
        "1,234.5", "0.0", "-0.05", "1,000,000"]
    assert [page.signed(0.04, 1), page.signed(12), page.signed(-1234.5, 1)] == ["0.0", "+12", "-1,234.5"]
    assert [page.spelled(0), page.spelled(12), page.spelled(13), page.spelled(1300)] == ["no", "twelve", "13", "1,300"]
    assert [page.listed([]), page.listed(["A"]), page.listed(["A", 2])] == ["none", "A", "A and 2"]


@pytest.fixture(name="made")
def page_of_the_workflow(tmp_path: Path) -> StandInJob:
    """What rule `page` is given."""
    template = write(tmp_path / "paper" / "page.md", '{{ value("a.csv", "x") }}', "",
                     "![Figure 1](paper/figure-1.svg)")
    results = [write(tmp_path / "tables" / "a.csv", "x", "7"), write(tmp_path / "figures" / "figure-1.svg", "<svg/>"),
               write(tmp_path / "figures" / "figure-1.png", "png")]
    manifest = write(tmp_path / "manifest.json", json.dumps({
        "results": {Path(file).name: sha256(file) for file in results}}))
    return StandInJob({"template": template, "manifest": manifest, "results": results},
                      {"page": str(tmp_path / "pages" / "paper.md"), "folder": str(tmp_path / "pages" / "paper")})


def test_page_is_put_together(tmp_path: Path, made: StandInJob) -> None:
    page.main(made)
    assert lines_of(tmp_path / "pages" / "paper.md") == ["7", "", "![Figure 1](paper/figure-1.svg)"]
    folder = tmp_path / "pages" / "paper"
    assert sorted(file.name for file in folder.iterdir()) == ["a.csv", "figure-1.svg", "manifest.json"]
    publish.take_over("paper", tmp_path, tmp_path / "published")
    write(tmp_path / "published" / "paper" / "old.csv", "x")
    # As Snakemake leaves in a folder that it has made.
    write(folder / ".snakemake_timestamp", "")
    publish.take_over("paper", tmp_path, tmp_path / "published")
    assert sorted(file.name for file in (tmp_path / "published" / "paper").iterdir()) == [
        "a.csv", "figure-1.svg", "manifest.json"]
    with pytest.raises(page.PageError, match=r"run.sh --logs FOLDER pages/other.md` makes it"):
        publish.take_over("other", tmp_path, tmp_path / "published")


def test_results_are_those_of_the_manifest(tmp_path: Path, made: StandInJob) -> None:
    write(tmp_path / "tables" / "a.csv", "x", "8")
    with pytest.raises(page.PageError, match="a.csv: not as in the manifest"):
        page.main(made)
    write(tmp_path / "pages" / "paper" / "a.csv", "x", "7")
    write(tmp_path / "pages" / "paper" / "b.csv", "x", "7")
    with pytest.raises(page.PageError, match="b.csv: not in the manifest"):
        page.check_hashes(tmp_path / "pages" / "paper")


def test_a_page_may_be_called_otherwise_than_the_folder_of_its_experiment() -> None:
    assert page.folder_of("batsim-agreement") == page.EXPERIMENTS / "agreement"
    assert page.folder_of("pc-dc") == page.EXPERIMENTS / "pc_dc"
    assert all(page.paper_of(page.folder_of(name)) == name for name in publish.papers())


def test_every_page_is_rendered_but_those_that_are_listed() -> None:
    assert set(RENDERED) == {*publish.papers(), "README"}
    for name in BY_HAND:
        assert (publish.PUBLISHED / f"{name}.md").is_file(), f"{name} is listed, and is no page"
        assert not page.template_of(name).is_file(), f"{name} is listed, and has a template"


@pytest.mark.parametrize("name", RENDERED)
def test_page_is_what_its_data_give(name: str) -> None:
    """If it is not: experiments/publish.py renders it."""
    assert (publish.PUBLISHED / f"{name}.md").read_text(encoding="utf-8") == publish.page_of(name)


@pytest.mark.parametrize("name", [name for name in RENDERED if name != "README"])
def test_manifest_has_every_file(name: str) -> None:
    page.check_hashes(publish.PUBLISHED / name)
    shown = page.SHOWN.findall((publish.PUBLISHED / f"{name}.md").read_text(encoding="utf-8"))
    there = {file.name for file in (publish.PUBLISHED / name).iterdir() if file.suffix not in (".csv", ".json")}
    assert there == set(shown)


@pytest.mark.parametrize("name", RENDERED)
def test_no_number_is_typed(name: str) -> None:
    """One that is no result, as in `the widest {{ 10 }} %`, is in braces."""
    template = publish.OVERVIEW if name == "README" else page.template_of(name)
    assert typed_numbers(template.read_text(encoding="utf-8")) == []


def typed_numbers(template: str) -> list[str]:
    """The numbers in the text of a template."""
    return TYPED.findall(NAMED.sub("", NO_TEXT.sub("", template)))


def test_typed_numbers_are_found() -> None:
    assert typed_numbers("By 12 % on 7 logs, {{ 3 }} of SDSC-SP2, Figures 1, 2(a) and 3 to 5, section 4.3, `x 9`,\n"
                         "[ten](https://example.org/10), {% set x = 5 %}1,234.5\n\n    run 4\n"
                         ) == ["12", "7", "1,234.5"]
