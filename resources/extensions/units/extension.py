"""Values in the units that the reader is used to, behind those that the model wrote."""

import re

NUMBER = r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
# The unit as it is written, what one of it is, and of what.
TO_METRIC = (
    (r"miles?|mi", 1.609344, "km"),
    (r"feet|foot|ft", 0.3048, "m"),
    (r"inch(?:es)?", 2.54, "cm"),
    (r"yards?|yd", 0.9144, "m"),
    (r"pounds?|lbs?", 0.45359237, "kg"),
    (r"ounces?|oz", 28.349523125, "g"),
    (r"(?:US )?gallons?", 3.785411784, "l"),
    (r"mph|miles per hour", 1.609344, "km/h"),
)
TO_IMPERIAL = (
    (r"kilometers?|kilometres?|km", 1 / 1.609344, "mi"),
    (r"meters?|metres?|m", 1 / 0.3048, "ft"),
    (r"centimeters?|centimetres?|cm", 1 / 2.54, "in"),
    (r"kilograms?|kg", 1 / 0.45359237, "lb"),
    (r"grams?|g", 1 / 28.349523125, "oz"),
    (r"liters?|litres?|l", 1 / 3.785411784, "gal"),
    (r"km/h", 1 / 1.609344, "mph"),
)
FAHRENHEIT = re.compile(
    NUMBER.replace(r"(?<![\w.,-])", r"(?<![\w.,])") + r"\s?(?:°\s?F|degrees Fahrenheit)\b"
)
CELSIUS = re.compile(NUMBER.replace(r"(?<![\w.,-])", r"(?<![\w.,])") + r"\s?(?:°\s?C|degrees Celsius)\b")


def on_plain_text(text, context):
    imperial = context.settings["imperial"]
    table = TO_IMPERIAL if imperial else TO_METRIC
    # The longest unit first: "miles per hour" is not "miles".
    units = sorted(table, key=lambda row: -len(row[0]))
    pattern = re.compile(NUMBER + r"\s?(?:" + "|".join(f"({unit})" for unit, _, _ in units) + r")\b(?!\s*\()")

    def with_value(found):
        number = float(found[1].replace(",", ""))
        which = next(place for place, said in enumerate(found.groups()[1:]) if said)
        _, factor, name = units[which]
        return f"{found[0]} ({written(number * factor)} {name})"

    text = pattern.sub(with_value, text)
    degrees = CELSIUS if imperial else FAHRENHEIT
    return degrees.sub(lambda found: with_degrees(found, imperial), text)


def with_degrees(found, imperial):
    number = float(found[1].replace(",", ""))
    other, sign = (number * 9 / 5 + 32, "°F") if imperial else ((number - 32) * 5 / 9, "°C")
    return f"{found[0]} ({written(other)} {sign})"


def written(value):
    """Three figures that count, and no more than anybody asked for."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}".removesuffix(".0") if abs(value) >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")
