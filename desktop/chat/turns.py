"""Turns: a question is stored, the model answers, what it says is on disk before anyone sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import structlog

from desktop.chat.agent_loop import (
    ActiveTurn,
    AgentLoop,
    Desk,
    ToolRuntime,
    instructions_for,
    plain_instructions,
    run_fix,
    sampling,
)
from desktop.chat.attachments import Attachment
from desktop.chat.context_use import ContextUse, used_by
from desktop.chat.conversation_memory import ConversationMemory
from desktop.chat.events import BranchChanged, ConversationsChanged, MessagesHidden, TurnStarted
from desktop.chat.history import History
from desktop.chat.messages import Summary
from desktop.chat.presets import Preset
from desktop.chat.rules import AnswerByRule, DirectAnswer
from desktop.chat.store import ChatStore, Deleted, Message, MessageStatus, Role
from desktop.chat.summaries import Summariser
from desktop.chat.titles import ASKED, TITLE_TOKENS, title_from
from desktop.chat.tool_mode import Capabilities, ToolMode, ToolProfile
from desktop.engine.engine import Engine
from desktop.engine.events import EngineState
from desktop.engine.requests import ContextOverflow, GenerateRequest, Priority, Sampling, Stream
from desktop.engine.requests import Message as EngineMessage
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.hindsight.hindsight import SuggestedFix
from desktop.settings import Settings
from desktop.tools.calls import Ended

__all__ = ["CAN_CONTINUE", "Turns", "sampling"]

log = structlog.get_logger(__name__)

CAN_CONTINUE = frozenset(
    {
        MessageStatus.LENGTH,
        MessageStatus.STOPPED,
        MessageStatus.INTERRUPTED,
        MessageStatus.FAILED,
        MessageStatus.CONTEXT_FULL,
        MessageStatus.REPEATED,
    }
)


NOTHING_ASKED = "(The next question.)"  # stands where it will
NAMED_WITHIN = 8  # messages; what was not named by then keeps the name by rule


class _AlreadyAnswering(RuntimeError):
    """A second turn was begun in a conversation: the caller's mistake."""


