# "Adapting batch scheduling to workload characteristics: what can we expect from online learning?": Tables 1 to 7 and
# Figures 1 to 15 of the paper, in mixed-policies/tables and mixed-policies/figures.
# A log is cut into weeks and months. Each is replayed in memory under the pure policies, and under all weights of a
# cover of the space, whose values are kept: w*, w*_train, w_greedy and Figure 4 are read from them. The pure policies
# are also replayed with other settings than the paper's, one at a time.

MIXED = SETTINGS.paper("mixed-policies")
MIXED_MACHINES = SETTINGS.machines("mixed-policies")
MIXED_SETTINGS = {name: MIXED[name] for name in ("orders", "parameters", "tau", "thresholds")}
MIXED_SEARCHES = ["xnes3", "xnes6"]
MIXED_FOLDER = "mixed-policies/{machine}/{period}"
MIXED_SUMS = ["sums", "key", "differences"]
MIXED_TABLES = ["table-1", "table-2", "ranking", "weeks", "named-weeks", "months", "features", "searches", "convergence",
                "statements", "overview"]
MIXED_VARIANTS = list(MIXED["variants"]) if SETTINGS.has_logs else MIXED["generated_variants"]
MIXED_LONGEST = [one for one in MIXED_MACHINES if SETTINGS.machine("mixed-policies", one).get("longest")]
# Of each machine: the best pure policies, mixed policies, the searches.
MIXED_FIGURES_OF = {machine: SETTINGS.machine("mixed-policies", machine)["figures"] for machine in MIXED_MACHINES}
# Figure 4 is about the first machine with weeks for it.
MIXED_SPACES = [one for one in MIXED_MACHINES if "space" in SETTINGS.machine("mixed-policies", one)][:1]
MIXED_FIGURES = [1, *sorted(figure for figures in MIXED_FIGURES_OF.values() for figure in figures), 15]

localrules: mixed_sums, mixed_tables, mixed_figure, mixed_space, mixed_manifest

wildcard_constraints:
    period="weeks|months",
    variant="|".join(MIXED_VARIANTS),
    raw="|-raw",
    search="|".join(MIXED_SEARCHES),
    seed=r"\d+",
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


def mixed_scales(wildcards):
    """What features are divided by."""
    return SETTINGS.machine("mixed-policies", wildcards.machine)["scales"]


PAGES["mixed-policies"] = [
    *expand("mixed-policies/tables/{table}.csv", table=[*MIXED_SUMS, *MIXED_TABLES]),
    *(["mixed-policies/tables/table-7.csv"] if MIXED_LONGEST else []), *mixed_figures(MIXED_FIGURES, MIXED_SPACES)]


rule mixed_policies:
    input:
        PAGES["mixed-policies"],
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
        values="mixed-policies/{machine}/{period}/pure.csv",
        manifest="mixed-policies/{machine}/{period}/manifests/pure.json",
    params:
        settings=MIXED_SETTINGS,
    threads: workflow.cores
    script:
        "pure.py"


rule mixed_variant:
    input:
        logs=lambda wildcards: SETTINGS.logs("mixed-policies", wildcards.machine),
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        values="mixed-policies/{machine}/variants/{variant}.csv",
        manifest="mixed-policies/{machine}/variants/{variant}.json",
    params:
        options=lambda wildcards: SETTINGS.workload_options("mixed-policies", wildcards.machine),
        periods=lambda wildcards: SETTINGS.machine("mixed-policies", wildcards.machine)["weeks"],
        settings=MIXED_SETTINGS,
        changes=lambda wildcards: MIXED["variants"][wildcards.variant],
    threads: workflow.cores
    script:
        "variant.py"


rule mixed_same_second:
    input:
        workloads="mixed-policies/{machine}/weeks/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        values="mixed-policies/{machine}/weeks/same-second.csv",
        manifest="mixed-policies/{machine}/weeks/manifests/same-second.json",
    params:
        settings=MIXED_SETTINGS,
        draws=lambda wildcards: SETTINGS.machine("mixed-policies", wildcards.machine)["weeks"]["draws"],
    threads: workflow.cores
    script:
        "same_second.py"


rule mixed_longest:
    input:
        log=lambda wildcards: SETTINGS.logs("mixed-policies", MIXED_LONGEST[0])[0],
        paper=EXPERIMENTS / "mixed_policies/paper-table-7.csv",
        batfill=SETTINGS.batfill,
    output:
        table="mixed-policies/tables/table-7.csv",
        manifest="mixed-policies/table-7-manifest.json",
    script:
        "longest.py"


