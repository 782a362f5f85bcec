"""What is kept of a conversation: its messages as values, and as a tree with an open branch.

A message that is edited or answered anew gets a sibling; nothing is overwritten. `messages.parent_id` says
what a message follows, `conversations.leaf_id` where the open branch ends, and `messages.open_child` which
way the reader went last, so that coming back to a version brings its whole later thread. Notices hang on the
message that they were told after and are followed by nothing. A child is always newer than its parent: a
branch in the order of its ids is in the order in which it is read.

The functions run inside the caller's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from desktop.chat import attachments
from desktop.chat.attachments import Attached
from desktop.database import Connection, Row
from desktop.gate.reasons import GateReason
from desktop.reasons import Reason, ReasonCode, reason_code, reason_from_json
from desktop.tools.calls import Call, CallResult, CallStatus

FOLDER_OF = "SELECT folder FROM conversation_folders WHERE conversation_id = ?"  # most have none
BETWEEN = " @ "  # model and host, where the model of an answer from elsewhere is named

# Of one row of `messages`: the summary that a notice announces, as JSON; null for most.
_SUMMARY = (
    "(SELECT json_array(id, notice_id, text, kept_from, count, sources, is_undone)"
    " FROM summaries WHERE notice_id = messages.id)"
)

# The memories that were put before the question of an answer.
_USED_MEMORY = """(
    WITH RECURSIVE up (id, role, parent_id) AS (
        SELECT m.id, m.role, m.parent_id FROM messages m WHERE m.id = messages.parent_id
        UNION ALL
        SELECT m.id, m.role, m.parent_id FROM messages m JOIN up ON m.id = up.parent_id
            WHERE up.role <> 'user'
    )
    SELECT json_array(b.question_id, (SELECT count(*) FROM block_items i
        WHERE i.question_id = b.question_id), b.tokens)
        FROM up JOIN blocks b ON b.question_id = up.id WHERE up.role = 'user'
)"""

# What extensions made of a question, or of an answer, as JSON; null for nearly all.
_CHANGED = (
    "(SELECT json_array(text, changed_by, is_undone) FROM changed_requests WHERE question_id = messages.id)"
)
_SHOWN = (
    "(SELECT json_array(text, changed_by, is_undone, upto) FROM shown_answers WHERE answer_id = messages.id)"
)

# The parts of a text that an answer was made of, as JSON; '[]' for nearly all.
_FILE_PARTS = (
    "(SELECT json_group_array(json_array(number, of, first, last, lines, end, text, seconds))"
    " FROM (SELECT * FROM file_parts WHERE answer_id = messages.id ORDER BY number))"
)

# A message as it reads now: the text of a streaming one is still in its parts.
MESSAGES = f"""
    SELECT id, conversation_id, role, status, thinking_s, created_at, model,
        answer_tokens, tokens_per_s, total_s, tool, parent_id,
        CASE role WHEN 'user' THEN nullif({attachments.COLUMN}, '[]') END AS attached,
        CASE role WHEN 'notice' THEN {_SUMMARY} END AS summary,
        CASE role WHEN 'notice' THEN reason END AS reason,
        CASE role WHEN 'user' THEN {_CHANGED} WHEN 'assistant' THEN {_SHOWN} END AS changed,
        CASE role WHEN 'assistant' THEN {_USED_MEMORY} END AS used_memory,
        CASE role WHEN 'assistant' THEN nullif({_FILE_PARTS}, '[]') END AS file_parts,
        (SELECT count(*) FROM messages s WHERE s.conversation_id = messages.conversation_id
            AND s.parent_id IS messages.parent_id AND s.role <> 'notice' AND s.deleted_with IS NULL)
            AS versions,
        (SELECT count(*) FROM messages s WHERE s.conversation_id = messages.conversation_id
            AND s.parent_id IS messages.parent_id AND s.role <> 'notice' AND s.deleted_with IS NULL
            AND s.id <= messages.id) AS version,
        CASE status WHEN 'streaming' THEN coalesce((SELECT group_concat(text, '') FROM
            (SELECT text FROM parts WHERE message_id = messages.id ORDER BY number)), '')
            ELSE text END AS text,
        CASE status WHEN 'streaming' THEN coalesce((SELECT group_concat(thinking, '') FROM
            (SELECT thinking FROM parts WHERE message_id = messages.id ORDER BY number)), '')
            ELSE thinking END AS thinking
    FROM messages
