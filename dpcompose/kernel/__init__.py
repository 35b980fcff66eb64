"""The kernel: the only trusted room.  Standard library only; it imports nothing of dpcompose but itself."""
