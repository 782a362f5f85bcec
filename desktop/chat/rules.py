"""Answers that need no model: sums, units, dates, the time elsewhere, reminders, and pages to open.

A rule speaks only where it understands the whole of what was written. A sentence that merely holds numbers
is no sum: whatever is in doubt is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_words import LANGUAGES
from desktop.chat.reminder_intents import has_another_act, has_second_time
from desktop.errors import UserFacing
from desktop.tools.calculator import Calculator, rounded, shown
from desktop.tools.calls import CallResult
from desktop.tools.places import zone_of
from desktop.tools.reminder_words import reminder_in
from desktop.tools.reminders import SET_REMINDER_HINT
from desktop.tools.time_phrases import HOLIDAYS, MONTH, MONTHS, WEEKDAY, WEEKDAYS, holiday, plain
from desktop.tools.time_translations import in_english, in_language
from desktop.tools.times import distance, local_now, read_time, said
from desktop.tools.tool import Tool

if TYPE_CHECKING:
    from desktop.chat.attachments import Attachment

MOST_AGO = 5000  # days or weeks
LONGEST = 200  # characters; more is a text, not a question of this kind


class AnswerRule(StrEnum):
    """Which rule has answered."""

    SUM = "calculation"
    DATE = "date"
    NOW = "now"  # the time and the day here
    CLOCK = "clock"  # the time elsewhere
    REMINDER = "reminder"
    PAGE = "page"


@dataclass(frozen=True)
class RuleAnswer:
    """`text` is for the user. With a `tool` it is an offer: the tool does it, through the executor as always.

    With a `page` it is one, too: a window of ours to open.
    """

    rule: AnswerRule
    text: str
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    page: str = ""


PAGES = {
    "settings": ("settings", "preferences", "options", "einstellungen"),
    "models": ("models", "the model list", "modelle"),
    "reminders": ("reminders", "erinnerungen"),
    "permissions": ("permissions", "grants", "berechtigungen"),
    "changes": ("changes", "aenderungen", "änderungen"),
    "log": ("log", "audit log", "protokoll"),
    "activity": ("activity", "aktivität"),
}

_PAGE_OF = {name: page for page, names in PAGES.items() for name in names}

_OPEN = re.compile(
    r"(?:please |bitte )?(?:open|show|go to|öffne|zeige?)\s+"
    r"(?:(?:me|mir|the|my|steward'?s?|die|meine|das|den)\s+)*(?P<page>[\w ]+?)(?:\s+(?:page|window|seite))?"
    r"(?: please| bitte)?[.!]?",
    re.IGNORECASE,
)


_SO_MANY = re.compile(
    r"(?:(?:was|wie ?viel|what|how much|combien|cuánto)"
    r"(?:['’]?s| is| are| macht| machen| kostet| kosten| sind| ist| font| fait| coûtent| es| son)? )?"
    r"(?P<count>\d+(?:[.,]\d+)?) [^\W\d_]{3,}(?: [^\W\d_]{3,})? (?P<by>mal|times|at|x|×|fois|por|à|zu|je) "
    r"(?P<each>\d+(?:[.,]\d+)?)(?: ?(?:€|euros?|eur|dollars?|\$|pounds?|£))?[ ?.!]*",
    re.IGNORECASE,
)


# Two sizes have these names; who asks in Britain gets a fifth too many from the other.
_AMERICAN_OR_NOT = re.compile(r"\b(gallon|pint)(?:s|en|e)?\b", re.IGNORECASE)
_SHORT = {"gallon": "gal", "pint": "pt"}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
# What a question that stands alone may begin with: "ok and what is 20 litres in gallons".
_OPENING = re.compile(
    r"(?:(?:and|und|et|y|ok(?:ay)?|so|then|also|alors|entonces|now|right|cool|great|super|thanks|thx|danke|merci|"
    r"gracias|vale)[,.!]*\s+)+(?=what|how|was\b|wie|combien|ça|quel|¿?cu[aá]nt|¿?qu[eé]\b)",
    re.IGNORECASE,
)

# "20 litre urn, how many cups of 190 ml is that": how often the smaller goes into the larger.
_HOW_OFTEN = re.compile(r"\b(?:how many|wie ?viele?|combien (?:de |d['’])|cu[aá]nt[oa]s)", re.IGNORECASE)
_QUANTITY = re.compile(
    r"(?<![\w.,/])(\d+(?:[.,]\d+)?)[ -]?(ml|cl|dl|l|litres?|liters?|litros?|g|grams?|gramm?es?|gramos?|kg|"
    r"kilos?|mm|cm|m|metres?|meters?|metros?|mètres?|km)\b",
    re.IGNORECASE,
)


class Rules:
    """Pure but for the clock; any thread. An answer takes a few milliseconds at most."""

    def __init__(self, calculator: Calculator, now: Callable[[], datetime] = local_now) -> None:
        """`now` gives an aware time in the user's zone."""
        self._calculator = calculator
        self._now = now
        self._dates = Dates(calculator, now)

    def answer(self, text: str) -> RuleAnswer | None:
        """The answer to `text`, or None where the model has to be asked. Never raises."""
        question = " ".join(text.split())
        # A long or broken text is material, and no question that a rule understands whole.
        if not question or len(text) > LONGEST or "\n" in text.strip():
            return None
        bare = _OPENING.sub("", question, count=1)
        for rule in (self._page, self._reminder, self._date, self._sum, self._how_often):
            found = rule(question) or (rule(bare) if bare != question else None)
            if found is not None:
                return _in_its_language(found, question)
        # "34 Kubik mal 2,85": so many of a thing that is no unit.
        counted = _SO_MANY.fullmatch(question)
        if (
            counted is not None
            and (found := self._sum(f"{counted['count']} * {counted['each']}")) is not None
        ):
            return _in_its_language(found, question)
        return None

    def ruled(self, text: str) -> DirectAnswer | None:
        """The same for a turn of a conversation; pages are nothing that a turn can open."""
        found = self.answer(text)
        # A window is opened by the quick-ask line; a turn has nothing to open it with.
        if found is None or found.page:
            return None
        if (
            found.rule is AnswerRule.NOW
        ):  # a tool's answer, so that the conversation shows where it comes from
            return DirectAnswer(
                ParsedCall("current_time"), found.text, lambda ended: found.text if ended.ok else ended.text
            )
        if not found.tool:
            return DirectAnswer(text=found.text)
        return DirectAnswer(ParsedCall(found.tool, found.arguments), tell=lambda ended: _receipt(ended, text))

    def _page(self, question: str) -> RuleAnswer | None:
        found = _OPEN.fullmatch(question)
        page = _PAGE_OF.get(found["page"].casefold()) if found else None
        return RuleAnswer(AnswerRule.PAGE, f"Open {page}", page=page) if page else None

    def _reminder(self, question: str) -> RuleAnswer | None:
        # These words are in every such wish, and looked for faster than a time.
        if not SET_REMINDER_HINT.is_said(question):
            return None
        now = self._now()
        found = reminder_in(question, now)
        if found is None or any(
            has_another_act(found.text, each) or has_second_time(found.text, each) for each in LANGUAGES
        ):
            return None
        note = f" ({found.moment.note})" if found.moment.note else ""
        when = said(found.moment.at, now)
        if found.moment.repeats is not None:
            when = f"{str(found.moment.repeats.in_words()).capitalize()}, next on {when}"
        text = f"Remind you: {found.text}. {when}{note}"
        arguments = {"text": found.text, "when": found.when}
        return RuleAnswer(AnswerRule.REMINDER, text, "set_reminder", arguments)

    def _date(self, question: str) -> RuleAnswer | None:
        here = self._dates.here(question)
        if here is not None:
            return RuleAnswer(AnswerRule.NOW, here)
        elsewhere = self._dates.elsewhere(question)
        if elsewhere is not None:
            return RuleAnswer(AnswerRule.CLOCK, elsewhere)
        day = self._dates.day(question)
        return RuleAnswer(AnswerRule.DATE, day) if day is not None else None

    def _sum(self, question: str) -> RuleAnswer | None:
        found = sum_in(question)
        if found is None:
            return None
        try:
            value = self._calculator.value(found)
        except UserFacing:
            return None  # a word that is no unit, a sum that has no result: no business of a rule
        imperial = _AMERICAN_OR_NOT.sub(lambda match: f"imp{_SHORT[match[1].casefold()]}", found)
        if imperial == found:
            return RuleAnswer(AnswerRule.SUM, f"{found} = {rounded(shown(value))}")
        other = rounded(shown(self._calculator.value(imperial))).replace("imp", "")
        return RuleAnswer(AnswerRule.SUM, f"{found} = {rounded(shown(value))} (US), {other} (imperial)")

    def _how_often(self, question: str) -> RuleAnswer | None:
        sizes = _QUANTITY.findall(question)
        if len(sizes) != 2 or not _HOW_OFTEN.search(question) or len(_NUMBER.findall(question)) != 2:
            return None
        one, other = (f"{number.replace(',', '.')} {unit.casefold()}" for number, unit in sizes)
        try:
            times = self._calculator.value(f"({one}) / ({other})")
            if float(shown(times)) < 1:
                one, other = other, one
            found = self._sum(f"({one}) / ({other})")
            return found and replace(found, text=found.text.replace("(", "").replace(")", ""))
        except (UserFacing, ValueError):  # litres do not go into metres
            return None


