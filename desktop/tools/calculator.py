"""A calculator with a real parser: arithmetic, functions, percentages, units and dates.

    sum      = product (("+" | "-") product)*
    product  = power (("*" | "/" | "//" | "per" | "of" | "%") power)*
    power    = sign ("**" | "^") power | sign
    sign     = ("-" | "+")+ power | percent
    percent  = atom "%"?
    atom     = number unit? | date | name | function "(" sum ("," sum)* ")" | "(" sum ")"

`%` is the remainder where a value follows, else a percentage: `7 % 3` is 1, `50% - 10` is -9.5. A whole
expression may end in `in UNIT` or `to UNIT`. Numbers are fractions, so that 0.1 + 0.2 is 0.3. Nothing
here evaluates Python, and sizes are bounded, so that every expression is answered at once.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from desktop.tools.reasons import ToolReason
from desktop.tools.tool import ToolHint, ToolResult
from desktop.tools.units import LARGEST_BITS, Number, Quantity, Unit, Units, bounded, units_text, wrong

# Bounds for whatever a model writes: each expression is answered at once.
LONGEST = 500
DEEPEST = 40
DIGITS = 12
Value = Quantity | date

TOKEN = re.compile(
    r"\s*(?:(?P<date>\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4})"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3}(?!\w))?|\.\d+)"
    # Letters of any language: units are kilómetros, kilomètres and Füße.
    r"|(?P<name>(?:[^\W\d_]|°)+)|(?P<sign>\*\*|//|[-+*/^%(),]))"
)
# Only whole groups of three: 1,5 is one and a half in half of Europe, and is refused.
THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
# As people write sums on a phone, and as models copy them.
SPELLED = {"×": "*", "÷": "/", "−": "-", "·": "*", "²": "^2", "³": "^3", ":": "/", "=": "", "?": ""}
TARGETS = ("in", "to", "as", "into")
CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau}
TODAY = {"today": 0, "tomorrow": 1, "yesterday": -1, "heute": 0, "morgen": 1, "gestern": -1}
FLOAT_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log10,
    "log10": math.log10,
    "lb": math.log2,
}


# A sign between two numbers; a lone number is said in many requests that are no sum.
CALCULATOR_HINT = ToolHint(
    r"\d\s*[-+*/%^×÷]\s*\(?\d|\)\s*[-+*/^]|\b(calculate|compute|convert|berechne|rechne|umrechnen)"
    r"\b|\d.*\b(percent|divided|times|plus|minus|squared|mal|geteilt|durch|prozent|hoch|wurzel)"
    r"\b|\d\s*% (of|von)\b|\d\s*[a-z°]+ (in|to|into) [a-z°]+",
)


@dataclass(frozen=True)
class Token:
    kind: str  # date, number, name, sign, end
    text: str


class Calculator:
    """Pure but for the date; any thread."""

    def __init__(self, units: Mapping[str, Unit], today: Callable[[], date] = date.today) -> None:
        self._units = units
        self._today = today

    def calculator(self, expression: str) -> ToolResult:
        """Calculate: arithmetic, functions, percentages, units ("5 km in miles") and dates."""
        return ToolResult(shown(self.value(expression)))

    def value(self, expression: str) -> Value:
        """Raises UserFacing `calculator` with what is wrong."""
        try:
            # The date is read once, so that one expression never spans midnight.
            return _Parser(_tokens(expression), self._units, self._today()).whole()
        except OverflowError as error:
            raise wrong(ToolReason.CALC_TOO_LARGE) from error
        except ZeroDivisionError as error:
            raise wrong(ToolReason.CALC_BY_ZERO) from error


def _tokens(expression: str) -> list[Token]:
    if len(expression) > LONGEST:
        raise wrong(ToolReason.CALC_TOO_LONG, limit=LONGEST)
    text = "".join(SPELLED.get(character, character) for character in expression)
    if "(" not in text:  # between brackets a comma parts arguments
        text = THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)
    found, place = [], 0
    while text[place:].strip():
        match = TOKEN.match(text, place)
        if match is None:
            raise wrong(ToolReason.CALC_MEANINGLESS, text=repr(text[place:].strip()[0]))
        found.append(Token(str(match.lastgroup), match[str(match.lastgroup)]))
        place = match.end()
    return [*found, Token("end", "")]


class _Parser:
    """Goes through the tokens once. One expression, one parser."""

    def __init__(self, tokens: list[Token], units: Mapping[str, Unit], today: date) -> None:
        self._tokens = tokens
        self._units = units
        self._today = today
        self._place = 0
        self._depth = 0

    def whole(self) -> Value:
        # First: "days" would begin a quantity, too.
        value = self._until() or self._sum()
        if self._next.text in TARGETS and self._next.kind == "name":
            self._take()
            value = _quantity(value).to(self._target())
        if self._next.kind != "end":
            raise wrong(ToolReason.CALC_UNEXPECTED, text=repr(self._next.text))
        return value

    # -- the grammar --------------------------------------------------------------------------

    def _sum(self) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise wrong(ToolReason.CALC_BRACKETS_TOO_DEEP)
        left, left_is_percent = self._product()
        while self._next.text in ("+", "-"):
            sign = 1 if self._take().text == "+" else -1
            right, is_percent = self._product()
            if is_percent and not left_is_percent:  # 50 + 10% is 55
                share = Quantity(1 + sign * _quantity(right).number)
                left = _quantity(left).times(share)
            else:
                left = _added(left, right, sign)
        self._depth -= 1
        return left

    def _product(self) -> tuple[Value, bool]:
        left, is_percent = self._power()
        while self._next.text in ("*", "/", "//", "%", "per", "of"):
            sign = self._take().text
            right, _ = self._power()
            left, is_percent = (
                _multiplied(_quantity(left), sign, _quantity(right)),
                False,
            )
        return left, is_percent

    def _power(self) -> tuple[Value, bool]:
        base, is_percent = self._sign()
        # From the right, as in mathematics: 2^3^2 is 2^9.
        if self._next.text not in ("**", "^"):
            return base, is_percent
        self._take()
        self._depth += 1
        if self._depth > DEEPEST:
            raise wrong(ToolReason.CALC_POWERS_TOO_DEEP)
        exponent, _ = self._power()
        self._depth -= 1
        return _raised(_quantity(base), _quantity(exponent)), False

    def _sign(self) -> tuple[Value, bool]:
        negative = False
        while self._next.text in ("-", "+") and self._next.kind == "sign":
            negative ^= self._take().text == "-"
        if not negative:
            return self._percent()
        # -2**2 is -4, as in mathematics.
        value, is_percent = self._power()
        quantity = _quantity(value)
        return Quantity(-quantity.number, quantity.units), is_percent

    def _percent(self) -> tuple[Value, bool]:
        value = self._atom()
        if self._next.text != "%" or self._begins_value(self._place + 1):
            return value, False
        self._take()
        return _quantity(value).times(Quantity(Fraction(1, 100))), True

    def _atom(self) -> Value:
        token = self._take()
        if token.kind == "number":
            return self._with_unit(Fraction(token.text))
        if token.kind == "date":
            return _date(token.text)
        if token.text == "(":
            value = self._sum()
            self._expect(")")
            return value
        if token.kind == "name":
            return self._named(token.text)
        if token.kind == "end":
            raise wrong(ToolReason.CALC_ENDS_EARLY)
        raise wrong(ToolReason.CALC_UNEXPECTED, text=repr(token.text))

    def _with_unit(self, number: Fraction) -> Value:
        if self._is_unit(self._place):
            unit, power = self._unit()
            return Quantity(number, ((unit, power),))
        # 2pi is written as a number with a unit is.
        if self._next.text in CONSTANTS:
            return Quantity(bounded(float(number) * CONSTANTS[self._take().text]))
        return Quantity(number)

    def _named(self, name: str) -> Value:
        if self._next.text == "(":
            return self._function(name.lower())
        if name.lower() in TODAY:
            return self._today + timedelta(days=TODAY[name.lower()])
        if name in CONSTANTS:
            return Quantity(CONSTANTS[name])
        # Not taken for a name after all: a unit alone counts once.
        self._place -= 1
        if self._is_unit(self._place):
            unit, power = self._unit()
            return Quantity(Fraction(1), ((unit, power),))
        raise wrong(ToolReason.CALC_UNKNOWN_NAME, name=repr(name))

    def _function(self, name: str) -> Value:
        self._expect("(")
        arguments = [self._sum()]
        while self._next.text == ",":
            self._take()
            arguments.append(self._sum())
        self._expect(")")
        return _called(name, arguments)

    def _until(self) -> Value | None:
        """`days until DATE`, `weeks since DATE`, `days between DATE and DATE`."""
        words = [token.text.lower() for token in self._tokens[:2]]
        if len(words) < 2 or words[1] not in ("until", "till", "since", "between", "bis", "seit"):
            return None
        unit, _ = self._unit()
        self._take()
        first: Value = self._sum()
        if words[1] == "between":
            if self._take().text not in ("and", "und"):
                raise wrong(ToolReason.CALC_WHICH_DATES)
            last: Value = self._sum()
        elif words[1] in ("since", "seit"):
            last = self._today
        else:
            first, last = self._today, first
        return _quantity(_added(last, first, -1)).to(((unit, 1),))

    # -- units --------------------------------------------------------------------------------

    def _target(self) -> Units:
        units = [self._unit()]
        while self._next.text in ("/", "per", "*"):
            sign = -1 if self._take().text in ("/", "per") else 1
            unit, power = self._unit()
            units.append((unit, sign * power))
        return tuple(units)

    def _unit(self) -> tuple[Unit, int]:
        name = self._take().text
        unit = self._units["inch"] if name == "in" else self._units.get(name) or self._units.get(name.lower())
        if unit is None:
            raise wrong(ToolReason.CALC_UNKNOWN_UNIT, name=repr(name))
        power = 1
        if self._next.text in ("^", "**") and self._tokens[self._place + 1].text.isdigit():
            self._take()
            # Nothing is measured in higher powers, and a larger one would only make numbers huge.
            power = min(int(self._take().text), 9)
        return unit, power

    def _is_unit(self, place: int) -> bool:
        token = self._tokens[place]
        if token.kind != "name" or token.text in TARGETS[1:]:
            return False
        if token.text == "in":  # an inch, unless a unit to convert to follows
            return not self._begins_value(place + 1) or self._tokens[place + 1].text in TARGETS
        return token.text in self._units or token.text.lower() in self._units

    def _begins_value(self, place: int) -> bool:
        token = self._tokens[min(place, len(self._tokens) - 1)]
        if token.kind == "name":
            return token.text not in ("of", "per", *TARGETS)
        return token.kind in ("number", "date") or token.text == "("

    # -- tokens -------------------------------------------------------------------------------

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        token = self._tokens[self._place]
        self._place = min(self._place + 1, len(self._tokens) - 1)
        return token

    def _expect(self, text: str) -> None:
        if self._take().text != text:
            raise wrong(ToolReason.CALC_MISSING, text=repr(text))


# -- arithmetic -------------------------------------------------------------------------------


def _quantity(value: Value) -> Quantity:
    if isinstance(value, date):
        raise wrong(ToolReason.CALC_DATE_NO_QUANTITY)
    return value


def _added(left: Value, right: Value, sign: int) -> Value:
    if isinstance(left, date) and isinstance(right, date):
        if sign > 0:
            # Two dates can be told apart, and not added.
            raise wrong(ToolReason.CALC_TWO_DATES)
        return _days(left - right)
    if isinstance(left, date):
        return _shifted(left, _quantity(right), sign)
    if isinstance(right, date):
        if sign < 0:
            raise wrong(ToolReason.CALC_DATE_FROM_NUMBER)
        return _shifted(right, left, 1)
    return left.plus(right, sign)


def _days(difference: timedelta) -> Quantity:
    day = Unit("days", Fraction(86400), (("time", 1),))
    return Quantity(Fraction(difference.days), ((day, 1),))


def _shifted(start: date, by: Quantity, sign: int) -> date:
    """A month later is the same day of the next month, or its last day."""
    name = units_text(by.units)
    if by.dimension != {"time": 1}:
        raise wrong(ToolReason.CALC_ONLY_TIME)
    # Neither has a fixed number of days.
    if name in ("months", "years"):
        count = by.number * (12 if name == "years" else 1)
        if count != int(count):
            raise wrong(ToolReason.CALC_WHOLE_MONTHS)
        return _months_later(start, sign * int(count))
    day = Unit("days", Fraction(86400), (("time", 1),))
    try:
        return start + sign * timedelta(days=math.floor(by.to(((day, 1),)).number))
    except OverflowError as error:
        raise wrong(ToolReason.CALC_DATE_TOO_FAR) from error


def _months_later(start: date, months: int) -> date:
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise wrong(ToolReason.CALC_DATE_TOO_FAR)
    return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def _multiplied(left: Quantity, sign: str, right: Quantity) -> Quantity:
    if sign in ("*", "of"):
        return left.times(right)
    if sign in ("/", "per"):
        return left.times(right, -1)
    if right.number == 0:
        raise wrong(ToolReason.CALC_BY_ZERO)
    divisor = right.to(left.units)
    if sign == "//":
        return Quantity(Fraction(left.number // divisor.number))
    return Quantity(left.number % divisor.number, left.units)


def _raised(base: Quantity, exponent: Quantity) -> Quantity:
    power = exponent.number
    if exponent.units or base.has_offset:
        raise wrong(ToolReason.CALC_EXPONENT)
    if base.number == 0 and power < 0:
        raise wrong(ToolReason.CALC_BY_ZERO)
    if power != int(power):
        if base.units:
            raise wrong(ToolReason.CALC_UNIT_POWER)
        return Quantity(_real(float(base.number), float(power)))
    whole = int(power)
    units = tuple((unit, each * whole) for unit, each in base.units)
    if isinstance(base.number, float):
        return Quantity(_real(base.number, whole), units)
    bits = max(base.number.numerator.bit_length(), base.number.denominator.bit_length())
    # Asked before it is computed: 9^9^9 would fill memory first.
    if bits > 1 and bits * abs(whole) > LARGEST_BITS:
        raise wrong(ToolReason.CALC_TOO_LARGE)
    return Quantity(
        base.number**whole if abs(whole) <= LARGEST_BITS else _unit_power(base.number, whole), units
    )


def _unit_power(number: Fraction, power: int) -> Fraction:
    """The power of 0, 1 and -1, which no exponent makes larger."""
    return number if number >= 0 or power % 2 else -number


def _real(base: float, power: float) -> float:
    try:
        result = base**power
    except OverflowError as error:
        raise wrong(ToolReason.CALC_TOO_LARGE) from error
    # The square root of -1, of which nobody wants to hear in a sum.
    if isinstance(result, complex):
        raise wrong(ToolReason.CALC_NO_REAL_ROOT_OF_KIND)
    return float(bounded(result))


def _called(name: str, arguments: list[Value]) -> Value:
    if name == "weekday" and isinstance(arguments[0], date):
        return arguments[0]  # a date is shown with its weekday
    quantities = [_quantity(each) for each in arguments]
    if name in ("min", "max"):
        choose = min if name == "min" else max
        return choose(quantities, key=lambda each: each.to(quantities[0].units).number)
    first = quantities[0]
    if name == "round" and len(quantities) == 2:
        return Quantity(Fraction(round(Fraction(first.number), int(quantities[1].number))), first.units)
    if len(quantities) != 1:
        raise wrong(ToolReason.CALC_ONE_ARGUMENT, name=name)
    if name in ("abs", "round", "floor", "ceil"):
        return Quantity(_rounded(name, first.number), first.units)
    return Quantity(_function_of(name, first))


def _rounded(name: str, number: Number) -> Number:
    functions: dict[str, Callable[[Number], Number]] = {
        "abs": lambda it: it if it >= 0 else -it,
        "round": lambda it: Fraction(math.floor(it + Fraction(1, 2))),  # a half goes up, as people expect
        "floor": lambda it: Fraction(math.floor(it)),
        "ceil": lambda it: Fraction(math.ceil(it)),
    }
    return functions[name](number)


def _function_of(name: str, value: Quantity) -> Number:
    plain = value.to(()).number if not value.dimension else value.number
    if value.dimension:
        raise wrong(ToolReason.CALC_PLAIN_NUMBER, name=name)
    if name == "sqrt":
        return _root(plain)
    if name == "factorial":
        if plain != int(plain) or not 0 <= plain <= 400:
            raise wrong(ToolReason.CALC_FACTORIAL)
        return Fraction(math.factorial(int(plain)))
    if name not in FLOAT_FUNCTIONS:
        raise wrong(ToolReason.CALC_UNKNOWN_FUNCTION, name=name)
    try:
        return bounded(FLOAT_FUNCTIONS[name](float(plain)))
    except (ValueError, OverflowError) as error:
        raise wrong(ToolReason.CALC_NO_VALUE, name=name) from error


def _root(number: Number) -> Number:
    if number < 0:
        raise wrong(ToolReason.CALC_NO_REAL_ROOT)
    if isinstance(number, Fraction):
        above, below = math.isqrt(number.numerator), math.isqrt(number.denominator)
        if Fraction(above * above, below * below) == number:
            return Fraction(above, below)
    return math.sqrt(number)


def _date(text: str) -> date:
    try:
        if "-" in text:
            return date.fromisoformat(text)
        day, month, year = map(int, text.split("."))
        return date(year, month, day)
    except ValueError as error:
        raise wrong(ToolReason.CALC_NO_DAY, text=text) from error


def shown(value: Value) -> str:
    """For people: whole numbers in full, others with at most `DIGITS` digits, the unit behind."""
    if isinstance(value, date):
        return f"{value.isoformat()} ({calendar.day_name[value.weekday()]})"
    unit = units_text(value.units)
    return number_text(value.number) + (f" {unit}" if unit else "")


def number_text(number: Number) -> str:
    if isinstance(number, Fraction) and number.denominator == 1:
        text = str(number.numerator)
        return text if len(text) <= 40 else _scientific(number)
    if isinstance(number, Fraction) and max(abs(number.numerator), number.denominator).bit_length() > 900:
        return _scientific(number)
    return f"{float(number):.{DIGITS}g}"


def _scientific(number: Fraction) -> str:
    """The number in scientific notation, also where a float would be too small."""
    shift = LARGEST_BITS // 3  # more digits than any number here has
    digits = str(abs(number.numerator) * 10**shift // number.denominator)
    exponent = len(digits) - 1 - shift
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[0]}.{digits[1:DIGITS]}e{exponent:+d}"


SMALL = 0.01  # below it four digits after the point say too little


def rounded(text: str) -> str:
    """A result with at most four digits after the point, as people say it; very small ones keep theirs."""
    number = re.match(r"-?\d+\.\d{5,}(?![\de])", text)
    if number is None or abs(float(number[0])) < SMALL:
        return text
    short = f"{float(number[0]):.4f}".rstrip("0").rstrip(".")
    return f"{short}{text[number.end() :]}"
