"""What the paper states of waits and stretches: Figures 2 to 5."""
from statistics import fmean
from typing import Iterator

import numpy

from common.comparison import BY_NUMBER, BY_NUMBER_FROM_0, Statement, relation, word
from common.tables import per_cent, tenths
from dbf.results import CBF, DBF, EASY, Results, distinct, ratios, select, values
from dbf.sources import (ALL, HPC2N, MAXIMUM, REGULAR, SDSC_BLUE, SDSC_DS, STRETCH, Sources, configurations, count,
                         each, falls, hours, minutes, per_machine, plain, rises, spread, two)

# What the paper's words are taken to mean.
MOST = 0.5  # "most" is more than this share
STABLE = 0.05  # "remains stable", "unchanged"
SLIGHTLY = 0.1  # "slightly better"
ON_PAR = 0.05  # "at least on par", "similar or lower"
SIMILAR_MAXIMUM = 0.2  # "similar", of maxima
STRAIGHT = 0.95  # "linear": R² of a line
ALMOST_NO_WAIT = 60  # "close to zero", seconds
GREAT = 10  # "a great difference" between maximum and mean, times
STRONGLY = 2  # "important variations", times
LESS_ON_EACH = "less than 1 in the mean, on each log"
BY_SUBMISSION = "conservative-submission"  # the schedule of this name
LABELS = {EASY: "EASY", CBF: "CBF", DBF: "DBF"}


def easy_is_slightly_better(results: Results, metric: str, part: str, likewise: str) -> Iterator[Statement]:
    """What the paper says of the smallest share on SDSC-BLUE, if that log is there."""
    first, blue = results.shares[0], results.machine(SDSC_BLUE)
    if blue:
        ratio = results.ratio(metric, blue, first, EASY)
        yield Statement(part, f"SDSC-BLUE, {first} %: EASY is slightly better than DBF{likewise}",
                        f"DBF / EASY {spread(ratio, two)}; EASY is better in {count([one > 1 for one in ratio])} draws",
                        relation(1 < fmean(ratio) <= 1 + SLIGHTLY), f"in the mean, by at most {per_cent(SLIGHTLY)}")


def change(means: list[float]) -> float:
    """How far the largest is above the smallest, as a part of it."""
    return max(means) / min(means) - 1 if min(means) else 0.0


def waits(sources: Sources) -> Iterator[Statement]:
    """Figure 2, of the algorithms that do not look at deadlines."""
    results = sources.results

    def changes(machine: str) -> list[float]:
        return [change([results.mean(REGULAR, machine, share, run) for share in results.shares]) for run in (CBF, EASY)]

    yield Statement("Figure 2", "The mean waits of CBF and EASY do not depend on the share",
                    "CBF, EASY: " + per_machine(results.machines, lambda machine: each(changes(machine), tenths)),
                    relation(all(max(changes(machine)) <= STABLE for machine in results.of_paper)),
                    f"the largest mean is at most {per_cent(STABLE)} above the smallest, on each log")
    parts = {machine: [ratio for share in results.shares for ratio in ratios(
        results.of(REGULAR, machine, share, EASY), results.of(REGULAR, machine, share, CBF))]
        for machine in results.machines}
    yield Statement("Figure 2", "EASY waits less than CBF everywhere",
                    "EASY / CBF: " + per_machine(parts, lambda machine: spread(parts[machine], two)),
                    relation(all(fmean(parts[machine]) < 1 for machine in results.of_paper)), LESS_ON_EACH)
    by_submission = {machine: ratios(*(values(select(sources.compressions, machine=machine, variant=BY_SUBMISSION,
                                                     run=run), REGULAR) for run in (EASY, BY_SUBMISSION)))
                     for machine in results.machines}
    known = [machine for machine in results.machines if by_submission[machine]]
    judged = [machine for machine in results.of_paper if machine in known]
    if judged:
        yield Statement("Figure 2", "The same of a CBF that compresses by submission (`compression=submission`)",
                        "EASY / CBF, in the draws with all forms of CBF: "
                        + per_machine(known, lambda machine: spread(by_submission[machine], two)),
                        relation(all(fmean(by_submission[machine]) < 1 for machine in judged)), LESS_ON_EACH)


