# What every paper starts from: {paper}/{machine}/workload.json, and {paper}/{machine}/{schedule}/jobs.csv.gz for the
# schedules that its section of the configuration names; and what it ends with, pages/{paper}.md.
import os
import sys

os.environ["PYTHONPATH"] = str(EXPERIMENTS)  # of the scripts that jobs run
sys.path.insert(0, str(EXPERIMENTS))

from common.page import folder_of, template_of
from common.settings import Settings

SETTINGS = Settings(config, EXPERIMENTS.parent, os.environ)

localrules: page

wildcard_constraints:
    paper="[^/]+",
    machine="[^/]+",
    schedule="[^/]+",


def platform_of(wildcards):
    return SETTINGS.platform(wildcards.paper, wildcards.machine)


rule workload:
    input:
        logs=lambda wildcards: SETTINGS.logs(wildcards.paper, wildcards.machine),
        batfill=SETTINGS.batfill,
    output:
        workload="{paper}/{machine}/workload.json",
        conversion="{paper}/{machine}/conversion.json",
        header="{paper}/{machine}/log-header.txt",
        manifest="{paper}/{machine}/manifest.json",
    params:
        options=lambda wildcards: SETTINGS.workload_options(wildcards.paper, wildcards.machine),
    script:
        "workload.py"


rule equal_hosts:
    output:
        "{paper}/{machine}/platform.xml",
    params:
        hosts=lambda wildcards: SETTINGS.hosts(wildcards.paper, wildcards.machine),
    script:
        "equal_hosts.py"


rule schedule:
    input:
        workload="{paper}/{machine}/workload.json",
        platform=platform_of,
        batfill=SETTINGS.batfill,
    output:
        jobs="{paper}/{machine}/{schedule}/jobs.csv.gz",
        manifest="{paper}/{machine}/{schedule}/manifest.json",
    params:
        engine=SETTINGS.engine,
        replay=lambda wildcards: SETTINGS.schedule(wildcards.paper, wildcards.schedule),
    script:
        "schedule.py"


# The tables and figures of each paper that has a template for its page, which are those in its {paper}/manifest.json.
PAGES = {}


# A page as it is published, by publish.py. It is made when asked for, because a page speaks of logs by name.
rule page:
    input:
        template=lambda wildcards: template_of(wildcards.paper),
        manifest="{paper}/manifest.json",
        paper=lambda wildcards: sorted(folder_of(wildcards.paper).glob("paper-*.csv")),
        results=lambda wildcards: PAGES[wildcards.paper],
    output:
        page="pages/{paper}.md",
        folder=directory("pages/{paper}"),
    wildcard_constraints:
        paper="[^/.]+",
    script:
        "page.py"
