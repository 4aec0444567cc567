"""Players that play by themselves, over the public API."""
