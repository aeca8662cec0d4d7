# "Deadline-Based Backfilling": Tables 1 to 3 and Figures 1 to 7 of the paper, and what it states, in dbf/tables and
# dbf/figures.
# Each draw of the deadline-driven jobs is one job of the workflow: it keeps metrics and distributions, and its workload
# and schedule are gone when it ends, since those of all draws together would be tens of gigabytes.

DBF = SETTINGS.paper("dbf")
DBF_MACHINES = SETTINGS.machines("dbf")
DBF_SHARES = DBF["shares"]
DBF_DRAWS = range(1, DBF["draws" if SETTINGS.has_logs else "generated_draws"] + 1)
DBF_TABLES = ["table-1", "table-2", "table-3", "comparison", "deadlines", "wait-quantiles", "compressions"]
DBF_STATEMENTS = ["statements", "overview"] if SETTINGS.has_logs else []  # which speak of logs by name
DBF_FIGURES = range(1, 8)
PAGES["dbf"] = [
    *expand("dbf/tables/{table}.csv", table=DBF_TABLES + DBF_STATEMENTS),
    *expand("dbf/figures/figure-{figure}.{format}", figure=DBF_FIGURES, format=["svg", "png", "csv"]),
]

localrules: dbf_collect, dbf_collect_closer, dbf_census, dbf_tables, dbf_statements, dbf_figure, dbf_manifest

wildcard_constraints:
    repair="|".join(DBF["repairs"]),
    share=r"\d+",
    draw=r"\d+",
    figure=r"\d",
    collected="metrics|distribution|statistics",
    closer="compressions|missed",


def dbf_draws(name):
    """The files of this name of all draws, those of variants behind the others."""
    return [
        file for place, repair in enumerate(DBF["repairs"]) for file in expand(
            "dbf/{machine}/dbf-" + repair + "/share-{share}/draw-{draw}/" + name, machine=DBF_MACHINES, share=DBF_SHARES,
            draw=DBF_DRAWS if place == 0 else DBF_DRAWS[:DBF["variant_draws"]])
    ]


def dbf_closer(name):
    """The files of this name of all draws that are looked at more closely."""
    return [f"dbf/{machine}/closer/draw-{draw}/{name}" for machine in DBF_MACHINES
            for draw in range(1, SETTINGS.machine("dbf", machine).get("closer_draws", DBF["closer_draws"]) + 1)]


def dbf_names():
    """By machine, its name in the paper, but for machines in whose place there is another; without logs, its own."""
    stand_ins = {SETTINGS.machine("dbf", machine).get("stands_for"): machine for machine in DBF_MACHINES}
    return {machine: None if machine in stand_ins else SETTINGS.machine("dbf", machine).get("stands_for", machine)
            for machine in DBF_MACHINES}


rule dbf:
    input:
        expand("dbf/tables/{table}.{format}", table=DBF_TABLES, format=["csv", "md"]),
        PAGES["dbf"],
        "dbf/manifest.json",


rule dbf_draw:
    input:
        workload="dbf/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("dbf", wildcards.machine),
        schedules=expand("dbf/{{machine}}/{schedule}/jobs.csv.gz", schedule=DBF["compared"]),
        batfill=SETTINGS.batfill,
    output:
        metrics="dbf/{machine}/dbf-{repair}/share-{share}/draw-{draw}/metrics.csv",
        distribution="dbf/{machine}/dbf-{repair}/share-{share}/draw-{draw}/distribution.csv",
        statistics="dbf/{machine}/dbf-{repair}/share-{share}/draw-{draw}/statistics.csv",
        manifest="dbf/{machine}/dbf-{repair}/share-{share}/draw-{draw}/manifest.json",
    params:
        engine=SETTINGS.engine,
        names=DBF["compared"],
    script:
        "draw.py"


# Draws of one share with every schedule, and when the jobs that miss their deadlines were submitted.
rule dbf_closer:
    input:
        workload="dbf/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("dbf", wildcards.machine),
        schedules=expand("dbf/{{machine}}/{schedule}/jobs.csv.gz", schedule=DBF["schedules"]),
        batfill=SETTINGS.batfill,
    output:
        compressions="dbf/{machine}/closer/draw-{draw}/compressions.csv",
        missed="dbf/{machine}/closer/draw-{draw}/missed.csv",
        manifest="dbf/{machine}/closer/draw-{draw}/manifest.json",
    params:
        engine=SETTINGS.engine,
        share=DBF["closer_share"],
        repair=DBF["repairs"][0],
        names=list(DBF["schedules"]),
        compared=DBF["compared"],
    script:
        "closer.py"