"""  # noqa: S608 - columns of this room


# Of a call's record, as they stand in the database.
_KEPT = ("call_id", "name", "arguments", "decision", "seconds", "tainted_by", "hint", "exit_code")


@dataclass(frozen=True)
class ToolRecord:
    """One call. `ending` is None while it is under way, and after a kill."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    ending: CallStatus | None = None
    decision: str = ""
    seconds: float = 0.0
    tainted_by: str = ""
    changes: tuple[int, ...] = ()
    hint: str = ""  # what worked when it failed like this before; told to the model with the result
    asking: bool = False  # the user is being asked at this moment; not kept
    why: Reason | None = None  # the decision as a value
    failure: Reason | None = None  # what its text says of a call that did not come to its end
    verb: ReasonCode | None = None  # what its card says that it does, as its tool declares it
    title: Reason | None = None  # the same of this one call, where verb and arguments would not tell it
    exit_code: int | None = None  # of a command, a check, a server's tool; None of everything else

    @classmethod
    def of(cls, call: Call, verb: ReasonCode | None = None, title: Reason | None = None) -> ToolRecord:
        return cls(call.id, call.name, call.arguments, verb=verb, title=title)

    def closed_by(self, ended: CallResult) -> ToolRecord:
        """The same call with what became of it."""
        return replace(
            self,
            arguments=ended.arguments or ended.call.arguments,
            ending=ended.ending,
            decision=str(ended.decision or ""),
            seconds=ended.seconds,
            tainted_by=ended.tainted_by,
            changes=ended.changes,
            why=ended.decision,
            failure=ended.failure,
            exit_code=ended.exit_code,
        )

    @property
    def has_succeeded(self) -> bool:
        """It ran to its end, and what it ran did not say that it failed."""
        return self.ending is CallStatus.DONE and not self.exit_code

    @classmethod
    def read(cls, text: str) -> ToolRecord:
        """The inverse of `as_json`."""
        kept = json.loads(text)
        return cls(
            **{name: kept[name] for name in _KEPT if name in kept},
            changes=tuple(kept.get("changes", ())),
            ending=CallStatus(kept["ending"]) if kept["ending"] else None,
            why=reason_from_json(kept.get("why")) or _why_of(kept.get("decision", "")),
            failure=reason_from_json(kept.get("failure")),
            title=reason_from_json(kept.get("title")),
            # Records of before name none: their tools have the verbs that are called after them.
            verb=reason_code(kept.get("verb", f"tools.verb-{kept['name'].replace('_', '-')}")),
        )

    def as_json(self) -> str:
        kept = {
            "call_id": self.call_id,
            "name": self.name,
            "arguments": dict(self.arguments),
            "ending": self.ending.value if self.ending else "",
            "decision": self.decision,
            "seconds": self.seconds,
            "tainted_by": self.tainted_by,
            "changes": list(self.changes),
            "hint": self.hint,
            "why": self.why.as_json() if self.why else None,
            "failure": self.failure.as_json() if self.failure else None,
            "verb": self.verb or "",
            "title": self.title.as_json() if self.title else None,
            "exit_code": self.exit_code,
        }
        return json.dumps(kept, ensure_ascii=False, default=str)

    def with_hint(self, result: str) -> str:
        """The result as the model is told it."""
        return f"{result}\n{self.hint}" if self.hint else result

    @property
    def same_as(self) -> tuple[str, str]:
        """Equal for two calls that would do the same."""
        return self.name, json.dumps(self.arguments, sort_keys=True, ensure_ascii=False, default=str)


