# "Backfilling Strategies for Scheduling Streams of Jobs on Computational Farms": Figures 1 and 2 of the paper, with both
# of its tables, and what its text says, in farms/tables and farms/figures. The paper draws its farms and jobs, and so do
# we: no log is read. Without logs, `all` makes the same from fewer draws, in farms-trial.
# A scenario is a way to draw farms with the schedulers to replay them; each of its inter-arrival times is one job of the
# workflow, a campaign (docs/campaign.md) whose farms are gone when it ends.

FARMS = {"farms": SETTINGS.paper("farms")}
FARMS["farms-trial"] = {**FARMS["farms"], **FARMS["farms"]["trial"]}
FARMS_TABLES = ["means", "gains", "statements", "overview"]
FARMS_FIGURES = ["1", "2a", "2b"]

localrules: farms_collect, farms_tables, farms_figure, farms_manifest

wildcard_constraints:
    study="farms|farms-trial",
    scenario="[^/]+",
    interarrival=r"\d+",
    part="1|2a|2b",


def farms_scenarios(study):
    """The study's scenarios: options of `batfill generate farm`, schedulers and mean inter-arrival times of each."""
    settings = FARMS[study]
    rates, ratio_rates = settings["interarrivals"], settings["ratio_interarrivals"]
    ratios = {f"ratio-{ratio}": ["--license-ratio", str(ratio)] for ratio in settings["ratios"]}
    found = {}

    def add(name, options, rates, schedulers):
        found[name] = {"options": options, "schedulers": schedulers, "interarrivals": rates}

    for name, options in settings["workloads"].items():
        add(name, options.split(), rates, settings["schedulers"])
    for ratio, options in ratios.items():
        add(ratio, options, ratio_rates, settings["schedulers"])
    for name, parameters in settings["heuristics"].items():
        prioritised = {scheduler: {**replay, "parameters": replay["parameters"] + parameters}
                       for scheduler, replay in settings["schedulers"].items() if replay["algorithm"].startswith("bf-")}
        add(name, [], rates, prioritised)
        for ratio, options in ratios.items():
            add(f"{name}-{ratio}", options, ratio_rates, prioritised)
    return found


def farms_files(study, name):
    """The files of this name of all scenarios."""
    return [f"{study}/replays/{scenario}/interarrival-{interarrival}/{name}"
            for scenario, found in farms_scenarios(study).items() for interarrival in found["interarrivals"]]


def farms_results(study):
    """Tables, figures and manifest of a study."""
    return [*farms_published(study), f"{study}/manifest.json"]


def farms_published(study):
    """What the manifest of a study lists."""
    return (expand(f"{study}/tables/{{table}}.csv", table=FARMS_TABLES)
            + expand(f"{study}/figures/figure-{{part}}.{{format}}", part=FARMS_FIGURES, format=["svg", "png", "csv"]))


PAGES["farms"] = farms_published("farms")


rule farms:
    input:
        farms_results("farms"),


rule farms_trial:
    input:
        farms_results("farms-trial"),


rule farms_replays:
    input:
        batfill=SETTINGS.batfill,
    output:
        results="{study}/replays/{scenario}/interarrival-{interarrival}/results.csv",
        campaign="{study}/replays/{scenario}/interarrival-{interarrival}/farms.yaml",
        manifest="{study}/replays/{scenario}/interarrival-{interarrival}/manifest.json",
    params:
        draws=lambda wildcards: FARMS[wildcards.study]["draws"],
        scenario=lambda wildcards: farms_scenarios(wildcards.study)[wildcards.scenario],
    script:
        "replays.py"


rule farms_collect:
    input:
        lambda wildcards: farms_files(wildcards.study, "results.csv"),
    output:
        "{study}/replays.csv",
    params:
        path="[^/]+/replays/(?P<scenario>[^/]+)/interarrival-(?P<interarrival>[0-9]+)/",
    script:
        "../common/collect.py"


rule farms_tables:
    input:
        replays="{study}/replays.csv",
        batfill=SETTINGS.batfill,
    output:
        expand("{{study}}/tables/{table}.csv", table=FARMS_TABLES),
    params:
        workloads=lambda wildcards: list(FARMS[wildcards.study]["workloads"]),
        heuristics=lambda wildcards: list(FARMS[wildcards.study]["heuristics"]),
    script:
        "tables.py"


rule farms_figure:
    input:
        replays="{study}/replays.csv",
        batfill=SETTINGS.batfill,
    output:
        svg="{study}/figures/figure-{part}.svg",
        png="{study}/figures/figure-{part}.png",
        csv="{study}/figures/figure-{part}.csv",
    script:
        "figures.py"


rule farms_manifest:
    input:
        manifests=lambda wildcards: farms_files(wildcards.study, "manifest.json"),
        results=lambda wildcards: farms_published(wildcards.study),
        batfill=SETTINGS.batfill,
    output:
        "{study}/manifest.json",
    params:
        engine="simulate",
        settings=lambda wildcards: FARMS[wildcards.study],
    script:
        "../common/manifest.py"
