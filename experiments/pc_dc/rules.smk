# "Backfilling with guarantees granted upon job submission": Figures 4 to 9 of the paper and the counts of its text, in
# pc-dc/tables and pc-dc/figures. `pc_dc_events` makes the counts of section 4.3, which are slower and are not in `all`.
# Each replay is one job of the workflow with audit and metrics; its schedule is gone when it ends.

PC_DC = SETTINGS.paper("pc-dc")
PC_DC_MACHINES = SETTINGS.machines("pc-dc")
PC_DC_RUNS = {
    "conservative": {"algorithm": "conservative", "parameters": []},
    "easy": {"algorithm": "easy", "parameters": []},
} | {
    f"{algorithm}-{order}": {"algorithm": algorithm, "parameters": [f"order={order}"]}
    for algorithm in ("pc", "dc") for order in PC_DC["orders"]
}
PC_DC_COUNTED = [run for run, replay in PC_DC_RUNS.items() if replay["algorithm"] in ("conservative", "pc")]
PC_DC_TABLES = ["figure-4", "combinations", "summary", "comparison", "waits", "times"]
PC_DC_FIGURES = range(5, 10)

localrules: pc_dc_collect, pc_dc_tables, pc_dc_figure, pc_dc_event_table, pc_dc_manifest

wildcard_constraints:
    run="|".join(PC_DC_RUNS),
    results="replays|events",


rule pc_dc:
    input:
        expand("pc-dc/tables/{table}.{format}", table=PC_DC_TABLES, format=["csv", "md"]),
        expand("pc-dc/figures/figure-{figure}.{format}", figure=PC_DC_FIGURES, format=["svg", "png", "csv"]),
        "pc-dc/manifest.json",


rule pc_dc_events:
    input:
        expand("pc-dc/events/events.{format}", format=["csv", "md"]),
        "pc-dc/events/manifest.json",


# Which of a log's jobs the paper counts, and what became of them here.
rule pc_dc_census:
    input:
        logs=lambda wildcards: SETTINGS.logs("pc-dc", wildcards.machine),
        workload="pc-dc/{machine}/workload.json",
        conversion="pc-dc/{machine}/conversion.json",
    output:
        "pc-dc/{machine}/census.csv",
    script:
        "census.py"


rule pc_dc_replay:
    input:
        workload="pc-dc/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("pc-dc", wildcards.machine),
        baseline="pc-dc/{machine}/conservative/jobs.csv.gz",
        batfill=SETTINGS.batfill,
    output:
        results="pc-dc/{machine}/replays/{run}/results.csv",
        manifest="pc-dc/{machine}/replays/{run}/manifest.json",
    params:
        engine=SETTINGS.engine,
        replay=lambda wildcards: PC_DC_RUNS[wildcards.run],
    script:
        "replay.py"


rule pc_dc_count:
    input:
        workload="pc-dc/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("pc-dc", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        results="pc-dc/{machine}/events/{run}/results.csv",
        manifest="pc-dc/{machine}/events/{run}/manifest.json",
    params:
        engine=SETTINGS.engine,
        replay=lambda wildcards: PC_DC_RUNS[wildcards.run],
    script:
        "count.py"


def pc_dc_results(results, name):
    """The files of this name of all replays, or of all in which events are counted."""
    runs = PC_DC_RUNS if results == "replays" else PC_DC_COUNTED
    return expand(f"pc-dc/{{machine}}/{results}/{{run}}/{name}", machine=PC_DC_MACHINES, run=runs)


rule pc_dc_collect:
    input:
        lambda wildcards: pc_dc_results(wildcards.results, "results.csv"),
    output:
        "pc-dc/{results}.csv",
    params:
        path="pc-dc/",
    script:
        "../common/collect.py"


rule pc_dc_tables:
    input:
        paper=EXPERIMENTS / "pc_dc/paper-figure-4.csv",
        census=expand("pc-dc/{machine}/census.csv", machine=PC_DC_MACHINES),
        replays="pc-dc/replays.csv",
    output:
        expand("pc-dc/tables/{table}.{format}", table=PC_DC_TABLES, format=["csv", "md"]),
    params:
        machines=PC_DC_MACHINES,
        orders=PC_DC["orders"],
        runs=list(PC_DC_RUNS),
    script:
        "tables.py"


rule pc_dc_figure:
    input:
        census=expand("pc-dc/{machine}/census.csv", machine=PC_DC_MACHINES),
        replays="pc-dc/replays.csv",
    output:
        svg="pc-dc/figures/figure-{figure}.svg",
        png="pc-dc/figures/figure-{figure}.png",
        csv="pc-dc/figures/figure-{figure}.csv",
    params:
        machines=PC_DC_MACHINES,
    script:
        "figures.py"


rule pc_dc_event_table:
    input:
        "pc-dc/events.csv",
    output:
        expand("pc-dc/events/events.{format}", format=["csv", "md"]),
    params:
        machines=PC_DC_MACHINES,
        orders=PC_DC["orders"],
    script:
        "events.py"


rule pc_dc_manifest:
    input:
        manifests=expand("pc-dc/{machine}/manifest.json", machine=PC_DC_MACHINES)
        + pc_dc_results("replays", "manifest.json"),
        results=expand("pc-dc/tables/{table}.csv", table=PC_DC_TABLES)
        + expand("pc-dc/figures/figure-{figure}.{format}", figure=PC_DC_FIGURES, format=["svg", "png", "csv"]),
        batfill=SETTINGS.batfill,
    output:
        "pc-dc/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=PC_DC,
    script:
        "../common/manifest.py"


use rule pc_dc_manifest as pc_dc_event_manifest with:
    input:
        manifests=expand("pc-dc/{machine}/manifest.json", machine=PC_DC_MACHINES)
        + pc_dc_results("events", "manifest.json"),
        results=["pc-dc/events/events.csv"],
        batfill=SETTINGS.batfill,
    output:
        "pc-dc/events/manifest.json",