def _why_of(text: str) -> Reason | None:
    """The reason in a record of a program that kept only its English sentence."""
    begin = "allowed before: "
    if text.startswith(begin):
        return GateReason.ALLOWED_BEFORE.of(what=GateReason.AS_SAID.of(text=text.removeprefix(begin)))
    known = (code.of() for code in _ONCE_KEPT_AS_TEXT if text == str(code.of()))
    return next(known, GateReason.AS_SAID.of(text=text)) if text else None


_ONCE_KEPT_AS_TEXT = (
    GateReason.IT_ONLY_READS,
    GateReason.ALLOWED_BY_THE_USER,
    GateReason.USER_SAID_NO,
    GateReason.NOBODY_ANSWERED_THE_QUESTION,
    GateReason.CHANGES_OWN_NOTES,
)


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    NOTICE = "notice"
    TOOL = "tool"  # a call and its result


class MessageStatus(StrEnum):
    STREAMING = "streaming"
    COMPLETE = "complete"
    STOPPED = "stopped"  # by the user
    SUPERSEDED = "superseded"  # ended for a newer message that could not wait
    LENGTH = "length"  # the longest answer allowed
    CONTEXT_FULL = "context-full"
    REPEATED = "repeated"  # the same over and over
    INTERRUPTED = "interrupted"  # the program ended in the middle
    FAILED = "failed"


@dataclass(frozen=True)
class Summary:
    """`kept_from` is the id of the first message that the model still reads itself. `sources` name where
    words of others in what was summarised came from."""

    id: int
    notice_id: int
    text: str
    kept_from: int
    count: int
    sources: tuple[str, ...] = ()
    is_undone: bool = False


@dataclass(frozen=True)
class MemoryUse:
    """How much was remembered before the question of an answer."""

    question_id: int
    memories: int
    tokens: int


@dataclass(frozen=True)
class ExtensionText:
    """What extensions made of a message, beside its own text, which stays. `by` are their ids, in order.

    Of a question it is what the model is told. Of an answer it is what is shown in place of its first `upto`
    characters; the model never sees it.
    """

    text: str
    by: tuple[str, ...]
    is_undone: bool = False
    upto: int = 0


@dataclass(frozen=True)
class FilePart:
    """Some lines of a text that is summarised part by part; `number` of about `of`, both from one. Lines are
    counted from one, `last` is one of them, `lines` is how many there are. `end` is where it ends, in
    characters. `text` is its summary, "" while it is being read; `seconds` is what that took."""

    number: int
    of: int
    first: int
    last: int
    lines: int
    end: int
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Conversation:
    """One row of the sidebar. Times are aware, in UTC."""

    id: int
    title: str
    pinned: bool
    created_at: datetime
    updated_at: datetime
    project_id: int = 0  # of the project that it belongs to; 0 for none
    project: str = ""  # its name


