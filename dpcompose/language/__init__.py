"""Language: parameters as symbols, formulas as text and sympy, normal forms."""
