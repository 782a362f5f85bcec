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
    r"(?P<sign>" + "|".join(pattern for pattern, _ in _OPERATORS) + r")\s*(?P<number>\d[\d.,]*\s*"
    r"(?:%|percent|prozent|pour ?cent|"
    r"por ?ciento)?)\W*",
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
            r"(?:(?:divide|split|share) (?:it|that|this) by|teile? (?:das|es) durch|"
            r"divise[rz]?(?:-le)?(?: ça| cela)? par|"
            r"div[ií]de(?:lo)?(?: eso| esto)? (?:por|entre)) (\d[\d.,]*)\W*",
            "/",
        ),
        (
            r"(?:add (\d[\d.,]*\s*%?) to (?:it|that|this)|addiere? (\d[\d.,]*)(?: dazu)?|"
            r"(?:ajoute|ajoutes?-y|suma(?:le)?|añade(?:le)?|súmale) (\d[\d.,]*)(?: à ça| a eso)?)\W*",
            "+",
        ),
        (
            r"(?:(?:subtract|take) (\d[\d.,]*\s*%?) (?:from|off|away from) (?:it|that|this)|"
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


_PERCENT = re.compile(r"\s*(?:percent|prozent|pour ?cent|por ?ciento)", re.IGNORECASE)
_OF_IT = r"(?: (?:of )?(?:that|it|this|the result)| davon| de (?:ça|cela)| de eso| del resultado)?"
_SHARES = tuple(
    (re.compile(rf"(?:and |und |et |y |¿y )?(?:davon )?{pattern}{_OF_IT}\W*", re.IGNORECASE), work)
    for pattern, work in (
        (r"(?:(?:one |a )?half|(?:die )?hälfte|la moitié|la mitad)", "/ 2"),
        (r"(?:double|twice|das doppelte|le double|el doble)", "* 2"),
        (r"(?:triple|das dreifache|le triple|el triple)", "* 3"),
        (r"(?:a|one|ein|le|un|el) ?(?:third|drittel|tiers|tercio)", "/ 3"),
        (r"(?:a|one|ein|le|un|el) ?(?:quarter|viertel|quart|cuarto)", "/ 4"),
    )
)
_OF_SHARE = re.compile(
    rf"(?:and |und |et |y )?(?:davon )?(?P<share>\d[\d.,]*)\s*(?:%|percent|prozent|pour ?cent|por ?ciento)"
    rf"{_OF_IT}\W*",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"(?:and|und|et|y|¿y|what about|how about|was ist mit)(?: for| für| pour| para| with| mit| avec| con)?\s+"
    r"(?P<number>\d[\d.,]*)(?P<percent>\s*%)?\s*(?P<unit>[^\W\d_]*)\W*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d[\d.,]*(?P<percent>\s*(?:%|percent|prozent|pour ?cent|por ?ciento))?", re.IGNORECASE)


def same_sum(asked: str, before: str) -> str:
    """The sum of the sentence `before` with the one number that `asked` names: "and 20%?"; "" where there is
    none to exchange."""
    found = _INSTEAD.fullmatch(asked)
    if found is None:
        return ""
    is_share = found["percent"] is not None
    for number in _NUMBER.finditer(before):
        if (number["percent"] is not None) == is_share:
            new = found["number"] + (number["percent"] or "")
            unit = re.match(r"\s*[^\W\d_]+", before[number.end() :])
            # Another unit than before is another question.
            if found["unit"] and (unit is None or unit[0].strip().casefold() != found["unit"].casefold()):
                return ""
            return before[: number.start()] + new + before[number.end() :]
    return ""


_LEADS = re.compile(
    r"^(?:(?:and|then|now|ok(?:ay)?|und|dann|jetzt|et|puis|ensuite|maintenant|y|luego|ahora|después)[,\s]+)+"
    r"(?=(?:the |a |die |das |le |la |el |of |plus|minus|times|[^\W\d_]+))",
    re.IGNORECASE,
)


def sum_going_on(asked: str, value: str) -> str:
    """The sum that `asked` makes of `value`, the last result; "" where it is none."""
    return _going_on(asked, value) or _going_on(_LEADS.sub("", asked), value)


def _going_on(asked: str, value: str) -> str:
    for share, work in _SHARES:
        if share.fullmatch(asked):
            return f"{value} {work}"
    of = _OF_SHARE.fullmatch(asked)
    # "And 20%?" after a share asks for another share of the same; of the result only where that is said.
    if of is not None and re.search(r"\b(?:of|davon|de|del)\b", asked, re.IGNORECASE):
        return f"{of['share']}% of {value}"
    found = _FURTHER.fullmatch(asked)
    if found is not None:
        sign = next(s for pattern, s in _OPERATORS if re.fullmatch(pattern, found["sign"], re.IGNORECASE))
        return f"{value} {sign} {_PERCENT.sub('%', found['number'])}"
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
