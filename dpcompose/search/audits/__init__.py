"""Audits: theorem pages searched for counterexamples; nothing here is believed, and nothing rests on it."""
