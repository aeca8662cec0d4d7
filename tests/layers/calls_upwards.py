"""calls_upwards.py NM LAYER,ARCHIVE[,LAYER BELOW]...: checks that each layer's archive needs no symbol that is defined
only in layers that it does not stand on. A call upwards leaves such a symbol."""

import subprocess
import sys


def symbols(lister: str, archive: str, kind: str) -> set[str]:
    """Those that an archive defines or lacks."""
    command = [lister, "--format=just-symbols", f"--{kind}-only", archive]
    run = subprocess.run(command, check=True, text=True, capture_output=True)
    return {line for line in run.stdout.splitlines() if line and not line.endswith(":")}


def main() -> int:
    """Names each call upwards, and returns whether there is none."""
    lister = sys.argv[1]
    archives = {}
    below = {}
    for argument in sys.argv[2:]:
        layer, archives[layer], *below[layer] = argument.split(",")
    defined = {layer: symbols(lister, archive, "defined") for layer, archive in archives.items()}
    status = 0
    for layer, archive in archives.items():
        seen = set().union(defined[layer], *(defined[other] for other in below[layer]))
        wrong = symbols(lister, archive, "undefined") - seen
        upwards = {symbol: [other for other in archives if symbol in defined[other]] for symbol in sorted(wrong)}
        print(f"Layer: {layer} ({len(defined[layer])} symbols)")
        if not defined[layer]:
            print("  defines nothing", file=sys.stderr)
            status = 1
        for symbol, others in upwards.items():
            if others:
                print(f"  {layer} stands on {below[layer]} and calls {symbol} of {others}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
