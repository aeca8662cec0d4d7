"""What the paper states of deadlines: Figures 6 and 7."""
from statistics import fmean
from typing import Iterator, Optional, Sequence

from common.comparison import BY_NUMBER, Statement, relation, word
from common.tables import hundredths, per_cent, tenths
from dbf.results import DBF, Results, ratios, select, values
from dbf.sources import (HPC2N, SDSC_BLUE, SDSC_DS, Sources, configurations, each, falls, per_machine, plain, rises,
                         spread)

# What the paper's words are taken to mean.
MOST = 0.5  # "most" is more than this share
EXTREMELY_FEW = 0.01
VAST_MAJORITY = 0.75
ALMOST = 0.05  # "almost half": so much below
UNIFORM = 0.05  # the most by which the shares of jobs that start at once may differ
LARGEST = (SDSC_BLUE, HPC2N)

MISSED, MISSED_SHORT, JOBS = "deadline_violations", "deadline_violations_short", "deadline_jobs"
AT_ONCE, DELAYED = "deadline_jobs_started_at_once", "mean_deadline_usage_delayed"
ABOVE_80 = "share_deadline_usage_above_80_percent"


def violations(sources: Sources) -> Iterator[Statement]:
    """Figure 6: how many."""
    results = sources.results
    missed, part = {}, {}
    for machine in results.machines:
        missed[machine] = [results.mean(MISSED, machine, share, DBF) for share in results.shares]
        part[machine] = [fmean(ratios(results.of(MISSED, machine, share, DBF), results.of(JOBS, machine, share, DBF)))
                         for share in results.shares]
    yield Statement("Figure 6", "Extremely few deadlines are missed",
                    per_machine(part, lambda machine: each(part[machine], hundredths)),
                    relation(all(max(part[machine]) < EXTREMELY_FEW for machine in results.of_paper)),
                    f"less than {per_cent(EXTREMELY_FEW)} of the deadline-driven jobs, in the mean on each log at each "
                    "share")
    large = [machine for machine in map(results.machine, LARGEST) if machine]
    small = [machine for machine in results.of_paper if machine not in large]
    if large and small:
        yield Statement("Figure 6", "More are missed in the two largest logs",
                        per_machine(missed, lambda machine: each(missed[machine], plain)),
                        relation(all(min(missed[machine][place] for machine in large)
                                     > max(missed[machine][place] for machine in small)
                                     for place in range(len(results.shares)))), "at each share")
    growing = [machine for machine in results.of_paper if rises(missed[machine])]
    yield Statement("Figure 6", "Their number has no direct correlation with the share",
                    f"it does on {len(growing)} of {len(results.of_paper)}",
                    relation(len(growing) < len(results.of_paper)), "not on all logs does it grow with each share")


def fates(sources: Sources) -> Iterator[Statement]:
    """Figure 6: which, and why."""
    results, first = sources.results, sources.results.shares[0]
    for machine in filter(None, map(results.machine, (SDSC_BLUE, SDSC_DS, HPC2N))):
        yield short_jobs(results, machine)
    loaded = {machine: [sum(values(select(sources.missed, machine=machine), column))
                        for column in ("missed_submitted_under_heavy_load", "missed")]
              for machine in results.machines if select(sources.missed, machine=machine)}
    judged = [loaded[machine] for machine in results.of_paper if machine in loaded]
    if judged:
        yield Statement("Figure 6", f"Most jobs that miss their deadlines were submitted under heavy load ({first} %)",
                        per_machine(loaded, lambda machine: " of ".join(map(plain, loaded[machine]))),
                        relation(all(heavy > MOST * missed for heavy, missed in judged)),
                        f"more than {per_cent(MOST)}, on each log, when more processors were asked for than on the "
                        "average of the time")

    def certain(machine: str, repair: Optional[str] = None) -> float:
        known, all_missed = (sum(sum(results.counted(statistic, machine, share, repair)) for share in results.shares)
                             for statistic in ("deadlines_missed_hopeless", "deadlines_missed"))
        return known / all_missed if all_missed else 1.0

    variants = "".join(f"; with `repair={repair}` " + per_machine(
        results.machines, lambda machine, repair=repair: tenths(certain(machine, repair)))  # type: ignore[misc]
        for repair in results.repairs[1:])
    yield Statement("Figure 6", "Only jobs that would be late already by their first allocation miss their deadlines",
                    per_machine(results.machines, lambda machine: tenths(certain(machine))) + " of them" + variants,
                    relation(all(certain(machine) == 1 for machine in results.of_paper)), "all, on each log")