def _in_its_language(found: RuleAnswer, question: str) -> RuleAnswer:
    """A sum says no language; days and times are said in that of the question."""
    if found.rule is AnswerRule.SUM:
        return found
    from desktop.chat.intent_words import language_of

    text = in_language(found.text, language_of(question))
    return replace(found, text=text)


def _receipt(ended: CallResult, asked: str) -> str:
    from desktop.chat.intent_words import language_of
    from desktop.chat.receipts import receipt

    return receipt(ended, language_of(asked))


def _its_text(ended: CallResult) -> str:
    return ended.text


@dataclass(frozen=True)
class DirectAnswer:
    """`call` goes through the executor like every other, with its card and, where needed, its question; the
    answer is what `tell` makes of its end, also of a refusal. Without a call the answer is `text`. `tool` is
    what is called, where that is in no model's list of tools.
    """

    call: ParsedCall | None = None
    text: str = ""
    tell: Callable[[CallResult], str] = _its_text
    # Several calls, one after another, in place of `call`; what came of those that were begun is told.
    calls: tuple[ParsedCall, ...] = ()
    tell_all: Callable[[Sequence[CallResult]], str] | None = None
    # A file whose text the model writes once `calls` have all succeeded, and what the text is to be.
    written: str = ""
    making: str = ""
    # The model answers after `calls`, which have read what it is asked about; no further call is decided on.
    goes_on: bool = False
    # What is asked beside: once `calls` have ended and are told, it is answered as a question of its own,
    # after `looks`, which read what it is about.
    question: str = ""
    looks: tuple[ParsedCall, ...] = ()
    # What the answer is made of part by part, once `calls` have succeeded; `written` holds it then.
    in_parts: Attachment | None = None
    tool: Tool | None = None
    is_kept: bool = False  # what was said is remembered, as where the model answers


