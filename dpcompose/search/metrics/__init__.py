"""Privacy in metrics: verdicts on claims, and sensitivities."""