def short_jobs(results: Results, machine: str) -> Statement:
    """Whether the missed deadlines are those of short jobs, as the paper has it, on HPC2N of long ones."""
    short, missed = ([results.of(metric, machine, share, DBF) for share in results.shares]
                     for metric in (MISSED_SHORT, MISSED))
    part = sum(sum(draws) for draws in short) / max(sum(sum(draws) for draws in missed), 1)
    by_share = "; ".join(f"{share} %: {spread(ratios(some, of), per_cent)}"
                         for share, some, of in zip(results.shares, short, missed) if any(of))
    name = results.names[machine]
    if name == HPC2N:
        return Statement("Figure 6", f"{name}: more deadlines of long jobs are missed than of short ones",
                         f"{per_cent(1 - part)} of those missed are of long jobs; of short ones at {by_share}",
                         relation(part < 1 - MOST), f"more than {per_cent(MOST)} of those missed")
    return Statement("Figure 6", f"{name}: the vast majority of the missed deadlines are those of short jobs",
                     f"{per_cent(part)}; at {by_share}", relation(part >= VAST_MAJORITY),
                     f"at least {per_cent(VAST_MAJORITY)}")


def usage(sources: Sources) -> Iterator[Statement]:
    """Figure 7."""
    results, paper = sources.results, sources.paper
    half, in_all = paper["start at once, of those with deadlines"], sum(_pooled(results, AT_ONCE)) / _jobs(results)
    yield Statement("Figure 7", "In all, almost half of the deadline-driven jobs start at once", tenths(in_all),
                    relation(half - ALMOST <= in_all <= half), f"{per_cent(half - ALMOST)} to {per_cent(half)}")
    parts = {machine: [fmean(ratios(results.of(AT_ONCE, machine, share, DBF), results.of(JOBS, machine, share, DBF)))
                       for share in results.shares] for machine in results.machines}
    judged = [part for machine in results.of_paper for part in parts[machine]]
    yield Statement("Figure 7", "These are spread uniformly over logs and shares",
                    per_machine(parts, lambda machine: each(parts[machine], per_cent)),
                    relation(max(judged) - min(judged) <= UNIFORM), f"at most {100 * UNIFORM:.0f} points apart")
    delayed = {machine: [results.mean(DELAYED, machine, share, DBF) for share in results.shares]
               for machine in results.machines}
    yield Statement("Figure 7", "Without these, the mean usage of the deadlines falls as the share grows",
                    per_machine(delayed, lambda machine: each(delayed[machine], tenths)),
                    relation(all(falls(delayed[machine]) for machine in results.of_paper)),
                    "with each share, on each log")
    blue, first = results.machine(SDSC_BLUE), results.shares[0]
    if blue:
        ours, papers = results.of(DELAYED, blue, first, DBF), paper["largest usage"]
        yield Statement("Figure 7", f"SDSC-BLUE, {first} %: {tenths(papers)}", spread(ours, tenths),
                        word(fmean(ours), papers), BY_NUMBER)
        yield Statement("Figure 7", "This is the largest mean usage of all",
                        per_machine(results.of_paper, lambda machine: tenths(max(delayed[machine]))),
                        relation(delayed[blue][0] == max(max(delayed[machine]) for machine in results.of_paper)),
                        "larger than each other mean of a log and share")
    few = paper["usage above 80 %"]
    used = sum(share * jobs for share, jobs in zip(_pooled(results, ABOVE_80), _pooled(results, JOBS))) / _jobs(results)
    most, (machine, share) = max((results.mean(ABOVE_80, *one, DBF), one) for one in configurations(results))
    yield Statement("Figure 7", f"Less than {per_cent(few)} of the deadline-driven jobs use more than {per_cent(0.8)} "
                    "of the time to their deadline",
                    f"{hundredths(used)}; most on {machine} at {share} %, {hundredths(most)}", relation(used < few),
                    f"in all less than {per_cent(few)}")


def _pooled(results: Results, metric: str) -> Sequence[float]:
    """A metric in all draws of the paper's machines and all shares."""
    return [one for configuration in configurations(results) for one in results.of(metric, *configuration, DBF)]


def _jobs(results: Results) -> float:
    return sum(_pooled(results, JOBS))
