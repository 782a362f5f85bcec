"""What a conversation has to do with memory: wishes are fulfilled, what is known is told, turns are kept.

Only the words that the user typed are looked at for wishes; what goes along with them, and what tools and
pages say, never is. Where memory fails, the answer goes on without it.

What is told stands in a block before its question. It is made once and stays, so that the KV cache holds; it
belongs to that question's branch of the conversation and goes with it. When something in it is forgotten,
the whole block goes: the rest of it is found again by the next question.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import structlog

from desktop.chat.compositions import adds_to_text
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.intent_words import describes_file, say
from desktop.chat.message_classes import (
    MAY_BE_DANGER,
    MAY_WANT_FORGETTING,
    WANTS_FORGETTING,
    message_scores,
    without_courtesy,
)
from desktop.chat.reasons import ChatReason
from desktop.chat.receipts import told_plan
from desktop.chat.retention import GERMAN_MARK, MARK, ForgottenWords
from desktop.chat.rules import DirectAnswer
from desktop.chat.store import Message, MessageStatus
from desktop.chat.tool_choice import files_in
from desktop.chat.undo_requests import wish_to_undo
from desktop.database import AMONG, Connection, Database, among
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.memory.context import AssembledContext, UsedItem, VisibleTurns, states_something
from desktop.memory.forgetting import ForgetPlan
from desktop.memory.item import LOCAL, SHARED, Item, Layer, MemoryKind, MemorySource
from desktop.memory.memory import (
    Memory,
    MemoryReply,
    MemoryRequest,
    RequestKind,
    Spoken,
    parse_request,
    says_yes,
)
from desktop.memory.reasons import MemoryReason
from desktop.memory.store import View
from desktop.memory.text import Vocabulary
from desktop.reasons import ENGLISH, GERMAN, Reason, reason_from_json
from desktop.settings import MemorySettings
from desktop.tools.notes import theirs

log = structlog.get_logger(__name__)
RemindersNamed = Callable[[str], Sequence[tuple[int, str]]]


@dataclass(frozen=True)
class MemoryBlock:
    """`text` is exactly what the model was told. `untrusted` names where its quotations come from."""

    question_id: int
    text: str
    tokens: int
    items: tuple[UsedItem, ...]
    untrusted: tuple[str, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether something in it was found for the question, and is not there for every one."""
        return not all(item.is_pinned for item in self.items)

    @property
    def ids(self) -> frozenset[int]:
        """Of the memories in it."""
        return frozenset(item.id for item in self.items)


@dataclass(frozen=True)
class MemoryUsed(Event):
    """Memories were put before a question; the answer to it may say so. `block` is what the model is told."""

    conversation_id: int
    question_id: int
    block: MemoryBlock


@dataclass(frozen=True)
class WordsForgotten(Event):
    """Sentences of messages became marks, in whichever conversations they are; `texts` are what they say now,
    by their ids."""

    conversation_id: int
    texts: Mapping[int, str]


