"""Deciders: each is trusted by its name, which is reported by what uses it."""
