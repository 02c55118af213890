"""Vector instructions that replace the functions in `bytes64.py` in compiled kernels.

Needed only where a kernel is compiled; kernels from disk contain them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from holdsfor.kernels.text.bytes64 import count_bits, lowest_bit

WORD = ir.IntType(64)


@intrinsic
def _count_bits(_: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.uint64(types.uint64), generate


@intrinsic
def _lowest_bit(_: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


#: Intrinsics as kernels call them: without the context.
COUNT_BITS, LOWEST_BIT = (cast(Any, each) for each in (_count_bits, _lowest_bit))


@overload(count_bits, inline="always", strict=False)
def _use_count_bits(word: Any) -> Callable[..., Any]:
    return lambda word: COUNT_BITS(word)


@overload(lowest_bit, inline="always", strict=False)
def _use_lowest_bit(word: Any) -> Callable[..., Any]:
    return lambda word: LOWEST_BIT(word)
