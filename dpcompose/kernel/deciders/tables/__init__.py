"""Tables of probabilities: what they lose and what they promise, exactly."""
