# "Adapting batch scheduling to workload characteristics: what can we expect from online learning?": Tables 1 to 6 and
# Figures 1 to 15 of the paper, in mixed-policies/tables and mixed-policies/figures.
# A log is cut into weeks and months. Each is replayed in memory under the pure policies, and under all weights of a
# cover of the space, whose values are kept: w*, w*_train, w_greedy and Figure 4 are read from them.

MIXED = SETTINGS.paper("mixed-policies")
MIXED_MACHINES = SETTINGS.machines("mixed-policies")
MIXED_THRESHOLD = MIXED["threshold"]
MIXED_SEARCHES = ["xnes3", "xnes6"]
MIXED_FOLDER = "mixed-policies/{machine}/{period}"
MIXED_TABLES = ["table-1", "table-2", "thresholds", "ranking", "weeks", "months", "scaled"]
# Of each machine: the best pure policies, mixed policies, the searches.
MIXED_FIGURES_OF = {machine: SETTINGS.machine("mixed-policies", machine)["figures"] for machine in MIXED_MACHINES}
# Figure 4 is about the first machine with weeks for it.
MIXED_SPACES = [one for one in MIXED_MACHINES if "space" in SETTINGS.machine("mixed-policies", one)][:1]
MIXED_FIGURES = [1, *sorted(figure for figures in MIXED_FIGURES_OF.values() for figure in figures), 15]

localrules: mixed_tables, mixed_figure, mixed_space, mixed_manifest

wildcard_constraints:
    period="weeks|months",
    threshold=r"none|\d+",
    search="|".join(MIXED_SEARCHES),
    number=r"\d+",


def mixed_periods(wildcards):
    """The settings of a machine's weeks or months."""
    return SETTINGS.machine("mixed-policies", wildcards.machine)[wildcards.period]


def mixed_of_all(name, periods=("weeks", "months")):
    """The files of this name of all machines."""
    return expand(f"{MIXED_FOLDER}/{name}", machine=MIXED_MACHINES, period=periods)


def mixed_figures(numbers, space):
    """The files of figures."""
    figures = [*numbers, *([4] if space else [])]
    return expand("mixed-policies/figures/figure-{number}.{format}", number=figures, format=["svg", "png", "csv"])


rule mixed_policies:
    input:
        expand("mixed-policies/tables/{table}.{format}", table=MIXED_TABLES, format=["csv", "md"]),
        mixed_figures(MIXED_FIGURES, MIXED_SPACES),
        mixed_of_all("audit.csv"),
        "mixed-policies/manifest.json",


