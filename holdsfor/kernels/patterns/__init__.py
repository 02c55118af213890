"""Relate spans that may overlap: pairs, absence, policies, sliding aggregates.

A relation between two spans is a range of one side, in the order of its starts or ends, and at most one bound on the
other end. Pairs are counted before they are made. Sums of sliding windows are exact.
"""
