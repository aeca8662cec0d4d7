# "Deadline-Based Backfilling": Tables 1 to 3 and Figures 1 to 7 of the paper, in dbf/tables and dbf/figures.
# Each draw of the deadline-driven jobs is one job of the workflow: it keeps metrics and distributions, and its workload
# and schedule are gone when it ends, since those of all draws together would be tens of gigabytes.

DBF = SETTINGS.paper("dbf")
DBF_MACHINES = SETTINGS.machines("dbf")
DBF_SHARES = DBF["shares"]
DBF_DRAWS = range(1, DBF["draws" if SETTINGS.has_logs else "generated_draws"] + 1)
DBF_TABLES = ["table-1", "table-2", "table-3", "comparison", "deadlines", "wait-quantiles"]
DBF_FIGURES = range(1, 8)

localrules: dbf_collect, dbf_tables, dbf_figure, dbf_manifest

wildcard_constraints:
    repair="|".join(DBF["repairs"]),
    share=r"\d+",
    draw=r"\d+",
    figure=r"\d",
    collected="metrics|distribution|statistics",


def dbf_draws(name):
    """The files of this name of all draws."""
    return expand(
        "dbf/{machine}/dbf-{repair}/share-{share}/draw-{draw}/" + name,
        machine=DBF_MACHINES, repair=DBF["repairs"], share=DBF_SHARES, draw=DBF_DRAWS,
    )


rule dbf:
    input:
        expand("dbf/tables/{table}.{format}", table=DBF_TABLES, format=["csv", "md"]),
        expand("dbf/figures/figure-{figure}.{format}", figure=DBF_FIGURES, format=["svg", "png", "csv"]),
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
    output:
        expand("dbf/tables/{table}.{format}", table=DBF_TABLES, format=["csv", "md"]),
    params:
        machines=DBF_MACHINES,
        repairs=DBF["repairs"],
        schedules=DBF["compared"],
    script:
        "tables.py"


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
        machines=DBF_MACHINES,
        repairs=DBF["repairs"],
    script:
        "figures.py"


rule dbf_manifest:
    input:
        manifests=expand("dbf/{machine}/manifest.json", machine=DBF_MACHINES) + dbf_draws("manifest.json"),
        results=expand("dbf/tables/{table}.csv", table=DBF_TABLES)
        + expand("dbf/figures/figure-{figure}.{format}", figure=DBF_FIGURES, format=["svg", "png", "csv"]),
        batfill=SETTINGS.batfill,
    output:
        "dbf/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=DBF,
    script:
        "../common/manifest.py"
