"""One file a predicate: `is = "record-wise partition"` on a page is record_wise_partition.py here.

A predicate is a function `check(inputs, …)` that names the letters it needs (maps, granularity,
value, bound) and returns evidence, and `WORDS`, the hypothesis in words.  To add one, add a file.
"""
