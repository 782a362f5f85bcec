"""Which words bring which tool into question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.chat.tool_choice import SAID, ToolHints, files_in, own_hints, parts_of
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from desktop.tools.clipboard import Clip
from desktop.tools.tool import Tool
from tests.tools.test_clipboard import FakeClipboard
from tests.tools.test_screen import ShownScreen

Tools = dict[str, Tool]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    """All that Steward has, by name."""
    core = build_core(Paths.under(tmp_path_factory.mktemp("profile")))
    core.clipboard, core.screen = FakeClipboard(Clip()), ShownScreen()
    yield {tool.name: tool for tool in core.toolbox}
    core.close()


SAID_BY = [
    ("What's in notes.txt?", "read_file"),
    ("Lies rezept.md vor", "read_file"),
    ("Save the list as list.txt", "write_file"),
    ("Make it shorter and save it again", "write_file"),
    ("Run git status", "run_command"),
    ("Führe python3 --version aus", "run_command"),
    ("List my Downloads", "list_directory"),
    ("Finde alle .jpg Dateien", "find_files"),
    ("Which of my files mention Zürich?", "search_text"),
    ("Leg einen Ordner Urlaub an", "make_directory"),
    ("Rename a.txt to b.txt", "move_file"),
    ("Lösche entwurf.txt", "delete_file"),
    ("What is 17 * 23?", "calculator"),
    ("Wie spät ist es?", "current_time"),
    ("How much memory is free?", "system_info"),
    ("Wie viel Akku habe ich noch?", "system_info"),
    ("Remember: meeting at 3pm", "save_note"),
    ("What did I ask you to remember?", "recall_notes"),
    ("Erinnere mich morgen an den Zahnarzt", "set_reminder"),
    ("Search the web for pancakes", "web_search"),
    ("Summarise https://example.com", "fetch_page"),
    ("Take a screenshot", "screenshot"),
    ("What did I copy to the clipboard?", "clipboard_read"),
]


@pytest.mark.parametrize(("request_text", "name"), SAID_BY)
def test_requests_say_the_words_of_their_tool(tools: Tools, request_text: str, name: str) -> None:
    """In English and in German."""
    hints = own_hints()
    assert tools[name] in hints.called(tools.values(), request_text)
    assert hints.weight(tools[name], request_text) == SAID
    assert tools[name] not in hints.held_back(tools.values(), request_text)


GENERAL = [
    "Hello",
    "How do I delete a file?",
    "What is a folder?",
    "Was ist ein Ordner?",
    "How can I remember things better?",
    "Wie lösche ich den Verlauf im Browser?",
    "Write a poem about rain.",
    "Explain what the command ls does.",
]


@pytest.mark.parametrize("request_text", GENERAL)
def test_questions_about_the_world_call_for_nothing(tools: Tools, request_text: str) -> None:
    """Even where they say a tool's words; and what needs its words stays back."""
    hints = own_hints()
    assert hints.called(tools.values(), request_text) == []
    assert tools["run_command"] in hints.held_back(tools.values(), request_text)


PLAIN = [
    "Hello",
    "Hi, how are you?",
    "Danke!",
    "Thanks a lot!",
    "Guten Abend",
    "What is a folder?",
    "Why does it rain?",
    "What is the capital of Australia?",
    "What's the largest planet?",
    "Give me three tips for a job interview.",
    "In which year did the war end?",
    "When was the Eiffel Tower built?",
    "Nenne drei Sehenswürdigkeiten in Rom.",
    "Wie heißt die Hauptstadt von Peru?",
    "Wann wurde Goethe geboren?",
    "Cite trois fleuves d'Europe.",
    "Quelle est la monnaie du Japon ?",
    "¿Cuál es la capital de Canadá?",
    "¿En qué año llegó el hombre a la Luna?",
    "Dime tres ríos de España",
    "Is it bad to eat late?",
    "Wie schreibt man einen Brief?",
    "Ist es gesund, spät zu essen?",
    "Est-ce bien de dormir l'après-midi ?",
    "Was hältst du von Robotern?",
    "Tea or coffee, what do you prefer?",
    "Winters are long, aren't they?",
    "combien d'os a un corps humain adulte ?",
    "c'est quoi la photosynthèse ?",
    "comment fonctionne un moteur diesel ?",
    "à quoi sert le foie ?",
    "où se trouve le mont Kilimandjaro ?",
    "qu'est-ce qui provoque les marées ?",
    "¿para qué sirve el magnesio?",
    "¿cuántos planetas tiene el sistema solar?",
    "¿dónde está el volcán Cotopaxi?",
    "explícame qué es un agujero negro",
    "Wie funktioniert ein Dieselmotor?",
]

