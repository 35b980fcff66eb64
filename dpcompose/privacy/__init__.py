"""Privacy: guarantees, mechanisms, settings, and the problem files that state them."""
