"""What mechanisms lose together at neighbours of a type, and mechanisms that lose as much."""
