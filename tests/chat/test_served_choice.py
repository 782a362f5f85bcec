"""Which tool of a server a request calls for, with a model that answers as its script says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from desktop.chat.formats.family import COMPACT, HERMES
from desktop.chat.served_choice import CONVERSATION, FEW, LOOKED_AT, NONE, SAYINGS, ServedChoice, beginnings
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
from desktop.tools.tool import NEVER, Parameter, ParameterType, Tool, Toolbox, ToolCatalogue, ToolHint
from tests.bench.learn_served import learned

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
    """Answers each kind of question as told, and keeps what it was asked. `said`: the logarithm of how likely
    the request is for a function; where none is wanted, else far less."""

    scores: Mapping[str, float] = field(default_factory=dict)
    meant: str = "stage a file"
    arguments: str = '{"files": ["a.css"]}'
    said: Mapping[str, float] = field(default_factory=dict)
    asked: list[GenerateRequest] = field(default_factory=list)

    def submit(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        if request.labels:
            begun = request.answer_start.rpartition('"name": "')[2]
            # Every other judgement: no.
            of = {
                label: 9.0 if label in ("no", "No") else self._of(begun + label) for label in request.labels
            }
            stream.put_scores(of)
        elif request.weighed:
            name = held_against(request)
            stream.put_scores({request.weighed: self.said.get(name, -60.0 if name == NONE else -40.0)})
        else:
            stream.put(self._says(request))
        stream.end(FinishReason.STOP, Metrics())
        return stream

    def _of(self, begun: str) -> float:
        """Of the likeliest name that begins so."""
        return max(
            (score for name, score in self.scores.items() if f"{name}{COMPACT.between}".startswith(begun)),
            default=0.0,
        )

    def _says(self, request: GenerateRequest) -> str:
        if request.conversation != CONVERSATION and '"arguments"' not in request.answer_start:
            return "read_file"
        if not request.answer_start:
            return self.meant
        return self.arguments + "}"


def held_against(request: GenerateRequest) -> str:
    """The function that a request is weighed for, or NONE."""
    return re.split(r"[(:]", request.messages[-1].content)[0]


def weighed(model: Model) -> list[str]:
    """All that were, in their order."""
    return [held_against(each) for each in model.asked if each.weighed]


def decided(
    model: Model,
    request: str,
    *tools: Tool,
    before: tuple[Message, ...] = (),
    more: tuple[Tool, ...] = (),
    words: Mapping[str, str] | None = None,
    own: Mapping[str, str] | None = None,
    outdone: frozenset[str] = frozenset(),
) -> str:
    """`more` are those of the catalogue alone, `words` what fits a tool whose name stands before them, `own`
    which of Steward's own does the same as one of them, `outdone` which can be told less."""
    of_servers = (*(each for each in tools if each.gate_name), *more)

    def fits(text: str) -> dict[str, float]:
        return {each.name: 10.0 * ((words or {}).get(each.name, "\0") in text) for each in of_servers}

    box = Toolbox(tools, ToolCatalogue(of_servers, fits, own or {}, outdone) if of_servers else None)
    base = GenerateRequest(
        "chat",
        (Message("system", "Help."), *before, Message("user", request)),
        Sampling(temperature=0),
    )
    found = ToolChooser(model.submit, HERMES, own_hints()).decide(base, box, request).call
    return "" if found is None else f"{found.name} {dict(found.arguments)}"


def test_the_tool_that_the_model_names_by_its_own_words_is_called() -> None:
    """The arguments are written in the same prompt, below the words of the request."""
    model = Model({"git_add": 9.0, "git_commit": 8.0, NONE: 1.0})
    assert decided(model, "Merk a.css vor", ADD, COMMIT, OWN) == "git_add {'files': ['a.css']}"
    assert {each.conversation for each in model.asked} <= {CONVERSATION, SAYINGS}
    assert model.asked[-1].answer_start == 'Merk a.css vor\n{"name": "git_add", "arguments": '
    assert model.asked[-1].grammar is not None


