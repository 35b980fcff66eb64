"""Pictures: graphs of neighbours, bars of budgets, curves."""
