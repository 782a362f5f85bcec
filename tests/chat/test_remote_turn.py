"""Chats that a model server answers: nothing leaves unseen, nothing falls back, tools stay gated."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.asking import DENIED
from desktop.chat.attachments import AttachmentKind, AttachmentReader
from desktop.chat.destinations import Agreed, DestinationChanged, WordsLeaving
from desktop.chat.events import TurnFailed
from desktop.chat.messages import Message, MessageStatus, Role
from desktop.chat.remote_turn import OutgoingText
from desktop.engine.requests import Priority
from desktop.paths import Paths
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.model_server import (
    DONE,
    Answer,
    ModelServer,
    calls,
    event,
    model_server,
    silence,
    status,
    stream,
    words,
)
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

QUESTION = "What is the colour of the sea at noon?"
LOCAL = "Answered on this computer."


class Elsewhere:
    """A program in use whose chat is answered by `server`; `asked` is what the user was shown."""

    def __init__(self, used: Days, server: ModelServer) -> None:
        self.used, self.core, self.server = used, used.core, server
        self.asked: list[OutgoingText] = []
        self.answer: Agreed | None = Agreed()
        self.errors: list[str] = []
        self.signs: list[WordsLeaving] = []
        self.core.ask_to_send = self._ask
        self.core.bus.subscribe(TurnFailed, lambda failed: self.errors.append(failed.error.code))
        self.core.bus.subscribe(WordsLeaving, self.signs.append)
        self.lead_to(server.url)
        self.chat = used.chat()

    def lead_to(self, url: str) -> None:
        self.core.settings.put("engines", "servers", "big", {"url": url, "model": "big-model"})

    def choose(self, server: str = "big") -> None:
        self.core.turns.choose_server(self.chat, server)

    def say(self, text: str = QUESTION) -> Message:
        return self.used.say(text, self.chat)

    def _ask(self, leaving: OutgoingText) -> Agreed | None:
        self.asked.append(leaving)
        return self.answer


@contextmanager
def elsewhere(profile: Path, *answers: Answer) -> Iterator[Elsewhere]:
    """A profile with a scripted local model, and a model server."""
    backend = ScriptedBackend(LOCAL, template=HERMES_TEMPLATE)
    model = installed(profile / "models", chat_template=HERMES_TEMPLATE)
    with model_server(*answers) as server, days(profile, model, backend) as used:
        yield Elsewhere(used, server)


def test_the_chosen_server_answers_and_is_named(tmp_path: Path) -> None:
    """After the user agreed once; the answer says which model on which host wrote it."""
    with elsewhere(tmp_path) as there:
        there.choose()
        answer, again = there.say(), there.say("And at night?")
        assert (answer.text, answer.status) == ("Hello there", MessageStatus.COMPLETE)
        assert answer.model == f"big-model @ {there.server.shown}"
        assert answer.host == there.server.shown
        assert len(there.asked) == 1
        assert again.text == "Hello there"
        roles = [each["role"] for each in there.server.asked[1]["messages"]]
        assert roles == ["system", "user", "assistant", "user"]


def test_a_chat_without_a_server_sends_nothing(tmp_path: Path) -> None:
    """A server that is set up is no server of this chat."""
    with elsewhere(tmp_path) as there:
        assert there.say().text == LOCAL
        assert not there.server.seen
        assert not there.signs


def test_the_sign_comes_before_the_words(tmp_path: Path) -> None:
    """Published by what sends, with the host that it sends to, before the server has anything."""
    with elsewhere(tmp_path) as there:
        there.choose()
        had: list[int] = []
        there.core.bus.subscribe(WordsLeaving, lambda _sign: had.append(len(there.server.seen)))
        there.say()
    assert had == [0, 1]
    assert [(each.host, each.ended) for each in there.signs] == [
        (there.server.shown, False),
        (there.server.shown, True),
    ]


def test_what_is_shown_is_what_would_go(tmp_path: Path) -> None:
    """Host, the number of messages before, files by name, and the text itself."""
    with elsewhere(tmp_path) as there:
        note = AttachmentReader().text("The sea is deep.", AttachmentKind.PASTE, "sea.txt")
        there.core.turns.run(there.chat, "Remind me what this says", attachments=[note])
        there.choose()
        there.say()
        (leaving,) = there.asked
        assert leaving.server.shown == there.server.shown
        assert (leaving.earlier, leaving.files, leaving.tools) == (2, ("sea.txt",), True)
        sent = there.server.asked[0]["messages"]
        assert leaving.text == "\n\n".join(each["content"] for each in sent if each["content"])
        assert "The sea is deep." in leaving.text


def test_a_skill_leaves_only_where_it_is_named(tmp_path: Path) -> None:
    """It is a text of this computer: words that happen to fit it are no leave to send it, and after the
    first question nobody is shown any more what goes along."""
    with elsewhere(tmp_path, words("Blue.")) as there:
        folder = there.core.paths.skills / "sea-colours"
        folder.mkdir(parents=True)
        head = "---\nname: sea-colours\ndescription: The colour of the sea at noon, as we name it.\n---\n"
        (folder / "SKILL.md").write_text(f"{head}At noon the sea is petrol.", encoding="utf-8")
        library = there.core.skills()
        assert library is not None
        assert library.fitting(QUESTION) is not None
        there.choose()
        there.say("Hello, who are you then?")
        there.say(QUESTION)
        assert "petrol" not in there.server.text
        there.say(f"/sea-colours {QUESTION}")
        assert "petrol" in there.server.text


def test_no_sends_nothing_and_nobody_else_answers(tmp_path: Path) -> None:
    """Neither the server nor the model of this computer; the question is kept."""
    with elsewhere(tmp_path) as there:
        there.answer = None
        there.choose()
        answer = there.say()
        assert (answer.status, answer.text) == (MessageStatus.FAILED, "")
        assert there.errors == ["not-sent"]
        assert not there.server.seen
        assert not there.signs


def test_without_anybody_to_ask_nothing_leaves(tmp_path: Path) -> None:
    """As it is in a program that no window was made for."""
    with elsewhere(tmp_path) as there:
        fresh = build_core(Paths.under(tmp_path / "other"))
        there.core.ask_to_send = fresh.ask_to_send
        there.choose()
        there.say()
        fresh.close()
        assert there.errors == ["not-sent"]
        assert not there.server.seen


def test_another_address_is_asked_about_again(tmp_path: Path) -> None:
    """The same name that leads elsewhere is another host; so is the same server chosen again."""
    with elsewhere(tmp_path) as there, model_server() as other:
        there.choose()
        there.say()
        there.lead_to(other.url)
        there.say()
        assert [each.server.shown for each in there.asked] == [there.server.shown, other.shown]
        there.choose("")
        there.choose()
        there.say()
        assert len(there.asked) == 3


def test_earlier_messages_stay_here_where_the_user_says_so(tmp_path: Path) -> None:
    """Then, and in every later question of the chat."""
    with elsewhere(tmp_path) as there:
        there.say("My secret plan is a lighthouse")
        there.choose()
        there.core.ask_to_send = lambda leaving: Agreed(since=leaving.question_id)
        there.say()
        there.say("And then?")
        assert len(there.server.asked) == 2
        assert "lighthouse" not in there.server.text


def test_memory_stays_here_unless_it_is_ticked(tmp_path: Path) -> None:
    """Neither as a block before the question nor through a tool; ticked, it goes."""
    for agreed, goes in ((Agreed(), False), (Agreed(memory=True), True)):
        asks_memory = calls(("recall_notes", '{"query": "Berta"}'))
        with elsewhere(tmp_path / str(goes), asks_memory, words("Done.")) as there:
            there.say("Remember that my boat is called Berta")
            there.chat = there.used.chat()
            there.answer = agreed
            there.choose()
            there.say("What is my boat called?")
            names = [each["function"]["name"] for each in there.server.asked[0]["tools"]]
            assert ("recall_notes" in names) is goes
            # The call itself names it; nothing that is sent beside it may.
            results = [
                each["content"] for each in there.server.asked[-1]["messages"] if each["role"] == "tool"
            ]
            assert any("Berta" in each for each in results) is goes


SECRETS = ("4711", "JBSWY3DPEHPK3PXP")


def _kept_in(there: Elsewhere) -> None:
    """Told and agreed to be kept, in the open chat."""
    for wish in (
        "Remember my boat card PIN is 4711",
        f"Remember that my TOTP secret for the boat is {SECRETS[1]}",
    ):
        there.say(wish)
        there.say("yes")
    assert all(any(secret in each.text for each in there.used.items()) for secret in SECRETS)


def test_a_secret_that_was_kept_here_stays_here(tmp_path: Path) -> None:
    """With memory ticked too: neither what is told before a question, nor what its tool finds, nor the turns
    that this computer answered give it away, and the preview shows that. What else is remembered goes."""
    asks_memory = calls(("recall_notes", '{"query": "boat"}'))
    with elsewhere(tmp_path, asks_memory, words("Done.")) as there:
        there.say("Remember that my boat is called Berta")
        _kept_in(there)
        there.answer = Agreed(memory=True)
        for chat in (there.used.chat(), there.chat):
            there.chat = chat
            there.choose()
            there.say("What is my boat card PIN, and what is the boat called?")
        _kept_in(there)
        there.say("And the TOTP secret for the boat?")
        assert "Berta" in there.server.text
        assert "called [not kept]" not in there.server.text
        for secret in SECRETS:
            assert secret not in there.server.text
            assert not any(secret in each.text for each in there.asked)


def test_what_is_typed_for_the_server_goes_as_it_is(tmp_path: Path) -> None:
    """Also later, with the questions that follow: the user has said it to the server."""
    with elsewhere(tmp_path) as there:
        there.choose()
        there.say("Write to Ann: the alarm code is 8052")
        there.say("Shorter, please")
        assert "8052" in there.asked[0].text
        assert all("8052" in str(each) for each in there.server.asked)


def test_secrets_are_taken_out_before_anything_leaves(tmp_path: Path) -> None:
    """By the redaction of the log, in what is shown and in what is sent alike."""
    key = "ghp_" + "a1B2" * 9
    with elsewhere(tmp_path) as there:
        there.choose()
        there.say(f"Is {key} a good token?")
        assert key not in there.server.text
        assert key not in there.asked[0].text
        assert key in there.core.store.messages(there.chat, limit=None)[0].text


def test_a_call_runs_here_through_the_one_gate(tmp_path: Path) -> None:
    """With the server as the source of its wish; its result goes back in the protocol's form."""
    wish = calls(("write_file", '{"path": "sea.txt", "content": "deep"}'))
    with elsewhere(tmp_path, wish, words("Written.")) as there:
        there.choose()
        answer = there.say("Write deep into sea.txt")
        assert answer.text == "Written."
        (question,) = there.used.person.questions
        assert there.server.shown in str(question.warning)
        assert (there.used.root / "sea.txt").read_text() == "deep"
        call, result = there.server.asked[1]["messages"][-2:]
        assert call["tool_calls"][0]["function"]["name"] == "write_file"
        assert result["role"] == "tool"
        assert result["tool_call_id"] == call["tool_calls"][0]["id"]


