"""Memory as the rest of the program uses it: one object, made once and closed at the end.

`parse_request` tells whether what the user typed is a wish about memory, and `Memory.fulfil` does it. Only
the text of the user's own message is ever handed in there: a page or a file that says "remember that the user
wants …" is a quotation, and no wish.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING

from desktop.database import Connection, Database, Row
from desktop.events import Bus
from desktop.gate.redaction import Cleaner, Redactor
from desktop.memory.capture import CaptureMode, EventKind, MemoryCapture, StoredEvent
from desktop.memory.context import Assembler
from desktop.memory.current_statements import Statements
from desktop.memory.events import MemoryChanged, MemoryForgotten
from desktop.memory.forgetting import ForgetPlan, Forgetting, forget_request, request_beginnings
from desktop.memory.hindsight.fixes import same_goal
from desktop.memory.hindsight.hindsight import Hindsight
from desktop.memory.hindsight.problems import MeaningCache
from desktop.memory.hindsight.signature import normalised_error, read_causes
from desktop.memory.item import Item, Layer, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.reasons import MemoryReason
from desktop.memory.search import AnswerReader, Hit, Ranker, Search
from desktop.memory.statement_patterns import any_case
from desktop.memory.statements import read_statements
from desktop.memory.store import MemoryStore, View
from desktop.memory.text import holds_secret, read_vocabulary
from desktop.paths import resources
from desktop.reasons import ENGLISH, GERMAN, Reason

if TYPE_CHECKING:
    from desktop.memory.shared.team import Team


SHOWN_OF_PLAN = 12  # memories that a wish to forget would take; of more, the latest
SHOWN_OF_ITEM = 120  # characters
_NUMBER = re.compile(r"\d{1,18}")


class RequestKind(Enum):
    REMEMBER = "remember"
    FORGET = "forget"


@dataclass(frozen=True)
class MemoryRequest:
    """What is to be kept or forgotten. `standing`: it says how to behave from now on, and belongs in every
    context.
    """

    want: RequestKind
    text: str
    layer: Layer = Layer.USER
    standing: bool = False
    german: bool = False
    language: str = ""  # of the wish, where it is French or Spanish
    is_agreed: bool = False  # to keep a secret, after the question where it would lie
    is_straight: bool = True  # in so many words; else what it would take is shown before anything goes
    if_remembered: bool = False  # a wish only where it names what is remembered; else a file's, or talk


@dataclass(frozen=True)
class MemoryReply:
    """What became of a wish, in words for the user. `items` are those stored, forgotten, or to
    choose from."""

    says: str
    items: tuple[Item, ...] = ()
    done: bool = True
    plan: ForgetPlan | None = None  # what was forgotten, or will be once the user has said yes


@dataclass(frozen=True)
class Spoken:
    """One turn of a conversation as it is kept; `origin` names where words of others come from."""

    speaker: str
    text: str
    source: MemorySource
    origin: str = ""


@dataclass(frozen=True)
class RecallSources:
    """What is asked beside the words of this computer's own memory.

    `team` is the memory of a group, None while none is set up; `meaning` gives a text's meaning as numbers,
    () while that is off; `reader` reads memories together with a question, None while no model can.
    """

    rankers: tuple[Ranker, ...] = ()
    team: Callable[[], Team | None] = lambda: None
    meaning: Callable[[str], Sequence[float]] | None = None
    reader: Callable[[], AnswerReader | None] = lambda: None


class Memory:
    """All methods may be called on any thread; none is fit for the main thread while much is stored."""

    def __init__(
        self,
        database: Database,
        redactor: Redactor,
        sources: RecallSources | None = None,
        mode: Callable[[], CaptureMode] = CaptureMode,
        clock: Callable[[], float] = time.time,
        bus: Bus | None = None,
    ) -> None:
        """`database` has been opened with `memory.migrations.MIGRATIONS`."""
        tables, sources = resources() / "memory", sources or RecallSources()
        self.cleaner = Cleaner(redactor)
        statements = Statements(
            read_statements(tables / "facts.toml", read_vocabulary(tables / "words.toml"))
        )
        bus = bus or Bus()
        self.store = MemoryStore(
            database,
            self.cleaner,
            statements,
            clock,
            changed=lambda: bus.publish(MemoryChanged()),
            forgotten=lambda ids: bus.publish(MemoryForgotten(ids)),
        )
        self.search = Search(self.store, sources.rankers, clock, sources.reader)
        self.forgetting = Forgetting(self.store, self.search)
        self.assembler = Assembler(self.store, self.search, team=sources.team)
        causes = read_causes(tables / "errors.toml")
        meaning = MeaningCache(sources.meaning) if sources.meaning is not None else None
        self.hindsight = Hindsight(database, self.cleaner, causes, clock, meaning)
        self.distiller = Distiller(database, self.store)
        self.capture = MemoryCapture(database, self.cleaner, mode, self._distil, clock)

    def close(self) -> None:
        """Write what is waiting and end the notes thread. Safe to call twice; before the database closes."""
        self.capture.close()

    # -- what is said -------------------------------------------------------------------------

    def record(
        self, thread: str, speaker: str, text: str, source: MemorySource, project: str = "", origin: str = ""
    ) -> tuple[int, ...]:
        """Keep one turn of a conversation word for word: of a project for that project, else for the user.

        `text` is what was typed or answered, never a block of memory or a prompt.
        """
        return self.record_all(thread, (Spoken(speaker, text, source, origin),), project)[0]

    def record_all(
        self, thread: str, said: Sequence[Spoken], project: str = ""
    ) -> tuple[tuple[int, ...], ...]:
        """Keep what was said one after another in one transaction; the ids of each, in order."""
        layer = Layer.PROJECT if project else Layer.USER
        return self.store.add_each(
            NewItem(
                *(each.text, layer, project, MemoryKind.EPISODE, each.source),
                speaker=each.speaker,
                thread=thread,
                origin=each.origin,
            )
            for each in said
        )

    def fulfil(self, wish: MemoryRequest, session: str = "", project: str = "") -> MemoryReply:
        """Do what the user typed: `parse_request` makes the wish. Raises UserFacing."""
        if wish.want is RequestKind.FORGET:
            return self._forget(wish, View.of(session, project))
        scope = {Layer.SESSION: session, Layer.PROJECT: project}.get(wish.layer, "")
        if not wish.is_agreed and holds_secret(wish.text):
            where = self.store.database.folder
            return MemoryReply(_said(MemoryReason.SECRET_TO_KEEP.of(folder=where), wish.german), done=False)
        # A wish for this project or chat where there is none counts for the user.
        layer = wish.layer if scope or wish.layer is Layer.USER else Layer.USER
        status = MemoryStatus.PINNED if wish.standing else MemoryStatus.KEPT
        item = self.store.add(NewItem(wish.text, layer, scope, status=status, is_agreed=wish.is_agreed))
        return MemoryReply(self._kept(item, wish.german), (item,))

    # -- all of it ----------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Items of each kind, events not yet distilled away, known fixes, and what capture had to drop."""
        events = self.store.database.read(
            lambda c: c.execute("SELECT count(*) FROM memory_events").fetchone()
        )
        kinds = {f"{kind.value}s": self.store.counts().get(kind.value, 0) for kind in MemoryKind}
        return {
            **kinds,
            "events": int(events[0]),
            "known_fixes": len(self.hindsight.fixes()),
            "events_dropped": self.capture.figures.dropped,
        }

    def figures(self) -> dict[str, float]:
        """For the page of figures; takes no disk."""
        assembly, capture = self.assembler.figures, self.capture.figures
        return {
            "memory_assembled": assembly.assembled,
            "memory_assembly_p95_s": assembly.p95_ms / 1000,
            "memory_budget_use": assembly.budget_use,
            "memory_captured": capture.written,
            "memory_waiting": capture.waiting,
            "memory_dropped": capture.dropped,
            "memory_failed": capture.failed,
            "memory_capture_p99_s": capture.p99_ms / 1000,
            "memory_hindsight_p95_s": self.hindsight.p95_ms / 1000,
        }

    def forget(self, ids: Sequence[int]) -> int:
        """Delete items for good, also from what was assembled."""
        count = self.store.forget(ids)
        self.assembler.forget_cache()
        return count

    def carry_out(self, plan: ForgetPlan, german: bool = False) -> MemoryReply:
        """Forget what a plan takes, for good; the reply repeats nothing of it."""
        count = self.forgetting.carry_out(plan)
        self.assembler.forget_cache()
        done = MemoryReason.FORGOTTEN if plan.items else MemoryReason.FORGOTTEN_IN_CHATS
        return MemoryReply(_said(done.of(count=count), german), plan.items, plan=plan)

    def shown(self, plan: ForgetPlan, german: bool = False) -> MemoryReply:
        """What a plan would take, in words; nothing goes yet."""
        return MemoryReply(_preview(plan, german), plan.items, done=False, plan=plan)

    def forget_conversation(self, thread: str) -> tuple[Item, ...]:
        """Delete what was said in a conversation and what was to count in it alone; returns it, so that
        `store.restore` can bring it back.
        """
        gone = self.store.of_thread(thread)
        self.forget([item.id for item in gone])
        return gone

    def forget_everything(self) -> MemoryReply:
        """Delete all that is remembered; names the copies that it cannot reach into."""
        count = self.store.forget_everything()
        # Events and fixes too: they are made of what was done, and would bring it back.
        self.capture.forget_everything()
        self.hindsight.forget_everything()
        self.assembler.forget_cache()
        says = str(MemoryReason.ALL_DELETED.of(count=count))
        backups = self.store.backups()
        if backups:
            names = ", ".join(path.name for path in backups)
            says += f" {MemoryReason.COPIES_LEFT.of(names=names, folder=backups[0].parent)}"
        return MemoryReply(says)

    # -- inside -------------------------------------------------------------------------------

    def _distil(self) -> None:
        self.distiller.distil_due()

    def _kept(self, item: Item, german: bool) -> str:
        if item.supersedes is None:
            return _said(MemoryReason.REMEMBERED.of(text=item.text), german)
        older = self.store.get(item.supersedes)
        replaced = MemoryReason.REMEMBERED_INSTEAD.of(text=item.text, day=older.date, older=older.text)
        return _said(replaced, german)

    def _forget(self, wish: MemoryRequest, view: View) -> MemoryReply:
        number = item_number(wish.text)
        if number is not None:
            found = self._numbered(number, view)
            plan = self.forgetting.plan_of(found[0]) if found else None
        else:
            plan = self.forgetting.plan(wish.text)
        if plan is None or not plan.items:
            return MemoryReply(_said(MemoryReason.NOTHING_ABOUT_THAT.of(), wish.german), done=False)
        if (plan.is_plain and wish.is_straight) or number is not None:
            return self.carry_out(plan, wish.german)
        return self.shown(plan, wish.german)

    def _numbered(self, item_id: int, view: View) -> tuple[Item, ...]:
        found = self.store.items((item_id,))
        return tuple(item for item in found if (item.layer, item.scope) in view.scopes)


