"""Does the next step need a tool, and which? What small models get wrong most is calling one for "Hello".

So the decision is taken apart. First the model says, in its family's own form, which tool it would name;
where it is not sure, the two likeliest come into question. Then it is asked afresh, in a short prompt with
nothing but the request and that one tool, whether the tool does what is asked; for Steward's own tools also
whether the request needs nothing of this computer at all. The differences of the logits of yes and no,
against a threshold that was tuned on cases of both kinds, decide. Only then are the arguments written, by a
grammar made of the tool's schema. docs/benchmarks.md has the measurements, and what was tried and was worse.
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

# All in nats; tuned with Qwen2.5-Coder-1.5B by five-fold cross-validation, see docs/benchmarks.md.
THRESHOLD = 0.65  # for tools that others have described
OWN_THRESHOLD = -0.3  # for ours, from which half of what speaks for general knowledge is taken
KNOWLEDGE_WEIGHT = 0.5
NEXT_STEP = 0.5  # a further call needs that much more: after a result the model mostly has to answer
WANTS_TEXT = 0.8  # and so does one where JSON, code or an example was asked for
COMPOUND = -0.3  # while a tool that does only a part of "look up and save" needs less
# Two tools come into question where the model is not sure; then its own preference counts so much.
FIRST_CHOICE_WEIGHT = 0.2
CLEAR_CHOICE = 5.0
YES, NO = ("yes", "Yes"), ("no", "No")
REQUEST_SHOWN = 600  # characters of the request and of the description that the judgement sees
NAME_TOKENS = 32
JUDGE_SYSTEM = "You judge whether a function fits a request."
KNOWLEDGE_SYSTEM = "You judge what a request to an assistant is about."

_COMPOUND = re.compile(
    r"\b(?:and|then|und|dann|danach)\b.*\b(?:save|write|tell|put|note|speicher|schreib)", re.IGNORECASE
)
_WANTS_TEXT = re.compile(
    r"\bjson\b|\byaml\b|\bexamples?\b|\bbeispiel|\bcode\b|\bsnippet|\bschema\b|"
    r"\bhere in the chat\b|\bhier im chat\b|\bfunction call\b",
    re.IGNORECASE,
)

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


def general_knowledge(request: str) -> tuple[Message, ...]:
    """The question whether `request` needs nothing of this computer."""
    question = (
        "Can this be answered from general knowledge or by writing text, without looking at this computer?"
    )
    text = f"Request: {request[:REQUEST_SHOWN]}\n\n{question} Reply only yes or no."
    return (Message("system", KNOWLEDGE_SYSTEM), Message("user", text))


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

    def __init__(self, submit: Submit, family: Family, own: bool, threshold: float | None = None) -> None:
        """`own`: the tools are Steward's, which look at or change this computer."""
        self._submit = submit
        self._family = family
        self._own = own
        self._threshold = (OWN_THRESHOLD if own else THRESHOLD) if threshold is None else threshold

    def decide(
        self, base: GenerateRequest, toolbox: Toolbox, request: str, done: Sequence[Done] = ()
    ) -> Decided:
        """Which call comes next. `base` is the request for the answer, with the whole conversation."""
        candidates = self._candidates(base, toolbox)
        named = {each.name for each in done}
        open_ones = [each for each in candidates if each[0].parameters or each[0].name not in named]
        if not open_ones:
            return Decided(None, candidates[0][0].name, why="done already")
        tool, preferred = self._best(open_ones, request, done)
        needed = self._needed(request, done)
        if self._own and tool.looks_here and preferred > needed:
            preferred -= KNOWLEDGE_WEIGHT * self._asked(general_knowledge(request))
        if preferred < needed:
            return Decided(None, tool.name, preferred, why="it does not fit")
        return self._call(base, tool, preferred)

    def _needed(self, request: str, done: Sequence[Done]) -> float:
        """The threshold for this step."""
        needed = self._threshold
        if not self._own:
            return needed
        if done:
            needed += NEXT_STEP
        if wants_text(request):
            needed += WANTS_TEXT
        return needed + COMPOUND if _COMPOUND.search(request) else needed

    def _candidates(self, base: GenerateRequest, toolbox: Toolbox) -> list[tuple[Tool, float]]:
        """The tools that the model would name, at most two, with how much it prefers them."""
        tools = list(toolbox)
        if len(tools) == 1:
            return [(tools[0], 0.0)]
        opened = replace(base, answer_start=self._family.opening)
        stream = self._submit(replace(opened, labels=toolbox.names, sampling=_certain(1)))
        stream.text()
        scores = stream.scores or dict.fromkeys(toolbox.names, 0.0)
        ranked = sorted(tools, key=lambda each: -scores[each.name])
        best = scores[ranked[0].name]
        same = [each.name for each in tools if scores[each.name] == best]
        if len(same) > 1:  # they begin with the same token, so it cannot tell them apart
            named = toolbox.get(self._named(opened, same))
            return [(named or ranked[0], best)]
        close = [each for each in ranked[:2] if best - scores[each.name] < CLEAR_CHOICE]
        return [(each, scores[each.name]) for each in close]

    def _named(self, opened: GenerateRequest, names: Sequence[str]) -> str:
        mark = self._family.between[0]
        grammar = names_grammar(names, mark)
        named = replace(opened, grammar=grammar, sampling=_certain(NAME_TOKENS), stop=(mark,))
        return self._submit(named).text()

    def _best(
        self, candidates: Sequence[tuple[Tool, float]], request: str, done: Sequence[Done]
    ) -> tuple[Tool, float]:
        judged = [
            (each, self._asked(judgement(each, request, done)), FIRST_CHOICE_WEIGHT * named)
            for each, named in candidates
        ]
        tool, preferred, _ = max(judged, key=lambda each: each[1] + each[2])
        return tool, preferred

    def _asked(self, messages: tuple[Message, ...]) -> float:
        # A quick question, so that the conversation it belongs to is not put aside for it.
        labels = (*YES, *NO)
        stream = self._submit(
            GenerateRequest("judgement", messages, _certain(1), Priority.QUICK_ASK, labels=labels)
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


def wants_text(question: str) -> bool:
    """Whether JSON or code in an answer is likely what was asked for, not a call."""
    return _WANTS_TEXT.search(question) is not None


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
