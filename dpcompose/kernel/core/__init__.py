"""Core settings: classes, neighbours, mechanisms, relations of parameters, and how these are read."""
