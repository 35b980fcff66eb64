"""Formulas of real numbers and parameters: terms, normal forms, enclosures, certificates."""
