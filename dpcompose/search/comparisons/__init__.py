"""Comparisons: certificates and points are looked for; nothing here is believed."""