def wait_of_dbf(sources: Sources) -> Iterator[Statement]:
    """Figure 2, where DBF waits least, and how its wait falls."""
    results = sources.results
    first, blue = results.shares[0], results.machine(SDSC_BLUE)
    others = [one for one in configurations(results) if one != (blue, first)]
    least = [own < min(easy, cbf) for one in others
             for own, easy, cbf in zip(*(results.of(REGULAR, *one, run) for run in (DBF, EASY, CBF)))]
    yield Statement("Figure 2", f"DBF waits less than EASY and CBF, but on SDSC-BLUE at {first} %",
                    f"in {count(least)} draws elsewhere",
                    relation(all(results.mean(REGULAR, *one, DBF) < results.mean(REGULAR, *one, run)
                                 for one in others for run in (EASY, CBF))), "by means, on each log at each share")
    yield from easy_is_slightly_better(results, REGULAR, "Figure 2", "")
    means = {machine: [results.mean(REGULAR, machine, share, DBF) for share in results.shares]
             for machine in results.machines}

    def straightness(machine: str) -> float:
        return float(numpy.corrcoef([float(share) for share in results.shares], means[machine])[0, 1] ** 2)

    yield Statement("Figure 2", "DBF's mean wait falls linearly with the share", per_machine(
                        means, lambda machine: f"{each(means[machine], hours)} (R² {two(straightness(machine))})"),
                    relation(all(falls(means[machine]) and straightness(machine) >= STRAIGHT
                                 for machine in results.of_paper)),
                    f"with each share, and R² of a line is at least {two(STRAIGHT)}, on each log")


def gains(sources: Sources) -> Iterator[Statement]:
    """Figure 2, how much DBF gains at the smallest share."""
    results, first = sources.results, sources.results.shares[0]
    of_cbf, of_easy = ({machine: results.ratio(REGULAR, machine, first, run) for machine in results.machines}
                       for run in (CBF, EASY))
    datastar, hpc2n = results.machine(SDSC_DS), results.machine(HPC2N)
    if datastar:
        yield Statement("Figure 2", f"At {first} %, the gain over CBF is largest on SDSC-DS",
                        "DBF / CBF: " + per_machine(of_cbf, lambda machine: spread(of_cbf[machine], two)),
                        relation(min(results.of_paper, key=lambda machine: fmean(of_cbf[machine])) == datastar),
                        "the mean on SDSC-DS is the smallest")
        factor = sources.paper["reduction on SDSC-DS"]
        by_factor = {machine: [1 / ratio for ratio in of_cbf[machine]] for machine in of_cbf
                     if machine in (datastar, SDSC_DS)}
        yield Statement("Figure 2", f"SDSC-DS, {first} %: DBF reduces CBF's mean wait by more than a factor of "
                        f"{plain(factor)}",
                        per_machine(by_factor, lambda machine: f"by {spread(by_factor[machine], two)}") +
                        f"; by more in {count([one > factor for one in by_factor[datastar]])} draws",
                        relation(fmean(by_factor[datastar]) > factor), f"in the mean by more than {plain(factor)}")
    yield Statement("Figure 2", f"At {first} %, DBF is at least on par with EASY",
                    "DBF / EASY: " + per_machine(of_easy, lambda machine: spread(of_easy[machine], two)),
                    relation(all(fmean(of_easy[machine]) <= 1 + ON_PAR for machine in results.of_paper)),
                    f"in the mean at most {per_cent(ON_PAR)} above, on each log")
    if hpc2n:
        reduction, papers = [1 - ratio for ratio in of_easy[hpc2n]], sources.paper["reduction on HPC2N"]
        yield Statement("Figure 2", f"HPC2N, {first} %: DBF is {per_cent(papers)} below EASY",
                        spread(reduction, per_cent), word(fmean(reduction), papers, 0), BY_NUMBER_FROM_0)
        yield Statement("Figure 2", "That is the largest reduction of all",
                        per_machine(results.of_paper, lambda machine: per_cent(1 - fmean(of_easy[machine]))),
                        relation(min(results.of_paper, key=lambda machine: fmean(of_easy[machine])) == hpc2n),
                        "in the mean larger than on each other log")
    schedules = [1 for repair in results.repairs for one in configurations(results, results.machines)
                 for _ in results.of(REGULAR, *one, DBF, repair)]
    yield Statement("Figure 2", "Under DBF, the start that a regular job is given at its submission only moves earlier",
                    f"in all {plain(len(schedules))} schedules, or `batfill check` would have refused them",
                    relation(bool(schedules)), "in each schedule")


