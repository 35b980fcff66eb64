"""Studies in the user's hands: guarantees, claims, numbers, curves, budgets, saved files."""
