"""The calculator: right answers, in words where there is none, and always at once."""

from __future__ import annotations

import ast
import operator
import time
from collections.abc import Callable
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.paths import resources
from desktop.tools.calculator import Calculator
from desktop.tools.units import Quantity, read_units
from tests.processor_time import processor_time

CALCULATOR = Calculator(read_units(resources() / "units.toml"), today=lambda: date(2026, 11, 20))


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("0.1 + 0.2", "0.3"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("2 ** -1", "0.5"),
        ("2^10", "1024"),
        ("7 // 2", "3"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("1/3", "0.333333333333"),
        ("10 ÷ 4 × 2 − 1", "4"),
        ("3 · 4", "12"),
        ("1,234,567 + 1", "1234568"),
        ("1e3 + .5", "1000.5"),
        ("2 + 2 =", "4"),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("(-1) ** 1000001", "-1"),
        ("1 ** -99999999", "1"),
        ("0 ** 0", "1"),
        # percentages
        ("20% of 50", "10"),
        ("50 + 10%", "55"),
        ("200 - 15%", "170"),
        ("10% + 5%", "0.15"),
        ("19% * 100", "19"),
        ("50%", "0.5"),
        # functions
        ("sqrt(16)", "4"),
        ("sqrt(2)", "1.41421356237"),
        ("sin(90 deg)", "1"),
        ("log(1000)", "3"),
        ("max(3, 7, 5)", "7"),
        ("min(3 km, 5000 m)", "3 km"),
        ("round(2.5)", "3"),
        ("round(3.14159, 2)", "3.14"),
        ("floor(-1.5) + ceil(1.5) + abs(-3)", "3"),
        ("factorial(20)", "2432902008176640000"),
        ("2 pi", "6.28318530718"),
        # units
        ("5 km in miles", "3.10685596119 mi"),
        ("72 F in C", "22.2222222222 °C"),
        ("-40 °C to °F", "-40 °F"),
        ("0 K in celsius", "-273.15 °C"),
        ("100 km / 2 h", "50 km/h"),
        ("60 miles per hour in km/h", "96.56064 km/h"),
        ("3 ft + 5 in in cm", "104.14 cm"),
        ("5 in in cm", "12.7 cm"),
        ("1 m + 50 cm", "1.5 m"),
        ("2 m * 3 m", "6 m²"),
        ("2 m² in cm^2", "20000 cm²"),
        ("10 km / 500 m", "20"),
        ("2 cups in ml", "473.176473 ml"),
        ("1 l in cm^3", "1000 cm³"),
        ("1 GiB in MB", "1073.741824 MB"),
        ("100 Mbit / s in MB/s", "12.5 MB/s"),
        ("90 min in h", "1.5 h"),
        ("2 kW * 3 h in kWh", "6 kWh"),
        ("3 pounds in kg", "1.36077711 kg"),
        # dates
        ("today + 90 days", "2027-02-18 (Thursday)"),
        ("2026-01-31 + 1 month", "2026-02-28 (Saturday)"),
        ("2024-02-29 + 1 year", "2025-02-28 (Friday)"),
        ("2026-12-24 - today", "34 days"),
        ("days until 24.12.2026", "34 days"),
        ("weeks until 2026-12-25", "5 weeks"),
        ("days since 2026-01-01", "323 days"),
        ("days between 2026-01-01 and 2026-03-01", "59 days"),
        ("morgen - 2 wochen", "2026-11-07 (Saturday)"),
        ("weekday(2026-12-24)", "2026-12-24 (Thursday)"),
    ],
)
def test_answers(expression: str, answer: str) -> None:
    """Arithmetic, percentages, functions, units and dates, as people write them."""
    assert CALCULATOR.calculator(expression).text == answer


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "ends too early"),
        ("1 +", "ends too early"),
        ("1 / 0", "divided by zero"),
        ("1 % 0", "divided by zero"),
        ("0 ** -1", "divided by zero"),
        ("(1 + 2", "is missing"),
        ("1 2", "not expected"),
        ("2 ** 99999", "too large"),
        ("9 ** 9 ** 9", "too large"),
        ("10 ** 1000 * 1.5 * pi", "too large"),
        ("exp(9999)", "no value"),
        ("log(0)", "no value"),
        ("sqrt(-1)", "no real root"),
        ("(-8) ** 0.5", "no real root"),
        ("factorial(100000)", "from 0 to 400"),
        ("5 km in kg", "cannot be given in"),
        ("1 m + 1 s", "cannot be given in"),
        ("5 in km", "cannot be given in"),
        ("20 C + 5 C", "not added"),
        ("sin(5 km)", "plain number"),
        ("2026-02-30 + 1 day", "no day"),
        ("today + today", "cannot be added"),
        ("today + 5 km", "Only a time"),
        ("today * 2", "cannot be"),
        ("today + 9999999 years", "too far"),
        ("today + 99999999999 days", "too far"),
        ("__import__('os')", "no meaning"),
        ("foo + 1", "neither a function"),
        ("foo(1)", "not known"),
        ("1; 2", "no meaning"),
        ("(" * 100 + "1" + ")" * 100, "too deep"),
        ("1" + "^1" * 100, "too deep"),
        ("1+" * 400 + "1", "longer than"),
    ],
)
def test_what_has_no_answer_is_said(expression: str, words: str) -> None:
    """In words about the expression, never as a crash."""
    with pytest.raises(UserFacing, match=words) as refusal:
        CALCULATOR.calculator(expression)
    assert refusal.value.code == "calculator"


