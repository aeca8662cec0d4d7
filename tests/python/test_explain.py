"""Why a job waits: Run.explain() and round.because()."""

import pickle
import threading

import pytest

import batfill


def three_jobs():
    return batfill.Workload.from_dataframe({
        "id": ["a", "b", "c"], "submit": [0, 1, 2], "processors": [3, 2, 1], "walltime": [20, 10, 50],
        "run_time": [8, 4, 5], "user": ["u", "v", ""],
    }, processors=4)


class Fair(batfill.Scheduler):
    """First fit; only the first three jobs that it ever saw may start before 6 s."""

    def __init__(self):
        self.rounds = 0

    def decide(self, round):
        self.rounds += 1
        for job in range(len(round.waiting)):
            if round.waiting["user"][job] == "" and round.now < 6:
                round.because(job, f"user above 30 %: it is round {self.rounds}")
                round.wake_at(6)
            else:
                round.try_start(job)
        for job in round.explained:
            assert round.waiting["id"][job] == "w0!c"


def test_the_rule_of_easy():
    run = batfill.simulate(three_jobs(), 4, "easy")
    explanation = run.explain("b", "c")
    assert "job b: 2 processors for at most 10 s; submitted at 1, started at 8 after 7 s" in explanation.text
    assert "The algorithm says: head: it has the reservation, shadow time 20, 2 extra processors." in explanation.text
    reasons = explanation.reasons
    assert list(reasons["job_id"]) == ["b", "b", "c", "b", "b"]
    assert list(reasons["reason"]) == ["processors", "processors", "started", "processors", "started"]
    assert list(reasons["time"]) == [1, 2, 2, 7, 8]
    assert list(reasons["idle"]) == [1, 0, 0, 1, 2]
    assert list(reasons["holders"]) == ["a:3:20.000000", "a:3:20.000000", "", "a:3:20.000000", ""]
    assert str(explanation) == explanation.text == repr(explanation)


def test_the_columns_are_those_of_the_file(command, tmp_path):
    workload = batfill.Workload.lublin(jobs=60, processors=16, seed=3, load=0.9)
    workload.save(tmp_path / "w.json")
    run = batfill.simulate(workload, 16, "conservative")
    late = run.jobs["job_id"][run.jobs["waiting_time"].argmax()]
    explanation = run.explain(late)
    printed = command("simulate", "-p", "16", "-w", "w.json", "-a", "conservative", "-o", "out", "--explain", late)
    assert printed.endswith(explanation.text)
    lines = (tmp_path / "out_explain.csv").read_text().splitlines()
    assert lines[0].split(",") == explanation.reasons.names
    assert len(lines) == len(explanation.reasons) + 1


def test_a_scheduler_says_its_rule():
    scheduler = Fair()
    run = batfill.simulate(three_jobs(), 4, scheduler)
    rounds = scheduler.rounds
    for _ in range(2):  # of a copy as it was before the first run, each time
        reasons = run.explain("c").reasons
        assert list(reasons["because"]) == ["user above 30 %: it is round 3", ""]
        assert list(reasons["reason"]) == ["passed over", "started"]
        assert list(reasons["time"]) == [2, 6]
    assert scheduler.rounds == rounds


def test_what_cannot_be_explained():
    run = batfill.simulate(three_jobs(), 4, "easy")
    with pytest.raises(batfill.UsageError, match="there is no job z to explain, expected an id as in jobs.csv, such as a"):
        run.explain("z")
    with pytest.raises(batfill.UsageError, match="found one that was pickled"):
        pickle.loads(pickle.dumps(run)).explain("a")
    scheduler = Fair()
    scheduler.lock = threading.Lock()
    run = batfill.simulate(three_jobs(), 4, scheduler)
    with pytest.raises(batfill.UsageError, match="explain: Fair cannot be copied: cannot pickle '_thread.lock' object"):
        run.explain("a")
