"""What stands in the profile of some pictures: conversations and notes of nobody, written by hand."""

from __future__ import annotations

from desktop.app import Services
from desktop.chat.attachments import Attached, AttachmentKind, AttachmentReader
from desktop.chat.messages import ToolRecord
from desktop.chat.store import AnswerEnding, MessageStatus, Role
from desktop.memory.item import MemoryStatus, NewItem
from desktop.tools.calls import CallStatus
from desktop.tools.reasons import ToolReason

MODEL = "Qwen2.5 Coder 1.5B Instruct"
CHATS = (
    (
        "Bread for Sunday",
        "How much salt goes into 1 kg of flour?",
        "About **20 g**, which is 2 % of the flour. Less than 15 g tastes flat.",
    ),
    (
        "Seeds",
        "When do I sow peas in the north?",
        "From the middle of March, once the soil can be worked. Salt in the soil harms them.",
    ),
    (
        "Winter tyres",
        "Why is there salt on the roads?",
        "Salt lowers the freezing point of water, so that ice melts down to about −10 °C.",
    ),
)
MINUTES = "Minutes of the harbour board, 12 March 1952\n\nThe quay is rebuilt for 3 million.\n" * 12
PINNED = ("Always answer in short sentences.", "I am vegetarian and allergic to peanuts.")
NOTES = (
    "My dentist is Dr. Okafor, Mill Lane 4.",
    "The shop opens at nine on weekdays and at ten on Saturdays.",
    "The alarm code of the shed is with Anna.",
)


def fill(core: Services) -> None:
    """Chats to search, one with files, one with versions, which is the newest; and some notes."""
    for title, question, answer in CHATS:
        _answered(core, core.store.create(title).id, question, answer)
    _with_files(core)
    _with_versions(core)
    for text in PINNED:
        core.memory.store.add(NewItem(text, status=MemoryStatus.PINNED))
    for text in NOTES:
        core.memory.store.add(NewItem(text))


def _answered(
    core: Services,
    chat: int,
    question: str,
    answer: str,
    instead_of: int | None = None,
    attachments: tuple[Attached, ...] = (),
) -> int:
    """One question and its answer; returns the number of the question."""
    asked, opened = core.store.open_turn(chat, question, instead_of=instead_of, attachments=attachments)
    core.store.grow(opened.id, answer, "")
    core.store.close_answer(opened.id, AnswerEnding(MessageStatus.COMPLETE, MODEL, None, 38, 9.8, 4.1))
    return asked.id


def _with_files(core: Services) -> None:
    chat, maker = core.store.create("The harbour").id, AttachmentReader()
    minutes = maker.text(MINUTES, AttachmentKind.PDF, "minutes-1952.pdf")
    copied = maker.text("Depth at low water: 7.5 m", AttachmentKind.CLIPBOARD, "Clipboard")
    _asked, empty = core.store.open_turn(
        chat, "When was the quay rebuilt, and what did it cost?", attachments=(minutes, copied)
    )
    core.store.remove(empty.id)
    record = ToolRecord(
        "1",
        "read_file",
        {"path": "harbour.txt"},
        CallStatus.DONE,
        "it only reads",
        0.1,
        verb=ToolReason.VERB_READ_FILE,
    )
    core.store.close_call(core.store.add_call(chat, record).id, record, "The quay, 1952.")
    core.store.add(chat, Role.ASSISTANT, "The quay was rebuilt in **1952**. It cost 3 million.")


def _with_versions(core: Services) -> None:
    chat = core.store.create("Dough in the fridge").id
    first = _answered(core, chat, "How long does dough rise?", "About an hour in a warm kitchen.")
    _answered(
        core,
        chat,
        "How long does dough rise in the fridge?",
        "**Eight to twelve hours.** The cold slows the yeast down, and the bread tastes of more.",
        instead_of=first,
    )
