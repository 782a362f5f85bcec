"""Units of measure: names, and factors to the base unit of their kind (International System, and the
international yard and pound of 1959)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

Number = Fraction | float

# kind, factor to its base unit, names; the first is how it is written.
_UNITS = (
    ("length", "1", "m meter meters metre metres"),
    ("length", "1000", "km kilometer kilometers kilometre kilometres"),
    ("length", "0.01", "cm centimeter centimeters zentimeter"),
    ("length", "0.001", "mm millimeter millimeters"),
    ("length", "1609.344", "miles mi mile meile meilen"),
    ("length", "0.9144", "yd yard yards"),
    ("length", "0.3048", "ft foot feet fuß"),
    ("length", "0.0254", "inches inch zoll"),
    ("mass", "1", "kg kilogram kilograms kilo kilos kilogramm"),
    ("mass", "0.001", "g gram grams gramm"),
    ("mass", "0.000001", "mg milligram milligrams"),
    ("mass", "1000", "t tonne tonnes tonnen"),
    ("mass", "0.45359237", "lb lbs pound pounds pfund"),
    ("mass", "0.028349523125", "oz ounce ounces unze unzen"),
    ("volume", "1", "l liter liters litre litres"),
    ("volume", "0.001", "ml milliliter milliliters"),
    ("volume", "3.785411784", "gal gallon gallons gallonen"),
    ("volume", "0.2365882365", "cups cup"),
    ("time", "1", "s sec second seconds sekunde sekunden"),
    ("time", "60", "min minute minutes minuten"),
    ("time", "3600", "h hour hours stunde stunden"),
    ("time", "86400", "days day tag tage tagen"),
    ("time", "604800", "weeks week woche wochen"),
    ("data", "1", "B byte bytes"),
    ("data", "1000", "kB"),
    ("data", "1000000", "MB megabyte megabytes"),
    ("data", "1000000000", "GB gigabyte gigabytes"),
    ("data", "1000000000000", "TB terabyte terabytes"),
    ("data", "1024", "KiB"),
    ("data", "1048576", "MiB"),
    ("data", "1073741824", "GiB"),
    ("speed", "1", "mps"),
    ("speed", "5/18", "kmh kph"),
    ("speed", "0.44704", "mph"),
)
_BY_NAME = {name.lower(): row for row in _UNITS for name in row[2].split()}
_EXACT = {name: row for row in _UNITS for name in row[2].split()}

# Degrees have a zero point of their own: to kelvin, from kelvin.
_DEGREES: dict[str, tuple[Callable[[Number], Number], Callable[[Number], Number]]] = {
    "°C": (lambda c: c + Fraction("273.15"), lambda k: k - Fraction("273.15")),
    "°F": (
        lambda f: (f - 32) * Fraction(5, 9) + Fraction("273.15"),
        lambda k: (k - Fraction("273.15")) * Fraction(9, 5) + 32,
    ),
    "K": (lambda k: k, lambda k: k),
}
_DEGREE_NAMES = {"°c": "°C", "c": "°C", "celsius": "°C", "°f": "°F", "f": "°F", "fahrenheit": "°F"} | {
    "k": "K",
    "kelvin": "K",
}


def is_unit(name: str) -> bool:
    return name.lower() in _BY_NAME or name.lower() in _DEGREE_NAMES


def unit_named(name: str) -> str:
    """How a unit is written, whatever it was called."""
    row = _EXACT.get(name) or _BY_NAME.get(name.lower())
    return row[2].split()[0] if row else _DEGREE_NAMES[name.lower()]


def convert(value: Number, unit: str, wanted: str) -> Number:
    """Raises ValueError when the two measure different things."""
    if unit in _DEGREES and wanted in _DEGREES:
        return _DEGREES[wanted][1](_DEGREES[unit][0](value))
    source, target = _EXACT.get(unit), _EXACT.get(wanted)
    if source is None or target is None or source[0] != target[0]:
        raise ValueError(f"{unit} cannot be converted to {wanted}")
    return value * Fraction(source[1]) / Fraction(target[1])
