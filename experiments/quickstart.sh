#!/usr/bin/env bash
# ./experiments/quickstart.sh [-p PLATFORM.xml] [LOG.swf[.gz] [SWF-OPTION]...]
# Installs what is missing, builds batfill and replays a workload with fcfs, easy and conservative, each once by the
# daemon over a ZeroMQ socket and once embedded. Compares the two schedules, audits them and prints their metrics.
# The workload is a log of the Parallel Workloads Archive (with options of `batfill swf` behind it), or else drawn from
# Lublin and Feitelson's model. The platform is platforms/hpc2n.xml unless told otherwise. Results: build/quickstart/.
set -euo pipefail
caller_folder=$PWD
cd "$(dirname "$0")/.."

from_caller() { (cd "$caller_folder" && realpath -- "$1"); }

platform=$PWD/platforms/hpc2n.xml
if [ "${1:-}" = -p ]; then
  platform=$(from_caller "${2:?-p needs a platform file}")
  shift 2
fi

./.ci/install-packages build
mkdir -p build
cmake --preset minimal >build/quickstart-build.log 2>&1 || { cat build/quickstart-build.log >&2; exit 1; }
cmake --build --preset minimal
batfill=build/release/batfill

results=build/quickstart
rm -rf "$results"
mkdir -p "$results/daemon" "$results/embedded"
workload=$results/workload.json
if [ $# -gt 0 ]; then
  log=$(from_caller "$1")
  shift
  "$batfill" swf "$log" -o "$workload" "$@"
else
  "$batfill" generate lublin --jobs 5000 --processors 240 --load 0.7 --seed 1 -o "$workload"
fi

# Something that listens answers a connection; the first port where nothing does is free.
port=28000
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  port=$((port + 1))
done
endpoint=tcp://127.0.0.1:$port

# Neither side of the protocol has a time-out: if one fails, the other is ended.
replay_by_daemon() {
  local algorithm=$1 prefix=$2 daemon simulation
  "$batfill" serve -a "$algorithm" -s "$endpoint" >"$prefix.serve.log" 2>&1 &
  daemon=$!
  "$batfill" simulate -p "$platform" -w "$workload" -s "$endpoint" -e "$prefix" >"$prefix.simulate.log" 2>&1 &
  simulation=$!
  if ! { wait -n "$daemon" "$simulation" && wait "$daemon" && wait "$simulation"; }; then
    kill "$daemon" "$simulation" 2>/dev/null || true
    cat "$prefix.serve.log" "$prefix.simulate.log" >&2
    return 1
  fi
}

for algorithm in fcfs easy conservative; do
  for way in daemon embedded; do
    prefix=$results/$way/$algorithm
    start=$(date +%s.%N)
    if [ "$way" = daemon ]; then
      replay_by_daemon "$algorithm" "$prefix"
    else
      "$batfill" simulate -p "$platform" -w "$workload" -a "$algorithm" -e "$prefix" >"$prefix.simulate.log" 2>&1 ||
        { cat "$prefix.simulate.log" >&2; exit 1; }
    fi
    end=$(date +%s.%N)
    "$batfill" check "${prefix}_jobs.csv" -w "$workload" -p "$platform" >"$prefix.check.log" 2>&1 ||
      { cat "$prefix.check.log" >&2; exit 1; }
    printf '%-13s %-9s replayed in %.1f s, audited\n' "$algorithm" "$way" "$(awk "BEGIN { print $end - $start }")"
  done
  cmp "$results/daemon/${algorithm}_jobs.csv" "$results/embedded/${algorithm}_jobs.csv"
  printf '%-13s daemon and embedded simulator: the same schedule\n' "$algorithm"
done

printf '\nMetrics of the schedules (in %s):\n' "$results"
cd "$results/embedded"
"../../../$batfill" metrics fcfs_jobs.csv easy_jobs.csv conservative_jobs.csv -p "$platform"
