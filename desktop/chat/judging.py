"""Questions that a small model answers by the logits of yes and no, apart from the conversation.

Each is a short prompt of its own. With the request before the function they would share more of the KV cache,
and the answers were clearly worse (docs/benchmarks.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling, Stream
from desktop.tools.tool import Tool

YES, NO = ("yes", "Yes"), ("no", "No")
REQUEST_SHOWN = 600  # characters of the request and of the description
RESULT_SHOWN = 120  # characters of what an earlier call gave
JUDGE_SYSTEM = "You judge whether a function fits a request."
KNOWLEDGE_SYSTEM = "You judge what a request to an assistant is about."

Submit = Callable[[GenerateRequest], Stream]


@dataclass(frozen=True)
class Done:
    """A call that was made for this question already. `changed`: it did more than look. `touched` are its
    arguments as text."""

    name: str
    result: str
    ok: bool = True
    changed: bool = False
    touched: str = ""


def judgement(tool: Tool, request: str, done: Sequence[Done] = ()) -> tuple[Message, ...]:
    """The question whether `tool` does what `request` asks for."""
    names = ", ".join(each.name for each in tool.parameters)
    described = f"{tool.name}({names}): {tool.description}"[:REQUEST_SHOWN]
    before = "".join(
        f"Already done: {each.name} gave: {each.result[:RESULT_SHOWN]}\n\n" for each in done[-3:]
    )
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
class Judging:
    """Asks the model. `submit` is the engine's, watched so that Stop reaches it."""

    submit: Submit
    # A quick question, so that the conversation it belongs to is not put aside for it.
    priority: Priority = Priority.QUICK_ASK

    def fits(self, tool: Tool, request: str, done: Sequence[Done] = ()) -> float:
        """How sure it is that `tool` does what is asked, in nats; minus infinity when it was stopped."""
        return self._asked(judgement(tool, request, done))

    def is_general(self, request: str) -> float:
        """How sure it is that nothing of this computer is needed."""
        return self._asked(general_knowledge(request))

    def _asked(self, messages: tuple[Message, ...]) -> float:
        sampling = Sampling(temperature=0, max_tokens=1)
        request = GenerateRequest("judgement", messages, sampling, self.priority, labels=(*YES, *NO))
        stream = self.submit(request)
        stream.text()
        return preference(stream.scores) if stream.scores else -math.inf
