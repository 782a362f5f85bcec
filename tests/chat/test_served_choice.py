"""Which tool of a server a request calls for, with a model that answers as its script says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from desktop.chat.formats.family import HERMES
from desktop.chat.served_choice import CONVERSATION, NONE, ServedChoice
from desktop.chat.tool_choice import ToolChooser, own_hints
from desktop.engine.requests import (
    FinishReason,
    GenerateRequest,
    Message,
    Metrics,
    Priority,
    Sampling,
    Stream,
)
from desktop.gate.verdict import Effect
from desktop.tools.tool import NEVER, Parameter, ParameterType, Tool, Toolbox, ToolHint

FILES = (Parameter("files", ParameterType.ARRAY, True, items=ParameterType.STRING),)
PATH = (Parameter("path", ParameterType.STRING, True, is_path=True),)


def served(name: str, parameters: tuple[Parameter, ...] = (), words: str = "") -> Tool:
    return Tool(
        name,
        f"Does {name}.",
        parameters,
        lambda **_: "",
        Effect.READ,
        hint=ToolHint(words),
        gate_name=f"mcp__it__{name}",
    )


ADD, COMMIT = served("git_add", FILES), served("git_commit")
OWN = Tool("read_file", "Reads a file.", PATH, lambda **_: "", Effect.READ, hint=ToolHint(r"\bread\b"))


@dataclass
class Model:
    """Answers each kind of question as told, and keeps what it was asked."""

    scores: Mapping[str, float] = field(default_factory=dict)
    meant: str = "stage a file"
    name: str = "git_add"
    arguments: str = '{"files": ["a.css"]}'
    asked: list[GenerateRequest] = field(default_factory=list)

    def submit(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        if request.labels:
            # Every other judgement: no.
            of = {label: 9.0 if label in ("no", "No") else 0.0 for label in request.labels}
            stream.put_scores(
                {**of, **{each: self.scores.get(each, 0.0) for each in of if each in self.scores}}
            )
        else:
            stream.put(self._says(request))
        stream.end(FinishReason.STOP, Metrics())
        return stream

    def _says(self, request: GenerateRequest) -> str:
        if request.conversation != CONVERSATION:
            return "read_file"
        if not request.answer_start:
            return self.meant
        return self.name if request.answer_start.endswith('"name": "') else self.arguments + "}"


def decided(model: Model, request: str, *tools: Tool, before: tuple[Message, ...] = ()) -> str:
    box = Toolbox(tools)
    base = GenerateRequest(
        "chat",
        (Message("system", "Help."), *before, Message("user", request)),
        Sampling(temperature=0),
    )
    found = ToolChooser(model.submit, HERMES, own_hints()).decide(base, box, request).call
    return "" if found is None else f"{found.name} {dict(found.arguments)}"


def test_the_tool_that_the_model_names_by_its_own_words_is_called() -> None:
    """The arguments are written in the same prompt, below what was meant."""
    model = Model({"git_add": 5.0, "git_commit": 5.0, NONE: 1.0})
    assert decided(model, "Merk a.css vor", ADD, COMMIT, OWN) == "git_add {'files': ['a.css']}"
    assert {each.conversation for each in model.asked} == {CONVERSATION}
    assert model.asked[-1].answer_start == 'stage a file\n{"name": "git_add", "arguments": '
    assert model.asked[-1].grammar is not None


def test_where_none_is_likelier_only_our_own_tools_are_left() -> None:
    """The model is not asked about a server's tool twice."""
    model = Model({"git_add": 1.0, "git_commit": 1.0, NONE: 5.0})
    assert decided(model, "Is it smart to add a.css?", ADD, COMMIT, OWN) == ""
    rest = [each for each in model.asked if each.conversation != CONVERSATION]
    assert rest
    assert not any("git_add" in each.messages[-1].content for each in rest)


def test_our_own_tools_alone_are_decided_on_as_ever() -> None:
    """Without a server nothing of this is asked."""
    model = Model()
    decided(model, "read a.css", OWN)
    assert model.asked
    assert CONVERSATION not in {each.conversation for each in model.asked}


def test_a_tool_that_the_request_speaks_against_is_not_shown() -> None:
    """Nor is the model asked where that leaves none."""
    model = Model({"git_commit": 5.0, NONE: 1.0}, name="git_commit", arguments="{}")
    against = served("git_add", FILES, NEVER)
    assert decided(model, "What did I do to a.css?", against, COMMIT) == "git_commit {}"
    assert "git_add" not in model.asked[0].messages[-1].content
    model = Model()
    assert decided(model, "What did I do to a.css?", against) == ""
    assert model.asked == []


def test_our_own_tool_whose_words_are_said_stands_beside() -> None:
    """Picked there, it is decided on as ever."""
    model = Model({"git_add": 2.0, "read_file": 6.0, NONE: 1.0}, name="read_file")
    assert decided(model, "read a.css", ADD, OWN) == ""
    assert "read_file" in model.asked[0].messages[-1].content
    assert model.asked[-1].conversation != CONVERSATION


def test_a_value_of_the_examples_is_nobodys() -> None:
    """What points at something must have been said in the chat, and not in the prompt's examples."""
    model = Model({"show": 5.0, NONE: 1.0}, name="show", arguments='{"path": "report.pdf"}')
    assert decided(model, "Show it", served("show", PATH)) == ""
    said = (Message("user", "I have a report.pdf"), Message("assistant", "Good."))
    assert (
        decided(model, "Show the report", served("show", PATH), before=said) == "show {'path': 'report.pdf'}"
    )


def test_a_chat_that_has_used_the_tool_is_read_whole() -> None:
    """ "And b.css?" means what was called before, which a request alone does not say."""
    model = Model()
    before = (
        Message("user", "Add a.css"),
        HERMES.call_message("git_add", {"files": ["a.css"]}),
        HERMES.result_message("git_add", "Done."),
    )
    decided(model, "And b.css?", ADD, COMMIT, before=before)
    assert model.asked
    assert CONVERSATION not in {each.conversation for each in model.asked}


@pytest.mark.parametrize(("request_text", "alone"), [("Add it", False), ("Add b.css", True)])
def test_what_points_back_is_read_with_what_it_points_at(request_text: str, alone: bool) -> None:
    """In a chat that has begun; at its beginning there is nothing to point at."""
    before = (Message("user", "I wrote a.css"), Message("assistant", "Good."))
    for said, short in ((before, alone), ((), True)):
        model = Model({"git_add": 5.0, NONE: 1.0})
        decided(model, request_text, ADD, COMMIT, before=said)
        assert (CONVERSATION in {each.conversation for each in model.asked}) is short


@pytest.mark.parametrize("request_text", ["a.css", "merk\n\na.css   vor"])
def test_what_stands_before_the_request_is_always_the_same(request_text: str) -> None:
    """So that the KV cache has it."""
    model = Model({"git_add": 5.0, NONE: 1.0})
    choice = ServedChoice(model.submit, Priority.CHAT)
    choice.pick([ADD], "other")
    choice.pick([ADD, COMMIT], request_text)
    first, second = (each.messages for each in model.asked if not each.answer_start)
    assert first[:-1] == second[:-1]
    assert second[-1].content.count("\n\n") == 1
