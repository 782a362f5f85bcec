"""A whole profile in one file, and back."""
