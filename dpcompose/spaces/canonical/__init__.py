"""Canonical metrics: by formula, by a graph of all databases, in coordinates, and as expressions."""
