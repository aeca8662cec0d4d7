"""Packs GPUs: a job goes to the hosts with the fewest free GPUs that suffice, so that others stay whole."""

import sys

import numpy

import batfill


class PackGpus(batfill.Scheduler):
    """First come, first served, on the fullest hosts."""

    understands_resources = True

    def decide(self, round):
        waiting = round.waiting
        for job in range(len(waiting)):
            hosts = round.free.hosts_for(job)  # they have all that it takes of each
            fullest = numpy.argsort(round.free.per_host("gpus")[hosts], kind="stable")
            if len(hosts) < waiting.processors[job]:
                break
            round.start(job, hosts[fullest[: waiting.processors[job]]])


if __name__ == "__main__":  # pack_gpus.py WORKLOAD.json PLATFORM.xml
    run = batfill.simulate(batfill.Workload.from_json(sys.argv[1]), sys.argv[2], PackGpus())
    print(run.metrics()["mean_wait"], run.check().violations)
