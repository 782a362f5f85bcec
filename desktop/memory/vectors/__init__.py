"""Likeness of meaning: an embedding model run with numpy alone, and what it found of each item."""
