"""Yes or no for each term of the dictionary, worked out for those that are asked for, once in an evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from holdsfor.engine.data.dictionary import Ints
from holdsfor.kernels.rows.moving import look_up_answers

Mask = npt.NDArray[np.bool_]
UNKNOWN, YES, NO = 0, 1, 2


class Answers:
    """A table by code. It is left alone where answers are refused once: then each row is asked for itself."""

    __slots__ = ("_refused", "_table")

    def __init__(self) -> None:
        self._table = np.zeros(0, np.int8)
        self._refused = False

    def of(self, codes: Ints, terms: int, answer: Callable[[Ints], Mask | None]) -> Mask | None:
        """For each code. terms: in the dictionary. answer: for different codes; None: it refuses."""
        if self._refused:
            return None
        if len(self._table) < terms:
            self._table = np.concatenate([self._table, np.zeros(terms - len(self._table), np.int8)])
        mask, unknown = look_up_answers(self._table, codes, YES, UNKNOWN)
        if unknown:
            wanted = np.zeros(terms, np.bool_)
            wanted[codes] = True
            fresh = np.flatnonzero(wanted & (self._table[:terms] == UNKNOWN))
            answers = answer(fresh)
            if answers is None:
                self._refused = True
                return None
            self._table[fresh] = np.where(answers, YES, NO)
            mask, _ = look_up_answers(self._table, codes, YES, UNKNOWN)
        return mask
