"""Formulas set in two dimensions, as outlines. Runs in the confined child of `desktop.sandbox.parser`.

ziamath keeps a font, a table of four thousand commands and its own grammar in memory, some 26 MB, and nothing
in it can be told to stop; here it goes away with the process. A formula that it cannot set, or not in
time, comes back as None and is shown as text.
"""

from __future__ import annotations

import json
import re
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType
    from xml.etree.ElementTree import Element

EM = 20.0  # the size at which formulas are set; what goes out is in parts of it
FORMULA_S = 1.0
ALL_S = 6.0  # then the rest is text: an answer may hold sixty formulas that were made to take long
MOST_PARTS = 4_000
# Set as the letters of the name, with no sign that something is missing.
_UNKNOWN = re.compile(r"<mi>\\[A-Za-z]+</mi>")
# latex2mathml hangs a script that follows a matrix on nothing; in braces it is the matrix's.
_SCRIPTED = re.compile(r"(\\begin\{(\w+\*?)\}(?:(?!\\begin).)*?\\end\{\2\})(?=\s*[\^_])", re.DOTALL)


class _TooSlow(Exception):
    pass


def outlines(source: Path) -> list[dict[str, Any] | None]:
    """For each `[formula, is_display]` in the JSON of `source` its outline, or None.

    `width`, `ascent` and `descent` count in em. `filled` is an SVG path in units of which `EM` make one em,
    `drawn` holds paths with the width of their line.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it finds its fonts in an older way of Python's
        import ziamath
        from ziamath.config import config

    config.svg2 = False  # each letter where it stands, and not by reference
    wanted = json.loads(source.read_bytes())
    until = time.process_time() + ALL_S
    return [
        _outline(ziamath, str(formula), bool(display)) if time.process_time() < until else None
        for formula, display in wanted
    ]


def _outline(ziamath: Any, formula: str, display: bool) -> dict[str, Any] | None:
    try:
        with _limited():
            return _set(ziamath, formula, display)
    except MemoryError:
        raise
    except Exception:  # whatever the library stumbles over: the formula is shown as text
        return None


def _set(ziamath: Any, formula: str, display: bool) -> dict[str, Any] | None:
    formula = _SCRIPTED.sub(r"{\1}", formula)
    made = ziamath.Math.fromlatex(formula, size=EM, inline=not display, margin=0)
    if _UNKNOWN.search(made.mathmlstr()) or not _has_all_letters(made):
        return None
    svg = made.svgxml()
    left, top, width, height = (float(part) for part in svg.get("viewBox").split())
    filled, drawn = _paths(svg)
    if not filled and not drawn:
        return None
    return {
        "left": left / EM,
        "width": width / EM,
        "ascent": -top / EM,
        "descent": (top + height) / EM,
        "filled": filled,
        "drawn": drawn,
    }


def _has_all_letters(made: Any) -> bool:
    """Without a letter of its own the font draws an empty box."""
    text = "".join(made.mathml.itertext())
    return all(letter.isspace() or made.font.glyphindex(letter) for letter in set(text))


def _paths(svg: Element) -> tuple[str, list[tuple[str, float]]]:
    filled: list[str] = []
    drawn: list[tuple[str, float]] = []
    for number, part in enumerate(svg.iter()):
        if number > MOST_PARTS:
            raise ValueError("too many parts")
        # Colours of the formula are left out: it takes that of the words around it, whatever the theme.
        path = _PATHS.get(part.tag, _nothing)(part)
        stroke = part.get("stroke")
        if path and stroke and stroke != "none":
            drawn.append((path, float(part.get("stroke-width", "1"))))
        elif path:
            filled.append(path)
    return " ".join(filled), drawn


def _nothing(_part: Element) -> str:
    return ""


def _rectangle(part: Element) -> str:
    x, y, width, height = (float(part.get(name, "0")) for name in ("x", "y", "width", "height"))
    right, bottom = x + width, y + height
    corners = ((x, y), (right, y), (right, bottom), (x, bottom))
    return "M " + " L ".join(f"{across:.3f} {down:.3f}" for across, down in corners) + " Z"


def _ellipse(part: Element) -> str:
    """By four curves; 0.5523 is the length of their handles that comes closest to a circle."""
    x, y, across, up = (float(part.get(name, "0")) for name in ("cx", "cy", "rx", "ry"))
    a, b = across * 0.5523, up * 0.5523
    quarters = (
        (x + across, y + b, x + a, y + up, x, y + up),
        (x - a, y + up, x - across, y + b, x - across, y),
        (x - across, y - b, x - a, y - up, x, y - up),
        (x + a, y - up, x + across, y - b, x + across, y),
    )
    curves = " ".join("C " + " ".join(f"{number:.3f}" for number in quarter) for quarter in quarters)
    return f"M {x + across:.3f} {y:.3f} {curves} Z"


_PATHS = {
    "path": lambda part: str(part.get("d", "")),
    "rect": _rectangle,
    "ellipse": _ellipse,
}


@contextmanager
def _limited() -> Iterator[None]:
    """At most `FORMULA_S` of processor time, where the system can tell; the whole child has its own limit."""
    if not hasattr(signal, "setitimer"):  # Windows: then one slow formula takes its neighbours with it
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, FORMULA_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