def compressions(sources: Sources) -> Iterator[Statement]:
    """Whether some CBF is as poor on SDSC-DS as the paper's: it waits there more than twice as long as DBF, which is
    nowhere further below EASY than on HPC2N."""
    results, paper = sources.results, sources.paper
    datastar = results.machine(SDSC_DS)
    factor, below = paper["reduction on SDSC-DS"], paper["reduction on HPC2N"]
    poor = factor * (1 - below)
    rows_there = select(sources.compressions, machine=str(datastar))
    for variant in distinct(rows_there, "variant"):
        rows = select(rows_there, variant=variant)
        easy, cbf, dbf = (values(select(rows, run=run), REGULAR) for run in (EASY, variant, DBF))
        behind = ratios(cbf, easy)
        yield Statement("CBF", f"`{variant}`: CBF is poor on SDSC-DS",
                        f"{spread(behind, two)} times as long as EASY, {spread(ratios(cbf, dbf), two)} times as long "
                        "as DBF", relation(fmean(behind) > poor),
                        f"it waits in the mean more than {poor:.1f} times as long as EASY")


def waits_on_blue(sources: Sources) -> Iterator[Statement]:
    """Figure 3, the panel that the paper describes."""
    results, paper = sources.results, sources.paper
    blue, first = results.machine(SDSC_BLUE), results.shares[0]
    if not blue:
        return
    of = f"SDSC-BLUE, {first} %: "
    easy, dbf = (results.at_once(blue, first, run) for run in (EASY, DBF))
    bound = paper["start at once under EASY"]
    yield Statement("Figure 3", f"{of}more than {per_cent(bound)} of the regular jobs start at once under EASY",
                    spread(easy, tenths), relation(fmean(easy) > bound), f"in the mean more than {per_cent(bound)}")
    yield Statement("Figure 3", f"{of}these are more than under DBF",
                    f"{spread(easy, tenths)}, {spread(dbf, tenths)}; more in "
                    f"{count([a > b for a, b in zip(easy, dbf)])} draws", relation(fmean(easy) > fmean(dbf)),
                    "more in the mean")
    quartile, papers = results.quantile("0.25", blue, first, DBF), paper["first quartile of DBF"]
    yield Statement("Figure 3", f"{of}the first quartile of DBF is {minutes(papers)}", spread(quartile, minutes),
                    word(fmean(quartile), papers), BY_NUMBER)
    easy, dbf = (results.quantile("0.75", blue, first, run) for run in (EASY, DBF))
    behind, most = [b - a for a, b in zip(easy, dbf)], paper["third quartile, DBF - EASY"]
    yield Statement("Figure 3", f"{of}at the third quartile EASY is ahead by less than {minutes(most)}",
                    f"DBF - EASY: {spread(behind, minutes)}", relation(0 < fmean(behind) < most),
                    f"in the mean more than {minutes(0)} and less than {minutes(most)}")
    easy, dbf = (results.quantile("1.0", blue, first, run) for run in (EASY, DBF))
    shorter, papers = [a - b for a, b in zip(easy, dbf)], paper["longest wait, EASY - DBF"]
    yield Statement("Figure 3", f"{of}DBF's longest wait is {hours(papers)} shorter than EASY's",
                    f"EASY - DBF: {spread(shorter, hours)}; shorter in {count([one > 0 for one in shorter])} draws",
                    word(fmean(shorter), papers, 0), BY_NUMBER_FROM_0)


