#!/usr/bin/env bash
# ./experiments/run.sh [--logs FOLDER] [--results FOLDER] [SNAKEMAKE-ARGUMENT]...
# Installs what is missing, builds batfill and repeats the papers' experiments on all cores: with logs of the Parallel
# Workloads Archive from FOLDER or, without one, on small generated workloads. Tables and figures are in
# build/experiments/PAPER unless told otherwise. What is there and up to date is not made again; all else goes to
# Snakemake: a paper's name to do that one only, -n to see what would be done. See experiments/README.md.
set -euo pipefail
caller_folder=$PWD
cd "$(dirname "$0")/.."
project=$PWD

from_caller() { (cd "$caller_folder" && realpath -m -- "$1"); }

logs=${BATFILL_LOGS:-}
results=$project/build/experiments
arguments=()
cores=(--cores all)
while [ $# -gt 0 ]; do
  case $1 in
    --logs | --results)
      [ $# -ge 2 ] || { echo "run.sh: $1 needs a folder" >&2; exit 2; }
      if [ "$1" = --logs ]; then logs=$(from_caller "$2"); else results=$(from_caller "$2"); fi
      shift 2
      ;;
    --cores | --cores=* | -c* | --profile | --profile=*)
      # Whoever names cores, or a profile that has them, means these.
      cores=()
      arguments+=("$1")
      shift
      ;;
    *)
      arguments+=("$1")
      shift
      ;;
  esac
done
# An argument, not the environment, since a cluster may not pass that on to its nodes. Snakemake takes --config once, so
# it goes to the caller's own, if there is one.
if [ -n "$logs" ]; then
  for ((i = 0; i < ${#arguments[@]}; ++i)); do
    if [ "${arguments[i]}" = --config ] || [ "${arguments[i]}" = -C ]; then break; fi
  done
  if [ "$i" -lt ${#arguments[@]} ]; then
    arguments=("${arguments[@]:0:i+1}" "logs=$logs" "${arguments[@]:i+1}")
  else
    arguments+=(--config "logs=$logs")
  fi
fi

./.ci/install-packages build experiments
mkdir -p build "$results"
cmake --preset minimal >build/experiments-build.log 2>&1 || { cat build/experiments-build.log >&2; exit 1; }
cmake --build --preset minimal

# Of what Snakemake says, not which files each job reads and writes; .snakemake/log in the results has all.
cd "$caller_folder"
snakemake --snakefile "$project/experiments/Snakefile" --directory "$results" "${cores[@]}" --rerun-incomplete \
  "${arguments[@]}" 2>&1 |
  { grep --line-buffered -Ev '^($|    |\[|(local)?rule |Finished job|Select jobs)' || true; }
echo "Results: $results"