@dataclass(frozen=True)
class Message:
    """One message as it stands on disk."""

    id: int
    conversation_id: int
    role: Role
    text: str
    thinking: str
    thinking_s: float | None
    status: MessageStatus
    created_at: datetime
    model: str
    answer_tokens: int
    tokens_per_s: float
    total_s: float
    tool: ToolRecord | None = None  # of a message with the role TOOL; its text is the result
    parent_id: int | None = None  # what it follows; None at the beginning
    version: int = 1  # among `versions` that follow the same message, counted from 1
    versions: int = 1
    attachments: tuple[Attached, ...] = ()  # of a question
    summary: Summary | None = None  # of a notice that announces one
    reason_json: str = ""  # of a notice; "" for one of an older program
    memory: MemoryUse | None = None  # of an answer: what was remembered before its question
    changed: ExtensionText | None = None
    parts: tuple[FilePart, ...] = ()  # of an answer: the text that was read for it, part by part

    @property
    def reason(self) -> Reason | None:
        """Of a notice, which is worded anew when it is shown: the model does not see it."""
        return reason_from_json(json.loads(self.reason_json)) if self.reason_json else None

    @property
    def host(self) -> str:
        """Where an answer was written, "" for this computer. A model's file that is named like one only makes
        its answers less trusted."""
        return self.model.rpartition(BETWEEN)[2] if BETWEEN in self.model else ""

    @property
    def sent(self) -> str:
        """What the model is told: of a question, what extensions made of it."""
        changed = self.changed
        if self.role is Role.USER and changed is not None and not changed.is_undone:
            return changed.text
        return self.text

    @property
    def shown(self) -> str:
        """What a reader sees: of an answer, what extensions made of it."""
        changed = self.changed
        if self.role is Role.ASSISTANT and changed is not None and not changed.is_undone:
            return changed.text + self.text[changed.upto :]
        return self.text


@dataclass(frozen=True)
class AnswerEnding:
    """How an answer ended. `model` is "" when none was loaded."""

    status: MessageStatus
    model: str = ""
    thinking_s: float | None = None
    answer_tokens: int = 0
    tokens_per_s: float = 0.0
    total_s: float = 0.0


def conversation_of(row: Row) -> Conversation:
    return Conversation(
        row["id"],
        row["title"],
        bool(row["pinned"]),
        _time(row["created_at"]),
        _time(row["updated_at"]),
        row["project_id"] or 0,
        row["project"] or "",
    )


def message_of(row: Row) -> Message:
    return Message(
        id=row["id"],
        conversation_id=row["conversation_id"],
        role=Role(row["role"]),
        text=row["text"],
        thinking=row["thinking"],
        thinking_s=row["thinking_s"],
        status=MessageStatus(row["status"]),
        created_at=_time(row["created_at"]),
        model=row["model"],
        answer_tokens=row["answer_tokens"],
        tokens_per_s=row["tokens_per_s"],
        total_s=row["total_s"],
        tool=ToolRecord.read(row["tool"]) if row["tool"] else None,
        parent_id=row["parent_id"],
        version=row["version"],
        versions=row["versions"],
        attachments=attachments.read_column(row["attached"]) if row["attached"] else (),
        summary=_summary(row["summary"]),
        reason_json=row["reason"] or "",
        memory=_memory(row["used_memory"]),
        changed=_changed(row["changed"]),
        parts=_file_parts(row["file_parts"]) if row["file_parts"] else (),
    )


def _summary_of(row: Sequence[object]) -> Summary:
    number, notice, text, kept_from, count, sources, undone = row
    return Summary(
        int(str(number)),
        int(str(notice)),
        str(text),
        int(str(kept_from)),
        int(str(count)),
        tuple(json.loads(str(sources))),
        bool(undone),
    )


def _summary(value: str | None) -> Summary | None:
    return _summary_of(json.loads(value)) if value else None


def _file_parts(value: str) -> tuple[FilePart, ...]:
    return tuple(FilePart(*row) for row in json.loads(value))


def _memory(value: str | None) -> MemoryUse | None:
    return MemoryUse(*json.loads(value)) if value else None


def _changed(value: str | None) -> ExtensionText | None:
    if not value:
        return None
    text, by, undone, *upto = json.loads(value)
    return ExtensionText(text, tuple(json.loads(by)), bool(undone), upto[0] if upto else 0)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


# The open branch of :conversation, from its end to its beginning.
_BRANCH = """
    WITH RECURSIVE branch (id, parent_id) AS (
        SELECT m.id, m.parent_id FROM messages m JOIN conversations c ON c.leaf_id = m.id
            WHERE c.id = :conversation
        UNION ALL
        SELECT m.id, m.parent_id FROM messages m JOIN branch ON m.id = branch.parent_id
    )
"""


