"""Arithmetic, units and dates, by a parser of its own: nothing that is written here is ever executed.

    expression  = quantity [("in" | "to") unit]
    sum         = product {("+" | "-") product}
    product     = power {("*" | "/" | "//" | "%" | "mod" | "of") power}
    power       = sign atom ["!"] ["%"] [("**" | "^") power]
    atom        = number | date | constant | function "(" sum {"," sum} ")" | "(" sum ")"

Numbers are fractions as long as they can be, so that 0.1 + 0.2 is 0.3.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.tools.tool import Tool, tool
from desktop.tools.units import convert, is_unit, unit_named

LONGEST = 500  # characters
DEEPEST = 40  # parentheses in each other
DIGITS = 12  # of a result that is no whole number
LARGEST_BITS = 20_000  # of a whole number: 6,000 digits
WHOLE_DIGITS = 40  # a longer whole number is written with an exponent

Number = Fraction | float
Value = Number | date | timedelta

_TOKEN = re.compile(
    r"\s*(?:(?P<date>\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4})|(?P<number>(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[^\W\d_][\w°²³]*|°[CF]|[€$£])|(?P<sign>\*\*|//|[-+*/%^(),!×÷·−√²³]))"
)
_SAME = {"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"}
_DAYS = {"day": 1, "days": 1, "tag": 1, "tage": 1, "tagen": 1, "week": 7, "weeks": 7, "woche": 7, "wochen": 7}


def calculator_tool(today: Callable[[], date] = date.today) -> Tool:
    def calculator(expression: str) -> str:
        """Compute: arithmetic, functions, percent, units ("5 km in miles"), dates.

        expression: for example "17 * 23", "15% of 80", "2026-12-24 - today"
        """
        return calculate(expression, today())

    return tool(calculator, Effect.READ)


def calculate(expression: str, today: date | None = None) -> str:
    """The result as a person would write it. Raises UserFacing that says what was not understood."""
    if len(expression) > LONGEST:
        raise _refused("it is longer than 500 characters")
    parser = _Parser(_tokens(expression), today or date.today())
    try:
        return parser.result()
    except ZeroDivisionError as error:
        raise _refused("it divides by zero") from error
    except OverflowError as error:
        raise _refused("the result is too large") from error
    except (ValueError, TypeError) as error:
        raise _refused(str(error)) from error


@dataclass(frozen=True)
class _Token:
    kind: str  # date, number, word, sign
    text: str


def _tokens(expression: str) -> list[_Token]:
    text = expression.strip().rstrip("=?").strip()
    if re.fullmatch(r"[\d.,\s]+,\d{1,2}", text) is None:
        text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)  # 1,250 is one number
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise _refused(f"{text[at : at + 10]!r} is not understood")
        written = match[match.lastgroup]
        found.append(_Token(match.lastgroup, _SAME.get(written, written)))
        at = match.end()
    return found


class _Parser:
    """Descends once over the tokens; depth and sizes are bounded."""

    def __init__(self, tokens: list[_Token], today: date) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._today = today

    def result(self) -> str:
        value = self._sum()
        unit = self._unit()
        wanted = ""
        if self._take_word("in", "to", "as", "nach"):
            wanted = self._unit() or ""
            if not wanted:
                raise ValueError("the unit to convert to is not known")
        if self._at < len(self._tokens):
            raise ValueError(f"{self._tokens[self._at].text!r} is not understood here")
        return self._shown(value, unit or "", wanted)

    def _shown(self, value: Value, unit: str, wanted: str) -> str:
        if wanted:
            if not isinstance(value, Fraction | float) or not unit:
                raise ValueError("there is no unit to convert from")
            return f"{shown(convert(value, unit, wanted))} {wanted}"
        if isinstance(value, date):
            return f"{value.isoformat()} ({value:%A})"
        if isinstance(value, timedelta):
            return f"{value.days} days"
        return f"{shown(value)} {unit}".strip()

    def _sum(self) -> Value:
        value = self._product()
        while sign := self._take_sign("+", "-"):
            value = _added(value, self._product(), 1 if sign == "+" else -1)
        return value

    def _product(self) -> Value:
        value = self._power()
        while True:
            sign = self._take_sign("*", "/", "//", "%") or self._take_word("of", "von", "mod", "times", "x")
            if not sign:
                return value
            value = _multiplied(_number(value), _number(self._power()), sign)

    def _power(self) -> Value:
        if sign := self._take_sign("+", "-"):
            signed = _number(self._power())
            return -signed if sign == "-" else signed
        value = self._after(self._atom())
        if self._take_sign("**"):
            return _raised(_number(value), _number(self._power()))
        return value

    def _after(self, value: Value) -> Value:
        while True:
            if self._take_sign("!"):
                value = _factorial(_number(value))
            elif sign := self._take_sign("²", "³"):
                value = _raised(_number(value), Fraction(2 if sign == "²" else 3))
            elif self._is_percent():
                self._at += 1
                value = _number(value) / 100
            elif days := self._days_of(value):
                value = days
            else:
                return value

    def _is_percent(self) -> bool:
        """A percent sign, where nothing follows that could be divided by."""
        if not self._next_is("%"):
            return False
        after = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
        return after is None or after.text in ("of", "von", ")", "+", "-", "*", "/", ",")

    def _days_of(self, value: Value) -> timedelta | None:
        token = self._peek()
        if token is None or token.kind != "word" or token.text.lower() not in _DAYS:
            return None
        dated = any(each.kind == "date" or each.text.lower() in _TODAY for each in self._tokens)
        if not dated or not isinstance(value, Fraction):
            return None
        self._at += 1
        return timedelta(days=int(value) * _DAYS[token.text.lower()])

    def _atom(self) -> Value:
        token = self._peek()
        if token is None:
            raise ValueError("it ends too early")
        self._at += 1
        if token.kind == "number":
            return _literal(token.text)
        if token.kind == "date":
            return _date(token.text)
        if token.text == "(":
            return self._inside()
        if token.text == "√":
            return _root(_number(self._atom()))
        if token.kind == "word":
            return self._named(token.text.lower())
        raise ValueError(f"{token.text!r} is not understood here")

    def _inside(self) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        value = self._sum()
        if not self._take_sign(")"):
            raise ValueError("a closing parenthesis is missing")
        self._depth -= 1
        return value

    def _named(self, name: str) -> Value:
        if name in _TODAY:
            return self._today + timedelta(days=_TODAY[name])
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in _FUNCTIONS and self._take_sign("("):
            values = [_number(self._inside_list())]
            while self._take_sign(","):
                values.append(_number(self._inside_list()))
            if not self._take_sign(")"):
                raise ValueError("a closing parenthesis is missing")
            return _FUNCTIONS[name](*values)
        raise ValueError(f"{name!r} is not known")

    def _inside_list(self) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        value = self._sum()
        self._depth -= 1
        return value

    def _unit(self) -> str | None:
        token = self._peek()
        if token is None or token.kind != "word" or not is_unit(token.text):
            return None
        self._at += 1
        return unit_named(token.text)

    def _peek(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next_is(self, text: str) -> bool:
        token = self._peek()
        return token is not None and token.text == text

    def _take_sign(self, *signs: str) -> str:
        token = self._peek()
        if token is None or token.kind != "sign" or token.text not in signs:
            return ""
        self._at += 1
        return token.text

    def _take_word(self, *words: str) -> str:
        token = self._peek()
        if token is None or token.kind != "word" or token.text.lower() not in words:
            return ""
        self._at += 1
        return token.text.lower()


_TODAY = {"today": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "yesterday": -1, "gestern": -1}
_CONSTANTS: dict[str, Number] = {"pi": math.pi, "π": math.pi, "e": math.e, "tau": math.tau}


def shown(value: Number) -> str:
    """A number as a person would write it."""
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError
    if value == int(value) and len(str(abs(int(value)))) <= WHOLE_DIGITS:
        return str(int(value))
    return f"{float(value):.{DIGITS}g}"


def _literal(text: str) -> Fraction:
    mantissa, _, exponent = text.lower().replace("_", "").partition("e")
    if exponent and abs(int(exponent)) > 300:
        raise OverflowError
    return Fraction(mantissa.rstrip(".") or "0") * Fraction(10) ** int(exponent or "0")


def _date(text: str) -> date:
    if "-" in text:
        return date.fromisoformat(text)
    day, month, year = map(int, text.split("."))
    return date(year, month, day)


def _number(value: Value) -> Number:
    if isinstance(value, Fraction | float):
        return value
    raise ValueError("a date can only be added to, or taken from another")


def _added(left: Value, right: Value, sign: int) -> Value:
    if isinstance(left, date) and isinstance(right, timedelta):
        return left + sign * right
    if isinstance(left, date) and isinstance(right, date) and sign < 0:
        return left - right
    if isinstance(left, date) and isinstance(right, Fraction):
        return left + sign * timedelta(days=int(right))
    if isinstance(left, timedelta) and isinstance(right, timedelta):
        return left + sign * right
    return _bounded(_number(left) + sign * _number(right))


def _multiplied(left: Number, right: Number, sign: str) -> Number:
    act = {"/": operator.truediv, "//": operator.floordiv, "%": operator.mod, "mod": operator.mod}
    return _bounded(act.get(sign, operator.mul)(left, right))


def _raised(base: Number, exponent: Number) -> Number:
    whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if whole and isinstance(base, Fraction):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(int(exponent))
        if bits > LARGEST_BITS:
            raise OverflowError
        return Fraction(base ** int(exponent))
    result = float(base) ** float(exponent)
    if isinstance(result, complex):
        raise ValueError("the root of a negative number is not real")
    return float(result)


def _bounded(value: Number) -> Number:
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > LARGEST_BITS:
            raise OverflowError
    elif not math.isfinite(value):
        raise OverflowError
    return value


def _factorial(value: Number) -> Number:
    if value != int(value) or value < 0:
        raise ValueError("only whole numbers have a factorial")
    if value > 1500:
        raise OverflowError
    return Fraction(math.factorial(int(value)))


def _root(value: Number) -> Number:
    if value < 0:
        raise ValueError("the root of a negative number is not real")
    if isinstance(value, Fraction):
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return Fraction(top, bottom)
    return math.sqrt(value)


def _rounded(value: Number, digits: Number = Fraction(0)) -> Number:
    places = int(digits)
    if abs(places) > 30:
        raise ValueError("so many digits are not rounded to")
    return Fraction(round(Fraction(value), places))


def _floating(function: Callable[..., float]) -> Callable[..., Number]:
    return lambda *values: float(function(*map(float, values)))


_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "sqrt": _root,
    "abs": abs,
    "round": _rounded,
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
    "min": min,
    "max": max,
    "factorial": _factorial,
    "exp": _floating(math.exp),
    "ln": _floating(math.log),
    "log": _floating(math.log10),
    "log10": _floating(math.log10),
    "log2": _floating(math.log2),
    "sin": _floating(math.sin),
    "cos": _floating(math.cos),
    "tan": _floating(math.tan),
    "asin": _floating(math.asin),
    "acos": _floating(math.acos),
    "atan": _floating(math.atan),
    "radians": _floating(math.radians),
    "degrees": _floating(math.degrees),
}


def _refused(reason: str) -> UserFacing:
    return UserFacing(
        f"The expression could not be computed: {reason}.",
        "",
        "Write it with numbers, + - * / ** and parentheses.",
        code="expression",
    )
