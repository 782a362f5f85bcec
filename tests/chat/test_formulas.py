"""Formulas set by the real child: what comes back, what does not, and what is kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop.chat import formula_outlines, formulas
from desktop.chat.formulas import Outline, Outlines
from desktop.chat.latex import Formula
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser

DRAWN = (
    r"x^2",
    r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}",
    r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1}",
    r"\begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}",
    r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
    r"\int_0^\infty e^{-x^2}\,dx",
    r"\left. x \right|_0",
    r"\mathbb{R}^n \to \mathbb{R}",
    r"\text{für } x \neq 0",
    r"\boxed{42}",
    r"\cancel{x}",
    r"\overbrace{a+b}^{n}",
)
SHOWN_AS_TEXT = (
    "",
    "{",
    r"\frac{a}",
    r"\unknown{x}",
    r"\text{中文}",
    r"\ce{H2O}",
    "{" * 1400,
    r"\frac{a}{" * 100 + "b" + "}" * 100,
    r"\left(" * 200,
    "\x00",
)


class CountedParser:
    """The real one, with a count of its children."""

    def __init__(self) -> None:
        self.children = 0
        self._parser = Parser(lambda: available().best)

    def parse(self, *words: Any, **options: Any) -> Any:
        self.children += 1
        return self._parser.parse(*words, **options)


@pytest.fixture
def parser() -> CountedParser:
    return CountedParser()


@pytest.fixture
def outlines(parser: CountedParser) -> Outlines:
    return Outlines(parser)  # type: ignore[arg-type]  # it has the one method that is called


@pytest.mark.children
def test_formulas_come_back_as_outlines_or_not_at_all(outlines: Outlines, parser: CountedParser) -> None:
    """One child sets all of them; what it cannot set, what is unknown and what hurts is None."""
    wanted = [Formula(source, display=True) for source in (*DRAWN, *SHOWN_AS_TEXT)]
    outlines.draw(wanted)
    found = {each.source: outlines.of(each) for each in wanted}
    assert [source for source in DRAWN if found[source] is None] == []
    assert [source for source in SHOWN_AS_TEXT if found[source] is not None] == []
    assert parser.children == 1


@pytest.mark.children
def test_a_fraction_is_two_lines_high_and_smaller_in_a_line_of_words(outlines: Outlines) -> None:
    """Its bar stands at the height of a minus, so a part of it hangs below the base line."""
    own_line, in_words = (Formula(r"\frac{a}{b}", display) for display in (True, False))
    outlines.draw([own_line, in_words])
    large, small = outlines.of(own_line), outlines.of(in_words)
    assert large is not None
    assert small is not None
    assert large.ascent + large.descent > 1.5
    assert 0 < small.descent < large.descent
    assert small.width < large.width < 2


@pytest.mark.children
def test_what_is_known_is_not_asked_again(outlines: Outlines, parser: CountedParser) -> None:
    """Neither an outline nor that there is none; only what is new costs a child."""
    good, bad, new = (Formula(source, display=False) for source in ("a", r"\frac{a}", "b"))
    outlines.draw([good, bad, good])
    outlines.draw([bad, good])
    assert parser.children == 1
    outlines.draw([good, new])
    assert parser.children == 2
    assert outlines.of(new) is not None


def test_a_formula_of_a_page_s_length_is_never_set(outlines: Outlines, parser: CountedParser) -> None:
    """Nobody reads it, and it would cost more than all others."""
    long = Formula("a" * (formulas.LONGEST + 1), display=True)
    assert outlines.is_known(long)
    outlines.draw([long])
    assert (outlines.of(long), parser.children) == (None, 0)


def test_no_more_are_kept_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was not looked at for longest goes."""
    monkeypatch.setattr(formulas, "KEPT", 2)
    outlines = Outlines(Said({}))  # type: ignore[arg-type]  # it has the one method that is called
    first, second, third = (Formula(source, display=False) for source in "abc")
    outlines.draw([first, second])
    assert outlines.of(first) is not None
    outlines.draw([third])
    assert [outlines.is_known(each) for each in (first, second, third)] == [True, False, True]


class Said:
    """A parser whose child was taken over: it says what `changed` says."""

    def __init__(self, changed: dict[str, Any] | None) -> None:
        self._changed = changed

    def parse(self, _function: str, source: bytes, **_options: Any) -> Any:
        good = {"left": 0, "width": 1, "ascent": 1, "descent": 0, "filled": "M 0 0 L 1 1 Z", "drawn": []}
        if self._changed is None:
            return ["too", "many", "words"]
        return [good | self._changed for _ in json.loads(source)]


@pytest.mark.parametrize(
    "changed",
    [
        {"width": float("nan")},
        {"width": 1e300},
        {"width": 0},
        {"width": "wide"},
        {"left": float("inf")},
        {"ascent": -5},
        {"filled": "M 0 0 <script>"},
        {"filled": 'Z" onload="x'},
        {"drawn": [["M 0 0", float("nan")]]},
        {"drawn": [["url(#x)", 1]]},
        {"drawn": 7},
        None,
    ],
)
def test_what_a_child_says_is_not_believed(changed: dict[str, Any] | None) -> None:
    """Whoever took it over puts neither endless sizes nor anything but steps of a path into a window."""
    outlines = Outlines(Said(changed))  # type: ignore[arg-type]  # it has the one method that is called
    formula = Formula("x", display=False)
    outlines.draw([formula])
    assert outlines.of(formula) is None
    assert outlines.is_known(formula)


def test_a_sound_outline_is_taken() -> None:
    """The same answer without anything odd in it."""
    outlines = Outlines(Said({}))  # type: ignore[arg-type]  # it has the one method that is called
    formula = Formula("x", display=False)
    outlines.draw([formula])
    assert outlines.of(formula) == Outline(0, 1, 1, 0, "M 0 0 L 1 1 Z", ())


def test_what_takes_too_long_together_is_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After the time for all of them the rest is not begun."""
    monkeypatch.setattr(formula_outlines, "ALL_S", -1.0)
    file = tmp_path / "formulas"
    file.write_text(json.dumps([["a", True], ["b", False]]))
    assert formula_outlines.outlines(file) == [None, None]


def test_the_program_does_not_load_the_library() -> None:
    """It stays in the child, with its font and tables."""
    assert "ziamath" not in formulas.__dict__
    assert not hasattr(sys.modules["desktop.chat.formulas"], "ziamath")
