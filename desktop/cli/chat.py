"""`steward ask` and `steward chat`: one question, or a conversation in the terminal.

Neither keeps anything, unless `chat` is given a file: the history lives as long as the command.
"""

from __future__ import annotations

import errno
import importlib
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import print_json
from desktop.errors import UserFacing
from desktop.temporary import temporary_folder

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.asking import Answer, Question
    from desktop.chat.conversation_memory import MemoryBlock, MemoryUsed
    from desktop.chat.events import AnswerGrew, TextsChanged, TurnFailed
    from desktop.chat.export_import import SessionFile
    from desktop.chat.extension_texts import AnswerRewriter
    from desktop.chat.messages import ExtensionText
    from desktop.chat.store import ChatStore, Message
    from desktop.engine.events import GenerationFinished, ModelFailed, ModelLoaded, ModelLoading
    from desktop.tools.calls import CallResult, ToolEnded

MOST_PROMPT_BYTES = 10_000_000


class Allow(StrEnum):
    """What is done without a person to ask."""

    NONE = "none"
    READ = "read"  # also outside the workspace
    WORKSPACE = "workspace"  # also changes inside it


def read_question(words: list[str], prompt_file: Path | None) -> str:
    """The question from the arguments, a file or a pipe, joined in that order."""
    parts = [" ".join(words)]
    if prompt_file is not None:
        parts.append(_file_text(prompt_file))
    # A pipe is part of the question, but where words and a file make it already.
    if not sys.stdin.isatty() and (not words or prompt_file is None):
        parts.append(_piped())
    question = "\n\n".join(part for part in parts if part.strip())
    if not question:
        raise UserFacing(CliReason.NO_QUESTION.of())
    return question


def ask(
    core: Services,
    question: str,
    model: str | None,
    as_json: bool,
    allow: Allow = Allow.NONE,
    remembers: bool = True,
    engine: str = "",
) -> int:
    """Print the answer as it comes, or at the end as JSON with its calls and figures. What is remembered is
    used unless `remembers` is false; of the question nothing is kept but what it asks to remember. `engine`
    names the model server that answers, "" is the model of this computer.
    """
    core.asker = AllowAsker(allow)
    with (
        running_engine(core, model, bool(engine)),
        forgotten_store() as store,
        followed(core, store) as rewriter,
    ):
        asked = _Asked(core, store, show=not as_json, remembers=remembers)
        asked.choose_server(engine)
        answer = finished(core, store, rewriter, asked.run(question))
        if answer.changed is not None and not as_json:
            sys.stderr.write(f"{changed_answer(answer)}\n")
        if as_json:
            asked.print_json(answer)
    return 0


class AllowAsker:
    """Answers for the user as the command line says."""

    def __init__(self, allow: Allow) -> None:
        self._allow = allow

    def ask(self, question: Question) -> Answer:
        from desktop.asking import ALLOWED_ONCE, DENIED, NetworkUse, Risk

        # What may talk to other computers is no reading: it could carry off what was read.
        reads = question.risk is Risk.READS and question.network in (None, NetworkUse.CANNOT)
        # Outside the workspace nothing is changed without a person, whatever was allowed.
        # A command may do more than its text shows, whatever it is read as.
        is_plain = question.command is None and not question.outside
        changes = is_plain and question.risk in (Risk.CHANGES, Risk.DELETES)
        if (reads and self._allow is not Allow.NONE) or (changes and self._allow is Allow.WORKSPACE):
            return ALLOWED_ONCE
        return DENIED


@contextmanager
def running_engine(core: Services, model: str | None, elsewhere: bool = False) -> Iterator[None]:
    """The engine on a plain thread, with the wanted model chosen; none where it is answered `elsewhere`."""
    from desktop.cli.models import chosen
    from desktop.engine.engine import start_thread

    core.engine.use(None if elsewhere else chosen(core, model), insist=model is not None)
    thread = start_thread(core.engine)
    try:
        yield
    finally:
        core.engine.close()
        thread.join()