AnswerByRule = Callable[[str], DirectAnswer | None]


def with_answer(direct: DirectAnswer, ruled: DirectAnswer) -> DirectAnswer:
    """`direct` with what a rule makes of the question beside it: told after what was done."""
    count = len(direct.calls)

    def tell_all(ended: Sequence[CallResult]) -> str:
        done = direct.tell_all(ended[:count]) if direct.tell_all is not None else direct.text
        return f"{done}\n\n{ruled.tell(ended[count]) if len(ended) > count else ruled.text}"

    calls = (*direct.calls, ruled.call) if ruled.call is not None else direct.calls
    text = "" if calls else f"{direct.text}\n\n{ruled.text}"
    return replace(direct, text=text, calls=calls, tell_all=tell_all, tool=ruled.tool, question="", looks=())


_LEAD = re.compile(
    r"(?:(?:hey|ok|please|bitte|can you|kannst du|could you)[, ]+)?"
    r"(?:what(?:'s|’s|s| is| are)|how (?:much|tall|long|far|high|heavy) (?:is|are)|calculate|compute"
    r"|evaluate|solve|convert|work out|was (?:ist|sind|ergibt|macht)|berechne|rechne|wandle"
    r"|wie ?(?:viel|groß|lang|weit|hoch|schwer) (?:ist|sind|ergibt|macht)"
    r"|combien (?:font|fait|ça fait|vaut|valent)|(?:ça|cela) fait combien|calcule[rz]?|convertis|"
    r"(?:à )?combien est égal"
    r"|¿?cu[aá]nto (?:es|son|hace|hacen|da|vale)|calcula|convierte|pasa)\s+",
    re.IGNORECASE,
)

