"""Choices: which guarantee of each mechanism is used, where it has several."""
