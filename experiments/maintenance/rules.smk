# What a monthly maintenance of the whole machine costs, announced in several ways (`--windows`): waits, slowdowns, what
# is drained before it and lost at its beginning, in maintenance/tables and maintenance/figures. The replays of one
# algorithm are one job of the workflow; their schedules are gone when it ends.

MAINTENANCE = SETTINGS.paper("maintenance")
MAINTENANCE_MACHINES = SETTINGS.machines("maintenance")
MAINTENANCE_TABLES = expand("maintenance/tables/{table}.csv", table=["machines", "means", "changes", "totals"])

PAGES["maintenance"] = MAINTENANCE_TABLES + ["maintenance/figures/maintenance.svg"]

localrules: maintenance_collect, maintenance_tables, maintenance_figure, maintenance_manifest

wildcard_constraints:
    maintenance_results="weeks|results",


def maintenance_files(name):
    """The files of this name of all replays."""
    return expand("maintenance/{machine}/replays/{algorithm}/" + name, machine=MAINTENANCE_MACHINES,
                  algorithm=MAINTENANCE["algorithms"])


rule maintenance:
    input:
        MAINTENANCE_TABLES,
        expand("maintenance/figures/maintenance.{format}", format=["svg", "png", "csv"]),
        "maintenance/manifest.json",


rule maintenance_replay:
    input:
        workload="maintenance/{machine}/workload.json",
        header="maintenance/{machine}/log-header.txt",
        platform=lambda wildcards: SETTINGS.platform("maintenance", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        weeks="maintenance/{machine}/replays/{algorithm}/weeks.csv",
        results="maintenance/{machine}/replays/{algorithm}/results.csv",
        manifest="maintenance/{machine}/replays/{algorithm}/manifest.json",
    params:
        settings=lambda wildcards: {**MAINTENANCE, **SETTINGS.machine("maintenance", wildcards.machine)},
    script:
        "replay.py"


rule maintenance_collect:
    input:
        lambda wildcards: maintenance_files(f"{wildcards.maintenance_results}.csv"),
    output:
        "maintenance/{maintenance_results}.csv",
    params:
        path="maintenance/",
    script:
        "../common/collect.py"


rule maintenance_tables:
    input:
        weeks="maintenance/weeks.csv",
        results="maintenance/results.csv",
        batfill=SETTINGS.batfill,
    output:
        MAINTENANCE_TABLES,
    script:
        "tables.py"


rule maintenance_figure:
    input:
        changes="maintenance/tables/changes.csv",
        means="maintenance/tables/means.csv",
    output:
        svg="maintenance/figures/maintenance.svg",
        png="maintenance/figures/maintenance.png",
        csv="maintenance/figures/maintenance.csv",
    params:
        words=MAINTENANCE["words"],
    script:
        "figures.py"


rule maintenance_manifest:
    input:
        manifests=expand("maintenance/{machine}/manifest.json", machine=MAINTENANCE_MACHINES)
        + maintenance_files("manifest.json"),
        results=PAGES["maintenance"],
        batfill=SETTINGS.batfill,
    output:
        "maintenance/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=MAINTENANCE,
    script:
        "../common/manifest.py"
