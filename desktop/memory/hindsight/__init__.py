"""Hindsight: a failure that was seen before, and what worked then."""
