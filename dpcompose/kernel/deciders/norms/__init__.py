"""Norms and sums of squares in comparisons, as letters with what is known of them."""
