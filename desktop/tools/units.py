"""Quantities: numbers with units, exact as long as nothing irrational is asked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from desktop.errors import UserFacing
from desktop.tools.reasons import ToolReason

Number = Fraction | float
# In mass, length and time, so that a kilowatt times an hour is a kilowatt hour.
DIMENSIONS: dict[str, dict[str, int]] = {
    "volume": {"length": 3},
    "area": {"length": 2},
    "speed": {"length": 1, "time": -1},
    "energy": {"mass": 1, "length": 2, "time": -2},
    "power": {"mass": 1, "length": 2, "time": -3},
    "pressure": {"mass": 1, "length": -1, "time": -2},
    "angle": {},
}
LARGEST_BITS = 4096


def wrong(code: ToolReason, **values: str | int) -> UserFacing:
    """What cannot be calculated; `code` is one of the sentences `calc-…`, `values` what it names."""
    return UserFacing(ToolReason.CALCULATOR.of(flaw=code.of(**values)))


@dataclass(frozen=True)
class Unit:
    """`factor` and `offset` lead to the base units; only temperatures have an offset."""

    name: str
    factor: Fraction
    dimension: tuple[tuple[str, int], ...]
    offset: Fraction = Fraction(0)


Units = tuple[tuple[Unit, int], ...]  # each with its power


@dataclass(frozen=True)
class Quantity:
    """`number` counts `units`; without units a plain number."""

    number: Number
    units: Units = ()

    @property
    def dimension(self) -> dict[str, int]:
        return dimension_of(self.units)

    @property
    def has_offset(self) -> bool:
        return any(unit.offset for unit, _ in self.units)

    def times(self, other: Quantity, power: int = 1) -> Quantity:
        """Product, or quotient for -1; units that cancel are gone."""
        _no_offset(self, other)
        if power < 0 and other.number == 0:
            raise wrong(ToolReason.CALC_BY_ZERO)
        number = self.number * other.number if power > 0 else self.number / other.number
        joined = (*self.units, *((unit, each * power) for unit, each in other.units))
        return _simplified(bounded(number), joined)

    def plus(self, other: Quantity, sign: int = 1) -> Quantity:
        _no_offset(self, other)
        return Quantity(bounded(self.number + sign * other.to(self.units).number), self.units)

    def to(self, units: Units) -> Quantity:
        """The amount in other units. Raises UserFacing when they measure something else."""
        if self.dimension != dimension_of(units):
            here, there = units_text(self.units) or "A plain number", units_text(units) or "no unit"
            raise wrong(ToolReason.CALC_OTHER_DIMENSION, here=here, there=there)
        if self.units == units:
            return self
        base = self.number * _factor(self.units) + _offset(self.units)
        return Quantity((base - _offset(units)) / _factor(units), units)


def bounded(number: Number) -> Number:
    """`number` itself. Raises UserFacing when it has become too large to work with."""
    if isinstance(number, float):
        if number != number or number in (float("inf"), float("-inf")):
            raise wrong(ToolReason.CALC_NO_NUMBER)
    elif max(number.numerator.bit_length(), number.denominator.bit_length()) > LARGEST_BITS:
        raise wrong(ToolReason.CALC_TOO_LARGE)
    return number


def dimension_of(units: Units) -> dict[str, int]:
    found: dict[str, int] = {}
    for unit, power in units:
        for name, each in unit.dimension:
            found[name] = found.get(name, 0) + each * power
    return {name: power for name, power in found.items() if power}


def units_text(units: Units) -> str:
    above = [_with_power(unit, power) for unit, power in units if power > 0]
    below = [_with_power(unit, -power) for unit, power in units if power < 0]
    return "·".join(above) + ("/" + "/".join(below) if below else "")


def _with_power(unit: Unit, power: int) -> str:
    return unit.name + ("" if power == 1 else {2: "²", 3: "³"}.get(power, f"^{power}"))


def _simplified(number: Number, units: Units) -> Quantity:
    """The same unit once, those of one dimension in the first one's unit, and none where all cancel."""
    joined: list[tuple[Unit, int]] = []
    for unit, power in units:
        place = next((i for i, (known, _) in enumerate(joined) if known.dimension == unit.dimension), None)
        if place is None:
            joined.append((unit, power))
            continue
        known, already = joined[place]
        number = number * (unit.factor / known.factor) ** power
        joined[place] = (known, already + power)
    left = tuple((unit, power) for unit, power in joined if power)
    if left and not dimension_of(left):
        return Quantity(number * _factor(left))
    return Quantity(number, left)


def _factor(units: Units) -> Fraction:
    product = Fraction(1)
    for unit, power in units:
        product *= unit.factor**power
    return product


def _offset(units: Units) -> Fraction:
    return units[0][0].offset if len(units) == 1 and units[0][1] == 1 else Fraction(0)


def _no_offset(*quantities: Quantity) -> None:
    if any(quantity.has_offset for quantity in quantities):
        raise wrong(ToolReason.CALC_TEMPERATURES)


@cache
def read_units(path: Path) -> Mapping[str, Unit]:
    """Every name of every unit of `resources/units.toml`."""
    known: dict[str, Unit] = {}
    for dimension, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        powers = tuple(DIMENSIONS.get(dimension, {dimension: 1}).items())
        for name, each in table.items():
            unit = Unit(name, Fraction(each["factor"]), powers, Fraction(each.get("offset", "0")))
            # German bends them behind "in": drei Meilen in Kilometern.
            bent = [f"{other}n" for other in each["names"] if other.endswith(("meter", "liter"))]
            known.update(dict.fromkeys((name, *each["names"], *bent), unit))
    return known
