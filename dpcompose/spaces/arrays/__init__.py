"""Neighbourhood graphs as integer arrays: how edges are numbered, passes over them, searches, sizes."""
