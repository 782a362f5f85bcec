"""Builds and tests on a faster machine: what may go there, how it gets there, and what comes back."""
