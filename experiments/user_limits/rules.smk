# What limits of users cost and whom they serve (`--limits`): waits of users with much and with little work, slowdowns,
# utilisation, and the share of waiting that is a limit's, in user-limits/tables and user-limits/figures. The replays of
# one algorithm are one job of the workflow; their schedules are gone when it ends.

USER_LIMITS = SETTINGS.paper("user-limits")
USER_LIMITS_MACHINES = SETTINGS.machines("user-limits")
USER_LIMITS_TABLES = expand("user-limits/tables/{table}.csv", table=["machines", "means", "changes", "totals"])

PAGES["user-limits"] = USER_LIMITS_TABLES + ["user-limits/figures/user-limits.svg"]

localrules: user_limits_collect, user_limits_tables, user_limits_figure, user_limits_manifest

wildcard_constraints:
    user_limits_results="weeks|results",


def user_limits_files(name):
    """The files of this name of all replays."""
    return expand("user-limits/{machine}/replays/{algorithm}/" + name, machine=USER_LIMITS_MACHINES,
                  algorithm=USER_LIMITS["algorithms"])


rule user_limits:
    input:
        USER_LIMITS_TABLES,
        expand("user-limits/figures/user-limits.{format}", format=["svg", "png", "csv"]),
        "user-limits/manifest.json",


rule user_limits_replay:
    input:
        workload="user-limits/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("user-limits", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        weeks="user-limits/{machine}/replays/{algorithm}/weeks.csv",
        results="user-limits/{machine}/replays/{algorithm}/results.csv",
        manifest="user-limits/{machine}/replays/{algorithm}/manifest.json",
    params:
        settings=lambda wildcards: {**USER_LIMITS, **SETTINGS.machine("user-limits", wildcards.machine)},
    script:
        "replay.py"


rule user_limits_collect:
    input:
        lambda wildcards: user_limits_files(f"{wildcards.user_limits_results}.csv"),
    output:
        "user-limits/{user_limits_results}.csv",
    params:
        path="user-limits/",
    script:
        "../common/collect.py"


rule user_limits_tables:
    input:
        weeks="user-limits/weeks.csv",
        results="user-limits/results.csv",
        batfill=SETTINGS.batfill,
    output:
        USER_LIMITS_TABLES,
    script:
        "tables.py"


rule user_limits_figure:
    input:
        changes="user-limits/tables/changes.csv",
        means="user-limits/tables/means.csv",
    output:
        svg="user-limits/figures/user-limits.svg",
        png="user-limits/figures/user-limits.png",
        csv="user-limits/figures/user-limits.csv",
    params:
        words=USER_LIMITS["words"],
    script:
        "figures.py"


rule user_limits_manifest:
    input:
        manifests=expand("user-limits/{machine}/manifest.json", machine=USER_LIMITS_MACHINES)
        + user_limits_files("manifest.json"),
        results=PAGES["user-limits"],
        batfill=SETTINGS.batfill,
    output:
        "user-limits/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=USER_LIMITS,
    script:
        "../common/manifest.py"
