"""Privacy in metrics: pairs of databases in letters, what is lost at them, and the check of what is saved."""
