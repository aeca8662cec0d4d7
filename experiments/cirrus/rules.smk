# A real centre's queue: accounting data of Cirrus (EPCC) beside replays of the same jobs, and what ElastiSim gave on this
# machine, start by start. Both files are in the folder of logs; without them it is left out, and a line says so. Tables
# and figure are in cirrus/tables and cirrus/figures. All replays are one job of the workflow: they take seconds.

CIRRUS = SETTINGS.paper("cirrus")
CIRRUS_ELASTISIM = SETTINGS.companions(CIRRUS["elastisim"]["files"])
CIRRUS_MACHINES = SETTINGS.machines("cirrus") if CIRRUS_ELASTISIM else []
CIRRUS_PARTS = ["log", "elastisim", "results", "classes", "longer", "days", "room", "series"]
CIRRUS_TABLES = expand("cirrus/tables/{table}.csv", table=[*CIRRUS_PARTS, "means", "changes"])

if not CIRRUS_MACHINES:
    print("cirrus: left out, because there is no folder of logs with " + " and ".join(
        [*(machine["logs"][0] for machine in CIRRUS["machines"].values()), CIRRUS["elastisim"]["files"][0]]),
        file=sys.stderr)

PAGES["cirrus"] = CIRRUS_TABLES + ["cirrus/figures/cirrus.svg"]

localrules: cirrus_tables, cirrus_figure, cirrus_manifest


rule cirrus:
    input:
        CIRRUS_TABLES + expand("cirrus/figures/cirrus.{format}", format=["svg", "png", "csv"])
        + ["cirrus/manifest.json"] if CIRRUS_MACHINES else [],


rule cirrus_replay:
    input:
        log=[log for machine in CIRRUS_MACHINES for log in SETTINGS.logs("cirrus", machine)],
        elastisim=CIRRUS_ELASTISIM,
        batfill=SETTINGS.batfill,
    output:
        **{part: f"cirrus/tables/{part}.csv" for part in CIRRUS_PARTS},
        sums="cirrus/sums.csv",
        manifest="cirrus/replay-manifest.json",
    params:
        settings=CIRRUS,
        machine=CIRRUS["machines"]["Cirrus"],
    script:
        "replay.py"


rule cirrus_tables:
    input:
        sums="cirrus/sums.csv",
    output:
        means="cirrus/tables/means.csv",
        changes="cirrus/tables/changes.csv",
    script:
        "tables.py"


rule cirrus_figure:
    input:
        longer="cirrus/tables/longer.csv",
        classes="cirrus/tables/classes.csv",
    output:
        svg="cirrus/figures/cirrus.svg",
        png="cirrus/figures/cirrus.png",
        csv="cirrus/figures/cirrus.csv",
    params:
        words=CIRRUS["words"],
    script:
        "figures.py"


rule cirrus_manifest:
    input:
        manifests=["cirrus/replay-manifest.json"],
        results=PAGES["cirrus"],
        batfill=SETTINGS.batfill,
    output:
        "cirrus/manifest.json",
    params:
        engine="simulate",
        settings=CIRRUS,
    script:
        "../common/manifest.py"