def item_number(text: str) -> int | None:
    """The number of a memory, where these words are one and no database would refuse it."""
    return int(text) if _NUMBER.fullmatch(text.strip()) else None


def _preview(plan: ForgetPlan, german: bool) -> str:
    """What would go, the newest last, and how to say yes."""
    shown = plan.items[-SHOWN_OF_PLAN:]
    lines = [f"{item.id}. {item.date}: {' '.join(item.text.split())[:SHOWN_OF_ITEM]}" for item in shown]
    more = len(plan.items) - len(shown)
    if more:
        lines.insert(0, _said(MemoryReason.AND_EARLIER.of(count=more), german))
    heading = _said(MemoryReason.WOULD_BE_FORGOTTEN.of(count=len(plan.items)), german)
    return "\n".join((heading, *lines))


def _said(reason: Reason, german: bool) -> str:
    """The sentence in the language in which the user asked, whatever that of the windows is."""
    return reason.in_language(GERMAN if german else ENGLISH)


def found_in_words(hits: Sequence[Hit]) -> str:
    """A list for people: number, day, text, and why it was found."""
    if not hits:
        return "Nothing fits."
    return "\n".join(f"{h.item.id}. {h.item.date}  {h.item.text}  ({h.why})" for h in hits)


# -- what the user typed that is a wish to remember -------------------------------------

