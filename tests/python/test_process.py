"""What a process does while batfill works in it: it ends, or a signal stops it."""

import os
import signal
import subprocess
import sys
import time

import pytest

START = """
import threading, time, sys
import batfill
from batfill import *

class First(Scheduler):
    def decide(self, round):
        for job in range(len(round.waiting)):
            round.try_start(job)

def jobs(number, seed=1):
    return Workload.lublin(jobs=number, processors=16, seed=seed, load=0.9)

def always(call):
    while True:
        call()
"""

CALLS = {
    "serve": "serve('easy', f'ipc://{sys.argv[1]}/one')",
    "serve, in Python": "serve(First(), f'ipc://{sys.argv[1]}/two')",
    "simulate": "always(lambda: simulate(jobs(3000), 16, 'conservative'))",
    "simulate, in Python": "always(lambda: simulate(jobs(20000), 16, First()))",
    "compare": "always(lambda: compare([jobs(5000, i) for i in range(4)], ['conservative'], threads=2))",
    "compare, in Python": "always(lambda: compare([jobs(5000, i) for i in range(4)], {'a': First()}, threads=2))",
    "progress": "always(lambda: compare([jobs(300)] * 40, ['fcfs'], threads=2, progress=lambda *_: sum(range(9000))))",
    "tune": "always(lambda: tune(jobs(500), 16, evaluations=2000, threads=2))",
    "metrics": "(lambda run: always(lambda: (run.metrics(), run.check())))(simulate(jobs(5000), 16, 'easy'))",
    "lublin": "always(lambda: jobs(100000))",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_process_ends_well_while_a_thread_of_it_is_at_work(tmp_path, name):
    code = START + f"""
threading.Thread(target=lambda: {CALLS[name]}, daemon=True).start()
time.sleep(float(sys.argv[2]))
print("the end")
"""
    for seconds in (0.3, 0.5):
        done = subprocess.run([sys.executable, "-c", code, tmp_path, str(seconds)], capture_output=True, text=True,
                              timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", "")


def test_a_process_ends_well_while_environments_are_stepped(tmp_path):
    pytest.importorskip("gymnasium")
    code = START + """
from batfill.gym import VectorPickEnv
def step():
    environment = VectorPickEnv(64, jobs(500), window=100)
    environment.reset()
    always(lambda: environment.step([0] * 64))
threading.Thread(target=step, daemon=True).start()
time.sleep(1)
print("the end")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", "")


LONG = {
    "lublin": ("None", "jobs(8_000_000)"),
    "from_json": ("jobs(300_000).save(place + '/w.json')", "always(lambda: Workload.from_json(place + '/w.json'))"),
    "save": ("w = jobs(1_000_000)", "[w.save(place + '/w.json') for _ in range(99)]"),
    "report": ("r = simulate(jobs(300_000), 16, 'fcfs')", "report([r] * 20, place + '/p.html')"),
    "check": ("r = simulate(jobs(300_000), 16, 'fcfs')", "[r.check() for _ in range(99)]"),
    "metrics": ("r = simulate(jobs(300_000), 16, 'fcfs')", "[r.metrics() for _ in range(99)]"),
    "scale_load": ("w = jobs(1_000_000)", "[w.scale_load(0.8) for _ in range(99)]"),
    "weeks": ("w = jobs(1_000_000)", "[w.weeks() for _ in range(99)]"),
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_long_call(tmp_path, name):
    prepare, call = LONG[name]
    code = START + f"""
place = sys.argv[1]
{prepare}
print("ready", flush=True)
try:
    {call}
    print("went through")
except KeyboardInterrupt:
    print("stopped")
"""
    with subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        begin = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "stopped\n"
        print(f"{name} took {time.monotonic() - begin:.2f} s")
    assert process.returncode == 0
