"""The lines of derivations, one chapter a file: what is stated, distances, profile, worst loss, theorems."""
