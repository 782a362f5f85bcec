"""Texts that are larger than the context, read part by part: all of it, no more than it, kept over a stop."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.attachments import Attached, Attachment, AttachmentKind, estimated_tokens
from desktop.chat.compositions import kept_composition
from desktop.chat.events import MessageChanged, TurnFailed
from desktop.chat.file_parts import in_parts, part_count, part_end, summary_of_a_file, without_repeats
from desktop.chat.fixed_answers import examples_in
from desktop.chat.messages import FilePart, Message, MessageStatus
from desktop.chat.store import ChatStore
from desktop.database import Database
from desktop.paths import Paths
from tests.chat.rooms import Room, room
from tests.fakes.scripted_model import ScriptedBackend

LINES = 120
TEXT = "\n".join(
    f"entry{number:03} of the ledger names the buoy of the day" for number in range(1, LINES + 1)
)
CONTEXT = 1024
_ENTRY = re.compile(r"entry(\d{3})")


def report(text: str = TEXT) -> Attachment:
    """As the chip makes it of a file that is too large."""
    about = Attached(
        "report.txt", AttachmentKind.FILE, tainted_by="report.txt", tokens=estimated_tokens(text)
    )
    return in_parts(Attachment(about, text))


def told(prompt: str) -> str:
    """What the scripted model says: which entries a part has, or that it was asked for the whole."""
    if "You summarise texts." not in prompt:
        return "A clerk."
    latest = prompt.rpartition("You summarise texts.")[2]
    found = _ENTRY.findall(latest)
    if "Answer the request from them" in latest:
        return "The whole ledger."
    if "Put them into" in latest:
        return "Several parts."
    return f"From {found[0]} to {found[-1]}."


def asked(chat: Room, conversation_id: int, whole: Attachment | None = None) -> Message:
    return chat.turns.run(conversation_id, "Summarise report.txt", attachments=[whole or report()])


def read_entries(chat: Room) -> list[str]:
    """Of all prompts for parts, in order."""
    asks = [each.rpartition("You summarise texts.")[2] for each in chat.backend.prompts]
    return [entry for each in asks if "Summarise this part" in each for entry in _ENTRY.findall(each)]


@given(st.text(alphabet="ab \n", min_size=1, max_size=600), st.integers(1, 200))
def test_parts_hold_every_character_once(text: str, size: int) -> None:
    """Wherever a part is cut, the next begins there, and none is larger than was asked for."""
    begin, found = 0, []
    while begin < len(text):
        end = part_end(text, begin, size)
        assert begin < end <= begin + size
        found.append(text[begin:end])
        begin = end
    assert "".join(found) == text


def test_every_line_is_read_and_the_answer_is_made_of_the_parts(
    paths: Paths, store: ChatStore, tmp_path: Path
) -> None:
    """Each line stands before the model once; the parts lie on disk with their lines; the chat is small."""
    with room(paths, store, tmp_path, ScriptedBackend(told), CONTEXT) as chat:
        conversation = store.create().id
        answer = asked(chat, conversation)
        assert (answer.text, answer.status) == ("The whole ledger.", MessageStatus.COMPLETE)
        assert read_entries(chat) == [f"{number:03}" for number in range(1, LINES + 1)]
        kept = store.message(answer.id).parts
        assert [part.number for part in kept] == list(range(1, len(kept) + 1))
        assert len(kept) > 2
        assert (kept[0].first, kept[-1].last, kept[-1].lines) == (1, LINES, LINES)
        assert all(one.last + 1 == other.first for one, other in pairwise(kept))
        assert kept[0].text == f"From 001 to {kept[0].last:03}."
        assert kept[-1].of == len(kept)
        # A later question is told of the file, and what was made of it, but not the file.
        chat.turns.run(conversation, "And who wrote it?")
        latest = chat.backend.prompts[-1]
        assert "report.txt" in latest
        assert "The whole ledger." in latest
        assert "entry001" not in latest
        # What a stranger wrote stays a stranger's, also told in other words.
        assert "report.txt" in chat.turns.context(conversation).untrusted


def test_a_stop_tells_what_was_read_and_goes_on_from_there(
    paths: Paths, store: ChatStore, tmp_path: Path
) -> None:
    """Of so many parts two: the answer says that by rule; Continue reads the rest and nothing twice."""
    backend = ScriptedBackend()
    with room(paths, store, tmp_path, backend, CONTEXT) as chat:
        conversation = store.create().id

        def stopped_in_third(prompt: str) -> str:
            if len(chat.backend.prompts) == 3:
                chat.turns.stop(conversation)
            return told(prompt)

        backend.answers = stopped_in_third
        answer = asked(chat, conversation)
        done = [part for part in answer.parts if part.text]
        assert answer.status is MessageStatus.STOPPED
        assert len(done) == 2
        begins = f"2 of {done[-1].of} parts of report.txt read (lines 1 to {done[-1].last} of {LINES})"
        assert answer.text.startswith(begins)
        assert done[1].text in answer.text
        backend.answers = told
        backend.prompts.clear()
        whole = chat.turns.continue_answer(conversation)
        assert (whole.text, whole.status) == ("The whole ledger.", MessageStatus.COMPLETE)
        assert read_entries(chat)[0] == f"{done[-1].last + 1:03}"
        assert whole.parts[:2] == tuple(done)


def test_a_stop_before_the_first_part_claims_nothing(paths: Paths, store: ChatStore, tmp_path: Path) -> None:
    """Nothing was read, and that is what it says."""
    backend = ScriptedBackend()
    with room(paths, store, tmp_path, backend, CONTEXT) as chat:
        conversation = store.create().id

        def stopped(prompt: str) -> str:
            chat.turns.stop(conversation)
            return told(prompt)

        backend.answers = stopped
        answer = asked(chat, conversation)
        assert answer.text == "Nothing of report.txt was read: it was stopped before the first part was done."
        assert not any(part.text for part in answer.parts)


def test_what_was_read_outlives_a_kill(
    paths: Paths, database: Database, store: ChatStore, tmp_path: Path
) -> None:
    """The next start finds the parts on disk, shows the answer as interrupted, and reads only the rest."""
    conversation = store.create().id
    _, answer = store.open_turn(conversation, "Summarise report.txt", attachments=[report()])
    cut = TEXT.index("entry041")
    store.keep_part(answer.id, FilePart(1, 3, 1, 40, LINES, cut, "From 001 to 040.", 1.0))
    store.keep_part(answer.id, FilePart(2, 3, 41, 80, LINES, TEXT.index("entry081")))
    after = ChatStore(database)
    found = after.message(answer.id)
    assert (found.status, found.parts[0].text) == (MessageStatus.INTERRUPTED, "From 001 to 040.")
    with room(paths, after, tmp_path, ScriptedBackend(told), CONTEXT) as chat:
        whole = chat.turns.continue_answer(conversation)
        assert whole.text == "The whole ledger."
        assert read_entries(chat) == [f"{number:03}" for number in range(41, LINES + 1)]
        assert whole.parts[0] == found.parts[0]


def test_more_summaries_than_fit_are_put_together_in_steps(
    paths: Paths, store: ChatStore, tmp_path: Path
) -> None:
    """The end is made of summaries of summaries, and every part had its turn."""
    long = "\n".join(f"entry{number:03} " + "word " * 60 for number in range(1, 41))

    def wordy(prompt: str) -> str:
        return told(prompt) + (
            " much" * 50 if "Summarise this part" in prompt.rpartition("You summ")[2] else ""
        )

    with room(paths, store, tmp_path, ScriptedBackend(wordy), 512) as chat:
        answer = asked(chat, store.create().id, report(long))
        assert answer.text == "The whole ledger."
        assert any("Put them into" in each for each in chat.backend.prompts)
        assert len(answer.parts) >= part_count(report(long), 512) // 2


def test_one_part_is_its_own_answer(paths: Paths, store: ChatStore, tmp_path: Path) -> None:
    """Nothing is summarised twice."""
    with room(paths, store, tmp_path, ScriptedBackend(told)) as chat:
        answer = asked(chat, store.create().id, report("entry001 alone"))
        assert answer.text == "From 001 to 001."
        assert len(chat.backend.prompts) == 1


def test_a_failure_keeps_the_parts_before_it(paths: Paths, store: ChatStore, tmp_path: Path) -> None:
    """A model that says nothing of a part ends the answer; what was read stays, and it can go on."""
    backend = ScriptedBackend()
    with room(paths, store, tmp_path, backend, CONTEXT) as chat:
        conversation = store.create().id
        backend.answers = lambda prompt: told(prompt) if len(backend.prompts) < 3 else ""
        answer = asked(chat, conversation)
        assert answer.status is MessageStatus.FAILED
        assert len(chat.of(TurnFailed)) == 1
        assert [bool(part.text) for part in answer.parts] == [True, True, False]
        backend.answers = told
        assert chat.turns.continue_answer(conversation).text == "The whole ledger."


def test_progress_is_on_disk_before_it_is_told(paths: Paths, store: ChatStore, tmp_path: Path) -> None:
    """Each part is announced twice, when it begins and when it is done, with what the store has then."""
    with room(paths, store, tmp_path, ScriptedBackend(told), CONTEXT) as chat:
        asked(chat, store.create().id)
        told_of = [event for event in chat.of(MessageChanged) if isinstance(event, MessageChanged)]
        numbers = [(event.message.parts[-1].number, bool(event.message.parts[-1].text)) for event in told_of]
        assert numbers[:4] == [(1, False), (1, True), (2, False), (2, True)]
        assert all(not event.message.text for event in told_of)


def test_parts_go_with_their_conversation(
    paths: Paths, database: Database, store: ChatStore, tmp_path: Path
) -> None:
    """Nothing of the file is left in the database once its messages are gone."""
    with room(paths, store, tmp_path, ScriptedBackend(told), CONTEXT) as chat:
        conversation = store.create().id
        asked(chat, conversation)
        database.write(lambda c: c.execute("DELETE FROM conversations WHERE id = ?", (conversation,)))
        assert database.read(lambda c: c.execute("SELECT count(*) FROM file_parts").fetchone()[0]) == 0


@pytest.mark.parametrize(
    ("request_", "size", "ends"),
    [
        ("Summarise report.txt", 200, ""),  # a call shows all of it
        ("Summarise report.txt", 4_500, "read"),  # one part: nobody has to be asked
        ("Summarise report.txt", 90_000, "- *Summarise report.txt in parts*"),
        ("Fasse report.txt bitte zusammen", 90_000, "- *Fasse report.txt in Teilen zusammen*"),
        ("Résume report.txt", 90_000, "- *Summarise report.txt in parts*"),
        ("Summarise report.txt in parts", 90_000, "read"),
        ("Fasse report.txt in Teilen zusammen", 90_000, "read"),
        ("Translate report.txt", 90_000, ""),
    ],
)
def test_a_summary_by_its_sentence(request_: str, size: int, ends: str) -> None:
    """Of a file of which a call shows only a piece the whole is offered, with a request that does it."""
    text = "word " * (size // 5)
    about = Attached("report.txt", AttachmentKind.FILE, tokens=estimated_tokens(text))
    found = summary_of_a_file(request_, "report.txt", Attachment(about, text), 4096)
    if not ends:
        assert found is None
        return
    assert found is not None
    if ends == "read":
        assert [call.arguments for call in found.calls] == [{"path": "report.txt"}]
        assert found.in_parts == in_parts(Attachment(about, text))
        return
    assert not found.calls
    assert f"{about.tokens:,}" in found.text.replace(".", ",")
    offered = examples_in(found.text)
    assert offered is not None
    assert found.text.endswith(ends)
    again = summary_of_a_file(offered.requests[0], "report.txt", Attachment(about, text), 4096)
    assert again is not None
    assert again.in_parts is not None


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("The rent is 840. It is due. The rent is 840. It is due. The re", "The rent is 840. It is due."),
        ("Grows. Grows. Grows", "Grows."),
        ("One thing only", "One thing only"),
        ("- First.\n- Second! Third?", "- First.\n- Second! Third?"),
        ("", ""),
    ],
)
def test_a_model_that_goes_round_in_circles_is_told_once(written: str, kept: str) -> None:
    """A sentence counts once, and what was cut behind a repetition is none."""
    assert without_repeats(written) == kept


@pytest.mark.parametrize(
    ("request_", "target", "made"),
    [
        ("Summarise big.pdf and save it in short.txt", "short.txt", "Summarise big.pdf"),
        ("Please summarise big.pdf in parts, then save it as short.txt.", "short.txt", "in parts"),
        ("Write a summary of big.pdf to short.txt", "short.txt", "summary of big.pdf"),
        ("Summarise this and save it in notes/short.txt", "notes/short.txt", "Summarise this"),
        ("Fasse big.pdf zusammen und speichere es in kurz.txt", "kurz.txt", "Fasse big.pdf zusammen"),
        ("Fass big.pdf zusammen und schreib das in kurz.txt", "kurz.txt", "zusammen"),
        ("Résume big.pdf et enregistre-le dans court.txt", "court.txt", "Résume big.pdf"),
        ("Resume big.pdf y guárdalo en corto.txt", "corto.txt", "Resume big.pdf"),
        ("Summarise big.pdf", "", ""),
        ("Summarise what is in big.pdf", "", ""),
        ("Fasse zusammen, was in big.pdf steht", "", ""),
        ("Summarise big.pdf in parts", "", ""),
    ],
)
def test_where_a_summary_is_to_be_kept(request_: str, target: str, made: str) -> None:
    """By the request's own words, in any of the languages; a file that is only read is no target."""
    found = kept_composition(request_)
    assert (found.target if found is not None else "") == target
    if found is not None:
        assert made in found.making
        assert target not in found.making


def test_a_summary_for_a_file_is_not_offered_first() -> None:
    """Somebody waits for the file: all parts are read at once, and it is known where they go."""
    about = Attached("report.txt", AttachmentKind.FILE, tokens=estimated_tokens("word " * 18_000))
    whole = Attachment(about, "word " * 18_000)
    asked_for = "Summarise report.txt and save it in short.txt"
    found = summary_of_a_file(asked_for, "report.txt", whole, 4096, written="short.txt")
    assert found is not None
    assert (found.in_parts, found.written, found.text) == (in_parts(whole), "short.txt", "")
