"""Refutations of claims: at which points, by witnesses, by curves, by some mechanisms; and plainer ones."""
