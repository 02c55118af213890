"""Work on several things at a time, in threads: for what spends its time in kernels and in Arrow."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

import pyarrow as pa

Item = TypeVar("Item")
Made = TypeVar("Made")


def map_in_order(work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """Call a function with each item, and yield the results in order.

    At most one more item than there are threads is taken ahead. There are as many threads as Arrow may use: one in
    a worker of Spark, where each core has a worker of its own.
    """
    waiting = iter(items)
    first = list(islice(waiting, 2))
    threads = pa.cpu_count()
    if len(first) < 2 or threads == 1:
        yield from map(work, chain(first, waiting))
        return
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[Made]] = deque()
        for item in chain(first, waiting):
            ahead.append(pool.submit(work, item))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