def distributions(sources: Sources) -> Iterator[Statement]:
    """Figure 3, the other panels."""
    results, first = sources.results, sources.results.shares[0]
    at_once = {machine: [fmean(results.at_once(machine, first, run)) for run in (EASY, DBF)]
               for machine in results.machines}
    yield Statement("Figure 3", f"At {first} % the distributions of all logs are alike",
                    "EASY, DBF: " + per_machine(at_once, lambda machine: each(at_once[machine], tenths)),
                    relation(all(at_once[machine][0] > at_once[machine][1] for machine in results.of_paper)),
                    "as on SDSC-BLUE, more regular jobs start at once under EASY than under DBF, in the mean on each "
                    "log")
    for machine in filter(None, map(results.machine, (SDSC_BLUE, SDSC_DS))):
        for share in results.shares[1:2]:
            quartile = results.quantile("0.25", machine, share, DBF)
            yield Statement("Figure 3", f"{results.names[machine]}: from {share} % on, at least a quarter of the "
                            "regular jobs waits almost not at all under DBF",
                            f"at {share} %: {spread(quartile, minutes)}; at {first} % already: "
                            f"{spread(results.quantile('0.25', machine, first, DBF), minutes)}",
                            relation(fmean(quartile) <= ALMOST_NO_WAIT),
                            f"the first quartile is at most {ALMOST_NO_WAIT} s, in the mean")

    def means(machine: str, level: str, run: str) -> list[float]:
        return [fmean(results.quantile(level, machine, share, run)) for share in results.shares]

    changes = {machine: [change(means(machine, level, CBF)) for level in ("0.5", "0.75")]
               for machine in results.machines}
    yield Statement("Figure 3", "CBF stays as it is when the share grows",
                    per_machine(changes, lambda machine: each(changes[machine], tenths)),
                    relation(all(max(changes[machine]) <= STABLE for machine in results.of_paper)),
                    f"median and third quartile within {per_cent(STABLE)}, on each log")
    hpc2n = results.machine(HPC2N)
    if hpc2n:
        quartiles = [means(hpc2n, level, DBF) for level in ("0.25", "0.5", "0.75")]
        yield Statement("Figure 3", "HPC2N: the waits under DBF are reduced uniformly as the share grows",
                        "; ".join(each(one, minutes) for one in quartiles), relation(all(map(falls, quartiles))),
                        "all quartiles fall with each share")


def waits_of_all(sources: Sources) -> Iterator[Statement]:
    """Figure 4."""
    results = sources.results
    cbf, easy = ({one: results.ratio(ALL, *one, run) for one in configurations(results, results.machines)}
                 for run in (CBF, EASY))
    judged = configurations(results)

    def shown(ratio: dict[tuple[str, str], list[float]]) -> str:
        return per_machine(results.machines, lambda machine: ", ".join(
            spread(ratio[machine, share], two) for share in results.shares))

    below = [ratio < 1 for one in judged for ratio in cbf[one]]
    yield Statement("Figure 4", "DBF lowers the mean wait of all jobs against CBF",
                    f"DBF / CBF: {shown(cbf)}; lower in {count(below)} draws",
                    relation(all(fmean(cbf[one]) < 1 for one in judged)), "by means, on each log at each share")
    gain = {machine: [1 - fmean(cbf[machine, share]) for share in results.shares] for machine in results.machines}
    yield Statement("Figure 4", "That gain grows with the share",
                    per_machine(gain, lambda machine: each(gain[machine], tenths)),
                    relation(all(rises(gain[machine]) for machine in results.of_paper)),
                    "with each share, on each log")
    ahead = [fmean(easy[one]) < 1 for one in judged]
    yield Statement("Figure 4", "There is no clear winner between DBF and EASY",
                    f"DBF has it in {count(ahead)}; DBF / EASY: {shown(easy)}",
                    relation(any(ahead) and not all(ahead)), "neither has the smaller mean on all logs at all shares")
    good = [all(fmean(easy[machine, share]) <= 1 + ON_PAR for share in results.shares[1:])
            for machine in results.of_paper]
    yield Statement("Figure 4", f"From {results.shares[1]} % on, DBF is similar to EASY or lower on most logs",
                    f"on {count(good)}", relation(sum(good) > MOST * len(good)),
                    f"at most {per_cent(ON_PAR)} above, on more than {per_cent(MOST)} of the logs")


def mean_stretches(sources: Sources) -> Iterator[Statement]:
    """The mean stretch, of which the paper says only that it is like the mean wait."""
    results, first = sources.results, sources.results.shares[0]

    def order(metric: str, machine: str, share: str) -> str:
        runs = sorted(LABELS, key=lambda run: results.mean(metric, machine, share, run))
        return ", ".join(LABELS[run] for run in runs)

    for machine in results.of_paper:
        alike = [order(REGULAR, machine, share) == order(STRETCH, machine, share) for share in results.shares]
        easy, cbf = (results.ratio(STRETCH, machine, first, run) for run in (EASY, CBF))
        yield Statement("mean stretch", f"{results.names[machine]}: the algorithms are related as in the mean wait",
                        f"at {count(alike)} shares; at {first} %, from the least, wait: "
                        f"{order(REGULAR, machine, first)}; stretch: {order(STRETCH, machine, first)} (DBF / EASY "
                        f"{spread(easy, two)}, DBF / CBF {spread(cbf, two)})", relation(all(alike)),
                        "in the same order at each share")
    yield from easy_is_slightly_better(results, STRETCH, "mean stretch", ", as in the mean wait")
    means = {machine: [results.mean(STRETCH, machine, share, DBF) for share in results.shares]
             for machine in results.machines}
    yield Statement("mean stretch", "Under DBF it falls with the share, as the mean wait does",
                    per_machine(means, lambda machine: each(means[machine], "{:.1f}".format)),
                    relation(all(falls(means[machine]) for machine in results.of_paper)),
                    "with each share, on each log")
    better = [own < other for one in configurations(results) for run in (EASY, CBF)
              for own, other in zip(results.of(STRETCH, *one, DBF), results.of(STRETCH, *one, run))]
    yield Statement("mean stretch", "DBF is clearly better than CBF and EASY (section 8)",
                    f"in {count(better)} comparisons of draws",
                    relation(all(results.mean(STRETCH, *one, DBF) < results.mean(STRETCH, *one, run)
                                 for one in configurations(results) for run in (EASY, CBF))),
                    "by means, on each log at each share")