_TAIL = re.compile(r"(?:\s*(?:=|\?|!|\.|please|bitte|um|pls|s['’]il te plaît|por favor))+\s*$", re.IGNORECASE)

_HOW_MANY = re.compile(
    r"(?:how many|how much|wie ?viele?|wie ?viel|combien de|combien d['’]|¿?cu[aá]nt[oa]s?)\s*"
    r"(?:degrees? |grad |degrés? |grados? )?(?P<unit>[^\W\d]+)\s+"
    r"(?:are there in|are in|is in|is there in|make up|sind in|is|are|in|ist|sind|hat|haben|"
    r"y a-t-il dans|il y a dans|font|fait|dans|hay en|son|es|tiene|tienen)\s+(?P<value>.+)",
    re.IGNORECASE,
)

# Words for signs; each stands between two values or before one.
_WORDS = tuple(
    (re.compile(pattern, re.IGNORECASE), sign)
    for pattern, sign in (
        (r"(\d+(?:\.\d+)?)\s*(?:%|percent|prozent)\s+off\s+(?:of\s+)?([\d.]+)\s*$", r"\2 - \1%"),
        (
            r"^(?:add|sum|addiere?|additionne[rz]?|ajoute[rz]?|suma[r]?) ([\d.]+) "
            r"(?:and|to|with|und|mit|zu|et|à|y|a|con) ([\d.]+)$",
            r"\1 + \2",
        ),
        (
            r"^(?:subtract|take|ziehe?|subtrahiere?|soustrais|enlève|resta) ([\d.]+) "
            r"(?:from|von|de|a) ([\d.]+)(?: ab)?$",
            r"\2 - \1",
        ),
        (
            r"^(?:multiply|multipliziere?|multiplie[rz]?|multiplica) ([\d.]+) "
            r"(?:by|with|and|mit|par|por) ([\d.]+)$",
            r"\1 * \2",
        ),
        (
            r"^(?:divide|dividiere?|teile?|divise[rz]?) ([\d.]+) (?:by|durch|par|entre|por) ([\d.]+)$",
            r"\1 / \2",
        ),
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
        (
            r"(?<=\d)\s+(?:split|shared) (?:between|among|by)\s+(\d+)(?: people| friends| of us| ways)?$",
            r" / \1",
        ),
        (r"(?<=\d)\s*(?:percent|prozent)\b", "%"),
        (r"(?<=\d)\s*(?:pour ?cent|por ?ciento)(?!\w)", "%"),
        (r"(?<=%)\s*(?:von|of|de|del|des?)\s+", " of "),
        (r"\b(?:degrees?|grad|degrés?|grados?)\s+(?=celsius|fahrenheit|c\b|f\b)", ""),
        (r"(?<=[\d)%])\s+(?:fois|multiplié par|por|multiplicado por)\s+(?=[\d(])", " * "),
        (r"(?<=[\d)%])\s+(?:divisé par|sur|entre|dividido (?:por|entre))\s+(?=[\d(])", " / "),
        (r"(?<=[\d)%\w])\s+(?:más|mas)\s+(?=[\d(])", " + "),
        (r"(?<=[\d)%\w])\s+(?:moins|menos)\s+(?=[\d(])", " - "),
        (r"\b(?:la )?(?:racine carrée|raíz cuadrada) de\s+\(?([\d.]+)\)?", r"sqrt(\1)"),
        (r"\s(?:nach|zu|into|to|as|en|a)\s+(?=[^\W\d]+\s*$)", " in "),
        (r"^(?:an?|one|eine?)\s+(?=[^\W\d])", "1 "),
        # A height as it is said: 6 foot 2, 5'11".
        (
            r"(\d+)\s*(?:foot|feet|ft|')\s*(\d+(?:\.\d+)?)\s*(?:inch(?:es)?|\"|'')?(?=\s+in\b|\s*$)",
            r"\1 ft + \2 inch",
        ),
    )
)

# Languages that write 1,5 where English writes 1.5.
_WITH_COMMA = re.compile(
    r"\b(?:was|wie ?viele?|berechne|rechne|wandle|von|mal|geteilt|durch|hoch|wurzel|prozent|bitte"
    r"|combien|calcule|fois|divisé|moins|cu[aá]nt[oa]s?|calcula|dividido|entre|menos|más|por)\b",
    re.IGNORECASE,
)