class MemoryBlocks:
    """In the database of the conversations. All methods may be called on any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def database(self) -> Database:
        """Of the conversations."""
        return self._database

    def put(self, question_id: int, context: AssembledContext, untrusted: Iterable[str] = ()) -> MemoryBlock:
        """Keep what is told before a question that has no block yet."""
        sources = tuple(dict.fromkeys(untrusted))
        block = MemoryBlock(question_id, context.content, context.total_tokens, context.items, sources)

        def insert(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO blocks VALUES (?, ?, ?, ?)",
                (question_id, block.text, block.tokens, "\n".join(sources)),
            )
            rows = [
                (
                    question_id,
                    place,
                    item.id,
                    item.layer.value,
                    item.date,
                    json.dumps(item.why.as_json(), ensure_ascii=False),
                    item.score,
                    item.is_pinned,
                )
                for place, item in enumerate(block.items)
            ]
            connection.executemany("INSERT INTO block_items VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

        self._database.write(insert)
        return block

    def of(self, question_ids: Collection[int]) -> Mapping[int, MemoryBlock]:
        """The blocks of those questions that have one."""
        return self._database.read(lambda c: read_blocks(c, tuple(question_ids)))

    def was_kept(self, item_ids: Mapping[int, Iterable[int]]) -> None:
        """The memories that are the words of messages, by the ids of the messages."""
        rows = [(message_id, item_id) for message_id, ids in item_ids.items() for item_id in ids]
        if not rows:
            return
        self._database.write(lambda c: c.executemany("INSERT INTO said VALUES (?, ?)", rows))

    def kept_with(self, message_id: int) -> tuple[int, ...]:
        """The memories that are words of what was deleted with a message."""
        statement = (
            "SELECT item_id FROM said JOIN messages ON messages.id = said.message_id WHERE deleted_with = ?"
        )
        rows = self._database.read(lambda c: c.execute(statement, (message_id,)).fetchall())
        return tuple(row["item_id"] for row in rows)

    def conversations(self) -> frozenset[str]:
        """Those that there are, also the ones that may still come back."""
        rows = self._database.read(lambda c: c.execute("SELECT id FROM conversations").fetchall())
        return frozenset(str(row["id"]) for row in rows)

    def forget(self, ids: frozenset[int] | None) -> int:
        """Delete every block with one of these memories in it, None: every block; returns how many."""

        def delete(connection: Connection) -> int:
            if ids is None:
                return connection.execute("DELETE FROM blocks").rowcount
            # The whole block: its text is one, and a memory cannot be cut out of it.
            found: set[int] = set()
            for item_id in ids:
                rows = connection.execute("SELECT question_id FROM block_items WHERE item_id = ?", (item_id,))
                found.update(row["question_id"] for row in rows.fetchall())
            connection.executemany("DELETE FROM blocks WHERE question_id = ?", [(each,) for each in found])
            return len(found)

        count = self._database.write(delete)
        # Forgotten means out of the file, too.
        if count:
            self._database.scrub()
        return count


def _why(kept: str) -> Reason:
    """Why a memory was found; of a program that kept only its English sentence, that sentence."""
    try:
        return reason_from_json(json.loads(kept)) or MemoryReason.FOUND_AS_SAID.of(text=kept)
    except ValueError:
        return MemoryReason.FOUND_AS_SAID.of(text=kept)


def read_blocks(connection: Connection, question_ids: tuple[int, ...]) -> dict[int, MemoryBlock]:
    ids = (among(question_ids),)
    rows = connection.execute(f"SELECT * FROM blocks WHERE question_id {AMONG}", ids)  # noqa: S608 - no value
    found = rows.fetchall()
    if not found:
        return {}
    items = connection.execute(
        f"SELECT * FROM block_items WHERE question_id {AMONG} ORDER BY question_id, place",  # noqa: S608 - the same
        ids,
    )
    of: dict[int, list[UsedItem]] = {}
    for row in items.fetchall():
        layer, is_pinned = Layer(row["layer"]), bool(row["is_pinned"])
        item = UsedItem(row["item_id"], layer, row["date"], _why(row["why"]), row["score"], is_pinned)
        of.setdefault(row["question_id"], []).append(item)
    return {
        row["question_id"]: MemoryBlock(
            row["question_id"],
            row["text"],
            row["tokens"],
            tuple(of.get(row["question_id"], ())),
            tuple(row["untrusted"].splitlines()),
        )
        for row in found
    }


SAID_LOOKED_AT = 100  # of what was last said in chats, for what a wish to forget may mean: 2 ms each
BYTES_OF_A_TOKEN = 3  # where no model is loaded yet: few texts have less, so that a budget is kept
STEWARD = "Steward"
MOST_FORGOTTEN = 64  # deletions that may still be taken back: it is offered only right after them
_KEPT = frozenset(
    {
        MessageStatus.COMPLETE,
        MessageStatus.LENGTH,
        MessageStatus.STOPPED,
        MessageStatus.SUPERSEDED,
        MessageStatus.INTERRUPTED,
    }
)


@dataclass(frozen=True)
class MemoryProject:
    """The folder that the assistant works in. `chosen`: by the user, so that what is said belongs to it."""

    folder: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class MemoryScope:
    """Where what is said belongs. Without `keeps` conversations are not remembered, as in a history that ends
    with the command. `project_of` is the project that a conversation belongs to, None for none: then
    `project` counts. `reminders_named` tells the open reminders that a request to take one away names: such a
    request may be theirs. `names_file` tells whether a request names a file or folder that is there,
    `has_acted` whether the question before the latest one of a conversation led to a call."""

    project: Callable[[], MemoryProject] = MemoryProject
    keeps: bool = True
    project_of: Callable[[int], MemoryProject | None] = lambda _conversation_id: None
    reminders_named: RemindersNamed = lambda _typed: ()
    names_file: Callable[[str], bool] = lambda _typed: False
    has_acted: Callable[[int], bool] = lambda _conversation_id: False


_INTO = re.compile(
    r"\b(?:in|into|to|onto|on|under|auf|unter|zu|dans|sur|en)\s+(?:(?:the|my|our|die|der|das|meine\w*|le|la|el|mi)\s+)?"
    r"(?:(?:file|list|datei|liste|fichier|archivo|lista)\s+)?[\w./-]*\w\.[a-z]\w{1,4}\b",
    re.IGNORECASE,
)


def _names_target(typed: str) -> bool:
    """Whether a file is named that something is to be kept in; a command is memory's, whatever it says."""
    return not typed.lstrip().startswith("/") and _INTO.search(typed) is not None


