"""From a checked description to a plan of operators."""

from holdsfor.plan.compile import plan
from holdsfor.plan.operators import Plan

__all__ = ["Plan", "plan"]
