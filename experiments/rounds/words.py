"""Policies of `easy` in words."""
from typing import Mapping, Sequence

ORDERS: Mapping[str, str] = {"fcfs": "first come, first served", "spf": "shortest first", "saf": "smallest area first"}


def in_words(parameters: Sequence[str]) -> str:
    """What `order`, `backfill-order` and `threshold` of `easy` mean; an order without words by its name."""
    given = dict(parameter.split("=", maxsplit=1) for parameter in parameters)
    first, second = (ORDERS.get(order, order) for order in (given["order"], given["backfill-order"]))
    limit = f" (threshold {int(given['threshold']):,} s)" if "threshold" in given else ""
    return f"{first}{limit} in both queues" if first == second else f"{first}{limit}, backfilling {second}"
