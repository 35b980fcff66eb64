"""Privacy: guarantees, mechanisms, settings, the problem files that state them, and their core settings.

It may import the kernel, the language and the spaces; it proves nothing.
"""
