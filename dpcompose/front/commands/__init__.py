"""The commands of `dpcompose`, one a file: its options, and what it prints."""
