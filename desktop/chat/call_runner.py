"""Runs the calls of a turn: those that only read together, the others one after another.

What a call gave is on disk before the next begins, and no call is made twice in a turn. One thread; calls
that are made together run on threads of their own.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from desktop.chat.events import CallAdded, CallClosed
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_words import MAY_ACT, told_of_nothing
from desktop.chat.lessons import NO_LESSON, Lesson
from desktop.chat.messages import Message, ToolRecord
from desktop.chat.orders import is_order
from desktop.chat.prompts import OWN_WORDS
from desktop.chat.reasons import ChatReason
from desktop.chat.request_kinds import is_act
from desktop.chat.tool_choice import DoneCall, files_in
from desktop.chat.turn_context import ContextWindow, Steps, TurnContext
from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.memory.hindsight.hindsight import FixOffer, SuggestedFix
from desktop.reasons import Reason
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.executor import Stop
from desktop.tools.tool import Tool

TOGETHER = 4  # calls at the same time, at most
# A text that speaks to the model instead of the reader.
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override|ignorier\w*|vergiss|missachte\w*)\b.{0,40}"
    r"\b(?:instructions?|rules|prompt|guidelines|orders|anweisung\w*|regeln|vorgaben)\b",
    re.IGNORECASE | re.DOTALL,
)


class CallRunner:
    """Runs the calls of a turn, on its thread. `context` is the conversation with what came of them."""

    def __init__(self, window: ContextWindow, context: TurnContext, steps: Steps, asked: str = "") -> None:
        """`asked`: the user's words, for tools that look into them for what the model left out. The context
        must have tools."""
        assert context.tools is not None
        self.context = context
        self._window = window
        self._store, self._bus = window.store, window.bus
        self._tools = context.tools
        self._steps = steps
        self._asked = asked

    def run(self, calls: Sequence[ParsedCall], stop: Stop) -> list[CallResult]:
        """What came of each that was begun, in order. Stop, the limit of steps, a refusal and a call that was
        made before leave the rest out."""
        ended: list[CallResult] = []
        waiting = [Call(secrets.token_hex(6), found.name, found.arguments) for found in calls]
        for group in self._groups(waiting):
            fresh = self._fresh(group)
            if stop.stopped or not fresh or not self._steps.may_call:
                break
            # What was to take its place was not set: without this one nothing would be left.
            if ended and not ended[-1].ok and IN_PLACE_OF.get(fresh[0].name) == ended[-1].call.name:
                continue
            ended += self._together(fresh, stop)
        return ended

    def _repaired(self, repairs: Sequence[_Repair], stop: Stop) -> None:
        """Try again at once what only reads and failed for a known slip in its arguments."""
        for repair in repairs:
            call = Call(secrets.token_hex(6), repair.tool, repair.offer.arguments or {})
            if stop.stopped or not self._steps.may_call or self._steps.was_made(ToolRecord.of(call)):
                return
            assert self._tools.lessons is not None
            self._tools.lessons.applied(self.context.conversation_id, repair.offer.fix.id)
            self._together([call], stop)

    def _groups(self, calls: Sequence[Call]) -> Iterator[list[Call]]:
        """Neighbours that only read, and each of the others by itself."""
        group: list[Call] = []
        for call in calls:
            reads = self._only_reads(call)
            # What changes something waits for all before it, and all after it wait for that.
            if group and (not reads or len(group) == TOGETHER):
                yield group
                group = []
            group.append(call)
            if not reads:
                yield group
                group = []
        if group:
            yield group

    def _only_reads(self, call: Call) -> bool:
        tool = self._tools.toolbox.get(call.name)
        return tool is not None and tool.effect is Effect.READ

    def _fresh(self, group: list[Call]) -> list[Call]:
        """What of `group` may still be run; a call that was made before ends it."""
        # A model that repeats itself repeats whole lists; the first repetition ends the list.
        fresh: list[Call] = []
        for call in group[: self._steps.left]:
            if self._steps.was_made(ToolRecord.of(call), [ToolRecord.of(each) for each in fresh]):
                break
            fresh.append(call)
        return fresh

    def _together(self, calls: Sequence[Call], stop: Stop) -> list[CallResult]:
        # Asked anew for each group: what one call has read taints those after it.
        untrusted = self.context.untrusted
        cards = [self._begin(call) for call in calls]

        def run(call: Call, card: Message) -> CallResult:
            toolbox = self._tools.toolbox
            # Before the gate: nobody is asked about a call that can only do harm.
            refused = refusal(call, toolbox.get(call.name), self._asked, self._steps.done, self.context.asked)
            if refused is not None:
                return CallResult(call, CallStatus.FAILED, str(refused), failure=refused)
            late = partial(self._end_late, card)
            return self._tools.executor.run(
                call, toolbox, untrusted, card.conversation_id, stop, asked=self._asked, on_late=late
            )

        if len(calls) == 1:
            results = [run(calls[0], cards[0])]
        else:
            # Only what reads gets here together, so the order of their effects does not matter.
            with ThreadPoolExecutor(len(calls), thread_name_prefix="call") as pool:
                results = list(pool.map(run, calls, cards))
        lessons = [self._end(card, ended) for card, ended in zip(cards, results, strict=True)]
        pairs = zip(results, lessons, strict=True)
        repairs = [_Repair(e.call.name, each.repair) for e, each in pairs if each.repair is not None]
        self._repaired(repairs, stop)
        return results

    def _begin(self, call: Call) -> Message:
        tool = self._tools.toolbox.get(call.name)
        record = ToolRecord.of(call)
        if tool is not None:
            title = tool.title(call.arguments) if tool.title is not None else None
            record = ToolRecord.of(call, tool.verb, title)
        card = self._store.add_call(self.context.conversation_id, record)
        self._bus.publish(CallAdded(card.conversation_id, card))
        return card

    def _end(self, card: Message, ended: CallResult) -> Lesson:
        reads, known = self._only_reads(ended.call), self._tools.toolbox.get(ended.call.name) is not None
        lesson = NO_LESSON
        if self._tools.lessons is not None:
            lesson = self._tools.lessons.ended(card.conversation_id, ended, reads)
        self._steps.add(ended, changed=known and not reads, hint=lesson.hint)
        record = replace((card.tool or ToolRecord.of(ended.call)).closed_by(ended), hint=lesson.hint)
        closed = self._store.close_call(card.id, record, ended.text)
        self.context = self.context.with_message(closed)
        self._bus.publish(CallClosed(card.conversation_id, closed))
        # The model is told it as data in any case; the reader learns that somebody has tried.
        if ended.ok and gives_orders(ended.text):
            where = next(iter(ended.arguments.values()), ended.call.name)
            self._window.tell(card.conversation_id, ChatReason.TEXT_GIVES_ORDERS.of(where=str(where)))
        return lesson

    def _end_late(self, card: Message, ended: CallResult) -> None:
        """A step that was told as still running is over: its card says how it went, the model is not told."""
        try:
            record = (card.tool or ToolRecord.of(ended.call)).closed_by(ended)
            closed = self._store.close_call(card.id, record, ended.text)
        except KeyError:  # the conversation was deleted since; the audit log has it
            return
        self._bus.publish(CallClosed(card.conversation_id, closed))


IN_PLACE_OF = {"cancel_reminder": "set_reminder"}  # moved: set anew, then the old one goes


@dataclass(frozen=True)
class _Repair:
    tool: str
    offer: FixOffer


def gives_orders(text: str) -> bool:
    """Whether a text from a tool speaks to the model: "ignore your instructions"."""
    return _ORDERS.search(text) is not None


def run_fix(window: ContextWindow, context: TurnContext, fix: SuggestedFix, stop: Stop) -> CallResult:
    """Make the call that a known fix proposes, when the user presses its button.

    Through the same executor and gate as any call, with a card of its own, counted as tried and, where it
    worked, as a success. Blocks; on a pool thread. Raises UserFacing where tools are off.
    """
    if context.tools is None:
        raise UserFacing(ChatReason.TOOLS_OFF.of())
    if context.tools.lessons is not None:
        context.tools.lessons.applied(context.conversation_id, fix.fix_id)
    # Nothing was asked: no words of the user may stand in for arguments of this call.
    runner = CallRunner(window, context, Steps(limit=1))
    (ended,) = runner.run([ParsedCall(fix.tool, dict(fix.arguments))], stop)
    return ended


# -- what is never written ---------------------------------------------------------------------

# What a small model must not do to the user's files, whatever it was asked: refused before anybody is
# asked.
#
# Three mistakes were seen to destroy files and to be reported as a success: the text that was to be read
# is overwritten, something is written although nothing could be read, and what is written is a line of
# our own prompt, the request itself, or the name of a file. Each can be told from the words of the
# request, without the model. What the words leave open is for the user to judge, in the dialog.

CONTENT = ("content", "text", "new")  # parameters that hold what is written
SHORTEST_OWN = 20  # characters: less of our prompts may be anybody's words

_BETWEEN = (
    r"(?:\s+(?:the|a|my|this|file|folder|document|die|der|das|den|dem|meine\w*|datei|ordner|dokument|"
    r"le|la|el|les|los|fichier|archivo))*\s+[\"“”„'`]*"
)
_FROM = (
    r"\b(?:from|out of|based on|using|summari[sz]e|shorten|translate|convert|copy|put|move|read|"
    r"aus|von|anhand|fass(?:e)?|lies|lese|kopiere?|verschiebe?|lege?|übersetze?|kürze?|"
    r"de|del|desde|du|depuis|à partir de|résume[rz]?|resume|resumir|traduis|traduce|lis|lee)"
)
_INTO = (
    r"\b(?:to|into|in|as|called|named|onto|over|overwrite|replace|update|edit|change|append|create|write|"
    r"make|save|fix|"
    r"correct|sort|rewrite|nach|als|namens|auf|überschreib\w*|änder\w*|ergänz\w*|erstell\w*|speicher\w*|"
    r"schreib\w*|"
    r"korrigier\w*|sortier\w*|dans|en|vers|sous|como|crea|crée|écris|escribe|guarda|enregistre)"
)
# "… and save the short version as short.txt": said so, this is where the text goes, and nowhere else.
_KEPT_IN = (
    r"\b(?:save|write|store|put|export|keep|speicher\w*|schreib\w*|leg\w*|pack\w*|enregistr\w*|mets|"
    r"écri\w*|guard\w*|pon\w*|escr[ií]b\w*)\b[^.;\n]{0,40}?"
    r"\b(?:to|into|as|in|under|als|nach|unter|dans|sous|en|como)"
)
# A model that talks to its user instead of writing the text; a letter that says so is longer.
_TALK = re.compile(
    r"\A\W*(?:(?:sure|certainly|of course|okay|gerne|natürlich|klar|bien sûr|d'accord|claro|"
    r"por supuesto)\b[,!.]"
    r"|(?:please|bitte|veuillez|por favor)\b.{0,40}\b(?:provide|send me|share|senden sie mir|"
    r"geben sie mir|stellen sie|"
    r"fournir|proporcion\w+)|(?:i'm sorry|i am sorry|sorry|as an ai|i cannot|i can't|es tut mir leid|"
    r"ich kann (?:nicht|"
    r"leider)|je suis désolé|je ne peux pas|lo siento|no puedo)\b)",
    re.IGNORECASE | re.DOTALL,
)
# One that says that it does not know what it was to write, also at some length.
_IGNORANCE = re.compile(
    r"\A\W*(?:(?:unfortunately|sorry|leider|malheureusement|désolée?|lamentablemente|desafortunadamente|"
    r"lo siento)\b"
    r"[\s,]+(?:but |aber |mais |pero )?(?:\w+ )?(?:i|we|it|there|ich|wir|es|je|il|no|non)\b.{0,40}"
    r"\b(?:not|n['’]t|no|any|unable|cannot|kein\w*|nicht|pas|aucune?|ningun\w*|tengo|puedo|sé|hay)(?!\w)"
    r"|(?:it is|it's|it would be|without (?:more|further)[^.]{0,40} it is) "
    r"(?:difficult|hard|impossible|not possible) to (?:determine|say|tell|know|calculate|answer|give)\b"
    r"|i (?:do not|don['’]t) (?:know|have (?:\w+ ){0,2}(?:access|information|data|knowledge|details))\b"
    r"|es ist (?:leider |mir )?(?:nicht möglich|unmöglich|schwierig|schwer)\b"
    r"|ich (?:habe|weiß|kenne|besitze)(?: \w+){0,3}? "
    r"(?:keine?n? (?:information|angabe|zugriff|daten|kenntnis)|nicht)"
    r"|il est (?:difficile|impossible) de (?:dire|savoir|déterminer|calculer|répondre)\b"
    r"|je n['’]ai pas (?:d['’]|de |accès|assez|suffisamment)|je ne (?:sais|connais|dispose|peux) pas\b"
    r"|(?:es|resulta) (?:difícil|imposible) (?:de )?(?:determinar|decir|saber|calcular|responder)\b"
    r"|no (?:tengo|dispongo|sé|puedo|conozco)\b.{0,30}(?:informaci|acceso|datos|conocimiento|decir|saber))",
    re.IGNORECASE | re.DOTALL,
)
_OF_PROMPT = re.compile(r"\bresult of (?:read_file|list_directory|search_text|find_files)\b", re.IGNORECASE)
_JOINING = frozenset(
    [
        "and",
        "or",
        "und",
        "oder",
        "et",
        "ou",
        "y",
        "o",
        "e",
        "also",
        "too",
        "auch",
        "aussi",
        "también",
        "then",
        "dann",
        "puis",
        "luego",
    ]
)
_FENCED_CODE = re.compile(
    r"^```(?:python|bash|sh|javascript|js|sql|java|c|cpp|ruby|perl|php)\b", re.IGNORECASE | re.MULTILINE
)
_ASKS_CODE = re.compile(
    r"\b(?:code\w*|script\w*|program\w*|python|bash|shell|javascript|sql|function|snippet|example|befehle?|"
    r"beispiel\w*|funktion\w*|fonction\w*|exemple\w*|función|ejemplo\w*|how to|wie man|comment|cómo)\b",
    re.IGNORECASE,
)
FEWEST_COPIED, SHARE_COPIED = 5, 0.6  # words in a row, and of all that was said
# Words that are handed over: "note for her: ring after 8", "put “no nuts” there".
_HANDS_OVER = re.compile(r":\s|[\"“”„«»]")
PROSE_WORDS = 8  # in the first line of a table they are a sentence
LONGEST_TALK, LONGEST_IGNORANCE = 400, 800  # characters; more has the text behind it
_NOT_WORDS = re.compile(r"[\W_]+")


def refusal(
    call: Call, tool: Tool | None, request: str, done: Sequence[DoneCall], said: str = ""
) -> Reason | None:
    """Why `call` is not made, for model and user; None where nothing speaks against it.

    `request` are the user's words of this turn, "" where rules took the call's values from them; `said` are
    those words in any case. `done` is what was called for it before.
    """
    if tool is None or not any(each.is_path for each in tool.parameters):
        return None
    written = next((call.arguments[name] for name in CONTENT if name in call.arguments), None)
    if not isinstance(written, str):
        return None
    # First: whatever would be written now is made up.
    unread = _unread(done)
    if unread:
        return ChatReason.UNREAD.of(what=unread)
    # Named as source and as target, "sort names.txt", it may be written.
    target = _target(call, tool)
    named = files_in(request)
    refused = _no_content(written, request, named) or _is_source(target, request, named)
    if refused is None and _is_only_named(call, target, written, said or request):
        refused = ChatReason.WOULD_WRITE_NAME.of()
    if refused is None and _is_what_was_said(written, str(call.arguments.get("old", "")), said or request):
        refused = ChatReason.WOULD_WRITE_REQUEST.of()
    is_talk = (
        _knows_nothing(written, said or request)
        or _is_no_table(target, written)
        or _is_how_to(target, written, said or request)
    )
    return refused or (ChatReason.WOULD_WRITE_TALK.of() if is_talk else None)


def _unread(done: Sequence[DoneCall]) -> str:
    """What the last look at something failed to read, where nothing else was read since."""
    looks = [each for each in done if not each.changed]
    return "" if not looks or looks[-1].ok else looks[-1].touched or "it"


def _target(call: Call, tool: Tool) -> str:
    names = [each.name for each in tool.parameters if each.is_path]
    return next((str(call.arguments[name]) for name in names if name in call.arguments), "")


def _no_content(written: str, request: str, named: Sequence[str]) -> Reason | None:
    text = _bare(written)
    if not text:
        return None  # an empty file may be what is wanted; the dialog shows it
    if len(written) <= LONGEST_TALK and _TALK.match(written):
        return ChatReason.WOULD_WRITE_TALK.of()
    # The frame that results stand in before the model: a text that speaks of it is about our prompt.
    if _OF_PROMPT.search(written):
        return ChatReason.WOULD_WRITE_TALK.of()
    if text == _bare(request):
        return ChatReason.WOULD_WRITE_REQUEST.of()
    if text in {_bare(name.rsplit("/", 1)[-1]) for name in named}:
        return ChatReason.WOULD_WRITE_NAME.of()
    # Compared without signs and case: a model changes both when it copies.
    if any(len(own) >= SHORTEST_OWN and own in text for own in map(_bare, (*OWN_WORDS, *told_of_nothing()))):
        return ChatReason.WOULD_WRITE_INSTRUCTIONS.of()
    return None


def _is_what_was_said(written: str, old: str, said: str) -> bool:
    """Whether most of the message itself would stand in the file, though nothing in it is told to be put
    there: "no sorry not gill its pauline" is no line of anybody's minutes."""
    if _HANDS_OVER.search(said) or is_order(said) or is_act(said) or _bare(said) in _bare(old):
        return False
    words, new = _bare(said).split(), f" {_bare(written)} "
    for size in range(len(words), FEWEST_COPIED - 1, -1):
        for at in range(len(words) - size + 1):
            if f" {' '.join(words[at : at + size])} " in new:
                others = (*words[:at], *words[at + size :])
                rest = " ".join(each for each in others if each not in _JOINING)
                return size >= SHARE_COPIED * len(words) and not MAY_ACT.match(rest)
    return False


