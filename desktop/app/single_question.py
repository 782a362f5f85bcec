"""One question in a chat that nobody keeps: what `steward ask` does, in its own process or in the Steward
that runs, whose model is in memory already.

What there is to show comes as plain values that become JSON: `grew` (a piece of the answer), `note` (a line
beside it), and at the end `answer` or `failed`.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from desktop.app.services import Guest, Services
from desktop.asking import ALLOWED_ONCE, DENIED, Answer, NetworkUse, Question, Risk
from desktop.errors import Cancelled, UserFacing
from desktop.settings import variables
from desktop.temporary import temporary_folder

if TYPE_CHECKING:
    from desktop.chat.conversation_memory import MemoryBlock, MemoryUsed
    from desktop.chat.events import AnswerGrew, TextsChanged, TurnFailed
    from desktop.chat.extension_texts import AnswerRewriter
    from desktop.chat.messages import ExtensionText
    from desktop.chat.store import ChatStore, Message
    from desktop.engine.events import GenerationFinished
    from desktop.server.question_socket import QuestionSocket, Said, Say
    from desktop.tools.calls import CallResult, ToolEnded

TOLD_CHARACTERS = 300  # of a changed question; the rest is in the window


class Allow(StrEnum):
    """What is done without a person to ask."""

    NONE = "none"
    READ = "read"  # also outside the workspace
    WORKSPACE = "workspace"  # also changes inside it


class AllowAsker:
    """Answers for the user as the command line says."""

    def __init__(self, allow: Allow) -> None:
        self._allow = allow

    def ask(self, question: Question) -> Answer:
        # What may talk to other computers is no reading: it could carry off what was read.
        reads = question.risk is Risk.READS and question.network in (None, NetworkUse.CANNOT)
        # Outside the workspace nothing is changed without a person, whatever was allowed.
        # A command may do more than its text shows, whatever it is read as.
        is_plain = question.command is None and not question.outside
        changes = is_plain and question.risk in (Risk.CHANGES, Risk.DELETES)
        if (reads and self._allow is not Allow.NONE) or (changes and self._allow is Allow.WORKSPACE):
            return ALLOWED_ONCE
        return DENIED


@dataclass(frozen=True)
class QuestionOptions:
    """What was typed. `remembers`: memory is used; `model` as named, "" for the one that answers."""

    question: str
    allow: Allow = Allow.NONE
    remembers: bool = True
    model: str = ""

    def request(self) -> Said:
        """For the Steward that runs. What the environment sets holds for one run, and it may have another."""
        return {**asdict(self), "variables": variables()}


class SingleQuestion:
    """One turn in a history of its own, watched. `run` once; `stop` on any thread."""

    def __init__(
        self, core: Services, store: ChatStore, asked: QuestionOptions, say: Say, server: str = ""
    ) -> None:
        """`say` is called on the thread of the turn or of the engine. `server` names the model server that
        answers, "" for the model of this computer. Raises UserFacing where there is no such server."""
        from desktop.app.chat_parts import turns_for
        from desktop.chat.conversation_memory import MemoryUsed
        from desktop.chat.events import AnswerGrew, TextsChanged, TurnFailed, TurnStarted
        from desktop.engine.events import GenerationFinished
        from desktop.engine.requests import Metrics
        from desktop.tools.calls import ToolEnded

        self._core, self._store, self._asked, self._say = core, store, asked, say
        self._turns = turns_for(core, store, asked.remembers)
        self._conversation_id = store.create().id
        self._metrics = Metrics()
        self._calls: list[CallResult] = []
        self._memory: MemoryBlock | None = None
        self._error: UserFacing | None = None
        self._changed_question: ExtensionText | None = None
        self._is_stopped = self._is_ending = False
        subscribe = core.bus.subscribe
        self._listening = [
            subscribe(TurnStarted, lambda _event: self._stop_if_wished()),
            subscribe(AnswerGrew, self._on_grew),
            subscribe(MemoryUsed, self._on_memory_used),
            subscribe(TextsChanged, self._on_texts_changed),
            subscribe(ToolEnded, self._on_tool_ended),
            subscribe(TurnFailed, self._on_failed),
            core.engine_bus.subscribe(GenerationFinished, self._on_finished),
        ]
        if server:
            core.remote_engines.get(server)
            self._turns.choose_server(self._conversation_id, server)

    def run(self) -> Message:
        """The whole answer. Raises UserFacing when there is none."""
        try:
            answer = self._turns.run(self._conversation_id, self._asked.question)
        finally:
            for unsubscribe in self._listening:
                unsubscribe()
        if self._error is not None:
            raise self._error
        return answer

    def stop(self, is_ending: bool = False) -> None:
        """End the answer, also where it has not begun. `is_ending`: because the program ends."""
        self._is_stopped = True
        self._is_ending = self._is_ending or is_ending
        self._stop_if_wished()

    def found(self, answer: Message) -> dict[str, Any]:
        """The answer with its calls and figures, as `--json` prints them."""
        return {
            "answer": answer.text,
            "thinking": answer.thinking,
            "finish": _finish(answer),
            "model": answer.model if answer.host else self._core.engine.status.model_id,
            "notice": str(self._core.engine.status.notice or ""),
            "calls": [_call(ended) for ended in self._calls],
            "memory": _remembered(self._memory),
            "extensions": {
                "question": _extension_text(self._changed_question),
                "answer": _extension_text(answer.changed),
            },
            "seconds": round(answer.total_s, 3),
            "metrics": {**asdict(self._metrics), "tokens_per_s": self._metrics.tokens_per_s},
        }

    def _stop_if_wished(self) -> None:
        from desktop.chat.messages import MessageStatus

        if self._is_stopped:
            ending = MessageStatus.INTERRUPTED if self._is_ending else MessageStatus.STOPPED
            self._turns.stop(self._conversation_id, ending)

    # -- events, on the thread of the turn or of the engine -----------------------------------

    def _on_grew(self, event: AnswerGrew) -> None:
        self._say({"grew": event.text})

    def _on_finished(self, event: GenerationFinished) -> None:
        # The engine also works for the windows. What goes before an answer has a word behind the chat's name.
        if event.conversation.partition(" ")[0] == f"chat-{self._conversation_id}":
            self._metrics = event.metrics

    def _on_tool_ended(self, event: ToolEnded) -> None:
        self._calls.append(event.ended)
        sign = "✓" if event.ended.ok else "✗"
        self._say({"note": f"{sign} {event.ended.call.name} · {event.ended.seconds:.1f} s"})

    def _on_memory_used(self, event: MemoryUsed) -> None:
        self._memory = event.block

    def _on_texts_changed(self, event: TextsChanged) -> None:
        from desktop.chat.store import Role

        if event.message.role is Role.USER:
            self._changed_question = event.message.changed
            if event.message.changed is not None:
                self._say({"note": changed_question(event.message.changed)})

    def _on_failed(self, event: TurnFailed) -> None:
        self._error = event.error


def last_line(
    core: Services, store: ChatStore, rewriter: AnswerRewriter, question: SingleQuestion, answer: Message
) -> dict[str, Any]:
    """What ends the answering of a question: `answer` as JSON has it, and the `note` to print below it."""
    answer = finished(core, store, rewriter, answer)
    note = changed_answer(answer) if answer.changed is not None else ""
    return {"answer": question.found(answer), "note": note}


# -- in the Steward that runs -------------------------------------------------------------------------


@Services.question_socket.built_by
def build_question_socket(services: Services) -> QuestionSocket:
    from desktop.server.question_socket import QuestionSocket

    return QuestionSocket(services.paths, lambda request, say: QuestionOfTerminal(services, request, say))


class QuestionOfTerminal:
    """A question that came through the socket, answered beside the windows. See `TerminalQuestion`."""

    def __init__(self, host: Services, request: Mapping[str, Any], say: Say) -> None:
        """Raises ValueError for a request of another form."""
        self._host = host
        self._say = say
        self._variables = request.get("variables")
        try:
            self._asked = QuestionOptions(
                str(request["question"]),
                Allow(request["allow"]),
                request["remembers"] is True,
                str(request["model"]),
            )
        except KeyError as error:
            raise ValueError(f"there is no {error}") from error
        self._question: SingleQuestion | None = None
        self._is_stopped = self._is_ending = False

    def run(self) -> Said:
        """`elsewhere` where another model or other settings are meant than those at work here."""
        if self._variables != variables() or not self._is_of_model():
            return {"elsewhere": True}
        try:
            return self._answered()
        except UserFacing as error:
            return {"failed": [error.cause, error.not_lost, error.action], "code": error.code}
        except Cancelled:
            return {}

    def stop(self, is_ending: bool) -> None:
        self._is_stopped = True
        self._is_ending = self._is_ending or is_ending
        if (question := self._question) is not None:
            question.stop(self._is_ending)

    def _answered(self) -> Said:
        with ExitStack() as ending:
            guest = Guest(self._host)
            ending.callback(guest.close)
            guest.asker = AllowAsker(self._asked.allow)
            store = ending.enter_context(forgotten_store())
            rewriter = ending.enter_context(followed(guest, store, ends=False))
            self._question = question = SingleQuestion(guest, store, self._asked, self._say)
            if self._is_stopped:
                question.stop(self._is_ending)
            answer = question.run()
            # Cut off with the program that wrote it: no answer, and the terminal says so.
            return {} if self._is_ending else last_line(guest, store, rewriter, question, answer)

    def _is_of_model(self) -> bool:
        answering = self._host.engine.model
        if answering is None or not self._asked.model:
            return answering is not None
        found = self._host.library.find(self._asked.model)
        return found is not None and found.id == answering.id


# -- what both share, and `steward chat` has too ------------------------------------------------------


@contextmanager
def forgotten_store() -> Iterator[ChatStore]:
    """Gone at the end. What a killed process has left goes with the next."""
    from desktop.chat.migrations import MIGRATIONS
    from desktop.chat.store import FIRST_FORGOTTEN, ChatStore
    from desktop.database import Database

    first = FIRST_FORGOTTEN + secrets.randbits(48)
    with temporary_folder("session") as folder:
        database = Database(folder / "session.sqlite3", MIGRATIONS)
        try:
            database.write(
                lambda c: c.execute(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES ('conversations', ?)", (first,)
                )
            )
            yield ChatStore(database)
        finally:
            database.close()


@contextmanager
def followed(core: Services, store: ChatStore, ends: bool = True) -> Iterator[AnswerRewriter]:
    """Extensions work on the answers in `store`, as they do where there is a window. `ends`: the process ends
    with it, and does not end later for an extension that hangs."""
    from desktop.chat.extension_texts import AnswerRewriter

    rewriter = AnswerRewriter(store, core.bus, core.extensions_on)
    try:
        yield rewriter
    finally:
        if ends and not rewriter.wait(0):
            core.extensions.close()
        rewriter.close()


def finished(core: Services, store: ChatStore, rewriter: AnswerRewriter, answer: Message) -> Message:
    """The answer with what extensions made of it, if they are done within the time of one call."""
    if core.extensions_on() is None:
        return answer
    rewriter.wait(core.settings.current.chat.extension_timeout_s)
    return store.message(answer.id)


def changed_question(changed: ExtensionText) -> str:
    """The line that stands for the window's chip of a question."""
    text = " ".join(changed.text.split())
    cut = text if len(text) <= TOLD_CHARACTERS else f"{text[: TOLD_CHARACTERS - 1]}…"
    return f"Changed by {', '.join(changed.by)}; the model was told: {cut}"


