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

results=$project/build/experiments
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --logs | --results)
      [ $# -ge 2 ] || { echo "run.sh: $1 needs a folder" >&2; exit 2; }
      if [ "$1" = --logs ]; then BATFILL_LOGS=$(from_caller "$2"); else results=$(from_caller "$2"); fi
      shift 2
      ;;
    *)
      arguments+=("$1")
      shift
      ;;
  esac
done
export BATFILL_LOGS=${BATFILL_LOGS:-}

./.ci/install-packages build experiments
mkdir -p build "$results"
cmake --preset minimal >build/experiments-build.log 2>&1 || { cat build/experiments-build.log >&2; exit 1; }
cmake --build --preset minimal

# Of what Snakemake says, not which files each job reads and writes; .snakemake/log in the results has all.
cd "$caller_folder"
snakemake --snakefile "$project/experiments/Snakefile" --directory "$results" --cores all --rerun-incomplete \
  "${arguments[@]}" 2>&1 |
  { grep --line-buffered -Ev '^($|    |\[|(local)?rule |Finished job|Select jobs)' || true; }
echo "Results: $results"