# A message with what follows it on all branches.
_SUBTREE = """
    WITH RECURSIVE subtree (id) AS (
        SELECT id FROM messages WHERE id = :message
        UNION ALL
        SELECT m.id FROM messages m JOIN subtree ON m.parent_id = subtree.id
    )
"""


# The newest :nodes messages of the branch that ends with :end, with the notices told after them.
_PAGE = f"""
    WITH RECURSIVE branch (id, parent_id) AS (
        SELECT id, parent_id FROM messages WHERE id = :end
        UNION ALL
        SELECT m.id, m.parent_id FROM messages m JOIN branch ON m.id = branch.parent_id
            WHERE m.id >= :floor
        LIMIT :nodes
    )
    {MESSAGES}
    WHERE conversation_id = :conversation AND id >= :since AND id < :before
        AND (id IN (SELECT id FROM branch)
            OR (role = 'notice' AND deleted_with IS NULL
                AND (parent_id IS NULL OR parent_id IN (SELECT id FROM branch))))
    ORDER BY id DESC LIMIT :limit
"""  # noqa: S608 - texts of this file


LAST_ID = 2**63 - 1


@dataclass(frozen=True)
class Deleted:
    """What deleting a message took from the branch that was open: the message itself and `after` more."""

    message: Message
    after: int


def message(connection: Connection, message_id: int) -> Message:
    """Raises KeyError."""
    row = connection.execute(f"{MESSAGES} WHERE id = ?", (message_id,)).fetchone()
    if row is None:
        raise KeyError(message_id)
    return message_of(row)


def branch(
    connection: Connection,
    conversation_id: int,
    before: int | None,
    limit: int | None,
    since: int,
    floor: int = 0,
) -> tuple[Message, ...]:
    """The newest `limit` messages of the open branch with `since` <= id < `before`, oldest first. No message
    older than `floor` is looked at, also not for the notices that were told after it.

    A page of a long conversation costs what is on it: only its own part of the branch is walked.
    """
    # Not from the leaf: a page far up would walk through all that is below it.
    end, is_cut = _end_of_page(connection, conversation_id, before)
    rows = connection.execute(
        _PAGE,
        {
            "conversation": conversation_id,
            "since": since,
            "before": LAST_ID if before is None else before,
            "limit": -1 if limit is None else limit,
            "end": end,
            "floor": floor,
            "nodes": limit + 1 if limit is not None and is_cut else -1,
        },
    ).fetchall()
    # Newest first in SQL, so that LIMIT keeps the end of the branch.
    return tuple(message_of(row) for row in reversed(rows))


def seen_from(connection: Connection, conversation_id: int) -> int:
    """The id of the first message of the open branch that the model still sees; 0: all of them."""
    row = connection.execute(
        """
        WITH RECURSIVE branch (parent_id, seen_from) AS (
            SELECT m.parent_id, m.seen_from FROM messages m JOIN conversations c ON c.leaf_id = m.id
                WHERE c.id = ?
            UNION ALL
            SELECT m.parent_id, m.seen_from FROM messages m JOIN branch ON m.id = branch.parent_id
                WHERE branch.seen_from = 0
        )
        SELECT max(seen_from) FROM branch
        """,
        (conversation_id,),
    ).fetchone()
    return int(row[0] or 0)


def summary_on(connection: Connection, conversation_id: int, before: int | None = None) -> Summary | None:
    """What stands for older messages on the open branch above `before`, if anything does."""
    for summary in summaries(connection, conversation_id):
        notice = summary.notice_id
        if (before is None or notice < before) and branch(
            connection, conversation_id, notice + 1, 1, since=notice
        ):
            return summary
    return None


def summaries(connection: Connection, conversation_id: int) -> tuple[Summary, ...]:
    """Those that were not undone, the latest first."""
    rows = connection.execute(
        "SELECT id, notice_id, text, kept_from, count, sources, is_undone FROM summaries"
        " WHERE conversation_id = ? AND is_undone = 0 ORDER BY id DESC",
        (conversation_id,),
    ).fetchall()
    return tuple(_summary_of(tuple(row)) for row in rows)


