"""The theory in force: theorem pages, found by what they are about and as they are cited."""
