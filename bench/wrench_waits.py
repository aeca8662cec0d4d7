#!/usr/bin/env python3
"""Compares the mean waits under batsched and under `batfill batsched` when WRENCH asks them.

    bench/wrench_waits.py BATSCHED WORKLOAD.json NODES [--batfill FILE] [--jobs N]... VARIANT,ORDER,POLICY...

Plays the first N jobs of a workload of `batfill swf`, with the messages of WRENCH, as the options -v, -o and -p of both
programs have it. Events happen at submissions and ends only. Prints a table as CSV with a row for each N and each
choice: the mean waits in seconds, and how many jobs start at the same instant with both. Needs pyzmq.
"""
import argparse
import heapq
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import zmq

from replays import print_row

SECONDS_TO_ANSWER = 60
ENDS, SUBMITTED = 0, 1  # of one instant, ends come first
HEAD = ['workload', 'jobs', 'nodes', 'variant', 'order', 'policy', 'batsched_wait', 'batfill_wait', 'same_starts']


class Job(NamedTuple):
    """A job of the workload; seconds."""

    submit: float
    nodes: int
    walltime: float
    run_time: float


def jobs_of(path: Path) -> list[Job]:
    """The jobs of a workload, by submission; the first at 0."""
    document = json.loads(path.read_text(encoding='utf-8'))
    profiles = document['profiles']
    jobs = sorted(Job(job['subtime'], job['res'], job['walltime'], profiles[job['profile']]['delay'])
                  for job in document['jobs'])
    return [job._replace(submit=job.submit - jobs[0].submit) for job in jobs]


class Peer:
    """WRENCH, as the scheduler of this command hears it."""

    def __init__(self, command: Sequence[str], endpoint: str) -> None:
        self._process = subprocess.Popen([*command, '-s', endpoint], stdout=subprocess.DEVNULL)
        self._socket = zmq.Context.instance().socket(zmq.REQ)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVTIMEO, SECONDS_TO_ANSWER * 1000)
        self._socket.connect(endpoint)

    def say(self, now: float, events: list[tuple[str, Any]]) -> list[int]:
        """Sends a message, and returns the jobs that start."""
        message = {'now': now, 'events': [{'timestamp': now, 'type': kind, 'data': data} for kind, data in events]}
        self._socket.send(json.dumps(message, sort_keys=True).encode())
        reply = json.loads(self._socket.recv())
        return [int(event['data']['job_id']) for event in reply['events'] if event['type'] == 'EXECUTE_JOB']

    def close(self) -> None:
        """Ends the scheduler, whether or not it has ended by itself."""
        self._socket.close()
        self._process.terminate()
        self._process.wait()


def starts_of(command: Sequence[str], endpoint: str, jobs: list[Job], nodes: int) -> dict[int, float]:
    """When each job starts."""
    agenda = [(job.submit, SUBMITTED, number) for number, job in enumerate(jobs)]
    starts: dict[int, float] = {}
    peer = Peer(command, endpoint)
    peer.say(0.0, [('SIMULATION_BEGINS', {
        'allow_time_sharing': False, 'config': {'redis-enabled': False}, 'nb_resources': nodes,
        'resources_data': [{'core': 1, 'id': str(node), 'name': f'node{node}', 'state': 'idle'}
                           for node in range(nodes)]})])
    now = 0.0
    while agenda:
        now = agenda[0][0]
        events: list[tuple[str, Any]] = []
        while agenda and agenda[0][0] == now:
            _, kind, number = heapq.heappop(agenda)
            name = str(number)
            if kind == ENDS:
                events.append(('JOB_COMPLETED', {'job_id': name, 'job_state': 'COMPLETED_SUCCESSFULLY',
                                                 'kill_reason': '', 'status': 'SUCCESS'}))
            else:
                job = jobs[number]
                events.append(('JOB_SUBMITTED', {'job_id': name, 'job': {
                    'core': 1, 'id': name, 'res': job.nodes, 'walltime': float(job.walltime)}}))
        for number in peer.say(float(now), events):
            starts[number] = now
            job = jobs[number]
            heapq.heappush(agenda, (now + min(job.run_time, job.walltime), ENDS, number))
    peer.say(float(now), [('SIMULATION_ENDS', None)])
    peer.close()
    return starts


def mean_wait(starts: dict[int, float], jobs: list[Job]) -> float:
    """In seconds. Ends the script if a job has not started."""
    if len(starts) < len(jobs):
        sys.exit(f'wrench_waits: {len(jobs) - len(starts)} of {len(jobs)} jobs have not started')
    return sum(starts[number] - job.submit for number, job in enumerate(jobs)) / len(jobs)


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('batsched')
    parser.add_argument('workload', type=Path)
    parser.add_argument('nodes', type=int)
    parser.add_argument('choices', nargs='+')
    parser.add_argument('--batfill', default='build/release/batfill')
    parser.add_argument('--jobs', type=int, action='append')
    parser.add_argument('--port', type=int, default=28100, help='the first of those that are used')
    options = parser.parse_args()
    all_jobs = jobs_of(options.workload)
    port = options.port
    print_row(HEAD)
    for count in options.jobs or [len(all_jobs)]:
        jobs = all_jobs[:count]
        for choice in options.choices:
            variant, order, policy = choice.split(',')
            runs = []
            for command in ([options.batsched], [options.batfill, 'batsched']):
                runs.append(starts_of([*command, '-v', variant, '-o', order, '-p', policy, '--verbosity', 'silent'],
                                      f'tcp://127.0.0.1:{port}', jobs, options.nodes))
                port += 1
            same = sum(runs[0][number] == start for number, start in runs[1].items())
            print_row([options.workload.name, str(len(jobs)), str(options.nodes), variant, order, policy,
                            *(f'{mean_wait(run, jobs):.0f}' for run in runs), str(same)])


if __name__ == '__main__':
    main()
