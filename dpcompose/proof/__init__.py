"""Proof: the theory in force, hypotheses of its theorems, sensitivities, and counterexamples as values.

It may import all rooms but the search and the front.
"""
