"""Conversions: ways from notion to notion, and claims that are decided in another one."""
