"""Claims in metrics: the cases and points that decide them, verdicts on them, and sensitivities."""