rule mixed_cover:
    input:
        workloads=f"{MIXED_FOLDER}/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        results="mixed-policies/{machine}/{period}/cover{raw}.csv",
        values="mixed-policies/{machine}/{period}/cover{raw}-values.csv.gz",
        manifest="mixed-policies/{machine}/{period}/manifests/cover{raw}.json",
    params:
        search=lambda wildcards: [
            "--method", "cover", "--features", "3", "--points",
            str(mixed_periods(wildcards)["raw_points" if wildcards.raw else "points"])],
        scales=lambda wildcards: {} if wildcards.raw else mixed_scales(wildcards),
        parameters=MIXED["parameters"],
        threshold=MIXED["threshold"],
        tau=MIXED["tau"],
    threads: workflow.cores
    script:
        "search.py"


use rule mixed_cover as mixed_xnes with:
    output:
        results="mixed-policies/{machine}/{period}/{search}-{seed}.csv",
        convergence="mixed-policies/{machine}/{period}/{search}-{seed}-convergence.csv",
        manifest="mixed-policies/{machine}/{period}/manifests/{search}-{seed}.json",
    params:
        search=lambda wildcards: [
            "--method", "xnes", "--features", wildcards.search.removeprefix("xnes"), "--seed", wildcards.seed,
            "--evaluations", str(mixed_periods(wildcards)["evaluations"][wildcards.search])],
        scales=mixed_scales,
        parameters=MIXED["parameters"],
        threshold=MIXED["threshold"],
        tau=MIXED["tau"],


def mixed_searches(wildcards):
    """The searches besides the cover, each with all seeds: in weeks, as in the paper."""
    seeds = range(1, mixed_periods(wildcards).get("seeds", 0) + 1)
    return [f"{search}-{seed}" for search in MIXED_SEARCHES for seed in seeds]


rule mixed_policies_of:
    input:
        workloads=f"{MIXED_FOLDER}/workloads",
        platform=lambda wildcards: SETTINGS.platform("mixed-policies", wildcards.machine),
        pure=f"{MIXED_FOLDER}/pure.csv",
        cover=f"{MIXED_FOLDER}/cover-values.csv.gz",
        best=f"{MIXED_FOLDER}/cover.csv",
        raw=lambda wildcards: expand(f"{MIXED_FOLDER}/cover-raw-values.csv.gz", **wildcards)
        if "raw_points" in mixed_periods(wildcards) else [],
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
        scales=mixed_scales,
        parameters=MIXED["parameters"],
        threshold=MIXED["threshold"],
        tau=MIXED["tau"],
    threads: workflow.cores
    script:
        "policies.py"


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
        scales=mixed_scales,
        parameters=MIXED["parameters"],
        threshold=MIXED["threshold"],
        tau=MIXED["tau"],
    script:
        "audit.py"


rule mixed_sums:
    input:
        paper=EXPERIMENTS / "mixed_policies/paper-tables.csv",
        pure=mixed_of_all("pure.csv", ["weeks"]),
        same_second=mixed_of_all("same-second.csv", ["weeks"]),
        variants=expand("mixed-policies/{machine}/variants/{variant}.csv", variant=MIXED_VARIANTS,
                        machine=MIXED_MACHINES),
    output:
        expand("mixed-policies/tables/{table}.csv", table=MIXED_SUMS),
    params:
        machines=MIXED_MACHINES,
        variants=MIXED_VARIANTS,
        thresholds=list(MIXED["thresholds"]),
    script:
        "sums.py"


rule mixed_tables:
    input:
        batfill=SETTINGS.batfill,
        paper=EXPERIMENTS / "mixed_policies/paper-tables.csv",
        paper_logs=EXPERIMENTS / "mixed_policies/paper-table-1.csv",
        paper_weeks=EXPERIMENTS / "mixed_policies/paper-weeks.csv",
        splits=mixed_of_all("split.json", ["weeks"]),
        weeks=mixed_of_all("policies.csv", ["weeks"]),
        months=mixed_of_all("policies.csv", ["months"]),
        convergence=lambda wildcards: [
            f"mixed-policies/{machine}/weeks/{search}-{seed}-convergence.csv" for machine in MIXED_MACHINES
            for search in MIXED_SEARCHES
            for seed in range(1, SETTINGS.machine("mixed-policies", machine)["weeks"]["seeds"] + 1)],
        sums=expand("mixed-policies/tables/{table}.csv", table=MIXED_SUMS),
        spaces=expand("mixed-policies/figures/figure-4.csv", machine=MIXED_SPACES),
        longest=["mixed-policies/tables/table-7.csv"] if MIXED_LONGEST else [],
    output:
        expand("mixed-policies/tables/{table}.csv", table=MIXED_TABLES),
    params:
        machines={machine: SETTINGS.machine("mixed-policies", machine) for machine in MIXED_MACHINES},
        orders=MIXED["orders"],
        searches=MIXED_SEARCHES,
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
        results=PAGES["mixed-policies"],
        batfill=SETTINGS.batfill,
    output:
        "mixed-policies/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=MIXED,
    script:
        "../common/manifest.py"
