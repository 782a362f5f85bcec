"""What was done is told from the results of calls, in the language of the request."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.app import build_core
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.intent_words import LANGUAGES, language_of, name_of, sentences
from desktop.chat.receipts import (
    MOST_LINES,
    ChangedFile,
    asks_what_changed,
    changed_files,
    receipt,
    told_by_servers,
    told_difference,
    told_plan,
    told_results,
    told_sums,
)
from desktop.gate.reasons import GateReason
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.reasons import ToolReason
from desktop.tools.run_command import NO_OUTPUT
from desktop.tools.tool import Tool, Toolbox, ToolHint


def ended(name: str, result: str, /, ending: CallStatus = CallStatus.DONE, **given: Any) -> CallResult:
    return CallResult(Call("c", name, given), ending, result, given)


TOLD = [
    (
        ended("move_file", "Moved a.txt to x/a.txt.", source="a.txt", destination="x"),
        "Moved a.txt to x/a.txt.",
    ),
    (ended("move_file", "Moved a to b.", source="a", destination="b"), "Renamed a to b."),
    (ended("make_directory", "x exists already.", path="x"), "The folder x was there already."),
    (ended("write_file", "Wrote 3 bytes to a.txt.", path="a.txt", content="abc"), "Wrote a.txt (3 bytes)."),
    (ended("append_text", "Added", path="a.txt", text="b\nc"), "Added to a.txt: b / c"),
    (ended("replace_text", "Replaced", path="a.txt", old="b", new=""), "Removed from a.txt: b"),
    (ended("replace_text", "Replaced", path="a.txt", old="b", new="c"), "In a.txt, “b” is now “c”."),
    (ended("replace_text", "Replaced", path="a.txt", old="b", new="b\n- [ ] c"), "Added to a.txt: - [ ] c"),
    (
        ended("cancel_reminder", "Cancelled reminder 1 (Monday, 09:00 (in 2 hours)): tea", reminder="1"),
        "Cancelled the reminder: tea (Monday, 09:00 (in 2 hours))",
    ),
    (ended("find_files", "No file in . is named like *.jpg.", pattern="*.jpg"), "No: I found no such file"),
    (ended("read_file", "milk\n", path="d/a.txt"), "a.txt says:\n\n```\nmilk\n```"),
    (
        ended("delete_file", "It is gone.", ending=CallStatus.FAILED, path="a.txt"),
        "Not done: deleting a.txt. It is gone.",
    ),
    (
        ended("delete_file", "No.", ending=CallStatus.DENIED, path="a.txt"),
        "Not done, you said no: deleting a.txt.",
    ),
]


@pytest.mark.parametrize(("end", "said"), TOLD)
def test_one_call_is_told(end: CallResult, said: str) -> None:
    """By its result; what failed or was refused never reads as done."""
    assert receipt(end, "en").startswith(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_is_told_in_each_language(language: str) -> None:
    """Never the same words as in English, but for what a tool itself has said."""
    for end, _ in TOLD:
        assert (receipt(end, language) == receipt(end, "en")) is (language == "en")


def test_what_was_not_begun_is_named() -> None:
    """After a refusal the rest of the plan is told as not done."""
    calls = [ParsedCall("make_directory", {"path": "x"}), ParsedCall("delete_file", {"path": "a.txt"})]
    plan = IntentPlan("en", tuple(Step(each) for each in calls))
    told = told_plan(plan, [ended("make_directory", "No.", ending=CallStatus.DENIED, path="x")])
    assert told.splitlines()[-1] == "Not done: deleting a.txt."


def served(name: str, *, tells: bool) -> Tool:
    return Tool(
        name,
        "Does.",
        (),
        lambda: "",
        Effect.UPDATE,
        hint=ToolHint(tells=tells),
        gate_name=f"mcp__notes__{name}",
    )


SERVED = Toolbox((served("write", tells=True), served("read", tells=False)))


@pytest.mark.parametrize(
    "asked", ["Write it", "Schreib es in die Datei", "Écris-le dans le fichier", "Escríbelo"]
)
def test_what_a_server_did_is_told_in_its_own_words(asked: str) -> None:
    """With its name and the tool's, and never as more than it said."""
    told = told_by_servers([ended("write", "Wrote ```a.txt```")], SERVED, asked)
    assert "notes" in told.partition("\n")[0]
    assert "write" in told.partition("\n")[0]
    assert told.endswith("\n````\nWrote ```a.txt```\n````")