_POLITE = r"(?:(?:ok(?:ay)?|hey|hi|so|and|und|please|bitte|also|now|jetzt|steward)[\s,]+){0,3}"
_REMEMBER_EN = re.compile(
    rf"^{_POLITE}(?:/remember\b|remember\b|(?:can|could|will|would) you (?:please )?remember\b|keep in mind\b"
    r"|don['’]?t forget\b|do not forget\b|make a note\b|take a note\b|note\b(?=\s*(?:that|:|down)))"
    r"(?:\s+down)?(?P<where>\s+(?:for|in) this (?:project|chat|conversation|folder))?"
    r"[\s,:]*(?:that\b[\s,:]*|this:\s*)?(?P<text>.+)$",
    re.I | re.S,
)
_REMEMBER_DE = re.compile(
    rf"^{_POLITE}(?:merk(?:e)?(?:\s+(?:es|das))?\s+dir\b|notier(?:e)?(?:\s+dir)?\b"
    rf"|vergiss\s+(?:bitte\s+)?nicht\b"
    r"|denk(?:e)?\s+(?:bitte\s+)?(?:daran|dran)\b|behalte?\s+(?:im\s+kopf"
    r"|im\s+gedächtnis)\b)(?:\s+bitte)?(?P<where>\s+(?:für|in)\s+(?:dieses|diesem|diesen|diese)\s+(?:projekt"
    r"|chat|gespräch|unterhaltung|ordner))?[\s,:]*(?:bitte\b)?[\s,:]*(?:dass\b[\s,:]*)?(?P<text>.+)$",
    re.I | re.S,
)
# What is to be done, "souviens-toi de payer", is no fact.
_REMEMBER_FR = re.compile(
    rf"^{_POLITE}(?:(?:retiens|retenez|mémorise[zr]?|souviens-toi|souvenez-vous|rappelle-toi)\b(?: bien)?"
    r"(?!\s+(?:de\s+|d['’])?\w+(?:er|ir)\s)(?!\s+d(?:e\s+|['’])\w+re\s)"
    r"|(?:n['’]oubliez? pas|notez?)(?= (?:bien )?qu))(?: bien)?(?:,? (?:stp|s['’]il (?:te|vous) pla[iî]t))?"
    r"[\s,:]*(?:que\s+|qu['’])?(?P<text>.+)$",
    re.I | re.S,
)
_REMEMBER_ES = re.compile(
    r"^(?:(?:por favor|oye|vale|y)[\s,]+)*(?:recuerda|acu[eé]rdate|memoriza|no olvides(?= (?:que|q)\b)"
    r"|ten en cuenta)\b(?!\s+(?:de\s+)?\w+(?:ar|er|ir)(?:[lmts][eoa]s?)?\s)"
    r"(?:,? por favor)?[\s,:]*(?:de )?(?:(?:que|q)\s+)?(?P<text>.+)$",
    re.I | re.S,
)
# Behind what is to be kept: "my locker is number 42, remember that"; what is ordered there is done first.
_REMEMBER_BEHIND = re.compile(
    r"^(?!(?:put|add|write|send|delete|remove|move|make|create|set|rename|copy|schreib|trag|setz|lösch|ajoute"
    r"|écris|mets|supprime|pon|añade|borra|escribe))(?P<text>\S+(?:\s+\S+){2,}?)[\s,.;:]+"
    r"(?:(?:and|und|et|y|please|pls|bitte|so)\s+)*"
    r"(?:(?P<en>remember (?:that|it|this)|keep (?:that|it) in mind)|(?P<de>merke? dir das|merk das)"
    r"|(?P<fr>retiens[- ](?:le|la|ça)|souviens-t['’]en)|(?P<es>ap[uú]ntatelo|acu[eé]rdate|recu[eé]rdalo))"
    r"(?:[\s,]+(?:please|pls|bitte|por favor|stp))*[\s.!]*$",
    re.I | re.S,
)
# After a list of what would be forgotten, and after a question whether a secret is to be kept.
_YES = any_case(
    r"^(?:yes|yep|yeah|sure|ok(?:ay)?|do (?:it|so|that)|go ahead|please do|forget (?:it|them|all|everything)"
    r"|keep it|ja|jawohl|klar|mach(?:e)? (?:das|es)|bitte|gerne?|vergiss (?:es|sie|alles)|behalte? es|oui"
    r"|d['’]accord|bien sûr|vas-y|oublie(?:-l[ea]s?| tout)|garde-l[ea]|sí|si|claro|vale|de acuerdo|hazlo"
    r"|olvíd(?:al[oa]s?|a todo)|guárdal[oa])(?:[\s,]+(?:please|all of (?:it|them)|forget (?:it|them)|do it"
    r"|keep it|bitte|alles|vergiss (?:es|sie)|mach das|s['’]il te pla[iî]t|tout|por favor|todo))*[\s.!]*$"
)
# "remember when we …?" asks, "forget it" waves aside, "remember me?" greets.
_QUESTION = re.compile(r"\?\s*$")
_FORGET_COMMAND = re.compile(r"^/forget\b[\s,:]*(?P<what>.+)$", re.I | re.S)
_NOBODY = any_case(r"(?:it|that|this|me|us|you|es|das|mich|uns|dich|den namen|nie|moi|toi|mí)")
_NO_FACT = any_case(
    r"^(?:it|that|this|about it|me|when\b.*|how\b.*|what\b.*|the time\b.*|es|das|mich|den namen|nie)[.!]*$"
)
_STANDING = any_case(
    r"^(?:to\s+)?(?:always|never|from now on|don['’]t ever|immer|nie|niemals|ab jetzt|von nun an)\b"
    r"|\b(?:immer|niemals|stets)\b.*\b(?:antworte\w*|schreib\w*|sprich\w*|duz\w*|sollst)\b"
    r"|\byou (?:should|must) (?:always|never)\b"
)
_PROJECT = any_case(r"project|folder|projekt|ordner")


