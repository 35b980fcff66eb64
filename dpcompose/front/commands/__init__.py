"""The commands, one a file: its options, and what it prints."""
