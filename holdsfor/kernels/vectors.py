"""The instructions that compiled kernels have in the place of the functions in `bytes64.py`.

Imported by whoever compiles a kernel; kernels from disk have them in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from holdsfor.kernels.bytes64 import count_bits, lowest_bit, mark_bytes

BYTE, WORD, BYTES = ir.IntType(8), ir.IntType(64), ir.VectorType(ir.IntType(8), 64)


@intrinsic
def _mark_bytes(_: Any, data: Any, at: Any, byte: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        start = context.make_array(signature.args[0])(context, builder, values[0]).data
        place = builder.bitcast(builder.gep(start, [values[1]]), BYTES.as_pointer())
        one = builder.insert_element(ir.Constant(BYTES, ir.Undefined), values[2], ir.Constant(ir.IntType(32), 0))
        same_in_each = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        wanted = builder.shuffle_vector(one, ir.Constant(BYTES, ir.Undefined), same_in_each)
        marks = builder.icmp_unsigned("==", builder.load(place, align=1), wanted)
        return builder.bitcast(marks, WORD)

    return types.uint64(data, types.uint64, types.uint8), generate


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
MARK_BYTES, COUNT_BITS, LOWEST_BIT = (cast(Any, each) for each in (_mark_bytes, _count_bits, _lowest_bit))


@overload(mark_bytes, inline="always", strict=False)
def _use_mark_bytes(data: Any, at: Any, byte: Any) -> Callable[..., Any]:
    return lambda data, at, byte: MARK_BYTES(data, at, byte)


@overload(count_bits, inline="always", strict=False)
def _use_count_bits(word: Any) -> Callable[..., Any]:
    return lambda word: COUNT_BITS(word)


@overload(lowest_bit, inline="always", strict=False)
def _use_lowest_bit(word: Any) -> Callable[..., Any]:
    return lambda word: LOWEST_BIT(word)