class Turns:
    """Runs turns, one at a time in each conversation. `run` and its kin block: call them on a pool thread."""

    def __init__(
        self,
        store: ChatStore,
        engine: Engine,
        bus: Bus,
        settings: Callable[[], Settings],
        acting: ToolRuntime | None = None,
        rules: AnswerByRule | None = None,
        capabilities: Capabilities | None = None,
        memory: ConversationMemory | None = None,
    ) -> None:
        """Without `acting` answers are words alone. `rules` are asked before the model; `capabilities` know
        what a model file can do beyond what its template says. Without `memory` nothing is remembered.
        """
        self._memory = memory
        self._acting = acting
        self._store = store
        self._engine = engine
        self._bus = bus
        self._settings = settings
        self._rules = rules
        self._capabilities = capabilities
        history = History(store, bus, lambda: settings().chat.history_turns, memory)
        self._desk = Desk(store, engine, bus, settings, history)
        self._summarising = Summariser(store, bus, history)
        self._lock = threading.Lock()
        self._running: dict[int, ActiveTurn] = {}
        self._naming: list[ActiveTurn] = []  # conversations for which the model looks for a name

    def run(
        self,
        conversation_id: int,
        text: str,
        priority: Priority = Priority.CHAT,
        by_rule: bool = True,
        attachments: Sequence[Attachment] = (),
    ) -> Message:
        """Ask `text` and return the whole answer. Failures are announced as TurnFailed, not raised.

        Without `by_rule` the model answers, also what a rule could; and always where something goes along.
        """
        with self._turn(conversation_id) as running:
            question, answer = self._store.open_turn(conversation_id, text, attachments=attachments)
            self._bus.publish(TurnStarted(conversation_id, question, answer))
            self._bus.publish(ConversationsChanged())
            return self._answer_to(running, question, answer, priority, by_rule)

    def edit(self, conversation_id: int, message_id: int, text: str) -> Message:
        """Ask `text` instead of an earlier question; that one is kept as another version, with all that
        followed. Returns the answer."""
        with self._turn(conversation_id) as running:
            hidden = self._from(conversation_id, message_id)
            question, answer = self._store.open_turn(conversation_id, text, instead_of=message_id)
            self._bus.publish(MessagesHidden(conversation_id, hidden))
            self._bus.publish(TurnStarted(conversation_id, question, answer))
            self._bus.publish(ConversationsChanged())
            return self._answer_to(running, question, answer, Priority.CHAT, by_rule=True)

    def regenerate(self, conversation_id: int, message_id: int | None = None) -> Message:
        """Answer a question anew, the latest unless `message_id` names an answer; the old answer is kept as
        another version, with all that followed."""
        with self._turn(conversation_id) as running:
            old = self._answer_to_replace(conversation_id, message_id)
            hidden = self._from(conversation_id, old) if old is not None else ()
            answer = self._store.open_answer(conversation_id, instead_of=old)
            self._bus.publish(MessagesHidden(conversation_id, hidden))
            self._bus.publish(TurnStarted(conversation_id, None, answer))
            return self._answer(running, answer, Priority.CHAT)

    def continue_answer(self, conversation_id: int) -> Message:
        """Go on with the latest answer where it was cut."""
        with self._turn(conversation_id) as running:
            answer = self._store.reopen(self._latest_answer(conversation_id).id)
            self._bus.publish(TurnStarted(conversation_id, None, answer))
            return self._answer(running, answer, Priority.CHAT)

    def try_fix(self, conversation_id: int, fix: SuggestedFix) -> Ended:
        """Make the call of a known fix, as the user wished; see `run_fix`. Raises UserFacing."""
        with self._idle(conversation_id) as running:
            return run_fix(self._desk, self._acting, conversation_id, fix, running)

    # -- versions: refused while the conversation is being answered ---------------------------

    def open_branch(self, conversation_id: int, message_id: int) -> None:
        """Show the branch that a message is on, to the end where it was left. Raises UserFacing."""
        with self._idle(conversation_id):
            self._store.open_branch(message_id)
            self._bus.publish(BranchChanged(conversation_id, message_id))

    def delete(self, conversation_id: int, message_id: int) -> Deleted:
        """Delete a message with what follows it on its branch; other versions stay. Of an answer that used
        tools the calls go along. `restore` with the id of what was deleted undoes it. Raises UserFacing."""
        with self._idle(conversation_id):
            deleted = self._store.hide(self._store.head(message_id))
            if self._memory is not None:
                self._memory.forget_message(deleted.message.id)
            self._bus.publish(BranchChanged(conversation_id, self._shown_instead(deleted.message)))
            self._bus.publish(ConversationsChanged())
            return deleted

    def restore(self, conversation_id: int, message_id: int) -> None:
        """Bring back what `delete` took. Raises UserFacing."""
        with self._idle(conversation_id):
            if self._store.unhide(message_id):
                if self._memory is not None:
                    self._memory.restore_message(message_id)
                self._bus.publish(BranchChanged(conversation_id, message_id))
                self._bus.publish(ConversationsChanged())

    # -- the context --------------------------------------------------------------------------

    def context_use(self, conversation_id: int | None) -> ContextUse:
        """How full the context is before the next question; None: of a conversation that is to begin.
        Pool thread: a step of the model under way is waited for."""
        acting = self._acting_at_all()
        manner = self._manner(acting)
        history, settings = self._desk.history, self._settings()
        if conversation_id is not None:
            settings = self._desk_for(conversation_id).settings()
        seen = history.seen(conversation_id) if conversation_id is not None else ()
        tools = manner.schemas(acting.toolbox) if acting is not None else ()
        instructions = instructions_for(settings, acting, manner)
        prompt = (
            history.prompt_now(conversation_id, instructions, manner.family).messages
            if conversation_id is not None
            else (EngineMessage("system", instructions),)
        )
        summary = history.summary(conversation_id) if conversation_id is not None else None
        return used_by(self._engine, settings, prompt, tools, seen, history.memory_tokens(seen), summary)

    def summarise(self, conversation_id: int) -> Summary:
        """Have the model tell the older messages in few words. Blocks until it has; `stop` ends it. Raises
        UserFacing and Cancelled."""
        with self._idle(conversation_id) as running:

            def submit(request: GenerateRequest) -> Stream:
                stream = self._engine.submit(request)
                running.attach(stream)
                return stream

            return self._summarising.run(conversation_id, submit)

    def undo_summary(self, conversation_id: int, summary: Summary) -> None:
        """Have the model read the messages themselves again. Raises UserFacing."""
        with self._idle(conversation_id):
            self._summarising.undo(conversation_id, summary)

    def choose_preset(self, conversation_id: int, preset: Preset | None) -> None:
        """From the next answer on; a line in the conversation says so. None: as in the settings. The model
        reads the conversation anew then. Raises UserFacing."""
        with self._idle(conversation_id):
            before = self._store.presets.of(conversation_id)
            self._store.presets.choose(conversation_id, preset)
            if preset != before and self._store.message_count(conversation_id):
                usual = "From here on with the usual instructions."
                words = usual if preset is None else f"From here on with the preset “{preset.name}”."
                self._desk.history.tell(conversation_id, words)

    def name(self, conversation_id: int) -> bool:
        """Have the model find a name for a conversation that has one by rule, once it has nothing else to
        do. False where that is not wanted, not possible, or the user was faster. Loads no model."""
        wanted = self._settings().chat.titles_by_model and self._store.may_be_named(conversation_id)
        wanted = wanted and self._store.message_count(conversation_id) <= NAMED_WITHIN
        model = self._engine.model
        is_ready = self._engine.status.state is EngineState.READY
        if not wanted or not is_ready or model is None or model.facts.is_recurrent:
            return False  # a recurrent model would have to read everything again
        running = ActiveTurn()
        with self._lock:
            self._naming.append(running)
        try:
            stream = self._engine.submit(self._title_request(conversation_id))
            running.attach(stream)
            title = title_from(stream.text(), self._store.get(conversation_id).title)
        except (UserFacing, ContextOverflow) as error:
            log.info("no title", reason=str(error))
            return False
        finally:
            with self._lock:
                self._naming.remove(running)
        if running.stopped:
            return False
        if title is None or not self._store.name_by_model(conversation_id, title):
            return False
        self._bus.publish(ConversationsChanged())
        return True

    def delete_conversation(self, conversation_id: int) -> None:
        """Hide a conversation and forget what was said in it; until the program ends it may come back."""
        self._store.delete(conversation_id)
        if self._memory is not None:
            self._memory.forget_conversation(conversation_id)

    def restore_conversation(self, conversation_id: int) -> None:
        """Bring back what `delete_conversation` took."""
        self._store.restore(conversation_id)
        if self._memory is not None:
            self._memory.restore_conversation(conversation_id)

    def warm_up(self) -> None:
        """Have the model read its instructions before the first question, which goes first all the same; then
        find out what a model can do that nobody has tried yet.

        Loads the model. What goes wrong is told by the first question.
        """
        acting = self._acting_at_all()
        manner = self._manner(acting)
        messages = (
            EngineMessage("system", instructions_for(self._settings(), acting, manner)),
            EngineMessage("user", "Hello"),
        )
        request = GenerateRequest(
            conversation="warm-up",
            messages=messages,
            sampling=Sampling(temperature=0.0, max_tokens=1),
            priority=Priority.BACKGROUND,
            tools=manner.schemas(acting.toolbox) if acting is not None else (),
        )
        try:
            self._engine.submit(request).text()
            if manner.retells:
                system = EngineMessage("system", plain_instructions(self._settings()))
                self._engine.submit(replace(request, messages=(system, messages[1]), tools=())).text()
            if self._capabilities is not None and self._engine.model is not None:
                self._capabilities.find_out(self._engine, self._engine.model)
        except (UserFacing, ContextOverflow) as error:
            log.info("could not warm up", reason=str(error))

    def stop(self, conversation_id: int) -> None:
        """End the answer under way, keeping what was said. Any thread; harmless when there is none."""
        with self._lock:
            running = self._running.get(conversation_id)
        if running is not None:
            running.stop()
            if self._acting is not None:
                self._acting.cancel_questions(conversation_id)

    def stop_all(self) -> None:
        """Before the program ends."""
        with self._lock:
            under_way, naming = tuple(self._running), tuple(self._naming)
        for conversation_id in under_way:
            self.stop(conversation_id)
        for running in naming:
            running.stop()

    def is_running(self, conversation_id: int) -> bool:
        with self._lock:
            return conversation_id in self._running

    # -- inside -------------------------------------------------------------------------------

    def _title_request(self, conversation_id: int) -> GenerateRequest:
        """The conversation with the tools, and one question more."""
        return self._beside(f"chat-{conversation_id} title", conversation_id, ASKED, TITLE_TOKENS)

    def _beside(self, name: str, conversation_id: int, asked: str, tokens: int) -> GenerateRequest:
        acting = self._acting_at_all()
        manner = self._manner(acting)
        settings = self._desk_for(conversation_id).settings()
        instructions = instructions_for(settings, acting, manner)
        seen = self._desk.history.prompt_now(conversation_id, instructions, manner.family).messages
        return GenerateRequest(
            conversation=name,
            messages=(*seen, EngineMessage("user", asked)),
            sampling=Sampling(temperature=0.0, max_tokens=tokens),
            priority=Priority.BACKGROUND,
            tools=manner.schemas(acting.toolbox) if acting is not None else (),
        )

    @contextmanager
    def _turn(self, conversation_id: int) -> Iterator[ActiveTurn]:
        running = ActiveTurn()
        with self._lock:
            if conversation_id in self._running:
                raise _AlreadyAnswering(f"conversation {conversation_id} is already being answered")
            self._running[conversation_id] = running
        try:
            yield running
        finally:
            with self._lock:
                del self._running[conversation_id]

    def _answer_to(
        self, running: ActiveTurn, question: Message, answer: Message, priority: Priority, by_rule: bool
    ) -> Message:
        """The answer to a new question, and what of both is worth remembering."""
        conversation_id, text = question.conversation_id, question.text
        wished = self._memory.wished(conversation_id, text) if self._memory is not None else None
        ruled = wished or (self._ruled(text) if by_rule and not question.attachments else None)
        answer = self._answer(running, answer, priority, ruled)
        if self._memory is not None and ruled is None:
            self._memory.keep(question, answer, self._desk.history.untrusted(conversation_id))
        return answer

    def _answer(
        self, running: ActiveTurn, answer: Message, priority: Priority, ruled: DirectAnswer | None = None
    ) -> Message:
        acting = self._acting_for(answer, ruled)
        if ruled is None and not self._desk.history.question(answer).strip():
            acting = None  # what goes along without a word is told, and nothing is done about it
        desk, manner = self._desk_for(answer.conversation_id), self._manner(acting)
        closed = AgentLoop(desk, running, answer, priority, acting, manner).run(ruled)
        if acting is not None and ruled is None and manner.retells:
            self._read_on(answer.conversation_id)
        return closed

    def _read_on(self, conversation_id: int) -> None:
        """The answer was written without the list of tools; before the next one the model is asked with it
        whether one is needed. While the user reads the answer the model does so, too: nobody waits for it,
        and any question goes first."""
        if self._engine.status.state is EngineState.READY:
            self._engine.submit(self._beside(f"chat-{conversation_id}", conversation_id, NOTHING_ASKED, 1))

    def _desk_for(self, conversation_id: int) -> Desk:
        """With the settings of this conversation: its preset goes before what is set for all."""
        preset = self._store.presets.of(conversation_id)
        if preset is None:
            return self._desk
        return replace(self._desk, settings=lambda: preset.applied(self._settings()))

    def _acting_for(self, answer: Message, ruled: DirectAnswer | None) -> ToolRuntime | None:
        if ruled is not None:
            return self._acting  # a rule calls without the model, whatever that can do
        return None if answer.text else self._acting_at_all()  # words alone go on with a cut answer

    def _ruled(self, text: str) -> DirectAnswer | None:
        """What a rule makes of the question; one that needs a tool only where tools are on."""
        ruled = self._rules(text) if self._rules is not None else None
        if ruled is None or ruled.call is None or self._has_tools:
            return ruled
        return replace(ruled, call=None) if ruled.text else None

    @property
    def _has_tools(self) -> bool:
        acting = self._acting
        return acting is not None and self._settings().chat.tools and len(acting.toolbox) > 0

    def _acting_at_all(self) -> ToolRuntime | None:
        """None where only words are wanted: tools are off, or the model cannot call any."""
        if self._acting is None or not self._has_tools or self._way() is ToolMode.WORDS:
            return None
        return self._acting

    def _way(self) -> ToolMode:
        """What was found out about the model; until then what its template says."""
        model = self._engine.model
        known = (
            self._capabilities.known(model) if self._capabilities is not None and model is not None else None
        )
        if known is not None:
            return known
        native = ToolProfile.of(model.facts if model is not None else None, ToolMode.NATIVE)
        if native.family.native:
            return ToolMode.NATIVE
        return ToolMode.WORDS if self._acting is None or self._acting.native_only else ToolMode.COMPACT

    def _manner(self, acting: ToolRuntime | None) -> ToolProfile:
        model = self._engine.model
        return ToolProfile.of(
            model.facts if model is not None else None, self._way() if acting else ToolMode.WORDS
        )

    @contextmanager
    def _idle(self, conversation_id: int) -> Iterator[ActiveTurn]:
        try:
            with self._turn(conversation_id) as running:
                yield running
        except _AlreadyAnswering as error:
            raise UserFacing(
                "This chat is being answered.",
                "Nothing was changed.",
                "Wait for the answer or stop it, then try again.",
                code="chat-busy",
            ) from error

    def _from(self, conversation_id: int, message_id: int) -> tuple[int, ...]:
        """What the open branch shows from a message on."""
        shown = self._store.messages(conversation_id, limit=None, since=message_id)
        return tuple(message.id for message in shown if message.id >= message_id)

    def _answer_to_replace(self, conversation_id: int, message_id: int | None) -> int | None:
        """Where an answer begins; the latest one's beginning, or None where the latest question has none."""
        if message_id is not None:
            return self._store.head(message_id)
        for message in reversed(self._store.messages(conversation_id, limit=None)):
            if message.role is Role.USER:
                return None
            if message.role is not Role.NOTICE:
                return self._store.head(message.id)
        raise LookupError(f"conversation {conversation_id} has no question")

    def _shown_instead(self, deleted: Message) -> int | None:
        """The version that is open now in the place of a deleted one; else what it followed."""
        shown = self._store.messages(deleted.conversation_id, limit=None)
        instead = (message.id for message in shown if message.parent_id == deleted.parent_id)
        return next(instead, deleted.parent_id)

    def _latest_answer(self, conversation_id: int) -> Message:
        for message in reversed(self._store.messages(conversation_id, limit=20)):
            if message.role is Role.ASSISTANT:
                return message
        raise LookupError(f"conversation {conversation_id} has no answer")
