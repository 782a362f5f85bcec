"""Turns: a question is stored, the model answers, what it says is on disk before anyone sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from desktop.chat.agent_loop import AgentLoop, LoopServices
from desktop.chat.attachments import Attachment, AttachmentKind
from desktop.chat.call_runner import run_fix
from desktop.chat.context_use import ContextUse, used_by
from desktop.chat.conversation_memory import ConversationMemory
from desktop.chat.destinations import Destination, DestinationChanged, Destinations
from desktop.chat.events import (
    BranchChanged,
    ConversationsChanged,
    MessagesHidden,
    TextsChanged,
    TurnStarted,
)
from desktop.chat.intent_words import (
    MAY_ACT,
    MAY_DESCRIBE,
    MAY_TAKE_BACK,
    SHORT_FORM,
    asks_own_affairs,
    describes_file,
    language_of,
    spelled_out,
)
from desktop.chat.messages import Deleted, Message, MessageStatus, Role, Summary
from desktop.chat.presets import Preset
from desktop.chat.projects import ChatProject, ChatProjects
from desktop.chat.prompts import NOTHING_ASKED
from desktop.chat.reasons import ChatReason
from desktop.chat.request_parts import wordings
from desktop.chat.rules import AnswerByRule, DirectAnswer, with_answer
from desktop.chat.skills import SkillLibrary
from desktop.chat.store import ChatStore
from desktop.chat.summaries import Summariser
from desktop.chat.titles import ASKED, TITLE_TOKENS, title_from
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.chat.tool_mode import Capabilities, ToolMode, ToolProfile, ToolRuntime
from desktop.chat.turn_context import ActiveTurn, ContextWindow, TurnContext
from desktop.engine.engine import Engine
from desktop.engine.events import EngineState
from desktop.engine.requests import ContextOverflow, GenerateRequest, Priority, Sampling, Stream
from desktop.engine.requests import Message as EngineMessage
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.reasons import GateReason
from desktop.memory.hindsight.hindsight import SuggestedFix
from desktop.reasons import ENGLISH, LANGUAGES
from desktop.settings import Settings
from desktop.tools.calls import CallResult
from desktop.tools.tool import Catalogue, Tool, Toolbox

if TYPE_CHECKING:
    from desktop.chat.chat_folders import ChatFolders
    from desktop.chat.fixed_answers import FixedAnswer
    from desktop.chat.remote_turn import RemoteAnswers
    from desktop.extensions.chain import Chain

log = structlog.get_logger(__name__)

CAN_CONTINUE = frozenset(
    {
        MessageStatus.LENGTH,
        MessageStatus.STOPPED,
        MessageStatus.SUPERSEDED,
        MessageStatus.INTERRUPTED,
        MessageStatus.FAILED,
        MessageStatus.CONTEXT_FULL,
        MessageStatus.REPEATED,
    }
)


NAMED_WITHIN = 8  # messages; what was not named by then keeps the name by rule


class _AlreadyAnswering(RuntimeError):
    """A second turn was begun in a conversation: the caller's mistake."""