def test_a_call_that_is_refused_does_nothing(tmp_path: Path) -> None:
    """The gate's no is the answer, and the server is not asked again."""
    wish = calls(("write_file", '{"path": "sea.txt", "content": "deep"}'))
    with elsewhere(tmp_path, wish) as there:
        there.used.person.answer = DENIED
        there.choose()
        there.say("Write deep into sea.txt")
        assert not (there.used.root / "sea.txt").exists()
        assert len(there.server.asked) == 1


@pytest.mark.parametrize("tools", [True, False])
def test_tools_that_were_not_agreed_to_are_not_run(tmp_path: Path, tools: bool) -> None:
    """Not offered, and not run where its model calls one all the same."""
    with elsewhere(tmp_path, calls(("roll_dice", "{}")), words("Six.")) as there:
        there.answer = Agreed(tools=tools)
        there.choose()
        there.say("Roll the dice")
        assert ("tools" in there.server.asked[0]) is tools
        cards = [each for each in there.core.store.messages(there.chat, limit=None) if each.role is Role.TOOL]
        assert bool(cards) is tools


def test_calls_that_cannot_be_read_run_nothing(tmp_path: Path) -> None:
    """The model is told, twice at most, and the turn ends."""
    junk = calls(("write_file", '{"path": "sea.txt", "content": '))
    with elsewhere(tmp_path, junk) as there:
        there.choose()
        there.say("Write into sea.txt")
        assert not there.used.person.questions
        assert len(there.server.asked) <= 3