class _Asked:
    """One turn, watched."""

    def __init__(self, core: Services, store: ChatStore, show: bool, remembers: bool) -> None:
        from desktop.app.chat_parts import turns_for
        from desktop.chat.conversation_memory import MemoryUsed
        from desktop.chat.events import AnswerGrew, TextsChanged, TurnFailed
        from desktop.engine.events import GenerationFinished
        from desktop.engine.requests import Metrics
        from desktop.tools.calls import ToolEnded

        self._core = core
        self._turns = turns_for(core, store, remembers)
        self._memory: MemoryBlock | None = None
        core.bus.subscribe(MemoryUsed, self._on_memory_used)
        self._conversation_id = store.create().id
        self._show = show
        self._metrics = Metrics()
        self._calls: list[CallResult] = []
        self._error: UserFacing | None = None
        self._changed_question: ExtensionText | None = None
        core.bus.subscribe(AnswerGrew, self._on_grew)
        core.bus.subscribe(TextsChanged, self._on_texts_changed)
        core.bus.subscribe(GenerationFinished, self._on_finished)
        core.bus.subscribe(ToolEnded, self._on_tool_ended)
        core.bus.subscribe(TurnFailed, self._on_failed)

    def choose_server(self, name: str) -> None:
        """Have a model server answer; "": the model of this computer. Raises UserFacing."""
        if name:
            self._core.remote_engines.get(name)
            self._turns.choose_server(self._conversation_id, name)

    def run(self, question: str) -> Message:
        """Raises UserFacing when there is no answer. Ctrl+C stops the turn and is raised again."""
        # On another thread: Ctrl+C on this one stops the turn, which then ends by itself.
        with ThreadPoolExecutor(1, thread_name_prefix="turn") as pool:
            turn = pool.submit(self._turns.run, self._conversation_id, question)
            try:
                answer = turn.result()
            except KeyboardInterrupt:
                self._turns.stop(self._conversation_id)
                raise
        if self._error is not None:
            raise self._error
        if self._show:
            sys.stdout.write("\n")
        return answer

    def print_json(self, answer: Message) -> None:
        found = {
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
        print_json(found)

    # -- events, on the thread of the turn or of the engine -----------------------------------

    def _on_grew(self, event: AnswerGrew) -> None:
        if self._show:
            sys.stdout.write(event.text)
            sys.stdout.flush()

    def _on_finished(self, event: GenerationFinished) -> None:
        self._metrics = event.metrics

    def _on_tool_ended(self, event: ToolEnded) -> None:
        self._calls.append(event.ended)
        sign = "✓" if event.ended.ok else "✗"
        if self._show:
            sys.stderr.write(f"{sign} {event.ended.call.name} · {event.ended.seconds:.1f} s\n")

    def _on_memory_used(self, event: MemoryUsed) -> None:
        self._memory = event.block

    def _on_texts_changed(self, event: TextsChanged) -> None:
        from desktop.chat.store import Role

        if event.message.role is Role.USER:
            self._changed_question = event.message.changed
            if self._show and event.message.changed is not None:
                sys.stderr.write(f"{changed_question(event.message.changed)}\n")

    def _on_failed(self, event: TurnFailed) -> None:
        self._error = event.error


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


def _file_text(path: Path) -> str:
    try:
        # A pipe is welcome here, but what has no end is no question.
        with path.open("rb") as file:
            content = file.read(MOST_PROMPT_BYTES + 1)
        if len(content) > MOST_PROMPT_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserFacing(CliReason.FILE_UNREADABLE.of(path=path, error=str(error))) from error


def _piped() -> str:
    # Whatever encoding the terminal has: a pipe's bytes are UTF-8 or are made readable.
    return sys.stdin.buffer.read().decode("utf-8", errors="replace")


@contextmanager
def followed(core: Services, store: ChatStore) -> Iterator[AnswerRewriter]:
    """Extensions work on the answers in `store`, as they do where there is a window."""
    from desktop.chat.extension_texts import AnswerRewriter

    rewriter = AnswerRewriter(store, core.bus, core.extensions_on)
    try:
        yield rewriter
    finally:
        # The answer is told already: a command does not end later for an extension that hangs.
        if not rewriter.wait(0):
            core.extensions.close()
        rewriter.close()


def finished(core: Services, store: ChatStore, rewriter: AnswerRewriter, answer: Message) -> Message:
    """The answer with what extensions made of it, if they are done within the time of one call."""
    if core.extensions_on() is None:
        return answer
    rewriter.wait(core.settings.current.chat.extension_timeout_s)
    return store.message(answer.id)


TOLD_CHARACTERS = 300  # of a changed question; the rest is in the window


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
    paragraphs = [each for each in shown if each not in written] or shown
    lines = (f"  {line}".rstrip() for line in "\n\n".join(paragraphs).splitlines())
    return "\n".join((f"Changed by {', '.join(answer.changed.by)}:", *lines))


LEAVE = frozenset({"quit", "exit", "/quit", "/exit"})
CLEAR = frozenset({"clear", "/clear"})

SHOWN_LINES, SHOWN_CHARACTERS = 6, 160  # of a call and its result in the terminal
# While an answer streams the session file is written at most this often.
SAVE_INTERVAL_S = 1.0


def chat(
    core: Services, session: Path | None, model: str | None, remembers: bool = True, engine: str = ""
) -> int:
    """Read questions until `quit`, `exit` or the end of input; `clear` starts anew. `remembers`: what is
    remembered is used. `engine` names the model server that answers.
    """
    from desktop.chat.export_import import SessionFile
    from desktop.cli.terminal import TerminalAsker

    core.asker = TerminalAsker(sys.stdin.isatty())
    if engine:
        core.remote_engines.get(engine)
    with (
        running_engine(core, model, bool(engine)),
        _store(core, session) as store,
        followed(core, store) as rewriter,
    ):
        kept = SessionFile(session) if session else None
        Terminal(core, store, kept, remembers, engine).run(rewriter)
    return 0


@contextmanager
def _store(core: Services, session: Path | None) -> Iterator[ChatStore]:
    """The user's own history or, with a session file, a store that lives as long as the chat."""
    if session is None:
        yield core.store
        return
    with forgotten_store() as store:
        yield store


class Terminal:
    """Questions in, answers out. `run` is called on the main thread; turns run on one other."""

    def __init__(
        self,
        core: Services,
        store: ChatStore,
        session: SessionFile | None,
        remembers: bool = True,
        engine: str = "",
    ) -> None:
        from desktop.app.chat_parts import turns_for

        self._core = core
        self._store = store
        self._session = session
        self._engine = engine
        self._turns = turns_for(core, store, remembers)
        self._conversation_id = self._begun()
        self._saved_s = 0.0
        self._interactive = sys.stdin.isatty()
        self._settled = threading.Event()  # the model is loaded, or will not be

    def run(self, rewriter: AnswerRewriter) -> None:
        """Go on until the user leaves. `rewriter` follows the answers of the store."""
        if self._session is not None:
            count = self._session.load_into(self._store, self._conversation_id)
            self._say(f"{count} earlier messages." if count else "A new session.")
        self._listen()
        if not self._engine:
            self._core.engine.preload()
        if self._interactive and not self._engine:
            self._settled.wait()  # the prompt would be overwritten by the news of loading
        with ThreadPoolExecutor(1, thread_name_prefix="turn") as pool:
            for question in self._questions():
                self._answer(pool.submit(self._turns.run, self._conversation_id, question), rewriter)

    def _listen(self) -> None:
        from desktop.chat.events import AnswerGrew, NoticeAdded, TextsChanged, TurnFailed
        from desktop.engine.events import ModelFailed, ModelLoaded, ModelLoading
        from desktop.tools.calls import ToolEnded

        subscribe = self._core.bus.subscribe
        subscribe(ModelLoading, self._on_loading)
        subscribe(ModelLoaded, self._on_loaded)
        subscribe(ModelFailed, self._on_load_failed)
        subscribe(AnswerGrew, self._on_answer_grew)
        subscribe(ToolEnded, self._on_tool_ended)
        subscribe(NoticeAdded, lambda event: self._say(event.notice.text))
        subscribe(TurnFailed, lambda event: self._say(str(event.error)))
        subscribe(TextsChanged, self._on_texts_changed)

    def _questions(self) -> Iterator[str]:
        if self._interactive:
            self._say("Type a question. clear starts over, quit ends, Ctrl+C stops an answer.\n")
            _enable_line_editing()
        while (line := self._read_line()) is not None:
            text = line.strip()
            if text.lower() in LEAVE:
                return
            if text.lower() in CLEAR:
                self._clear()
            elif text:
                yield text

    def _read_line(self) -> str | None:
        try:
            return input(f"\n{self._prompt}" if self._interactive else "")
        except (EOFError, KeyboardInterrupt):
            return None

    @property
    def _prompt(self) -> str:
        """Names where the words go, at each question anew: the settings may have changed."""
        destination = self._turns.destination(self._conversation_id)
        if destination is None:
            return "> "
        return f"to {self._core.remote_engines.get(destination.server).shown}> "

    def _begun(self) -> int:
        """A new conversation, answered by whom the command has named."""
        made = self._store.create().id
        if self._engine:
            self._turns.choose_server(made, self._engine)
        return made

    def _clear(self) -> None:
        self._conversation_id = self._begun()
        self._save()
        self._say("A new conversation.")

    def _answer(self, turn: Future[Message], rewriter: AnswerRewriter) -> None:
        answer = self._wait(turn)
        sys.stdout.write("\n")
        sys.stdout.flush()
        from desktop.chat.store import MessageStatus

        answer = finished(self._core, self._store, rewriter, answer)
        self._save()
        if answer.changed is not None:
            self._say(changed_answer(answer))
        # What a rule has answered took no tokens.
        if answer.status is not MessageStatus.FAILED and answer.answer_tokens:
            self._say(figures(answer))

    def _wait(self, turn: Future[Message]) -> Message:
        while True:
            try:
                return turn.result()
            except KeyboardInterrupt:
                self._turns.stop(self._conversation_id)

    # -- events, on the thread of the turn or of the engine -----------------------------------

    def _on_answer_grew(self, event: AnswerGrew) -> None:
        sys.stdout.write(event.text)
        sys.stdout.flush()
        # Whole at each saving: a kill loses a second of the answer and never the file.
        if time.monotonic() - self._saved_s > SAVE_INTERVAL_S:
            self._save()

    def _on_texts_changed(self, event: TextsChanged) -> None:
        from desktop.chat.store import Role

        # Told before the answer begins; of the answer it is told once it is whole.
        if event.message.role is Role.USER and event.message.changed is not None:
            self._say(changed_question(event.message.changed))

    def _on_tool_ended(self, event: ToolEnded) -> None:
        from desktop.cli.terminal import shown

        ended = event.ended
        given = ended.arguments or ended.call.arguments
        values = ", ".join(f"{name}: {str(value)[:SHOWN_CHARACTERS]}" for name, value in given.items())
        sign = "✓" if ended.ok else "✗"
        lines = [f"{sign} {ended.call.name}({values}) · {ended.seconds:.1f} s", *ended.text.splitlines()]
        self._say(shown("\n  ".join(line[:SHOWN_CHARACTERS] for line in lines[: SHOWN_LINES + 1])))

    def _on_loading(self, event: ModelLoading) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\rLoading model {event.fraction:4.0%} ")

    def _on_loaded(self, event: ModelLoaded) -> None:
        from desktop.engine.events import banner

        model = self._core.library.get(event.status.model_id)
        line = banner(event.status, model) if model else event.status.model_name
        self._say(("\r" if sys.stderr.isatty() else "") + line)
        if event.notice:
            self._say(str(event.notice))
        self._settled.set()

    def _on_load_failed(self, event: ModelFailed) -> None:
        # Later failures belong to a question, whose turn tells them.
        if not self._settled.is_set():
            self._say(str(event.error))
        self._settled.set()

    def _save(self) -> None:
        if self._session is not None:
            self._saved_s = time.monotonic()
            self._session.save(self._store.messages(self._conversation_id, limit=None))

    def _say(self, text: str) -> None:
        """Everything but the answer goes to stderr, so that a pipe gets the answers alone."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def figures(answer: Message) -> str:
    """The line after an answer."""
    from desktop.chat.store import MessageStatus

    endings = {
        MessageStatus.STOPPED: "stopped",
        MessageStatus.LENGTH: "stopped at the length limit",
        MessageStatus.CONTEXT_FULL: "stopped because the context is full",
    }
    ending = endings.get(answer.status, "")
    line = f"{answer.answer_tokens} tokens · {answer.tokens_per_s:.1f} tok/s · {answer.total_s:.1f} seconds"
    return f"{line} · {ending}" if ending else line


def _enable_line_editing() -> None:
    """Give input() history and editing, where Python has readline."""
    if importlib.util.find_spec("readline"):
        importlib.import_module("readline")


@contextmanager
def forgotten_store() -> Iterator[ChatStore]:
    """Gone when the command ends. What a killed one has left goes with the next."""
    from desktop.chat.migrations import MIGRATIONS
    from desktop.chat.store import ChatStore
    from desktop.database import Database

    with temporary_folder("session") as folder:
        database = Database(folder / "session.sqlite3", MIGRATIONS)
        try:
            yield ChatStore(database)
        finally:
            database.close()


ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME|FILE|REPO_ID", help="An installed model, a GGUF file, or a repository."
    ),
]

NoMemoryOption = Annotated[bool, typer.Option("--no-memory", help="Use no memories, and keep none.")]

EngineOption = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="Have a model server answer: steward engines list")
]

ToOption = Annotated[
    str,
    typer.Option(
        "--to", metavar="HOST", help="Agree that the words go to this host, where there is nobody to ask."
    ),
]


def ask_verb(
    context: typer.Context,
    question: Annotated[
        list[str] | None, typer.Argument(help="The question; stdin is read when it is piped.")
    ] = None,
    prompt_file: Annotated[
        Path | None, typer.Option("--prompt-file", help="Read the question from a file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print answer, calls and figures as JSON.")] = False,
    allow: Annotated[
        str, typer.Option(help="What tools may do: none (that changes), read (anywhere) or workspace.")
    ] = "none",
    model: ModelOption = None,
    no_memory: NoMemoryOption = False,
    engine: EngineOption = "",
    to: ToOption = "",
) -> None:
    """Ask one question and print the answer."""
    from desktop.cli.models import ask_on_terminal

    if allow not in list(Allow):
        raise typer.BadParameter("none, read or workspace", param_hint="--allow")
    text = read_question(question or [], prompt_file)
    context.obj.ask_to_send = ask_on_terminal(to)
    raise typer.Exit(ask(context.obj, text, model, as_json, Allow(allow), not no_memory, engine))


def chat_verb(
    context: typer.Context,
    session: Annotated[
        Path | None,
        typer.Option("--session", metavar="FILE.json", help="Keep the conversation in this file."),
    ] = None,
    model: ModelOption = None,
    no_memory: NoMemoryOption = False,
    engine: EngineOption = "",
    to: ToOption = "",
) -> None:
    """Talk with the model in the terminal."""
    from desktop.cli.models import ask_on_terminal

    context.obj.ask_to_send = ask_on_terminal(to)
    raise typer.Exit(chat(context.obj, session, model, not no_memory, engine))
