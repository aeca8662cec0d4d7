# The real Batsim with `batfill serve` against `batfill simulate`, job by job: each algorithm on windows of logs, with
# times in whole seconds and in fractions of them, with machine events, and with a network that takes time. Where there is
# no Batsim, all of it is left out, and a line says so.

AGREEMENT = SETTINGS.paper("batsim-agreement")
AGREEMENT_FARM = "Farm"

if SETTINGS.batsim is None:
    print("agreement: left out, because no batsim is on the PATH and config.yaml names none", file=sys.stderr)
    AGREEMENT_CELLS = []
else:
    AGREEMENT_CELLS = [f"batsim-agreement/{machine}/{scenario}" for machine in SETTINGS.machines("batsim-agreement")
                       for scenario, settings in AGREEMENT["scenarios"].items()
                       if machine in settings.get("machines", [machine])]
    AGREEMENT_CELLS += [f"batsim-agreement/{AGREEMENT_FARM}/{scenario}" for scenario in AGREEMENT["farm"]["scenarios"]]

AGREEMENT_TABLES = expand("batsim-agreement/tables/{table}.csv", table=["agreement", "scenarios", "algorithms", "differences"])

localrules: agreement_tables, agreement_manifest

wildcard_constraints:
    scenario="|".join(AGREEMENT["scenarios"]),


rule agreement:
    input:
        AGREEMENT_TABLES + ["batsim-agreement/manifest.json"] if AGREEMENT_CELLS else [],


rule agreement_window:
    input:
        workload="batsim-agreement/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("batsim-agreement", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        workload="batsim-agreement/{machine}/{scenario}/workload.json",
        platform="batsim-agreement/{machine}/{scenario}/platform.xml",
        batsim_platform="batsim-agreement/{machine}/{scenario}/platform-batsim.xml",
        events="batsim-agreement/{machine}/{scenario}/events.json",
        manifest="batsim-agreement/{machine}/{scenario}/window-manifest.json",
    params:
        window=lambda wildcards: SETTINGS.machine("batsim-agreement", wildcards.machine)["window"],
        scenario=lambda wildcards: AGREEMENT["scenarios"][wildcards.scenario],
        deadlines=AGREEMENT["deadlines"],
    script:
        "window.py"


rule agreement_farm:
    input:
        batfill=SETTINGS.batfill,
    output:
        workload=f"batsim-agreement/{AGREEMENT_FARM}/{{scenario}}/workload.json",
        platform=f"batsim-agreement/{AGREEMENT_FARM}/{{scenario}}/platform.xml",
        batsim_platform=f"batsim-agreement/{AGREEMENT_FARM}/{{scenario}}/platform-batsim.xml",
        events=f"batsim-agreement/{AGREEMENT_FARM}/{{scenario}}/events.json",
        manifest=f"batsim-agreement/{AGREEMENT_FARM}/{{scenario}}/window-manifest.json",
    params:
        farm=AGREEMENT["farm"]["options"],
        scenario=lambda wildcards: AGREEMENT["scenarios"][wildcards.scenario],
    script:
        "window.py"


ruleorder: agreement_farm > agreement_window


rule agreement_pair:
    input:
        workload="batsim-agreement/{machine}/{scenario}/workload.json",
        platform="batsim-agreement/{machine}/{scenario}/platform.xml",
        batsim_platform="batsim-agreement/{machine}/{scenario}/platform-batsim.xml",
        events="batsim-agreement/{machine}/{scenario}/events.json",
        batfill=SETTINGS.batfill,
    output:
        results="batsim-agreement/{machine}/{scenario}/results.csv",
        differences="batsim-agreement/{machine}/{scenario}/differences.csv",
        manifest="batsim-agreement/{machine}/{scenario}/pair-manifest.json",
    params:
        batsim=SETTINGS.batsim,
        scenario=lambda wildcards: AGREEMENT["scenarios"][wildcards.scenario],
        schedules=lambda wildcards: AGREEMENT["farm" if wildcards.machine == AGREEMENT_FARM else "schedules"].get(
            "schedules", AGREEMENT["schedules"]),
        notable=AGREEMENT["notable"],
    script:
        "pair.py"


rule agreement_tables:
    input:
        results=[f"{cell}/results.csv" for cell in AGREEMENT_CELLS],
        differences=[f"{cell}/differences.csv" for cell in AGREEMENT_CELLS],
    output:
        agreement="batsim-agreement/tables/agreement.csv",
        scenarios="batsim-agreement/tables/scenarios.csv",
        algorithms="batsim-agreement/tables/algorithms.csv",
        differences="batsim-agreement/tables/differences.csv",
    script:
        "tables.py"


PAGES["batsim-agreement"] = AGREEMENT_TABLES


rule agreement_manifest:
    input:
        manifests=[f"{cell}/{name}" for cell in AGREEMENT_CELLS for name in ("window-manifest.json", "pair-manifest.json")],
        results=AGREEMENT_TABLES,
        batfill=SETTINGS.batfill,
    output:
        "batsim-agreement/manifest.json",
    params:
        engine=SETTINGS.batsim,
        settings=AGREEMENT,
    script:
        "../common/manifest.py"