FAILURES = [
    (status(401), "remote-key-refused"),
    (status(429), "remote-busy"),
    (status(500), "remote-gave-up"),
    (status(400, b'{"error": {"message": "context length exceeded"}}'), "remote-no-room"),
    (stream(event({"content": "Half of"})), "remote-cut"),
    (stream(b"<html>", "text/html"), "remote-no-server"),
    (status(302, location="https://elsewhere.example/"), "remote-redirect"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "code"), FAILURES, ids=[each[1] for each in FAILURES])
def test_the_local_model_never_answers_by_itself(tmp_path: Path, answer: Answer, code: str) -> None:
    """What came is kept, the reason is told, and only the user's word brings the answer here."""
    with elsewhere(tmp_path, answer) as there:
        there.choose()
        failed = there.say()
        assert failed.status is MessageStatus.FAILED
        assert LOCAL not in failed.text
        assert there.errors == [code]
        assert failed.text == ("Half of" if code == "remote-cut" else "")
        there.choose("")
        assert there.core.turns.regenerate(there.chat).text == LOCAL


def test_a_server_that_is_gone_is_a_sentence(tmp_path: Path) -> None:
    """Removed from the settings: the chat says so, and nothing else answers."""
    with elsewhere(tmp_path) as there:
        there.choose()
        there.core.settings.drop("engines", "servers", "big")
        assert there.say().status is MessageStatus.FAILED
        assert there.errors == ["remote-unknown"]