def says_yes(typed: str) -> bool:
    """Whether a message agrees to what was asked right before it, and says nothing else."""
    return _YES.match(typed.strip()) is not None


def parse_request(typed: str) -> MemoryRequest | None:
    """What the user wants of memory, or None where the message is about something else."""
    text = typed.strip()
    for pattern, language in (
        # Remembering first: “don't forget …” is a wish to remember.
        (_REMEMBER_EN, ENGLISH),
        (_REMEMBER_DE, GERMAN),
        (_REMEMBER_FR, "fr"),
        (_REMEMBER_ES, "es"),
        (_REMEMBER_BEHIND, ""),
    ):
        match = pattern.match(text)
        if match is not None:
            said = language or next(each for each in ("en", "de", "fr", "es") if match[each])
            return _wish(match, said, text.startswith("/"))
    return _forget_wish(text)


def _forget_wish(text: str) -> MemoryRequest | None:
    if (command := _FORGET_COMMAND.match(text)) is not None:
        return MemoryRequest(RequestKind.FORGET, command["what"].rstrip(".!"))
    if request_beginnings().search(" ".join(text.split())) is None:
        return None
    found = forget_request(text)
    # "Forget me": whoever is meant, it is nothing that was told.
    if found is None or _NOBODY.fullmatch(found.what):
        return None
    return MemoryRequest(
        RequestKind.FORGET,
        found.what,
        german=found.language == "de",
        is_straight=found.is_straight,
        if_remembered=found.if_remembered,
    )


