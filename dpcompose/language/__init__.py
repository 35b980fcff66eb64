"""Language: formulas as users write them and as sympy has them, words for things, and sentences.

It may import the kernel.
"""