@dataclass(frozen=True)
class TurnSupport:
    """What turns can do without. `rules` are asked before the model; `capabilities` know what a model file
    can do beyond what its template says; without `memory` nothing is remembered. `first` is asked with
    the user's own words before an extension may change them. `extensions` are those that are on, None for
    none, and `more_tools` what they bring. `skills` gives those of which one may go along with a
    question, None where there are none. `elsewhere` answers for chats that a model server answers;
    without it these get no answer. `intents` reads what the question asks to be done, given the
    conversation with it and how the model is asked; `second_look` is what stands for an answer in which
    the model excuses itself; `in_files` says whether a file speaks of what it says, where no word of it
    asks for an act; `read_first` is what the model reads while nobody waits. `project_tools` gives the
    tools at work in a project's folder, and `use_model` has the engine answer with a project's model, ""
    for that of the settings; it returns whether that is another than before. `folders` look into the
    folders of chats; without it no chat has one. `fixed` is what the host says to the user's own words
    where these ask about Steward, which "you" is hardly right after a call (its last argument), or may
    tell of a danger. `wants_text` says whether `intents` took the
    question for a wish that a text be written.
    """

    rules: AnswerByRule | None = None
    capabilities: Capabilities | None = None
    memory: ConversationMemory | None = None
    first: AnswerByRule = lambda _text: None
    extensions: Callable[[], Chain | None] = lambda: None
    more_tools: Callable[[], Sequence[Tool]] = tuple
    skills: Callable[[], SkillLibrary | None] = lambda: None
    elsewhere: Callable[[], RemoteAnswers] | None = None
    intents: Callable[[TurnContext, Submit], DirectAnswer | None] = lambda _context, _submit: None
    second_look: Callable[[TurnContext, Submit], DirectAnswer | None] | None = None
    remarks: Callable[[TurnContext, Submit], DirectAnswer | None] = lambda _context, _submit: None
    in_files: Callable[[TurnContext], bool] = lambda _context: False
    read_first: Callable[[TurnContext], Sequence[GenerateRequest]] = lambda _context: ()
    project_tools: Callable[[str], ToolRuntime] | None = None
    use_model: Callable[[str], bool] = lambda _model_id: False
    folders: Callable[[], ChatFolders] | None = None
    fixed: Callable[[str, bool], FixedAnswer | None] = lambda _text, _follows_a_call: None
    wants_text: Callable[[str], bool] = lambda _asked: False


