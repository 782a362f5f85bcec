"""How a model calls tools: the modes, what is told in each, and which mode a model file manages.

NATIVE: in the form of its own family, where its template knows tools. COMPACT: a list in the instructions and
JSON under a grammar. PATTERNS: `[READ: path]` in what it says. WORDS: not at all.

What a file can do is found out once and kept. The test is short: a few requests that need a tool and a few
that need none, each through the same decision as in a conversation, at the lowest priority. A mode counts as
managed when the right tool was called, with the right argument, for nearly all of the first and none for
nearly all of the others: a model that calls a tool for "Hello" does better with words alone.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import structlog

from desktop.chat.formats.calls import PATTERNS as MARKS
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import COMPACT, PATTERNS, Family, family_of, tools_in_words
from desktop.chat.lessons import Lessons
from desktop.chat.prompts import default_system_prompt, patterns_prompt, tool_rules
from desktop.chat.streaming import CallSplitter
from desktop.chat.tool_choice import ChoiceOptions, ToolChooser, ToolHints, own_hints
from desktop.engine.engine import Engine
from desktop.engine.requests import FinishReason, GenerateRequest, Message, Priority, Sampling, Stream
from desktop.engine.template_traits import traits_of
from desktop.errors import Cancelled
from desktop.gate.verdict import Effect
from desktop.models.gguf import GgufFacts
from desktop.models.library import InstalledModel
from desktop.paths import write_atomically
from desktop.settings import Thinking
from desktop.state_file import put_aside, read_object
from desktop.tools.executor import Executor
from desktop.tools.tool import Tool, Toolbox, ToolCatalogue

SMALL = 4_000_000_000  # parameters; below that a model writes better when it is told plainly


class ToolMode(StrEnum):
    NATIVE = "native"
    COMPACT = "compact"
    PATTERNS = "patterns"
    WORDS = "words"


@dataclass(frozen=True)
class ToolProfile:
    """How one model acts, and how its calls and their results are written."""

    mode: ToolMode
    family: Family
    is_recurrent: bool = False
    is_small: bool = True
    takes_lines: bool = False
    can_think: bool = False

    @classmethod
    def of(cls, facts: GgufFacts | None, mode: ToolMode) -> ToolProfile:
        template = facts.chat_template if facts is not None else None
        family = {ToolMode.NATIVE: family_of(template), ToolMode.PATTERNS: PATTERNS}.get(mode, COMPACT)
        if mode is ToolMode.WORDS:
            family = family_of(template)  # earlier calls of the conversation are told all the same
        recurrent = facts is not None and facts.is_recurrent
        small = facts is None or (facts.parameter_count or 0) < SMALL
        traits = traits_of(template)
        return cls(mode, family, recurrent, small, traits.takes_lines, traits.can_think)

    @property
    def acts(self) -> bool:
        return self.mode is not ToolMode.WORDS

    @property
    def in_words(self) -> ToolProfile:
        """The same where nothing is to be called; earlier calls of the conversation are told all the same."""
        family = COMPACT if self.mode is ToolMode.PATTERNS else self.family
        return replace(self, mode=ToolMode.WORDS, family=family)

    @property
    def is_guided(self) -> bool:
        """Whether it is decided for the model whether to call. A recurrent one would have to read everything
        again for each part of a decision, and patterns are for models that cannot be asked."""
        return self.mode in (ToolMode.NATIVE, ToolMode.COMPACT) and not self.is_recurrent

    @property
    def retells(self) -> bool:
        """Whether results are answered from a plain prompt of their own."""
        return self.is_guided and self.is_small

    def thinks(self, wish: Thinking) -> bool:
        """Whether the model thinks before it answers. A small one that is left to itself does not: on a
        processor it would think for minutes."""
        return self.can_think and (wish is Thinking.ALWAYS or (wish is Thinking.SUITED and not self.is_small))

    def instructions(self, toolbox: Toolbox, own: str = "") -> str:
        """What the model is told first; `own` are the user's instructions, in place of Steward's. How tools
        are to be used is told with either."""
        system = own or default_system_prompt(tools=self.acts)
        if own and self.acts:
            system = f"{own}\n\n{tool_rules()}"
        if self.mode is ToolMode.COMPACT:
            return f"{system}\n\n{tools_in_words(toolbox)}"
        return f"{system}\n\n{patterns_prompt()}" if self.mode is ToolMode.PATTERNS else system

    def schemas(self, toolbox: Toolbox, all_of_it: bool = False) -> tuple[Mapping[str, Any] | str, ...]:
        """The tools as the template is to show them; `all_of_it`: with what each argument means.

        Steward's own are lines of text where the template allows it: arguments are written under a grammar,
        which knows their names and types. With 14 tools that is a quarter of the tokens, and the right tool
        is named as often (docs/measurements.md).
        """
        # Only a template that knows tools shows them; the other modes list them in the instructions.
        if self.mode is not ToolMode.NATIVE:
            return ()
        if self.is_guided and self.takes_lines and not all_of_it:
            return tuple(tool.signature for tool in toolbox)
        return toolbox.schemas()

    def tools(self, toolbox: Toolbox) -> tuple[Tool, ...]:
        """Those that can be called in this way."""
        if self.mode is ToolMode.PATTERNS:
            named = {name for name, _ in MARKS.values()}
            return tuple(tool for tool in toolbox if tool.name in named)
        return tuple(toolbox) if self.acts else ()


log = structlog.get_logger(__name__)
REVISION = 1  # of the test; what another revision found is found out anew
NEEDED = 0.75  # of the requests that need a tool, and of those that need none
ANSWER_TOKENS = 48


# A request, the tool that it needs and a word that its argument has to have; no tool: words.
TRIALS: Sequence[tuple[str, str, str]] = (
    ("What is in notes.txt?", "read_file", "notes.txt"),
    ("What time is it?", "current_time", ""),
    ("Remember that my locker has number 42.", "save_note", "42"),
    ("List the files in the folder photos.", "list_directory", "photos"),
    ("Hello", "", ""),
    ("What is the capital of France?", "", ""),
    ("Write a short poem about rain.", "", ""),
    ("What is a text file?", "", ""),
)


@dataclass(frozen=True)
class ToolRuntime:
    """Handed to `Turns` by the composition root.

    `native_only`: models whose template knows no tools answer in words alone, unless the capability test has
    found that they can do more. `hints` None: the tools are somebody else's. `lessons` None: nothing is
    learned from calls. `guests` are tools of other programs that fit a question, given that and the names of
    the tools that its conversation has used; `catalogue` has all among which is chosen where any fits.
    """

    toolbox: Toolbox
    executor: Executor
    cancel_questions: Callable[[int], None] = lambda _conversation_id: None
    native_only: bool = False
    hints: ToolHints | None = field(default_factory=own_hints)
    lessons: Lessons | None = None
    guests: Callable[[str, Sequence[str]], Sequence[Tool]] = lambda _question, _used: ()
    catalogue: Callable[[str, Sequence[str]], ToolCatalogue] = lambda _question, _used: ToolCatalogue()

    def with_guests(self, question: str, used: Sequence[str]) -> ToolRuntime:
        """The same for one question, with the tools of others behind Steward's own: what stands before
        them in the prompt stays in the KV cache."""
        guests = self.guests(question, used)
        if not guests:
            return self
        own = () if any(each.hint.alone for each in guests) else self.toolbox
        return replace(self, toolbox=Toolbox((*own, *guests), self.catalogue(question, used)))

    def unattended(self) -> ToolRuntime:
        """The same for a turn that nobody sits before: what does more than read is not offered."""

        def guests(question: str, used: Sequence[str]) -> Sequence[Tool]:
            return _reading(self.guests(question, used))

        def catalogue(question: str, used: Sequence[str]) -> ToolCatalogue:
            found = self.catalogue(question, used)
            return replace(found, tools=_reading(found.tools))

        return replace(
            self,
            toolbox=Toolbox(_reading(self.toolbox)),
            executor=self.executor.unattended(),
            guests=guests,
            catalogue=catalogue,
        )


def _reading(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    return tuple(each for each in tools if each.effect is Effect.READ)


@dataclass(frozen=True)
class Trial:
    """How one way went: parts of the requests with and without a need for tools that went right."""

    way: ToolMode
    calls: float
    restraint: float

    @property
    def managed(self) -> bool:
        return self.calls >= NEEDED and self.restraint >= NEEDED


@dataclass(frozen=True)
class Capability:
    """What is kept for one model file: the way it acts, and how each way went that was tried."""

    way: ToolMode
    trials: tuple[Trial, ...] = ()
    revision: int = REVISION


class _TrialEngine:
    """Asks the engine, and knows whether it was cancelled: such an answer says nothing about the model."""

    def __init__(self, submit: Callable[[GenerateRequest], Stream]) -> None:
        self._submit = submit
        self._latest: Stream | None = None

    def submit(self, request: GenerateRequest) -> Stream:
        self.check()
        self._latest = self._submit(request)
        return self._latest

    def check(self) -> None:
        """Raises Cancelled when the latest answer was."""
        latest = self._latest
        if latest is not None and latest.ended and latest.finish is FinishReason.CANCELLED:
            raise Cancelled


class Capabilities:
    """By the hash of the model file. `known` may be called on any thread; `find_out` blocks."""

    def __init__(self, path: Path, toolbox: Toolbox) -> None:
        self._path = path
        self._toolbox = toolbox
        self._lock = threading.Lock()
        self._kept: dict[str, Capability] | None = None

    def known(self, model: InstalledModel) -> ToolMode | None:
        """None: nobody has tried yet."""
        with self._lock:
            found = self._all().get(_key(model))
        return found.way if found is not None else None

    def find_out(self, engine: Engine, model: InstalledModel) -> Capability | None:
        """Try the ways of a model whose template knows no tools; the others are known by their template.

        Takes as long as a dozen short answers, and everybody else goes first. None where nothing had to be
        tried, or when the model was changed meanwhile. Raises Cancelled, and keeps nothing, where an answer
        was cancelled: the program ends.
        """
        if ToolProfile.of(model.facts, ToolMode.NATIVE).family.native or self.known(model) is not None:
            return None
        trials: list[Trial] = []
        for way in (ToolMode.COMPACT, ToolMode.PATTERNS):
            trials.append(self.trial(engine, ToolProfile.of(model.facts, way)))
            # The better mode first; what comes after it is not tried where it is managed.
            if trials[-1].managed:
                break
        # Another model was loaded meanwhile: nobody knows which one has answered.
        if engine.model != model:
            return None
        way = trials[-1].way if trials[-1].managed else ToolMode.WORDS
        found = Capability(way, tuple(trials))
        log.info("capability found out", model=model.id, way=way.value, trials=[asdict(t) for t in trials])
        self._keep(_key(model), found)
        return found

    def trial(self, engine: Engine, profile: ToolProfile) -> Trial:
        """How the model does in one way."""
        right = {True: 0, False: 0}
        asked = {True: 0, False: 0}
        asking = _TrialEngine(engine.submit)
        for request, tool, word in TRIALS:
            called = self._called(asking, profile, request)
            asking.check()
            asked[bool(tool)] += 1
            right[bool(tool)] += _is_right(called, tool, word)
        return Trial(profile.mode, right[True] / asked[True], right[False] / asked[False])

    def _called(self, asking: _TrialEngine, profile: ToolProfile, request: str) -> ParsedCall | None:
        messages = (Message("system", profile.instructions(self._toolbox)), Message("user", request))
        base = GenerateRequest(
            conversation="trial",
            messages=messages,
            sampling=Sampling(temperature=0, max_tokens=ANSWER_TOKENS),
            priority=Priority.BACKGROUND,
            tools=profile.schemas(self._toolbox),
        )
        if profile.is_guided:
            decider = ToolChooser(
                asking.submit, profile.family, own_hints(), ChoiceOptions(priority=Priority.BACKGROUND)
            )
            return decider.decide(base, self._toolbox, request).call
        splitter = CallSplitter(self._toolbox.names, patterns=profile.mode is ToolMode.PATTERNS)
        for piece in asking.submit(base):
            splitter.feed(piece)
        splitter.finish()
        return splitter.calls[0] if splitter.calls else None

    # -- on disk ------------------------------------------------------------------------------

    def _all(self) -> dict[str, Capability]:
        if self._kept is None:
            self._kept = _read(self._path)
        return self._kept

    def _keep(self, key: str, found: Capability) -> None:
        with self._lock:
            kept = self._all()
            kept[key] = found
            content = json.dumps({name: asdict(each) for name, each in kept.items()}, indent=1)
            try:
                write_atomically(self._path, content.encode())
            except OSError as error:  # it is found out again after the next start
                log.warning("capability could not be kept", reason=str(error))


def _key(model: InstalledModel) -> str:
    """A file of the user's own may have no known hash."""
    # By its content: the same file under another name is the same model.
    return model.sha256 or f"{model.path} {model.size_bytes}"


def _is_right(called: ParsedCall | None, tool: str, word: str) -> bool:
    if called is None or not tool:
        return called is None and not tool
    return called.name == tool and word in " ".join(map(str, called.arguments.values()))


def _read(path: Path) -> dict[str, Capability]:
    """What is kept; what cannot be read, or was found by another revision of the test, is found out anew."""
    what = "How the models call tools"
    try:
        found = {key: _capability(row) for key, row in read_object(path, what).items()}
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        put_aside(path, what, f"an entry is of another kind ({error})")
        return {}
    return {key: each for key, each in found.items() if each.revision == REVISION}


def _capability(row: Mapping[str, Any]) -> Capability:
    trials = tuple(replace(Trial(**each), way=ToolMode(each["way"])) for each in row["trials"])
    return Capability(ToolMode(row["way"]), trials, int(row["revision"]))
