"""Other tools: OpenDP measurements, dp-accounting events and deployment cards as studies, and back."""
