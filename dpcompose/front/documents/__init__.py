"""What readers are told, as a tree: lines of a derivation, sentences, examples, verdicts, limits."""