_PICKED = re.compile(
    r"^\W*(?:(?:forget|vergiss|lösch\w*|oublie|olvida|number|numbers|nummern?|nr|the|die|den|das|please|bitte|nur"
    r"|only|just)\W+)*(?P<numbers>\d{1,2}(?:\W*(?:,|and|und|et|y|&|\s)\W*\d{1,2})*)\W*(?:please|bitte)?\W*$",
    re.IGNORECASE,
)
_ALL = re.compile(r"^\W*(?:all|all of (?:it|them)|alle|alles|beide|both|tout|todo)\W*$", re.IGNORECASE)


def picked_of(reply: str, told: Sequence[str]) -> tuple[str, ...]:
    """Which of the numbered sentences a reply names, "all" among them; () for any other message."""
    if _ALL.match(reply) or (len(told) == 1 and says_yes(reply)):
        return tuple(told)
    match = _PICKED.match(reply)
    numbers = [int(each) for each in re.findall(r"\d+", match["numbers"])] if match is not None else []
    # A number that is not in the list may be meant for something else.
    if not numbers or not all(0 < each <= len(told) for each in numbers):
        return ()
    return tuple(told[each - 1] for each in dict.fromkeys(numbers))


def _may_want_forgetting(typed: str) -> bool:
    """By its likeness to examples; a wish that is read, and for which nothing was found, needs less of it."""
    weight = message_scores(typed).forget
    if weight < MAY_WANT_FORGETTING:
        return False
    read = parse_request(typed)
    if read is not None and read.if_remembered:  # what it names was looked for, and is something else
        return False
    return _is_like_forgetting(typed) or (read is not None and read.want is RequestKind.FORGET)


def _is_like_forgetting(typed: str) -> bool:
    return message_scores(typed).forget >= WANTS_FORGETTING