class Turns:
    """Runs turns, one at a time in each conversation. `run` and its kin block: call them on a pool thread."""

    def __init__(
        self,
        store: ChatStore,
        engine: Engine,
        bus: Bus,
        settings: Callable[[], Settings],
        tools: ToolRuntime | None = None,
        support: TurnSupport | None = None,
    ) -> None:
        """Without `tools` answers are words alone."""
        support = support or TurnSupport()
        self._store = store
        self._bus = bus
        self._settings = settings
        self._tools = tools
        self._rules, self._capabilities, self._memory = support.rules, support.capabilities, support.memory
        self._first, self._extensions = support.first, support.extensions
        self._more_tools = support.more_tools
        self._skills = support.skills
        self._intents, self._fixed = support.intents, support.fixed
        self._in_files, self._remarks = support.in_files, support.remarks
        self._wants_text = support.wants_text
        self._read_first = support.read_first
        self._project_tools, self._use_model = support.project_tools, support.use_model
        self._window = ContextWindow(store, bus)
        self._services = LoopServices(
            engine,
            self._window,
            support.memory,
            support.elsewhere,
            support.folders,
            support.second_look,
        )
        self._summariser = Summariser(self._window)
        self._destinations = Destinations(store.database)
        self.projects = ChatProjects(store.database, bus)
        self._lock = threading.Lock()
        self._active: dict[int, ActiveTurn] = {}
        self._naming: list[ActiveTurn] = []  # conversations for which the model looks for a name
        self._reading_on: Stream | None = None  # what the model reads while nobody asks

    def run(
        self,
        conversation_id: int,
        text: str,
        priority: Priority = Priority.CHAT,
        by_rule: bool = True,
        attachments: Sequence[Attachment] = (),
        is_attended: bool = True,
    ) -> Message:
        """Ask `text` and return the whole answer. Failures are announced as TurnFailed, not raised.

        Without `by_rule` the model answers, also what a rule could; and always where something goes along.
        `is_attended` False: nobody sits before it. Then tools only read, nothing is asked, and nothing of it
        is remembered.
        """
        with self._turn(conversation_id, is_attended) as active:
            along = (*self._fitting_skill(conversation_id, text), *attachments)
            question, answer = self._store.open_turn(conversation_id, text, attachments=along)
            # Both are on disk by now: a kill from here on loses no question.
            self._bus.publish(TurnStarted(conversation_id, question, answer))
            self._bus.publish(ConversationsChanged())
            return self._answer_to(active, question, answer, priority, by_rule)

    def edit(self, conversation_id: int, message_id: int, text: str) -> Message:
        """Ask `text` instead of an earlier question; that one is kept as another version, with all that
        followed. Returns the answer."""
        with self._turn(conversation_id) as active:
            hidden = self._from(conversation_id, message_id)
            question, answer = self._store.open_turn(conversation_id, text, instead_of=message_id)
            # First what goes from sight, then what comes: a view never shows two versions at once.
            self._bus.publish(MessagesHidden(conversation_id, hidden))
            self._bus.publish(TurnStarted(conversation_id, question, answer))
            self._bus.publish(ConversationsChanged())
            return self._answer_to(active, question, answer, Priority.CHAT, by_rule=True)

    def regenerate(
        self, conversation_id: int, message_id: int | None = None, is_attended: bool = True
    ) -> Message:
        """Answer a question anew, the latest unless `message_id` names an answer; the old answer is kept as
        another version, with all that followed. `is_attended` as in `run`: a question that nobody sits before
        was cut off, so that it is answered as the first time, by a rule where one knows."""
        with self._turn(conversation_id, is_attended) as active:
            old = self._answer_to_replace(conversation_id, message_id)
            hidden = self._from(conversation_id, old) if old is not None else ()
            answer = self._store.open_answer(conversation_id, instead_of=old)
            self._bus.publish(MessagesHidden(conversation_id, hidden))
            self._bus.publish(TurnStarted(conversation_id, None, answer))
            if not is_attended:
                asked = self._store.messages(conversation_id, limit=None)
                question = next(each for each in reversed(asked) if each.role is Role.USER)
                return self._answer_to(active, question, answer, Priority.BACKGROUND, by_rule=True)
            return self._answer(active, answer)

    def continue_answer(self, conversation_id: int) -> Message:
        """Go on with the latest answer where it was cut."""
        with self._turn(conversation_id) as active:
            answer = self._store.reopen(self._latest_answer(conversation_id).id)
            self._bus.publish(TurnStarted(conversation_id, None, answer))
            return self._answer(active, answer)

    def try_fix(self, conversation_id: int, fix: SuggestedFix) -> CallResult:
        """Make the call of a known fix, as the user wished; see `run_fix`. Raises UserFacing."""
        with self._idle(conversation_id) as active:
            context = self._base(conversation_id, self._tools, ToolMode.WORDS)
            return run_fix(self._window, self._window.load(context), fix, active.tools)

    def undo_extensions(self, conversation_id: int, message_id: int, undone: bool = True) -> Message:
        """Have a message count as it was written, without what extensions made of it; `undone` False takes
        that back. A question is answered anew then, as another version of its answer; returns that answer, or
        the message where none was asked for. Raises UserFacing."""
        with self._idle(conversation_id) as active:
            message = self._store.undo_changed(message_id, undone)
            self._bus.publish(TextsChanged(conversation_id, message))
            if message.role is not Role.USER:
                return message
            shown = self._store.messages(conversation_id, limit=None, since=message_id)
            after = (each for each in shown if each.id > message_id and each.role is not Role.NOTICE)
            old = next((each.id for each in after), None)
            hidden = self._from(conversation_id, old) if old is not None else ()
            answer = self._store.open_answer(conversation_id, instead_of=old)
            self._bus.publish(MessagesHidden(conversation_id, hidden))
            self._bus.publish(TurnStarted(conversation_id, None, answer))
            return self._answer(active, answer)

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
            # From the head of the version on, so that no card stays behind without its answer.
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
        base = self._base(conversation_id or 0)
        context = self._window.load(base) if conversation_id is not None else base
        return used_by(self._services.engine, context)

    def context(self, conversation_id: int) -> TurnContext:
        """What the model would see of a conversation now. One read of the database."""
        return self._window.load(self._base(conversation_id))

    def summarise(self, conversation_id: int) -> Summary:
        """Have the model tell the older messages in few words. Blocks until it has; `stop` ends it. Raises
        UserFacing and Cancelled."""
        with self._idle(conversation_id) as active:

            def submit(request: GenerateRequest) -> Stream:
                stream = self._engine.submit(request)
                active.attach(stream)
                return stream

            return self._summariser.run(self.context(conversation_id), submit)

    def undo_summary(self, conversation_id: int, summary: Summary) -> None:
        """Have the model read the messages themselves again. Raises UserFacing."""
        with self._idle(conversation_id):
            self._summariser.undo(conversation_id, summary)

    def move(self, conversation_id: int, project: ChatProject | None) -> None:
        """Into a project, None: out of any; from the next answer on. A line in the conversation says so.
        Raises UserFacing."""
        with self._idle(conversation_id):
            before = self.projects.of(conversation_id)
            if before == project:
                return
            self.projects.move((conversation_id,), project.id if project is not None else 0)
            if self._store.message_count(conversation_id):
                into = ChatReason.FROM_HERE_PROJECT
                left = ChatReason.FROM_HERE_NO_PROJECT.of()
                words = into.of(name=project.name) if project is not None else left
                self._window.tell(conversation_id, words)
        self._bus.publish(ConversationsChanged())

    @property
    def folders(self) -> ChatFolders | None:
        """What looks into the folders of chats; None where no chat has one."""
        return self._services.folders() if self._services.folders is not None else None

    def choose_preset(self, conversation_id: int, preset: Preset | None) -> None:
        """From the next answer on; a line in the conversation says so. None: as in the settings. The model
        reads the conversation anew then. Raises UserFacing."""
        with self._idle(conversation_id):
            before = self._store.presets.of(conversation_id)
            self._store.presets.choose(conversation_id, preset)
            if preset != before and self._store.message_count(conversation_id):
                usual = ChatReason.FROM_HERE_USUAL.of()
                words = usual if preset is None else ChatReason.FROM_HERE_PRESET.of(name=preset.name)
                self._window.tell(conversation_id, words)

    def destination(self, conversation_id: int) -> Destination | None:
        """The model server that answers a conversation; None: the model of this computer."""
        return self._destinations.of(conversation_id)

    def choose_server(self, conversation_id: int, server: str) -> None:
        """Who answers from the next question on, by the server's name; "" is the model of this computer. A
        line in the conversation says so. Raises UserFacing."""
        with self._idle(conversation_id):
            before = self._destinations.of(conversation_id)
            if server == (before.server if before is not None else ""):
                return
            self._destinations.choose(conversation_id, server)
            if self._store.message_count(conversation_id):
                here, there = ChatReason.FROM_HERE_LOCAL, ChatReason.FROM_HERE_SERVER
                self._window.tell(conversation_id, there.of(name=server) if server else here.of())
        self._bus.publish(DestinationChanged(conversation_id, server))

    def name(self, conversation_id: int) -> bool:
        """Have the model find a name for a conversation that has one by rule, once it has nothing else to
        do. False where that is not wanted, not possible, or the user was faster. Loads no model."""
        wanted = self._settings().chat.titles_by_model and self._store.may_be_named(conversation_id)
        wanted = wanted and self._store.message_count(conversation_id) <= NAMED_WITHIN
        # A name is worth no loading of a model, and no wait of somebody else.
        model = self._engine.model
        is_ready = self._engine.status.state is EngineState.READY
        if not wanted or not is_ready or model is None or model.facts.is_recurrent:
            return False  # a recurrent model would have to read everything again
        # What stands before is in the KV cache already: only the question is new.
        context = self.context(conversation_id)
        request = self._beside(f"chat-{conversation_id} title", context, ASKED, TITLE_TOKENS)
        active = ActiveTurn()
        with self._lock:
            self._naming.append(active)
        try:
            stream = self._engine.submit(request)
            active.attach(stream)
            title = title_from(stream.text(), self._store.get(conversation_id).title)
        except (UserFacing, ContextOverflow) as error:
            log.info("no title", reason=str(error))
            return False
        finally:
            with self._lock:
                self._naming.remove(active)
        # Stopped for the program's end, what was written so far is no name.
        if active.stopped:
            return False
        if title is None or not self._store.name_by_model(conversation_id, title):
            return False
        self._bus.publish(ConversationsChanged())
        return True

    def delete_conversation(self, conversation_id: int) -> None:
        """Hide a conversation and forget what was said in it; until the program ends it may come back."""
        # Hidden first: should memory fail, the conversation is out of sight all the same.
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
        context = self._base(0)
        messages = (EngineMessage("system", context.instructions), EngineMessage("user", "Hello"))
        request = GenerateRequest(
            conversation="warm-up",
            messages=messages,
            sampling=Sampling(temperature=0.0, max_tokens=1),
            priority=Priority.BACKGROUND,
            tools=context.profile.schemas(context.toolbox),
        )
        try:
            self._engine.submit(request).text()
            if context.profile.retells:
                system = EngineMessage("system", context.plain_instructions)
                self._engine.submit(replace(request, messages=(system, messages[1]), tools=())).text()
            served = context.tools.catalogue("", ()) if context.tools is not None else Catalogue()
            if context.profile.is_guided and served.tools:
                from desktop.chat.served_choice import beginnings

                # Some two thousand tokens, for which the first request to a server's tool would wait.
                for ahead in beginnings(served):
                    self._engine.submit(ahead).text()
            # The examples of a question to a table are as long, and on the disk from the next start on.
            for ahead in self._read_first(context):
                self._engine.submit(ahead).text()
            # Last, because it takes as long as a dozen answers and everybody goes before it.
            if self._capabilities is not None and self._engine.model is not None:
                self._capabilities.find_out(self._engine, self._engine.model)
        except (UserFacing, ContextOverflow) as error:
            log.info("could not warm up", reason=str(error))

    def stop(self, conversation_id: int, ending: MessageStatus = MessageStatus.STOPPED) -> None:
        """End the answer under way, keeping what was said; `ending` says why it is cut. Any thread; harmless
        when there is none."""
        with self._lock:
            active = self._active.get(conversation_id)
        if active is not None:
            active.stop(ending)
            # A dialog of a stopped turn would ask about a call that nobody wants any more.
            if self._tools is not None:
                self._tools.cancel_questions(conversation_id)

    def interrupt_all(self) -> None:
        """Before the program ends, which is no wish to stop an answer."""
        self.stop_all(MessageStatus.INTERRUPTED)

    def stop_all(self, ending: MessageStatus = MessageStatus.STOPPED) -> None:
        """Every answer under way; `ending` as for one."""
        with self._lock:
            under_way, naming = tuple(self._active), tuple(self._naming)
        for conversation_id in under_way:
            self.stop(conversation_id, ending)
        for active in naming:
            active.stop()

    @property
    def is_busy(self) -> bool:
        """Whether any conversation is being answered."""
        with self._lock:
            return bool(self._active)

    def is_running(self, conversation_id: int) -> bool:
        with self._lock:
            return conversation_id in self._active

    def is_wanted(self, conversation_id: int) -> bool:
        """Whether an answer is under way that nobody has stopped."""
        with self._lock:
            active = self._active.get(conversation_id)
        return active is not None and not active.stopped

    # -- inside -------------------------------------------------------------------------------

    def _beside(self, name: str, context: TurnContext, asked: str, tokens: int) -> GenerateRequest:
        """The conversation with the tools, and one question more that nobody has to answer first."""
        return GenerateRequest(
            conversation=name,
            messages=(*context.prompt().messages, EngineMessage("user", asked)),
            sampling=Sampling(temperature=0.0, max_tokens=tokens),
            priority=Priority.BACKGROUND,
            tools=context.profile.schemas(context.toolbox),
        )

    def _fitting_skill(self, conversation_id: int, text: str) -> tuple[Attachment, ...]:
        """What goes along because the words ask for it; once in a conversation, where it stays."""
        library = self._skills()
        if library is None:
            return ()
        # What leaves for a server is what the user put into the chat: there only words that name it do.
        leaves = self._destinations.of(conversation_id) is not None
        skill = library.fitting(text, is_named=leaves)
        if skill is None:
            return ()
        told = self._store.attached(conversation_id, AttachmentKind.SKILL)
        return () if skill.name in told else (library.attachment(skill, text),)

    @contextmanager
    def _turn(self, conversation_id: int, is_attended: bool = True) -> Iterator[ActiveTurn]:
        active = ActiveTurn(is_attended=is_attended)
        with self._lock:
            if conversation_id in self._active:
                raise _AlreadyAnswering(f"conversation {conversation_id} is already being answered")
            self._active[conversation_id] = active
            reading, self._reading_on = self._reading_on, None
        # A question goes first, but not before the chunk that is being read: it would wait for 32 tokens.
        if reading is not None:
            reading.cancel()
        try:
            yield active
        finally:
            with self._lock:
                del self._active[conversation_id]

    def _answer_to(
        self, active: ActiveTurn, question: Message, answer: Message, priority: Priority, by_rule: bool
    ) -> Message:
        """The answer to a new question, and what of both is worth remembering."""
        conversation_id, text = question.conversation_id, question.text
        # A skill that the words brought along is no reason to ask the model what a rule knows.
        alone = all(each.kind is AttachmentKind.SKILL for each in question.attachments)
        asks_rules = by_rule and alone
        # Before anything reads the order that such a message begins with.
        direct = self._taken_back(text) if asks_rules else None
        # A wish to remember or forget is carried out by us: no model has to understand it.
        memory = self._memory if active.is_attended else None
        if direct is None and memory is not None:
            direct = memory.wished(conversation_id, text)
        # Nobody's extension may stand between a cry for help and its answer.
        direct = direct or (self._first(text) if asks_rules else None)
        if direct is None and memory is not None and asks_rules:
            direct = memory.may_wish(conversation_id, text)
        if direct is None:
            question = self._changed(question, priority)
            direct = self._by_rule(question) if asks_rules else None
        loop = self._loop(active, answer, priority, direct)
        is_here = loop.context.destination is None  # nobody here answers for a server
        if direct is None and is_here and asks_rules:
            direct = self._by_likeness(text, loop)
        may_act = asks_rules and self._has_tools and loop.context.trouble is None
        if direct is None and is_here and may_act:
            direct = self._read(question, loop) or self._remarks(loop.context, loop.submit)
            # A model that cannot call stands in nobody's way: the calls are not its own.
            if direct is not None and loop.context.tools is None:
                loop = self._loop(active, answer, priority, direct)
        if direct is not None and not active.is_attended:
            direct = _reading_alone(direct, loop.context)
        answer = self._run(loop, direct)
        # What a rule answered is no memory: sums and times are old the next day.
        if memory is not None and (direct is None or direct.is_kept):
            project = loop.context.project
            memory.keep(
                question, answer, loop.context.untrusted, project.memory if project is not None else None
            )
        return answer

    def _read(self, question: Message, loop: AgentLoop) -> DirectAnswer | None:
        """What is to be done or looked up for `question`, where its words or a file may speak of it."""
        # Behind an act a few words go on from it: "scan2 too".
        sent = question.sent
        may_mean = loop.context.follows_an_act or MAY_ACT.search(sent) or files_in(sent)
        describes = MAY_DESCRIBE.search(sent) and (describes_file(sent) or asks_own_affairs(sent))
        if not (may_mean or describes or self._in_files(loop.context)):
            return None
        direct = self._intents(loop.context, loop.submit)
        loop.is_text_wanted = self._wants_text(sent)
        if direct is not None and direct.question:
            direct = self._with_answer(direct, question)
        return direct

    def _taken_back(self, text: str) -> DirectAnswer | None:
        """The answer to an order that its own message takes back; a cry for help goes before it."""
        said = spelled_out(text) if SHORT_FORM.search(text) else text
        if not MAY_TAKE_BACK.search(said):
            return None
        from desktop.chat.corrections import is_taken_back, told_taken_back

        if not is_taken_back(text):
            return None
        return self._first(text) or DirectAnswer(text=told_taken_back(text))

    def _by_likeness(self, text: str, loop: AgentLoop) -> DirectAnswer | None:
        """What the host answers to the user's own words, by their likeness to examples; in doubt only a line
        before the model's answer."""
        follows_a_call = loop.context.follows_a_call
        fixed = self._fixed(text, follows_a_call)
        # "Which training do i still have to do" is about training.md, and not about how models are made.
        if fixed is not None and not follows_a_call and self._in_files(loop.context):
            fixed = self._fixed(text, True)
        if fixed is None or fixed.is_whole:
            return DirectAnswer(text=fixed.text) if fixed is not None else None
        loop.first_words = fixed.text
        return None

    def _changed(self, question: Message, priority: Priority) -> Message:
        """The question with what extensions make of it for the model; its own words stay."""
        chain = self._extensions()
        if chain is None or not question.text.strip():
            return question
        from desktop.chat.extension_texts import changed_request

        tools = self._tools.toolbox.names if self._tools is not None else ()
        is_quick = priority is Priority.QUICK_ASK
        made = changed_request(chain, question, tools, is_quick)
        if made is None:
            return question
        question = self._store.set_changed(question, made)
        self._bus.publish(TextsChanged(question.conversation_id, question))
        return question

    def _answer(self, active: ActiveTurn, answer: Message) -> Message:
        return self._run(self._loop(active, answer, Priority.CHAT))

    def _loop(
        self, active: ActiveTurn, answer: Message, priority: Priority, direct: DirectAnswer | None = None
    ) -> AgentLoop:
        """With the conversation as it is before `answer`: the only time that a turn reads it."""
        base = self._base(answer.conversation_id)
        if direct is not None:  # a rule calls without the model, whatever that can do
            base = self._base(answer.conversation_id, self._tools, self._mode())
        context = self._window.load(base, answer.id)
        context = self._in_project(context, answer, direct)
        # Gone on with or made anew, it is written by the program, whatever the model can call.
        is_kept = direct is None and context.kept_in is not None and self._has_tools
        if is_kept and context.tools is None:
            context = replace(context, tools=self._with_more(self._tools))
        # What the model of this computer can do says nothing about one elsewhere.
        if context.destination is not None and self._has_tools:
            context = replace(context, tools=self._with_more(self._tools))
        if not active.is_attended:
            context = context.unattended()
        # What goes along without a word is told, and nothing is done about it; a cut answer goes on in words.
        speaks_only = direct is None and (bool(answer.text) or not context.asked.strip())
        context = context.without(tools=is_kept or not speaks_only)
        return AgentLoop(self._services, active, context, answer, priority)

    def _in_project(self, context: TurnContext, answer: Message, direct: DirectAnswer | None) -> TurnContext:
        """With the model and the folder of the project that the conversation belongs to."""
        project = context.project
        if self._use_model(project.model if project is not None else ""):
            # What the model can do decides what it is told of; read again only where it is another.
            mode = self._mode() if direct is not None else None
            base = self._base(answer.conversation_id, self._tools if direct is not None else None, mode)
            context = self._window.load(base, answer.id)
        if project is None or not project.folder or context.tools is None or self._project_tools is None:
            return context
        try:
            return replace(context, tools=self._with_more(self._project_tools(project.folder)))
        except UserFacing as error:  # told in the conversation, as every failure of an answer is
            return replace(context, trouble=error.reason)

    def _run(self, loop: AgentLoop, direct: DirectAnswer | None = None) -> Message:
        closed = loop.run(direct)
        context = loop.context
        if context.tools is None or context.destination is not None:
            return closed
        if direct is None and context.profile.retells:
            self._read_ahead(self._beside(f"chat-{context.conversation_id}", context, NOTHING_ASKED, 1))
        elif direct is not None and direct.calls and context.profile.is_guided:
            from desktop.chat.request_commands import beginning

            # What goes on from an act is put into commands, and most of that prompt is always the same.
            self._read_ahead(beginning())
        return closed

    def _read_ahead(self, request: GenerateRequest) -> None:
        """The answer was written without the list of tools; before the next one the model is asked with it
        whether one is needed. While the user reads the answer the model does so, too: the next question, in
        whatever conversation, ends it, and goes on from what was read."""
        # Nothing is loaded for what nobody waits for.
        if self._engine.model is None or self._engine.status.state is not EngineState.READY:
            return
        reading = self._engine.submit(request)
        with self._lock:
            before, self._reading_on = self._reading_on, reading
        if before is not None:  # of another conversation that was answered meanwhile
            before.cancel()

    def _by_rule(self, question: Message) -> DirectAnswer | None:
        """What a rule makes of the question; one that needs a tool only where tools are on."""
        direct = self._rules(question.sent) if self._rules is not None else None
        if direct is None or direct.call is None or self._has_tools:
            return direct
        return replace(direct, call=None) if direct.text else None

    def _with_answer(self, direct: DirectAnswer, question: Message) -> DirectAnswer:
        """With what a rule makes of the question that stands beside what is to be done."""
        for each in wordings(direct.question):
            ruled = self._first(each) or self._by_rule(replace(question, text=each, changed=None))
            if ruled is not None and not ruled.calls:
                return with_answer(direct, ruled)
        return direct

    @property
    def _engine(self) -> Engine:
        return self._services.engine

    @property
    def _has_tools(self) -> bool:
        tools = self._tools
        return tools is not None and self._settings().chat.tools and len(tools.toolbox) > 0

    def _base(
        self, conversation_id: int, tools: ToolRuntime | None = None, mode: ToolMode | None = None
    ) -> TurnContext:
        """A conversation of which nothing was read yet, with what the settings and the model allow."""
        if mode is None:
            mode = self._mode() if self._has_tools else ToolMode.WORDS
            tools = self._with_more(self._tools) if mode is not ToolMode.WORDS else None
        model = self._engine.model
        profile = ToolProfile.of(model.facts if model is not None else None, mode)
        chain = self._extensions()
        additions = chain.prompts() if chain is not None else ()
        return TurnContext(conversation_id, self._settings(), profile, tools, additions)

    def _with_more(self, tools: ToolRuntime | None) -> ToolRuntime | None:
        """Looked up for each turn: an extension may have been switched on or off since the last one."""
        more = self._more_tools()
        if tools is None or not more:
            return tools
        return replace(tools, toolbox=Toolbox((*tools.toolbox, *more)))

    def _mode(self) -> ToolMode:
        """What was found out about the model; until then what its template says."""
        model = self._engine.model
        known = (
            self._capabilities.known(model) if self._capabilities is not None and model is not None else None
        )
        if known is not None:
            return known
        # Untried, a model is believed its template.
        native = ToolProfile.of(model.facts if model is not None else None, ToolMode.NATIVE)
        if native.family.native:
            return ToolMode.NATIVE
        return ToolMode.WORDS if self._tools is None or self._tools.native_only else ToolMode.COMPACT

    @contextmanager
    def _idle(self, conversation_id: int) -> Iterator[ActiveTurn]:
        try:
            with self._turn(conversation_id) as active:
                yield active
        except _AlreadyAnswering as error:
            raise UserFacing(ChatReason.BUSY.of()) from error

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
        # Cards and notices may stand after the answer; twenty are more than one turn has.
        for message in reversed(self._store.messages(conversation_id, limit=20)):
            if message.role is Role.ASSISTANT:
                return message
        raise LookupError(f"conversation {conversation_id} has no answer")


def _reading_alone(direct: DirectAnswer, context: TurnContext) -> DirectAnswer:
    """What a rule makes of a question that nobody sits before: a refusal where it would do more than read."""
    calls = direct.calls or ((direct.call,) if direct.call is not None else ())
    if direct.tool is None and all(context.toolbox.get(each.name) is not None for each in calls):
        return direct
    language = language_of(context.asked)
    refusal = ChatReason.NOT_DONE.of(why=GateReason.NOBODY_IS_THERE.of())
    return DirectAnswer(text=refusal.in_language(language if language in LANGUAGES else ENGLISH))