def _wish(match: re.Match[str], language: str, is_command: bool) -> MemoryRequest | None:
    said = match["text"].strip().rstrip(",;:")
    # A command is meant, whatever it says; a sentence may only talk about remembering.
    if not is_command and (_QUESTION.search(said) or _NO_FACT.match(said)):
        return None
    where = match.groupdict().get("where") or ""
    standing = bool(_STANDING.search(said))
    text = said.removeprefix("to ") if standing else said
    other = language if language not in (ENGLISH, GERMAN) else ""
    return MemoryRequest(RequestKind.REMEMBER, text, _layer(where), standing, language == GERMAN, other)


def _layer(where: str) -> Layer:
    if not where:
        return Layer.USER
    return Layer.PROJECT if _PROJECT.search(where) else Layer.SESSION


# -- notes of what was done --------------------------------------------------------------------

# Makes notes of what was done, without a model: what is usual, what failed, and what worked after it.
#
# Only rows of `memory_events` go in: arguments and errors of calls. What was recalled, prompts and
# answers are in no row, so that memory never feeds on itself.

GROUP = 10  # new events of a group before it is distilled again
LOOKED_AT = 300  # of its latest events
KEPT_EVENTS = 10_000
AFTER = 5  # calls after a failure that may have reached its goal
SHOWN = 3
LONGEST = 120  # characters of one call in a note