class ConversationMemory:
    """For the turns of one store of conversations. The methods run on the threads of turns."""

    def __init__(
        self,
        memory: Memory,
        blocks: MemoryBlocks,
        bus: Bus,
        settings: Callable[[], MemorySettings],
        count: Callable[[str], int | None] = lambda _text: None,
        scope: MemoryScope | None = None,
    ) -> None:
        """`count` tells the tokens of a text, None while no model is loaded."""
        scope = scope or MemoryScope()
        self._memory = memory
        self._blocks = blocks
        self._bus = bus
        self._settings = settings
        self._count_tokens = count
        self._project = scope.project
        self._project_of = scope.project_of
        self._keeps = scope.keeps
        self._lock = threading.Lock()
        # What went with conversations and with messages that may still come back.
        self._forgotten: dict[tuple[str, int], tuple[Item, ...]] = {}
        # What each conversation was asked to agree to; the next message answers it, whatever it says.
        self._pending: dict[int, tuple[MemoryRequest, ForgetPlan | None]] = {}
        self._choices: dict[int, MemoryChoice] = {}
        # Of which sentences each conversation was asked which are to be forgotten, with the wish.
        self._offered: dict[int, tuple[MemoryRequest, tuple[str, ...]]] = {}
        self._reminders_named, self._names_file = scope.reminders_named, scope.names_file
        self._has_acted = scope.has_acted

    # -- wishes -------------------------------------------------------------------------------

    def wished(self, conversation_id: int, typed: str) -> DirectAnswer | None:
        """Do what the user wants of memory; the answer says what was done. None where that is nothing."""
        pending = self._pending.pop(conversation_id, None)
        if pending is not None and says_yes(typed):
            return self._agreed(conversation_id, *pending)
        choice = self._choices.pop(conversation_id, None)
        if choice is not None and (meant := chosen(typed)) is not None:
            if meant is ReminderOrMemory.REMINDERS:
                return choice.cancelled()
            return self._done(conversation_id, choice.wish)
        offered = self._offered.pop(conversation_id, None)
        if offered is not None and (picked := picked_of(typed, offered[1])):
            return self._forget_picked(conversation_id, offered[0], picked)
        wanted = parse_request(typed)
        # "Note that in costs.txt" is for the file.
        if wanted is None or (wanted.want is RequestKind.REMEMBER and _names_target(typed)):
            return None
        is_command = typed.lstrip().startswith("/")
        is_on = self._settings().enabled
        if wanted.want is RequestKind.FORGET and not is_command:
            named = tuple(self._reminders_named(typed))
            if named or speaks_of_reminder(typed):
                return self._between(conversation_id, MemoryChoice(wanted, named)) if is_on else None
            if wanted.if_remembered:
                return self._if_remembered(conversation_id, typed, wanted) if is_on else None
        # Said and not passed on: the model would promise to remember.
        if not is_on:
            return DirectAnswer(text=str(UserFacing(ChatReason.MEMORY_OFF.of())))
        return self._done(conversation_id, wanted, is_command)

    def may_wish(self, conversation_id: int, typed: str) -> DirectAnswer | None:
        """Ask which of what was told is meant, where a message that no rule understands is like a wish to
        forget. None where it has not, where nothing was told, and where it may tell of a danger: who
        wants to be gone for ever must not be shown a list."""
        # Politeness alone is like a wish of somebody who wants to be rid of something.
        typed = without_courtesy(typed)
        if not self._settings().enabled or not _may_want_forgetting(typed) or adds_to_text(typed):
            return None
        if self._reminders_named(typed) or speaks_of_reminder(typed):
            return None
        # Of a file, or of what was done last: what is like a wish to forget is an order there.
        if self._names_file(typed) or files_in(typed) or describes_file(typed) or wish_to_undo(typed):
            return None
        # Behind a timer "cancelalo" is about the timer.
        if self._has_acted(conversation_id):
            return None
        if message_scores(typed).danger >= MAY_BE_DANGER:
            return None
        wanted = MemoryRequest(
            RequestKind.FORGET, typed, german=message_scores(typed).language == "de", is_straight=False
        )
        said = (each for each in self._said()[-SAID_LOOKED_AT:] if not _is_like_forgetting(each))
        told = self._memory.forgetting.may_be_meant(typed, tuple(said))
        if not told:
            return None
        self._offered[conversation_id] = (wanted, told)
        language = GERMAN if wanted.german else ENGLISH
        heading = MemoryReason.MAY_BE_MEANT.of(count=len(told)).in_language(language)
        lines = (f"{number}. {each}" for number, each in enumerate(told, 1))
        return DirectAnswer(
            # The empty line ends the list: without it Markdown reads on in the last of its lines.
            text="\n".join((heading, *lines, "", ChatReason.SAY_WHICH_TO_FORGET.of().in_language(language)))
        )

    def _forget_picked(
        self, conversation_id: int, wanted: MemoryRequest, picked: Sequence[str]
    ) -> DirectAnswer:
        plan = self._memory.forgetting.plan_of_sentences(picked, wanted.text)
        return self._agreed(conversation_id, wanted, plan)

    def _said(self) -> list[str]:
        """What the user wrote in any chat, the oldest first, but for wishes to forget that rules read."""
        return [
            each
            for each in ForgottenWords(self._blocks.database).said_by_user()
            if (other := parse_request(each)) is None or other.want is not RequestKind.FORGET
        ]

    def _between(self, conversation_id: int, choice: MemoryChoice) -> DirectAnswer | None:
        """Of a wish that may mean a reminder: which is meant where one fits and something remembered does,
        too. None where nothing remembered fits. What is remembered never goes at once for such words."""
        plan = self._memory.forgetting.plan(choice.wish.text)
        remembered = remembered_by(plan, self._memory.store.vocabulary)
        if remembered is None:
            return None
        if choice.reminders:
            self._choices[conversation_id] = choice
            return choice.asked(remembered)
        shown = self._memory.shown(plan, choice.wish.german)
        lead = ChatReason.NO_SUCH_REMINDER.of().in_language(GERMAN if choice.wish.german else ENGLISH)
        return self._shown(conversation_id, choice.wish, replace(shown, says=f"{lead} {shown.says}"))

    def _if_remembered(self, conversation_id: int, typed: str, wanted: MemoryRequest) -> DirectAnswer | None:
        """Of "remove my licence plate", where that is remembered and no file is called so: what would go."""
        if self._names_file(typed):
            return None
        plan = self._memory.forgetting.plan(wanted.text)
        if remembered_by(plan, self._memory.store.vocabulary) is None:
            return None
        return self._shown(conversation_id, wanted, self._memory.shown(plan, wanted.german))

    def _done(
        self, conversation_id: int, wanted: MemoryRequest, is_command: bool = False
    ) -> DirectAnswer | None:
        try:
            return self._fulfilled(conversation_id, wanted, is_command)
        except UserFacing as error:
            return DirectAnswer(text=str(error))

    def _fulfilled(
        self, conversation_id: int, wanted: MemoryRequest, is_command: bool
    ) -> DirectAnswer | None:
        told = self._memory.fulfil(wanted, self._session(conversation_id), self._folder(conversation_id))
        meant_otherwise = wanted.want is RequestKind.FORGET and not told.done and not told.items
        if meant_otherwise and (only_said := self._in_chats(conversation_id, wanted)) is not None:
            return only_said
        if meant_otherwise and not is_command:
            return None  # "forget the last sentence and go on" is no business of memory
        if told.plan is not None and told.done:
            self._mark_in_chats(conversation_id, told.plan, wanted.german)
        if told.done and wanted.language:
            return DirectAnswer(text=say("kept_in_memory", wanted.language, a=wanted.text))
        if told.done or (wanted.want is RequestKind.FORGET and told.plan is None):
            return DirectAnswer(text=told.says)
        if told.plan is None:
            self._pending[conversation_id] = (replace(wanted, is_agreed=True), None)
            return DirectAnswer(text=told.says)
        return self._shown(conversation_id, wanted, told)

    def _shown(self, conversation_id: int, wanted: MemoryRequest, told: MemoryReply) -> DirectAnswer:
        """What would be forgotten, and how to say yes, which the next message may."""
        self._pending[conversation_id] = (wanted, told.plan)
        language = GERMAN if wanted.german else ENGLISH
        return DirectAnswer(text=f"{told.says}\n\n{ChatReason.SAY_YES_TO_FORGET.of().in_language(language)}")

    def _in_chats(self, conversation_id: int, wanted: MemoryRequest) -> DirectAnswer | None:
        """What stands in chats alone, as a secret does that was not to be kept: asked about like the rest."""
        plan = self._memory.forgetting.plan_in(wanted.text, self._said())
        if plan is None:
            return None
        self._pending[conversation_id] = (wanted, plan)
        language = GERMAN if wanted.german else ENGLISH
        heading = MemoryReason.WOULD_BE_FORGOTTEN_IN_CHATS.of(count=len(plan.in_chats)).in_language(language)
        asks = ChatReason.SAY_YES_TO_FORGET_IN_CHATS.of().in_language(language)
        return DirectAnswer(text="\n".join((heading, *(f"- {each}" for each in plan.in_chats), "", asks)))

    def _folder(self, conversation_id: int) -> str:
        return (self._project_of(conversation_id) or self._project()).folder

    def _agreed(self, conversation_id: int, wanted: MemoryRequest, plan: ForgetPlan | None) -> DirectAnswer:
        """Do what was shown, or asked about, right before the user said yes."""
        if plan is None:
            kept = self._memory.fulfil(wanted, self._session(conversation_id), self._folder(conversation_id))
            return DirectAnswer(text=kept.says)
        told = self._memory.carry_out(plan, wanted.german)
        self._mark_in_chats(conversation_id, plan, wanted.german)
        return DirectAnswer(text=told.says)

    def _mark_in_chats(self, conversation_id: int, plan: ForgetPlan, german: bool) -> None:
        """In all conversations, this one and the wish itself among them."""
        forgetting, mark = self._memory.forgetting, GERMAN_MARK if german else MARK
        changed = ForgottenWords(self._blocks.database).mark(
            lambda text: forgetting.rest(plan.subject, text, mark)
        )
        if changed:
            self._bus.publish(WordsForgotten(conversation_id, changed))

    # -- what the model is told ---------------------------------------------------------------

    def recall(
        self,
        question: Message,
        seen: Sequence[Message],
        earlier: Mapping[int, MemoryBlock],
        project: MemoryProject | None = None,
    ) -> MemoryBlock | None:
        """Put together what is to be told before `question`, once; `seen` are the messages that the model
        sees, the question among them. `project` is that of the conversation, None for the workspace's. None
        where there is nothing to tell.
        """
        settings = self._settings()
        if not settings.enabled or settings.paused:
            return None
        # Answered anew, a question is told what it was told: the prompt, and the cache, stay the same.
        if question.id in earlier:
            return earlier[question.id]
        try:
            already = frozenset().union(*(b.ids for b in earlier.values()))
            context = self._assembled(question, seen, already, project or self._project())
            return self._put(question, context) if context.content else None
        # Memory is a help, and no reason to leave a question unanswered.
        except UserFacing as error:
            log.warning("answering without memory", reason=str(error))
            return None

    def _assembled(
        self, question: Message, seen: Sequence[Message], already: frozenset[int], project: MemoryProject
    ) -> AssembledContext:
        session = self._session(question.conversation_id)
        # Turns that are in the prompt anyway are not told as memories as well.
        since = min((each.created_at.timestamp() for each in seen), default=0.0)
        return self._memory.assembler.assemble(
            question.text,
            self._settings().budget_tokens,
            View.of(session, project.folder, (*LOCAL, *SHARED)),
            self.count,
            already,
            VisibleTurns(session, since) if session else None,
            only_relevant=True,
        )

    def _put(self, question: Message, context: AssembledContext) -> MemoryBlock:
        ids = [item.id for item in context.items]
        quoted = [
            i for i in self._memory.store.items(ids) if i.source in (MemorySource.TOOL, MemorySource.WEB)
        ]
        # Whoever shares a memory is a stranger to the gate.
        shared = [f"shared memory ({i.layer.value})" for i in context.items if i.layer.is_shared]
        sources = (*(i.origin or i.source.value for i in quoted), *shared)
        block = self._blocks.put(question.id, context, sources)
        # After the block is on disk: what was never told was not used.
        self._memory.store.was_used(ids)
        self._bus.publish(MemoryUsed(question.conversation_id, question.id, block))
        return block

    def count(self, text: str) -> int:
        """As the loaded model counts; until there is one, rather too many than too few."""
        counted = self._count_tokens(text)
        return len(text.encode()) // BYTES_OF_A_TOKEN + 1 if counted is None else counted

    # -- what was said ------------------------------------------------------------------------

    def keep(
        self,
        question: Message,
        answer: Message,
        untrusted: Sequence[str] = (),
        project: MemoryProject | None = None,
    ) -> None:
        """Keep a turn word for word. What was answered from texts of others is kept as theirs. `project` as
        in `recall`."""
        settings = self._settings()
        if not self._keeps or not settings.enabled or settings.paused:
            return
        session = self._session(question.conversation_id)
        project = project or self._project()
        # In the home folder that Steward begins with, nothing belongs to a project.
        scope = project.folder if project.chosen else ""
        try:
            said: dict[int, Spoken] = {}
            if question.text.strip():
                said[question.id] = Spoken("user", question.text, MemorySource.USER)
            if answer.text.strip() and answer.status in _KEPT:
                # What was answered from a page is the page's word; it never becomes the user's.
                source, origin = (theirs(untrusted) if untrusted else None) or (MemorySource.MODEL, "")
                said[answer.id] = Spoken(STEWARD, answer.text, source, origin)
            ids = self._memory.record_all(session, tuple(said.values()), scope)
            self._blocks.was_kept(dict(zip(said, ids, strict=True)))
        except UserFacing as error:
            log.warning("the turn was not remembered", reason=str(error))

    def forget_conversation(self, conversation_id: int) -> None:
        """With a conversation goes what was said in it; `restore_conversation` brings both back."""
        gone = self._memory.forget_conversation(self._session(conversation_id))
        self._went(("conversation", conversation_id), gone)

    def restore_conversation(self, conversation_id: int) -> None:
        self._comes_back(("conversation", conversation_id))

    def forget_gone(self) -> int:
        """Forget what was said in conversations that are gone for good; returns how many those were."""
        gone = set(self._memory.store.threads()) - self._blocks.conversations()
        for thread in gone:
            self._memory.forget_conversation(thread)
        return len(gone)

    def forget_message(self, message_id: int) -> None:
        """With a message that was deleted goes what it said, and what followed it."""
        gone = self._memory.store.items(self._blocks.kept_with(message_id))
        self._memory.forget([item.id for item in gone])
        self._went(("message", message_id), gone)

    def restore_message(self, message_id: int) -> None:
        self._comes_back(("message", message_id))

    def _went(self, with_what: tuple[str, int], gone: tuple[Item, ...]) -> None:
        with self._lock:
            self._forgotten.pop(with_what, None)
            if gone:
                self._forgotten[with_what] = gone
            while len(self._forgotten) > MOST_FORGOTTEN:
                del self._forgotten[next(iter(self._forgotten))]

    def _comes_back(self, with_what: tuple[str, int]) -> None:
        with self._lock:
            gone = self._forgotten.pop(with_what, ())
        if gone:
            self._memory.store.restore(gone)

    def _session(self, conversation_id: int) -> str:
        return str(conversation_id) if self._keeps else ""


