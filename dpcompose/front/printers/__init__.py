"""The tree as text, Markdown, HTML and LaTeX."""
