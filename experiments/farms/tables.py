"""Job of rule `farms_tables`: the means behind the figures and of the variants, what differs, the paper's statements,
and its part of the overview."""
from pathlib import Path
from typing import Iterator

from common.comparison import rows_of
from common.job import Job, run_job
from common.tables import Row, write_csv
from farms.results import MEASURES, NAMES, PAPER, Results
from farms.statements import claims, overview

# Each of these: by how much the first is better than the second.
PAIRS = [("easy", "fcfs"), ("bf-unmod", "fcfs"), ("bf-mod", "fcfs"), ("bf-unmod", "easy"), ("bf-mod", "easy"),
         ("bf-mod", "bf-unmod")]
# What is told of the scenarios that are not the paper's.
VARIANT_MEASURES = ["late", "wait", "slowdown"]
# What the paper's scenario is called where it stands beside other weights.
DEFAULTS = "defaults"
LICENSE_MEASURES = ["license_usage", "late"]


class Tables:
    """The tables from the workflow's file."""

    def __init__(self, job: Job) -> None:
        self.results = Results(job.input.replays, job.input.batfill)
        self._scenarios: list[str] = [*job.params.workloads, *job.params.heuristics]

    def _places(self) -> Iterator[tuple[str, str, str]]:
        """Scenario, inter-arrival time and measure of everything that is told."""
        for scenario in self._scenarios:
            for measure in MEASURES if scenario == PAPER else VARIANT_MEASURES:
                for rate in self.results.interarrivals(scenario):
                    yield scenario, rate, measure
        for scenario in (f"ratio-{ratio}" for ratio in self.results.ratios()):
            for rate in self.results.interarrivals(scenario):
                for measure in LICENSE_MEASURES:
                    yield scenario, rate, measure

    def means(self) -> list[Row]:
        """Means with their intervals."""
        return [{"scenario": scenario, "interarrival": rate, "measure": measure, "scheduler": name,
                 **vars(self.results.mean(measure, scheduler, rate, scenario))}
                for scenario, rate, measure in self._places() for scheduler, name in NAMES.items()]

    def gains(self) -> list[Row]:
        """By how much the first scheduler is better than the second on the same draws, and whether that is so by its
        interval."""
        rows: list[Row] = []
        for scenario, rate, measure in self._places():
            for first, second in PAIRS:
                gain = self.results.gain(measure, (first, second), rate, scenario)
                rows.append({"scenario": scenario, "interarrival": rate, "measure": measure, "first": NAMES[first],
                             "second": NAMES[second], **vars(gain), "verdict": gain.verdict("better", "worse")})
        return rows


def main(job: Job) -> None:
    """Writes all tables."""
    folder, tables = Path(job.output[0]).parent, Tables(job)
    results = tables.results
    found = {DEFAULTS: claims(results), **{weights: claims(results, weights) for weights in job.params.heuristics}}
    write_csv(str(folder / "means.csv"), tables.means())
    write_csv(str(folder / "gains.csv"), tables.gains())
    write_csv(str(folder / "statements.csv"),
              [claim.row(weights) for weights, checked in found.items() for claim in checked])
    write_csv(str(folder / "overview.csv"), rows_of(overview(found)))


if __name__ == "__main__":
    run_job(main)