def test_offline_nobody_is_asked(tmp_path: Path) -> None:
    """What cannot be sent needs no yes."""
    with elsewhere(tmp_path) as there:
        there.core.settings.change("network", "offline", True)
        there.choose()
        there.say()
        assert there.errors == ["offline"]
        assert not there.asked


def test_its_model_is_not_told_that_nothing_leaves(tmp_path: Path) -> None:
    """It would tell the user so; and no rule says it either."""
    with elsewhere(tmp_path) as there:
        here = "Nothing said here leaves"
        assert here in there.core.turns.context(there.chat).instructions
        there.choose()
        assert there.say("Do you send my data anywhere?").text == "Hello there"
        system = there.server.asked[0]["messages"][0]["content"]
        assert here not in system
        assert "model server that the user has chosen" in system


def test_sums_are_still_answered_here(tmp_path: Path) -> None:
    """By rule, without the server."""
    with elsewhere(tmp_path) as there:
        there.choose()
        assert "391" in there.say("What is 17 * 23?").text
        assert not there.server.seen


def test_quick_ask_sends_to_no_server(tmp_path: Path) -> None:
    """It has no room for the signs."""
    with elsewhere(tmp_path) as there:
        there.choose()
        there.core.turns.run(there.chat, QUESTION, priority=Priority.QUICK_ASK)
        assert there.errors == ["no-servers-here"]
        assert not there.asked
        assert not there.server.seen


def test_half_an_answer_from_elsewhere_is_foreign_too(tmp_path: Path) -> None:
    """What a broken line left behind names its host."""
    with elsewhere(tmp_path, stream(event({"content": "Half"}))) as there:
        there.choose()
        assert there.say().host == there.server.shown


def test_titles_and_summaries_are_made_here(tmp_path: Path) -> None:
    """The server is asked for the answer and for nothing else; memory is written here, too."""
    with elsewhere(tmp_path) as there:
        there.say("Tell me of harbours")
        there.choose()
        there.say()
        there.core.turns.name(there.chat)
        there.core.turns.context_use(there.chat)
        there.core.turns.warm_up()
        assert len(there.server.seen) == 1


def test_an_answer_cannot_be_gone_on_with_there(tmp_path: Path) -> None:
    """No server offers that; the sentence says what to do."""
    with elsewhere(tmp_path, stream(event({"content": "One, two"}, "length") + DONE)) as there:
        there.choose()
        assert there.say().status is MessageStatus.LENGTH
        answer = there.core.turns.continue_answer(there.chat)
        assert there.errors == ["cannot-continue-there"]
        assert answer.text == "One, two"


def test_stop_ends_the_answer_and_the_line(tmp_path: Path) -> None:
    """What came is kept."""
    with elsewhere(tmp_path, silence(event({"content": "So"}))) as there:
        there.choose()
        there.core.bus.subscribe(WordsLeaving, lambda sign: None if sign.ended else stopping(there))
        answer = there.say()
        assert answer.status is MessageStatus.STOPPED
        assert there.server.hung_up.wait(30)


def stopping(there: Elsewhere) -> None:
    """Stop once the server has begun to answer."""

    def stop() -> None:
        there.server.began.wait(30)
        there.core.turns.stop(there.chat)

    threading.Thread(target=stop).start()


def test_a_line_says_who_answers_from_here_on(tmp_path: Path) -> None:
    """And an event, for the signs of the windows."""
    with elsewhere(tmp_path) as there:
        seen: list[str] = []
        there.core.bus.subscribe(DestinationChanged, lambda changed: seen.append(changed.server))
        there.say()
        there.choose()
        there.choose()
        there.choose("")
        messages = there.core.store.messages(there.chat, limit=None)
        notices = [each.text for each in messages if each.role is Role.NOTICE]
        assert notices == [
            "From here on, the server big answers.",
            "From here on, the model on this computer answers.",
        ]
        assert seen == ["big", ""]


def test_words_from_elsewhere_stay_foreign(tmp_path: Path) -> None:
    """Also when the chat has come back: what the server said taints what is done later."""
    with elsewhere(tmp_path) as there:
        there.choose()
        there.say()
        there.choose("")
        assert f"the model on {there.server.shown}" in there.core.turns.context(there.chat).untrusted
