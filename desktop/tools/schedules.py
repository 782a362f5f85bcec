"""Questions that Steward puts to itself: "every weekday at 8: what is in my notes for today?"

`schedule_in` tells in such a request which words are the time and which are the question; `Scheduling` is the
tool that sets it. What sets one is kept with the reminders and comes due by their clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.reasons import ENGLISH, GERMAN, Reason
from desktop.tools.reasons import ToolReason
from desktop.tools.recurrence import moment_reason
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.reminders import Reminder, Reminders
from desktop.tools.time_translations import language_of
from desktop.tools.times import Moment, local_now
from desktop.tools.tool import Plan, Tool, tool

LONGEST_REQUEST = 600  # characters
MOST_TIME_WORDS = 12
_EDGE = " ,:-–"
_LEAD = re.compile(
    r"(?:(?:hey|ok|please|bitte|s['’]il (?:te|vous) plaît|por favor)[, ]+)?(?:(?:can|could|kannst|könntest) "
    r"(?:you|du) |(?:peux-tu|pouvez-vous|¿?puedes|¿?podrías) )?(?:(?:bitte|please) )?(?:(?:ask(?: yourself| "
    r"me)?|schedule(?: (?:a|this) question)?|plane?)\b(?: for)?[,:]?\s+)?",
    re.IGNORECASE,
)
_REMINDS = re.compile(
    r"(?:remind me|erinnere? mich|rappelle(?:z)?[- ]moi|recu[ée]rdame)\b,?\s*(?:(?:to|that|about|of|daran,?"
    r"|dass|an(?: de[nm]| die| das)?|de|d['’]|que|sobre)(?:\b|(?<=['’])),?\s*)*",
    re.IGNORECASE,
)
# Wishes to be told something; what only reads may run while nobody is there.
_WISHES = (
    r"(?:please |bitte )?(?:tell me|show me|show|list|give me|summari[sz]e|sum up|read|search|look|check|find"
    r"|count|compare|explain|describe|say|name|suggest|translate|sage? mir|sage?|zeige? mir|zeige?|nenne? mir"
    r"|nenne?|liste mir|liste|fasse?|lies|lese|suche?|schaue?|prüfe?|finde?|zähle?|vergleiche?|erkläre?"
    r"|beschreibe?|gib mir|übersetze?|dis[- ]moi|montre(?:[- ]moi)?|donne[- ]moi|résume(?:[- ]moi)?|lis(?:[- "
    r"]moi)?|cherche|regarde|vérifie|trouve|compte|décris|traduis|propose|dime|muéstrame|muestra|dame|resume"
    r"|resúmeme|lee|léeme|busca|mira|revisa|encuentra|cuenta|explica|traduce|enumera)\b"
)
_WISH = re.compile(_WISHES, re.IGNORECASE)
_WHOLE_WISH = re.compile(_WISHES.removesuffix(r"\b"), re.IGNORECASE)
_QUESTION = re.compile(
    r"¿?(?:what|which|who|where|when|why|how|was|welche[nrsm]?|wer|wem|wen|wo|wann|warum|wieso|wie"
    r"|qu['’](?=\w)|que(?= \w+[- ])|quel(?:le)?s?|quoi|qui|où|quand|pourquoi|comment|combien"
    r"|qué|cuál(?:es)?|quién(?:es)?|dónde|cuándo|por qué|cómo|cuánt[oa]s?)(?:\b|(?<=['’]))",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"(?:please |bitte )?(?:delete|remove|write|save|move|rename|copy|send|create|make|run|start|install"
    r"|empty|clean|back ?up|lösche?|entferne?|schreibe?|speichere?|verschiebe?|kopiere?|sende?|schicke?"
    r"|erstelle?|starte?|führe|installiere?|leere?|räume?|sichere?"
    r"|supprime|efface|écris|enregistre|déplace|renomme|copie|envoie|crée|lance|démarre|vide|nettoie|sauvegarde"
    r"|borra|elimina|escribe|guarda|mueve|renombra|copia|envía|crea|ejecuta|instala|vacía|limpia)\b",
    re.IGNORECASE,
)
_CHORES = re.compile(
    r"(?:please |bitte )?(?:empty|clean|start|make|leere?|räume?|starte?|vide|nettoie|lance|démarre|vacía"
    r"|limpia)\b",
    re.IGNORECASE,
)
_OF_COMPUTER = re.compile(
    r"\b(?:files?|folders?|downloads?|inbox|trash|bin|desktop|cache|backups?|workspace|notes?|lists?|programs?|"
    r"scripts?|servers?|builds?|tests?|summary|report|datei\w*|ordner\w*|papierkorb|notizen|liste|programm\w*|"
    r"skript\w*|"
    r"fichiers?|dossiers?|corbeille|notes|liste|programme|script|serveur|archivos?|carpetas?|papelera|notas|lista|"
    r"programa|servidor)\b|\.\w{2,4}\b",
    re.IGNORECASE,
)
# "Kannst du mir jeden Montag um 9 sagen, was …"
_SAYING = re.compile(r"(?:sagen|zeigen),?\s+", re.IGNORECASE)
_GERMAN = re.compile(
    r"\b(?:jede[nrsm]?|täglich|werktäglich|wöchentlich|monatlich|jährlich|alle|um|uhr|am|werktags|wochentags|"
    r"(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs)\b",
    re.IGNORECASE,
)
_TOO_OFTEN = "time-too-often"


class ScheduleWish(Enum):
    """What a request with a time that repeats wants."""

    ASK = auto()  # a question, put again and again
    REMIND = auto()
    ACT = auto()  # something that does more than read


@dataclass(frozen=True)
class ScheduleRequest:
    """`when` are the words of the time; `text` is the question, or what to remind of. `refusal` is why the
    time cannot be."""

    wish: ScheduleWish
    text: str
    when: str
    refusal: Reason | None = None

    @property
    def language(self) -> str:
        """The language of the words for the time: English, German, "fr" or "es"."""
        return language_of(self.when) or (GERMAN if _GERMAN.search(self.when) else ENGLISH)


@dataclass(frozen=True)
class _Parted:
    """A way to part the time from the rest. `is_plain`: a colon parts them. `ends`: the time comes last."""

    when: str
    rest: str
    is_plain: bool = False
    ends: bool = False


def schedule_in(text: str, now: datetime) -> ScheduleRequest | None:
    """None where it asks for no such thing, or the time or the question cannot be told."""
    if len(text) > LONGEST_REQUEST or "\n" in text.strip():
        return None
    asked = _LEAD.sub("", " ".join(text.split()), count=1)
    for parted in _ways(asked):
        when, rest = parted.when.strip(_EDGE), parted.rest.strip(_EDGE)
        try:
            moment = read_when(when, now, thorough=False)
        except UserFacing as error:
            if parted.is_plain and error.code == _TOO_OFTEN and _wish_of(rest, parted) is not None:
                return ScheduleRequest(ScheduleWish.ASK, rest, when, error.reason)
            continue
        wish = _wish_of(rest, parted) if moment.repeats is not None and rest else None
        # "Every Monday I go running" tells something; only with its hour, or a colon, is it a wish.
        if wish is not None and (parted.is_plain or not moment.note):
            rest = _REMINDS.sub("", rest, count=1) if wish is ScheduleWish.REMIND else rest
            return ScheduleRequest(wish, rest, when)
    return None


def _ways(text: str) -> Iterator[_Parted]:
    when, colon, rest = text.partition(": ")
    if colon:
        yield _Parted(when, rest, is_plain=True)
    commas = [found.start() for found in re.finditer(", ", text)]
    # With its commas, the longest first: "every Mon, Wed and Fri at 8, tell me …".
    for at in reversed(commas):
        yield _Parted(text[:at], text[at + 2 :])
    for at in commas:
        yield _Parted(text[at + 2 :].rstrip("?.! "), f"{text[:at]}?", ends=True)
    words = text.split()
    most = min(MOST_TIME_WORDS, len(words) - 1)
    for count in range(most, 1, -1):
        yield _Parted(" ".join(words[:count]), " ".join(words[count:]))
        yield _Parted(" ".join(words[-count:]).rstrip("?.! "), " ".join(words[:-count]), ends=True)
    yield from _within(words)


def _within(words: Sequence[str]) -> Iterator[_Parted]:
    """`Sag mir jeden Montag um 9, was in todo.txt steht`: behind the verb, as German has it."""
    for start in (1, 2, 3):
        head = " ".join(words[:start])
        is_saying = head.casefold() == "mir"
        if not is_saying and _WHOLE_WISH.fullmatch(head) is None:
            continue
        for end in range(min(len(words) - 1, start + MOST_TIME_WORDS), start + 1, -1):
            rest = " ".join(words[end:])
            if is_saying:
                said = _SAYING.match(rest)
                rest = rest[said.end() :] if said is not None else ""
            comma = "," if words[end - 1].endswith(",") and not is_saying else ""
            yield _Parted(" ".join(words[start:end]), rest if is_saying else f"{head}{comma} {rest}")


def _wish_of(rest: str, parted: _Parted) -> ScheduleWish | None:
    if _REMINDS.match(rest):
        return ScheduleWish.REMIND
    if _WISH.match(rest):
        return ScheduleWish.ASK
    is_question = rest.endswith("?")
    # "What happens every Monday at 9?" asks about a time and names none for itself.
    if _QUESTION.match(rest) and (not parted.ends or is_question):
        return ScheduleWish.ASK
    if parted.is_plain and is_question:
        return ScheduleWish.ASK
    if _ACTS.match(rest) is None:
        return None
    # Filters and flats are cleaned by the user.
    is_chore = _CHORES.match(rest) is not None and _OF_COMPUTER.search(rest) is None
    return ScheduleWish.REMIND if is_chore else ScheduleWish.ACT


class Scheduling:
    """Any thread."""

    def __init__(self, reminders: Reminders, now: Callable[[], datetime] = local_now) -> None:
        self._reminders = reminders
        self._now = now

    def tool(self) -> Tool:
        return tool(
            self.schedule_question, Effect.CREATE, verb=ToolReason.VERB_SCHEDULE_QUESTION, plan=self._plan
        )

    def schedule_question(self, question: str, when: str) -> str:
        """Ask a question by itself again and again.

        when: the user's own words for how often and when
        """
        return self.said(self.add(question, when), when)

    def add(self, question: str, when: str) -> Reminder:
        """Keep it. Raises UserFacing where the time is not clear, or does not repeat."""
        moment = self._moment(when)
        return self._reminders.add(question, moment.at, moment.repeats, asks=True)

    def said(self, schedule: Reminder, when: str) -> str:
        """What was set, in the language of `when`."""
        assert schedule.repeats is not None
        reason = ToolReason.SCHEDULE_SET.of(
            repeats=schedule.repeats.in_words(),
            question=schedule.text,
            next=moment_reason(schedule.due),
            number=schedule.id,
        )
        return reason.in_language(GERMAN if _GERMAN.search(when) else ENGLISH)

    def _moment(self, when: str) -> Moment:
        try:
            moment = read_when(when, self._now(), thorough=False)
        except UserFacing as error:
            # The same of a time that is to come again, whose ways to say it are others.
            if error.reason.code is ToolReason.TIME_UNCLEAR:
                raise UserFacing(ToolReason.SCHEDULE_UNCLEAR.of(**dict(error.reason.values))) from error
            if error.reason.code is ToolReason.TIME_UNCLEAR_BECAUSE:
                said = dict(error.reason.values)
                raise UserFacing(ToolReason.SCHEDULE_UNCLEAR_BECAUSE.of(**said)) from error
            raise
        if moment.repeats is None:
            raise UserFacing(ToolReason.SCHEDULE_ONCE.of())
        return moment

    def _plan(self, question: str, when: str) -> Plan:
        moment = self._moment(when)
        assert moment.repeats is not None
        says = ToolReason.ASKS_BY_ITSELF.of(repeats=moment.repeats.in_words())
        return Plan(ToolReason.ASK_SCHEDULE.of(), says, Effect.CREATE, parts=(question,), own_notes=True)
