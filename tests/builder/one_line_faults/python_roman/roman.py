VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def number_of(numeral):
    """What a Roman numeral stands for: a smaller sign before a larger one is taken away."""
    total = 0
    for sign, following in zip(numeral, numeral[1:]):
        value = VALUES[sign]
        total += -value if value < VALUES[following] else value
    return total
