"""Job of rule `pc_dc_event_table`: events of the profile that pc examines, as multiples of those of conservative."""
from typing import Any

from common.tables import Row, read_csv, write_csv, write_markdown
from common.workbench import run_job


def main(job: Any) -> None:
    """Writes the counts of section 4.3."""
    events = {(row["machine"], row["run"]): int(row["profile_events"]) for row in read_csv(job.input[0])}
    rows = [{"log": machine, "conservative": events[machine, "conservative"],
             **{f"pc-{order} / conservative": events[machine, f"pc-{order}"] / events[machine, "conservative"]
                if events[machine, "conservative"] else None for order in job.params.orders}}
            for machine in job.params.machines]
    table, markdown = job.output
    write_csv(table, rows)
    shown: list[Row] = [{column: f"{value:.1f}" if isinstance(value, float) else value
                         for column, value in row.items()} for row in rows]
    write_markdown(markdown, "Events of the profile that compressions examine", shown)


run_job(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
