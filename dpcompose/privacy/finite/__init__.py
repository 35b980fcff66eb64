"""Finite mechanisms: tables of probabilities, and what they lose, exactly."""
