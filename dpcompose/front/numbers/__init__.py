"""Numbers that users ask for: guarantees at values, budgets, totals, curves."""
