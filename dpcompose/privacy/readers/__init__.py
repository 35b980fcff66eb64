"""Readers: what the checked tables of problem files mean, one kind of table a file."""
