"""Printers: what `documents` tell, as text, Markdown, HTML, LaTeX, JSON and SARIF."""
