"""Whether a question is a sum or a conversion and nothing else, and how the calculator wants it written."""

from __future__ import annotations

import re

_LEAD = re.compile(
    r"(?:(?:hey|ok|please|bitte|can you|kannst du|could you)[, ]+)?"
    r"(?:what(?:'s|’s|s| is| are)|how much (?:is|are)|calculate|compute|evaluate|solve|convert|work out"
    r"|was (?:ist|sind|ergibt|macht)|wie ?viel (?:ist|sind|ergibt|macht)|berechne|rechne|wandle)\s+",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:\s*(?:=|\?|!|\.|please|bitte|um)\s*)+$", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"(?:how many|how much|wie ?viele?|wie ?viel)\s+(?P<unit>[^\W\d]+)\s+"
    r"(?:is|are|in|are in|are there in|make up|ist|sind|hat|haben|sind in)\s+(?P<value>.+)",
    re.IGNORECASE,
)
# Words for signs; each stands between two values or before one.
_WORDS = tuple(
    (re.compile(pattern, re.IGNORECASE), sign)
    for pattern, sign in (
        (r"(\d+(?:\.\d+)?)\s*(?:%|percent|prozent)\s+off\s+(?:of\s+)?([\d.]+)\s*$", r"\2 - \1%"),
        (r"\b(?:the )?square root of\s+\(?([\d.]+)\)?", r"sqrt(\1)"),
        (r"\b(?:die )?(?:quadrat)?wurzel (?:aus|von)\s+\(?([\d.]+)\)?", r"sqrt(\1)"),
        (r"(?<=[\d)])\s*(?:to the power of|hoch)\s*(?=[\d(])", " ^ "),
        (r"(?<=[\d)])\s*(?:squared|zum quadrat)\b", "^2"),
        (r"(?<=[\d)])\s*cubed\b", "^3"),
        (r"(?<=[\d)%])\s+(?:times|multiplied by|mal)\s+(?=[\d(])", " * "),
        (r"(?<=[\d)%])\s+(?:divided by|geteilt durch|durch|over)\s+(?=[\d(])", " / "),
        (r"(?<=[\d)%\w])\s+plus\s+(?=[\d(])", " + "),
        (r"(?<=[\d)%\w])\s+minus\s+(?=[\d(])", " - "),
        (r"(?<=\d)\s+x\s+(?=\d)", " * "),
        (r"(?<=\d)\s*(?:percent|prozent)\b", "%"),
        (r"(?<=%)\s*(?:von|of)\s+", " of "),
        (r"\b(?:degrees?|grad)\s+(?=celsius|fahrenheit|c\b|f\b)", ""),
        (r"\s(?:nach|zu|into|to|as)\s+(?=[^\W\d])", " in "),
        (r"^(?:an?|one|eine?)\s+(?=[^\W\d])", "1 "),
    )
)
_GERMAN = re.compile(
    r"\b(?:was|wie ?viele?|berechne|rechne|wandle|von|mal|geteilt|durch|hoch|wurzel|prozent|bitte)\b",
    re.IGNORECASE,
)
_THOUSANDS_OR_DECIMAL = re.compile(r"(?<![\d.,])\d{1,3}\.\d{3}(?![\d.,])")
# Numbers with a stroke between them that are mostly no sums: dates, ranges, scores, numbers of telephones.
_NO_SUM = re.compile(
    r"\d{1,2}[/-]\d{1,2}(?:[/-]\d{1,4})?|(?:1\d|20)\d\d[/-](?:(?:1\d|20)\d\d|\d\d(?:[/-]\d\d)?)|\d+(?:-\d+){2,}|\d{2,}-\d{4,}"
    r"|0\d+[/-]\d+|\d+:\d+(?::\d+)*|\d+x\d+"
)
_IDIOMS = frozenset({"24/7", "9/11", "50/50", "20/20", "7/11", "4/20", "80/20", "9-5", "9 - 5", "24 / 7"})
_SIGN = re.compile(r"[-+*/^×÷−·]|\*\*")
_VALUE = re.compile(r"[\d.,]+|\b(?:pi|tau|today|tomorrow|yesterday|heute|gestern)\b", re.IGNORECASE)
_CONVERSION = re.compile(
    r"^-?(?:\d[\d.,]*)\s*[^\W\d]?.*\s+in\s+[^\W\d_°µ]*[°µ]?[^\W\d_]+(?:\s*(?:/|per)\s*[^\W\d_]+)?[²³]?$"
)
_ALLOWED = re.compile(r"[\w\s.,()%^*/+\-×÷−·°µ²³]+")
_MULTIPLE = re.compile(r"%\s*of\s+[\d(.]", re.IGNORECASE)
_FUNCTION = re.compile(r"\b[a-z]{2,9}\d{0,2}\(", re.IGNORECASE)


def sum_in(question: str) -> str | None:
    """The expression for the calculator, which may still refuse it; None where it is no sum."""
    asked, has_lead = _without_lead(question)
    if asked.replace(" ", "") in {each.replace(" ", "") for each in _IDIOMS}:
        return None
    if not has_lead and _NO_SUM.fullmatch(asked):
        return None
    if ":" in asked:
        return None
    is_german = _GERMAN.search(question) is not None
    if is_german and _THOUSANDS_OR_DECIMAL.search(asked):
        return None  # 1.000 is a thousand or one
    written = _with_signs(_points(asked, is_german))
    if not _ALLOWED.fullmatch(written) or _VALUE.search(written) is None:
        return None
    return written if _is_sum(written) or _CONVERSION.match(written) else None


def _without_lead(question: str) -> tuple[str, bool]:
    """The question without the words around it, and whether those say that something is to be worked out."""
    asked = _TAIL.sub("", question).strip()
    has_lead = question.rstrip().endswith("=")
    many = _HOW_MANY.fullmatch(asked)
    if many is not None:
        return f"{_one(many['value'])} in {many['unit']}", True
    lead = _LEAD.match(asked)
    if lead is not None:
        return asked[lead.end() :].strip(), True
    return asked, has_lead


def _one(value: str) -> str:
    return re.sub(r"^(?:an?|one|eine?[mnr]?)\s+", "1 ", value, flags=re.IGNORECASE)


def _points(text: str, is_german: bool) -> str:
    """A comma between digits is a point, except where three digits follow in English, or in a function."""
    if _FUNCTION.search(text):
        return text
    if is_german or re.search(r"\d\.\d{3},\d", text):
        text = re.sub(r"(?<=\d)\.(?=\d{3}(?:[.,]|\b))(?=[\d.]*,)", "", text)
        return re.sub(r"(?<=\d),(?=\d)", ".", text)
    return re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", text)


def _with_signs(text: str) -> str:
    for pattern, sign in _WORDS:
        text = pattern.sub(sign, text)
    return text.strip()


def _is_sum(text: str) -> bool:
    """Two values and a sign between them, a share of something, or a function of something."""
    if _MULTIPLE.search(text) or _FUNCTION.search(text):
        return True
    if re.search(r"\b(?:of|per)\b", text):
        return False  # "8 of 10" is no product
    values = _VALUE.findall(text)
    return len(values) > 1 and any(_SIGN.fullmatch(sign) for sign in _between(text))


def _between(text: str) -> list[str]:
    """The signs that stand after a value, not those before the first one."""
    return _SIGN.findall(re.sub(r"^[\s(]*[-+]", "", text))
