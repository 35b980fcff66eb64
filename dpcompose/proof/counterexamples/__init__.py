"""Counterexamples: two databases, values, and what each mechanism does there."""
