"""A second checker of saved results, written from theorems/certificates.md and the theorem pages alone.

It shares no code with the program: a result that both accept is believed for two reasons.  It reads the problem
file itself, and works out what it means (`settings` and the files of each class, `profiles`); it replays the steps
(`derivations`, `curve_steps`, `attained`), compares formulas (`comparisons`), and looks whether the verdicts are
what the steps conclude (`verdicts`).  It says NOT READ where the program goes further; `verdicts.NOT_READ` names
what that is.
"""
