"""Job of rule `farms_tables`: the numbers of the figures, what differs, the variants, and the paper's statements."""
from pathlib import Path
from typing import Sequence

from common.confidence import Interval
from common.job import Job, run_job
from common.tables import Cell, Row, Show, write_table
from farms.results import MEASURES, NAMES, PAPER, Results
from farms.statements import statements

# Each of these: by how much the first is better than the second.
PAIRS = [("easy", "fcfs"), ("bf-unmod", "fcfs"), ("bf-mod", "fcfs"), ("bf-unmod", "easy"), ("bf-mod", "easy"),
         ("bf-mod", "bf-unmod")]
LICENSE_MEASURES = ["license_usage", "late"]


def signed(show: Show) -> Show:
    """The same way to show numbers, with a sign in front of those that are not shown as 0."""
    def shown(value: float) -> str:
        text = show(abs(value))
        return text if text == show(0.0) else ("+" if value > 0 else "-") + text

    return shown


class Gain(Interval):
    """A paired difference, which is called the same where 0 is in its interval."""

    def text(self, show: Show) -> str:
        """`+1.0 ± 0.5`, and `same` behind it if that may be by chance."""
        return f"{signed(show)(self.mean)} ± {show(self.half_width)}{'' if self.differs else ' (same)'}"


def pair_name(pair: Sequence[str]) -> str:
    """The names of both."""
    return f"{NAMES[pair[0]]} over {NAMES[pair[1]]}"


class Tables:
    """Writes the tables from the workflow's file."""

    def __init__(self, job: Job) -> None:
        self._folder = Path(job.output[0]).parent
        self._results = Results(job.input[0])
        self._scenarios: list[str] = [*job.params.workloads, *job.params.heuristics]
        self._ratios = [(f"ratio-{ratio}", ratio, rate) for ratio in self._results.ratios()
                        for rate in self._results.interarrivals(f"ratio-{ratio}")]
        self._ratios.sort(key=lambda place: int(place[2]))

    def write_all(self) -> None:
        """Writes every table, as CSV with full numbers and as Markdown."""
        rates = self._results.interarrivals()
        self._write("rates", "Figures 1 and 2(a): mean ± half the width of the 95 % confidence interval", [
            {"measure": shown.title, "inter-arrival time (s)": rate, **self._means(measure, rate, PAPER)}
            for measure, shown in MEASURES.items() for rate in rates])
        self._write("differences", "By how much the first scheduler is better than the second, on the same draws", [
            {"measure": shown.title, "inter-arrival time (s)": rate,
             **{pair_name(pair): self._gain(measure, pair, rate, PAPER) for pair in PAIRS}}
            for measure, shown in MEASURES.items() for rate in rates])
        self._write("licenses", "Figure 2(b): use of licences and late jobs by licence ratio", [
            {"measure": MEASURES[measure].title, "inter-arrival time (s)": rate, "licence ratio (%)": ratio,
             **self._means(measure, rate, scenario)}
            for measure in LICENSE_MEASURES for scenario, ratio, rate in self._ratios])
        self._write("license-differences", "The same, by how much the first is better than the second", [
            {"measure": MEASURES[measure].title, "inter-arrival time (s)": rate, "licence ratio (%)": ratio,
             **{pair_name(pair): self._gain(measure, pair, rate, scenario) for pair in PAIRS[3:]}}
            for measure in LICENSE_MEASURES for scenario, ratio, rate in self._ratios])
        self._write("variants", "Late jobs (% of those with a deadline) under other readings and settings", [
            {"variant": scenario, "inter-arrival time (s)": rate, **self._means("late", rate, scenario),
             **{pair_name(pair): self._gain("late", pair, rate, scenario) for pair in PAIRS[3:]},
             **{f"slowdown, {pair_name(pair)}": self._gain("slowdown", pair, rate, scenario) for pair in PAIRS[3:5]}}
            for scenario in self._scenarios for rate in self._results.interarrivals(scenario)])
        self._write("statements", "What the paper says, and what is here",
                    [statement.row() for statement in statements(self._results)])

    def _write(self, name: str, title: str, rows: Sequence[Row]) -> None:
        write_table(str(self._folder / name), title, rows)

    def _means(self, measure: str, rate: str, scenario: str) -> Row:
        return {name: Cell(self._results.mean(measure, scheduler, rate, scenario), MEASURES[measure].show)
                for scheduler, name in NAMES.items()}

    def _gain(self, measure: str, pair: Sequence[str], rate: str, scenario: str) -> Cell:
        gain = self._results.gain(measure, pair, rate, scenario)
        return Cell(Gain(gain.mean, gain.half_width), MEASURES[measure].show)


def main(job: Job) -> None:
    """Writes all tables."""
    Tables(job).write_all()


if __name__ == "__main__":
    run_job(main)
