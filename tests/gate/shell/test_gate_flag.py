"""The agent must not approve itself: whatever touches the gate says so and asks."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Flag, Gate

CHANGES = (
    "steward",
    "steward run",
    "steward serve",
    "steward agents install",
    "steward agents install claude-code",
    "steward agents uninstall codex",
    "steward --profile /tmp/p agents install",
    "/opt/steward/steward agents install",
    "./steward agents uninstall",
    "steward launch claude",
    "steward ask --allow workspace 'delete it all'",
    "steward chat",
    "steward settings set permissions.judge_may_allow true",
    "steward undo 4",
    "steward models remove x",
    "steward models get x",
    "steward audit clear",
    "steward grants add x",
    "echo '{}' > ~/.claude/settings.json",
    "sed -i s/a/b/ .claude/settings.local.json",
    "tee -a ~/.codex/hooks.json",
    "rm ~/.gemini/settings.json",
    "mv ~/.claude ~/.claude2",
    "ln -sf /tmp/x ~/.claude/settings.json",
    "cp x .cursor/hooks.json",
    "rm -rf ~/.config/steward",
    "sqlite3 ~/.local/share/steward/steward.sqlite3 'INSERT INTO grants VALUES (1)'",
    'python -c \'open("/home/u/.claude/settings.json", "w")\'',
    "pkill steward",
    "pkill -f steward",
    "systemctl --user stop steward",
    "systemctl --user disable steward.service",
    "git config core.hooksPath x",
    "claude config set x y",
    "claude plugin install x",
    "codex features disable hooks",
    "cd ~/.claude && sed -i s/a/b/ settings.json",
    "sudo tee ~/.claude/settings.json",
    "bash -c 'echo > ~/.claude/settings.json'",
)
READS = (
    "steward --version",
    "steward --help",
    "steward version",
    "steward doctor",
    "steward classify 'rm -rf x'",
    "steward models list",
    "steward agents list",
    "steward agents status",
    "steward undo --list",
    "steward audit",
    "steward audit verify",
    "ls ~/.claude",
    "cat .claude/settings.json",
    "systemctl --user status steward",
    "pgrep steward",
    "git log steward",
)


@pytest.mark.parametrize("command", CHANGES)
def test_changing_what_guards_this_computer(classifier: Classifier, command: str) -> None:
    """GATE, and asked about."""
    verdict = classifier.classify(command, "bash", "/home/u/app")
    assert Flag.GATE in verdict.flags
    assert verdict.gate is Gate.ASK


@pytest.mark.parametrize("command", READS)
def test_looking_at_it(classifier: Classifier, command: str) -> None:
    """Passes: nothing secret is shown, nothing changes."""
    verdict = classifier.classify(command, "bash", "/home/u/app")
    assert (verdict.effect, verdict.gate) == (Effect.READ, Gate.ALLOW)


@pytest.mark.parametrize(
    "command",
    [
        "cat ~/.config/steward/agent_tokens.json",
        "cat /run/user/1000/steward/api.json",
        "sqlite3 ~/.local/share/steward/steward.sqlite3 'SELECT 1'",
    ],
)
def test_our_own_secrets(classifier: Classifier, command: str) -> None:
    """Tokens and conversations are private."""
    verdict = classifier.classify(command, "bash", "/home/u/app")
    assert Flag.SECRET in verdict.flags
    assert verdict.gate is Gate.ASK
