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
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.app.single_question import (
    Allow,
    AllowAsker,
    QuestionOptions,
    SingleQuestion,
    changed_answer,
    changed_question,
    finished,
    followed,
    forgotten_store,
    last_line,
)
from desktop.cli.reasons import CliReason
from desktop.cli.terminal import print_json
from desktop.errors import UserFacing
from desktop.server.reasons import ServerReason

if TYPE_CHECKING:
    from desktop.app import Services
    from desktop.chat.events import AnswerGrew, TextsChanged
    from desktop.chat.export_import import SessionFile
    from desktop.chat.extension_texts import AnswerRewriter
    from desktop.chat.store import ChatStore, Message
    from desktop.engine.events import ModelFailed, ModelLoaded, ModelLoading
    from desktop.server.question_socket import Said
    from desktop.tools.calls import ToolEnded

MOST_PROMPT_BYTES = 10_000_000


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


def ask(core: Services, asked: QuestionOptions, as_json: bool, engine: str = "") -> int:
    """Print the answer as it comes, or at the end as JSON with its calls and figures. What is remembered is
    used where `asked` says so; of the question nothing is kept but what it asks to remember. `engine` names
    the model server that answers, "" is the model of this computer.

    A Steward that runs is asked, so that no second copy of the model is loaded. Ctrl+C stops the answer.
    Raises UserFacing where there is none.
    """
    printer = Printer(as_json)
    if not engine and asked_of_running(core, asked, printer):
        return 0
    core.asker = AllowAsker(asked.allow)
    with (
        running_engine(core, asked.model or None, bool(engine)),
        forgotten_store() as store,
        followed(core, store) as rewriter,
    ):
        question = SingleQuestion(core, store, asked, printer.show, engine)
        # On another thread: Ctrl+C on this one stops the turn, which then ends by itself.
        with ThreadPoolExecutor(1, thread_name_prefix="turn") as pool:
            turn = pool.submit(question.run)
            try:
                answer = turn.result()
            except KeyboardInterrupt:
                question.stop()
                raise
        printer.end(last_line(core, store, rewriter, question, answer))
    return 0


def asked_of_running(core: Services, asked: QuestionOptions, printer: Printer) -> bool:
    """Whether a Steward that runs has answered. Raises UserFacing where it could not."""
    from desktop.server.question_socket import ask_running

    lines = ask_running(core.paths, asked.request())
    if lines is None:
        return False
    last: Said = {}
    with closing(lines):
        for said in lines:
            last = said
            printer.show(said)
    if "elsewhere" in last:
        return False
    if "failed" in last:
        cause, not_lost, action = last["failed"]
        raise UserFacing(CliReason.PROGRAM_FAILED.of(cause=cause, not_lost=not_lost, action=action))
    if "answer" not in last:
        raise UserFacing(ServerReason.PROGRAM_ENDED.of())
    printer.end(last)
    return True


class Printer:
    """Shows a question's lines: the answer on stdout, what is told beside it on stderr."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def show(self, said: Said) -> None:
        """A line that comes while it is answered. Any thread."""
        if self._as_json:
            return
        if "grew" in said:
            sys.stdout.write(said["grew"])
            sys.stdout.flush()
        elif "answer" not in said and "note" in said:
            sys.stderr.write(f"{said['note']}\n")

    def end(self, said: Said) -> None:
        """The last one."""
        if self._as_json:
            print_json(said["answer"])
            return
        sys.stdout.write("\n")
        if said["note"]:
            sys.stderr.write(f"{said['note']}\n")


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
    asked = QuestionOptions(text, Allow(allow), not no_memory, model or "")
    raise typer.Exit(ask(context.obj, asked, as_json, engine))


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
