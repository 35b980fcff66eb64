"""Proof: theorem pages, the kernel, hypotheses, derivation steps, certificates and the checker."""
