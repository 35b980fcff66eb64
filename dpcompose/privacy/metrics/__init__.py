"""Privacy in metrics as problems state it: classes, metrics, mechanisms, claims."""
