"""What the paper states of the logs: Tables 1 and 2, Figure 1."""
from statistics import fmean
from typing import Iterator

from common.comparison import BY_NUMBER, Statement, relation, word, worst
from common.tables import per_cent, tenths
from dbf.results import Rows, values
from dbf.sources import HPC2N, Sources, each, per_machine, plain, two

MOST = 0.5  # "most" is more than this share
NEAR_HOURS = 2  # "roughly", of the ends of the peak period
FAR_FEWER = 2 / 3  # at the weekend
ABOUT = 2  # the factor that "about 10" may be off
MANY_TIMES, FAIR_NUMBER = 100, 0.05  # a fair number of walltimes that are so many times too long


def logs(sources: Sources) -> Iterator[Statement]:
    """Sizes of the logs, Table 1 and what the text says of it."""
    results = sources.results
    for machine in results.of_paper:
        name = str(results.names[machine])
        papers = sources.paper.get("jobs " + name)
        if papers:
            ours = float(str(sources.conversions[machine]["jobs"]))
            yield Statement("Table 1", f"The log of {name} has {plain(papers)} jobs", plain(ours), word(ours, papers),
                            BY_NUMBER)
    for machine in results.of_paper:
        theirs = sources.table_row("1", machine)
        if theirs:
            found = [float(sources.anomalies[machine][column]) for column in theirs]
            yield Statement("Table 1", f"{results.names[machine]}: {each(theirs.values(), plain)}", each(found, plain),
                            worst(map(word, found, theirs.values())), BY_NUMBER)
    longer, much_longer = "run time > walltime", "run time > walltime + 1 min"
    short = {machine: 1 - float(row[much_longer]) / float(row[longer])
             for machine, row in sources.anomalies.items() if machine in results.of_paper and float(row[longer] or 0)}
    yield Statement("Table 1", "For most of the jobs that ran longer than their walltime, the extra time is less than "
                    "a minute", per_machine(short, lambda machine: per_cent(short[machine])),
                    relation(all(share > MOST for share in short.values())), f"on each log more than {per_cent(MOST)}")
    wider = [float(sources.anomalies[machine]["processors > requested"] or 0) > 0 for machine in results.of_paper]
    yield Statement("Table 1", "In most logs there are jobs that got more processors than requested",
                    f"in {sum(wider)} of {len(wider)}", relation(sum(wider) > MOST * len(wider)),
                    f"in more than {per_cent(MOST)} of the logs")


def regular_jobs(sources: Sources) -> Iterator[Statement]:
    """Table 2."""
    results = sources.results
    for machine in results.of_paper:
        theirs = sources.table_row("2", machine)
        if theirs:
            found = [float(sources.regular_jobs[machine][column]) for column in theirs]
            yield Statement("Table 2", f"{results.names[machine]}: {each(theirs.values(), plain)}", each(found, plain),
                            worst(map(word, found, theirs.values())), BY_NUMBER)


def peak(hourly: Rows) -> tuple[int, int]:
    """Begin and end of the longest run of hours with more arrivals than on the average; the end is the hour behind."""
    rates = values(hourly, "arrivals_per_hour")
    runs: list[tuple[int, int]] = []
    for hour, rate in enumerate(rates):
        if rate > fmean(rates):
            begin = runs.pop()[0] if runs and runs[-1][1] == hour else hour
            runs.append((begin, hour + 1))
    return max(runs, key=lambda run: run[1] - run[0])


def arrivals(sources: Sources) -> Iterator[Statement]:
    """Figure 1."""
    results, paper = sources.results, sources.paper
    peaks = {machine: peak(sources.arrivals[machine]) for machine in results.of_paper}
    begins, ends = paper["peak begins"], paper["peak ends"]
    yield Statement(
        "Figure 1", f"The peak period is roughly {plain(begins)} to {plain(ends)} h on all machines",
        per_machine(peaks, lambda machine: f"{peaks[machine][0]} to {peaks[machine][1]} h"),
        relation(all(abs(begin - begins) <= NEAR_HOURS and abs(end - ends) <= NEAR_HOURS
                     for begin, end in peaks.values())), f"each end within {NEAR_HOURS} hours")
    early = [machine for machine in peaks if str(results.names[machine]).startswith("SDSC-")]
    others = [machine for machine in peaks if machine not in early]
    if early and others:
        yield Statement("Figure 1", "On SDSC-BLUE and SDSC-DS it begins a little earlier than on the others",
                        per_machine(peaks, lambda machine: f"{peaks[machine][0]} h"),
                        relation(max(peaks[machine][0] for machine in early)
                                 < min(peaks[machine][0] for machine in others)), "earlier than on each of the others")

    def evening(machine: str) -> float:
        rates = values(sources.arrivals[machine], "arrivals_per_hour")
        return max(rates[peaks[machine][1]:], default=0.0) / fmean(rates)

    yield Statement("Figure 1", "After business hours the rate falls sharply",
                    per_machine(peaks, lambda machine: f"up to {two(evening(machine))} times the mean"),
                    relation(all(evening(machine) <= 1 for machine in peaks)),
                    "from the end of the peak to midnight, no hour is above the mean, on each log")
    weekend = {machine: float(sources.census[machine]["jobs_per_weekend_day"])
               / float(sources.census[machine]["jobs_per_other_day"]) for machine in results.of_paper}
    yield Statement("section 5", "At the weekend far fewer jobs arrive",
                    per_machine(weekend, lambda machine: per_cent(weekend[machine])),
                    relation(all(ratio < FAR_FEWER for ratio in weekend.values())),
                    f"on a day, less than {per_cent(FAR_FEWER)} of those on a working day, on each log")


def deadline_rule(sources: Sources) -> Iterator[Statement]:
    """Where the deadlines' factor of 10 walltimes comes from, and what else the paper says of walltimes."""
    results, expected = sources.results, sources.paper["mean stretch"]
    stretches = {machine: float(value) for machine in results.of_paper
                 if (value := sources.census[machine]["mean_stretch_in_log"])}
    yield Statement("section 5", f"The mean stretch in the logs is about {plain(expected)}, as the deadlines are of "
                    f"{plain(expected)} walltimes", per_machine(stretches, lambda machine: two(stretches[machine])),
                    relation(all(expected / ABOUT <= value <= expected * ABOUT for value in stretches.values())),
                    f"by the waits in the logs, within a factor of {ABOUT} on each")
    ratio, day, most = 10, 24, sources.paper["short walltime"]
    yield Statement("section 5", f"Short jobs, those with a deadline of {day} hours, have walltimes of less than "
                    f"{plain(most)} hours (so on Figure 6)",
                    f"at most {day / ratio:.1f} hours", relation(day / ratio < most),
                    f"its rule gives less: the deadline is {day} hours or {ratio} walltimes, whichever is more")
    hpc2n = results.machine(HPC2N)
    if hpc2n:
        def above(machine: str, times: float) -> float:
            return float(sources.census[machine][f"share_above_{times:.0f}"])

        most = sources.paper["overestimate"]
        yield Statement("Table 3", f"HPC2N: a fair number of jobs have walltimes of up to {plain(most)} times their "
                        "run times",
                        per_machine(results.of_paper, lambda machine: f"{tenths(above(machine, MANY_TIMES))}, "
                                    f"{tenths(above(machine, most))} more than {plain(most)} times"),
                        relation(above(hpc2n, MANY_TIMES) > FAIR_NUMBER),
                        f"more than {per_cent(FAIR_NUMBER)} have more than {MANY_TIMES} times")
