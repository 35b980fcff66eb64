"""Guarantees: notions with their parameters, formulas in distances, trade-off functions."""
