"""Edits of saved results that make them wrong: the second checker has to reject each."""
