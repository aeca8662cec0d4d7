# The heuristics with which RLScheduler is compared (Zhang, Dai, He, Bao, Xie, SC 2020): replays of its sequences of jobs
# by the rule of its program, by the same rule with waits by the clock, and by EASY. Without a log, sequences come from
# generated workloads.

RLSCHEDULER = SETTINGS.paper("rlscheduler")
RLSCHEDULER_MACHINES = SETTINGS.machines("rlscheduler")
RLSCHEDULER_TABLES = expand("rlscheduler/tables/{table}.csv",
                            table=["slowdowns", "starts", "best", "statements", "overview"])

localrules: rlscheduler_collect, rlscheduler_tables, rlscheduler_manifest

wildcard_constraints:
    rule="|".join(RLSCHEDULER["rules"]),


rule rlscheduler:
    input:
        RLSCHEDULER_TABLES,
        "rlscheduler/manifest.json",


rule rlscheduler_replay:
    input:
        log=lambda wildcards: SETTINGS.logs("rlscheduler", wildcards.machine)
        or f"rlscheduler/{wildcards.machine}/workload.json",
        starts=SETTINGS.companions(RLSCHEDULER["starts"]),
        batfill=SETTINGS.batfill,
    output:
        results="rlscheduler/{machine}/replays/{rule}/results.csv",
        manifest="rlscheduler/{machine}/replays/{rule}/manifest.json",
    params:
        hosts=lambda wildcards: SETTINGS.machine("rlscheduler", wildcards.machine)["hosts"],
        trace=lambda wildcards: SETTINGS.machine("rlscheduler", wildcards.machine).get("trace", ""),
        rule=lambda wildcards: RLSCHEDULER["rules"][wildcards.rule],
        policies=lambda wildcards: RLSCHEDULER["policies"][RLSCHEDULER["rules"][wildcards.rule]["policies"]],
        first=RLSCHEDULER["first"] if SETTINGS.has_logs else RLSCHEDULER["generated_first"],
        jobs=RLSCHEDULER["jobs"] if SETTINGS.has_logs else RLSCHEDULER["generated_jobs"],
    script:
        "replay.py"


rule rlscheduler_collect:
    input:
        expand("rlscheduler/{machine}/replays/{rule}/results.csv", machine=RLSCHEDULER_MACHINES,
               rule=RLSCHEDULER["rules"]),
    output:
        "rlscheduler/replays.csv",
    params:
        path="rlscheduler/(?P<machine>[^/]+)/replays/(?P<rule>[^/]+)/",
    script:
        "../common/collect.py"


rule rlscheduler_tables:
    input:
        replays="rlscheduler/replays.csv",
        printed=f"{EXPERIMENTS}/rlscheduler/paper-tables.csv",
    output:
        slowdowns="rlscheduler/tables/slowdowns.csv",
        starts="rlscheduler/tables/starts.csv",
        best="rlscheduler/tables/best.csv",
        statements="rlscheduler/tables/statements.csv",
        overview="rlscheduler/tables/overview.csv",
    script:
        "tables.py"


PAGES["rlscheduler"] = RLSCHEDULER_TABLES


rule rlscheduler_manifest:
    input:
        manifests=expand("rlscheduler/{machine}/replays/{rule}/manifest.json", machine=RLSCHEDULER_MACHINES,
                         rule=RLSCHEDULER["rules"]),
        results=PAGES["rlscheduler"],
        batfill=SETTINGS.batfill,
    output:
        "rlscheduler/manifest.json",
    params:
        engine="simulate",
        settings=RLSCHEDULER,
    script:
        "../common/manifest.py"
