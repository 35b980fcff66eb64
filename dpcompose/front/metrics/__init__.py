"""Privacy in metrics in the hands of a user: a study, and how it is shown."""
