# What planning GPUs, memory and a burst buffer changes against counting processors: on machines that are drawn with
# their jobs, and on a log whose jobs request memory, as a pool (`--pool`) of several sizes. Tables and figure are in
# shared-hosts/tables and shared-hosts/figures. All replays of a drawn machine, and those of one algorithm on the log,
# are one job of the workflow; their schedules are gone when it ends.

SHARED_HOSTS = SETTINGS.paper("shared-hosts")
SHARED_HOSTS_DRAWN = {**SHARED_HOSTS["drawn"], **({} if SETTINGS.has_logs else SHARED_HOSTS["drawn"]["trial"])}
SHARED_HOSTS_MACHINES = SETTINGS.machines("shared-hosts")
SHARED_HOSTS_TABLES = expand("shared-hosts/tables/{table}.csv", table=["drawn", "log", "means", "changes"])

PAGES["shared-hosts"] = SHARED_HOSTS_TABLES + ["shared-hosts/figures/shared-hosts.svg"]

localrules: shared_hosts_collect, shared_hosts_collect_drawn, shared_hosts_tables, shared_hosts_figure, shared_hosts_manifest

wildcard_constraints:
    shared_hosts_results="weeks|results",


def shared_hosts_files(name):
    """The files of this name of all replays of the log."""
    return expand("shared-hosts/{machine}/replays/{algorithm}/" + name, machine=SHARED_HOSTS_MACHINES,
                  algorithm=SHARED_HOSTS["algorithms"])


def shared_hosts_drawn_files(name):
    """The files of this name of all drawn machines."""
    return expand("shared-hosts/drawn/replays/{drawn}/" + name, drawn=SHARED_HOSTS_DRAWN["loads"])


rule shared_hosts:
    input:
        SHARED_HOSTS_TABLES,
        expand("shared-hosts/figures/shared-hosts.{format}", format=["svg", "png", "csv"]),
        "shared-hosts/manifest.json",


rule shared_hosts_drawn:
    input:
        batfill=SETTINGS.batfill,
    output:
        results="shared-hosts/drawn/replays/{drawn}/results.csv",
        manifest="shared-hosts/drawn/replays/{drawn}/manifest.json",
    params:
        algorithms=SHARED_HOSTS["algorithms"],
        settings=SHARED_HOSTS_DRAWN,
    script:
        "drawn.py"


rule shared_hosts_replay:
    input:
        workload="shared-hosts/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("shared-hosts", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        weeks="shared-hosts/{machine}/replays/{algorithm}/weeks.csv",
        results="shared-hosts/{machine}/replays/{algorithm}/results.csv",
        manifest="shared-hosts/{machine}/replays/{algorithm}/manifest.json",
    params:
        settings=lambda wildcards: SETTINGS.machine("shared-hosts", wildcards.machine),
    script:
        "replay.py"


rule shared_hosts_collect:
    input:
        lambda wildcards: shared_hosts_files(f"{wildcards.shared_hosts_results}.csv"),
    output:
        "shared-hosts/{shared_hosts_results}.csv",
    params:
        path="shared-hosts/",
    script:
        "../common/collect.py"


rule shared_hosts_collect_drawn:
    input:
        shared_hosts_drawn_files("results.csv"),
    output:
        "shared-hosts/draws.csv",
    params:
        path="shared-hosts/drawn/replays/(?P<machine>[^/]+)/",
    script:
        "../common/collect.py"


rule shared_hosts_tables:
    input:
        draws="shared-hosts/draws.csv",
        weeks="shared-hosts/weeks.csv",
        results="shared-hosts/results.csv",
        batfill=SETTINGS.batfill,
    output:
        SHARED_HOSTS_TABLES,
    script:
        "tables.py"


rule shared_hosts_figure:
    input:
        changes="shared-hosts/tables/changes.csv",
    output:
        svg="shared-hosts/figures/shared-hosts.svg",
        png="shared-hosts/figures/shared-hosts.png",
        csv="shared-hosts/figures/shared-hosts.csv",
    script:
        "figures.py"


rule shared_hosts_manifest:
    input:
        manifests=expand("shared-hosts/{machine}/manifest.json", machine=SHARED_HOSTS_MACHINES)
        + shared_hosts_files("manifest.json") + shared_hosts_drawn_files("manifest.json"),
        results=PAGES["shared-hosts"],
        batfill=SETTINGS.batfill,
    output:
        "shared-hosts/manifest.json",
    params:
        engine="simulate",
        settings={**SHARED_HOSTS, "drawn": SHARED_HOSTS_DRAWN},
    script:
        "../common/manifest.py"
