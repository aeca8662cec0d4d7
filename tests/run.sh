#!/usr/bin/env bash
# ./tests/run.sh [PRESET [CTEST-OPTION]...]
# Installs what is missing, builds the preset (release unless told otherwise; see CMakePresets.json) and runs all its
# tests. Names at the end those that were skipped, and why.
set -euo pipefail
cd "$(dirname "$0")/.."
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
ctest --preset "$preset" --parallel "$(nproc)" "$@"
grep '^\[skipped\]' "build/$preset/Testing/Temporary/LastTest.log" || true