@pytest.mark.parametrize(
    "results",
    [
        [],
        [ended("read", "milk")],
        [ended("write", "Wrote it"), ended("read", "milk")],
        [ended("write", "No such folder", ending=CallStatus.FAILED)],
        [replace(ended("write", "The server notes reports an error: no"), exit_code=1)],
        [ended("write_file", "Wrote 3 bytes to a.txt.")],
    ],
)
def test_the_rest_is_told_otherwise(results: list[CallResult]) -> None:
    """What looks, what failed, and what is Steward's own."""
    assert told_by_servers(results, SERVED, "Write it") == ""


@pytest.mark.parametrize(
    ("language", "when", "told_when"),
    [
        ("fr", "tous les jours à 8 h", "chaque jour à 08:00"),
        ("es", "cada día a las 8", "cada día a las 08:00"),
    ],
)
def test_a_schedule_is_told_in_the_language_of_the_request(language: str, when: str, told_when: str) -> None:
    """What was understood, how often and the first time."""
    text = ToolReason.SCHEDULE_SET.of(
        repeats="every day at 08:00", question="Quoi ?", next="Monday 23 November 2026, 08:00", number=7
    )
    end = ended("schedule_question", text.in_language("en"), question="Quoi ?", when=when)
    told = receipt(end, language)
    assert told_when in told
    assert ("lundi 23 novembre 2026" in told) == (language == "fr")
    assert ("lunes 23 de noviembre de 2026" in told) == (language == "es")
    assert "7" in told
    assert receipt(end, "en") == end.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_notes_are_told_with_the_day_that_they_are_for(language: str) -> None:
    """That none is for it comes before those that are not."""
    line = "2026-11-22 10:00  Dentist tomorrow at 3"
    found = receipt(ended("recall_notes", f"Notes for Monday 23 November 2026:\n{line}", query="x"), language)
    head, _, note = found.partition("\n\n")
    assert note == "- Dentist tomorrow at 3 (2026-11-22)"
    text = f"No note names Monday 23 November 2026. The latest:\n{line}"
    none = receipt(ended("recall_notes", text, query="x"), language)
    assert none.endswith(note)
    latest = receipt(ended("recall_notes", line, query=""), language)
    assert len({head, none.partition("\n\n")[0], latest.partition("\n\n")[0]}) == 3
    assert "2026" in head
    assert ("Monday" in head) == (language == "en")


def test_a_fence_in_a_file_ends_no_block() -> None:
    """The block around it is longer."""
    assert receipt(ended("read_file", "```\nx\n```", path="a.md"), "en").count("````") == 2


@pytest.mark.parametrize("key", sorted(sentences()["undone"]))
def test_what_was_undone_is_told_in_the_language_of_the_request(key: str) -> None:
    """The journal's own sentence is found again, and no word of it is left in English."""
    reasons = {
        "restored": GateReason.RESTORED,
        "removed": GateReason.REMOVED,
        "moved_back": GateReason.MOVED_BACK,
        "as_before": GateReason.ALREADY_AS_BEFORE,
        "left": GateReason.LEFT_AS_IT_IS,
        "saved_beside": GateReason.SAVED_BESIDE,
        "nothing_left": GateReason.NOTHING_TO_UNDO,
    }
    english = str(reasons[key].of() if key == "nothing_left" else reasons[key].of(name="a.txt"))
    ended = CallResult(Call("1", "undo_change", {"change": 1}), CallStatus.DONE, english)
    for language in ("de", "fr", "es"):
        assert sentences()["undone"][key][language].format(a="a.txt") in receipt(ended, language)


def test_a_reminder_is_told_in_the_language_of_the_request() -> None:
    """With its day and time, and what holds of it without the tray."""
    text = (
        "Reminder 3 is set for Monday 23 November 2026, 18:00 (in 2 hours 5 minutes): Müll. "
        "It is shown while Steward runs in the tray; what was missed is shown when it starts."
    )
    ended = CallResult(Call("1", "set_reminder", {"text": "Müll", "when": "18"}), CallStatus.DONE, text)
    assert receipt(ended, "de").startswith(
        "Erinnerung gestellt für Montag, 23. November 2026, 18:00 Uhr (in 2 Stunden 5 Minuten): Müll. "
    )
    assert "lundi 23 novembre 2026 à 18:00 (dans 2 heures 5 minutes)" in receipt(ended, "fr")
    assert "lunes 23 de noviembre de 2026 a las 18:00 (dentro de 2 horas 5 minutos)" in receipt(ended, "es")
    assert receipt(ended, "en") == text


SERIES = "every Monday at 09:00"


