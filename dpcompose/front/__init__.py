"""Front: studies, how results read, and the command."""
