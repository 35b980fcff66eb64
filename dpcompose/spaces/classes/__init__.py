"""Classes of databases: each says how it is read, written, shown, listed, and what its cells are."""
