"""What mechanisms read: maps, parts, restrictions, recodings, attributes; and queries of that."""
