"""The problem format: which tables and keys a file may hold, and mistakes in words."""
