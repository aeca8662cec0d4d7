#!/usr/bin/env bash
# ./tests/run.sh [PRESET [CTEST-OPTION]...]
# Installs what is missing, builds the preset (dev unless told otherwise; see CMakePresets.json) and runs all its tests.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=dev
if [ $# -gt 0 ]; then
  preset=$1
  shift
fi

groups=(build test)
if [ "$preset" = release ]; then
  groups+=(bench)
fi
./.ci/install-packages "${groups[@]}"
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)" "$@"
