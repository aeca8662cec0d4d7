# "Backfilling with guarantees granted upon job submission": Figures 4 to 9 of the paper and what its text says, in
# pc-dc/tables and pc-dc/figures. All replays of a workload with their audits and metrics are one job of the workflow; the
# schedules are gone when it ends. A machine of the shared rules is here one of the paper's with one reading of its log:
# `HPC2N-raised`.

PC_DC = SETTINGS.paper("pc-dc")
PC_DC_READINGS = SETTINGS.readings("pc-dc")  # by case: machine, and the reading of its log
PC_DC_MAIN = list(PC_DC["readings"])[0]
PC_DC_MACHINES = [machine for case, (machine, reading) in PC_DC_READINGS.items()
                  if reading == PC_DC_MAIN and not SETTINGS.machine("pc-dc", case).get("beside")]



def pc_dc_runs(algorithm, orders):
    """The replays of an algorithm in each of the orders, by name."""
    return {f"{algorithm}-{order}": {"algorithm": algorithm, "parameters": [f"order={order}"]} for order in orders}


PC_DC_BASELINES = {baseline: {"algorithm": baseline, "parameters": []} for baseline in ("conservative", "easy")}
PC_DC_RUNS = PC_DC_BASELINES | pc_dc_runs("pc", PC_DC["orders"]) | pc_dc_runs("dc", PC_DC["orders"])
PC_DC_TABLES = ["figure-4", "improvements", "combinations", "waits", "times", "events", "statements", "sizes",
                "overview"]
PC_DC_FIGURES = range(5, 10)

localrules: pc_dc_collect, pc_dc_collect_census, pc_dc_tables, pc_dc_figure, pc_dc_manifest


def pc_dc_case(part):
    """Machine (0) or reading (1) of a rule's case."""
    return lambda wildcards: PC_DC_READINGS[wildcards.machine][part]


def pc_dc_counted(machine):
    """The replays of a machine in which events are counted."""
    counted = pc_dc_runs("pc", PC_DC["counted"].get(machine, []))
    return {"conservative": PC_DC_BASELINES["conservative"]} | counted


wildcard_constraints:
    results="replays|events",
    figure=r"\d+",


PAGES["pc-dc"] = (expand("pc-dc/tables/{table}.csv", table=PC_DC_TABLES)
                  + expand("pc-dc/figures/figure-{figure}.{format}", figure=PC_DC_FIGURES, format=["svg", "png", "csv"]))


rule pc_dc:
    input:
        PAGES["pc-dc"],
        "pc-dc/manifest.json",


# Which of a log's jobs the paper counts, and what became of them here.
rule pc_dc_census:
    input:
        logs=lambda wildcards: SETTINGS.logs("pc-dc", wildcards.machine),
        workload="pc-dc/{machine}/workload.json",
        conversion="pc-dc/{machine}/conversion.json",
    output:
        "pc-dc/{machine}/census.csv",
    params:
        machine=pc_dc_case(0),
        reading=pc_dc_case(1),
    script:
        "census.py"


rule pc_dc_replays:
    input:
        workload="pc-dc/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("pc-dc", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        results="pc-dc/{machine}/replays/all/results.csv",
        manifest="pc-dc/{machine}/replays/all/manifest.json",
    params:
        engine=SETTINGS.engine,
        machine=pc_dc_case(0),
        reading=pc_dc_case(1),
        runs=PC_DC_RUNS,
    script:
        "replays.py"


rule pc_dc_count:
    input:
        workload="pc-dc/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("pc-dc", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        results="pc-dc/{machine}/events/all/results.csv",
        manifest="pc-dc/{machine}/events/all/manifest.json",
    params:
        engine=SETTINGS.engine,
        machine=pc_dc_case(0),
        reading=pc_dc_case(1),
        runs=lambda wildcards: pc_dc_counted(PC_DC_READINGS[wildcards.machine][0]),
    script:
        "count.py"


def pc_dc_results(results, name):
    """The files of this name of all cases or, where events are counted, of those with the paper's reading."""
    cases = [case for case, (machine, reading) in PC_DC_READINGS.items()
             if results == "replays" or (reading == PC_DC_MAIN and machine in PC_DC["counted"])]
    return expand(f"pc-dc/{{machine}}/{results}/all/{name}", machine=cases)


rule pc_dc_collect:
    input:
        lambda wildcards: pc_dc_results(wildcards.results, "results.csv"),
    output:
        "pc-dc/{results}.csv",
    params:
        path="pc-dc/",
    script:
        "../common/collect.py"


use rule pc_dc_collect as pc_dc_collect_census with:
    input:
        expand("pc-dc/{machine}/census.csv", machine=PC_DC_READINGS),
    output:
        "pc-dc/census.csv",


rule pc_dc_tables:
    input:
        paper=EXPERIMENTS / "pc_dc/paper-figure-4.csv",
        statements=EXPERIMENTS / "pc_dc/paper-statements.csv",
        census="pc-dc/census.csv",
        replays="pc-dc/replays.csv",
        events="pc-dc/events.csv",
    output:
        expand("pc-dc/tables/{table}.csv", table=PC_DC_TABLES),
    params:
        machines=PC_DC_MACHINES,
        readings=list(PC_DC["readings"]),
        orders=PC_DC["orders"],
    script:
        "tables.py"


rule pc_dc_figure:
    input:
        census="pc-dc/census.csv",
        replays="pc-dc/replays.csv",
    output:
        svg="pc-dc/figures/figure-{figure}.svg",
        png="pc-dc/figures/figure-{figure}.png",
        csv="pc-dc/figures/figure-{figure}.csv",
    params:
        machines=PC_DC_MACHINES,
        readings=list(PC_DC["readings"]),
    script:
        "figures.py"


rule pc_dc_manifest:
    input:
        manifests=expand("pc-dc/{machine}/manifest.json", machine=PC_DC_READINGS)
        + pc_dc_results("replays", "manifest.json") + pc_dc_results("events", "manifest.json"),
        results=PAGES["pc-dc"],
        batfill=SETTINGS.batfill,
    output:
        "pc-dc/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=PC_DC,
    script:
        "../common/manifest.py"