@pytest.mark.parametrize(
    ("language", "asked", "told"),
    [
        ("de", "jeden Montag um 9", "jeden Montag um 09:00, das nächste Mal am Montag, 30. November 2026"),
        ("fr", "tous les lundis à 9 h", "chaque lundi à 09:00, la prochaine fois le lundi 30 novembre 2026"),
        (
            "es",
            "los lunes a las 9",
            "cada lunes a las 09:00, la próxima vez el lunes 30 de noviembre de 2026",
        ),
    ],
)
def test_one_that_repeats_is_told_in_the_language_of_the_request(
    language: str, asked: str, told: str
) -> None:
    """How often, and when for the first time, with no "for" before it, which does not go with "on day 1 of
    every month"; and the same where it is listed and cancelled."""
    text = f"Reminder 3 is set, {SERIES}, next on Monday 30 November 2026, 09:00 (in 22 hours): Müll."
    ended = CallResult(Call("1", "set_reminder", {"text": "Müll", "when": asked}), CallStatus.DONE, text)
    assert f", {told}" in receipt(ended, language)
    text = f"Cancelled reminder 3 ({SERIES}): Müll"
    gone = CallResult(Call("1", "cancel_reminder", {}), CallStatus.DONE, text)
    often = told.partition(",")[0]
    assert f"Müll ({often})" in receipt(gone, language)
    listed = CallResult(Call("1", "list_reminders", {}), CallStatus.DONE, f"2. {SERIES}: Müll")
    assert receipt(listed, language) == f"- Müll: {often}"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("No reminders are set.", "Es sind keine Erinnerungen gestellt."),
        (f"2. {SERIES}: Müll", "- Müll: jeden Montag um 09:00"),
        (
            "1. every weekday (Monday to Friday) at 08:00: Post\n"
            "2. Monday 23 November 2026, 18:00 (in 2 hours): Arzt",
            "- Post: jeden Werktag (Montag bis Freitag) um 08:00\n"
            "- Arzt: Montag, 23. November 2026, 18:00 Uhr (in 2 Stunden)",
        ),
    ],
)
def test_reminders_are_listed_also_where_the_first_repeats(lines: str, told: str) -> None:
    """None of them makes it say that there are none."""
    assert receipt(CallResult(Call("1", "list_reminders", {}), CallStatus.DONE, lines), "de") == told


def test_what_a_file_holds_is_not_told_where_it_was_not_written() -> None:
    """Said no to, it has no rows in any order."""
    call = ParsedCall("write_file", {"path": "budget-sorted.csv", "content": "a"})
    plan = IntentPlan("en", (Step(call), Step(text="It has the 6 rows.", if_done=True)))
    refused = CallResult(Call("1", call.name, call.arguments), CallStatus.DENIED, "no")
    assert "rows" not in told_plan(plan, (refused,))
    assert "rows" not in told_plan(plan, ())
    written = CallResult(
        Call("1", call.name, call.arguments), CallStatus.DONE, "Wrote 1 byte to budget-sorted.csv."
    )
    assert "rows" in told_plan(plan, (written,))


def test_every_tool_has_words_for_what_was_not_done(paths: Paths) -> None:
    """In four languages: "refused: set_reminder" says nothing to anybody."""
    core = build_core(paths)
    names = core.toolbox.names
    core.close()
    assert len(names) > 10
    for name in names:
        for language in LANGUAGES:
            call = ParsedCall(name, {"path": "a.txt", "source": "a.txt", "destination": "b.txt"})
            assert name_of(call, language) != name, (name, language)


@pytest.mark.parametrize(
    ("size", "language", "told"),
    [
        ("5 bytes", "de", "a.txt geschrieben (5 Byte)."),
        ("1.2 kB", "de", "a.txt geschrieben (1,2 kB)."),
        ("1.2 kB", "fr", "a.txt a été écrit (1,2 ko)."),
        ("1.2 kB", "es", "Se ha escrito a.txt (1,2 kB)."),
        ("1.2 kB", "en", "Wrote a.txt (1.2 kB)."),
    ],
)
def test_a_size_is_written_as_the_language_does(size: str, language: str, told: str) -> None:
    """Its number and its unit."""
    assert receipt(ended("write_file", f"Wrote {size} to a.txt.", path="a.txt", content=""), language) == told


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("Speichere Milch in liste.txt", "de"),  # "in" is of both
        ("Benenne a.txt in b.txt um", "de"),  # and "a", of a name, counts for English
        ("Verschiebe a.txt nach Archiv", "de"),
        ("Speichere neuen Text", "de"),
        ("Supprime a.txt", "fr"),
        ("Save milk", "en"),
        ("Rename a.txt b.txt", "en"),
        ("Delete Rechnung.pdf", "en"),  # the name alone makes no German of it
        ("Undo", "en"),
        ("", "en"),
    ],
)
def test_a_request_of_few_words_has_a_language(asked: str, language: str) -> None:
    """Where the small words leave several, it is the one that the words clearly look like."""
    assert language_of(asked) == language


