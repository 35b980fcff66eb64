"""Spaces: database classes, granularities, neighbourhood graphs, metrics, and the maps that are read."""
