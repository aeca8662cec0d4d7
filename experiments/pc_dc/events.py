"""Job of rule `pc_dc_event_table`: events of the profile that pc examines, as multiples of those of conservative."""
from common.job import Job, run_job
from common.tables import Row, read_csv, write_table


def row_of(machine: str, events: dict[tuple[str, str], int], orders: list[str]) -> Row:
    """A machine's row: the count of conservative, and of each order its multiple, if conservative has examined any."""
    yardstick = events[machine, "conservative"]
    return {"log": machine, "conservative": yardstick,
            **{f"pc-{order} / conservative": events[machine, f"pc-{order}"] / yardstick if yardstick else None
               for order in orders}}


def main(job: Job) -> None:
    """Writes the counts of section 4.3."""
    events = {(row["machine"], row["run"]): int(row["profile_events"]) for row in read_csv(job.input[0])}
    rows = [row_of(machine, events, job.params.orders) for machine in job.params.machines]
    write_table(job.output[0].removesuffix(".csv"), "Events of the profile that compressions examine", rows,
                "{:.1f}".format)


if __name__ == "__main__":
    run_job(main)