@pytest.mark.parametrize(
    ("request_", "shown"),
    [
        ("l'arborescence du dossier src stp", "l'arborescence du dossier src"),
        ("Zeig den Ordner src, bitte!", "Zeig den Ordner src"),
        ("s'il te plaît, lis a.css s’il te plaît", "s'il te plaît, lis a.css"),
        ("open list.pls", "open list.pls"),
        ("please", "please"),
        ("echo thanks", "echo thanks"),
    ],
)
def test_the_polite_word_at_the_end_is_not_shown(request_: str, shown: str) -> None:
    """In no prompt of the choice and of the arguments: a small model makes a name of it."""
    model = Model({"git_add": 9.0, "git_commit": 8.0, NONE: 1.0})
    decided(model, request_, ADD, COMMIT, OWN)
    prompts = [each for each in model.asked if each.conversation == CONVERSATION]
    assert {each.messages[-1].content.rpartition("Request: ")[2] for each in prompts} == {shown}
    assert {each.weighed for each in model.asked if each.conversation == SAYINGS} == {shown}
    below = {each.answer_start.partition("\n")[0] for each in prompts if each.answer_start}
    assert below == {shown, "stage a file"}


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


def test_nobody_is_asked_where_the_request_speaks_against_all_that_fit() -> None:
    """What else the servers have is not looked through for it."""
    model = Model({"git_commit": 9.0, NONE: 1.0})
    against = served("git_add", FILES, NEVER)
    assert decided(model, "What did I do to a.css?", against, more=(COMMIT,)) == ""
    assert model.asked == []


def test_every_tool_is_shown_and_a_tool_that_no_word_brought_can_be_called() -> None:
    """People ask in words that no tool has."""
    model = Model({"git_checkout": 9.0, "git_add": 1.0, NONE: 1.0}, "go to a branch", "{}")
    hop = served("git_checkout")
    assert decided(model, "Hop over to it-7", ADD, more=(COMMIT, hop)) == "git_checkout {}"
    assert "git_checkout()" in model.asked[0].messages[-1].content


def test_words_decide_between_names_that_the_model_finds_alike() -> None:
    """Those of the request."""
    model = Model({"git_add": 8.0, "git_commit": 9.0, NONE: 0.0})
    assert decided(model, "Merk a.css vor", COMMIT, ADD).startswith("git_commit")
    assert decided(model, "Merk a.css vor", COMMIT, ADD, words={"git_add": "a.css"}).startswith("git_add")


def test_words_of_the_line_bring_a_tool_into_question() -> None:
    """They only repeat a name, so they decide nothing."""
    tools = (COMMIT, *(served(f"git_{word}") for word in ("log", "show", "reset", "status")), ADD)
    for words in ({}, {"git_add": "stage a file"}):
        model = Model({"git_commit": 9.0, "git_log": 8.0, NONE: 0.0})
        assert decided(model, "Merk a.css vor", *tools, words=words).startswith("git_commit")
        assert (ADD.name in weighed(model)) is bool(words)


def test_a_name_below_the_request_counts_more_than_one_below_a_line_that_is_wrong() -> None:
    """The model repeats what it has just written; that line is its own and may say something else."""

    class Misled(Model):
        def _of(self, begun: str) -> float:
            wrong = self.asked[-1].answer_start.startswith(self.meant)
            return 9.0 * f"git_{'commit' if wrong else 'add'}".startswith(begun)

    assert decided(Misled(), "Merk a.css vor", COMMIT, ADD).startswith("git_add")


def test_where_two_are_near_it_counts_for_which_the_request_would_be_said() -> None:
    """Each by itself, with a conversation of its own, so that the prompt with all tools stays read."""
    tools = (ADD, COMMIT, *(served(f"git_{word}") for word in ("log", "show", "reset", "status")))
    scores = {"git_add": 8.0, "git_commit": 9.0, NONE: 0.0}
    for likelier, other in ((ADD, COMMIT), (COMMIT, ADD)):
        model = Model(scores, said={likelier.name: -20.0, other.name: -30.0})
        assert decided(model, "Merk  a.css vor", *tools).startswith(likelier.name)
        found = weighed(model)
        assert len(found) == LOOKED_AT + 1
        assert {ADD.name, COMMIT.name, NONE} < set(found)
        assert {each.weighed for each in model.asked if each.conversation == SAYINGS} == {"Merk a.css vor"}


def test_where_one_is_far_ahead_the_others_are_not_shown() -> None:
    """It costs half a second each, of a quick computer."""
    model = Model({"git_commit": 9.0, NONE: 0.0})
    assert decided(model, "Merk a.css vor", ADD, COMMIT).startswith("git_commit")
    assert weighed(model) == ["git_commit", NONE]


def test_where_the_request_names_another_both_are_held_against_it() -> None:
    """Before all the tools a small model takes what one of them says of itself for what was asked, and is
    sure of it."""
    tools = (served("git_log"), served("git_diff"), ADD, COMMIT)
    said = {"git_diff": -20.0, "git_log": -50.0}
    model = Model({"git_log": 20.0, NONE: 0.0}, arguments="{}", said=said)
    assert decided(model, "What changed?", *tools, words={"git_diff": "changed"}) == "git_diff {}"
    assert {"git_log", "git_diff"} < set(weighed(model))
    # No other is asked about where the words say the same, or nothing.
    for words in ({"git_log": "changed"}, {}):
        model = Model({"git_log": 20.0, NONE: 0.0}, arguments="{}", said=said)
        assert decided(model, "What changed?", *tools, words=words) == "git_log {}"
        assert weighed(model) == ["git_log", NONE]


