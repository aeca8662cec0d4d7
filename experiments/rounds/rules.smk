# One round for all events of an instant, or one for each event (`easy`, parameter `rounds`): what this choice, of which
# no paper speaks, does to waits and slowdowns, in rounds/tables and rounds/figures. Beside it, what a disturbance does
# that nobody would call another experiment: each submission at once or one second later, by seeded draws.

ROUNDS = SETTINGS.paper("rounds")
ROUNDS_MACHINES = SETTINGS.machines("rounds")

localrules: rounds_collect, rounds_tables, rounds_figure, rounds_manifest

wildcard_constraints:
    policy="|".join(ROUNDS["policies"]),


rule rounds:
    input:
        expand("rounds/tables/rounds.{format}", format=["csv", "md"]),
        "rounds/tables/summary.csv",
        expand("rounds/figures/rounds.{format}", format=["svg", "png", "csv"]),
        "rounds/manifest.json",


rule rounds_replay:
    input:
        workload="rounds/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("rounds", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        results="rounds/{machine}/replays/{policy}/results.csv",
        manifest="rounds/{machine}/replays/{policy}/manifest.json",
    params:
        engine=SETTINGS.engine,
        parameters=lambda wildcards: ROUNDS["policies"][wildcards.policy],
        disturbed=ROUNDS["disturbed"] if SETTINGS.has_logs else ROUNDS["generated_disturbed"],
    script:
        "replay.py"


rule rounds_collect:
    input:
        expand("rounds/{machine}/replays/{policy}/results.csv", machine=ROUNDS_MACHINES, policy=ROUNDS["policies"]),
    output:
        "rounds/replays.csv",
    params:
        path="rounds/(?P<machine>[^/]+)/replays/(?P<policy>[^/]+)/",
    script:
        "../common/collect.py"


rule rounds_tables:
    input:
        "rounds/replays.csv",
    output:
        expand("rounds/tables/rounds.{format}", format=["csv", "md"]),
        "rounds/tables/summary.csv",
    params:
        policies=ROUNDS["policies"],
    script:
        "tables.py"


rule rounds_figure:
    input:
        "rounds/tables/rounds.csv",
    output:
        svg="rounds/figures/rounds.svg",
        png="rounds/figures/rounds.png",
        csv="rounds/figures/rounds.csv",
    script:
        "figures.py"


PAGES["rounds"] = ["rounds/tables/rounds.csv", "rounds/tables/summary.csv", "rounds/figures/rounds.svg"]


rule rounds_manifest:
    input:
        manifests=expand("rounds/{machine}/manifest.json", machine=ROUNDS_MACHINES)
        + expand("rounds/{machine}/replays/{policy}/manifest.json", machine=ROUNDS_MACHINES,
                 policy=ROUNDS["policies"]),
        results=PAGES["rounds"],
        batfill=SETTINGS.batfill,
    output:
        "rounds/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=ROUNDS,
    script:
        "../common/manifest.py"
