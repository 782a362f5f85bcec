"""The loop of one turn: a step of the model, the calls it makes, their results, the next step, until words.

What is shown is on disk before. The calls of one step run in order, those that only read together; each has a
card of its own in the conversation, with its result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import structlog

from desktop.chat.attachments import Attachment, AttachmentKind
from desktop.chat.call_runner import CallRunner
from desktop.chat.claims import CONSTRAINT
from desktop.chat.conversation_memory import ConversationMemory
from desktop.chat.events import (
    MessageChanged,
    MessageRemoved,
    SaidBeforeCall,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_words import MAY_ACT, OTHER_LANGUAGE, language_of
from desktop.chat.messages import Message, MessageStatus, Role, ToolRecord
from desktop.chat.orders import is_order
from desktop.chat.reasons import ChatReason
from desktop.chat.request_kinds import (
    ACTS,
    ASKS_WHAT_IS_DUE,
    DRAFTS,
    KEEPS,
    LETTERS,
)
from desktop.chat.rules import DirectAnswer
from desktop.chat.streaming import AnswerStream, CallSplitter, ClaimGuard
from desktop.chat.tool_args import Submit, whole_text
from desktop.chat.tool_choice import (
    ChoiceOptions,
    ToolChooser,
    files_in,
    in_words,
    own_hints,
    wants_text,
)
from desktop.chat.tool_mode import ToolMode, ToolRuntime
from desktop.chat.turn_context import (
    ActiveTurn,
    ContextWindow,
    RuleReplies,
    Steps,
    StepsEnded,
    TurnContext,
    guard_for,
    sampling,
)
from desktop.engine.engine import Engine
from desktop.engine.requests import (
    ContextOverflow,
    FinishReason,
    GenerateRequest,
    Metrics,
    Priority,
    Sampling,
    Stream,
)
from desktop.engine.requests import Message as EngineMessage
from desktop.errors import UserFacing, without_frames
from desktop.tools.calls import CallResult

if TYPE_CHECKING:
    from desktop.chat.chat_folders import ChatFolders
    from desktop.chat.remote_turn import RemoteAnswers
    from desktop.chat.source_guard import BoundText, SourceGuard

log = structlog.get_logger(__name__)
CALM_TEMPERATURE = 0.2
RUN_COMMAND = "run_command"
_READS = frozenset(("read_file", "ocr_image", "clipboard_read"))
_WRITES = frozenset(("write_file", "append_text"))

_STATUS = {
    FinishReason.STOP: MessageStatus.COMPLETE,
    FinishReason.LENGTH: MessageStatus.LENGTH,
    FinishReason.CONTEXT_FULL: MessageStatus.CONTEXT_FULL,
    FinishReason.REPEATED: MessageStatus.REPEATED,
}


@dataclass(frozen=True)
class LoopServices:
    """What every turn works with. Without `memory` nothing is remembered. `elsewhere` answers for the chats
    that a model server answers, and `folders` look into those of chats; both are built for the first.
    `excuse_fallback` is what stands for an answer that begins with a disclaimer; None where the model's own
    words do."""

    engine: Engine
    window: ContextWindow
    memory: ConversationMemory | None = None
    elsewhere: Callable[[], RemoteAnswers] | None = None
    folders: Callable[[], ChatFolders] | None = None
    excuse_fallback: Callable[[TurnContext, Submit], DirectAnswer | None] | None = None


@dataclass(frozen=True)
class _Said:
    """What one step came to: calls, words that are already on disk, or what stands for words that are none
    of use."""

    finish: FinishReason = FinishReason.STOP
    metrics: Metrics = field(default_factory=Metrics)
    calls: tuple[ParsedCall, ...] = ()
    instead: DirectAnswer | None = None


class AgentLoop:
    """The answer to one question. One thread; `active` is how others stop it. `context` is the conversation
    as it was loaded, with what this turn has added so far."""

    def __init__(
        self,
        services: LoopServices,
        active: ActiveTurn,
        context: TurnContext,
        answer: Message,
        priority: Priority,
    ) -> None:
        self.context = context
        self._services = services
        self._store, self._bus = services.window.store, services.window.bus
        self._active = active
        self._answer = answer
        self._priority = priority
        self._steps = Steps(context.settings.chat.steps)
        self._has_looked = False  # what the question is about was read by rule
        self._whole_text = ""  # of a file that is read in parts: a call shows its beginning
        self._making = ""  # what of it is written to a file, in the words of the request
        self._told_of_text = ""  # that its own words stand for the model's
        self._answered_by = ""  # model and host, once something was sent elsewhere
        self.first_words = ""  # of the host's, before whatever the answer will be
        self.is_text_wanted = False  # as the question was read, whatever its words look like

    def run(self, direct: DirectAnswer | None = None) -> Message:
        """The closed answer. Failures are announced as TurnFailed; bugs are raised as well."""
        stream = self._stream()
        try:
            if self.first_words:
                stream = self._say_first(stream)
            speaks = direct is not None and direct.call is None and not direct.calls
            if self.context.trouble is not None and not speaks:
                raise UserFacing(self.context.trouble)
            if self.context.read_in_parts is not None:
                return self._in_parts(self.context.read_in_parts)
            if direct is not None and not direct.goes_on and not direct.question:
                return self._directly(direct, stream)
            # Before memory is asked: it leaves out what the messages in sight say already.
            self.context = self._services.window.keep_recent(self.context).with_guests()
            if self.context.destination is not None:
                self.context = self._agreed()
            self._recall()
            self._look_in_folder()
            self._begin(direct, stream)
            while True:
                stream = self._stream()
                said = self._step(stream)
                ended = self._gone_on(stream, said)
                if ended is not None:
                    return ended
        # A failure of the world ends the answer and keeps what was said; a bug is raised as well.
        except UserFacing as error:
            return self._fail(self._open, error)
        except Exception:
            log.exception("turn failed", conversation_id=self._answer.conversation_id)
            self._fail(self._open, UserFacing(ChatReason.BUG.of()))
            raise

    def _gone_on(self, stream: AnswerStream, said: _Said) -> Message | None:
        """What follows a step: its calls, what stands for its words, or the end of the turn, which is
        returned."""
        if said.instead is not None:
            return self._directly(said.instead, stream)
        if not said.calls:
            return self._close(stream, said)
        self._act(said.calls, stream)
        return None

    def _say_first(self, stream: AnswerStream) -> AnswerStream:
        """The host's words stand in a message of their own: a thought comes before the first word of an
        answer. The model is not told of them now, or it would take them for its answer."""
        stream.guard = None
        stream.feed(self.first_words)
        closed = stream.close(MessageStatus.COMPLETE, Metrics(), "")
        self._bus.publish(SaidBeforeCall(closed.conversation_id, closed))
        self._next_message()
        return self._stream()

    def _recall(self) -> None:
        """Put what memory has on the question before it, unless that was done already."""
        memory, question = self._services.memory, self.context.question
        destination = self.context.destination
        if memory is None or question is None or (destination and not destination.agreed.memory):
            return
        project = self.context.project
        block = memory.recall(
            question,
            self.context.messages,
            self.context.blocks,
            project.memory if project is not None else None,
        )
        if block is not None:
            self.context = self.context.with_block(block)

    def _look_in_folder(self) -> None:
        """Put what the chat's folder has on the question to it, unless that was done already."""
        question, folders = self.context.question, self._services.folders
        if not self.context.folder or question is None or folders is None or not question.sent.strip():
            return
        is_done = any(each.kind is AttachmentKind.FOLDER for each in question.attachments)
        # What leaves for a server is what the user put into the chat.
        if is_done or self.context.destination is not None:
            return
        try:
            found = folders().look(question, self.context.folder, self._services.engine)
        except UserFacing as error:  # an answer without the folder is better than none
            self._services.window.tell(
                question.conversation_id, ChatReason.FOLDER_NOT_READ.of(why=error.cause)
            )
            return
        if found:
            asked = self._store.attach(question.id, found)
            self.context = self.context.with_attached(asked, found)
            self._bus.publish(MessageChanged(asked.conversation_id, asked))

    # -- the end ------------------------------------------------------------------------------

    def _close(self, stream: AnswerStream, said: _Said, model: str | None = None) -> Message:
        name = self._model_name if model is None else model
        stream.finish()
        if stream.has_claimed or (said.finish is not FinishReason.CANCELLED and _only_called(stream)):
            self._say_instead(stream)
        if self._told_of_text:
            stream.guard = stream.check = None
            stream.feed(("\n\n" if stream.said or stream.has_text else "") + self._told_of_text)
        is_cut = said.finish is FinishReason.CANCELLED
        status = self._active.ending if is_cut else _STATUS[said.finish]
        closed = stream.close(status, said.metrics, name)
        self.context = self.context.with_message(closed)
        if self._steps.notice:
            self._services.window.tell(closed.conversation_id, self._steps.notice)
        self._bus.publish(TurnEnded(closed.conversation_id, closed))
        return closed

    def _say_instead(self, stream: AnswerStream) -> None:
        """What stands for a claim that was dropped, or for a call that none was to be made for. Where this
        turn has acted its receipts say enough."""
        from desktop.chat.claims import Claim, not_done, not_looked_at
        from desktop.chat.receipts import told_results

        is_look = stream.guard is not None and stream.guard.claimed is Claim.LOOK
        stream.guard = stream.calls = None  # what follows a call of the model's is held back
        if any(each.changed and each.ok for each in self._steps.done):
            if not stream.said:
                stream.feed(told_results(self._steps.results, self.context.asked))
            return
        said = not_looked_at(self.context.asked) if is_look else not_done(self.context.asked)
        stream.feed(("\n\n" if stream.said else "") + said)

    @property
    def _model_name(self) -> str:
        """Who writes the answer: a name alone is this computer's."""
        if self.context.destination is not None:
            return self._answered_by
        return self._services.engine.status.model_name

    @property
    def _elsewhere(self) -> RemoteAnswers:
        """Never None where a server was chosen: the model of this computer must not answer for it."""
        if self._services.elsewhere is None:
            raise UserFacing(ChatReason.NO_SERVERS_HERE.of())
        return self._services.elsewhere()

    def _agreed(self) -> TurnContext:
        """What may go to the conversation's server."""
        return self._elsewhere.agreed(self.context, self._priority, is_continued=bool(self._answer.text))

    def _fail(self, stream: AnswerStream, error: UserFacing) -> Message:
        # Half an answer from elsewhere is a stranger's words as a whole one is.
        closed = stream.close(MessageStatus.FAILED, Metrics(), self._answered_by)
        # The window keeps it until somebody does something about it, in each conversation.
        self._bus.publish(TurnFailed(closed.conversation_id, closed, without_frames(error)))
        return closed

    def _directly(self, direct: DirectAnswer, stream: AnswerStream) -> Message:
        """Answer without the model; a call still goes through the executor."""
        text = direct.text
        if direct.tool is not None:
            self.context = self.context.with_tool(direct.tool)
        calls = direct.calls or ((direct.call,) if direct.call is not None else ())
        # A rule is no way around the gate: its calls are asked about and recorded as any other.
        if (calls or direct.written) and self.context.tools is not None:
            ended = self._act(calls, stream, by_rule=bool(direct.calls)) if calls else []
            if direct.in_parts is not None and all(each.ok for each in ended):
                self._attach(direct.in_parts)
                return self._in_parts(direct.in_parts, direct.written)
            stream = self._stream()
            if direct.written and len(ended) == len(calls) and all(each.ok for each in ended):
                ended += self._written_file(direct, stream)
                stream = self._stream()
            if direct.tell_all is not None:
                text = direct.tell_all(ended)
            else:
                text = direct.tell(ended[0]) if ended else ""
        stream.guard = stream.check = None  # what is told here are receipts
        stream.feed(text)
        return self._close(stream, _Said(), model="")

    def _begin(self, direct: DirectAnswer | None, stream: AnswerStream) -> None:
        """What comes before the model is asked."""
        if direct is not None and direct.question:
            self._do_first(direct, stream)
        elif direct is not None:
            self._look_first(direct.calls, stream)

    def _do_first(self, direct: DirectAnswer, stream: AnswerStream) -> None:
        """Do and tell what was asked to be done; what is asked beside is a question of its own then."""
        ended = self._act(direct.calls, stream, by_rule=True) if direct.calls else []
        stream = self._stream()
        stream.guard = stream.check = None  # what is told here are receipts
        stream.feed(direct.tell_all(ended) if direct.tell_all is not None else direct.text)
        self._put_away(stream, model="")
        self._next_message()
        self.context = self.context.going_on(direct.question, self._answer.id)
        self._steps = Steps(self.context.settings.chat.steps)
        if direct.looks:
            self._look_first(direct.looks, self._stream())

    def _look_first(self, calls: tuple[ParsedCall, ...], stream: AnswerStream) -> None:
        """Read what the question names, before the model is asked; no further call is decided on."""
        if self.context.tools is not None and self.context.destination is None:
            self._act(calls, stream, by_rule=True)
            self._has_looked = True

    def _written_file(self, direct: DirectAnswer, stream: AnswerStream) -> list[CallResult]:
        """Have the model write the text of one file from what was read, and write it; [] where it was cut."""
        asked = self.context.plain_prompt().content(direct.written, direct.making)
        text = whole_text(self.submit, self._request(asked), asked)
        if text is None or self._active.stopped:
            return []
        self._steps.take_the_time()
        self._making = direct.making
        # The name is the user's and the words are the model's, so both are held against the request.
        return self._act((ParsedCall("write_file", {"path": direct.written, "content": text}),), stream)

    def _attach(self, whole: Attachment) -> None:
        """Keep it with the question, so that the answer can go on after a stop, and be made anew."""
        question = self.context.question
        assert question is not None
        attached = self._store.attach(question.id, (whole,))
        self._bus.publish(MessageChanged(attached.conversation_id, attached))

    def _in_parts(self, whole: Attachment, written: str = "") -> Message:
        """Read what went along part by part, and answer from what the parts say; the answer is kept in the
        file `written`, or in the one that the question names."""
        from desktop.chat.compositions import kept_composition
        from desktop.chat.file_parts import PartReader, not_kept, partly_read
        from desktop.chat.receipts import receipt

        # The text would leave part by part, without the dialog that shows what leaves.
        if self.context.destination is not None:
            raise UserFacing(ChatReason.PARTS_ONLY_HERE.of())
        kept = kept_composition(self.context.asked)
        # That it is to be kept is no business of the model's: it would say that it has.
        asked = kept.making if kept is not None else self.context.asked
        written = written or (kept.target if kept is not None else "")
        if self._answer.text:  # of the parts that were read before it was stopped
            self._answer = self._store.begin_again(self._answer.id)
            self._bus.publish(MessageChanged(self._answer.conversation_id, self._answer))
        self._open = stream = AnswerStream(self._store, self._bus, self._answer)
        reader = PartReader(self._store, self._bus, self._services.engine, self.submit)
        self._answer = reader.read(self._answer, whole, asked)
        self._whole_text = whole.text
        joined = reader.joined(self._answer, asked) if not self._active.stopped else ""
        text, said = self._joined_text(joined, stream)
        if not text:
            stream.feed(partly_read(self._answer, whole.about.name, self.context.asked))
        if not written or self.context.tools is None:
            return self._close(stream, said)
        if said.finish is not FinishReason.STOP:
            stream.feed(f"\n\n{not_kept(written, self.context.asked)}")
            return self._close(stream, said)
        self._steps.take_the_time()
        ended = self._act((ParsedCall("write_file", {"path": written, "content": text}),), stream)
        stream = self._stream()
        stream.guard = None
        stream.feed("\n\n".join(receipt(each, language_of(self.context.asked)) for each in ended))
        return self._close(stream, _Said(), model="")

    def _joined_text(self, joined: Stream | str, stream: AnswerStream) -> tuple[str, _Said]:
        """What the parts come to, shown as it is written; "" where it was stopped before."""
        if isinstance(joined, str):
            stream.feed(joined)
            return joined, _Said(FinishReason.STOP if joined else FinishReason.CANCELLED)
        from desktop.chat.file_parts import shown_as_written

        text, was_cut = shown_as_written(joined, stream, self._bound_text())
        is_whole = was_cut and not self._active.stopped
        return text, _Said(FinishReason.STOP if is_whole else joined.finish, joined.metrics)

    # -- one step -----------------------------------------------------------------------------

    def _stream(self) -> AnswerStream:
        """The one that the next words go to; a failure closes it."""
        tools, splitter = self.context.tools, None
        # A server says its calls beside its words, so that nothing in these is one.
        if tools is not None and self.context.destination is None:
            # What was asked for decides whether JSON in the answer is a call or the answer itself.
            patterns = self.context.profile.mode is ToolMode.PATTERNS
            splitter = CallSplitter(tools.toolbox.names, wants_text(self.context.asked), patterns)
        self._open = AnswerStream(self._store, self._bus, self._answer, splitter, self._guard())
        return self._open

    def _guard(self) -> ClaimGuard | None:
        """Against claims without a receipt; None where an answer is continued, and where what was done is the
        model's to tell: by a command, by others' tools, or by a model that needs no guiding."""
        acted = [each.name for each in self._steps.done if each.changed and each.ok]
        is_own = self.context.profile.is_guided and self.context.destination is None
        is_told_by_model = not is_own or any(name == RUN_COMMAND or "__" in name for name in acted)
        if self._answer.text or (acted and is_told_by_model):
            return None
        may_look = (
            bool(self._steps.done or self.context.attached_names or self.context.is_remembered)
            or self.context.is_about_a_text
            or any(each.tool is not None for each in self.context.messages)
        )
        may_lack = self._services.excuse_fallback is None or self.context.tools is None or may_look
        guard = guard_for(self.context.asked, may_look, self._is_order, may_lack)
        asks_what_is_due = self.context.acted_lately and ASKS_WHAT_IS_DUE.search(self.context.asked)
        if guard is not None and not self._steps.done and asks_what_is_due:
            return ClaimGuard(counts=True)
        return guard

    @property
    def _is_order(self) -> bool:
        """Whether something is to be done here that nothing has been done for yet."""
        asked = self.context.asked
        if self.context.tools is None or self._steps.done or asked.rstrip().endswith("?"):
            return False
        goes_on = self.context.acted_lately and MAY_ACT.match(asked) is not None
        is_meant = goes_on or ACTS.search(asked) is not None or is_order(asked)
        return is_meant and not self.is_text_wanted and not own_hints().needs_nothing(asked)

    def _step(self, stream: AnswerStream) -> _Said:
        """Say or call something, leaving out the oldest messages (and saying so) as often as the prompt does
        not fit."""
        if self.context.destination is not None:
            return self._sent(stream)
        while True:
            prompt = self.context.prompt()
            base = self._request(prompt.messages)
            try:
                if self.context.tools is None:
                    unknown = self._replies.unknown_here()
                    return self._plain(unknown, stream) if unknown else self._spoken(base, stream)
                if self.context.profile.is_guided:
                    return self._guided(base, stream, self.context.tools)
                return self._free(base, stream)
            except ContextOverflow as overflow:
                # Only the engine knows how many tokens a prompt has, so it is asked with the whole first.
                self.context = self._services.window.make_room(self.context, prompt, overflow)

    def _sent(self, stream: AnswerStream) -> _Said:
        """What the server says that was chosen for this conversation. Whatever goes wrong there is told: the
        model of this computer answers in its place only when the user says so."""
        if self._steps.refusal and not self._steps.may_call:
            return self._plain(self._replies.refused(), stream)
        may_call = self._steps.may_call and self.context.tools is not None
        self._answered_by = self._elsewhere.model(self.context)
        said = self._elsewhere.submit(self.context, may_call)
        self._active.attach(said)
        try:
            for piece in said:
                stream.feed(piece)
        finally:
            self._elsewhere.ended(self.context)
        stream.finish()
        return _Said(said.finish, said.metrics, self._elsewhere.calls(said) if may_call else ())

    def _spoken(self, request: GenerateRequest, stream: AnswerStream) -> _Said:
        bound = self._bound_text()
        if bound is not None:
            from desktop.chat.source_guard import SourceGuard

            stream.check = check = SourceGuard(bound)
            said = self._written(request, stream)
            if not stream.has_claimed:
                return self._borne(request, stream, check, said)
            stream.check = SourceGuard(bound)
        else:
            said = self._written(request, stream)
        if stream.lacks and not self._active.stopped:
            return self._looked_again(request, stream)
        # Once more under a constraint; where a part was shown already, `_close` says the rest.
        if stream.has_claimed and not stream.said and not self._active.stopped:
            stream.guard = ClaimGuard(is_order=self._is_order)
            system = request.messages[0]
            told = replace(system, content=f"{system.content}\n\n{CONSTRAINT}")
            said = self._written(replace(request, messages=(told, *request.messages[1:])), stream)
        finish = FinishReason.STOP if stream.has_claimed and not self._active.stopped else said.finish
        return _Said(finish, said.metrics)

    def _looked_again(self, request: GenerateRequest, stream: AnswerStream) -> _Said:
        """What stands for a disclaimer; where there is nothing else to say, the model goes on from it."""
        assert stream.guard is not None
        look, begun = self._services.excuse_fallback, stream.guard.held
        stream.guard = guard_for(self.context.asked, is_order=self._is_order)
        instead = look(self.context, self.submit) if look is not None else None
        if instead is not None:
            return _Said(instead=instead)
        stream.feed(begun)
        said = self._written(replace(request, answer_start=begun), stream)
        finish = FinishReason.STOP if stream.has_claimed and not self._active.stopped else said.finish
        return _Said(finish, said.metrics)

    def _written(self, request: GenerateRequest, stream: AnswerStream) -> Stream:
        said = self.submit(request)
        for piece in said:
            stream.feed(piece)
            if stream.has_claimed or (stream.check is not None and stream.check.is_over):
                said.cancel()
        stream.finish()
        return said

    # -- what is made of a text ---------------------------------------------------------------

    def _bound_text(self) -> BoundText | None:
        """The text that an answer to this question is bound to; None for most."""
        question = self.context.question
        if question is None or self._answer.text or self.context.destination is not None:
            return None
        read = [each for each in self._steps.done if each.ok and each.name in _READS]
        texts = {each.touched: each.result for each in read}
        along = self.context.attached.get(question.id, ())
        texts |= {each.about.name: each.text for each in along if each.about.kind is not AttachmentKind.SKILL}
        if self._whole_text:
            texts = {next(iter(texts), ""): self._whole_text}
        if not texts or any(each.changed for each in self._steps.done):
            return None
        from desktop.chat.source_guard import bound_text

        said = [each.sent for each in self.context.messages if each.role is Role.USER]
        memory = [block.text for block in self.context.blocks.values()]
        return bound_text(self.context.asked, texts, "\n".join((*said, *memory)), bool(read))

    def _borne(
        self, request: GenerateRequest, stream: AnswerStream, check: SourceGuard, said: Stream
    ) -> _Said:
        """What was said, as far as the text bears it; told why not it is written once more, and where that
        fails too the text's own words follow."""
        if check.fault is not None and not self._active.stopped:
            asked = request.messages[-1]
            told = replace(asked, content=f"{asked.content}\n\n{check.why}")
            stream.check = check = check.again()
            again = replace(
                request,
                messages=(*request.messages[:-1], told),
                answer_start=check.shown,
                sampling=_calm(request.sampling),
            )
            said = self._written(again, stream)
        if check.fault is not None and not self._active.stopped:
            stream.guard = stream.check = None
            stream.feed(check.instead())
        was_cut = check.is_over and not self._active.stopped
        return _Said(FinishReason.STOP if was_cut else said.finish, said.metrics)

    def _borne_call(self, call: ParsedCall) -> ParsedCall | None:
        """A call that writes what was made of a text: with what that bears; None where nothing is left."""
        name = next((each for each in ("content", "text") if each in call.arguments), "")
        written = call.arguments.get(name)
        bound = self._bound_text() if call.name in _WRITES and isinstance(written, str) else None
        if bound is None:
            return call
        from desktop.chat.source_guard import checked

        path = str(call.arguments.get("path", ""))

        def anew(why: str) -> str | None:
            asked = self.context.plain_prompt().content(path, self._making)
            told = (*asked[:-1], replace(asked[-1], content=f"{asked[-1].content}\n\n{why}"))
            return None if self._active.stopped else whole_text(self.submit, self._request(told), told)

        found = checked(bound, str(written), path, anew)
        self._told_of_text = found.told
        return ParsedCall(call.name, {**call.arguments, name: found.text}) if found.text else None

    def _free(self, request: GenerateRequest, stream: AnswerStream) -> _Said:
        """For models that know by themselves when to call: what they write decides."""
        # Nothing came of the calls and none may follow: whatever the model says now is made up.
        if self._steps.refusal and not self._steps.may_call:
            return self._plain(self._replies.refused(), stream)
        said = self.submit(request)
        for piece in said:
            stream.feed(piece)
            # What follows a call is the model playing the tool: it makes up the result.
            if stream.calls is not None and stream.calls.said_after:
                said.cancel()
        stream.finish()
        assert stream.calls is not None
        found = list(stream.calls.calls) or [ParsedCall("an unreadable call")] * min(stream.calls.broken, 1)
        return _Said(said.finish, said.metrics, tuple(found) if self._steps.may_call else ())

    def _guided(self, base: GenerateRequest, stream: AnswerStream, tools: ToolRuntime) -> _Said:
        """For models that call too readily: first it is decided whether, then they write."""
        # What stands in the prompt already is not looked up: small models would rather call.
        replies = self._replies
        stands_there = replies.memory_answers(tools) or replies.attachment_answers(tools)
        wants_tool = self._steps.may_call and not stands_there and not self._has_looked
        begun = replies.begun(tools) if wants_tool and not self._steps.records else None
        if begun is not None:
            return self._plain(begun, stream) if isinstance(begun, str) else _Said(calls=(begun,))
        found = self._decided(base, tools) if wants_tool and not self._is_letter else None
        if found is not None:
            return _Said(calls=(found,))
        if self._steps.refusal:
            return self._plain(self._replies.refused(), stream)
        plain = replies.in_place_of_words(stands_there)
        if plain:
            return self._plain(plain, stream)
        if self._steps.records:  # what a tool has said is to be told, not varied
            self._tell_changes(stream)
            base = replace(base, sampling=_calm(base.sampling))
            if self.context.profile.retells or base.thinks:
                return self._spoken(self._plainly(self.context.plain_prompt().answer(), base), stream)
        # A thought comes before the first word, and no grammar lets it through.
        elif self.context.profile.retells or base.thinks:
            return self._spoken(self._without_tools(base), stream)
        # The first character under a grammar that excludes a call, the rest without: a grammar costs time.
        first = self.submit(in_words(base)).text()
        stream.feed(first)
        return self._spoken(replace(base, answer_start=first), stream)

    def _tell_changes(self, stream: AnswerStream) -> None:
        """The receipts of this turn, before the model answers what was asked besides."""
        guard = self._guard()
        if guard is None or not any(each.changed and each.ok for each in self._steps.done):
            return
        from desktop.chat.receipts import told_changes

        stream.guard = None
        stream.feed(told_changes(self._steps.results, self.context.asked) + "\n\n")
        stream.guard = guard

    @property
    def _replies(self) -> RuleReplies:
        return RuleReplies(self.context, self._steps)

    def _plain(self, text: str, stream: AnswerStream) -> _Said:
        stream.guard = None
        stream.feed(text)
        return _Said()

    @property
    def _needs_no_look(self) -> bool:
        """Whether the words of tools may decide alone that none is meant: in Quick-ask, where somebody waits;
        and where a question is in a language that they are written in, and no call went before that it could
        mean. Elsewhere the tables only add: the model is asked."""
        if self._priority is Priority.QUICK_ASK:
            return True
        asked = self.context.asked.strip()
        # "Read Plan.markdown" begins with a verb of ours, though no tool's words know that ending.
        may_mean_one = OTHER_LANGUAGE.search(asked) or (MAY_ACT.match(asked) and not DRAFTS.search(asked))
        return not may_mean_one and all(message.tool is None for message in self.context.messages)

    def _decided(self, base: GenerateRequest, tools: ToolRuntime) -> ParsedCall | None:
        steps, profile = self._steps, self.context.profile
        told = self.context.plain_prompt().content if profile.retells else None
        options = ChoiceOptions(told=told, at_once=self._needs_no_look)
        chooser = ToolChooser(self.submit, profile.family, tools.hints, options)
        decided = chooser.decide(base, tools.toolbox, self.context.asked, steps.done)
        log.info(
            "decided",
            tool=decided.tool,
            preference=round(decided.preference, 2),
            call=bool(decided.call),
            why=decided.why,
        )
        found = decided.call
        if found is None or self._active.stopped:
            return None
        return None if steps.was_made(ToolRecord("", found.name, found.arguments)) else found

    @property
    def _is_letter(self) -> bool:
        """Whether a text for somebody else is wanted, and no file has a part in it."""
        asked = self.context.asked
        is_letter = LETTERS.match(asked) is not None and not files_in(asked) and not KEEPS.search(asked)
        return self.is_text_wanted or is_letter

    def _without_tools(self, base: GenerateRequest) -> GenerateRequest:
        """The same conversation under instructions that list no tools: with the list before its eyes a small
        model tells how it would look up what it knows, or what stands there already (docs/measurements.md).
        """
        messages = self.context.prompt(self.context.plain_instructions).messages
        # "Kannst du mir eine Karte schreiben?" and "A card for my aunt" are answered by an offer to help.
        letter = LETTERS.match(self.context.asked)
        is_plain = letter and letter["writes"] and not self.context.asked.rstrip().endswith("?")
        if self._is_letter and not is_plain:
            from desktop.chat.compositions import only_the_text

            asked = messages[-1]
            told = replace(asked, content=f"{asked.content}\n\n{only_the_text(self.context.asked)}")
            messages = (*messages[:-1], told)
        return replace(base, conversation=f"{base.conversation} words", messages=messages, tools=())

    def _plainly(self, messages: tuple[EngineMessage, ...], base: GenerateRequest) -> GenerateRequest:
        """A prompt beside the conversation's own, which stays in the KV cache for the next turn."""
        return replace(base, conversation=f"{base.conversation} answer", messages=messages, tools=())

    def _request(self, messages: tuple[EngineMessage, ...]) -> GenerateRequest:
        chosen = sampling(self.context.settings.model)
        return GenerateRequest(
            conversation=f"chat-{self._answer.conversation_id}",
            messages=messages,
            # What memory has on the question is to be told, not varied.
            sampling=_calm(chosen) if self.context.is_remembered else chosen,
            priority=self._priority,
            tools=self.context.profile.schemas(self.context.toolbox),
            answer_start=_written(self._answer),
            repeats_context=self.context.holds_a_text,
            thinks=self.context.profile.thinks(self.context.settings.model.thinking),
        )

    def submit(self, request: GenerateRequest) -> Stream:
        """Ask the engine so that Stop reaches it."""
        stream = self._services.engine.submit(request)
        self._active.attach(stream)
        return stream

    # -- calls --------------------------------------------------------------------------------

    def _act(
        self, calls: tuple[ParsedCall, ...], stream: AnswerStream, by_rule: bool = False
    ) -> list[CallResult]:
        """Run the calls; what is said next stands in a message of its own. `by_rule`: their values come from
        the request itself, so nothing in them was made up that its words would have to mend."""
        assert self.context.tools is not None
        # The order on disk is the order in which it is read: words, card, words.
        self._put_away(stream)
        asked = "" if by_rule else self.context.asked
        runner = CallRunner(self._services.window, self.context, self._steps, asked)
        kept = calls if by_rule else tuple(each for each in map(self._borne_call, calls) if each is not None)
        if calls and not kept:
            self._steps.stopped = StepsEnded.NOTHING_BORNE  # or the same would be asked for again
        ended = runner.run(kept, self._active.tools)
        self.context = runner.context
        self._next_message()
        return ended

    def _next_message(self) -> None:
        """Where what is said next will stand."""
        conversation_id = self._answer.conversation_id
        self._answer = self._store.add(conversation_id, Role.ASSISTANT, "", MessageStatus.STREAMING)
        self._bus.publish(TurnStarted(conversation_id, None, self._answer))

    def _put_away(self, stream: AnswerStream, model: str | None = None) -> None:
        """What was said before a call stays; a message in which nothing was said goes. `model`: who said it,
        where that is not the one that answers."""
        stream.finish()
        answer = self._answer
        if stream.said:
            said_by = self._model_name if model is None else model
            closed = stream.close(MessageStatus.COMPLETE, Metrics(), said_by)
            self.context = self.context.with_message(closed)
            self._bus.publish(SaidBeforeCall(answer.conversation_id, closed))
            return
        self._store.remove(answer.id)
        self._bus.publish(MessageRemoved(answer.conversation_id, answer.id))


def _only_called(stream: AnswerStream) -> bool:
    """Whether the model has written a call and no word, where it was to speak."""
    return stream.calls is not None and bool(stream.calls.calls or stream.calls.broken) and not stream.said


def _calm(chosen: Sampling) -> Sampling:
    return replace(chosen, temperature=min(chosen.temperature, CALM_TEMPERATURE))


def _written(answer: Message) -> str:
    """What a continued answer already says, as the model wrote it."""
    if not answer.text:
        return ""
    thinking = f"<think>\n{answer.thinking}\n</think>\n\n" if answer.thinking else ""
    return thinking + answer.text
