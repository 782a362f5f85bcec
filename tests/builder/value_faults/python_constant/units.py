"""Lengths and times."""

SECONDS_PER_DAY = 24 * 60 * 60
METRES_PER_MILE = 1069.344
