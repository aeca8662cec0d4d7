# "Scheduling jobs on parallel systems using a relaxed backfill strategy": Tables 1 to 6 of the paper for each log, and
# whether what it states holds, in relaxed/tables and relaxed/figures. The replays with all omegas are one job of the
# workflow, with audits and months; their schedules are gone when it ends.

RELAXED = SETTINGS.paper("relaxed")
RELAXED_ALL = SETTINGS.machines("relaxed")
RELAXED_LARGER = [machine for machine in RELAXED_ALL if SETTINGS.machine("relaxed", machine).get("larger")]
RELAXED_MACHINES = [machine for machine in RELAXED_ALL if machine not in RELAXED_LARGER]
RELAXED_OMEGAS = [str(omega) for omega in RELAXED["omegas"]]
RELAXED_ESTIMATES = ["requested", "actual"]
RELAXED_MONTH_TABLES = ["waits", "backfilled", "important", "utilisation"]
RELAXED_TABLES = ["logs", "totals", "changes", "references", "queues", "estimates", "variations", "paper-sums",
                  "paper-averages"]
RELAXED_LISTS = ["statements", "overview"]  # without a copy in Markdown
RELAXED_FIGURES = [1, 2]


def relaxed_with_omegas(estimates, **parameters):
    """Replays of `relaxed`, one for each omega."""
    base = RELAXED["parameters"] | {"estimates": estimates} | parameters
    return {omega: {"algorithm": "relaxed", "parameters": [f"{key}={value}" for key, value in base.items()]
                    + [f"omega={omega}"]}
            for omega in RELAXED_OMEGAS if base.get("basis") != "walltime" or float(omega) >= 1}


# Each group of replays by the name of its folder.
RELAXED_REPLAYS = {
    "references": RELAXED["references"],
    **{estimates: relaxed_with_omegas(estimates) for estimates in RELAXED_ESTIMATES},
    **{name: relaxed_with_omegas("requested", **parameters) for name, parameters in RELAXED["variations"].items()},
}

PAGES["relaxed"] = (
    expand("relaxed/tables/{table}.csv", table=RELAXED_TABLES + RELAXED_LISTS)
    + expand("relaxed/tables/{machine}-{table}.csv", machine=RELAXED_MACHINES, table=RELAXED_MONTH_TABLES)
    + expand("relaxed/figures/figure-{figure}.{format}", figure=RELAXED_FIGURES, format=["svg", "png", "csv"]))

localrules: relaxed_log, relaxed_collect, relaxed_tables, relaxed_figure, relaxed_manifest

wildcard_constraints:
    relaxed_results="months|results",


rule relaxed:
    input:
        expand("relaxed/tables/{table}.{format}", table=RELAXED_TABLES, format=["csv", "md"]),
        expand("relaxed/tables/{table}.csv", table=RELAXED_LISTS),
        expand("relaxed/tables/{machine}-{table}.{format}", machine=RELAXED_MACHINES, table=RELAXED_MONTH_TABLES,
               format=["csv", "md"]),
        expand("relaxed/figures/figure-{figure}.{format}", figure=RELAXED_FIGURES, format=["svg", "png", "csv"]),
        "relaxed/manifest.json",


# The log month by month: jobs, waits as they were, utilisation.
rule relaxed_log:
    input:
        # With which the replays are compared; not on a larger machine.
        logs=lambda wildcards: [] if wildcards.machine in RELAXED_LARGER else SETTINGS.logs("relaxed", wildcards.machine),
        workload="relaxed/{machine}/workload.json",
        header="relaxed/{machine}/log-header.txt",
    output:
        months="relaxed/{machine}/log-months.csv",
        census="relaxed/{machine}/census.csv",
    script:
        "log.py"


rule relaxed_replay:
    input:
        workload="relaxed/{machine}/workload.json",
        header="relaxed/{machine}/log-header.txt",
        platform=lambda wildcards: SETTINGS.platform("relaxed", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        months="relaxed/{machine}/replays/{group}/months.csv",
        results="relaxed/{machine}/replays/{group}/results.csv",
        manifest="relaxed/{machine}/replays/{group}/manifest.json",
    params:
        # Batsim tells no scheduler how long a job will run.
        engine=lambda wildcards: "simulate" if wildcards.group == "actual" else SETTINGS.engine,
        replays=lambda wildcards: RELAXED_REPLAYS[wildcards.group],
        period=RELAXED["parameters"]["priority-period"],
    script:
        "replay.py"


def relaxed_files(name):
    """The files of this name of all replays."""
    path = "relaxed/{machine}/replays/{group}/" + name
    return (expand(path, machine=RELAXED_MACHINES, group=RELAXED_REPLAYS)
            + expand(path, machine=RELAXED_LARGER, group=RELAXED_ESTIMATES))


rule relaxed_collect:
    input:
        lambda wildcards: relaxed_files(f"{wildcards.relaxed_results}.csv"),
    output:
        "relaxed/{relaxed_results}.csv",
    params:
        path="relaxed/",
    script:
        "../common/collect.py"


rule relaxed_tables:
    input:
        paper=EXPERIMENTS / "relaxed/paper-tables.csv",
        census=expand("relaxed/{machine}/census.csv", machine=RELAXED_ALL),
        logs=expand("relaxed/{machine}/log-months.csv", machine=RELAXED_ALL),
        months="relaxed/months.csv",
        results="relaxed/results.csv",
    output:
        expand("relaxed/tables/{table}.{format}", table=RELAXED_TABLES, format=["csv", "md"]),
        expand("relaxed/tables/{table}.csv", table=RELAXED_LISTS),
        expand("relaxed/tables/{machine}-{table}.{format}", machine=RELAXED_MACHINES, table=RELAXED_MONTH_TABLES,
               format=["csv", "md"]),
    params:
        machines=RELAXED_MACHINES,
        loaded_alike=RELAXED["loaded_alike"],
        omegas=RELAXED_OMEGAS,
        references=list(RELAXED["references"]),
        variations=RELAXED["variations"],
    script:
        "tables.py"


rule relaxed_figure:
    input:
        paper=EXPERIMENTS / "relaxed/paper-tables.csv",
        logs=expand("relaxed/{machine}/log-months.csv", machine=RELAXED_MACHINES),
        months="relaxed/months.csv",
    output:
        svg="relaxed/figures/figure-{figure}.svg",
        png="relaxed/figures/figure-{figure}.png",
        csv="relaxed/figures/figure-{figure}.csv",
    params:
        machines=RELAXED_MACHINES,
        omegas=RELAXED_OMEGAS,
    script:
        "figures.py"


rule relaxed_manifest:
    input:
        manifests=expand("relaxed/{machine}/manifest.json", machine=RELAXED_ALL) + relaxed_files("manifest.json"),
        results=PAGES["relaxed"],
        batfill=SETTINGS.batfill,
    output:
        "relaxed/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=RELAXED,
    script:
        "../common/manifest.py"