def set_seen_from(connection: Connection, conversation_id: int, message_id: int) -> None:
    """From the end of the open branch on; other branches keep theirs."""
    connection.execute(
        "UPDATE messages SET seen_from = ? WHERE id = (SELECT leaf_id FROM conversations WHERE id = ?)",
        (message_id, conversation_id),
    )


def leaf(connection: Connection, conversation_id: int) -> int | None:
    """The last message of the open branch; None while there is none."""
    row = connection.execute("SELECT leaf_id FROM conversations WHERE id = ?", (conversation_id,)).fetchone()
    return row["leaf_id"] if row else None


def attach(connection: Connection, message_id: int, parent_id: int | None) -> None:
    """Hang a new message under `parent_id`; unless it is a notice the open branch now ends with it."""
    connection.execute("UPDATE messages SET parent_id = ? WHERE id = ?", (parent_id, message_id))
    row = connection.execute("SELECT role FROM messages WHERE id = ?", (message_id,)).fetchone()
    # A notice is followed by nothing, so the next message follows what the notice followed.
    if row["role"] != Role.NOTICE:
        _end_at(connection, message_id)
        connection.execute("UPDATE messages SET open_child = ? WHERE id = ?", (message_id, parent_id))


def parent(connection: Connection, message_id: int) -> int | None:
    row = connection.execute("SELECT parent_id FROM messages WHERE id = ?", (message_id,)).fetchone()
    return row["parent_id"] if row else None


def versions(connection: Connection, message_id: int) -> tuple[int, ...]:
    """The ids of a message and its siblings, oldest first."""
    rows = connection.execute(
        "SELECT s.id FROM messages s JOIN messages m ON m.id = ? AND s.conversation_id = m.conversation_id"
        " AND s.parent_id IS m.parent_id WHERE s.role <> 'notice' AND s.deleted_with IS NULL ORDER BY s.id",
        (message_id,),
    ).fetchall()
    return tuple(row["id"] for row in rows)


def head(connection: Connection, message_id: int) -> int:
    """Where the version begins that a message belongs to: a question is its own; an answer begins with the
    first thing that was said or called after its question."""
    first = at = message_id
    while True:
        row = connection.execute("SELECT role, parent_id FROM messages WHERE id = ?", (at,)).fetchone()
        if row is None or row["role"] == Role.USER:
            return at if at == message_id else first
        if row["role"] != Role.NOTICE:
            first = at
        if row["parent_id"] is None:
            return first
        at = row["parent_id"]


def open_branch(connection: Connection, message_id: int) -> None:
    """Open the branch that a message is on, to the end where it was left."""
    end = _end_below(connection, message_id)
    _end_at(connection, end)
    conversation = connection.execute("SELECT conversation_id FROM messages WHERE id = ?", (end,)).fetchone()
    connection.execute(
        f"{_BRANCH} UPDATE messages SET open_child ="  # noqa: S608 - a text of this file
        " (SELECT id FROM branch WHERE parent_id = messages.id) WHERE id IN (SELECT parent_id FROM branch)",
        {"conversation": conversation["conversation_id"]},
    )


