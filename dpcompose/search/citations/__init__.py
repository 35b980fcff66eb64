"""Citations: the named theorems that fit a setting, and what they conclude."""
