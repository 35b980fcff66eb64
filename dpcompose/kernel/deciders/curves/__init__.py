"""Curves: the least δ at every ε of mechanisms composed, enclosed by rationals."""