def test_what_a_command_printed_is_told_word_for_word() -> None:
    """Where it was asked to be run; what is asked about it is the model's, and so is a long output."""
    made = ended("run_command", "echo done\ndone", command="make")
    assert (
        told_results([made], "run make and tell me what comes out") == "`make`\n\n```\necho done\ndone\n```"
    )
    assert told_results([made], "führ make aus") != ""
    silent = replace(made, text=NO_OUTPUT)
    assert told_results([silent], "führ make aus") == "`make` ist gelaufen und hat nichts ausgegeben."
    assert told_results([made], "run make and explain what it does") == ""
    assert told_results([made], "why does make fail?") == ""
    assert told_results([replace(made, text="x" * 700)], "run make") == ""


def test_what_the_calculator_said_is_told_as_it_was_worked_out() -> None:
    """A small model makes something else of it; beside another tool's result nothing is told so."""
    worked = CallResult(Call("1", "calculator", {"expression": "20 * 0.264172"}), CallStatus.DONE, "5.28344")
    assert told_sums([worked]) == "20 * 0.264172 = 5.28344"
    read = CallResult(Call("2", "read_file", {"path": "a"}), CallStatus.DONE, "5")
    assert told_sums([worked, read]) == ""
    assert told_sums([CallResult(worked.call, CallStatus.FAILED, "no")]) == ""


# -- what a difference says --------------------------------------------------------------------

GARDEN = """Unstaged changes:
diff --git a/plants.md b/plants.md
index 52f6e10..b1c990f 100644
--- a/plants.md
+++ b/plants.md
@@ -1,4 +1,4 @@
 # Plants

-- three tomatoes
+- seven tomatoes
 - one fig
"""


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (GARDEN, [("plants.md", ["-- three tomatoes", "+- seven tomatoes"])]),
        (
            "--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+--- two\n"
            "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\\ No newline at end of file\n",
            [("new.txt", ["+one", "+--- two"]), ("old.txt", ["-gone"])],
        ),
        (
            "--- x.txt\t2026-11-29 10:00\n+++ y.txt\t2026-11-29\n@@ -1 +1 @@\n-a\n+b\n",
            [("y.txt", ["-a", "+b"])],
        ),
        ("On branch main\nnothing to commit", []),
        ("- three tomatoes\n+ seven tomatoes", []),
        ("--- a/x\n+++ b/x\n@@ -0,0 +1,99 @@\n" + "+line\n" * (MOST_LINES + 1), []),
        ("@@ -1 +1 @@\n-a\n+b\n", []),
    ],
)
def test_the_changed_lines_of_each_file(text: str, files: list[tuple[str, list[str]]]) -> None:
    """Of those that are named, without what only stands beside a change; too many are none."""
    assert changed_files(text) == tuple(ChangedFile(name, tuple(lines)) for name, lines in files)


LINES = st.lists(st.sampled_from(["a", "b", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "", "- c"]), max_size=8)


@given(LINES, LINES)
def test_lines_that_look_like_a_head_are_lines(before: list[str], after: list[str]) -> None:
    """What is gone and what is new comes out as it went in, whatever the file holds."""
    text = "\n".join(difflib.unified_diff(before, after, "a/f", "b/f", lineterm=""))
    lines = [line for each in changed_files(text) for line in each.lines]
    wanted: dict[str, list[str]] = {"+": [], "-": []}
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            wanted["-"] += before[i:j]
            wanted["+"] += after[k:m]
    assert {kind: [line[1:] for line in lines if line[0] == kind] for kind in wanted} == wanted


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What changed in this repository?", True),
        ("What did I change since yesterday?", True),
        ("Show me the differences", True),
        ("Was hat sich geändert?", True),
        ("Qu'est-ce qui a changé ?", True),
        ("¿Qué ha cambiado?", True),
        ("Summarise the changes", False),
        ("Warum hat sich das geändert?", False),
        ("Write a commit message for these changes", False),
        ("Change the title", False),
        ("What is in plants.md?", False),
    ],
)
def test_who_asks_what_changed_gets_the_lines(asked: str, answer: bool) -> None:
    """And no words of a model's; what is to be made of them is the model's to say."""
    assert asks_what_changed(asked) is answer
    result = CallResult(Call("1", "git__git_diff_unstaged", {}), CallStatus.DONE, GARDEN)
    told = told_difference([result], asked)
    assert ("-- three tomatoes\n+- seven tomatoes" in told) is answer
    assert "fig" not in told
    assert told_difference([result, result], asked) == ""