@dataclass(frozen=True)
class Group:
    """Events that belong together: one tool in one project, under one tag."""

    tool: str
    project: str
    tag: str

    @property
    def origin(self) -> str:
        """The origin by which the note of the group is found again."""
        return f"{self.tool} {self.tag}".strip()


class Distiller:
    """All methods may be called on any thread; called on the notes thread after each batch."""

    def __init__(self, database: Database, store: MemoryStore) -> None:
        self._database = database
        self._store = store

    def distil_due(self) -> int:
        """Write the notes of every group with ten events that no note has yet; returns how many."""
        due = self._database.read(_due)
        for group in due:
            self._write(group)
        # Only after their notes are written.
        if due:
            self._database.write(_prune)
        return len(due)

    def _write(self, group: Group) -> None:
        events = self._database.read(lambda c: _events(c, group))
        text = markdown(group, events)
        found = self._note_of(group)
        if found is None:
            self._store.add(_note(group, text))
        # A rewrite makes whoever has assembled it assemble anew, so nothing is written where nothing changed.
        elif found.text != text:
            self._store.rewrite(found.id, text)
        last = events[-1].id
        self._database.write(lambda c: _mark(c, group, last))

    def _note_of(self, group: Group) -> Item | None:
        view = View(((_layer_of(group), group.project),))
        notes = self._store.latest(view, kinds=(MemoryKind.DIGEST,), limit=500)
        return next((note for note in notes if note.origin == group.origin), None)


def markdown(group: Group, events: Sequence[StoredEvent]) -> str:
    """The note of a group's events, the oldest first."""
    failed = [event for event in events if not event.ok]
    place = f" in {PurePath(group.project).name}" if group.project else ""
    tag = f" ({group.tag})" if group.tag else ""
    head = (
        f"**{group.tool}**{tag}{place}: {len(events)} calls, {len(failed)} failed, last {_day(events[-1].at)}"
    )
    return "\n".join((head, *_usual(events), *_failures(events, failed)))


