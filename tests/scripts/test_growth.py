"""How replays grow with the number of jobs."""
import csv
import sys

import growth
import pytest
from stand_ins import StandInProgram


def run(monkeypatch: pytest.MonkeyPatch, program: StandInProgram, *words: str) -> None:
    """Runs the script with these words, and the stand-in as batfill."""
    monkeypatch.setattr(sys, "argv", ["growth.py", "--batfill", str(program.file), *words])
    growth.main()


def test_the_exponent_is_that_of_a_power() -> None:
    sizes = [1000, 4000, 16000]
    assert growth.exponent(sizes, [0.5 * size**1.3 for size in sizes]) == pytest.approx(1.3)
    assert growth.exponent([10, 20], [7.0, 7.0]) == pytest.approx(0)
    assert growth.exponent([1000], [1.0]) is None


def test_what_took_too_long_is_told_from_what_was_not_tried() -> None:
    assert growth.rows("easy", [10, 100], [(1.0, 20.4), (10.0, 30.0)], 60) == [
        ["easy", "10", "1.00", "20", "1.00"], ["easy", "100", "10.00", "30", "1.00"]]
    assert growth.rows("pc", [10, 100, 1000], [(1.0, 20.0)], 60) == [
        ["pc", "10", "1.00", "20", ""], ["pc", "100", "more than 60", "", ""]]


@pytest.mark.parametrize("case", growth.CASES[2:])
def test_jobs_at_once_fit_the_machine_and_run_no_longer_than_their_walltimes(case: str) -> None:
    workload = growth.workload_at_once(case, 500)
    assert len(workload["jobs"]) == 500
    for job in workload["jobs"]:
        assert job["subtime"] == 0
        assert 1 <= job["res"] <= growth.PROCESSORS
        assert 1 <= workload["profiles"][job["profile"]]["delay"] <= job["walltime"]
    assert workload == growth.workload_at_once(case, 500)


def test_each_job_of_a_chain_waits_for_the_one_before_it() -> None:
    chain = growth.workload_at_once("instant-chain", 3)
    assert [job.pop("after", None) for job in chain["jobs"]] == [None, ["ok:0"], ["ok:1"]]
    assert chain == growth.workload_at_once("instant-serial", 3)


def test_a_scarce_pool_is_of_the_machine_and_of_the_jobs(
        program: StandInProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    scarce = growth.workload_at_once("instant-scarce", 100)
    taken = [job.pop("pools")["scarce"] for job in scarce["jobs"]]
    assert sum(taken) > growth.SCARCE >= max(taken)
    assert scarce == growth.workload_at_once("instant-random", 100)
    run(monkeypatch, program, "--jobs", "10", "--cases", "instant-random,instant-scarce", "easy")
    assert [" --pool scarce=100 " in call for call in program.calls if call.startswith("simulate")] == [False, True]


def test_each_size_of_each_case_is_replayed(
        program: StandInProgram, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, program, "--jobs", "20,10", "--cases", "load-0.9,instant-equal", "easy,order=saf")
    drawn = [call for call in program.calls if call.startswith("generate")]
    assert [call.split(" -o ")[0] for call in drawn] == [
        f"generate lublin --seed 3 --jobs {jobs} --processors 240 --load 0.9" for jobs in (10, 20)]
    replayed = [call.split(" -w ")[1].split() for call in program.calls if call.startswith("simulate")]
    assert [words[0].rsplit("/", 1)[1] for words in replayed] == ["10.json", "20.json"] * 2
    assert all(words[3:] == ["-a", "easy", "-P", "order=saf"] for words in replayed)
    printed = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert printed[0] == ["case", "algorithm", "jobs", "processor_seconds", "peak_memory_mib", "exponent"]
    assert [row[:3] for row in printed[1:]] == [
        [case, "easy,order=saf", jobs] for case in ("load-0.9", "instant-equal") for jobs in ("10", "20")]


def test_a_replay_that_takes_too_long_is_stopped(
        program: StandInProgram, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    program.file.write_text(f"#!{sys.executable}\nwhile True:\n    pass\n", encoding="utf-8")
    run(monkeypatch, program, "--jobs", "10,20", "--cases", "instant-equal", "--limit", "1", "easy")
    assert capsys.readouterr().out.splitlines()[1:] == ["instant-equal,easy,10,more than 1,,"]


def test_what_fails_ends_all(program: StandInProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    program.answer("simulate", status=3)
    with pytest.raises(SystemExit, match="growth: easy failed with status 3"):
        run(monkeypatch, program, "--cases", "instant-equal", "--jobs", "10", "easy")
    program.answer("generate", status=2)
    with pytest.raises(SystemExit, match="growth: generate failed with status 2"):
        run(monkeypatch, program, "--cases", "load-0.9", "--jobs", "10", "easy")
    with pytest.raises(SystemExit, match="growth: unknown case load, known: load-L, instant-equal"):
        run(monkeypatch, program, "--cases", "load", "--jobs", "10", "easy")