rule dbf_collect:
    input:
        lambda wildcards: dbf_draws(f"{wildcards.collected}.csv"),
    output:
        "dbf/{collected}.csv",
    params:
        path="dbf/(?P<machine>[^/]+)/dbf-(?P<repair>[^/]+)/share-(?P<share>[0-9]+)/draw-(?P<draw>[0-9]+)/",
    script:
        "../common/collect.py"


rule dbf_collect_closer:
    input:
        lambda wildcards: dbf_closer(f"{wildcards.closer}.csv"),
    output:
        "dbf/closer-{closer}.csv",
    params:
        path="dbf/(?P<machine>[^/]+)/closer/draw-(?P<draw>[0-9]+)/",
    script:
        "../common/collect.py"


rule dbf_census:
    input:
        logs=lambda wildcards: SETTINGS.logs("dbf", wildcards.machine),
        workload="dbf/{machine}/workload.json",
        header="dbf/{machine}/log-header.txt",
    output:
        "dbf/{machine}/census.csv",
    script:
        "census.py"


rule dbf_arrivals:
    input:
        workload="dbf/{machine}/workload.json",
        header="dbf/{machine}/log-header.txt",
    output:
        "dbf/{machine}/arrivals.csv",
    script:
        "arrivals.py"


# All cores, so that nothing else runs while times are taken.
rule dbf_timing:
    input:
        workload="dbf/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("dbf", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        times="dbf/{machine}/timing.csv",
        manifest="dbf/{machine}/timing-manifest.json",
    params:
        engine=SETTINGS.engine,
        shares=DBF_SHARES,
        repair=DBF["repairs"][0],
        runs=DBF["timing_runs"],
        schedules={name: DBF["schedules"][name] for name in DBF["compared"]},
    threads: workflow.cores
    script:
        "timing.py"


rule dbf_tables:
    input:
        conversions=expand("dbf/{machine}/conversion.json", machine=DBF_MACHINES),
        timings=expand("dbf/{machine}/timing.csv", machine=DBF_MACHINES),
        metrics="dbf/metrics.csv",
        distribution="dbf/distribution.csv",
        statistics="dbf/statistics.csv",
        compressions="dbf/closer-compressions.csv",
    output:
        expand("dbf/tables/{table}.{format}", table=DBF_TABLES, format=["csv", "md"]),
    params:
        machines=DBF_MACHINES,
        repairs=DBF["repairs"],
        schedules=DBF["compared"],
    script:
        "tables.py"


rule dbf_statements:
    input:
        numbers=EXPERIMENTS / "dbf/paper-numbers.csv",
        paper_tables=expand(str(EXPERIMENTS / "dbf/paper-table-{number}.csv"), number=[1, 2, 3]),
        conversions=expand("dbf/{machine}/conversion.json", machine=DBF_MACHINES),
        arrivals=expand("dbf/{machine}/arrivals.csv", machine=DBF_MACHINES),
        census=expand("dbf/{machine}/census.csv", machine=DBF_MACHINES),
        timings=expand("dbf/{machine}/timing.csv", machine=DBF_MACHINES),
        table_1="dbf/tables/table-1.csv",
        table_2="dbf/tables/table-2.csv",
        metrics="dbf/metrics.csv",
        distribution="dbf/distribution.csv",
        statistics="dbf/statistics.csv",
        compressions="dbf/closer-compressions.csv",
        missed="dbf/closer-missed.csv",
    output:
        statements="dbf/tables/statements.csv",
        overview="dbf/tables/overview.csv",
    params:
        names=dbf_names(),
    script:
        "statements.py"


rule dbf_figure:
    input:
        arrivals=expand("dbf/{machine}/arrivals.csv", machine=DBF_MACHINES),
        metrics="dbf/metrics.csv",
        distribution="dbf/distribution.csv",
    output:
        svg="dbf/figures/figure-{figure}.svg",
        png="dbf/figures/figure-{figure}.png",
        csv="dbf/figures/figure-{figure}.csv",
    params:
        names=dbf_names(),
        repairs=DBF["repairs"],
    script:
        "figures.py"


rule dbf_manifest:
    input:
        manifests=expand("dbf/{machine}/manifest.json", machine=DBF_MACHINES) + dbf_draws("manifest.json")
        + dbf_closer("manifest.json"),
        results=PAGES["dbf"],
        batfill=SETTINGS.batfill,
    output:
        "dbf/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=DBF,
    script:
        "../common/manifest.py"
