"""Every call goes through the executor: repaired, decided, asked, run, logged. It never raises."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from desktop.asking import ALLOWED_ONCE, Answer, Choice, Question, Risk, Scope
from desktop.database import Database
from desktop.events import Bus, Event
from desktop.gate.audit import outcome_words
from desktop.gate.commands import Commands as CommandReader
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.gate.rules import Rule, RuleAction
from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Flag
from desktop.paths import Paths
from desktop.reasons import ReasonCode
from desktop.sandbox.confinement import Method
from desktop.sandbox.workspace import Workspace
from desktop.tools import executor
from desktop.tools.calls import Call, CallResult, CallStatus, ToolAsked, ToolEnded, ToolRunning
from desktop.tools.executor import Executor, Stop
from desktop.tools.reasons import ToolReason
from desktop.tools.run_command import CommandTool
from desktop.tools.tool import Parameter, ParameterType, Plan, Running, Tool, Toolbox, tool
from tests.fakes.asker import FakeAsker
from tests.fakes.failures import failure, spoken
from tests.shipped import command_tables


@dataclass
class Log:
    records: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def append(self, kind: str, record: Mapping[str, Any]) -> None:
        self.records.append((kind, record))


class Hall:
    """An executor with tools of every kind, and all that it said."""

    def __init__(self, database: Database, bus: Bus, asker: FakeAsker, rules: tuple[Rule, ...] = ()) -> None:
        self.asker, self.log = asker, Log()
        self.events: list[Event] = []
        bus.subscribe(Event, self.events.append)
        self.written: list[str] = []
        self.release = threading.Event()
        gatekeeper = Gatekeeper(Grants(database), PolicySettings, lambda: rules)
        self.executor = Executor(bus, asker, gatekeeper, Path("/workspace"), self.log)
        self.toolbox = Toolbox(
            [
                tool(self.look, Effect.READ),
                tool(self.note, Effect.CREATE, plan=self._plan_note),
                tool(self.refuse, Effect.READ),
                tool(self.crash, Effect.READ),
                tool(self.hang, Effect.READ, timeout_s=0.05),
            ]
        )

    def look(self, path: str) -> str:
        """Look at something."""
        return f"seen {path}"

    def note(self, text: str, call: str) -> str:
        """Write something down."""
        self.written.append(text)
        return f"written in {call}"

    def _plan_note(self, text: str) -> Plan:
        return Plan(
            spoken("Write it down?"), spoken("Makes a note."), Effect.CREATE, parts=(f"/workspace/{text}",)
        )

    def refuse(self) -> str:
        """Refuse with a reason."""
        raise failure("It is locked.", "Nothing was lost.", "Open it.")

    def crash(self) -> str:
        """Break in the middle."""
        raise ZeroDivisionError

    def hang(self, running: Running) -> str:
        """Wait for ever."""
        self.release.wait(10)
        return ""

    def run(
        self, name: str, stop: Stop | None = None, untrusted: tuple[str, ...] = (), **arguments: Any
    ) -> CallResult:
        call = Call("c1", name, arguments)
        return self.executor.run(call, self.toolbox, untrusted, 7, stop)


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    opened = Database(paths.database, MIGRATIONS)
    yield opened
    opened.close()


@pytest.fixture
def hall(database: Database, bus: Bus) -> Iterator[Hall]:
    made = Hall(database, bus, FakeAsker())
    yield made
    made.release.set()


def test_reading_runs_without_a_question(hall: Hall) -> None:
    """Nobody is asked; running and its end are announced."""
    ended = hall.run("look", path="a")
    assert (ended.ending, ended.text) == (CallStatus.DONE, "seen a")
    assert hall.asker.questions == []
    assert [type(event) for event in hall.events] == [ToolRunning, ToolEnded]


def test_a_change_is_asked_about_with_all_that_it_does(hall: Hall) -> None:
    """The question has title, plain line, complete arguments and whose chat it is."""
    ended = hall.run("note", text="x" * 5000)
    assert ended.ending is CallStatus.DONE
    (question,) = hall.asker.questions
    assert (str(question.title), str(question.text), question.risk) == (
        "Write it down?",
        "Makes a note.",
        Risk.CHANGES,
    )
    assert question.arguments == "x" * 5000
    assert question.origin.conversation_id == 7
    assert question.origin.folder == str(hall.executor.folder)
    assert [type(event) for event in hall.events] == [ToolAsked, ToolRunning, ToolEnded]
    assert ended.text == "written in c1"


def test_what_a_call_took_is_without_the_time_in_which_the_user_was_asked(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is not written for a minute because somebody thought about it for a minute."""
    clock = [0.0]
    monkeypatch.setattr(executor, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    ask = hall.asker.ask

    def slowly(question: Question) -> Answer:
        clock[0] += 60.0
        return ask(question)

    class Slow(list[str]):
        def append(self, text: str) -> None:
            clock[0] += 2.0
            super().append(text)

    monkeypatch.setattr(hall.asker, "ask", slowly)
    hall.written = Slow()
    assert hall.run("note", text="x").seconds == 2.0
    assert hall.written == ["x"]


@pytest.mark.parametrize("answer", [Answer(Choice.DENY), None, Answer(Choice.DENY, instead="use b")])
def test_without_a_yes_nothing_happens(hall: Hall, answer: Answer | None) -> None:
    """No, and no answer in time: nothing was done, and the model is told why."""
    hall.asker.answer = answer
    ended = hall.run("note", text="x")
    assert ended.ending is CallStatus.DENIED
    assert hall.written == []
    assert "Nothing was changed." in ended.text
    if answer is not None and answer.instead:
        assert "use b" in ended.text


def test_a_yes_for_the_chat_is_not_asked_again(hall: Hall) -> None:
    """The same thing in the same chat runs; another thing asks."""
    hall.asker.answer = Answer(Choice.ALLOW, Scope.SESSION)
    hall.run("note", text="x")
    hall.run("note", text="x")
    assert len(hall.asker.questions) == 1
    assert any("/workspace/x" in str(offer.words) for offer in hall.asker.questions[0].scopes)
    hall.run("note", text="y")
    assert len(hall.asker.questions) == 2


def test_untrusted_text_makes_it_ask_again(hall: Hall) -> None:
    """What was granted asks all the same, names the source, and offers no lasting yes."""
    hall.asker.answer = Answer(Choice.ALLOW, Scope.SESSION)
    hall.run("note", text="x")
    hall.run("note", untrusted=("a web page",), text="x")
    assert len(hall.asker.questions) == 2
    # Alone on its line, so a sentence.
    assert str(hall.asker.questions[1].warning) == "The conversation holds text from a web page."
    assert hall.asker.questions[1].scopes == ()


def test_a_rule_forbids_without_asking(database: Database, bus: Bus) -> None:
    """What a rule denies is never asked about."""
    hall = Hall(database, bus, FakeAsker(), (Rule(RuleAction.DENY, tool="note", reason="not here"),))
    ended = hall.run("note", text="x")
    assert (ended.ending, hall.asker.questions, hall.written) == (CallStatus.DENIED, [], [])
    assert "not here" in ended.text


TROUBLE = [
    ("nothing", {}, CallStatus.UNKNOWN_TOOL, "no tool nothing"),
    ("look", {}, CallStatus.WRONG_ARGUMENTS, "path is missing"),
    ("look", {"path": "a", "depth": 3}, CallStatus.WRONG_ARGUMENTS, "no argument depth"),
    ("refuse", {}, CallStatus.FAILED, "It is locked."),
    ("crash", {}, CallStatus.FAILED, "failed internally"),
    ("hang", {}, CallStatus.TIMED_OUT, "abandoned"),
]


@pytest.mark.parametrize(("name", "arguments", "ending", "words"), TROUBLE)
def test_trouble_becomes_a_result(
    hall: Hall, name: str, arguments: dict[str, Any], ending: CallStatus, words: str
) -> None:
    """Unknown, wrong, refused, broken, hanging: a sentence for the model and an event, never an exception."""
    ended = hall.run(name, **arguments)
    assert ended.ending is ending
    assert words in ended.text
    # People are told the same in their language, and the log has the code.
    assert ended.failure is not None
    assert ended.text == str(ended.failure)
    assert hall.log.records[-1][1]["failure"] == ended.failure.code
    assert isinstance(hall.events[-1], ToolEnded)


IMITATIONS = ("a\ntext: b", "a\r\ntext: b", "a\u2028text: b", "a\x0btext: b", "\ntext: b", "a\ntext: b\n")


@pytest.mark.parametrize("title", IMITATIONS)
def test_no_argument_can_look_like_another(hall: Hall, title: str) -> None:
    """The names begin their lines, and nothing inside a value does."""
    written: list[str] = []

    def file_away(title: str, text: str) -> str:
        """Keep a text under a title."""
        written.append(title)
        return text

    box = Toolbox([tool(file_away, Effect.CREATE)])
    hall.executor.run(Call("c", "file_away", {"title": title, "text": "x"}), box)
    shown = hall.asker.questions[0].arguments
    assert [line.split(":")[0] for line in shown.splitlines() if line[:1].strip()] == ["title", "text"]
    assert written == [title]
    assert all(part in shown for part in title.splitlines())


@pytest.mark.parametrize(("verb", "caption"), [(ToolReason.VERB_WRITE_FILE, "Details"), (None, "Arguments")])
def test_only_what_others_wrote_has_arguments(hall: Hall, verb: ReasonCode | None, caption: str) -> None:
    """What a tool of ours is given stands under a word that everybody knows."""

    def keep(text: str) -> str:
        """Keep a text."""
        return text

    hall.executor.run(Call("c", "keep", {"text": "x"}), Toolbox([tool(keep, Effect.CREATE, verb=verb)]))
    assert str(hall.asker.questions[0].arguments_name) == caption


@pytest.mark.parametrize(
    "given",
    [[{"name": "Ada"}], [{"name": "Ada", "observations": ["likes tea", "has\nsix fish", "lives in Ulm"]}]],
)
def test_lists_and_objects_are_shown_as_json(hall: Hall, given: list[object]) -> None:
    """As the server gets them, and still so that no value can look like another argument."""
    entities = Parameter("entities", ParameterType.ARRAY, items=ParameterType.OBJECT)
    kept: list[object] = []

    def keep(entities: list[object]) -> str:
        kept.extend(entities)
        return "Kept."

    box = Toolbox([Tool("keep", "Keeps.", (entities,), keep, Effect.CREATE)])
    hall.executor.run(Call("c", "keep", {"entities": given}), box)
    assert json.loads(hall.asker.questions[0].arguments) == given == kept


def test_a_tool_without_a_limit_of_its_own_has_that_of_the_settings(database: Database, bus: Bus) -> None:
    """What hangs is given up when the settings say, and is told its limit."""
    told: list[float] = []
    release = threading.Event()

    def hang(running: Running) -> str:
        """Wait for ever."""
        told.append(running.timeout_s)
        release.wait(10)
        return ""

    gatekeeper = Gatekeeper(Grants(database), PolicySettings)
    executor = Executor(bus, FakeAsker(), gatekeeper, Path("/workspace"), timeout_s=lambda: 0.05)
    ended = executor.run(Call("c", "hang"), Toolbox([tool(hang, Effect.READ)]))
    release.set()
    assert (ended.ending, told) == (CallStatus.TIMED_OUT, [0.05])


def test_a_slip_in_the_name_is_forgiven(hall: Hall) -> None:
    """Look for look; but another word is another tool."""
    assert hall.run("Look", path="a").ending is CallStatus.DONE
    assert hall.run("loop", path="a").ending is CallStatus.UNKNOWN_TOOL


def test_stop_ends_a_tool_that_works(hall: Hall) -> None:
    """The call ends at once, long before its time is up."""
    slow = Toolbox([tool(hall.hang, Effect.READ, timeout_s=30)])
    stop, began = Stop(), threading.Event()
    hall.executor._bus.subscribe(ToolRunning, lambda _event: began.set())
    results: list[CallResult] = []
    thread = threading.Thread(
        target=lambda: results.append(hall.executor.run(Call("c", "hang"), slow, (), 7, stop))
    )
    thread.start()
    assert began.wait(60)
    stop.stop()
    thread.join(60)
    assert results[0].ending is CallStatus.STOPPED


def test_after_stop_nothing_begins(hall: Hall) -> None:
    """A call that comes after Stop is not run."""
    stop = Stop()
    stop.stop()
    assert hall.run("look", stop=stop, path="a").ending is CallStatus.STOPPED


def test_every_decision_and_every_run_is_logged(hall: Hall) -> None:
    """One line for what was decided, one for what came of it."""
    hall.asker.answer = ALLOWED_ONCE
    hall.run("note", text="x")
    (decided, ran) = hall.log.records
    assert decided[0] == "decision"
    assert decided[1]["parts"] == ["/workspace/x"]
    assert decided[1]["reason"] == "allowed by the user"
    assert (ran[0], ran[1]["ending"], ran[1]["conversation"]) == ("tool", "done", 7)
    assert ran[1]["decision"] == "allowed by the user"
    told = outcome_words(ran[1])
    assert told is not None
    assert told.in_language("de") == "erledigt · vom Benutzer erlaubt"


@pytest.mark.parametrize("ending", list(CallStatus))
def test_how_a_call_ended_is_told_in_german_too(ending: CallStatus) -> None:
    """In the log, for every way in which one can end."""
    told = outcome_words({"ending": ending.value})
    assert told is not None
    assert str(told) == ending.value
    assert told.in_language("de") != ending.value


def test_reading_outside_asks(database: Database, bus: Bus) -> None:
    """What lets reading pass does not cover a read beyond the workspace; its file is named."""
    flags = frozenset({Flag.OUTSIDE})
    plan = Plan(
        spoken("Read /etc/hostname?"), spoken("Reads outside."), Effect.READ, flags, ("/etc/hostname",)
    )
    asker = FakeAsker.denying()
    executor = Executor(bus, asker, Gatekeeper(Grants(database), PolicySettings), Path("/workspace"))
    toolbox = Toolbox([tool(read, Effect.READ, plan=lambda path: plan)])
    ended = executor.run(Call("c", "read", {"path": "/etc/hostname"}), toolbox)
    assert ended.ending is CallStatus.DENIED
    assert asker.questions[0].outside
    assert "/etc/hostname" in asker.questions[0].arguments


def read(path: str) -> str:
    """Read a file."""
    raise AssertionError("it was not allowed")


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        ("touch a", True),
        ("sed -i s/a/b/ f", True),
        ("touch $X", False),
        ("rm a", False),
        ("make", False),
        ("touch /tmp/a", False),
    ],
)
def test_always_is_offered_for_command_lines_that_can_be_read_off(
    database: Database, bus: Bus, tmp_path: Path, command: str, offered: bool
) -> None:
    """Creations and updates, wholly static and without flags; the words have the exact text."""
    workspace = Workspace(tmp_path)
    reader = CommandReader(Classifier(command_tables()))
    asker = FakeAsker.denying()
    executor = Executor(bus, asker, Gatekeeper(Grants(database), PolicySettings), tmp_path)
    toolbox = Toolbox([CommandTool(workspace, reader, lambda: Method.NONE).tool()])
    executor.run(Call("c1", "run_command", {"command": command}), toolbox)
    words = [str(offer.words) for offer in asker.questions[0].scopes if offer.scope is Scope.ALWAYS]
    assert bool(words) is offered
    assert all(command in each for each in words)
    workspace.close()
