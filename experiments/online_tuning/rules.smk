# What tuning the weights of EASY with mixed policies at work is worth (`easy` with `period=`): whole logs under policies
# that do not change and under weights that are tuned every week, in online-tuning/tables. The replays of one way to tune
# with all of its seeds are one job of the workflow; their schedules are gone when it ends.

ONLINE_TUNING = SETTINGS.paper("online-tuning")
ONLINE_TUNING_MACHINES = SETTINGS.machines("online-tuning")
ONLINE_TUNING_TABLES = ["machines", "means", "changes", "searches"]
ONLINE_TUNING_WEEK = 7 * 86400

PAGES["online-tuning"] = expand("online-tuning/tables/{table}.csv", table=ONLINE_TUNING_TABLES)

localrules: online_tuning_collect, online_tuning_tables, online_tuning_manifest

wildcard_constraints:
    online_tuning_results="weeks|results",


def online_tuning_of(machine):
    """All settings for a machine: the section's, and its own over them."""
    return {**ONLINE_TUNING, **SETTINGS.machine("online-tuning", machine)}


def online_tuning_replays(machine, group):
    """The parameters of each replay of a group: of the policies, or of a way to tune, one for each seed."""
    settings = online_tuning_of(machine)
    if group == "policies":
        return {policy: settings["parameters"] + [f"order={policy}"] for policy in settings["policies"]}
    way = settings["ways"][group]
    tuned = settings["parameters"] + ["order=mixed", f"weights={settings['weights']}", f"period={ONLINE_TUNING_WEEK}",
                                      f"evaluations={settings['evaluations']}", f"features={way['features']}",
                                      f"history={way['weeks'] * ONLINE_TUNING_WEEK}"]
    return {f"seed-{seed}": tuned + [f"seed={seed}"] for seed in settings["seeds"]}


def online_tuning_files(name):
    """The files of this name of all replays."""
    return [f"online-tuning/{machine}/replays/{group}/{name}" for machine in ONLINE_TUNING_MACHINES
            for group in ["policies", *(way for way in ONLINE_TUNING["ways"]
                                        if way not in online_tuning_of(machine).get("without", []))]]


rule online_tuning:
    input:
        PAGES["online-tuning"],
        "online-tuning/manifest.json",


rule online_tuning_replay:
    input:
        workload="online-tuning/{machine}/workload.json",
        platform=lambda wildcards: SETTINGS.platform("online-tuning", wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        weeks="online-tuning/{machine}/replays/{group}/weeks.csv",
        results="online-tuning/{machine}/replays/{group}/results.csv",
        manifest="online-tuning/{machine}/replays/{group}/manifest.json",
    params:
        engine=SETTINGS.engine,
        replays=lambda wildcards: online_tuning_replays(wildcards.machine, wildcards.group),
    script:
        "replay.py"


rule online_tuning_collect:
    input:
        lambda wildcards: online_tuning_files(f"{wildcards.online_tuning_results}.csv"),
    output:
        "online-tuning/{online_tuning_results}.csv",
    params:
        path="online-tuning/",
    script:
        "../common/collect.py"


rule online_tuning_tables:
    input:
        weeks="online-tuning/weeks.csv",
        results="online-tuning/results.csv",
        batfill=SETTINGS.batfill,
    output:
        PAGES["online-tuning"],
    script:
        "tables.py"


rule online_tuning_manifest:
    input:
        manifests=expand("online-tuning/{machine}/manifest.json", machine=ONLINE_TUNING_MACHINES)
        + online_tuning_files("manifest.json"),
        results=PAGES["online-tuning"],
        batfill=SETTINGS.batfill,
    output:
        "online-tuning/manifest.json",
    params:
        engine=SETTINGS.engine,
        settings=ONLINE_TUNING,
    script:
        "../common/manifest.py"