# -- a reminder, or what is remembered ---------------------------------------------------------

# Whether "delete the Erinnerung for the MOT" means a reminder that is set or what is remembered.
#
# German has one word for both, and "forget the dentist" may mean either. Where only one of the two fits
# it is meant; where both do the user is asked, and nothing goes before that. Pure; any thread.

SHOWN = 80  # characters of what is remembered
LONGEST_REPLY = 6  # words; what is longer asks for something else
_REMINDERS = re.compile(
    r"\b(?:reminders?|alarms?|timers?|first|erinnerung(?:en)?|wecker|gestellte?n?|erste[nrs]?)\b", re.I
)
_ALL_OF_THEM = re.compile(r"\b(?:all|both|every|alle|beide)\b", re.I)
_NAMED = re.compile(r"\b(?:reminders?|erinnerung(?:en)?)\b", re.I)
_REMEMBERED = re.compile(
    r"\b(?:memor(?:y|ies)|remember(?:ed)?|know|second|gemerkte?[nrs]?|merkst|weißt|gedächtnis|zweite[nrs]?)\b",
    re.I,
)


def speaks_of_reminder(typed: str) -> bool:
    return _NAMED.search(typed) is not None


class ReminderOrMemory(Enum):
    REMINDERS = "reminders"
    REMEMBERED = "remembered"