NOT_PLAIN = [
    "Hello, what time is it?",
    "How do I get my IP address?",
    "Explain src/main.py",
    "What is a.txt?",
    "Why is this folder empty?",
    "Explain https://example.com/page",
    "What time is it?",
    "What is the largest file?",
    "List three files",
    "When did I save the contract?",
    "When was report.txt changed?",
    "Wann wurde die Datei geändert?",
    "Nenne mir drei Dateien",
    "Dime tres archivos de la carpeta",
    "¿Cuál es la capital en mis notas?",
    "Quelle est la définition dans mon fichier ?",
    "Name three things on the clipboard",
    "What is the population of Berlin today?",
    "Is it safe to delete a.txt?",
    "What do you think of my letter?",
    "Is it possible to see the log?",
    "There are three files, aren't there?",
    "quelle heure est-il à Tokyo ?",
    "qui est dans l'équipe ?",
    "combien de lignes a le rapport ?",
    "où est la facture de mars ?",
    "¿dónde está la factura de marzo?",
    "¿cómo se llama el último documento?",
    "¿qué queda en la lista?",
    "When was the last commit made, and by whom?",
    "How does where I am now differ from the develop branch?",
    "Wer hat in letzter Zeit was committet?",
    "Wer im Wissensgraphen spielt Klavier?",
]


@pytest.mark.parametrize(
    ("request_text", "plain"), [(t, True) for t in PLAIN] + [(t, False) for t in NOT_PLAIN]
)
def test_small_talk_and_questions_about_the_world_need_nothing(request_text: str, plain: bool) -> None:
    """Unless a file or something of the user's own is named; then the model is asked."""
    assert own_hints().needs_nothing(request_text) is plain


def test_of_a_tool_without_words_nothing_is_known() -> None:
    """The model alone chooses it."""
    other = Tool("paint", "Paints.", (), lambda: "", Effect.READ)
    assert ToolHints().weight(other, "Paint a house") == 0.0
    assert own_hints().called([other], "Paint a house") == []
    assert own_hints().held_back([other], "Paint a house") == []


def _cases(file: str) -> list[tuple[str, str]]:
    """Call ("-" for none) and request of each case of the bench."""
    lines = (Path(__file__).parents[1] / "bench" / file).read_text(encoding="utf-8").splitlines()
    split = (line.partition("|") for line in lines if "|" in line and not line.startswith("#"))
    return [(call.strip(), request.strip()) for call, _, request in split]


@pytest.mark.parametrize("file", ["built_in_cases.txt", "fresh_cases.txt"])
def test_a_request_that_needs_a_tool_says_something_of_one(tools: Tools, file: str) -> None:
    """Over all cases of the bench, in English and German; half of those that need none are known at once."""
    hints, cases = own_hints(), _cases(file)
    silent = [call for call, request in cases if hints.says_nothing_of(tools.values(), request)]
    assert set(silent) == {"-"}
    assert len(silent) > 0.5 * sum(call == "-" for call, _ in cases)


@pytest.mark.parametrize(
    ("request_text", "is_open"),
    [
        ("let me know when it's 4pm", True),
        ("tell me when 15 minutes are over", True),
        ("sag mir, wenn 20 Minuten um sind", True),
        ("Tell me why the sky is blue", False),
        ("An egg takes 10 minutes", False),
    ],
)
def test_whoever_is_to_be_told_at_a_time_may_mean_a_tool(
    tools: Tools, request_text: str, is_open: bool
) -> None:
    """The words of tools only add: with another verb the model is asked."""
    assert own_hints().says_nothing_of(tools.values(), request_text) is not is_open


def test_a_tool_without_words_keeps_the_model_asked(tools: Tools) -> None:
    """Of somebody else's tool nobody knows how people ask for it."""
    foreign = Tool("water_the_plants", "Does it.", (), lambda: "", Effect.CREATE)
    assert own_hints().says_nothing_of(tools.values(), "Who wrote Faust?")
    assert not own_hints().says_nothing_of([*tools.values(), foreign], "Who wrote Faust?")


@pytest.mark.parametrize(
    ("request_text", "parts"),
    [
        ("Hello", ["Hello"]),
        ("", [""]),
        (
            "What is the current time, and save it to time.txt",
            ["What is the current time", "save it to time.txt"],
        ),
        ("Lies a.txt und dann lösche es", ["Lies a.txt", "lösche es"]),
        ("Read notes.txt. Tell me more!", ["Read notes.txt.", "Tell me more!"]),
    ],
)
def test_things_to_do_are_parted(request_text: str, parts: list[str]) -> None:
    """At "and", "then" and the ends of sentences; a name with a dot stays whole."""
    assert parts_of(request_text) == parts


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("Read ../secrets.txt", ["../secrets.txt"]),
        ('Open "my notes.txt" and b.md.', ["my notes.txt", "b.md"]),
        (
            "Look at src/main.py, ~/x.txt and /etc/fstab.d/a.conf",
            ["src/main.py", "~/x.txt", "/etc/fstab.d/a.conf"],
        ),
        ("Save it as a file called thanks to Mrs Cartwright.txt.", ["thanks to Mrs Cartwright.txt"]),
        ("That is kind. Please save it as thanks ken.txt.", ["thanks ken.txt"]),
        ("save it as a file and send it to a.txt", ["a.txt"]),
        ("a folder called bills and put march.pdf in it", ["march.pdf"]),
        ("a list named list.txt", ["list.txt"]),
        ("See https://example.com/a.html, e.g. now", []),
        ("What time is it?", []),
    ],
)
def test_files_that_are_named(request_text: str, names: list[str]) -> None:
    """As they are written, addresses of pages aside."""
    assert files_in(request_text) == names
