"""Calculus: functions of exp and log compared on boxes, by steps that are checked one by one."""
