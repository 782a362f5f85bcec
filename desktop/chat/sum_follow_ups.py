"""Sums that go on from the last result: "and plus 9?", "divide that by 6", "y menos 25", "and in miles?".

A model that is told the last result adds to another one. So what is said of a result is put behind it here,
and worked out like every other sum. Pure functions; any thread.
"""

from __future__ import annotations

import re

_OPERATORS = (
    (r"(?:plus|\+|más|mas)", "+"),
    (r"(?:minus|less|-|−|moins|menos)", "-"),
    (r"(?:times|multiplied by|mal|fois|por|\*|×|x)", "*"),
    (r"(?:divided by|over|geteilt durch|durch|divisé par|dividido (?:por|entre)|entre|/|÷)", "/"),
)
_FURTHER = re.compile(
    r"(?:and |und |et |y |¿y |now |then |ok,? |jetzt |dann |maintenant )*"
    r"(?:(?:that|it|das|this|the result|ça|eso) )?"
    r"(?P<sign>" + "|".join(pattern for pattern, _ in _OPERATORS) + r")\s*(?P<number>\d[\d.,]*\s*%?)\W*",
    re.IGNORECASE,
)
_WORKED_ON = tuple(
    (re.compile(pattern, re.IGNORECASE), sign)
    for pattern, sign in (
        (
            r"(?:multiply (?:it|that|this) by|multipliziere? (?:das|es) mit|"
            r"multiplie[rz]?(?:-le)?(?: ça| cela)? par|"
            r"multiplica(?:lo)?(?: eso| esto)? por) (\d[\d.,]*)\W*",
            "*",
        ),
        (
            r"(?:divide (?:it|that|this) by|teile? (?:das|es) durch|divise[rz]?(?:-le)?(?: ça| cela)? par|"
            r"div[ií]de(?:lo)?(?: eso| esto)? (?:por|entre)) (\d[\d.,]*)\W*",
            "/",
        ),
        (
            r"(?:add (\d[\d.,]*) to (?:it|that|this)|addiere? (\d[\d.,]*)(?: dazu)?|"
            r"(?:ajoute|ajoutes?-y|suma(?:le)?|añade(?:le)?|súmale) (\d[\d.,]*)(?: à ça| a eso)?)\W*",
            "+",
        ),
        (
            r"(?:(?:subtract|take) (\d[\d.,]*) (?:from|off|away from) (?:it|that|this)|"
            r"ziehe? (\d[\d.,]*)(?: davon)? ab|"
            r"(?:enlève|retire|soustrais|résta(?:le)?|resta(?:le)?|réstale) (\d[\d.,]*)(?: à ça| a eso)?)\W*",
            "-",
        ),
    )
)
_CONVERTED = re.compile(
    r"(?:and|und|et|y|¿y)?\s*(?:what(?:'s| is) (?:that|it) |was ist das |(?:that|it|das) )?(?:in|en|into)\s+"
    r"(?P<unit>[^\W\d_]+)\W*",
    re.IGNORECASE,
)


def sum_going_on(asked: str, value: str) -> str:
    """The sum that `asked` makes of `value`, the last result; "" where it is none."""
    found = _FURTHER.fullmatch(asked)
    if found is not None:
        sign = next(s for pattern, s in _OPERATORS if re.fullmatch(pattern, found["sign"], re.IGNORECASE))
        return f"{value} {sign} {found['number']}"
    worked = _worked_on(asked)
    if worked is not None:
        return f"{value} {worked}"
    converted = _CONVERTED.fullmatch(asked)
    return f"{value} in {converted['unit']}" if converted is not None else ""


def _worked_on(asked: str) -> str | None:
    """`* 3` of "multiply that by 3"."""
    bare = re.sub(
        r"^(?:and|then|now|und|dann|jetzt|et|puis|y|luego|ahora)\s+", "", asked, flags=re.IGNORECASE
    )
    for pattern, sign in _WORKED_ON:
        found = pattern.fullmatch(bare)
        if found is not None:
            return f"{sign} {next(each for each in found.groups() if each)}"
    return None
