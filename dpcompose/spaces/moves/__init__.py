"""Granularities: which databases are neighbours, by edits, blocks, policies, lists, and made of others."""
