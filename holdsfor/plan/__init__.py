"""From a checked description to a plan of operators."""

from holdsfor.plan.operators import Plan
from holdsfor.plan.optimise import plan

__all__ = ["Plan", "plan"]
