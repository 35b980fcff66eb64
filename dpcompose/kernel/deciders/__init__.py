"""Deciders: procedures of the kernel that are trusted by name, each reported by what uses it."""
