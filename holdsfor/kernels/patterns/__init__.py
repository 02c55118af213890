"""Kernels over spans: pairs, absence, policies, sliding aggregates."""