def hide(connection: Connection, message_id: int) -> int:
    """Take a message and all that follows it out of the tree, until `unhide`; its siblings stay.

    Returns how many messages of the open branch went along.
    """
    conversation_id, parent_id = connection.execute(
        "SELECT conversation_id, parent_id FROM messages WHERE id = ?", (message_id,)
    ).fetchone()
    siblings = [each for each in versions(connection, message_id) if each != message_id]
    count = _count_open(connection, conversation_id, message_id)
    connection.execute(
        f"{_SUBTREE} UPDATE messages SET deleted_with = :message"  # noqa: S608 - a text of this file
        " WHERE deleted_with IS NULL AND id IN (SELECT id FROM subtree)",
        {"message": message_id},
    )
    # What is open stays open where a version beside it is deleted.
    if not count:
        return 0  # it was on another branch than the open one
    # The version before comes into sight; of the first one, the next.
    older = [each for each in siblings if each < message_id]
    if siblings:
        open_branch(connection, older[-1] if older else siblings[0])
    else:
        connection.execute("UPDATE conversations SET leaf_id = ? WHERE id = ?", (parent_id, conversation_id))
    return count - 1


def unhide(connection: Connection, message_id: int) -> bool:
    """Bring back what was hidden with a message, and open it; False where it is gone for good."""
    row = connection.execute(
        "SELECT p.deleted_with AS above FROM messages m LEFT JOIN messages p ON p.id = m.parent_id"
        " WHERE m.id = ? AND m.deleted_with = m.id",
        (message_id,),
    ).fetchone()
    # Under a deleted message there is no place to come back to.
    if row is None or row["above"] is not None:
        return False
    connection.execute("UPDATE messages SET deleted_with = NULL WHERE deleted_with = ?", (message_id,))
    open_branch(connection, message_id)
    return True


def take_out(connection: Connection, message_id: int) -> None:
    """Remove one message for good; what follows it follows what it followed."""
    row = connection.execute(
        "SELECT conversation_id, parent_id, seen_from FROM messages WHERE id = ?", (message_id,)
    ).fetchone()
    if row is None:
        return
    parent_id = row["parent_id"]
    connection.execute("UPDATE messages SET parent_id = ? WHERE parent_id = ?", (parent_id, message_id))
    connection.execute(
        "UPDATE messages SET seen_from = max(seen_from, ?), open_child = nullif(open_child, ?) WHERE id = ?",
        (row["seen_from"], message_id, parent_id),
    )
    connection.execute(
        "UPDATE conversations SET leaf_id = ? WHERE id = ? AND leaf_id = ?",
        (parent_id, row["conversation_id"], message_id),
    )
    connection.execute("DELETE FROM messages WHERE id = ?", (message_id,))


def _end_of_page(connection: Connection, conversation_id: int, before: int | None) -> tuple[int | None, bool]:
    """Where to begin to walk up, and whether all that is above `before` is above there."""
    if before is None:
        return leaf(connection, conversation_id), True
    row = connection.execute("SELECT role, parent_id FROM messages WHERE id = ?", (before,)).fetchone()
    if row is None or row["role"] == Role.NOTICE:
        return leaf(connection, conversation_id), False
    return row["parent_id"], True


def _end_at(connection: Connection, message_id: int) -> None:
    connection.execute(
        "UPDATE conversations SET leaf_id = ?1"
        " WHERE id = (SELECT conversation_id FROM messages WHERE id = ?1)",
        (message_id,),
    )


def _end_below(connection: Connection, message_id: int) -> int:
    """The way that was open last; where none was, the newest."""
    at = message_id
    while True:
        row = connection.execute(
            "SELECT id FROM messages WHERE parent_id = ?1 AND role <> 'notice' AND deleted_with IS NULL"
            " ORDER BY id = (SELECT open_child FROM messages WHERE id = ?1) DESC, id DESC LIMIT 1",
            (at,),
        ).fetchone()
        if row is None:
            return at
        at = row["id"]


def _count_open(connection: Connection, conversation_id: int, message_id: int) -> int:
    """How many messages of the open branch begin with this one; 0 where it is not on it."""
    sql = f"{_BRANCH} SELECT id FROM branch"  # noqa: S608 - a text of this file
    rows = connection.execute(sql, {"conversation": conversation_id}).fetchall()
    ids = [row["id"] for row in rows]
    # From the leaf upwards: the index is how many messages follow.
    return ids.index(message_id) + 1 if message_id in ids else 0
