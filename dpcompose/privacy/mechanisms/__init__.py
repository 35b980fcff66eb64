"""Mechanisms: what they read, what they guarantee, their noise, their samples."""
