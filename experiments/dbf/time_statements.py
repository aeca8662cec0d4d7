"""What the paper states of the time that replays take: Table 3. Seconds of another program on another computer are not
compared, only what they have to do with each other."""
from statistics import fmean
from typing import Iterator, Mapping, Optional, Sequence

from common.comparison import BY_NUMBER_FROM_1, Statement, relation, word
from dbf.results import CBF, DBF, EASY
from dbf.sources import HPC2N, SDSC_BLUE, Sources, per_machine, two

NO_MATTER = 1.5  # how many times the shortest the longest may take where the share "does not matter"

Times = Mapping[str, Mapping[str, float]]


def mean_of_dbf(columns: Mapping[str, float]) -> float:
    """Over the shares."""
    return fmean(seconds for column, seconds in columns.items() if column.startswith(DBF))


def span_of_dbf(columns: Mapping[str, float]) -> float:
    """The longest of the shares by the shortest."""
    seconds = [one for column, one in columns.items() if column.startswith(DBF)]
    return max(seconds) / min(seconds)


def times(sources: Sources) -> Iterator[Statement]:
    """Table 3."""
    results, paper, ours = sources.results, sources.paper, sources.timings
    theirs = {machine: row for machine in results.of_paper if (row := sources.table_row("3", machine))}
    yield Statement("Table 3", "The share does not matter for the time of DBF",
                    per_machine(results.machines, lambda machine: two(span_of_dbf(ours[machine]))),
                    relation(all(span_of_dbf(ours[machine]) <= NO_MATTER for machine in results.of_paper)),
                    f"the longest is at most {NO_MATTER} times the shortest, on each log")
    jobs = {machine: float(str(sources.conversions[machine]["kept"])) for machine in results.machines}
    blue, hpc2n = results.machine(SDSC_BLUE), results.machine(HPC2N)
    if blue in theirs and hpc2n in theirs:
        for what, more in (("in all", 1.0), ("per job", jobs[str(hpc2n)] / jobs[str(blue)])):
            mine, papers = (mean_of_dbf(of[str(hpc2n)]) / mean_of_dbf(of[str(blue)]) / more for of in (ours, theirs))
            yield Statement("Table 3", f"HPC2N takes DBF {two(papers)} times as long as SDSC-BLUE, {what}",
                            f"{two(mine)} times", word(mine, papers, 1), BY_NUMBER_FROM_1)
    each, papers_each = ({machine: mean_of_dbf(of[machine]) / jobs[machine] for machine in theirs}
                         for of in (ours, theirs))
    most, most_elsewhere = paper["time per job, HPC2N"], paper["time per job, others"]
    yield Statement("Table 3", f"A job takes DBF less than {1000 * most:.0f} ms on HPC2N, less than "
                    f"{1000 * most_elsewhere:.0f} ms elsewhere",
                    per_machine(theirs, lambda machine: f"{1000 * each[machine]:.3f} ms (by the paper's table "
                                f"{1000 * papers_each[machine]:.2f} ms)"),
                    relation(all(each[machine] < (most if machine == hpc2n else most_elsewhere)
                                 for machine in theirs)), "in the mean of the shares, on each log")
    for run, name, expected in ((CBF, "CBF", 1 + paper["overhead"]), (EASY, "EASY", paper["faster than DBF"])):
        yield from beside(ours, theirs, run, (name, expected), hpc2n)


def beside(ours: Times, theirs: Times, run: str, stated: tuple[str, float],
           hpc2n: Optional[str]) -> Iterator[Statement]:
    """DBF's time beside another's. HPC2N stands apart: with it, what the paper states is not true of its own table."""
    name, expected = stated

    def ratio(of: Times, machines: Sequence[str]) -> float:
        return fmean(mean_of_dbf(of[machine]) / of[machine][run] for machine in machines)

    others = [machine for machine in theirs if machine != hpc2n]
    if others:
        yield Statement("Table 3", f"DBF takes {two(expected)} times as long as {name} (all but HPC2N)",
                        f"{two(ratio(ours, others))} times (by the paper's table {two(ratio(theirs, others))})",
                        word(ratio(ours, others), expected, 1), BY_NUMBER_FROM_1)
    if hpc2n in theirs:
        mine, papers = (ratio(of, [str(hpc2n)]) for of in (ours, theirs))
        yield Statement("Table 3", f"HPC2N: DBF takes {two(papers)} times as long as {name} (by the paper's table)",
                        f"{two(mine)} times", word(mine, papers, 1), BY_NUMBER_FROM_1)