def call_in_words(event: StoredEvent) -> str:
    """A call on one line: the command itself, or the arguments."""
    values = event.arguments
    text = str(values["command"]) if "command" in values else ", ".join(f"{k}={v}" for k, v in values.items())
    flat = " ".join(text.split()).replace("`", "'")
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST].rstrip()} …"


def _usual(events: Sequence[StoredEvent]) -> Iterable[str]:
    counts = Counter(call_in_words(event) for event in events if event.ok)
    often = [f"`{call}` ({count})" for call, count in counts.most_common(SHOWN) if count > 1 and call]
    if often:
        yield f"- often: {', '.join(often)}"


def _failures(events: Sequence[StoredEvent], failed: Sequence[StoredEvent]) -> Iterable[str]:
    by_error: dict[str, list[StoredEvent]] = {}
    for event in failed:
        # Without paths and numbers: ten files that are missing are one kind of failure.
        by_error.setdefault(normalised_error(event.error), []).append(event)
    most = sorted(by_error.values(), key=lambda group: (-len(group), -group[-1].at))
    for group in most[:SHOWN]:
        latest = group[-1]
        error = " ".join(latest.error.split())[:LONGEST] or "no reason given"
        after = next((word for event in reversed(group) if (word := _worked_after(event, events))), "")
        then = f"; what worked after: `{after}`" if after else ""
        times = f" ({len(group)} times)" if len(group) > 1 else ""
        yield f"- failed: `{call_in_words(latest)}`{times}: {error}{then}"


def _worked_after(failed: StoredEvent, events: Sequence[StoredEvent]) -> str:
    """The next call of the same session that went well and has the goal of the one that failed."""
    later = [e for e in events if e.id > failed.id and e.session == failed.session][:AFTER]
    for event in later:
        said = call_in_words(event)
        if event.ok and said != call_in_words(failed) and same_goal(failed.arguments, event.arguments):
            return said
    return ""


def _layer_of(group: Group) -> Layer:
    return Layer.PROJECT if group.project else Layer.AGENT


def _note(group: Group, text: str) -> NewItem:
    return NewItem(
        text, _layer_of(group), group.project, MemoryKind.DIGEST, MemorySource.TOOL, origin=group.origin
    )


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d}"


def _due(connection: Connection) -> list[Group]:
    rows = connection.execute(
        "SELECT tool, project, tag FROM memory_events WHERE distilled = 0"
        " GROUP BY tool, project, tag HAVING count(*) >= ?",
        (GROUP,),
    )
    return [Group(row["tool"], row["project"], row["tag"]) for row in rows.fetchall()]


def _events(connection: Connection, group: Group) -> list[StoredEvent]:
    rows = connection.execute(
        "SELECT * FROM memory_events WHERE tool = ? AND project = ? AND tag = ? ORDER BY id DESC LIMIT ?",
        (group.tool, group.project, group.tag, LOOKED_AT),
    ).fetchall()
    return [_event(row) for row in reversed(rows)]


def _event(row: Row) -> StoredEvent:
    return StoredEvent(
        id=row["id"],
        at=row["at"],
        what=EventKind(row["what"]),
        tool=row["tool"],
        arguments=json.loads(row["arguments"]),
        ok=bool(row["ok"]),
        seconds=row["seconds"],
        tag=row["tag"],
        error=row["error"],
        session=row["session"],
        project=row["project"],
    )


def _mark(connection: Connection, group: Group, last_id: int) -> None:
    connection.execute(
        "UPDATE memory_events SET distilled = 1 WHERE tool = ? AND project = ? AND tag = ? AND id <= ?",
        (group.tool, group.project, group.tag, last_id),
    )


def _prune(connection: Connection) -> None:
    """Events are the raw material; their notes stay."""
    connection.execute(
        "DELETE FROM memory_events WHERE id <= (SELECT max(id) FROM memory_events) - ?", (KEPT_EVENTS,)
    )
