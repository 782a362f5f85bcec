"""Versions of messages: whatever is asked, edited, answered anew, deleted and opened, nothing gets lost."""

from __future__ import annotations

import shutil
import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from desktop.chat.formats.family import COMPACT
from desktop.chat.messages import ToolRecord
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.prompts import assemble
from desktop.chat.store import AnswerEnding, ChatStore, Message, MessageStatus, Role
from desktop.database import Database

DONE = AnswerEnding(MessageStatus.COMPLETE)
PICK = st.integers(0, 10_000)


class Branching(RuleBasedStateMachine):
    """Goes through a conversation as people do, and keeps a simple model of it beside: who follows whom."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.database = Database(self.folder / "chat.sqlite3", MIGRATIONS)
        self.store = ChatStore(self.database)
        self.parents: dict[int, int | None] = {}  # of the messages that are there
        self.hidden: dict[int, dict[int, int | None]] = {}  # by what they were deleted with
        self.said = 0

    def teardown(self) -> None:
        self.database.close()
        shutil.rmtree(self.folder)

    @initialize()
    def begin(self) -> None:
        self.chat = self.store.create().id
        self.ask(calls=0)

    # -- what a person does ---------------------------------------------------------------------

    @rule(calls=st.integers(0, 2))
    def ask(self, calls: int) -> None:
        self._answered(*self.store.open_turn(self.chat, self._words("question")), calls)

    @rule(pick=PICK, calls=st.integers(0, 2))
    @precondition(lambda self: self._shown(Role.USER))
    def edit(self, pick: int, calls: int) -> None:
        old = self._one_of(self._shown(Role.USER), pick)
        question, answer = self.store.open_turn(self.chat, self._words("edited"), instead_of=old.id)
        assert question.parent_id == old.parent_id
        self._answered(question, answer, calls)

    @rule(pick=PICK, calls=st.integers(0, 2))
    @precondition(lambda self: self._shown(Role.ASSISTANT))
    def answer_again(self, pick: int, calls: int) -> None:
        old = self._one_of(self._shown(Role.ASSISTANT), pick)
        answer = self.store.open_answer(self.chat, instead_of=self.store.head(old.id))
        self._answered(None, answer, calls)

    @rule(pick=PICK)
    @precondition(lambda self: self.parents)
    def open(self, pick: int) -> None:
        wanted = sorted(self.parents)[pick % len(self.parents)]
        self.store.open_branch(wanted)
        assert wanted in [message.id for message in self._branch()]

    @rule(pick=PICK)
    @precondition(lambda self: self._branch())
    def delete(self, pick: int) -> None:
        head = self.store.head(self._one_of(self._branch(), pick).id)
        followers = [message.id for message in self._branch() if message.id > head]
        deleted = self.store.hide(head)
        assert (deleted.message.id, deleted.after) == (head, len(followers))
        gone = {head}
        for message_id in sorted(self.parents):
            if self.parents[message_id] in gone:
                gone.add(message_id)
        self.hidden[head] = {each: self.parents.pop(each) for each in gone}

    @rule(pick=PICK)
    @precondition(lambda self: self.hidden)
    def undo(self, pick: int) -> None:
        head = sorted(self.hidden)[pick % len(self.hidden)]
        above = self.hidden[head][head]
        possible = above is None or above in self.parents
        assert self.store.unhide(head) is possible
        if possible:
            self.parents |= self.hidden.pop(head)
            assert head in [message.id for message in self._branch()]

    @rule()
    def tell(self) -> None:
        self.store.add(self.chat, Role.NOTICE, self._words("notice"))

    @rule()
    @precondition(lambda self: self.parents)
    def start_anew(self) -> None:
        """Another start of the program: what is shown stays, what was deleted is gone for good."""
        before = self.store.messages(self.chat, limit=None)
        self.store = ChatStore(self.database)
        self.hidden.clear()
        assert [m.id for m in self.store.messages(self.chat, limit=None)] == [m.id for m in before]

    # -- what always holds ----------------------------------------------------------------------

    @invariant()
    def nothing_vanishes(self) -> None:
        """Every message that was not deleted is there and can be found."""
        kept = [m for m in self.store.all_messages(self.chat) if m.role is not Role.NOTICE]
        assert {m.id: m.parent_id for m in kept} == self.parents

    @invariant()
    def the_shown_branch_is_a_path(self) -> None:
        """From a beginning to an end, each message following the one before it."""
        branch = self._branch()
        assert [m.parent_id for m in branch] == [None, *(m.id for m in branch)][: len(branch)]
        assert all(one.id < other.id for one, other in pairwise(branch))
        if branch:
            assert branch[-1].id not in self.parents.values()
        assert bool(branch) or not any(parent is None for parent in self.parents.values())

    @invariant()
    def pages_are_the_branch(self) -> None:
        """Read two at a time from the end, the branch is the same as read at once."""
        pages: list[Message] = []
        while page := self.store.messages(self.chat, before=pages[0].id if pages else None, limit=2):
            pages[:0] = page
        assert [m.id for m in pages if m.role is not Role.NOTICE] == [m.id for m in self._branch()]

    @invariant()
    def versions_are_counted(self) -> None:
        for message in self._branch():
            siblings = sorted(i for i, parent in self.parents.items() if parent == message.parent_id)
            assert self.store.versions(message.id) == tuple(siblings)
            assert message.versions == len(siblings)
            assert siblings[message.version - 1] == message.id

    @invariant()
    def the_model_sees_the_branch_alone_and_in_turns(self) -> None:
        shown = self.store.messages(self.chat, limit=None)
        prompt = assemble("Be kind.", shown, COMPACT)
        roles = [message.role for message in prompt.messages]
        assert all(one != other for one, other in pairwise(roles))
        assert roles[:2] in ([], ["system"], ["system", "user"])
        told = "\n".join(message.content for message in prompt.messages).split()
        said = [m.text for m in shown if m.role is not Role.NOTICE]
        assert [word for word in told if word[-1].isdigit() and "-" in word] == said

    # -- inside ---------------------------------------------------------------------------------

    def _words(self, kind: str) -> str:
        self.said += 1
        return f"{kind}-{self.said}"

    def _branch(self) -> list[Message]:
        return [m for m in self.store.messages(self.chat, limit=None) if m.role is not Role.NOTICE]

    def _shown(self, role: Role) -> list[Message]:
        return [message for message in self._branch() if message.role is role]

    def _one_of(self, messages: list[Message], pick: int) -> Message:
        return messages[pick % len(messages)]

    def _answered(self, question: Message | None, answer: Message, calls: int) -> None:
        """As a turn does it: an answer without a word makes way for a call, words come last."""
        if question is not None:
            self.parents[question.id] = question.parent_id
        for _ in range(calls):
            self.store.remove(answer.id)
            card = self.store.add_call(self.chat, ToolRecord("id", "current_time", {}))
            card = self.store.close_call(card.id, ToolRecord("id", "current_time", {}), self._words("result"))
            self.parents[card.id] = card.parent_id
            answer = self.store.add(self.chat, Role.ASSISTANT, "", MessageStatus.STREAMING)
        self.store.grow(answer.id, self._words("answer"), "")
        self.store.close_answer(answer.id, DONE)
        self.parents[answer.id] = self.store.message(answer.id).parent_id


TestBranching = Branching.TestCase
TestBranching.settings = settings(max_examples=25, stateful_step_count=25)