WORDS = """
    1 0 2.5 99 1e300 ( ) + - * / // % ** ^ , in to of per km m F C h days pi e sqrt( max( exp( round(
    factorial( today 2026-01-31 month until between and e9 ° ² ü ' =
"""
PIECES = st.lists(st.sampled_from([*WORDS.split(), " ", "\0"]), max_size=14)


@given(PIECES.map("".join) | PIECES.map(" ".join) | st.text(max_size=30))
def test_every_text_is_answered_or_refused_at_once(expression: str) -> None:
    """No text crashes the calculator or holds it up."""
    with processor_time(time.thread_time) as spent:
        try:
            answer = CALCULATOR.calculator(expression).text
        except UserFacing as refusal:
            answer = refusal.cause
    assert answer
    assert spent.at_rest_s < 0.5


OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda left, right: Fraction(left // right),
    ast.Mod: operator.mod,
    ast.Pow: lambda left, right: left ** int(right),
}


def _by_python(node: ast.expr) -> Fraction:
    """The same expression read by Python's own parser, worked out with fractions."""
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_by_python(node.left), _by_python(node.right))
    if isinstance(node, ast.UnaryOp):
        return -_by_python(node.operand)
    assert isinstance(node, ast.Constant)
    return Fraction(node.value)


NUMBERS = st.integers(0, 20).map(str)
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda below: st.one_of(
        st.tuples(below, st.sampled_from([" + ", " - ", " * ", " / ", " // ", " % "]), below).map("".join),
        st.tuples(st.sampled_from(["-", ""]), below, st.just(" ** "), st.integers(0, 3).map(str)).map(
            "".join
        ),
        below.map(lambda text: f"({text})"),
        below.map(lambda text: f"-{text}"),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_arithmetic_is_read_as_python_reads_it(expression: str) -> None:
    """Precedence and associativity of all operators, exactly; but before a minus, % is a percentage."""
    assume("% -" not in expression)
    try:
        expected = _by_python(ast.parse(expression, mode="eval").body)
    except ZeroDivisionError:
        with pytest.raises(UserFacing, match="divided by zero"):
            CALCULATOR.value(expression)
        return
    except OverflowError:
        return
    if max(expected.numerator.bit_length(), expected.denominator.bit_length()) > 400:
        return  # on the way there something was larger than the calculator allows
    value = CALCULATOR.value(expression)
    assert isinstance(value, Quantity)
    assert value.number == expected
