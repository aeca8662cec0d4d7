"""What all replays of the paper's policies have in common: how `batfill` is told of them, and the pure ones."""
from typing import Any, Mapping, Optional, Sequence, Union

from common.tables import read_csv
from common.workbench import Workbench

# By name, as `easy` takes them.
Parameters = Mapping[str, Union[str, int]]


def scheduler(order: str, parameters: Parameters, threshold: Optional[int]) -> str:
    """A pure policy as `batfill compare` takes it."""
    options = [f"{name}={value}" for name, value in parameters.items()]
    return ",".join(["easy", f"order={order}", *options, *([] if threshold is None else [f"threshold={threshold}"])])


def with_parameters(parameters: Parameters, threshold: int) -> list[str]:
    """The parameters as options of `batfill tune`."""
    options = [f"{name}={value}" for name, value in parameters.items()]
    return [word for option in [*options, f"threshold={threshold}"] for word in ("-P", option)]


def pure_policies(bench: Workbench, workloads: Sequence[str], settings: Mapping[str, Any],
                  threads: int) -> list[dict[str, Any]]:
    """The mean bounded slowdown of each workload under each pure policy with each threshold."""
    values = []
    for name, threshold in settings["thresholds"].items():
        policies = {scheduler(order, settings["parameters"], threshold): order for order in settings["orders"]}
        bench.run("compare", *policies, "-p", "platform.xml", "--tau", str(settings["tau"]), "-o", "compare.csv",
                  "--threads", str(threads), "-w", *workloads)
        values += [{"threshold": name, "period": int(row["workload"]), "policy": policy, "value": row[column]}
                   for row in read_csv(str(bench.path("compare.csv"))) for column, policy in policies.items()]
    return values
