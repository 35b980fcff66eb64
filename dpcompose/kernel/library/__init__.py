"""Theorem pages: what their heads say, as data, and the folders and theories that they make."""
