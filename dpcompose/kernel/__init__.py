"""Kernel: the only room that has to be trusted, as what is believed here decides what is called proved.

It uses Python's standard library, and imports nothing of dpcompose but itself; so it can be read, and run,
by itself.  What it has to know of the other rooms is passed in.
"""
