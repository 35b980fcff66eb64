"""A second checker of saved results, written from theorems/certificates.md and the theorem pages alone.

It shares no code with the program: a result that both accept is believed for two reasons.  It is small, so
it says NOT READ where the program goes further; what that is stands in `verdicts.NOT_READ`.
"""