def test_names_that_speak_against_the_words_are_looked_at_before_the_few_alone() -> None:
    """Before all the tools the model is sure of the wrong one, whose line it repeats; with the few it is not,
    however much likelier the request is for that one. The prompt with all stays in its own conversation."""

    class AmongAll(Model):
        def _of(self, begun: str) -> float:
            name = "git_log" if self.asked[-1].conversation == CONVERSATION else "git_diff"
            return 20.0 * f"{name}{COMPACT.between}".startswith(begun)

    tools = (served("git_log"), served("git_diff"), ADD, COMMIT)
    said = {"git_diff": -24.0, "git_log": -20.0}
    for words, found in (({"git_diff": "changed"}, "git_diff {}"), ({}, "git_log {}")):
        model = AmongAll(meant="show the log", arguments="{}", said=said)
        assert decided(model, "What changed?", *tools, words=words) == found
        apart = [each.messages[-1].content for each in model.asked if each.conversation == FEW]
        assert bool(apart) is bool(words)
        assert all("git_diff()" in each for each in apart)


def test_what_would_rather_be_said_where_nothing_is_called_calls_nothing() -> None:
    """However well the words fit, and however sure the model was of the name."""
    for of_none, found in ((-60.0, "git_log {}"), (-10.0, "")):
        model = Model({"git_log": 20.0, NONE: 0.0}, arguments="{}", said={NONE: of_none})
        assert decided(model, "A long log in the fire", served("git_log"), words={"git_log": "log"}) == found


def test_a_choice_that_was_stopped_calls_nothing() -> None:
    """Whoever stops it gets no call by what was known until then."""

    class Stopped(Model):
        def submit(self, request: GenerateRequest) -> Stream:
            if not request.weighed or held_against(request) != NONE:
                return super().submit(request)
            self.asked.append(request)
            stream = Stream(lambda: None)
            stream.end(FinishReason.CANCELLED, Metrics())
            return stream

    model = Stopped({"git_log": 20.0, NONE: 0.0}, arguments="{}")
    assert decided(model, "Show the log", served("git_log")) == ""
    assert weighed(model) == ["git_log", NONE]


def test_names_that_begin_alike_are_told_apart_word_by_word() -> None:
    """A name that another one goes on from, too; what does not come into question is no likelier for it."""
    names = ("git_diff", "git_diff_staged", "gitDiff", "graph-2")
    tools = tuple(served(each) for each in names)
    for name in names:
        model = Model({name: 9.0, NONE: 0.0}, arguments="{}")
        assert decided(model, "Was ist neu?", *tools) == f"{name} {{}}"
        # By the token that is written there: a quotation mark alone is never likely.
        ends = {label for each in model.asked for label in each.labels if label.startswith('"')}
        assert ends <= {COMPACT.between}
        assert bool(ends) is name.startswith("git_diff")
    model = Model({"git_diff": 9.0, "graph-2": 8.0, NONE: 0.0})
    choice = ServedChoice(model.submit, Priority.CHAT)
    pick = choice.pick(ToolCatalogue(tools, lambda _text: {"graph-2": 0.0}), (), "Was ist neu?")
    assert pick.tool is tools[-1]


def test_our_own_tool_whose_words_are_said_stands_beside() -> None:
    """Picked there, it is decided on as ever."""
    model = Model({"git_add": 2.0, "read_file": 6.0, NONE: 1.0})
    assert decided(model, "read a.css", ADD, OWN) == ""
    assert "read_file" in model.asked[0].messages[-1].content
    assert model.asked[-1].conversation != CONVERSATION


def test_of_two_that_do_the_same_our_own_is_called() -> None:
    """However well the words fit the other one, whose name has them all."""
    other = served("read_text_file", PATH)
    model = Model({"read_file": 8.0, "read_text_file": 9.0, NONE: 1.0})
    decided(model, "read a.css", other, OWN, words={other.name: "read"})
    after = [each for each in model.asked if each.conversation not in (CONVERSATION, SAYINGS)]
    assert after
    assert not any(other.name in str((each.messages, each.labels)) for each in after)
    model = Model({"read_text_file": 12.0, NONE: 1.0}, arguments='{"path": "a.css"}')
    found = decided(model, "read a.css", other, OWN, words={other.name: "read"})
    assert found == "read_text_file {'path': 'a.css'}"


