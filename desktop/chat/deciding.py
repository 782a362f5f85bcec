"""Does the next step need a tool, and which? What small models get wrong most is calling one for "Hello".

So the decision is taken apart. The model is made to name the tool it would use, in its family's own form, by
a grammar. Then it is asked afresh, in a short prompt with nothing but the request and that one tool, whether
the tool does what is asked; the difference of the logits of yes and no, against a threshold that was tuned on
cases of both kinds, decides. Only then are the arguments written, by a grammar made from the tool's schema.
docs/benchmarks.md has the measurements, and what was tried and was worse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from desktop.chat.formats.family import Family
from desktop.chat.formats.found import Found
from desktop.chat.formats.grammar import IN_WORDS, arguments_grammar, names_grammar
from desktop.chat.formats.splitter import CallSplitter
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.engine.stream import Stream
from desktop.gate.verdict import Effect
from desktop.tools.tool import Tool, Toolbox

# yes - no, in nats, tuned with Qwen2.5-Coder-1.5B by five-fold cross-validation: for tools that others have
# described on the development cases, for ours on those of tests/bench/built_in_cases.txt.
THRESHOLD = 0.7
OWN_THRESHOLD = 0.1
YES, NO = ("yes", "Yes"), ("no", "No")
REQUEST_SHOWN = 600  # characters of the request and of the description that the judgement sees
NAME_TOKENS = 32
JUDGE_SYSTEM = "You judge whether a function fits a request."

Submit = Callable[[GenerateRequest], Stream]


@dataclass(frozen=True)
class Done:
    """A call that was made for this question already."""

    name: str
    result: str


def judgement(tool: Tool, request: str, done: Sequence[Done] = ()) -> tuple[Message, ...]:
    """The question whether `tool` does what `request` asks for, answered by yes or no."""
    names = ", ".join(each.name for each in tool.parameters)
    described = f"{tool.name}({names}): {tool.description}"[:REQUEST_SHOWN]
    before = "".join(f"Already done: {each.name} gave: {each.result[:120]}\n\n" for each in done[-3:])
    question = "Does this function do what the request asks for?"
    if done:
        question = "Is this function still needed for something that the request asks for?"
    text = f"Function: {described}\n\nRequest: {request[:REQUEST_SHOWN]}\n\n{before}{question}"
    return (Message("system", JUDGE_SYSTEM), Message("user", f"{text} Reply only yes or no."))


def preference(scores: Mapping[str, float]) -> float:
    """How much likelier yes is than no, in nats."""
    return _sum(scores[label] for label in YES) - _sum(scores[label] for label in NO)


def _sum(logits: Iterable[float]) -> float:
    values = list(logits)
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


@dataclass(frozen=True)
class Decided:
    """The call that was decided on, or None and `why`; `preference` is for the log and the bench."""

    call: Found | None
    tool: str = ""
    preference: float = 0.0
    raw: str = ""
    why: str = ""


class Decider:
    """Decides one step of one turn. `submit` is the engine's, watched so that Stop reaches it."""

    def __init__(self, submit: Submit, family: Family, threshold: float = THRESHOLD) -> None:
        self._submit = submit
        self._family = family
        self._threshold = threshold

    def decide(
        self, base: GenerateRequest, toolbox: Toolbox, request: str, done: Sequence[Done] = ()
    ) -> Decided:
        """Which call comes next. `base` is the request for the answer, with the whole conversation."""
        name = self._named(base, toolbox)
        tool = toolbox.get(name)
        if tool is None:
            return Decided(None, name, why="no such tool")
        if not tool.parameters and any(each.name == name for each in done):
            return Decided(None, name, why="done already")
        preferred = self._judged(tool, request, done)
        if preferred < self._threshold:
            return Decided(None, name, preferred, why="it does not fit")
        return self._call(base, tool, preferred)

    def _named(self, base: GenerateRequest, toolbox: Toolbox) -> str:
        if len(toolbox) == 1:
            return toolbox.names[0]
        mark = self._family.between[0]
        return self._text(
            replace(
                base,
                answer_start=self._family.opening,
                grammar=names_grammar(toolbox.names, mark),
                sampling=_certain(NAME_TOKENS),
                stop=(mark,),
            )
        )

    def _judged(self, tool: Tool, request: str, done: Sequence[Done]) -> float:
        # A quick question, so that the conversation it belongs to is not put aside for it.
        stream = self._submit(
            GenerateRequest(
                "judgement",
                judgement(tool, request, done),
                _certain(1),
                Priority.QUICK_ASK,
                labels=(*YES, *NO),
            )
        )
        stream.text()
        return preference(stream.scores) if stream.scores else -math.inf

    def _call(self, base: GenerateRequest, tool: Tool, preferred: float) -> Decided:
        family = self._family
        start = family.opening + tool.name + family.between
        stream = self._submit(
            replace(
                base,
                answer_start=start,
                grammar=arguments_grammar(tool.parameters, family.style, family.closing),
                sampling=_certain(base.sampling.max_tokens),
            )
        )
        written = ""
        said = _said_by_others(base.messages)
        for piece in stream:
            written += piece
            invented = _invented_path(tool, written, said)
            if invented:
                stream.cancel()
                return Decided(None, tool.name, preferred, start + written, f"nobody named {invented}")
        raw = start + written
        splitter = CallSplitter((tool.name,))
        splitter.feed(raw)
        splitter.finish()
        found = _without_invented(tool, splitter.calls[0], said) if splitter.calls else None
        return Decided(found, tool.name, preferred, raw, "" if found else "it was cut")

    def _text(self, request: GenerateRequest) -> str:
        return self._submit(request).text()


def in_words(base: GenerateRequest) -> GenerateRequest:
    """The first character of an answer that is no call; the rest follows without a grammar."""
    return replace(base, grammar=IN_WORDS, sampling=replace(base.sampling, max_tokens=1))


def _said_by_others(messages: Sequence[Message]) -> str:
    """What the user wrote and what tools gave: where the name of a file can come from."""
    texts = (message.content for message in messages if message.role not in ("system", "assistant"))
    return "\n".join(texts).casefold()


def _invented_path(tool: Tool, written: str, said: str) -> str:
    """A file that must be named, and that nobody has named; "" as long as there is none.

    Small models make names up where none was given: "Write a poem" becomes a call that writes poem.txt.
    """
    for parameter in tool.parameters:
        if parameter.is_path and parameter.required:
            match = re.search(rf'"{parameter.name}": "((?:[^"\\]|\\.)*)"', written)
            if match is not None and not _is_named(match[1], said, tool.effect is Effect.READ):
                return match[1]
    return ""


def _is_named(path: str, said: str, stem_will_do: bool) -> bool:
    """Whether `said` has the name at the end of `path`; to read, "the report" will do for report.md."""
    name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].casefold()
    stem = name.rsplit(".", 1)[0] if stem_will_do else name
    return name in ("", ".", "~") or name in said or stem in said


def _without_invented(tool: Tool, found: Found, said: str) -> Found:
    """An optional path that nobody has named is left out: the tool knows where to look."""
    optional = {each.name for each in tool.parameters if each.is_path and not each.required}
    kept = {
        key: value
        for key, value in found.arguments.items()
        if key not in optional or _is_named(str(value), said, stem_will_do=True)
    }
    return Found(found.name, kept)


def _certain(max_tokens: int) -> Sampling:
    return Sampling(temperature=0, max_tokens=max_tokens)