def _is_no_table(target: str, written: str) -> bool:
    """Whether prose would stand in a table: a first line of many words with hardly a sign between columns."""
    first = next((line for line in written.splitlines() if line.strip()), "")
    count = len(first.split())
    return (
        target.casefold().endswith((".csv", ".tsv"))
        and count >= PROSE_WORDS
        and len(re.findall(r"[,;\t|]", first)) < count / 4
    )


def _is_only_named(call: Call, target: str, written: str, said: str) -> bool:
    """Whether nothing is written but how the file is called, or a word that only joins others: "copy the
    recipe to recipe.md" is no file that says "recipe". In quotation marks either may be meant."""
    text = _bare(written)
    if not text or re.search(rf"[\"'“”„«»‘’`]\s*{re.escape(written.strip())}\s*[\"'“”«»’`]", said):
        return False
    stem = _bare(target.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0])
    return (call.name == "write_file" and text == stem) or text in _JOINING


def _is_how_to(target: str, written: str, said: str) -> bool:
    """Whether it is told how a program would do it, where a list or a text was wanted."""
    is_text = target.casefold().endswith((".txt", ".csv", ".tsv"))
    return is_text and _FENCED_CODE.search(written) is not None and _ASKS_CODE.search(said) is None


def _knows_nothing(written: str, said: str) -> bool:
    """Whether the model says that it does not know. The user's own words may: "add: I don't know him"."""
    is_said = len(written) <= LONGEST_IGNORANCE and _IGNORANCE.match(written) is not None
    return is_said and _bare(written) not in _bare(said)


def _is_source(target: str, request: str, named: Sequence[str]) -> Reason | None:
    """Whether the request names the target as what is read, and nowhere as what is written."""
    # By the name alone: the model writes the folder as it likes.
    last = target.replace("\\", "/").rsplit("/", 1)[-1].casefold()
    name = next((each for each in named if each.rsplit("/", 1)[-1].casefold() == last), "")
    if not last or not name:
        return None
    kept = [
        each for each in named if re.search(_KEPT_IN + _BETWEEN + re.escape(each), request, re.IGNORECASE)
    ]
    if kept and name not in kept:
        return ChatReason.NAMED_AS_SOURCE.of(name=name)
    spelled = re.escape(name)
    if not re.search(_FROM + _BETWEEN + spelled, request, re.IGNORECASE):
        return None
    if re.search(_INTO + _BETWEEN + spelled, request, re.IGNORECASE):
        return None
    return ChatReason.NAMED_AS_SOURCE.of(name=name)


def _bare(text: str) -> str:
    """Without case, signs and the width of blanks."""
    return _NOT_WORDS.sub(" ", text.casefold()).strip()