def test_one_of_ours_that_can_be_told_less_does_not_stand_beside() -> None:
    """However likely its name: "the last 5 lines" cannot be said to it."""
    other = served("get_text", PATH)
    model = Model({"read_file": 12.0, "get_text": 9.0, NONE: 1.0}, arguments='{"path": "a.css"}')
    assert decided(model, "read the last 5 lines of a.css", other, OWN) != "get_text {'path': 'a.css'}"
    found = decided(model, "read the last 5 lines of a.css", other, OWN, outdone=frozenset({OWN.name}))
    assert found == "get_text {'path': 'a.css'}"


def test_what_our_own_does_too_is_called_where_no_word_of_it_is_said() -> None:
    """The server's tool is how it was found; its own words say nothing of the request."""
    other = served("get_text", PATH)
    model = Model({"get_text": 12.0, NONE: 1.0}, arguments='{"path": "a.css"}')
    assert decided(model, "Was steht in a.css?", other, OWN).startswith("get_text ")
    found = decided(model, "Was steht in a.css?", other, OWN, own={"get_text": "read_file"})
    assert found == "read_file {'path': 'a.css'}"


def test_our_own_that_is_picked_for_what_a_server_does_too_is_not_judged_again() -> None:
    """The judgement says no to a summary of a page, which both were asked to get."""
    other = served("read_text_file", PATH)
    model = Model({"read_file": 12.0, "read_text_file": 2.0, NONE: 1.0}, arguments='{"path": "a.css"}')
    found = decided(model, "read a.css", other, OWN, own={other.name: "read_file"})
    assert found == "read_file {'path': 'a.css'}"
    assert decided(model, "read a.css", other, OWN) == ""


def test_our_own_that_cannot_be_told_as_much_does_not_stand_in() -> None:
    """The time here is not that of a zone."""
    here = Tool("current_time", "Shows the time.", (), lambda **_: "", Effect.READ)
    there = served("get_time", (Parameter("timezone", ParameterType.STRING, True),))
    model = Model({"get_time": 12.0, NONE: 1.0}, arguments='{"timezone": "Asia/Tokyo"}')
    found = decided(model, "Tokyo?", there, here, own={"get_time": "current_time"})
    assert found == "get_time {'timezone': 'Asia/Tokyo'}"


@pytest.mark.parametrize(
    ("request_text", "stands_beside"),
    [("What time is it in Tokyo?", False), ("What time is it?", True), ("Wie spät ist es in Rom?", False)],
)
def test_the_time_here_does_not_stand_beside_that_of_a_place(request_text: str, stands_beside: bool) -> None:
    """What cannot be told the place is no answer, whatever its words."""
    here = Tool(
        "current_time", "Shows it.", (), lambda **_: "", Effect.READ, hint=ToolHint(r"\b(time|spät)\b")
    )
    there = served("get_time", (Parameter("timezone", ParameterType.STRING, True),))
    model = Model({"get_time": 12.0, "current_time": 11.0, NONE: 1.0}, arguments='{"timezone": "Asia/Tokyo"}')
    decided(model, request_text, there, here)
    assert ("current_time" in model.asked[0].messages[-1].content) is stands_beside


def test_nothing_of_ours_stands_beside_where_only_theirs_is_for_the_thing() -> None:
    """To take something out of a graph is not to undo a change of Steward's."""
    for is_theirs in (False, True):
        model = Model({"git_add": 9.0, "read_file": 8.0, NONE: 1.0})
        box = Toolbox((ADD, OWN), ToolCatalogue((ADD,), lambda _text: {"git_add": 1.0}, is_theirs=is_theirs))
        base = GenerateRequest("chat", (Message("user", "read"),), Sampling(temperature=0))
        ToolChooser(model.submit, HERMES, own_hints()).decide(base, box, "read")
        assert ("read_file" in model.asked[0].messages[-1].content) is not is_theirs


def test_what_gives_a_value_for_a_tool_is_asked_about_though_it_looks_general() -> None:
    """The number of a commit can be nothing else."""
    show = served("git_show", words="wrote")
    for is_told, calls in ((False, 0), (True, 1)):
        model = Model({"git_show": 12.0, NONE: 1.0}, arguments="{}")
        box = Toolbox((show,), ToolCatalogue((show,), lambda _text: {"git_show": 1.0}, is_told=is_told))
        base = GenerateRequest("chat", (Message("user", "Who wrote 5ac90e3?"),), Sampling(temperature=0))
        found = ToolChooser(model.submit, HERMES, own_hints()).decide(base, box, "Who wrote 5ac90e3?").call
        assert (found is not None) is bool(calls)
        assert bool(model.asked) is bool(calls)