_THOUSANDS_OR_DECIMAL = re.compile(r"(?<![\d.,])\d{1,3}\.\d{3}(?![\d.,])")

# Numbers with a stroke between them that are mostly no sums: dates, ranges, scores, numbers of telephones.
_NO_SUM = re.compile(
    r"\d{1,2}[/-]\d{1,2}(?:[/-]\d{1,4})?|(?:1\d|20)\d\d[/-](?:(?:1\d|20)\d\d|\d\d(?:[/-]\d\d)?)|"
    r"\d+(?:-\d+){2,}|\d{2,}-\d{4,}"
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


# "And 62 miles in km?" behind another.
_GOES_ON = re.compile(r"^(?:and|n|und|et|y)\s+(?=\d)", re.IGNORECASE)


def sum_in(question: str) -> str | None:
    """The expression for the calculator, which may still refuse it; None where it is no sum."""
    asked, has_lead = _without_lead(question)
    if asked.replace(" ", "") in {each.replace(" ", "") for each in _IDIOMS}:
        return None
    if not has_lead and _NO_SUM.fullmatch(asked):
        return None
    if ":" in asked:
        return None
    has_comma = _WITH_COMMA.search(question) is not None
    # A wrong sum is worse than none: the model may ask.
    if has_comma and _THOUSANDS_OR_DECIMAL.search(asked):
        return None  # 1.000 is a thousand or one
    written = _with_signs(_points(asked, has_comma))
    if not _ALLOWED.fullmatch(written) or _VALUE.search(written) is None:
        return None
    return written if _is_sum(written) or _CONVERSION.match(written) else None


def _without_lead(question: str) -> tuple[str, bool]:
    """The question without the words around it, and whether those say that something is to be worked out."""
    asked = _GOES_ON.sub("", _TAIL.sub("", question).strip())
    has_lead = question.rstrip().endswith("=")
    many = _HOW_MANY.fullmatch(asked)
    if many is not None:
        return f"{_one(many['value'])} in {many['unit']}", True
    lead = _LEAD.match(asked)
    if lead is not None:
        return re.sub(r"^(?:el|la|le) (?=\d)", "", asked[lead.end() :].strip()), True
    return asked, has_lead


def _one(value: str) -> str:
    return re.sub(r"^(?:an?|one|eine?[mnr]?)\s+", "1 ", value, flags=re.IGNORECASE)


def _points(text: str, has_comma: bool) -> str:
    """A comma between digits is a point, except where three digits follow in English, or in a function."""
    if _FUNCTION.search(text):
        return text
    if has_comma or re.search(r"\d\.\d{3},\d", text):
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


_TIME = re.compile(
    r"(?:what(?:'s|’s|s| is) the (?:current |local )?time|what time is it|(?:current |local )?time"
    r"|wie ?spät ist es|wie ?viel uhr ist es|uhrzeit"
    r"|quelle heure (?:est[- ]il|il est)|il est quelle heure|¿?qué hora (?:es|tienes|son))"
    r"(?: (?:right )?now| jetzt| gerade| maintenant| ahora)?"
    r"(?:\s+(?:in|à|au|aux|en)\s+(?P<place>[^\d?]+?))?"
    r"(?: (?:right )?now| jetzt| gerade| maintenant| ahora)?\s*\??",
    re.IGNORECASE,
)

_TODAY = re.compile(
    r"(?:what(?:'s|’s|s| is) (?:today'?s date|the date(?: today)?|the day today)"
    r"|(?:what|which) (?:day|date) is (?:it|today)(?: today)?|today'?s date"
    r"|welche[rs] (?:tag|datum) (?:ist|haben wir)(?: heute)?|was für ein tag ist heute"
    r"|den wievielten haben wir(?: heute)?)\s*\??",
    re.IGNORECASE,
)

_WHICH = re.compile(
    r"(?:(?:what|which) (?:date|day|weekday|day of the week) (?:is|will it be|falls|does)\s*(?:it |on )?"
    r"|what(?:'s|’s| is) the date (?:of )?|welche[rs] (?:datum|tag|wochentag) ist (?:der |am )?"
    r"|wann ist |when is )(?P<when>.+?)(?: fall on| on)?\s*\??",
    re.IGNORECASE,
)

_PAST_DAY = re.compile(
    r"(?:(?:on )?(?:what|which) (?:day|weekday|date|day of the week) (?:was|did|is|does|will)(?: it)?(?: on)?"
    r"|what was the (?:date|day)(?: of| on)?|(?:welcher|was für ein|an welchem|auf welchen) (?:wochen)?tag "
    r"(?:war|ist|fiel|liegt|fällt)(?: es)?(?: am)?"
    r"|quel jour (?:de la semaine )?(?:était|est|était-ce|tombe|tombait)(?: le)?|¿?qué día (?:de la semana )?"
    r"(?:fue|era|es|cae|cayó)(?: el)?)\s+"
    r"(?:the |der |den |le |el )?(?P<when>.+?)(?: (?:fall|be|land)(?: on)?)?\s*\??",
    re.IGNORECASE,
)
_DAY_WRITTEN = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"),
    re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})"),
    re.compile(
        r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er)?(?: of| de)? (?P<name>[^\W\d]+),?(?: de| of)? (?P<year>\d{4})"
    ),
    re.compile(r"(?P<name>[^\W\d]+) (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"),
)
_AGO = re.compile(r"(?P<count>\d+) (?P<unit>days?|weeks?) ago|vor (?P<zahl>\d+) (?P<einheit>tagen?|wochen?)")
_LAST = re.compile(r"(?:last|letzte[rn]?|vergangene[rn]?) (?P<name>[^\W\d]+)")
_OWN_MONTHS = {
    name: number
    for names in (
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for number, name in enumerate(names.split(), 1)
}


def _day_gone(when: str, today: date) -> date | None:
    """A day of any year that is written out, or one before today; None where the words are not understood."""
    words = " ".join(when.casefold().split())
    if words in ("yesterday", "gestern", "hier", "ayer"):
        return today - timedelta(days=1)
    ago = _AGO.fullmatch(words)
    if ago is not None:
        count, unit = int(ago["count"] or ago["zahl"]), (ago["unit"] or ago["einheit"])
        return today - timedelta(days=count * (7 if unit[0] == "w" else 1)) if count < MOST_AGO else None
    last = _LAST.fullmatch(words)
    if last is not None and last["name"] in WEEKDAY:
        return today - timedelta(days=(today.weekday() - WEEKDAY[last["name"]]) % 7 or 7)
    feast = re.fullmatch(r"(?P<name>.+?) (?P<year>\d{4})", plain(words))
    if feast is not None and feast["name"] in HOLIDAYS:
        return holiday(feast["name"], int(feast["year"]))
    return _written_day(words)


def _written_day(words: str) -> date | None:
    words = " ".join(words.casefold().split())
    found = next((match for each in _DAY_WRITTEN if (match := each.fullmatch(words)) is not None), None)
    return _date_of(found.groupdict()) if found is not None else None


def _date_of(said: Mapping[str, str | None]) -> date | None:
    name = said.get("name")
    month = MONTH.get(plain(name)) or _OWN_MONTHS.get(name) if name else int(said["month"] or 0)
    try:
        return date(int(said["year"] or 0), month or 0, int(said["day"] or 0))
    except ValueError:  # 30 February
        return None


_UNTIL = re.compile(
    r"(?:how many |wie ?viele )?(?P<unit>days|weeks|tage|wochen)\s+"
    r"(?:are (?:there |left )?|(?:is|sind)(?: ?e?s)? |left |noch |dauert es )*"
    r"(?:until|till|to|before|bis|bis zu[mr]?)\s+(?P<when>.+?)\s*\??"
    r"|(?:how long (?:is it )?(?:until|till)|wie lange (?:ist es )?(?:noch )?bis)\s+(?P<other>.+?)\s*\??"
    r"|(?:combien de|¿?cu[aá]nt[oa]s) (?P<unit2>jours|semaines|días|dias|semanas) "
    r"(?:y a-t-il |reste-t-il |il reste |avant |faltan |quedan |hay )*"
    r"(?:jusqu['’](?:à|au) |avant |para |hasta )?(?P<when2>.+?)\s*\??",
    re.IGNORECASE,
)

_COUNTED = re.compile(
    r"(?:how many )?(?:days|weeks|months|years) (?:since|between|until|till) [\d\s.and-]+\??", re.IGNORECASE
)

_CLOCK = (
    r"(?P<{0}_h>\d{{1,2}})(?:(?:[:.h]|\s*uhr\s*)(?P<{0}_m>\d{{2}}))?\s*"
    r"(?P<{0}_half>am|pm)?(?:\s*(?:uhr|h)\b)?"
)
_SPAN = re.compile(
    r"(?:(?:how (?:long|many hours)|what time|wie (?:lange|viele? stunden|viel zeit)|combien (?:de temps|"
    r"d['’]heures)|¿?cu[aá]nt(?:o tiempo|as horas)|hours|stunden|heures|horas)\b[^\d]*?)?"
    rf"\b(?:from|between|von|zwischen|de|entre|desde)\s+(?:las? )?{_CLOCK.format('a')}"
    r"\s*(?:to|until|till|and|bis|und|à|et|jusqu['’]à|a|y|hasta|-)\s*(?:las? )?"
    rf"{_CLOCK.format('b')}\s*\??",
    re.IGNORECASE,
)
_IS_TIME = re.compile(
    r"\d[:h.]\d\d|\d\s*(?:am|pm|uhr|h)\b|hour|stunde|heure|hora|long|lange|temps|tiempo", re.IGNORECASE
)
_BOTH_DAYS = re.compile(
    r".*?\b(?:between|from|zwischen|von|entre|du|de|del)\s+(?:the |dem |le |el )?"
    r"(?P<one>\d.*?\d{4}|[^\W\d]+ \d.*?\d{4})"
    r"\s+(?:and|to|until|und|bis|et|au|y|al|hasta)\s+(?:the |dem |zum |le |el )?(?P<other>\S.*?\d{4})\s*\??",
    re.IGNORECASE,
)
_COUNTS_DAYS = re.compile(r"\b(?:days|tage|jours|días|dias)\b", re.IGNORECASE)
_HALF_DAY_H = 12


def _clock_span(question: str) -> str | None:
    """How long it is from one time of a day to another, over midnight where the second is earlier."""
    found = _SPAN.fullmatch(question)
    if found is None:
        return None
    minutes = [_minutes(found, "a"), _minutes(found, "b")]
    # "From 3 to 5" may be anything; a time has its minutes, "am" or "Uhr" somewhere.
    is_time = _IS_TIME.search(question)
    if None in minutes or not is_time:
        return None
    first, second = (each or 0 for each in minutes)
    hours, rest = divmod((second - first) % (24 * 60), 60)
    parts = [f"{hours} hour{'s' * (hours != 1)}"] if hours else []
    parts += [f"{rest} minute{'s' * (rest != 1)}"] if rest or not hours else []
    times = (f"{each // 60}:{each % 60:02}" for each in (first, second))
    return "From {} to {}: {}.".format(*times, " ".join(parts))


def _minutes(found: re.Match[str], which: str) -> int | None:
    hour, minute, half = int(found[f"{which}_h"]), int(found[f"{which}_m"] or 0), found[f"{which}_half"]
    if half and hour <= _HALF_DAY_H:
        hour = hour % _HALF_DAY_H + _HALF_DAY_H * (half.casefold() == "pm")
    return hour * 60 + minute if hour <= 24 and minute < 60 else None


def _days_between(question: str) -> str | None:
    """How many days lie between two dates that are written out."""
    found = _BOTH_DAYS.fullmatch(question)
    if found is None or not _COUNTS_DAYS.search(question):
        return None
    one, other = (_written_day(found[each]) for each in ("one", "other"))
    if one is None or other is None:
        return None
    count = abs((other - one).days)
    return f"From {_day(one)} to {_day(other)}: {count} day{'s' * (count != 1)}."


# What stands in every question for a day that is counted from another.
_OF_A_DAY = re.compile(
    r"\b(?:date|(?:week)?day|datum|(?:wochen)?tag|wievielten?|jour|combien|fecha|d[ií]a)\b", re.IGNORECASE
)
_COUNTS_ON = re.compile(
    r"\b(?:in|from|after|before|ago|hence|vor|nach|ab|dans|d['’]ici|apr[eè]s|avant|il y a|dentro|en|desde|"
    r"hace|antes|después)\b",
    re.IGNORECASE,
)
_THIS_YEAR = re.compile(
    r",? (?:this year|(?:in )?diese[sm] jahr|cette année|(?:de )?este año)$", re.IGNORECASE
)
_ONLY_DAY = re.compile(
    r"\b(?:at|um|noon|midnight|am|pm|uhr|hours?|minutes?|seconds?|stunden?|minuten?)\b|\d:\d"
)


class Dates:
    """Any thread."""

    def __init__(self, calculator: Calculator, now: Callable[[], datetime]) -> None:
        self._calculator = calculator
        self._now = now

    def here(self, question: str) -> str | None:
        """What time or day it is."""
        if _TODAY.fullmatch(question):
            return f"Today is {_day(self._now().date())}."
        found = _TIME.fullmatch(question)
        asks = re.search(r"\b(?:is|ist|what'?s|quelle|qué)\b|uhrzeit", question, re.IGNORECASE)
        if found is None or found["place"] or not asks:
            return None
        now = self._now()
        return f"It is {now:%H:%M}, {_day(now.date())}."

    def elsewhere(self, question: str) -> str | None:
        """What time it is in a place that is known."""
        found = _TIME.fullmatch(question)
        zone = zone_of(found["place"]) if found and found["place"] else None
        if found is None or zone is None:
            return None
        there = self._now().astimezone(zone)
        return f"It is {there:%H:%M} in {found['place'].strip()}, {_day(there.date())} (UTC{_offset(there)})."

    def day(self, question: str) -> str | None:
        """Which day something is or was, or how far away."""
        span = _clock_span(question) or _days_between(question)
        if span is not None:
            return span
        past = _PAST_DAY.fullmatch(question)
        if past is not None and (gone := _day_gone(past["when"], self._now().date())) is not None:
            return f"{_day(gone)}."
        if _COUNTED.fullmatch(question):
            return self._counted(question)
        until = _UNTIL.fullmatch(question)
        if until is not None:
            romance = until["when2"] or ""
            # Both languages write some words alike, and each leaves the other's as they are.
            when = until["when"] or until["other"] or in_english(in_english(romance, "fr"), "es")
            return _until(when, until["unit"] or until["unit2"] or "days", self._now())
        if _OF_A_DAY.search(question) and _COUNTS_ON.search(question):
            from desktop.chat.counted_days import day_counted

            now = self._now()
            if (day := day_counted(question, now.date(), lambda said: _named_day(said, now))) is not None:
                return _told(day, now)
        which = _WHICH.fullmatch(question)
        return _which(which["when"], self._now()) if which is not None else None

    def _counted(self, question: str) -> str | None:
        asked = re.sub(r"^how many ", "", question.rstrip("? "), flags=re.IGNORECASE)
        try:
            return f"{asked[0].upper()}{asked[1:]}: {shown(self._calculator.value(asked))}"
        except UserFacing:
            return None


def _offset(at: datetime) -> str:
    offset = f"{at:%z}"
    return f"{offset[:3]}:{offset[3:5]}"


def _named_day(when: str, now: datetime) -> date | None:
    """A day to come, or today by name; None where the words say an hour, or are not understood."""
    when = _THIS_YEAR.sub("", when.strip())
    words = plain(when)
    # Asked on the day itself, Christmas is today and not in a year.
    if words in HOLIDAYS and holiday(words, now.year) == now.date():
        return now.date()
    if _ONLY_DAY.search(words):
        return None
    try:
        return read_time(when, now, thorough=False).at.date()
    except UserFacing:
        return None


def _until(when: str, unit: str, now: datetime) -> str | None:
    day = _named_day(when, now)
    if day is None:
        return None
    days = (day - now.date()).days
    if unit.casefold() in ("weeks", "wochen", "semaines", "semanas"):
        weeks, rest = divmod(days, 7)
        words = f"{weeks} week{'s' * (weeks != 1)}" + (f" and {rest} day{'s' * (rest != 1)}" if rest else "")
    else:
        words = f"{days} day{'s' * (days != 1)}"
    return f"{words} until {_day(day)}."


def _which(when: str, now: datetime) -> str | None:
    day = _named_day(when, now)
    if day is None or re.fullmatch(r"\d+", when.strip()):
        return None
    return _told(day, now)


def _told(day: date, now: datetime) -> str:
    """The day, and how far away it is."""
    at = datetime(day.year, day.month, day.day, now.hour, now.minute, now.second, tzinfo=now.tzinfo)
    far = "today" if day == now.date() else distance(at, now.replace(microsecond=0))
    return f"{_day(day)} ({far})."


def _day(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"