def maximum_stretches(sources: Sources) -> Iterator[Statement]:
    """Figure 5."""
    results = sources.results
    above = {machine: [results.mean(MAXIMUM, machine, share, run) / results.mean(STRETCH, machine, share, run)
                       for share in results.shares for run in LABELS] for machine in results.machines}
    yield Statement("Figure 5", "The maximum is far above the mean, under all algorithms",
                    per_machine(above, lambda machine: f"{plain(min(above[machine]))} to {plain(max(above[machine]))} "
                                "times"), relation(all(min(above[machine]) > GREAT for machine in results.of_paper)),
                    f"more than {GREAT} times, on each log at each share")

    def variations(machine: str) -> list[float]:
        return [change([one for share in results.shares for one in results.of(MAXIMUM, machine, share, run)]) + 1
                for run in LABELS]

    yield Statement("Figure 5", "It depends strongly on which jobs are drawn, under all algorithms",
                    f"{', '.join(LABELS.values())}: " +
                    per_machine(results.machines, lambda machine: each(variations(machine), "{:.1f}".format)),
                    relation(all(min(variations(machine)) > STRONGLY for machine in results.of_paper)),
                    f"over shares and draws, by more than a factor of {STRONGLY}, on each log")
    blue = results.machine(SDSC_BLUE)
    if blue:
        yield from job_with_the_maximum(results, blue)
    for name, similar in ((SDSC_DS, True), (SDSC_BLUE, False), (HPC2N, False)):
        machine = results.machine(name)
        if machine:
            yield maximum_against_easy(results, machine, similar)


def job_with_the_maximum(results: Results, blue: str) -> Iterator[Statement]:
    """Where the job with CBF's largest stretch is drawn, the maximum of the regular jobs is smaller. Says nothing if it
    never is."""
    parts = [regular / of_all for share in results.shares for regular, of_all in zip(
        results.of(MAXIMUM, blue, share, CBF), results.of("max_stretch", blue, share, CBF))]
    drawn = [part for part in parts if part < 1]
    if drawn:
        yield Statement("Figure 5", "SDSC-BLUE: where the job with CBF's largest stretch is drawn, the maximum of the "
                        "regular jobs is smaller", f"it is drawn in {count([part < 1 for part in parts])} draws, where "
                        f"the maximum is {spread(drawn, two)} of its stretch", relation(fmean(drawn) < 1),
                        "smaller in the mean")


def maximum_against_easy(results: Results, machine: str, similar: bool) -> Statement:
    """DBF's maximum beside EASY's: of the draws' ratios the median, as single ones are far above the others."""
    ratio = [one for share in results.shares for one in results.ratio(MAXIMUM, machine, share, EASY)]
    below, median = [one < 1 for one in ratio], float(numpy.median(ratio))
    return Statement("Figure 5", f"{results.names[machine]}: DBF's maximum is "
                     f"{'similar to' if similar else 'smaller than'} EASY's",
                     f"DBF / EASY: median {two(median)}, {two(min(ratio))} to {two(max(ratio))}; smaller in "
                     f"{count(below)} draws",
                     relation(abs(median - 1) <= SIMILAR_MAXIMUM if similar else sum(below) > MOST * len(below)),
                     f"the median of the draws is within {per_cent(SIMILAR_MAXIMUM)}" if similar
                     else f"in more than {per_cent(MOST)} of the draws")
