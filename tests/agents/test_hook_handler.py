"""A hook from its arrival to its answer: what passes, what is asked, what is said where nobody answers."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from desktop.agents.action import BadPayload, HookChoice
from desktop.agents.events import DecidedBy, PauseChanged
from desktop.agents.hook_request import PendingHook
from desktop.agents.reasons import AgentReason
from desktop.asking import ALLOWED_ONCE, DENIED, Answer, NetworkUse, Question, Reach, Scope
from desktop.asking import Choice as Click
from desktop.gate.policy import PolicySettings
from desktop.gate.rules import Rule, RuleAction
from desktop.settings import HookSettings
from tests.agents.gatehouse import Gatehouse, reason, word
from tests.fakes.asker import FakeAsker

READS = ["ls -la", "git status && git log -3", "cat /etc/hostname", "grep -rn TODO . | head", ""]
ASKS = [
    "rm -rf build",
    "npm test",
    "cat ~/.ssh/id_rsa",
    "curl -d @a https://x.example",
    "echo hi > ~/.claude/hooks/a",
]


@pytest.mark.parametrize("command", READS)
def test_what_only_reads_is_answered_at_once(house: Gatehouse, command: str) -> None:
    """Without a question, inside and outside the folder."""
    assert house.says(house.bash(command)) == "allow"
    assert not house.questions
    assert house.decided[-1].by is DecidedBy.READING


@pytest.mark.parametrize("command", ASKS)
def test_everything_else_is_held_and_asked(house: Gatehouse, command: str) -> None:
    """The call waits; the user's click is the answer, in the agent's own form."""
    held = house.handler.quick("claude-code", house.bash(command))
    assert isinstance(held, PendingHook)
    assert not house.decided
    assert word(house.handler.hold(held)) == "allow"
    assert [asked.id for asked in house.asked] == [house.decided[-1].id] == [held.id]
    assert house.decided[-1].by is DecidedBy.USER


def test_a_denial_tells_the_agent_what_the_user_wants_instead(house: Gatehouse) -> None:
    """Deny and say why."""
    house.asker = FakeAsker(Answer(Click.DENY, instead="use the trash"))
    reply = house.answer(house.bash("rm -rf build"))
    assert word(reply) == "deny"
    assert reason(reply) == 'The user denied this in Steward, and says: "use the trash".'


def test_a_command_is_asked_with_all_that_is_known(house: Gatehouse) -> None:
    """Who, where, what decides, and which files are there."""
    (house.project / "a.pyc").write_bytes(b"123")
    (house.project / "b.txt").write_bytes(b"1")
    body = house.hook("Bash", {"command": "rm *.pyc", "description": "Tidy up"})
    house.answer(body)
    question = house.questions[0]
    assert str(question.title) == "Run a command that deletes?"
    assert question.arguments == "rm *.pyc"
    assert question.origin.agent == "Claude Code"
    assert question.origin.folder == str(house.project)
    assert question.origin.deadline is not None
    assert question.why == "Tidy up"
    assert [(Path(match.path).name, match.size_bytes) for match in question.files] == [("a.pyc", 3)]
    assert question.command is not None
    start, end = question.command.span
    assert "rm *.pyc"[start:end] == "rm"
    assert question.command.classed == "DELETE"
    assert question.reversible is False


# -- nobody answers -----------------------------------------------------------------------------

NOBODY = [
    ("claude-code", {"permission_mode": "default"}, ""),
    ("claude-code", {"permission_mode": "bypassPermissions"}, "deny"),
    ("claude-code", {"permission_mode": "auto"}, "ask"),
    ("codex", {"permission_mode": "default"}, "deny"),
]


@pytest.mark.parametrize(("agent", "more", "said"), NOBODY)
@pytest.mark.parametrize("asker", [FakeAsker(None), None], ids=["time-out", "no window"])
def test_no_answer_is_never_an_allow(
    house: Gatehouse, asker: FakeAsker | None, agent: str, more: dict[str, Any], said: str
) -> None:
    """No opinion where the agent then asks, a refusal where it would go ahead."""
    house.asker = asker
    assert house.says(house.bash("rm -rf build", **more), agent) == said
    assert house.decided[-1].by is DecidedBy.NOBODY
    assert house.decided[-1].choice is not HookChoice.ALLOW


def test_an_agent_that_is_to_fail_closed_is_denied(house: Gatehouse) -> None:
    """By setting, also where it would ask by itself, and also what cannot be read."""
    house.settings = HookSettings(fail_closed=["claude-code"])
    house.asker = None
    assert house.says(house.bash("rm -rf build")) == "deny"
    unreadable = house.handler.quick("claude-code", b"{")
    assert not isinstance(unreadable, PendingHook)
    assert (unreadable.exit_code, unreadable.body) == (2, b"")
    assert "could not be read" in unreadable.stderr


@pytest.mark.parametrize(("agent", "body"), [("claude-code", b"{"), ("nobody", b"{}"), ("codex", b"[]")])
def test_what_cannot_be_read_is_an_error(house: Gatehouse, agent: str, body: bytes) -> None:
    """And nothing is decided."""
    with pytest.raises(BadPayload):
        house.handler.quick(agent, body)
    assert not house.decided


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_what_cannot_be_read_is_denied_where_an_error_would_let_it_run(house: Gatehouse, agent: str) -> None:
    """In a session that asks for nothing; no depth, size or broken text gets past."""
    deep = house.hook(
        "mcp__a__b", json.loads('{"a":' * 80 + "1" + "}" * 80), permission_mode="bypassPermissions"
    )
    for body in (deep, deep[:-1]):
        reply = house.handler.quick(agent, body)
        assert not isinstance(reply, PendingHook)
        assert word(reply) == "deny"
    assert word(house.handler.unread(agent, deep[:300], "it is too large")) == "deny"
    with pytest.raises(BadPayload, match="too large"):
        house.handler.unread(agent, house.bash("ls")[:100], "it is too large")


class Bug(Exception):
    """Something that must not happen."""


class BrokenAsker:
    def ask(self, question: Question) -> Answer:
        raise Bug


def test_a_bug_while_asking_is_never_an_allow(house: Gatehouse) -> None:
    """It is logged, and the agent's own prompt decides."""
    house.asker = BrokenAsker()
    assert house.says(house.bash("rm -rf build")) == ""
    assert house.decided[-1].by is DecidedBy.ERROR