rule mixed_split:
    input:
        logs=lambda wildcards: SETTINGS.logs("mixed-policies", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        workloads=directory("mixed-policies/{machine}/{period}/workloads"),
        conversion="mixed-policies/{machine}/{period}/split.json",
        manifest="mixed-policies/{machine}/{period}/manifests/split.json",
    params:
        options=lambda wildcards: SETTINGS.workload_options("mixed-policies", wildcards.machine),
        periods=mixed_periods,
    script:
        "split.py"


rule mixed_pure:
    input:
        workloads=f"{MIXED_FOLDER}/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        values="mixed-policies/{machine}/{period}/pure-{threshold}.csv",
        manifest="mixed-policies/{machine}/{period}/manifests/pure-{threshold}.json",
    params:
        orders=MIXED["orders"],
        backfill_order=MIXED["backfill_order"],
    threads: workflow.cores
    script:
        "pure.py"


rule mixed_cover:
    input:
        workloads=f"{MIXED_FOLDER}/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        results="mixed-policies/{machine}/{period}/cover.csv",
        values="mixed-policies/{machine}/{period}/cover-values.csv.gz",
        manifest="mixed-policies/{machine}/{period}/manifests/cover.json",
    params:
        search=lambda wildcards: [
            "--method", "cover", "--features", "3", "--points", str(mixed_periods(wildcards)["points"])],
        backfill_order=MIXED["backfill_order"],
        threshold=MIXED_THRESHOLD,
    threads: workflow.cores
    script:
        "search.py"


use rule mixed_cover as mixed_xnes with:
    output:
        results="mixed-policies/{machine}/{period}/{search}.csv",
        convergence="mixed-policies/{machine}/{period}/{search}-convergence.csv",
        manifest="mixed-policies/{machine}/{period}/manifests/{search}.json",
    params:
        search=lambda wildcards: [
            "--method", "xnes", "--features", wildcards.search.removeprefix("xnes"),
            "--evaluations", str(mixed_periods(wildcards)["evaluations"])],
        backfill_order=MIXED["backfill_order"],
        threshold=MIXED_THRESHOLD,


def mixed_searches(wildcards):
    """The searches besides the cover: in weeks, as in the paper."""
    return MIXED_SEARCHES if wildcards.period == "weeks" else []


rule mixed_policies_of:
    input:
        workloads=f"{MIXED_FOLDER}/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        pure=f"{MIXED_FOLDER}/pure-{MIXED_THRESHOLD}.csv",
        cover=f"{MIXED_FOLDER}/cover-values.csv.gz",
        best=f"{MIXED_FOLDER}/cover.csv",
        searches=lambda wildcards: expand(
            f"{MIXED_FOLDER}/{{search}}.csv", **wildcards, search=mixed_searches(wildcards)),
        batfill=SETTINGS.batfill,
    output:
        policies="mixed-policies/{machine}/{period}/policies.csv",
        weights="mixed-policies/{machine}/{period}/weights.csv",
        w_train="mixed-policies/{machine}/{period}/w-train.json",
        manifest="mixed-policies/{machine}/{period}/manifests/policies.json",
    params:
        searches=mixed_searches,
        training=lambda wildcards: mixed_periods(wildcards)["training"],
        backfill_order=MIXED["backfill_order"],
        threshold=MIXED_THRESHOLD,
    threads: workflow.cores
    script:
        "policies.py"


rule mixed_scaled:
    input:
        workloads=f"{MIXED_FOLDER}/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        values="mixed-policies/{machine}/{period}/scaled.csv",
        w_train="mixed-policies/{machine}/{period}/scaled-w-train.json",
        manifest="mixed-policies/{machine}/{period}/manifests/scaled.json",
    params:
        periods=mixed_periods,
        backfill_order=MIXED["backfill_order"],
        threshold=MIXED_THRESHOLD,
    threads: workflow.cores
    script:
        "scaled.py"


# The replays above are in memory; this is what makes sure that they are those of the engine, and sound.
rule mixed_audit:
    input:
        workloads=f"{MIXED_FOLDER}/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        policies=f"{MIXED_FOLDER}/policies.csv",
        weights=f"{MIXED_FOLDER}/weights.csv",
        batfill=SETTINGS.batfill,
    output:
        audit="mixed-policies/{machine}/{period}/audit.csv",
        manifest="mixed-policies/{machine}/{period}/manifests/audit.json",
    params:
        engine=SETTINGS.engine,
        policies=["saf", "lexp", "w-train", "w-star"],
        every=MIXED["audit_every"],
        backfill_order=MIXED["backfill_order"],
        threshold=MIXED_THRESHOLD,
    script:
        "audit.py"


rule mixed_tables:
    input:
        paper=EXPERIMENTS / "mixed_policies/paper-tables.csv",
        paper_logs=EXPERIMENTS / "mixed_policies/paper-table-1.csv",
        splits=mixed_of_all("split.json", ["weeks"]),
        workloads=mixed_of_all("workloads", ["weeks"]),
        weeks=mixed_of_all("policies.csv", ["weeks"]),
        months=mixed_of_all("policies.csv", ["months"]),
        scaled=mixed_of_all("scaled.csv", ["weeks"]),
        pure=expand(f"{MIXED_FOLDER}/pure-{{threshold}}.csv", machine=MIXED_MACHINES, period="weeks",
                    threshold=MIXED["thresholds"]),
    output:
        expand("mixed-policies/tables/{table}.{format}", table=MIXED_TABLES, format=["csv", "md"]),
    params:
        machines={machine: SETTINGS.machine("mixed-policies", machine) for machine in MIXED_MACHINES},
        orders=MIXED["orders"],
        thresholds=MIXED["thresholds"],
    script:
        "tables.py"


rule mixed_figure:
    input:
        weeks=mixed_of_all("policies.csv", ["weeks"]),
        months=mixed_of_all("policies.csv", ["months"]),
    output:
        svg="mixed-policies/figures/figure-{number}.svg",
        png="mixed-policies/figures/figure-{number}.png",
        csv="mixed-policies/figures/figure-{number}.csv",
    params:
        machines={machine: SETTINGS.machine("mixed-policies", machine) for machine in MIXED_MACHINES},
        orders=MIXED["orders"],
    script:
        "figures.py"


rule mixed_space:
    input:
        expand(f"{MIXED_FOLDER}/cover-values.csv.gz", machine=MIXED_SPACES, period="weeks"),
    output:
        svg="mixed-policies/figures/figure-4.svg",
        png="mixed-policies/figures/figure-4.png",
        csv="mixed-policies/figures/figure-4.csv",
    params:
        weeks=[SETTINGS.machine("mixed-policies", machine)["space"] for machine in MIXED_SPACES],
    script:
        "space.py"


ruleorder: mixed_space > mixed_figure


rule mixed_manifest:
    input:
        manifests=lambda wildcards: mixed_of_all("manifests/split.json") + mixed_of_all("manifests/policies.json"),
        results=expand("mixed-policies/tables/{table}.csv", table=MIXED_TABLES)
        + mixed_figures(MIXED_FIGURES, MIXED_SPACES),
        batfill=SETTINGS.batfill,
    output:
        "mixed-policies/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=MIXED,
    script:
        "../common/manifest.py"
