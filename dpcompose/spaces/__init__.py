"""Spaces: classes of databases, granularities, canonical metrics, and the maps and queries that are read.

It may import the kernel and the language, and knows nothing of privacy.
"""
