#!/usr/bin/env python3
"""Measures the daemon against a ZeroMQ REP loop that answers the same frames with prepared replies.

    bench/daemon.py PLATFORM.xml WORKLOAD.json [--runs N] [--batfill FILE] [--bare-loop FILE]
                    [--transports ipc,tcp] [ALGORITHM ...]

An ALGORITHM is NAME[,KEY=VALUE]... For each, the replies are recorded first, behind the simulator in place of Batsim;
then daemon and loop answer it in turn, N times. Prints a table as CSV: the medians of the processor seconds (user and
system) of both, and the median of the ratios of the runs. What is above 1 is what batfill adds to the talking: watching
for signals and lost peers, decoding, deciding, encoding.
"""
import argparse
import os
import socket
import statistics
import sys
import tempfile

from replays import print_row, start, usage


def endpoint(transport: str, folder: str) -> str:
    """One at which nobody listens."""
    if transport == "ipc":
        return "ipc://" + tempfile.mktemp(dir=folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


class Pair:
    """The simulator in Batsim's place, and who answers it."""

    def __init__(self, options: argparse.Namespace, transport: str, algorithm: str, folder: str) -> None:
        self.options, self.transport, self.folder = options, transport, folder
        name, *parameters = algorithm.split(",")
        self.scheduler = ["-a", name] + [word for parameter in parameters for word in ("-P", parameter)]
        self.replies = os.path.join(folder, "replies")

    def simulate(self, address: str) -> None:
        """A simulation with the scheduler at an endpoint."""
        usage(start([self.options.batfill, "simulate", "-q", "-p", self.options.platform, "-w", self.options.workload,
                     "-e", os.path.join(self.folder, "out"), "-s", address]))

    def serve(self, address: str) -> int:
        """Starts the daemon."""
        return start([self.options.batfill, "serve", "-l", "warning", "-s", address] + self.scheduler)

    def record(self) -> None:
        """Writes the replies of one simulation."""
        behind, address = endpoint(self.transport, self.folder), endpoint(self.transport, self.folder)
        daemon = self.serve(behind)
        recorder = start([self.options.bare_loop, "record", address, behind, self.replies])
        self.simulate(address)
        usage(recorder)
        usage(daemon)

    def seconds(self, bare: bool) -> float:
        """The processor seconds of the loop, or of the daemon, for one simulation."""
        address = endpoint(self.transport, self.folder)
        answering = start([self.options.bare_loop, "answer", address, self.replies]) if bare else self.serve(address)
        self.simulate(address)
        return usage(answering)[0]


def row(transport: str, algorithm: str, runs: list[tuple[float, float]]) -> list[str]:
    """A row of the table, from the seconds of the loop and of the daemon in each run."""
    bare, daemon = (statistics.median(seconds) for seconds in zip(*runs))
    ratio = statistics.median(one[1] / one[0] for one in runs)
    return [transport, algorithm, f"{bare:.3f}", f"{daemon:.3f}", f"{ratio:.2f}"]


def main() -> None:
    """Measures all algorithms over all transports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("platform")
    parser.add_argument("workload")
    parser.add_argument("algorithms", nargs="*", default=["rejecter", "fcfs", "easy", "conservative"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--transports", default="ipc,tcp")
    parser.add_argument("--batfill", default="build/release/batfill")
    parser.add_argument("--bare-loop", default="build/release/bench/bare_loop")
    options = parser.parse_intermixed_args()
    options.batfill, options.bare_loop = os.path.abspath(options.batfill), os.path.abspath(options.bare_loop)
    if options.runs < 1:
        sys.exit("daemon: expected at least one run")
    print_row(["transport", "algorithm", "bare_loop_seconds", "daemon_seconds", "ratio"])
    for transport in options.transports.split(","):
        for algorithm in options.algorithms:
            with tempfile.TemporaryDirectory() as folder:
                pair = Pair(options, transport, algorithm, folder)
                pair.record()
                print_row(row(transport, algorithm, [(pair.seconds(True), pair.seconds(False))
                                                     for _ in range(options.runs)]))


if __name__ == "__main__":
    main()
