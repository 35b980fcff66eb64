"""Families: comparisons over any number of members, by one that stands for all."""