def changed_answer(answer: Message) -> str:
    """The same of an answer: the paragraphs that read otherwise than the model's, which were printed."""
    assert answer.changed is not None
    written = {each.strip() for each in answer.text.split("\n\n")}
    shown = [each.strip() for each in answer.shown.split("\n\n")]
    # Where only something was left out no paragraph is new, and what is left is the news.
    told = [each for each in shown if each not in written] or shown
    lines = (f"  {line}".rstrip() for line in "\n\n".join(told).splitlines())
    return "\n".join((f"Changed by {', '.join(answer.changed.by)}:", *lines))


# -- as JSON ------------------------------------------------------------------------------------------


def _finish(answer: Message) -> str:
    """Why it ended, as the engine says it; what only a history knows, in the history's word."""
    from desktop.chat.store import MessageStatus
    from desktop.engine.requests import FinishReason

    finished = {
        MessageStatus.COMPLETE: FinishReason.STOP,
        MessageStatus.STOPPED: FinishReason.CANCELLED,
        MessageStatus.SUPERSEDED: FinishReason.CANCELLED,
        MessageStatus.CONTEXT_FULL: FinishReason.CONTEXT_FULL,
        MessageStatus.REPEATED: FinishReason.REPEATED,
    }
    return str(finished.get(answer.status, answer.status))


def _remembered(block: MemoryBlock | None) -> dict[str, object]:
    if block is None:
        return {"ids": [], "tokens": 0, "text": ""}
    return {"ids": [item.id for item in block.items], "tokens": block.tokens, "text": block.text}


def _extension_text(changed: ExtensionText | None) -> dict[str, object] | None:
    return {"by": list(changed.by), "text": changed.text} if changed is not None else None


def _call(ended: CallResult) -> dict[str, object]:
    return {
        "name": ended.call.name,
        "arguments": dict(ended.arguments) or dict(ended.call.arguments),
        "result": ended.text,
        "ending": ended.ending.value,
        "decision": str(ended.decision or ""),
        "failure": ended.failure.code if ended.failure else "",
        "seconds": round(ended.seconds, 3),
    }
