"""Job of rules `agreement_window` and `agreement_farm`: a window of a machine's workload, or a farm with its jobs, as a
scenario has it, with the machine's events and with the platform for either simulator."""
import random
from typing import Any, Mapping

from common.files import read_json, write_json
from common.job import Job, JobError, run_job
from common.workbench import Workbench

NO_LATENCY = 'coordinates="0 0 0"'
MILLISECONDS = 1000
SEED = 1


def cut(whole: Mapping[str, Any], skip: int, jobs: int) -> dict[str, Any]:
    """The workload of so many jobs after the first so many, the first of them submitted at 0."""
    kept = [dict(job) for job in whole["jobs"][skip:skip + jobs]]
    if len(kept) < jobs:
        raise JobError(f"{len(whole['jobs'])} jobs, fewer than the {skip} + {jobs} of the window")
    start = kept[0]["subtime"]
    for job in kept:
        job["subtime"] -= start
    profiles = {job["profile"]: whole["profiles"][job["profile"]] for job in kept}
    return {**whole, "jobs": kept, "profiles": profiles}


def with_fractions(workload: Mapping[str, Any], ticks: int) -> dict[str, Any]:
    """The workload with each submission, run time and walltime later by a seeded number of ticks, of which a second has
    so many. Each job gets a profile of its own."""
    draws = random.Random(SEED)

    def later(seconds: float) -> float:
        return round(seconds + draws.randrange(ticks) / ticks, 6)

    jobs, profiles = [], {}
    for job in workload["jobs"]:
        profile = workload["profiles"][job["profile"]]
        profiles[job["id"]] = {**profile, "delay": later(profile["delay"])}
        jobs.append({**job, "subtime": later(job["subtime"]), "walltime": later(job["walltime"]),
                     "profile": job["id"]})
    jobs.sort(key=lambda job: (job["subtime"], job["id"]))
    return {**workload, "jobs": jobs, "profiles": profiles}


def with_latency(platform: str, seconds: float) -> str:
    """The platform, whose hosts are all at one place, with so much time for a message from any host to any other: half
    of it for either host's access link, the third coordinate, in milliseconds."""
    if NO_LATENCY not in platform:
        raise JobError(f"a platform without {NO_LATENCY} cannot be given a latency")
    return platform.replace(NO_LATENCY, f'coordinates="0 0 {seconds * MILLISECONDS / 2:g}"')


def main(job: Job) -> None:
    """Makes the inputs of one scenario."""
    scenario = job.params.scenario
    with Workbench(job.input.batfill) as bench:
        workload, platform = bench.path("workload.json"), bench.path("platform.xml")
        if "farm" in job.params.keys():
            bench.run("generate", "farm", *job.params.farm.split(), "-o", "drawn.json", "--platform", "platform.xml")
            made = read_json(str(bench.path("drawn.json")))
        else:
            bench.link("whole.json", job.input.workload)
            bench.link("platform.xml", job.input.platform)
            write_json(str(bench.path("cut.json")), cut(read_json(job.input.workload), **job.params.window))
            bench.run("deadlines", "cut.json", *job.params.deadlines.split(), "-o", "deadlines.json")
            made = read_json(str(bench.path("deadlines.json")))
        if "ticks" in scenario:
            made = with_fractions(made, scenario["ticks"])
        write_json(str(workload), made)
        text = platform.read_text(encoding="utf-8")
        bench.path("platform-batsim.xml").write_text(
            with_latency(text, scenario["latency"]) if "latency" in scenario else text, encoding="utf-8")
        bench.path("events.json").touch()
        if "failures" in scenario:
            until = max(one["subtime"] for one in made["jobs"])
            bench.run("generate", "failures", "-p", "platform.xml", "--until", f"{until:.0f}",
                      *scenario["failures"].split(), "-o", "events.json")
        for name, file in (("workload.json", job.output.workload), ("platform.xml", job.output.platform),
                           ("platform-batsim.xml", job.output.batsim_platform), ("events.json", job.output.events)):
            bench.keep(name, file)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
