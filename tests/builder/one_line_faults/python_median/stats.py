"""Figures of lists."""


def median(values):
    """The middle of the sorted values; of an even number the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle] + ordered[middle + 1]) / 2


def spread(values):
    """From the smallest to the largest."""
    return max(values) - min(values)
