"""Counters that remember where they are."""


def counter(start=0, step=1):
    """A function that gives the next number each time: start first, then start + step."""
    value = start

    def following():
        nonlocal value
        value += step
        return value

    return following


even = counter(0, 2)
