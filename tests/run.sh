#!/usr/bin/env bash
# ./tests/run.sh [--quick] [PRESET [CTEST-OPTION]...]
# Installs what is missing, builds the preset (release unless told otherwise; see CMakePresets.json) and runs all its
# tests. Names at the end those that were skipped, and why.
# With --quick it runs what finds most in a minute. It leaves out every algorithm on random workloads, recordings and
# logs, headers alone, SimGrid, and, of the end to end tests and those of the command line, all but replays and simulate.
set -euo pipefail
cd "$(dirname "$0")/.."
quick=()
if [ "${1:-}" = --quick ]; then
  quick=(--exclude-regex
    '^Every algorithm: (when|otherwise)|recordings|^Headers|^simgrid|^End to end: (serve|without)|^Command line: (campaign|tune|other|with)')
  shift
fi
preset=release
if [ $# -gt 0 ]; then
  preset=$1
  shift
fi

groups=(build test)
case $preset in *san) groups+=(sanitizers) ;; esac
./.ci/install-packages "${groups[@]}"
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)" "${quick[@]}" "$@"
grep '^\[skipped\]' "build/$preset/Testing/Temporary/LastTest.log" || true
