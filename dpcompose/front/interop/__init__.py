"""Other people's tools: what they say of mechanisms as studies, and guarantees as they say them."""