def test_a_bug_while_judging_is_never_an_allow(house: Gatehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even for what only reads; where silence would run it, it is denied."""

    def broken(_self: object, _request: object, **_more: object) -> None:
        raise Bug

    monkeypatch.setattr("desktop.gate.gatekeeper.Gatekeeper.decide", broken)
    assert house.says(house.bash("ls")) == ""
    assert house.says(house.bash("ls", permission_mode="bypassPermissions")) == "deny"
    assert {event.by for event in house.decided} == {DecidedBy.ERROR}


# -- grants and rules ---------------------------------------------------------------------------


def exact_scopes(house: Gatehouse) -> list[Scope]:
    """The lasting yeses to the letter of the first question; those by program have tests of their own."""
    return [offer.scope for offer in house.questions[0].scopes if offer.reach is Reach.EXACT]


def test_a_yes_for_the_session_holds_until_it_ends(house: Gatehouse) -> None:
    """Exactly that command, in that folder, in that session."""
    house.asker = FakeAsker(Answer(Click.ALLOW, Scope.SESSION))
    house.answer(house.bash("mkdir out"))
    assert exact_scopes(house) == [Scope.SESSION, Scope.ALWAYS]
    house.asker = FakeAsker(DENIED)
    assert house.says(house.bash("mkdir out")) == "allow"
    assert house.decided[-1].by is DecidedBy.GRANT
    assert house.says(house.bash("mkdir out", session_id="s2")) == "deny"
    assert house.says(house.bash("mkdir other")) == "deny"
    house.answer(house.hook("", {}, "SessionEnd", reason="exit"))
    assert house.says(house.bash("mkdir out")) == "deny"


def test_a_lasting_yes_covers_exactly_what_its_words_say(house: Gatehouse) -> None:
    """And is echoed to the agent as its own exact rule, never as a wider one."""
    house.asker = FakeAsker(Answer(Click.ALLOW, Scope.ALWAYS))
    exact = {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": "mkdir out"}],
        "behavior": "allow",
        "destination": "localSettings",
    }
    wide = {**exact, "rules": [{"toolName": "Bash", "ruleContent": "mkdir:*"}]}
    body = house.bash("mkdir out", "PermissionRequest", permission_suggestions=[wide, exact])
    decision = json.loads(house.answer(body).body)["hookSpecificOutput"]["decision"]
    assert decision["updatedPermissions"] == [exact]
    assert "exactly this command" in str(house.questions[0].scopes[-1].words)
    house.asker = FakeAsker(DENIED)
    assert house.says(house.bash("mkdir out", session_id="another")) == "allow"


@pytest.mark.parametrize(
    "command", ["rm -rf build", "npm test", "echo $x > a", "sudo mkdir /a", "mkdir /out"]
)
def test_nothing_lasting_is_offered_for_what_is_not_wholly_known(house: Gatehouse, command: str) -> None:
    """Deletions, unknown effects, expansions and flags are asked each time."""
    house.answer(house.bash(command))
    assert exact_scopes(house) == []


@pytest.mark.parametrize("command", ["rm -rf build", "sudo mkdir /a"])
def test_nothing_at_all_is_offered_for_a_deletion_or_another_users_rights(
    house: Gatehouse, command: str
) -> None:
    """Neither exactly this command nor its program by name nor project mode: only this once."""
    house.answer(house.bash(command))
    assert house.questions[0].scopes == ()


def test_a_scope_that_was_not_offered_is_not_kept(house: Gatehouse) -> None:
    """Whatever the asker returns."""
    house.asker = FakeAsker(Answer(Click.ALLOW, Scope.ALWAYS))
    house.answer(house.bash("rm -rf build"))
    assert not house.grants.listed()


def test_rules_come_before_everything(house: Gatehouse) -> None:
    """A deny rule is not asked about, a rule to ask stops what reads."""
    rules = (
        Rule(RuleAction.DENY, "git push", reason="a rule of yours forbids pushing"),
        Rule(RuleAction.ASK, "git log", agent="claude-*"),
    )
    house.make(rules=rules)
    reply = house.answer(house.bash("git push origin main"))
    assert word(reply) == "deny"
    assert "a rule of yours forbids pushing" in reason(reply)
    assert not house.questions
    house.answer(house.bash("git log"))
    assert str(house.questions[0].warning) == "A rule of yours says to ask."


def test_an_mcp_tool_is_asked_and_can_be_granted_by_its_name(house: Gatehouse) -> None:
    """With any arguments; another tool of the same server still asks."""
    house.asker = FakeAsker(Answer(Click.ALLOW, Scope.SESSION))
    tool = "mcp__github__get_issue"
    assert house.says(house.hook(tool, {"number": 1})) == "allow"
    assert '"number": 1' in house.questions[0].arguments
    assert house.says(house.hook(tool, {"number": 2})) == "allow"
    assert len(house.questions) == 1
    house.answer(house.hook("mcp__github__delete_repo", {}))
    assert len(house.questions) == 2


# -- files --------------------------------------------------------------------------------------


def test_an_edit_is_asked_with_its_difference(house: Gatehouse) -> None:
    """Computed from the file on disk."""
    (house.project / "a.py").write_text("one\ntwo\n")
    arguments = {"file_path": str(house.project / "a.py"), "old_string": "two", "new_string": "three"}
    house.answer(house.hook("Edit", arguments))
    question = house.questions[0]
    assert str(question.title) == "Change a.py?"
    assert "-two" in question.diff
    assert "+three" in question.diff
    assert question.arguments == str(house.project / "a.py")


def test_a_yes_for_the_session_to_edits_covers_the_folder(house: Gatehouse) -> None:
    """As its words say; not secrets, not hooks, not what lies outside."""
    house.asker = FakeAsker(Answer(Click.ALLOW, Scope.SESSION))

    def write(path: Path) -> str:
        return house.says(house.hook("Write", {"file_path": str(path), "content": "x"}))

    assert write(house.project / "a.py") == "allow"
    assert f"any file in {house.project}" in str(house.questions[0].scopes[0].words)
    house.asker = FakeAsker(DENIED)
    assert write(house.project / "sub" / "b.py") == "allow"
    for beyond in (".env", ".claude/settings.json", "../c.py"):
        assert write(house.project / beyond) == "deny"


def test_reading_files_asks_only_for_secrets_and_for_stewards_own(house: Gatehouse) -> None:
    """Wherever they lie."""
    house.asker = FakeAsker(DENIED)

    def read(path: Path) -> str:
        return house.says(house.hook("Read", {"file_path": str(path)}))

    assert read(house.project / "a.py") == "allow"
    assert read(Path("/usr/include/stdio.h")) == "allow"
    assert read(house.project / ".env") == "deny"
    assert read(house.paths.data / "steward.sqlite3") == "deny"


def test_fetching_a_page_asks(house: Gatehouse) -> None:
    """An address can carry data away."""
    house.answer(house.hook("WebFetch", {"url": "https://docs.example/a?b=c", "prompt": "p"}))
    assert str(house.questions[0].title) == "Fetch a page from docs.example?"
    assert house.questions[0].network is NetworkUse.USES


def test_a_change_of_the_agents_settings_is_not_taken_over_unasked(house: Gatehouse) -> None:
    """A no, and no answer, hold it back."""
    body = house.hook(
        "", {}, "ConfigChange", source="user_settings", file_path="/home/u/.claude/settings.json"
    )
    house.asker = FakeAsker(None)
    assert house.says(body) == "block"
    house.asker = FakeAsker()
    assert house.says(body) == ""
    assert "changed settings" in str(house.questions[0].title)


# -- twice --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "said"), [(ALLOWED_ONCE, "allow"), (DENIED, "deny"), (None, "")])
def test_the_second_hook_for_the_same_call_is_answered_like_the_first(
    house: Gatehouse, answer: Answer | None, said: str
) -> None:
    """Claude Code asks twice; the user is asked once, also where nobody answers."""
    house.asker = FakeAsker(answer)
    assert house.says(house.bash("rm -rf build")) == said
    assert house.says(house.bash("rm -rf build", "PermissionRequest")) == said
    assert len(house.questions) == 1


def test_a_yes_is_not_good_for_the_same_command_again(house: Gatehouse) -> None:
    """Nor for another input, another session or a third hook."""
    house.answer(house.bash("rm -rf build"))
    house.answer(house.bash("rm -rf build"))
    assert len(house.questions) == 2
    house.answer(house.bash("rm -rf build", "PermissionRequest"))
    assert len(house.questions) == 2
    house.answer(house.bash("rm -rf build", "PermissionRequest"))
    house.answer(house.bash("rm -rf .", "PermissionRequest"))
    house.answer(house.bash("rm -rf build", "PermissionRequest", session_id="s2"))
    assert len(house.questions) == 5


# -- settings and pause -------------------------------------------------------------------------


def test_switched_off_there_is_no_opinion(house: Gatehouse) -> None:
    """And nothing is shown."""
    house.settings = HookSettings(enabled=False)
    assert house.says(house.bash("ls")) == ""
    assert house.says(house.bash("rm -rf build")) == ""
    assert not house.decided


def test_a_pause_has_no_opinion_and_ends(house: Gatehouse) -> None:
    """Rules that say never stay; it is told when it begins and when it ends."""
    house.make(rules=(Rule(RuleAction.NEVER, "terraform destroy"), Rule(RuleAction.DENY, "git push")))
    house.handler.pause(600)
    assert house.handler.paused_until is not None
    assert house.says(house.bash("ls")) == ""
    assert house.says(house.bash("git push")) == ""
    assert house.says(house.bash("terraform -chdir=x destroy")) == "deny"
    house.handler.resume()
    assert house.says(house.bash("ls")) == "allow"
    until = [event.until for event in house.events if isinstance(event, PauseChanged)]
    assert [each is None for each in until] == [False, True]
    assert [event.by for event in house.decided] == [
        DecidedBy.PAUSE,
        DecidedBy.PAUSE,
        DecidedBy.RULE,
        DecidedBy.READING,
    ]


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
@pytest.mark.parametrize(
    "line",
    ["rm -rf /", "sudo mkfs.ext4 /dev/sda", "bash -c 'rm -rf ~'", "find / -delete", "echo x > /dev/sda"],
)
def test_what_is_never_done_stays_denied_in_a_pause(house: Gatehouse, line: str, mode: str) -> None:
    """In every mode of the agent, with permissions skipped and whatever a rule allows."""
    house.make(rules=(Rule(RuleAction.ALLOW, "*", "/"),))
    house.policy = PolicySettings(dangerously_skip_permissions=True)
    for begin in (house.handler.resume, lambda: house.handler.pause(600)):
        begin()
        reply = house.answer(house.bash(line, permission_mode=mode))
        assert word(reply) == "deny", line
        assert "never done" in reason(reply)
    assert not house.questions


def test_a_pause_does_not_open_the_gate_itself(house: Gatehouse) -> None:
    """Taking Steward's own files away is denied; changing what protects this computer is still asked."""
    house.handler.pause(600)
    data, config = house.own
    config.mkdir(parents=True, exist_ok=True)
    for line in (
        f"rm -rf {data}",
        f"rm -rf {config.parent}/*",
        f"rm -rf {config}/../{config.name}",
        f"rm {config}/x",
    ):
        assert house.says(house.bash(line)) == "deny", line
    assert not house.questions
    house.asker = FakeAsker(DENIED)
    assert house.says(house.bash(f"echo x >> {config}/settings.toml")) == "deny"
    assert len(house.questions) == 1


def test_a_pause_ends_by_itself(house: Gatehouse) -> None:
    """The tray hears of it without a hook coming in."""
    over = threading.Event()
    house.bus.subscribe(PauseChanged, lambda event: over.set() if event.until is None else None)
    house.handler.pause(0.01)
    assert over.wait(60)
    assert house.handler.paused_until is None


def test_a_broken_seal_asks_for_everything(house: Gatehouse) -> None:
    """Also for what only reads, and says why."""
    house.broken = AgentReason.RUN_NOT_AS_SEALED.of(why=AgentReason.SEAL_CHANGED.of(files="hooks.json"))
    house.answer(house.bash("ls"))
    warning = house.questions[0].warning
    assert str(warning) == "The settings of this run are not as sealed: hooks.json was changed."
    assert warning is not None
    assert "hooks.json wurde geändert" in warning.in_language("de")


# -- the log ------------------------------------------------------------------------------------


def test_every_verdict_and_every_run_is_in_the_log(house: Gatehouse) -> None:
    """In their order, without contents and without secrets."""
    token = f"gh{'p'}_" + "Zx9Kq2Lm8Vt4Rb7Wc3Yh6Nj1"
    house.answer(house.bash(f"git clone https://me:{token}@github.example/a"))
    house.answer(house.hook("Write", {"file_path": str(house.project / "a"), "content": "the content"}))
    after = house.bash("ls", "PostToolUseFailure", error="Exit code 2\nsecret output", duration_ms=1500)
    house.answer(after)
    cloned, wrote, failed = house.logged()
    assert token not in json.dumps(cloned)
    assert (cloned["gate"], cloned["by"], cloned["agent"]) == ("allow", "user", "claude-code")
    assert "the content" not in json.dumps(wrote)
    assert (failed["moment"], failed["result"], failed["seconds"]) == ("failed", "Exit code 2", "1.5")
    assert house.audit.verify().is_whole


def test_the_last_verdicts_are_kept_for_the_page(house: Gatehouse) -> None:
    """The newest last, a thousand at most."""
    for number in range(1_005):
        house.answer(house.bash(f"echo {number}"))
    assert len(house.handler.recent) == 1_000
    assert house.handler.recent[-1].text == "echo 1004"
    assert house.handler.recent[-1] == house.decided[-1]
    assert len({event.id for event in house.decided}) == 1_005


def test_the_generic_agent_of_the_manual(house: Gatehouse) -> None:
    """What `steward hook` prints for the example."""
    reply = house.answer(b'{"tool":"Bash","input":{"command":"ls"}}', "generic")
    assert json.loads(reply.body) == {"decision": "allow", "reason": "Steward: ls only reads."}


# -- ways on which nobody is asked ----------------------------------------------------------------

TURNED_AWAY = [
    ("claude-code", {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
    ("claude-code", {"hook_event_name": "PreToolUse", "tool_name": "Later", "tool_input": {}}),
    ("codex", {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
    ("gemini-cli", {"hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": {"path": "a"}}),
    ("copilot-cli", {"toolName": "bash", "toolArgs": {"command": "ls"}}),
    ("opencode", {"event": "tool.execute.before", "tool": "bash", "args": {"command": "ls"}}),
]


@pytest.mark.parametrize(("agent", "hook"), TURNED_AWAY)
def test_who_has_no_token_is_denied_in_its_agents_form(
    house: Gatehouse, agent: str, hook: dict[str, Any]
) -> None:
    """Also what only reads; nothing is asked, and nothing kept of what anybody could send."""
    reply = house.handler.turned_away(agent, json.dumps(hook).encode(), "install it again")
    assert b"deny" in reply.body
    assert b"install it again" in reply.body
    assert (house.questions, house.decided) == ([], [])


def test_who_has_no_token_and_only_tells_is_not_denied(house: Gatehouse) -> None:
    """There is nothing to hold back."""
    hook = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    assert house.handler.turned_away("claude-code", json.dumps(hook).encode(), "no").body == b""
    with pytest.raises(BadPayload):
        house.handler.turned_away("claude-code", b"garbage", "no")
    bypass = b'{"permission_mode": "bypassPermissions", "tool_name": 5}'
    assert b"deny" in house.handler.turned_away("claude-code", bypass, "no").body


def test_what_came_on_an_old_way_is_denied_and_not_asked(house: Gatehouse) -> None:
    """With what to do in the reason; the log has it."""
    held = house.handler.quick("claude-code", house.bash("rm -rf build"))
    assert isinstance(held, PendingHook)
    reply = house.handler.refuse(held, "Run: steward agents install claude-code")
    assert (word(reply), reason(reply)) == ("deny", "Run: steward agents install claude-code")
    assert house.questions == []
    assert house.decided[-1].choice is HookChoice.DENY
    assert word(house.handler.hold(held)) != "allow"


def test_the_agents_own_rules_are_honoured_with_the_users_yes(house: Gatehouse) -> None:
    """Not before it, not for a list that was changed, and never beyond their bounds."""
    settings = house.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"allow": ["Bash(npm test:*)", "Bash(rm:*)", "Bash(*)"]}}')
    house.asker = FakeAsker.denying()
    assert word(house.answer(house.bash("npm test"))) == "deny"
    (listed,) = house.own_rules.listed()
    house.consents.agree(listed)
    assert word(house.answer(house.bash("npm test -- -u"))) == "allow"
    said = "the agent's own rule, which you honour, allows it: Bash(npm test:*)"
    assert str(house.decided[-1].reason).endswith(said)
    assert word(house.answer(house.bash("rm notes.txt"))) == "deny"