def test_another_of_our_own_whose_words_are_said_is_weighed_first() -> None:
    """A server looks for names of files; the request may mean what stands in them."""
    find = replace(OWN, name="find_files", hint=ToolHint(r"\bfiles\b"))
    search = replace(OWN, name="search_text", hint=ToolHint(r"\bword\b"))
    other = served("search_files", PATH)
    model = Model({"search_files": 12.0, "find_files": 2.0, "search_text": 5.0, NONE: 1.0})
    decided(
        model, "Look through my files for the word rent", other, find, search, own={other.name: find.name}
    )
    judged = [each.messages[-1].content for each in model.asked if each.conversation == "judgement"]
    assert any("search_text" in each for each in judged)
    assert not any("search_files" in each for each in judged)


def test_a_value_of_the_examples_is_nobodys() -> None:
    """What points at something must have been said in the chat, and not in the prompt's examples."""
    model = Model({"show": 9.0, NONE: 1.0}, arguments='{"path": "report.pdf"}')
    assert decided(model, "Show it", served("show", PATH)) == ""
    said = (Message("user", "I have a report.pdf"), Message("assistant", "Good."))
    assert (
        decided(model, "Show the report", served("show", PATH), before=said) == "show {'path': 'report.pdf'}"
    )


def test_a_value_that_was_put_into_other_words_is_taken_from_the_request() -> None:
    """ "dokumente" is the name of a folder, which the model's own words for the request may translate."""

    class Translator(Model):
        def _says(self, request: GenerateRequest) -> str:
            if "arguments" not in request.answer_start:
                return self.meant
            name = "dokumente" if request.answer_start.startswith("Such") else "documents"
            return f'{{"path": "{name}"}}}}'

    model = Translator({"look": 9.0, NONE: 0.0}, "search the documents")
    assert decided(model, "Such in dokumente", served("look", PATH)) == "look {'path': 'dokumente'}"


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
        model = Model({"git_add": 9.0, NONE: 1.0})
        decided(model, request_text, ADD, COMMIT, before=said)
        assert (CONVERSATION in {each.conversation for each in model.asked}) is short


@pytest.mark.parametrize("request_text", ["a.css", "merk\n\na.css   vor"])
def test_what_stands_before_the_request_is_always_the_same(request_text: str) -> None:
    """So that the KV cache has it."""
    model = Model({"git_add": 9.0, NONE: 1.0})
    choice = ServedChoice(model.submit, Priority.CHAT)
    shown = ToolCatalogue((ADD, COMMIT), lambda _text: {})
    choice.pick(shown, (), "other")
    choice.pick(shown, (OWN,), request_text)
    ahead, of_sayings = (each.messages for each in beginnings(shown))
    first, second = (
        each.messages for each in model.asked if not each.answer_start and each.conversation == CONVERSATION
    )
    assert all(each.messages[:-1] == of_sayings[:-1] for each in model.asked if each.conversation == SAYINGS)
    assert first[:-1] == second[:-1] == ahead[:-1]
    tools = f"{ADD.signature}\n{COMMIT.signature}\n"
    assert all(each[-1].content.startswith(tools) for each in (first, second, ahead))
    assert second[-1].content.count("\n\n") == 1


def test_what_counts_is_learned_from_the_other_sets() -> None:
    """A set that is left out comes out right by what the others say. What was said decides in these."""

    def kept(of_set: str, names: list[str], *said: float) -> dict[str, Any]:
        few = ("git_add", "git_commit", NONE)
        likely = dict.fromkeys(few, -2.0)
        fits = {"git_add": 3.0, "git_commit": 3.0}
        more = {"own": [], "instead": {}, "by_request": fits, "by_meaning": fits}
        return {
            "set": of_set,
            "names": names,
            "request": "x",
            "likely": likely,
            "named": likely,
            "said": dict(zip(few, said, strict=True)),
            **more,
        }

    found = learned(
        [
            kept("one", ["git_add"], -20.0, -30.0, -40.0),
            kept("two", ["git_commit"], -30.0, -20.0, -40.0),
            kept("two", [], -30.0, -31.0, -12.0),
        ]
    )
    assert found["left one set out"] == {"one": [1, 1], "two": [1, 1]}
    assert found["weights"]["said"] > 0
    assert min(found["over none"]["wanted"]) > 0 > max(found["over none"]["none"])
