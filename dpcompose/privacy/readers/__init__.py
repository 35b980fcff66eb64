"""What the checked tables of problem files mean, one idea of them a file."""