@dataclass(frozen=True)
class MemoryChoice:
    """What the user was asked to choose between: `reminders`, by number and text, or what `wish` takes."""

    wish: MemoryRequest
    reminders: tuple[tuple[int, str], ...]

    def asked(self, remembered: Item) -> DirectAnswer:
        """The question, with one of what is remembered as an example."""
        texts = "”, “".join(text for _, text in self.reminders)
        if self.wish.german:
            texts = "“, „".join(text for _, text in self.reminders)
        said = " ".join(remembered.text.split())
        said = said if len(said) <= SHOWN else f"{said[:SHOWN].rstrip()} …"
        reason = ChatReason.REMINDER_OR_MEMORY.of(reminder=texts, memory=said)
        return DirectAnswer(text=reason.in_language(GERMAN if self.wish.german else ENGLISH))

    def cancelled(self) -> DirectAnswer:
        """The reminder goes, by a call like every other; of several that were not all meant none does."""
        if len(self.reminders) > 1 and _ALL_OF_THEM.search(self.wish.text) is None:
            return DirectAnswer(text=say("which_reminder", "de" if self.wish.german else "en"))
        calls = tuple(
            ParsedCall("cancel_reminder", {"reminder": str(number)}) for number, _ in self.reminders
        )
        plan = IntentPlan("de" if self.wish.german else "en", tuple(Step(call) for call in calls))
        return DirectAnswer(calls=calls, tell_all=lambda ended: told_plan(plan, ended))


def chosen(reply: str) -> ReminderOrMemory | None:
    """Which of the two a short answer to the question names; None for any other message."""
    if len(reply.split()) > LONGEST_REPLY:
        return None
    reminders, remembered = _REMINDERS.search(reply), _REMEMBERED.search(reply)
    if (reminders is None) is (remembered is None):
        return None
    return ReminderOrMemory.REMINDERS if reminders else ReminderOrMemory.REMEMBERED


def remembered_by(plan: ForgetPlan, vocabulary: Vocabulary) -> Item | None:
    """The latest that a plan to forget takes and that states anything: the wish for a reminder is none."""
    stated = (
        item
        for item in reversed(plan.items)
        if item.kind is not MemoryKind.EPISODE or states_something(item.text, vocabulary)
    )
    return next(stated, None)
