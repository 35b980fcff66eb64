"""Search: finds certificates, derivations and verdicts; nothing it says is believed unchecked.

It may import all rooms but the front, and makes theorems by the rules of the kernel only.
"""
